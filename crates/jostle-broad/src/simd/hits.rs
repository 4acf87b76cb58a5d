//! Pairs of positions, as a sweep finds them.

use super::lanes::Vector;

/// Two lists of positions; those at the same place belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
}

impl Hits {
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
    }

    /// Writes the positions in a mask as first, `second` as second, of the pairs from `found` on. Returns how many pairs
    /// there are then. Whole registers are written, whether there are hits or not: a branch would be guessed wrong every
    /// other time.
    ///
    /// # Safety
    /// The machine must have the instructions, and both lists room for a register from `found` on.
    #[inline(always)]
    pub(super) unsafe fn write<V: Vector>(
        &mut self,
        found: usize,
        base: usize,
        mask: u32,
        second: usize,
    ) -> usize {
        // SAFETY: the caller has the instructions and the room.
        unsafe {
            V::store_positions(base as u32, mask, self.first.as_mut_ptr().add(found));
            V::store_repeated(second as u32, self.second.as_mut_ptr().add(found));
        }
        found + mask.count_ones() as usize
    }

    /// Makes room for `more` numbers after the first `written`.
    ///
    /// # Safety
    /// The first `written` numbers of both lists must have been written.
    #[inline(always)]
    pub(super) unsafe fn make_room(&mut self, written: usize, more: usize) {
        let room = written + more;
        if room > self.first.capacity() || room > self.second.capacity() {
            // SAFETY: the caller has written them.
            unsafe { self.set_len(written) };
            self.first.reserve(more);
            self.second.reserve(more);
        }
    }

    /// # Safety
    /// The first `len` numbers of both lists must have been written.
    #[inline(always)]
    pub(super) unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: the caller has written them.
        unsafe {
            self.first.set_len(len);
            self.second.set_len(len);
        }
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.first.iter().copied().zip(self.second.iter().copied())
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.first.capacity() + self.second.capacity()) * size_of::<u32>()
    }
}
