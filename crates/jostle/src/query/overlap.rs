//! Which bodies are in a box, in a frustum, in a shape, around a point? Ids ascend.

use glam::Vec3;
use jostle_broad::{Aabb, Frustum};

use super::batch::answer_all;
use super::geometry::Placed;
use super::index::View;
use super::{QueryError, QueryFilter};
use crate::{BodyId, Pose, Shape, World};

impl World {
    /// The bodies whose boxes overlap or touch a box, which may be unbounded. Bodies as of the latest step.
    pub fn boxes_in_box(&self, aabb: &Aabb, filter: &QueryFilter<'_>) -> Result<Vec<BodyId>, QueryError> {
        let view = self.view(filter);
        let mut ids = Vec::new();
        view.tree.overlaps(aabb, &mut ids)?;
        keep(&view, ids, |slot| Ok(view.tight_box(slot).overlaps(aabb)))
    }

    /// The bodies whose boxes are in a frustum or cut by it: those for which [`Frustum::meets`] holds.
    pub fn boxes_in_frustum(
        &self,
        frustum: &Frustum,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<BodyId>, QueryError> {
        let view = self.view(filter);
        let mut ids = Vec::new();
        view.tree.in_frustum(frustum, &mut ids);
        keep(&view, ids, |slot| Ok(frustum.meets(&view.tight_box(slot))))
    }

    /// The bodies that overlap or touch a shape.
    pub fn overlapping(
        &self,
        shape: &Shape,
        pose: &Pose,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<BodyId>, QueryError> {
        let view = self.view(filter);
        overlapping(&view, shape, pose)
    }

    /// [`World::overlapping`] for many shapes, on the world's threads; `bodies` is replaced by one answer per shape. On
    /// error it is left as it was.
    pub fn overlapping_each(
        &self,
        shapes: &[(Shape, Pose)],
        filter: &QueryFilter<'_>,
        bodies: &mut Vec<Vec<BodyId>>,
    ) -> Result<(), QueryError> {
        let view = self.view(filter);
        answer_all(&self.find_settings.executor, shapes, bodies, |(shape, pose)| {
            overlapping(&view, shape, pose)
        })
    }

    /// The bodies that contain a point, on the surface included. Meshes and height fields are surfaces and contain none.
    pub fn containing(&self, point: Vec3, filter: &QueryFilter<'_>) -> Result<Vec<BodyId>, QueryError> {
        QueryError::check_finite("point", point)?;
        let view = self.view(filter);
        let mut ids = Vec::new();
        view.tree.overlaps(&Aabb::new(point, point), &mut ids)?;
        keep(&view, ids, |slot| any(view.parts(slot).map(|part| part.contains(point))))
    }
}

fn overlapping(view: &View<'_>, shape: &Shape, pose: &Pose) -> Result<Vec<BodyId>, QueryError> {
    let pose = QueryError::check_pose("pose of the shape", pose)?;
    let placed = Placed { shape, pose };
    let mut ids = Vec::new();
    view.tree.overlaps(&shape.aabb(&pose), &mut ids)?;
    keep(view, ids, |slot| any(view.parts(slot).map(|part| placed.overlaps(&part))))
}

/// The bodies that the question is about and that pass a test.
fn keep(
    view: &View<'_>,
    ids: Vec<u32>,
    test: impl Fn(usize) -> Result<bool, QueryError>,
) -> Result<Vec<BodyId>, QueryError> {
    let mut kept = Vec::new();
    for id in ids {
        if let Some(slot) = view.admitted(id)
            && test(slot)?
        {
            kept.push(BodyId(id));
        }
    }
    Ok(kept)
}

/// Is one of them true? The first error counts.
fn any(mut tests: impl Iterator<Item = Result<bool, QueryError>>) -> Result<bool, QueryError> {
    tests.try_fold(false, |before, test| Ok(before | test?))
}
