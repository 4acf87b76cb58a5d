//! The shapes of few numbers.

use glam::Vec3;
use parry3d::shape::SharedShape;

use super::error::check_measure;
use super::{Geometry, Shape, ShapeError};

impl Shape {
    /// A ball.
    pub fn ball(radius: f32) -> Result<Self, ShapeError> {
        check_measure("radius", radius)?;
        Ok(Self::plain(Geometry::Ball(radius), SharedShape::ball(radius), radius))
    }

    /// A box of half extents.
    pub fn cuboid(half: Vec3) -> Result<Self, ShapeError> {
        check_measure("half extent x", half.x)?;
        check_measure("half extent y", half.y)?;
        check_measure("half extent z", half.z)?;
        Ok(Self::plain(Geometry::Cuboid(half), SharedShape::cuboid(half.x, half.y, half.z), half.length()))
    }

    /// A capsule along y: everything within `radius` of a segment that ends `half_height` above and below the middle.
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        check_round(half_height, radius)?;
        let geometry = Geometry::Capsule { half_height, radius };
        Ok(Self::plain(geometry, SharedShape::capsule_y(half_height, radius), half_height + radius))
    }

    /// A cylinder along y.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        check_round(half_height, radius)?;
        let geometry = Geometry::Cylinder { half_height, radius };
        Ok(Self::plain(geometry, SharedShape::cylinder(half_height, radius), corner(half_height, radius)))
    }

    /// A cone along y: its tip `half_height` above the middle, its base as much below. The centre of mass is not in
    /// the middle but half-way from there to the base.
    pub fn cone(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        check_round(half_height, radius)?;
        let geometry = Geometry::Cone { half_height, radius };
        Ok(Self::plain(geometry, SharedShape::cone(half_height, radius), corner(half_height, radius)))
    }

    /// Everything below a plane through the origin. For fixed bodies.
    pub fn half_space(normal: Vec3) -> Result<Self, ShapeError> {
        let unit = normal.try_normalize().ok_or(ShapeError::BadNormal { normal })?;
        Ok(Self::half_space_of_unit(unit))
    }

    /// With a normal of length 1, whose bits are kept: normalizing a second time could change them.
    pub(super) fn half_space_of_unit(unit: Vec3) -> Self {
        let parry = SharedShape::halfspace(unit.to_array().into());
        Self::plain(Geometry::HalfSpace(unit), parry, f32::INFINITY)
    }
}

fn check_round(half_height: f32, radius: f32) -> Result<(), ShapeError> {
    check_measure("half height", half_height)?;
    check_measure("radius", radius)
}

/// The distance of the rim of a cylinder or a cone from its middle.
fn corner(half_height: f32, radius: f32) -> f32 {
    (half_height * half_height + radius * radius).sqrt()
}
