//! Kernels of the narrow phase: lists of pairs of balls and boxes in, one manifold for each pair out.
//!
//! All work in a lane is the work of one pair, step by step the same for every width: results do not depend on the width,
//! nor on which pairs share a register.

#![expect(
    clippy::needless_range_loop,
    reason = "axes and candidates index several arrays at once, and what iterators do must be inlined to stay in lanes"
)]

pub(super) mod balls;
pub(super) mod box_axes;
pub(super) mod box_edges;
pub(super) mod box_faces;
mod candidates;
mod frame;
mod job;

pub(crate) use job::{Job, Solid};
