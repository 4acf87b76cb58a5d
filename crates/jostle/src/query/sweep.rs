//! What does a moving shape meet first?

use glam::Vec3;
use jostle_broad::Aabb;

use super::batch::answer_all;
use super::failures::Failures;
use super::geometry::Placed;
use super::index::View;
use super::ray::BEYOND;
use super::{QueryError, QueryFilter, Ray};
use crate::{BodyId, Pose, Shape, World};

/// A shape that moves without turning.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeCast {
    /// The shape. A half-space cannot be cast.
    pub shape: Shape,
    /// Where it begins.
    pub pose: Pose,
    /// Where it goes, in metres a second.
    pub velocity: Vec3,
    /// For how many seconds; may be infinite.
    pub max_time: f32,
}

/// A body that a moving shape meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// Which body.
    pub id: BodyId,
    /// Which of its shapes.
    pub part: u32,
    /// After how many seconds; 0 if they overlap from the beginning.
    pub time: f32,
    /// Where on the body.
    pub point: Vec3,
    /// Of length 1, from the body to the moving shape.
    pub normal: Vec3,
}

impl ShapeCast {
    /// A shape that moves on and on.
    pub fn new(shape: &Shape, pose: Pose, velocity: Vec3) -> Self {
        Self { shape: shape.clone(), pose, velocity, max_time: f32::INFINITY }
    }
}

impl World {
    /// The first body that a moving shape meets, all bodies standing still as of the latest step; of several met at the
    /// same time the one with the lowest id.
    pub fn cast_shape(
        &self,
        cast: &ShapeCast,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<ShapeHit>, QueryError> {
        first_hit(&self.view(filter), cast)
    }

    /// [`World::cast_shape`] for many, on the world's threads; `hits` is replaced by one answer per cast. On error it is
    /// left as it was.
    pub fn cast_shapes(
        &self,
        casts: &[ShapeCast],
        filter: &QueryFilter<'_>,
        hits: &mut Vec<Option<ShapeHit>>,
    ) -> Result<(), QueryError> {
        let view = self.view(filter);
        answer_all(&self.find_settings.executor, casts, hits, |cast| first_hit(&view, cast))
    }
}

fn first_hit(view: &View<'_>, cast: &ShapeCast) -> Result<Option<ShapeHit>, QueryError> {
    let pose = QueryError::check_pose("pose of the shape", &cast.pose)?;
    QueryError::check_finite("velocity", cast.velocity)?;
    QueryError::check_not_negative("time", cast.max_time)?;
    if cast.velocity == Vec3::ZERO {
        return Err(jostle_broad::QueryError::NoDirection.into());
    }
    let placed = Placed { shape: &cast.shape, pose };
    let bounds: Aabb = cast.shape.aabb(&pose);
    if !bounds.is_finite() {
        // Neither the box nor the test of two half-spaces would mean anything.
        return Err(QueryError::unsupported("cast", &cast.shape, &cast.shape));
    }
    let ray = Ray { origin: bounds.center(), direction: cast.velocity, max_distance: cast.max_time };
    // Half the widths, and all of the rounding of the middle.
    let half = (bounds.max - ray.origin).max(ray.origin - bounds.min) * (1.0 + f32::EPSILON);
    let mut first: Option<ShapeHit> = None;
    let until = |first: Option<ShapeHit>| first.map_or(f64::INFINITY, |hit| f64::from(hit.time) * BEYOND);
    let mut failures = Failures::default();
    view.tree.visit_ray(&ray, half, |found| {
        match hit(view, cast, &placed, found.key) {
            Ok(Some(hit)) if first.is_none_or(|first| (hit.time, hit.id) < (first.time, first.id)) => {
                first = Some(hit);
            }
            Ok(_) => {}
            Err(error) => failures.add(found.distance, found.key, error),
        }
        until(first)
    })?;
    failures.or(first, until(first))
}

fn hit(
    view: &View<'_>,
    cast: &ShapeCast,
    moving: &Placed<'_>,
    id: u32,
) -> Result<Option<ShapeHit>, QueryError> {
    let Some(slot) = view.admitted(id) else { return Ok(None) };
    let mut first: Option<ShapeHit> = None;
    for (part, placed) in view.parts(slot).enumerate() {
        let Some(impact) = moving.cast(cast.velocity, &placed, cast.max_time)? else { continue };
        if first.is_none_or(|first| impact.time < first.time) {
            let (time, normal, point) = (impact.time, impact.normal, impact.points[1]);
            first = Some(ShapeHit { id: BodyId(id), part: part as u32, time, point, normal });
        }
    }
    Ok(first)
}
