//! The fast finder: a grid of levels, built and searched on the device in every call.
//!
//! In: a buffer of boxes on the device, six floats each (min x, y, z, max x, y, z), NaN in `min x` where there is none.
//! Out: a buffer of pairs of indices on the device, the lower first, in no particular order, and a status. A box is
//! stored once, on the level that fits it; boxes are brought into the order of cells by counting (no radix sort: one
//! random write a box instead of four), and each looks through the few rows of cells that could hold a partner.
//! See `wgsl/cells.wgsl` for the grid and `wgsl/find.wgsl` for why each pair is found exactly once.

mod canonical;
mod kernels;
mod resident;

pub use canonical::{CanonicalFinder, ChangeCounts};
pub use kernels::GridTuning;
pub use resident::{ResidentFinder, ResidentStatus};
