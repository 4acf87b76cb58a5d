//! `drum`: a drum of kinematic slabs turns and tumbles what is in it.
//!
//! Each slab moves along the chord that a frame cuts off its circle, so that it is on the circle at the end of each.

use glam::{Quat, Vec3};

use super::Scene;
use super::builder::{Builder, DT, ball, cuboid, furniture};
use crate::{Body, BodyId, Command, Material, Pose, Velocity};

pub(super) const DRUM: &str = "a turning drum tumbles small balls and boxes";

/// Slabs around the drum.
const SLABS: u32 = 24;
/// Radians a second.
const SPEED: f32 = 0.8;
const THICK: f32 = 1.0;
/// From middle to middle of bodies at the start, and the farthest one reaches from its middle.
const SPACING: f32 = 1.1;
const REACH: f32 = 0.5;
const PI: f64 = std::f64::consts::PI;

pub(super) fn drum(bodies: usize, seed: u64) -> Scene {
    let mut scene = Builder::new("drum", seed);
    scene.settings.sleep.enabled = false;
    let material = Material::default().with_friction(0.8);
    let (radius, places) = fitting(bodies);
    let length = 2.0 * radius;
    for side in [-1.0, 1.0] {
        let half = Vec3::new(radius + THICK, radius + THICK, 0.5 * THICK);
        let lid = Material::default().with_friction(0.0);
        scene.block(Vec3::Z * (side * 0.5 * (length + THICK)), half, lid);
    }
    // Slabs overlap at their edges: half a slab is as wide as the drum's circle around their outer sides demands.
    let step = Turn::of(PI / f64::from(SLABS));
    let width = (f64::from(radius + THICK) * step.sin / step.cos) as f32;
    let slab = cuboid(Vec3::new(width, 0.5 * THICK, 0.5 * length));
    let slabs: Vec<Slab> = (0..SLABS)
        .map(|index| {
            let at = Slab::at(radius, index, 0);
            let body = furniture(Body::kinematic(slab.clone())).material(material);
            let body = body.at(at.position).rotated(at.rotation);
            Slab { id: scene.add(body), radius, index }
        })
        .collect();
    let shapes = [ball(0.5), cuboid(Vec3::new(0.25, 0.2, 0.3)), cuboid(Vec3::splat(0.28))];
    for place in places.into_iter().take(bodies) {
        let shape = shapes[scene.random.below(shapes.len())].clone();
        let rotation = scene.rotation();
        let center = place + scene.offset(0.04);
        scene.add(Body::dynamic(shape).at(center).rotated(rotation).material(material));
    }
    scene.drive(move |frame| slabs.iter().map(|slab| (slab.id, slab.velocity(frame))).collect());
    scene.finish("drum", DRUM)
}

/// The inner radius of a drum, twice as long, that has room for about twice as many bodies; its places from below.
fn fitting(bodies: usize) -> (f32, Vec<Vec3>) {
    let mut cells = 3;
    loop {
        let radius = cells as f32 * SPACING;
        let free = radius - REACH - 0.1;
        let mut places = Vec::new();
        for (y, z, x) in lattice(cells).filter(|(y, z, x)| {
            let (x, y, z) = (*x as f32 * SPACING, *y as f32 * SPACING, *z as f32 * SPACING);
            x * x + y * y <= free * free && z.abs() <= free
        }) {
            places.push(Vec3::new(x as f32, y as f32, z as f32) * SPACING);
        }
        if places.len() >= 2 * bodies {
            return (radius, places);
        }
        cells += 1;
    }
}

/// All cells of a cube around the origin, ascending.
fn lattice(cells: i32) -> impl Iterator<Item = (i32, i32, i32)> {
    let range = -cells..=cells;
    let (ys, zs, xs) = (range.clone(), range.clone(), range);
    ys.flat_map(move |y| {
        let xs = xs.clone();
        zs.clone().flat_map(move |z| xs.clone().map(move |x| (y, z, x)))
    })
}

/// One slab of the drum.
#[derive(Clone, Copy, Debug)]
struct Slab {
    id: BodyId,
    radius: f32,
    index: u32,
}

impl Slab {
    /// Where a slab is at the start of a frame.
    fn at(radius: f32, index: u32, frame: u64) -> Pose {
        // A quaternion holds half the angle.
        let half = Turn::of(PI / f64::from(SLABS)).times(index.into());
        let half = half.then(Turn::of(0.5 * f64::from(SPEED) * f64::from(DT)).times(frame));
        let whole = half.then(half);
        let distance = f64::from(radius + 0.5 * THICK);
        // At angle 0 a slab is at the bottom.
        let position = Vec3::new((whole.sin * distance) as f32, (-whole.cos * distance) as f32, 0.0);
        Pose::new(position, Quat::from_xyzw(0.0, 0.0, half.sin as f32, half.cos as f32))
    }

    fn velocity(&self, frame: u64) -> Command {
        let [from, to] = [frame, frame + 1].map(|frame| Self::at(self.radius, self.index, frame).position);
        Command::SetVelocity(Velocity { linear: (to - from) / DT, angular: Vec3::Z * SPEED })
    }
}

/// A turn by an angle, as its cosine and sine. They come from sums and products only, which are the same everywhere.
#[derive(Clone, Copy, Debug)]
struct Turn {
    cos: f64,
    sin: f64,
}

impl Turn {
    /// By an angle of at most one radian: the series ends below the precision of the numbers.
    fn of(angle: f64) -> Self {
        let (mut cos, mut sin, mut term) = (0.0, 0.0, 1.0);
        for power in 0..20 {
            match power % 4 {
                0 => cos += term,
                1 => sin += term,
                2 => cos -= term,
                _ => sin -= term,
            }
            term *= angle / f64::from(power + 1);
        }
        Self { cos, sin }
    }

    /// One turn after the other.
    fn then(self, other: Self) -> Self {
        Self {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
        }
    }

    /// The turn many times over, by repeated doubling.
    fn times(self, mut count: u64) -> Self {
        let (mut result, mut power) = (Self { cos: 1.0, sin: 0.0 }, self);
        while count > 0 {
            if count & 1 == 1 {
                result = result.then(power);
            }
            power = power.then(power);
            count >>= 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_sines_and_cosines() {
        for (angle, count) in [(0.1_f64, 7), (PI / 24.0, 23), (0.0133, 100_000), (1.0, 1), (0.5, 0)] {
            let turn = Turn::of(angle).times(count);
            let (sin, cos) = (angle * count as f64).sin_cos();
            assert!((turn.sin - sin).abs() < 1e-9 && (turn.cos - cos).abs() < 1e-9, "{angle} {count}");
        }
    }

    #[test]
    fn slabs_stay_on_their_circle() {
        let scene = drum(50, 1);
        let mut world = scene.build(&crate::Execution::default()).unwrap();
        for _ in 0..120 {
            scene.step(&mut world).unwrap();
        }
        let (radius, _) = fitting(50);
        for index in 0..SLABS {
            let (expected, is) = (Slab::at(radius, index, 120), world.pose(BodyId(2 + index)).unwrap());
            assert!((expected.position - is.position).length() < 1e-3, "{expected:?} {is:?}");
            assert!(expected.rotation.dot(is.rotation).abs() > 0.99999, "{expected:?} {is:?}");
        }
    }
}
