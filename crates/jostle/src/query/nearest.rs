//! Which bodies are nearest to a point?

use glam::Vec3;

use super::batch::answer_all;
use super::failures::Failures;
use super::index::View;
use super::{QueryError, QueryFilter};
use crate::{BodyId, World};

/// A body near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearBody {
    /// Which body.
    pub id: BodyId,
    /// Which of its shapes.
    pub part: u32,
    /// How far from the point, in metres; 0 if the point is in the shape.
    pub distance: f32,
    /// The closest point of the shape: the point itself if that is inside.
    pub point: Vec3,
}

impl NearBody {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.id.cmp(&other.id))
    }
}

impl World {
    /// The `count` bodies nearest to a point (fewer if there are fewer), as of the latest step, in the order of
    /// distances; of bodies at the same distance those with the lowest ids.
    pub fn nearest(
        &self,
        point: Vec3,
        count: usize,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<NearBody>, QueryError> {
        nearest(&self.view(filter), point, count)
    }

    /// [`World::nearest`] for many points, on the world's threads; `bodies` is replaced by one answer per point. On error
    /// it is left as it was.
    pub fn nearest_each(
        &self,
        points: &[Vec3],
        count: usize,
        filter: &QueryFilter<'_>,
        bodies: &mut Vec<Vec<NearBody>>,
    ) -> Result<(), QueryError> {
        let view = self.view(filter);
        answer_all(&self.find_settings.executor, points, bodies, |&point| nearest(&view, point, count))
    }
}

fn nearest(view: &View<'_>, point: Vec3, count: usize) -> Result<Vec<NearBody>, QueryError> {
    QueryError::check_finite("point", point)?;
    // In order; short, so that inserting is cheaper than a heap.
    let mut found: Vec<NearBody> = Vec::new();
    if count == 0 {
        return Ok(found);
    }
    let reach =
        |found: &[NearBody]| found.get(count - 1).map_or(f64::INFINITY, |last| f64::from(last.distance));
    let mut failures = Failures::default();
    view.tree.visit_nearest(point, |near| {
        match near_body(view, point, near.key) {
            Ok(Some(new)) => {
                let at = found.partition_point(|old| old.order(&new).is_lt());
                if at < count {
                    found.truncate(count - 1);
                    found.insert(at, new);
                }
            }
            Ok(None) => {}
            Err(error) => failures.add(near.distance, near.key, error),
        }
        reach(&found)
    })?;
    let reach = reach(&found);
    failures.or(found, reach)
}

fn near_body(view: &View<'_>, point: Vec3, id: u32) -> Result<Option<NearBody>, QueryError> {
    let Some(slot) = view.admitted(id) else { return Ok(None) };
    let mut nearest: Option<NearBody> = None;
    for (part, placed) in view.parts(slot).enumerate() {
        let closest = placed.closest_to(point)?;
        let distance = (closest - point).length();
        if nearest.is_none_or(|nearest| distance < nearest.distance) {
            nearest = Some(NearBody { id: BodyId(id), part: part as u32, distance, point: closest });
        }
    }
    Ok(nearest)
}
