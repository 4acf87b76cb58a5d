//! What kernels read: bodies as rows of twelve numbers, and jobs that name two of them.

use bytemuck::{Pod, Zeroable};

use crate::Pose;
use crate::simd::lane::{Lane, MOST_LANES};

/// A ball or a box where it is, in the form the kernels load: three rows of four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Solid {
    position: [f32; 3],
    /// Of a ball; 0 for a box.
    radius: f32,
    rotation: [f32; 4],
    /// Half extents of a box; 0 for a ball.
    half: [f32; 3],
    padding: f32,
}

impl Solid {
    /// A ball.
    #[inline]
    pub(crate) fn ball(pose: &Pose, radius: f32) -> Self {
        Self { radius, ..Self::cuboid(pose, glam::Vec3::ZERO) }
    }

    /// A box.
    #[inline]
    pub(crate) fn cuboid(pose: &Pose, half: glam::Vec3) -> Self {
        Self {
            position: pose.position.to_array(),
            radius: 0.0,
            rotation: pose.rotation.to_array(),
            half: half.to_array(),
            padding: 0.0,
        }
    }

    /// Is it a ball? Otherwise it is a box.
    #[inline]
    pub(crate) fn is_ball(&self) -> bool {
        self.radius > 0.0
    }
}

/// One pair for a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Job {
    /// Positions in the list of solids.
    pub(crate) first: u32,
    /// Positions in the list of solids.
    pub(crate) second: u32,
    /// Where in the output the manifold goes.
    pub(crate) to: u32,
    /// What else the kernel is to know; see there.
    pub(crate) code: u32,
    /// Points with a larger separation are left out.
    pub(crate) prediction: f32,
}

/// As many jobs as a register has lanes, one number of all of them in a row. Missing ones repeat the last.
pub(super) struct Block {
    pub(super) first: [u32; MOST_LANES],
    pub(super) second: [u32; MOST_LANES],
    pub(super) to: [u32; MOST_LANES],
    pub(super) code: [f32; MOST_LANES],
    pub(super) prediction: [f32; MOST_LANES],
}

impl Block {
    /// The first `width` of `jobs`, of which there is at least one.
    #[inline(always)]
    pub(super) fn new(jobs: &[Job], width: usize) -> Self {
        let mut block = Self {
            first: [0; MOST_LANES],
            second: [0; MOST_LANES],
            to: [0; MOST_LANES],
            code: [0.0; MOST_LANES],
            prediction: [0.0; MOST_LANES],
        };
        for lane in 0..width {
            let job = &jobs[lane.min(jobs.len() - 1)];
            block.first[lane] = job.first;
            block.second[lane] = job.second;
            block.to[lane] = job.to;
            block.code[lane] = job.code as f32;
            block.prediction[lane] = job.prediction;
        }
        block
    }
}

/// Solids in registers.
pub(super) struct Solids<L> {
    pub(super) position: [L; 3],
    pub(super) radius: L,
    /// x, y, z, w.
    pub(super) rotation: [L; 4],
    pub(super) half: [L; 3],
}

impl<L: Lane> Solids<L> {
    /// The solids at positions of the list, as many as there are lanes.
    #[inline(always)]
    pub(super) fn load(token: L::Token, solids: &[Solid], indices: &[u32; MOST_LANES]) -> Self {
        let [px, py, pz, radius, x, y, z, w, hx, hy, hz, _] =
            L::load_rows(token, bytemuck::cast_slice(solids), indices, 0);
        Self { position: [px, py, pz], radius, rotation: [x, y, z, w], half: [hx, hy, hz] }
    }
}
