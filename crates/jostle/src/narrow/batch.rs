//! Many pairs of balls and boxes at once.
//!
//! In: solids by slot, pairs of slots. Out: one manifold for each pair. Pairs are sorted by kind and handed to the kernels
//! of `simd/`; what a pair gets depends on nothing but that pair.

use jostle_broad::Lanes;

use crate::simd::{Job, Kernels, Solid};
use crate::{Geometry, Manifold, Pose};

impl Solid {
    /// A shape at a pose; none for shapes that are neither ball nor box.
    #[inline]
    pub(crate) fn new(geometry: Geometry, pose: &Pose) -> Option<Self> {
        match geometry {
            Geometry::Ball(radius) => Some(Self::ball(pose, radius)),
            Geometry::Cuboid(half) => Some(Self::cuboid(pose, half)),
            _ => None,
        }
    }
}

/// Two solids, by their positions in the list of solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolidPair {
    pub(crate) first: u32,
    pub(crate) second: u32,
    /// Points with a larger separation are left out.
    pub(crate) prediction: f32,
}

/// Fills manifolds. Keeps its buffers: one for each task, used again every frame.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    kernels: Kernels,
    ball_ball: Vec<Job>,
    ball_box: Vec<Job>,
    box_box: Vec<Job>,
    faces: Vec<Job>,
    edges: Vec<Job>,
}

impl Default for Batch {
    fn default() -> Self {
        Self::new(Lanes::best())
    }
}

impl Batch {
    /// With these vector instructions. The results are the same with any.
    pub(crate) fn new(lanes: Lanes) -> Self {
        Self {
            kernels: lanes.into(),
            ball_ball: Vec::new(),
            ball_box: Vec::new(),
            box_box: Vec::new(),
            faces: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Writes `out[i]` for each `pairs[i]`; no contact is a manifold without points. A few hundred pairs a call are
    /// enough to fill the lanes. Pairs should come in an order that does not change from frame to frame, lower id first:
    /// boxes that touch by either one's face alike use that of the first.
    pub(crate) fn collide(&mut self, solids: &[Solid], pairs: &[SolidPair], out: &mut [Manifold]) {
        assert_eq!(pairs.len(), out.len(), "one manifold for each pair");
        for list in
            [&mut self.ball_ball, &mut self.ball_box, &mut self.box_box, &mut self.faces, &mut self.edges]
        {
            list.clear();
        }
        for (to, pair) in pairs.iter().enumerate() {
            let &SolidPair { first, second, prediction } = pair;
            let job = Job { first, second, to: to as u32, code: 0, prediction };
            match (solids[first as usize].is_ball(), solids[second as usize].is_ball()) {
                (true, true) => self.ball_ball.push(job),
                (true, false) => self.ball_box.push(job),
                (false, true) => self.ball_box.push(Job { first: second, second: first, code: 1, ..job }),
                (false, false) => self.box_box.push(job),
            }
        }
        let kernels = self.kernels;
        kernels.ball_ball(solids, &self.ball_ball, out);
        kernels.ball_box(solids, &self.ball_box, out);
        kernels.box_axes(solids, &self.box_box, &mut self.faces, &mut self.edges, out);
        kernels.box_faces(solids, &self.faces, out);
        kernels.box_edges(solids, &self.edges, out);
    }
}
