//! What does a ray meet?

use glam::Vec3;

use super::batch::answer_all;
use super::failures::Failures;
use super::index::View;
use super::{QueryError, QueryFilter, Ray};
use crate::{BodyId, World};

/// A box entered later than this part beyond the first hit so far cannot hold an earlier one: the distances of some
/// shapes are found by iteration, and come out a little short.
pub(super) const BEYOND: f64 = 1.0 + 1e-3;

/// A body that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Which body.
    pub id: BodyId,
    /// Which of its shapes.
    pub part: u32,
    /// Where the ray enters the shape, in lengths of its direction; 0 if it begins inside.
    pub distance: f32,
    /// Where that is.
    pub point: Vec3,
    /// Of length 1, out of the shape; zero if the ray begins inside.
    pub normal: Vec3,
}

impl RayHit {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.id.cmp(&other.id))
    }
}

impl World {
    /// The first body that a ray meets, as of the latest step; of several at the same distance the one with the lowest
    /// id. Shapes are solid: a ray that begins inside of one meets it at 0.
    pub fn cast_ray(&self, ray: &Ray, filter: &QueryFilter<'_>) -> Result<Option<RayHit>, QueryError> {
        first_hit(&self.view(filter), ray)
    }

    /// All bodies that a ray meets, each where the ray first enters it, in the order of distances, then of ids.
    pub fn cast_ray_all(&self, ray: &Ray, filter: &QueryFilter<'_>) -> Result<Vec<RayHit>, QueryError> {
        let view = self.view(filter);
        let mut hits = Vec::new();
        let mut failures = Failures::default();
        view.tree.visit_ray(ray, Vec3::ZERO, |found| {
            match hit(&view, ray, found.key) {
                Ok(hit) => hits.extend(hit),
                Err(error) => failures.add(found.distance, found.key, error),
            }
            f64::INFINITY
        })?;
        hits.sort_unstable_by(RayHit::order);
        failures.or(hits, f64::INFINITY)
    }

    /// [`World::cast_ray`] for many rays, on the world's threads; `hits` is replaced by one answer per ray. On error it
    /// is left as it was.
    pub fn cast_rays(
        &self,
        rays: &[Ray],
        filter: &QueryFilter<'_>,
        hits: &mut Vec<Option<RayHit>>,
    ) -> Result<(), QueryError> {
        let view = self.view(filter);
        answer_all(&self.find_settings.executor, rays, hits, |ray| first_hit(&view, ray))
    }
}

fn first_hit(view: &View<'_>, ray: &Ray) -> Result<Option<RayHit>, QueryError> {
    let mut first: Option<RayHit> = None;
    let until = |first: Option<RayHit>| first.map_or(f64::INFINITY, |hit| f64::from(hit.distance) * BEYOND);
    let mut failures = Failures::default();
    view.tree.visit_ray(ray, Vec3::ZERO, |found| {
        match hit(view, ray, found.key) {
            Ok(Some(hit)) if first.is_none_or(|first| hit.order(&first).is_lt()) => first = Some(hit),
            Ok(_) => {}
            Err(error) => failures.add(found.distance, found.key, error),
        }
        until(first)
    })?;
    failures.or(first, until(first))
}

/// Where a ray enters a body.
fn hit(view: &View<'_>, ray: &Ray, id: u32) -> Result<Option<RayHit>, QueryError> {
    let Some(slot) = view.admitted(id) else { return Ok(None) };
    let mut first: Option<RayHit> = None;
    for (part, placed) in view.parts(slot).enumerate() {
        let Some((distance, normal)) = placed.cast_ray(ray.origin, ray.direction, ray.max_distance)? else {
            continue;
        };
        if first.is_none_or(|first| distance < first.distance) {
            let point = ray.origin + ray.direction * distance;
            first = Some(RayHit { id: BodyId(id), part: part as u32, distance, point, normal });
        }
    }
    Ok(first)
}
