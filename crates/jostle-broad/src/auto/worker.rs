//! The finders that `auto` sets to work, and how one takes over from another.

use crate::{Bvh, PairBuffer, PairFinder, Sweep};

/// A finder that can take over from another one in mid-run, and be followed by another: what was added and removed is
/// then told relative to the pairs of whoever worked before.
pub trait RelayFinder: PairFinder {
    /// Takes away the pairs of the latest update that went well, also after one that failed. The finder does no update
    /// before it has pairs again.
    fn hand_over(&mut self) -> PairBuffer;

    /// Gives the finder the pairs of the update before, which another one made. Whatever the finder itself knew of
    /// pairs or boxes before counts no more.
    fn take_over(&mut self, pairs: PairBuffer);
}

impl RelayFinder for Sweep {
    fn hand_over(&mut self) -> PairBuffer {
        std::mem::take(&mut self.pairs)
    }

    fn take_over(&mut self, pairs: PairBuffer) {
        *self = Self::new(self.tuning);
        self.pairs = pairs;
    }
}

impl RelayFinder for Bvh {
    fn hand_over(&mut self) -> PairBuffer {
        std::mem::take(&mut self.pairs)
    }

    fn take_over(&mut self, pairs: PairBuffer) {
        *self = Self::default();
        self.pairs = pairs;
    }
}
