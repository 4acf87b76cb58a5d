//! Sweep and prune: boxes sorted by where they begin and end along the axes, kept sorted from frame to frame.
//!
//! Two finders after 'Broadphase collision detection on the Cell processor' (seed 000): [`Sap`] is its persistent
//! sweep and prune (section 4.1), [`SapSimd`] its parallel form (section 4.2). Both repair last frame's sorted lists,
//! both know how much repairing costs less than starting over, and both start over with the same [`sweep`].

mod axis_list;
mod endpoint;
mod endpoint_arrays;
mod incremental;
mod parallel;
mod patience;
mod sweep;

pub use incremental::Sap;
pub use parallel::{OverlapMethod, SapSimd};

use crate::pairs::cancel_common;
use crate::{FindError, FindSettings, Pair, PairBuffer};

/// A slot whose box has moved.
const MOVED: u8 = 1;
/// A slot that was filled, emptied or given another filter.
const STRUCTURAL: u8 = 2;

/// Hands changes to a pair buffer: lists that may name a pair twice, and pairs both taken out and put back in.
fn apply_changes(
    pairs: &mut PairBuffer,
    added: &mut Vec<Pair>,
    removed: &mut Vec<Pair>,
    settings: &FindSettings,
) -> Result<(), FindError> {
    for list in [&mut *added, &mut *removed] {
        list.sort_unstable();
        list.dedup();
    }
    cancel_common(added, removed);
    pairs.apply(added, removed, settings)
}
