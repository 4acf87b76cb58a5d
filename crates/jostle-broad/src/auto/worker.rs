//! The finders that `auto` sets to work, and how one takes over from another.

use crate::{Bvh, PairBuffer, PairFinder, Sweep};

/// A finder whose pairs can be handed to its successor, which then tells what was added and removed relative to them.
pub(super) trait Worker: PairFinder {
    /// The pairs of the latest update that went well. A fresh finder may be given those of another.
    fn pairs_mut(&mut self) -> &mut PairBuffer;
}

impl Worker for Sweep {
    fn pairs_mut(&mut self) -> &mut PairBuffer {
        &mut self.pairs
    }
}

impl Worker for Bvh {
    fn pairs_mut(&mut self) -> &mut PairBuffer {
        &mut self.pairs
    }
}
