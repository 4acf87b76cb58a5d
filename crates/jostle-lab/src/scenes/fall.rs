//! Boxes that fall in a world: Broadmark's free fall and gravity, and the falling cubes of source `004`.
//!
//! In: a [`Fall`]. Out: a scene of a world, the same bits everywhere.

use anyhow::{Context, Result};
use jostle::scenes::{Drive, Scene};
use jostle::{Body, BodyId, Command, Shape, WorldSettings};
use jostle_broad::Aabb;
use jostle_broad::glam::Vec3;

use super::draw::{Distribution, Draws};
use super::place::place_freely;

pub(crate) const FALL: &str = "boxes put down at random fall, and pile up";

/// How thick walls are, as a share of the side of the world.
const WALL: f32 = 0.1;
/// Frames a second.
const RATE: f64 = 60.0;
/// The plane in which the pull turns turns itself, as much slower than the pull.
const SLOWER: f64 = 1.618_033_988_749_895;

/// Boxes that fall.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fall {
    pub(crate) objects: usize,
    pub(crate) frames: u32,
    pub(crate) seed: u64,
    /// Metres along each axis.
    pub(crate) size: Distribution<1>,
    /// Cubes: all sides are the first drawn.
    pub(crate) cubes: bool,
    /// The share of the world that boxes fill at the start.
    pub(crate) fill: f64,
    /// How often a place is drawn for a box before the world counts as full.
    pub(crate) tries: u32,
    /// Six walls around the world, or only a ground without end.
    pub(crate) walls: bool,
    /// Metres per second squared.
    pub(crate) gravity: f64,
    /// Seconds until the pull has turned once; 0: it points down for ever.
    pub(crate) turn: f64,
    /// The greatest speed at the start, in metres a second.
    pub(crate) speed: f64,
}

impl Default for Fall {
    fn default() -> Self {
        Self {
            objects: 1000,
            frames: 300,
            seed: 1,
            size: Distribution::constant(1.0),
            cubes: true,
            fill: 0.1,
            tries: 100_000,
            walls: true,
            gravity: 9.81,
            turn: 0.0,
            speed: 0.0,
        }
    }
}

impl Fall {
    /// Ground and walls first, then the boxes, all ready to step.
    pub(crate) fn scene(&self) -> Result<Scene> {
        let mut draws = Draws::new(self.seed);
        let halves: Vec<Vec3> = (0..self.objects).map(|_| self.half(&mut draws)).collect();
        let volume: f64 = halves.iter().map(|half| 8.0 * half.as_dvec3().element_product()).sum();
        // No box is longer than the world is wide, and a single one has room to be put down.
        let longest = halves.iter().fold(0.0f32, |longest, half| longest.max(half.max_element()));
        let side = (libm::cbrt(volume / self.fill) as f32).max(2.5 * longest);
        let inside = Aabb::new(Vec3::ZERO, Vec3::splat(side));
        let places = place_freely(&inside, self.tries, halves.iter().copied(), || draws.point() * side)?;

        let mut bodies = self.furniture(&inside)?;
        let first = bodies.len();
        let mut masses = Vec::with_capacity(self.objects);
        for (half, place) in halves.iter().zip(places) {
            let mass = 8.0 * half.element_product();
            let speed = draws.between(0.0, self.speed) as f32;
            let body =
                Body::dynamic(Shape::cuboid(*half).context("`size`: choose another")?).at(place).mass(mass);
            bodies.push(body.moving(draws.direction() * speed));
            masses.push(mass);
        }
        let down = Vec3::NEG_Y * self.gravity as f32;
        let gravity = if self.turn > 0.0 { Vec3::ZERO } else { down };
        let scene = Scene::new("fall", FALL, WorldSettings { gravity, ..WorldSettings::default() }, bodies);
        Ok(if self.turn > 0.0 { scene.driven(self.turning(first, masses)) } else { scene })
    }

    fn half(&self, draws: &mut Draws) -> Vec3 {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|_| self.size.draw_positive(draws)[0]);
        let sides = if self.cubes { [x, x, x] } else { [x, y, z] };
        Vec3::from_array(sides.map(|side| (0.5 * side) as f32))
    }

    fn furniture(&self, inside: &Aabb) -> Result<Vec<Body>> {
        if !self.walls {
            return Ok(vec![Body::fixed(Shape::half_space(Vec3::Y)?)]);
        }
        let (middle, half) = (inside.center(), 0.5 * inside.extents());
        let thick = half.x * 2.0 * WALL;
        let mut walls = Vec::with_capacity(6 + self.objects);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let slab = Shape::cuboid(axis * (0.5 * thick) + (Vec3::ONE - axis) * (half + thick))?;
            for sign in [-1.0, 1.0] {
                walls.push(Body::fixed(slab.clone()).at(middle + axis * sign * (half + 0.5 * thick)));
            }
        }
        Ok(walls)
    }

    /// Pulls every box as gravity would, into another direction each frame.
    fn turning(&self, first: usize, masses: Vec<f32>) -> Drive {
        let (strength, turn) = (self.gravity, self.turn);
        Box::new(move |frame| {
            let angle = std::f64::consts::TAU * frame as f64 / (RATE * turn);
            let (sin, cos) = libm::sincos(angle);
            let (side_sin, side_cos) = libm::sincos(angle / SLOWER);
            let pull = [sin * side_cos, -cos, sin * side_sin].map(|along| (strength * along) as f32);
            let pull = Vec3::from_array(pull);
            let ids = (first as u32..).map(BodyId);
            let force = |mass: &f32| Command::Force { force: pull * *mass, point: None };
            ids.zip(masses.iter().map(force)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle::Execution;

    #[test]
    fn boxes_begin_apart_and_stay_in_their_walls() {
        for turn in [0.0, 2.0] {
            let fall = Fall { objects: 60, turn, gravity: 40.0, speed: 5.0, ..Fall::default() };
            let scene = fall.scene().unwrap();
            assert_eq!(scene.bodies.len(), 66);
            let mut world = scene.build(&Execution::default()).unwrap();
            let mut contacts = 0;
            for _ in 0..90 {
                contacts += scene.step(&mut world).unwrap().manifolds;
            }
            assert!(contacts > 0);
            let side = libm::cbrt(600.0) as f32;
            for (id, _) in &scene.bodies[6..] {
                let at = world.pose(*id).unwrap().position;
                assert!(at.min_element() > -0.5 && at.max_element() < side + 0.5, "{id}: {at}");
            }
        }
    }

    #[test]
    fn a_turning_pull_is_as_strong_as_a_steady_one() {
        let fall = Fall { objects: 1, turn: 6.2, ..Fall::default() };
        let scene = fall.scene().unwrap();
        let pulls: Vec<Vec3> = (0..372)
            .map(|frame| match scene.commands(frame)[..] {
                [(BodyId(6), Command::Force { force, point: None })] => force,
                ref other => panic!("{other:?}"),
            })
            .collect();
        assert!((pulls[0] - Vec3::NEG_Y * 9.81).length() < 1e-4, "it begins downwards");
        assert!((pulls[186].y - 9.81).abs() < 1e-2, "and points up after half a turn: {}", pulls[186]);
        assert!(pulls.iter().all(|pull| (pull.length() - 9.81).abs() < 1e-3));
    }

    #[test]
    fn cubes_on_a_ground_without_end() {
        let scene = Fall { objects: 5, walls: false, ..Fall::default() }.scene().unwrap();
        assert_eq!(scene.bodies.len(), 6);
    }
}
