//! How the response lays out its data: plain arrays that kernels read and write sixteen units at a time.
//!
//! A *unit* is one manifold of a pair that can push. A *row* is one body as units see it. Units are solved side by side
//! from the same rows, and each writes two impulses of its own; bodies then add up the impulses of their units.

use bytemuck::{Pod, Zeroable};
use glam::{Mat3A, Vec3A, Vec4};

/// Units in a batch.
pub(crate) const UNITS: usize = 16;

/// One body as units see it: two cache lines. Row 0 is everything that cannot be moved.
///
/// Vectors begin at multiples of four: velocity, angular velocity, motion and turn since the frame began, inverse mass per
/// axis; then the inverse inertia (xx, xy, xz, yy, yz, zz). Masses are those of one *split*: a body with n units counts
/// in each as one n-th of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct BodyRow([f32; 32]);

impl BodyRow {
    /// How many numbers it has, the free ones included.
    pub(crate) const NUMBERS: usize = 32;

    pub(crate) const VELOCITY: usize = 0;
    pub(crate) const ANGULAR: usize = 4;
    pub(crate) const MOTION: usize = 8;
    pub(crate) const TURN: usize = 12;
    pub(crate) const INVERSE_MASS: usize = 16;
    pub(crate) const INVERSE_INERTIA: usize = 20;

    /// Sets the vector that begins at `at`.
    #[inline(always)]
    pub(crate) fn set(&mut self, at: usize, vector: Vec3A) {
        self.0[at..at + 4].copy_from_slice(&vector.extend(0.0).to_array());
    }

    /// The vector that begins at `at`.
    #[inline(always)]
    pub(crate) fn vector(&self, at: usize) -> Vec3A {
        Vec3A::from_vec4(Vec4::from_slice(&self.0[at..at + 4]))
    }

    /// Sets the inverse inertia from a symmetric matrix.
    pub(crate) fn set_inertia(&mut self, inverse: Mat3A) {
        let [x, y, z] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
        self.0[Self::INVERSE_INERTIA..Self::INVERSE_INERTIA + 6]
            .copy_from_slice(&[x.x, x.y, x.z, y.y, y.z, z.z]);
    }
}

/// A linear impulse (numbers 0 to 2) and an angular one (4 to 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct Impulse(pub(crate) [f32; 8]);

/// What the sixteen units of a batch have once each.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Batch {
    /// Rows of the first and of the second bodies.
    pub(crate) rows: [[u32; UNITS]; 2],
    /// Normals, from the second body to the first.
    pub(crate) normal: [[f32; UNITS]; 3],
    /// From the centre of the second body to that of the first, as the frame began.
    pub(crate) between: [[f32; UNITS]; 3],
    /// How much of their relative motion the contact point makes with the second body: 0 if only the first can move.
    pub(crate) share: [f32; UNITS],
    /// Coulomb's coefficient.
    pub(crate) friction: [f32; UNITS],
    /// Restitution.
    pub(crate) restitution: [f32; UNITS],
    /// The largest impulse along the normal of any of the points in this frame.
    pub(crate) peak: [f32; UNITS],
    /// The place of its first unit.
    pub(crate) place: u32,
    /// Where its points begin in the list of points, and how many lists of sixteen it has.
    pub(crate) points: std::ops::Range<u32>,
}

/// One point of each of the sixteen units of a batch. Units with fewer points have masses of zero here.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Points {
    /// From the centre of the first body to the point, as the frame began.
    pub(crate) arm: [[f32; UNITS]; 3],
    /// The distance as the frame began.
    pub(crate) separation: [f32; UNITS],
    /// Effective masses along the normal and along any tangent.
    pub(crate) mass: [[f32; UNITS]; 2],
    /// Accumulated impulses along the normal and both tangents.
    pub(crate) impulse: [[f32; UNITS]; 3],
}

/// What a bounce needs of the same points; there only where something can bounce.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Bounces {
    /// The speed of approach as the frame began, where a bounce must follow; else 0.
    pub(crate) approach: [f32; UNITS],
    /// The effective mass along the normal of the point alone: bounces are solved one point after the other.
    pub(crate) mass: [f32; UNITS],
    /// The largest impulse along the normal in this frame.
    pub(crate) peak: [f32; UNITS],
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            rows: [[0; UNITS]; 2],
            normal: [[0.0; UNITS]; 3],
            between: [[0.0; UNITS]; 3],
            share: [0.0; UNITS],
            friction: [0.0; UNITS],
            restitution: [0.0; UNITS],
            peak: [0.0; UNITS],
            place: 0,
            points: 0..0,
        }
    }
}

impl Default for Points {
    fn default() -> Self {
        Self {
            arm: [[0.0; UNITS]; 3],
            separation: [0.0; UNITS],
            mass: [[0.0; UNITS]; 2],
            impulse: [[0.0; UNITS]; 3],
        }
    }
}

impl Default for Bounces {
    fn default() -> Self {
        Self { approach: [0.0; UNITS], mass: [0.0; UNITS], peak: [0.0; UNITS] }
    }
}

/// The numbers of one pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// One over the length of a substep.
    pub(crate) rate: f32,
    /// How fast overlap is taken back, per second; 0 in a relaxing pass.
    pub(crate) bias_rate: f32,
    /// The fastest it may be taken back.
    pub(crate) push_out: f32,
    /// The share of the accumulated impulse taken back where there is a little overlap.
    pub(crate) impulse_scale: f32,
    /// One over the speed of taking back overlap at which nothing of it is.
    pub(crate) harden: f32,
    /// 1 if the impulses handed out include all that were accumulated, for the next substep to begin with; else 0.
    pub(crate) carry: f32,
}
