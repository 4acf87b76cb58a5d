//! Shapes at poses, asked through parry. Everything in and out is in world coordinates and of our own types.
//!
//! Invariant: poses are finite with rotations of length 1. What is farther apart or larger than
//! [`QueryError::FARTHEST`] is refused here, in one place: parry stops the program over numbers that overflow.

use glam::{DVec3, Vec3};
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::query::{ClosestPoints, Contact, ShapeCastHit, ShapeCastOptions};

use super::{Distance, Impact, Penetration, QueryError, dispatch};
use crate::{Geometry, Pose, Shape};

/// How often a depth is looked at again, and when it is right: what is left, as a part of it.
const MOST_PUSHES: usize = 4;
const TOUCHING: f32 = 1e-3;

/// A shape at a pose.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) shape: &'a Shape,
    pub(super) pose: Pose,
}

impl Placed<'_> {
    pub(super) fn overlaps(&self, other: &Self) -> Result<bool, QueryError> {
        let pose12 = self.relative(other)?;
        dispatch::intersects(&pose12, &**self.shape.parry(), &**other.shape.parry())
            .map_err(|_| self.unsupported("overlap", other))
    }

    pub(super) fn distance(&self, other: &Self) -> Result<Distance, QueryError> {
        let pose12 = self.relative(other)?;
        let found = dispatch::closest_points(&pose12, &**self.shape.parry(), &**other.shape.parry())
            .map_err(|_| self.unsupported("distance", other))?;
        match found {
            ClosestPoints::Intersecting => Ok(Distance { distance: 0.0, points: None }),
            ClosestPoints::WithinMargin(a, b) => {
                let distance = (a - pose12 * b).length();
                let points = [self.pose.transform(from_parry(a)), other.pose.transform(from_parry(b))];
                Ok(Distance { distance, points: Some(points) })
            }
            ClosestPoints::Disjoint => Err(self.unsupported("distance", other)),
        }
    }

    pub(super) fn penetration(&self, other: &Self) -> Result<Option<Penetration>, QueryError> {
        let Some(mut found) = self.deepest_contact(other)? else { return Ok(None) };
        let is_convex = |placed: &Self| placed.shape.parry().as_support_map().is_some();
        if !(is_convex(self) && is_convex(other)) {
            return Ok(Some(found));
        }
        // The iteration that finds the depth ends too early at times, and then says too little: go on from there until
        // they only touch.
        for _ in 0..MOST_PUSHES {
            let push = found.normal * found.depth;
            let moved = Placed { pose: Pose { position: self.pose.position + push, ..self.pose }, ..*self };
            let Some(rest) = moved.deepest_contact(other)?.filter(|rest| rest.depth > TOUCHING * found.depth)
            else {
                break;
            };
            let push = push + rest.normal * rest.depth;
            found.depth = push.length();
            found.normal = push.normalize_or(found.normal);
            found.points[1] = found.points[0] + push;
        }
        Ok(Some(found))
    }

    fn deepest_contact(&self, other: &Self) -> Result<Option<Penetration>, QueryError> {
        let pose12 = self.relative(other)?;
        let found = dispatch::deepest_contact(&pose12, &**self.shape.parry(), &**other.shape.parry())
            .map_err(|_| self.unsupported("penetration depth", other))?;
        Ok(found.map(|contact: Contact| Penetration {
            depth: (-contact.dist).max(0.0),
            normal: -(self.pose.rotation * from_parry(contact.normal1)),
            points: [
                self.pose.transform(from_parry(contact.point1)),
                other.pose.transform(from_parry(contact.point2)),
            ],
        }))
    }

    /// When this shape, moving with a velocity relative to the other, first touches it. Points are where they are in
    /// the two shapes as placed now.
    pub(super) fn cast(
        &self,
        velocity: Vec3,
        other: &Self,
        max_time: f32,
    ) -> Result<Option<Impact>, QueryError> {
        const QUERY: &str = "time of impact";
        let pose12 = self.relative(other)?;
        if velocity == Vec3::ZERO {
            // Nothing comes nearer: they touch now or never.
            return Ok(if self.overlaps(other)? { self.impact_now(other)? } else { None });
        }
        let (direction, scale) = scaled(velocity);
        let options = ShapeCastOptions {
            max_time_of_impact: (f64::from(max_time) * scale).min(f64::from(f32::MAX)) as f32,
            ..ShapeCastOptions::default()
        };
        let turned = to_parry(self.pose.rotation.conjugate() * -direction);
        let (a, b) = (&**self.shape.parry(), &**other.shape.parry());
        let found: Option<ShapeCastHit> =
            dispatch::cast(&pose12, turned, a, b, options).map_err(|_| self.unsupported(QUERY, other))?;
        Ok(found.map(|hit| Impact {
            time: unsigned((f64::from(hit.time_of_impact) / scale) as f32),
            normal: -(self.pose.rotation * from_parry(hit.normal1)),
            points: [
                self.pose.transform(from_parry(hit.witness1)),
                other.pose.transform(from_parry(hit.witness2)),
            ],
        }))
    }

    fn impact_now(&self, other: &Self) -> Result<Option<Impact>, QueryError> {
        let Penetration { normal, points, .. } = match self.penetration(other)? {
            Some(found) => found,
            // They touch, and rounding took it for a gap.
            None => return Ok(None),
        };
        Ok(Some(Impact { time: 0.0, normal, points }))
    }

    /// Where a ray enters: the distance in lengths of the direction, and the normal of the surface (zero if it begins
    /// inside).
    pub(super) fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f32,
    ) -> Result<Option<(f32, Vec3)>, QueryError> {
        self.check_reach(origin, "the ray")?;
        let (direction, scale) = scaled(direction);
        let ray = parry3d::query::Ray::new(to_parry(origin), to_parry(direction));
        let most = (f64::from(max_distance) * scale).min(f64::from(f32::MAX)) as f32;
        let hit = dispatch::cast_ray(&pose_to_parry(&self.pose), &**self.shape.parry(), &ray, most);
        Ok(hit.filter(|hit| hit.time_of_impact.is_finite()).map(|hit| {
            let distance = unsigned((f64::from(hit.time_of_impact) / scale) as f32);
            let normal = from_parry(hit.normal).normalize_or_zero();
            (distance, if distance > 0.0 { normal } else { Vec3::ZERO })
        }))
    }

    /// The point of the shape closest to a point: the point itself if it is inside.
    pub(super) fn closest_to(&self, point: Vec3) -> Result<Vec3, QueryError> {
        self.check_reach(point, "the point")?;
        let pose = pose_to_parry(&self.pose);
        let found = self.shape.parry().project_point(&pose, to_parry(point), true);
        Ok(if found.is_inside { point } else { from_parry(found.point) })
    }

    pub(super) fn contains(&self, point: Vec3) -> Result<bool, QueryError> {
        self.check_reach(point, "the point")?;
        Ok(self.shape.parry().contains_point(&pose_to_parry(&self.pose), to_parry(point)))
    }

    /// Refuses two shapes too far apart or too large.
    pub(super) fn check_reach_of(&self, other: &Self) -> Result<(), QueryError> {
        self.relative(other).map(|_| ())
    }

    fn relative(&self, other: &Self) -> Result<ParryPose, QueryError> {
        let apart = other.pose.position - self.pose.position;
        let is_fine = self.is_unbounded()
            || other.is_unbounded()
            || (in_reach(apart) && self.is_in_size() && other.is_in_size());
        if !is_fine {
            return Err(QueryError::TooFar { first: self.describe(), second: other.describe() });
        }
        Ok(pose_to_parry(&self.pose).inv_mul(&pose_to_parry(&other.pose)))
    }

    fn check_reach(&self, point: Vec3, what: &str) -> Result<(), QueryError> {
        let fine = self.is_unbounded() || (in_reach(point - self.pose.position) && self.is_in_size());
        let too_far = || QueryError::TooFar { first: format!("{what} at {point}"), second: self.describe() };
        if fine { Ok(()) } else { Err(too_far()) }
    }

    fn is_unbounded(&self) -> bool {
        matches!(self.shape.geometry(), Geometry::HalfSpace(_))
    }

    fn is_in_size(&self) -> bool {
        self.shape.radius() <= QueryError::FARTHEST
    }

    fn describe(&self) -> String {
        format!("{:?} at {}", self.shape, self.pose.position)
    }

    fn unsupported(&self, query: &'static str, other: &Self) -> QueryError {
        QueryError::unsupported(query, self.shape, other.shape)
    }
}

