//! Vector kernels, and the only folder of this crate with `unsafe` in it.
//!
//! Each kernel is written once, over the trait [`lane::Lane`], and compiled for every instruction set the target has;
//! which one runs is decided at run time by a [`Kernels`] value. The scalar one is the reference: all others give the same
//! bits, and tests hold them to it.

#![allow(unsafe_code)]

mod lane;
mod narrow;
mod prefetch;
mod scalar;
mod solve;
mod vectors;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(test)]
mod tests;

pub(crate) use narrow::{Job, Solid};
pub(crate) use prefetch::prefetch;

use jostle_broad::Lanes;

use self::narrow::{balls, box_axes, box_edges, box_faces};
use crate::Manifold;
use crate::solve::layout::{Batch, BodyRow, Bounces, Impulse, Pass, Points, UNITS};

/// The kernels compiled for instructions that this machine has. A value of it is the proof that they may be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernels(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl From<Lanes> for Kernels {
    fn from(lanes: Lanes) -> Self {
        // A `Lanes` of a name exists only where its instructions were detected.
        match lanes.name() {
            #[cfg(target_arch = "x86_64")]
            "avx2" => Self(Kind::Avx2),
            #[cfg(target_arch = "x86_64")]
            "avx512" => Self(Kind::Avx512),
            #[cfg(target_arch = "aarch64")]
            "neon" => Self(Kind::Neon),
            _ => Self(Kind::Scalar),
        }
    }
}

/// Defines `Kernels::$name`, which runs the kernel `$module::$name` compiled for the instruction set of the value.
macro_rules! dispatch {
    ($(#[$doc:meta])* fn $module:ident::$name:ident($($arg:ident: $type:ty),* $(,)?)) => {
        impl Kernels {
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($arg: $type),*) {
                match self.0 {
                    Kind::Scalar => $module::$name::<scalar::Scalar>((), $($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx2 => {
                        #[target_feature(enable = "avx2")]
                        fn wide(token: avx2::Token, $($arg: $type),*) {
                            $module::$name::<avx2::Avx2>(token, $($arg),*);
                        }
                        // SAFETY: a `Kernels` of this kind comes from a `Lanes` of this name: the machine has AVX2.
                        unsafe { wide(avx2::Token::new(), $($arg),*) }
                    }
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx512 => {
                        #[target_feature(enable = "avx512f,avx2")]
                        fn wide(token: avx512::Token, $($arg: $type),*) {
                            $module::$name::<avx512::Avx512>(token, $($arg),*);
                        }
                        // SAFETY: a `Kernels` of this kind comes from a `Lanes` of this name: the machine has AVX-512F.
                        unsafe { wide(avx512::Token::new(), $($arg),*) }
                    }
                    #[cfg(target_arch = "aarch64")]
                    Kind::Neon => {
                        #[target_feature(enable = "neon")]
                        fn wide(token: neon::Token, $($arg: $type),*) {
                            $module::$name::<neon::Neon>(token, $($arg),*);
                        }
                        // SAFETY: a `Kernels` of this kind comes from a `Lanes` of this name: the machine has NEON.
                        unsafe { wide(neon::Token::new(), $($arg),*) }
                    }
                }
            }
        }
    };
}

dispatch! {
    /// Two balls. Writes `out[job.to]` for every job.
    fn balls::ball_ball(solids: &[Solid], jobs: &[Job], out: &mut [Manifold])
}

dispatch! {
    /// A ball (`job.first`) and a box (`job.second`); `job.code` 1 says that the box is the first body of the pair.
    /// Writes `out[job.to]` for every job.
    fn balls::ball_box(solids: &[Solid], jobs: &[Job], out: &mut [Manifold])
}

dispatch! {
    /// Finds for two boxes the axis along which they overlap least. Appends the job to `faces` or `edges`, ready for
    /// [`Kernels::box_faces`] or [`Kernels::box_edges`]; writes no contact to `out[job.to]` if they are farther apart
    /// than the prediction.
    fn box_axes::box_axes(
        solids: &[Solid],
        jobs: &[Job],
        faces: &mut Vec<Job>,
        edges: &mut Vec<Job>,
        out: &mut [Manifold],
    )
}

dispatch! {
    /// A face of a box (`job.first`) against another box (`job.second`). Bits 0 and 1 of `job.code`: the axis of the face;
    /// bit 2: the box with the face is the second body of the pair. Writes `out[job.to]` for every job.
    fn box_faces::box_faces(solids: &[Solid], jobs: &[Job], out: &mut [Manifold])
}

dispatch! {
    /// An edge of a box against an edge of another. `job.code`: three times the axis of the first edge, plus that of the
    /// second. Writes `out[job.to]` for every job.
    fn box_edges::box_edges(solids: &[Solid], jobs: &[Job], out: &mut [Manifold])
}

dispatch! {
    /// Before the first substep: effective masses, speeds of approach, and the impulses that were carried over.
    fn solve::prepare(
        batches: &mut [Batch],
        points: &mut [Points],
        bounces: &mut [Bounces],
        rows: &[BodyRow],
        impulses: &mut [[Impulse; UNITS]],
        bounce_speed: f32,
    )
}

dispatch! {
    /// One pass over units: the impulses each gives to its first and its second body, from the velocities of the rows.
    /// `impulses` holds two lists of sixteen for each batch; `points` those of the batches, in their order.
    fn solve::solve(
        batches: &mut [Batch],
        points: &mut [Points],
        rows: &[BodyRow],
        impulses: &mut [[Impulse; UNITS]],
        pass: &Pass,
    )
}

dispatch! {
    /// The bounce at the end of a frame, in the same form.
    fn solve::bounce(
        batches: &mut [Batch],
        points: &mut [Points],
        bounces: &[Bounces],
        rows: &[BodyRow],
        impulses: &mut [[Impulse; UNITS]],
    )
}

dispatch! {
    /// Remembers the largest impulses of this frame, for the bounce at its end.
    fn solve::note_peaks(points: &[Points], bounces: &mut [Bounces])
}
