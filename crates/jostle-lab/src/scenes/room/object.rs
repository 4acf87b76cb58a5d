//! What is drawn of an object of the Room: its type, extents, mass and motion.

use std::fmt;

use jostle_broad::glam::Vec3;

use super::Room;
use crate::scenes::draw::Draws;

/// What objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectType {
    Spheres,
    Cuboids,
    Cylinders,
    Cones,
    /// A concave body of 22 convex pieces.
    Bunnies,
    /// A concave body of 25 convex pieces.
    Armadillos,
    /// Each object any of the six above, all equally likely.
    Uniform,
}

impl ObjectType {
    /// The six that an object can be.
    pub(crate) const SOLID: [Self; 6] =
        [Self::Spheres, Self::Cuboids, Self::Cylinders, Self::Cones, Self::Bunnies, Self::Armadillos];
}

/// An object at its start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// One of [`ObjectType::SOLID`].
    pub(crate) kind: ObjectType,
    /// Metres along each axis.
    pub(crate) extents: Vec3,
    pub(crate) mass: f32,
    pub(crate) linear_velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
    /// Its middle.
    pub(crate) position: Vec3,
}

impl Object {
    /// Draws everything but the place. As many numbers are drawn for each of the solid types, so that objects of different
    /// types have the same sizes and motions; a type by chance takes one number more, drawn first.
    pub(super) fn draw(room: &Room, draws: &mut Draws) -> Self {
        let kind = match room.kind {
            ObjectType::Uniform => ObjectType::SOLID[draws.below(ObjectType::SOLID.len())],
            kind => kind,
        };
        let size = std::array::from_fn(|_| room.size.draw_positive(draws)[0]);
        let aspect = room.aspect.draw_positive(draws);
        let [mass] = room.mass.draw_positive(draws);
        Self {
            kind,
            extents: extents(kind, size, aspect),
            mass: mass as f32,
            linear_velocity: room.linear_velocity.draw_vector(draws),
            angular_velocity: room.angular_velocity.draw_vector(draws),
            position: Vec3::ZERO,
        }
    }
}

/// Size times aspect ratio. A sphere is as wide as its first size and has no ratio, a cone as wide and deep as its first
/// size and has a ratio of height only.
fn extents(kind: ObjectType, [x, y, z]: [f64; 3], [ratio_y, ratio_z]: [f64; 2]) -> Vec3 {
    let [x, y, z] = match kind {
        ObjectType::Spheres => [x, x, x],
        ObjectType::Cones => [x, y * ratio_y, x],
        _ => [x, y * ratio_y, z * ratio_z],
    };
    Vec3::new(x as f32, y as f32, z as f32)
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vec3 { x, y, z } = self.extents;
        write!(f, "{x} x {y} x {z} m of {:?}", self.kind)
    }
}
