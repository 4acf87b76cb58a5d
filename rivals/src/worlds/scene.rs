//! Scenes of bodies as plain data, from which every engine makes its own world.
//!
//! In: a name, a number of dynamic bodies and a seed. Out: bodies in a fixed order, equal for every engine. Metres,
//! seconds, kilograms; gravity points down the y axis.

use anyhow::{Result, bail};
use jostle_broad::glam::{Quat, Vec3};
use jostle_broad::scene::Random;

/// Metres a second squared, downwards.
pub const GRAVITY: f32 = 9.81;
/// Kilograms per cubic metre of every dynamic body.
pub const DENSITY: f32 = 1000.0;
/// Of every body; engines that mix the two of a pair get this again.
pub const FRICTION: f32 = 0.6;
/// Of every body.
pub const RESTITUTION: f32 = 0.0;
/// What the lowest body falls before it hits the ground: a second's fall.
const DROP: f32 = 4.9;
/// Distance of two neighbours' centres at the start, in box sides.
const SPACING: f32 = 1.3;

/// What a body looks like, around its own origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A ball of this radius.
    Ball(f32),
    /// A box of these half extents.
    Cuboid(Vec3),
    /// Everything below the body's origin, `reach` metres wide to each side for an engine that has no half-spaces.
    Ground {
        /// Half the side of the box that stands in for it.
        reach: f32,
    },
}

/// One body at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySpec {
    /// What it looks like.
    pub form: Form,
    /// Does it move?
    pub dynamic: bool,
    /// Where its origin is.
    pub position: Vec3,
    /// How it is turned.
    pub rotation: Quat,
    /// Metres a second.
    pub velocity: Vec3,
    /// Angular velocity, radians a second.
    pub spin: Vec3,
}

impl BodySpec {
    fn fixed(form: Form, position: Vec3) -> Self {
        Self {
            form,
            dynamic: false,
            position,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
        }
    }
}

/// Bodies, and where none may get to.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name users choose it by.
    pub name: &'static str,
    /// All bodies; their places in this list are their ids.
    pub bodies: Vec<BodySpec>,
    /// Half the inner side of the walled square around the origin, if there are walls.
    pub walls: Option<f32>,
}

/// The names of the scenes, and what they are.
pub const SCENES: [(&str, &str); 3] = [
    ("falling", "unit boxes 1.3 apart in a cube, not turned, falling on a plane"),
    ("pit", "unit boxes 1.75 apart, turned at random, poured into a pit with walls"),
    ("mixed", "boxes and balls of sides 0.5 to 1.5, turned at random, poured into a pit with walls"),
];

impl Scene {
    /// The scene of this name with `n` dynamic bodies.
    pub fn new(name: &str, n: usize, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        let side = (n as f32).cbrt().ceil().max(1.0) as usize;
        let reach = 2.0 * SPACING * side as f32 + 100.0;
        let mut bodies = vec![BodySpec::fixed(Form::Ground { reach }, Vec3::ZERO)];
        let Some((name, _)) = SCENES.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = SCENES.iter().map(|(known, _)| *known).collect();
            bail!("there is no scene `{name}`; choose from {}", known.join(", "));
        };
        let poured = *name != "falling";
        // Turned boxes of side 1.5 have a diagonal of 2.6.
        let spacing = match *name {
            "mixed" => 2.6,
            "pit" => 1.75,
            _ => SPACING,
        };
        for index in 0..n {
            let cell = [index % side, index / (side * side), index / side % side].map(|i| i as f32);
            let middle = 0.5 * (side - 1) as f32;
            let position = Vec3::new(cell[0] - middle, cell[1], cell[2] - middle) * spacing;
            let mut body = BodySpec {
                form: Form::Cuboid(Vec3::splat(0.5)),
                dynamic: true,
                position: position + Vec3::Y * (DROP + 0.5 * spacing),
                rotation: Quat::IDENTITY,
                velocity: Vec3::ZERO,
                spin: Vec3::ZERO,
            };
            if poured {
                body.rotation = turned(&mut random);
            }
            if *name == "mixed" {
                body.form = if random.below(2) == 0 {
                    Form::Ball(random.between(0.25, 0.75))
                } else {
                    Form::Cuboid(random.vector() * 0.5 + 0.25)
                };
            }
            bodies.push(body);
        }
        let walls = poured.then(|| {
            // Corners of turned bodies keep clear of the walls.
            let inner = 0.5 * side as f32 * spacing + 0.1;
            let (thick, high) = (2.0, DROP + spacing * side as f32);
            for (axis, sign) in [(Vec3::X, 1.0), (Vec3::X, -1.0), (Vec3::Z, 1.0), (Vec3::Z, -1.0)] {
                let along = Vec3::ONE - Vec3::Y - axis;
                let half = axis * thick + Vec3::Y * high * 0.5 + along * (inner + 2.0 * thick);
                let position = axis * sign * (inner + thick) + Vec3::Y * high * 0.5;
                bodies.push(BodySpec::fixed(Form::Cuboid(half), position));
            }
            inner
        });
        Ok(Self { name, bodies, walls })
    }

    /// How many bodies move.
    pub fn dynamic_count(&self) -> usize {
        self.bodies.iter().filter(|body| body.dynamic).count()
    }
}

/// An orientation, all equally likely (Shoemake's rejection form: a direction in four dimensions).
fn turned(random: &mut Random) -> Quat {
    loop {
        let [a, b, c, d] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let length_squared = a * a + b * b + c * c + d * d;
        if (0.01..=1.0).contains(&length_squared) {
            return Quat::from_xyzw(a, b, c, d).normalize();
        }
    }
}
