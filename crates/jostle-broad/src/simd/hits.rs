//! What a sweep finds: sets of boxes that overlap a box.

use super::records::Binned;

/// The boxes at `base + lane`, for each lane in the mask, overlap the box at `second`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Hit {
    pub(super) base: u32,
    pub(super) second: u32,
    pub(super) mask: u32,
}

/// A list of hits, and the pairs of keys that they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    pub(super) list: Vec<Hit>,
    pub(super) keys: Vec<[u32; 2]>,
}

impl Hits {
    /// Makes room for `more` hits after the first `written`.
    ///
    /// # Safety
    /// The first `written` hits must have been written.
    #[inline(always)]
    pub(super) unsafe fn make_room(&mut self, written: usize, more: usize) {
        if written + more > self.list.capacity() {
            // SAFETY: the caller has written them.
            unsafe { self.list.set_len(written) };
            self.list.reserve(more);
        }
    }

    /// The pairs of keys of the latest sweep, the lower one first.
    #[inline]
    pub(crate) fn keys(&self) -> &[[u32; 2]] {
        &self.keys
    }

    /// Turns hits into pairs of keys.
    #[inline(always)]
    pub(super) fn find_keys(&mut self, binned: &Binned<'_>) {
        let pairs: usize = self.list.iter().map(|hit| hit.mask.count_ones() as usize).sum();
        self.keys.clear();
        self.keys.reserve(pairs);
        let records = binned.padded();
        let mut out = self.keys.as_mut_ptr();
        for hit in &self.list {
            let second = records[hit.second as usize].key;
            let mut mask = hit.mask;
            while mask != 0 {
                let first = records[(hit.base + mask.trailing_zeros()) as usize].key;
                mask &= mask - 1;
                // SAFETY: there is room for as many pairs as the masks have bits.
                unsafe {
                    out.write([first.min(second), first.max(second)]);
                    out = out.add(1);
                }
            }
        }
        // SAFETY: as many were written.
        unsafe { self.keys.set_len(pairs) };
    }

    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Hit>() + self.keys.capacity() * size_of::<[u32; 2]>()
    }
}
