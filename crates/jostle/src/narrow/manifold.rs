//! What the narrow phase says of a pair: where it touches, and how deep.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// The most points a manifold keeps.
pub const MOST_POINTS: usize = 4;

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactPoint {
    /// The middle between the two surfaces, in world coordinates. The point on the first body is this plus half of
    /// `separation` times the normal, the one on the second body is this minus it.
    pub position: Vec3,
    /// The distance of the surfaces along the normal; negative where they overlap.
    pub separation: f32,
    /// Which features of the two shapes meet: what makes this the same point in the next frame. Different for all points
    /// of a manifold.
    pub feature: u32,
}

/// Where two convex pieces touch, or are about to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Manifold {
    /// Of length 1, from the second body to the first, in world coordinates.
    pub normal: Vec3,
    /// How many of `points` count; 0 for none.
    pub count: u32,
    /// The points, `count` of them.
    pub points: [ContactPoint; MOST_POINTS],
}

impl Manifold {
    /// As numbers: three of the normal, the count, and five for each of four points.
    pub(crate) const NUMBERS: usize = 4 + 5 * MOST_POINTS;

    /// No contact.
    pub const NONE: Self = Self {
        normal: Vec3::ZERO,
        count: 0,
        points: [ContactPoint { position: Vec3::ZERO, separation: 0.0, feature: 0 }; MOST_POINTS],
    };

    /// The points that count.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count as usize]
    }

    /// The same contact seen from the other body.
    pub fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        self
    }
}