/// The largest dot product of a direction with a point of the shape, in the shape's frame; `None` for shapes that know
/// no such thing cheaper than their box.
pub(crate) fn reach(shape: &Shape, direction: Vec3) -> Option<f32> {
    let along = |point: Vector| from_parry(point).dot(direction);
    if let Some(mesh) = shape.parry().as_trimesh() {
        return mesh.vertices().iter().map(|&vertex| along(vertex)).reduce(f32::max);
    }
    let support = shape.parry().as_support_map()?;
    Some(along(support.local_support_point(to_parry(direction))))
}

/// The corners of a hull or a mesh, in its frame; none for other shapes.
pub(crate) fn corners(shape: &Shape) -> Vec<Vec3> {
    let hull = shape.parry().as_convex_polyhedron().map(|hull| hull.points());
    let mesh = shape.parry().as_trimesh().map(|mesh| mesh.vertices());
    hull.or(mesh).unwrap_or_default().iter().map(|&corner| from_parry(corner)).collect()
}

fn in_reach(apart: Vec3) -> bool {
    apart.abs().max_element() <= QueryError::FARTHEST
}

/// A vector as one with a largest coordinate from 1 to 2, and a power of two to multiply it with: exact. Algorithms
/// with absolute tolerances take a short direction for none.
fn scaled(vector: Vec3) -> (Vec3, f64) {
    let wide: DVec3 = vector.as_dvec3();
    let largest = wide.abs().max_element();
    // No f32 is subnormal as an f64: the exponent bits alone are a power of two.
    let scale = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000);
    ((wide / scale).as_vec3(), scale)
}

/// Without a sign: a time of -0 is 0, and comes in the same place in all orders.
fn unsigned(time: f32) -> f32 {
    if time > 0.0 { time } else { 0.0 }
}

fn to_parry(vector: Vec3) -> Vector {
    vector.to_array().into()
}

fn from_parry(vector: Vector) -> Vec3 {
    Vec3::from_array(vector.to_array())
}

fn pose_to_parry(pose: &Pose) -> ParryPose {
    let [x, y, z, w] = pose.rotation.to_array();
    ParryPose::from_parts(to_parry(pose.position), Rotation::from_xyzw(x, y, z, w))
}
