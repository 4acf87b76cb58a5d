//! The box around a shape at a pose.

use glam::{Mat3, Vec3};
use jostle_broad::Aabb;

use super::{Geometry, Shape};
use crate::Pose;

impl Geometry {
    /// Is it a ball or a box?
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self, Self::Ball(_) | Self::Cuboid(_))
    }

    /// The box around it at a pose if it is a ball or a box.
    #[inline]
    pub(crate) fn solid_aabb(&self, pose: &Pose) -> Option<Aabb> {
        match *self {
            Self::Ball(radius) => Some(Aabb::from_center(pose.position, Vec3::splat(radius))),
            Self::Cuboid(half) => {
                Some(Aabb::from_center(pose.position, Mat3::from_quat(pose.rotation).abs() * half))
            }
            _ => None,
        }
    }
}

impl Shape {
    /// The box around it at a pose: the smallest one, to within rounding. Only of a turned triangle mesh or height
    /// field, which may have millions of points, is it the box around the turned box.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        if let Some(aabb) = self.geometry.solid_aabb(pose) {
            return aabb;
        }
        match self.geometry {
            Geometry::Ball(_) | Geometry::Cuboid(_) => unreachable!("they are solids"),
            Geometry::Capsule { half_height, radius } => {
                let axis = up(pose);
                Aabb::from_center(pose.position, axis.abs() * half_height + Vec3::splat(radius))
            }
            Geometry::Cylinder { half_height, radius } => {
                let axis = up(pose);
                Aabb::from_center(pose.position, axis.abs() * half_height + disc(axis) * radius)
            }
            Geometry::Cone { half_height, radius } => {
                let axis = up(pose);
                let (tip, rim) = (axis * half_height, disc(axis) * radius);
                Aabb::new(pose.position + tip.min(-tip - rim), pose.position + tip.max(-tip + rim))
            }
            Geometry::ConvexHull => self.hull_aabb(pose),
            Geometry::TriangleMesh | Geometry::HeightField => {
                let bounds = self.general.as_deref().map_or(Aabb::EVERYWHERE, |general| general.bounds);
                let (center, half) = ((bounds.min + bounds.max) * 0.5, (bounds.max - bounds.min) * 0.5);
                Aabb::from_center(pose.transform(center), Mat3::from_quat(pose.rotation).abs() * half)
            }
            Geometry::HalfSpace(normal) => half_space_aabb(pose, normal),
        }
    }

    fn hull_aabb(&self, pose: &Pose) -> Aabb {
        let turn = Mat3::from_quat(pose.rotation);
        let corners = self.parry.as_convex_polyhedron().map_or(&[][..], |hull| hull.points());
        let mut aabb = Aabb::EMPTY;
        for corner in corners {
            let turned = turn * Vec3::from_array(corner.to_array());
            aabb.min = aabb.min.min(turned);
            aabb.max = aabb.max.max(turned);
        }
        Aabb::new(aabb.min + pose.position, aabb.max + pose.position)
    }
}

/// The box around points.
pub(super) fn bounds_of(points: &[Vec3]) -> Aabb {
    let mut aabb = Aabb::EMPTY;
    for &point in points {
        aabb.min = aabb.min.min(point);
        aabb.max = aabb.max.max(point);
    }
    aabb
}

/// The distance of the farthest of some points from the origin.
pub(super) fn farthest(points: &[Vec3]) -> f32 {
    points.iter().fold(0.0, |most: f32, point| most.max(point.length()))
}

/// Where the axis of a capsule, cylinder or cone points.
fn up(pose: &Pose) -> Vec3 {
    pose.rotation * Vec3::Y
}

/// How far a disc of radius 1 square to an axis reaches along x, y and z.
fn disc(axis: Vec3) -> Vec3 {
    // Of a unit vector 1 - x^2 is y^2 + z^2, and that sum loses no digits where x is near 1.
    let square = axis * axis;
    Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y).map(f32::sqrt)
}

/// The box around a half-space: unbounded, except where the plane is square to an axis.
fn half_space_aabb(pose: &Pose, normal: Vec3) -> Aabb {
    let normal = pose.rotation * normal;
    let mut aabb = Aabb::EVERYWHERE;
    for axis in 0..3 {
        let mut along = Vec3::ZERO;
        along[axis] = 1.0;
        if normal == along {
            aabb.max[axis] = pose.position[axis];
        } else if normal == -along {
            aabb.min[axis] = pose.position[axis];
        }
    }
    aabb
}
