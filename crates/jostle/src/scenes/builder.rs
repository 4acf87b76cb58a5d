//! What scenes are put together from: bodies with the next id, walls, lattices, orientations.
//!
//! No function of a platform's mathematical library is used: a scene is the same bits everywhere.

use std::sync::Arc;

use glam::{Quat, Vec3};
use jostle_broad::scene::Random;

use super::{Drive, Scene};
use crate::{Body, BodyId, Command, Material, Shape, ShapeError, WorldSettings};

/// Sixty frames a second.
pub(super) const DT: f32 = 1.0 / 60.0;

/// A scene in the making.
pub(super) struct Builder {
    pub(super) settings: WorldSettings,
    pub(super) random: Random,
    bodies: Vec<(BodyId, Arc<Body>)>,
    drive: Drive,
}

impl Builder {
    /// Scenes of the same seed differ by their names.
    pub(super) fn new(name: &str, seed: u64) -> Self {
        let mixed = name.bytes().fold(seed, |mixed, byte| mixed.rotate_left(8) ^ u64::from(byte));
        Self {
            settings: WorldSettings::default(),
            random: Random::new(mixed),
            bodies: Vec::new(),
            drive: Box::new(|_| Vec::new()),
        }
    }

    /// Puts a body in under the next id.
    pub(super) fn add(&mut self, body: Body) -> BodyId {
        let id = BodyId(u32::try_from(self.bodies.len()).expect("fewer bodies than there are ids"));
        self.bodies.push((id, Arc::new(body)));
        id
    }

    /// Everything below a height is ground.
    pub(super) fn ground(&mut self, material: Material) {
        self.add(Body::fixed(solid(Shape::half_space(Vec3::Y))).material(material));
    }

    /// A box that never moves.
    pub(super) fn block(&mut self, center: Vec3, half: Vec3, material: Material) {
        self.add(furniture(Body::fixed(cuboid(half))).at(center).material(material));
    }

    /// Four walls around a floor of this half width, from y = 0 upwards.
    pub(super) fn walls(&mut self, inner: f32, height: f32, material: Material) {
        const THICK: f32 = 2.0;
        for (axis, sign) in [(Vec3::X, 1.0), (Vec3::X, -1.0), (Vec3::Z, 1.0), (Vec3::Z, -1.0)] {
            let along = Vec3::ONE - Vec3::Y - axis;
            let half = axis * THICK + Vec3::Y * height * 0.5 + along * (inner + 2.0 * THICK);
            self.block(axis * sign * (inner + THICK) + Vec3::Y * height * 0.5, half, material);
        }
    }

    /// What is commanded on the way.
    pub(super) fn drive(&mut self, drive: impl Fn(u64) -> Vec<(BodyId, Command)> + Send + Sync + 'static) {
        self.drive = Box::new(drive);
    }

    /// An orientation, all equally likely: a direction in four dimensions.
    pub(super) fn rotation(&mut self) -> Quat {
        loop {
            let [x, y, z, w] = std::array::from_fn(|_| self.random.between(-1.0, 1.0));
            let length_squared: f32 = x * x + y * y + z * z + w * w;
            if (0.01..=1.0).contains(&length_squared) {
                return Quat::from_xyzw(x, y, z, w).normalize();
            }
        }
    }

    /// A point of a cube of this half width around the origin.
    pub(super) fn offset(&mut self, half: f32) -> Vec3 {
        (self.random.vector() - 0.5) * (2.0 * half)
    }

    pub(super) fn finish(self, name: &'static str, description: &'static str) -> Scene {
        let Self { settings, bodies, drive, .. } = self;
        Scene { name, description, settings, bodies, dt: DT, drive }
    }
}

/// A body that meets those that move, and no other furniture: walls and slabs run into each other at their edges.
pub(super) fn furniture(body: Body) -> Body {
    const FURNITURE: u32 = 1 << 31;
    body.groups(FURNITURE, !FURNITURE)
}

/// The place with this index in layers of `side` times `side` places one unit apart, around the y axis, from y = 0 up.
pub(super) fn place(index: usize, side: usize) -> Vec3 {
    let middle = 0.5 * (side - 1) as f32;
    let (layer, row, column) = (index / (side * side), index / side % side, index % side);
    Vec3::new(column as f32 - middle, layer as f32, row as f32 - middle)
}

/// The side of the square on which `n` bodies lie in about `layers` layers; fewer bodies make a cube. The density is the
/// same for all numbers from `layers` to the third power on.
pub(super) fn side_of_layers(n: usize, layers: usize) -> usize {
    if n < layers * layers * layers { side_of_cube(n) } else { side_of_square(n.div_ceil(layers)) }
}

/// The smallest side of a square of at least `n` places; at least 1.
pub(super) fn side_of_square(n: usize) -> usize {
    (1..).find(|side| side * side >= n).expect("a number that has no end")
}

/// The smallest side of a cube of at least `n` places; at least 1.
pub(super) fn side_of_cube(n: usize) -> usize {
    (1..).find(|side| side * side * side >= n).expect("a number that has no end")
}

/// A box of half extents that are above 0.
pub(super) fn cuboid(half: Vec3) -> Shape {
    solid(Shape::cuboid(half))
}

/// A ball of a radius above 0.
pub(super) fn ball(radius: f32) -> Shape {
    solid(Shape::ball(radius))
}

/// A shape with measures written in a scene, which are right.
pub(super) fn solid<T>(shape: Result<T, ShapeError>) -> T {
    shape.expect("the measures of scenes are finite and above 0")
}
