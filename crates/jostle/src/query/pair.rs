//! Two shapes, no world.

use glam::Vec3;

use super::QueryError;
use super::geometry::Placed;
use crate::narrow::Collider;
use crate::{Manifold, Pose, Shape};

/// How far apart two shapes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// In metres; 0 if they touch or overlap.
    pub distance: f32,
    /// The closest point of the first and of the second shape; nothing if they overlap.
    pub points: Option<[Vec3; 2]>,
}

/// How deep two shapes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// How far to move the first shape along `normal` until they only touch, in metres.
    pub depth: f32,
    /// Of length 1, from the second shape to the first.
    pub normal: Vec3,
    /// A deepest point of one shape in the other, and the point of that one's side above it: first shape, second shape.
    pub points: [Vec3; 2],
}

/// When and where two moving shapes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// After how many seconds; 0 if they overlap from the beginning.
    pub time: f32,
    /// Of length 1, from the second shape to the first.
    pub normal: Vec3,
    /// Where they touch, on the first and on the second shape, at that time.
    pub points: [Vec3; 2],
}

fn place<'a>(shapes: [(&'a Shape, &Pose); 2]) -> Result<[Placed<'a>; 2], QueryError> {
    let [(a, pose_a), (b, pose_b)] = shapes;
    Ok([
        Placed { shape: a, pose: QueryError::check_pose("pose of the first shape", pose_a)? },
        Placed { shape: b, pose: QueryError::check_pose("pose of the second shape", pose_b)? },
    ])
}

/// Do two shapes overlap or touch? Meshes and height fields are surfaces: what is wholly behind one does not overlap it.
///
/// ```
/// use jostle::query::overlap;
/// use jostle::{Pose, Shape, glam::Vec3};
///
/// let (ball, cube) = (Shape::ball(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// assert!(overlap(&ball, &Pose::IDENTITY, &cube, &Pose::at(Vec3::X * 1.9))?);
/// assert!(!overlap(&ball, &Pose::IDENTITY, &cube, &Pose::at(Vec3::X * 2.1))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<bool, QueryError> {
    let [a, b] = place([(a, pose_a), (b, pose_b)])?;
    a.overlaps(&b)
}

/// How far apart are two shapes, and where are they closest?
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Distance, QueryError> {
    let [a, b] = place([(a, pose_a), (b, pose_b)])?;
    a.distance(&b)
}

/// Where two shapes touch, or are within `prediction` metres of touching: a manifold per pair of their convex pieces, as
/// the world's own narrow phase finds them.
pub fn contact_manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: f32,
) -> Result<Vec<Manifold>, QueryError> {
    let [first, second] = place([(a, pose_a), (b, pose_b)])?;
    QueryError::check_not_negative("prediction", prediction)?;
    if !prediction.is_finite() {
        return Err(QueryError::NotFinite { what: "prediction", value: prediction.to_string() });
    }
    if !a.has_mass() && !b.has_mass() {
        // Only fixed bodies have such shapes: no narrow phase is for two of them.
        return Err(QueryError::unsupported("contact manifold", a, b));
    }
    first.check_reach_of(&second)?;
    let mut found = Vec::new();
    Collider::default().collide((a, &first.pose), (b, &second.pose), prediction, &mut found);
    Ok(found.into_iter().map(|piece| piece.manifold).collect())
}

/// How deep do two shapes overlap? Nothing if they do not. Of a mesh or a height field: at the deepest triangle.
pub fn penetration(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Result<Option<Penetration>, QueryError> {
    let [a, b] = place([(a, pose_a), (b, pose_b)])?;
    a.penetration(&b)
}

/// When do two shapes that move without turning first touch, within `max_time` seconds (which may be infinite)?
///
/// ```
/// use jostle::query::time_of_impact;
/// use jostle::{Pose, Shape, glam::Vec3};
///
/// let ball = Shape::ball(1.0)?;
/// let (left, right) = (Pose::at(Vec3::X * -5.0), Pose::at(Vec3::X * 5.0));
/// let impact = time_of_impact((&ball, &left, Vec3::X), (&ball, &right, -Vec3::X), 10.0)?.unwrap();
/// assert_eq!(impact.time, 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn time_of_impact(
    (a, pose_a, velocity_a): (&Shape, &Pose, Vec3),
    (b, pose_b, velocity_b): (&Shape, &Pose, Vec3),
    max_time: f32,
) -> Result<Option<Impact>, QueryError> {
    let [a, b] = place([(a, pose_a), (b, pose_b)])?;
    QueryError::check_finite("velocity of the first shape", velocity_a)?;
    QueryError::check_finite("velocity of the second shape", velocity_b)?;
    QueryError::check_not_negative("time", max_time)?;
    let relative = velocity_a - velocity_b;
    QueryError::check_finite("difference of the velocities", relative)?;
    let found = a.cast(relative, &b, max_time)?;
    Ok(found.map(|impact| Impact {
        points: [impact.points[0] + velocity_a * impact.time, impact.points[1] + velocity_b * impact.time],
        ..impact
    }))
}
