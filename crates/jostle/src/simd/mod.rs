//! Vector kernels, and the only folder of this crate with `unsafe` in it.
//!
//! Each kernel is written once, over the trait [`vector::Vector`], and compiled for every instruction set the target has;
//! which one runs is decided at run time. The scalar one is the reference: all others give the same bits, and tests hold
//! them to it.

#![allow(unsafe_code)]

mod narrow;
mod scalar;
mod solve;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(test)]
mod tests;

pub(crate) use narrow::{Job, Kernels, Solid};

use jostle_broad::Lanes;

use crate::solve::layout::{Batch, BodyRow, Bounces, Impulse, Pass, Points, UNITS};

/// Defines a function that runs the kernel of the same name, compiled for the given [`Lanes`].
macro_rules! dispatch {
    ($(#[$doc:meta])* fn $module:ident::$name:ident($($arg:ident: $type:ty),* $(,)?)) => {
        $(#[$doc])*
        pub(crate) fn $name(lanes: Lanes, $($arg: $type),*) {
            match lanes.name() {
                #[cfg(target_arch = "x86_64")]
                "avx2" => {
                    #[target_feature(enable = "avx2")]
                    fn wide($($arg: $type),*) {
                        // SAFETY: this function has the instructions.
                        unsafe { $module::$name::<avx2::Avx2>($($arg),*) }
                    }
                    // SAFETY: a `Lanes` of this name exists only where the features were detected.
                    unsafe { wide($($arg),*) }
                }
                #[cfg(target_arch = "x86_64")]
                "avx512" => {
                    #[target_feature(enable = "avx512f,avx512vl")]
                    fn wide($($arg: $type),*) {
                        // SAFETY: this function has the instructions.
                        unsafe { $module::$name::<avx512::Avx512>($($arg),*) }
                    }
                    // SAFETY: a `Lanes` of this name exists only where the features were detected.
                    unsafe { wide($($arg),*) }
                }
                // SAFETY: every machine has these instructions.
                _ => unsafe { $module::$name::<scalar::Scalar>($($arg),*) },
            }
        }
    };
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
