//! Where a body is, and how it moves.

use glam::{Quat, Vec3};

/// A position and an orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position in metres.
    pub position: Vec3,
    /// Orientation; of length 1.
    pub rotation: Quat,
}

/// A linear and an angular velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Metres a second.
    pub linear: Vec3,
    /// Radians a second, about each world axis.
    pub angular: Vec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// A pose of a position and an orientation.
    pub fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }

    /// At a position, not turned.
    pub fn at(position: Vec3) -> Self {
        Self { position, rotation: Quat::IDENTITY }
    }

    /// A point of this frame, in the frame around it.
    #[inline]
    pub fn transform(&self, point: Vec3) -> Vec3 {
        self.position + self.rotation * point
    }

    /// A point of the frame around, in this frame.
    #[inline]
    pub fn inverse_transform(&self, point: Vec3) -> Vec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    /// The pose of a part at `local` in this frame.
    #[inline]
    pub fn then(&self, local: &Self) -> Self {
        Self { position: self.transform(local.position), rotation: self.rotation * local.rotation }
    }

    /// Are all numbers finite?
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl Velocity {
    /// Not moving.
    pub const ZERO: Self = Self { linear: Vec3::ZERO, angular: Vec3::ZERO };

    /// Are all numbers finite?
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}
