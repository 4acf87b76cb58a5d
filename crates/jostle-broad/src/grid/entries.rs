//! Entries of boxes in cells, each packed into one integer, and their radix sort.
//!
//! From the top: level, cell (x, y, z), a bit for guests, three bits that say on which axes the box begins in this cell,
//! the slot. Sorting by the upper part brings the boxes of a cell together, those that belong to its level first. As
//! many bits are used as the scene needs: 64 as a rule, 128 where cells are spread very widely.

use std::fmt::Debug;
use std::ops::{BitOr, Shl, Shr};

use super::cells::CellRange;

/// Bits that say on which axes a box begins in the cell.
const BEGIN_BITS: u32 = 3;
/// The box begins in the cell on all axes.
pub(super) const BEGINS_ON_ALL: u32 = (1 << BEGIN_BITS) - 1;
/// At most this many bits are sorted by at once: the counters of a pass fit the first cache.
const DIGIT_BITS: u32 = 11;
/// Below, comparing is cheaper than counting.
const COMPARE_BELOW: usize = 512;

/// An integer that holds an entry.
pub(super) trait Word:
    Copy
    + Debug
    + Default
    + Ord
    + Send
    + Sync
    + From<u32>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitOr<Output = Self>
{
    /// The lowest 32 bits.
    fn low(self) -> u32;
}

impl Word for u64 {
    #[inline]
    fn low(self) -> u32 {
        self as u32
    }
}

impl Word for u128 {
    #[inline]
    fn low(self) -> u32 {
        self as u32
    }
}

/// How many bits each part of an entry takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    level: u32,
    axes: [u32; 3],
    slot: u32,
}

impl Layout {
    /// The layout for these many slots and, per level, the cells in use.
    pub(super) fn new(slots: usize, levels: &[CellRange]) -> Self {
        let bits = |highest: u32| u32::BITS - highest.leading_zeros();
        let width = |axis: usize| levels.iter().map(|range| range.high[axis].abs_diff(range.low[axis])).max();
        Self {
            level: bits(levels.len().saturating_sub(1) as u32),
            axes: [0, 1, 2].map(|axis| bits(width(axis).unwrap_or(0))),
            slot: bits(slots.saturating_sub(1) as u32),
        }
    }

    /// Do entries fit a `u64`?
    pub(super) fn is_narrow(&self) -> bool {
        self.key_bits() + BEGIN_BITS + self.slot <= u64::BITS
    }

    fn key_bits(&self) -> u32 {
        self.level + self.axes.iter().sum::<u32>() + 1
    }

    /// Packs all but the cell's last axis: what is the same for a row of cells.
    #[inline]
    pub(super) fn row<W: Word>(&self, level: u32, x: u32, y: u32) -> W {
        (W::from(level) << self.axes[0] | W::from(x)) << self.axes[1] | W::from(y)
    }

    /// Packs an entry of a row.
    #[inline]
    pub(super) fn entry<W: Word>(&self, row: W, z: u32, guest: bool, begins: u32, slot: u32) -> W {
        let key = (row << self.axes[2] | W::from(z)) << 1 | W::from(u32::from(guest));
        (key << BEGIN_BITS | W::from(begins)) << self.slot | W::from(slot)
    }

    /// The slot of an entry.
    #[inline]
    pub(super) fn slot<W: Word>(&self, entry: W) -> u32 {
        entry.low() & ((1u32 << self.slot) - 1)
    }

    /// On which axes the box of an entry begins in the cell.
    #[inline]
    pub(super) fn begins<W: Word>(&self, entry: W) -> u32 {
        (entry >> self.slot).low() & BEGINS_ON_ALL
    }

    /// Does the box of an entry belong to a finer level than the cell?
    #[inline]
    pub(super) fn is_guest<W: Word>(&self, entry: W) -> bool {
        (entry >> (self.slot + BEGIN_BITS)).low() & 1 == 1
    }

    /// Level and cell of an entry.
    #[inline]
    pub(super) fn cell<W: Word>(&self, entry: W) -> W {
        entry >> (self.slot + BEGIN_BITS + 1)
    }
}

/// A list of entries with the memory of its sort.
#[derive(Debug, Default)]
pub(super) struct Entries<W> {
    pub(super) list: Vec<W>,
    spare: Vec<W>,
    counts: Vec<usize>,
}

impl<W: Word> Entries<W> {
    /// Sorts by level, cell and guest bit: least significant digit first. What is equal in these stays in order.
    pub(super) fn sort(&mut self, layout: &Layout) {
        if self.list.len() < COMPARE_BELOW {
            let shift = layout.slot + BEGIN_BITS;
            self.list.sort_by_key(|&entry| entry >> shift);
            return;
        }
        let passes = layout.key_bits().div_ceil(DIGIT_BITS);
        let digit_bits = layout.key_bits().div_ceil(passes);
        let (buckets, mask) = (1usize << digit_bits, (1u32 << digit_bits) - 1);
        let shift = |pass: u32| layout.slot + BEGIN_BITS + pass * digit_bits;
        self.counts.clear();
        self.counts.resize(buckets * passes as usize, 0);
        for &entry in &self.list {
            for (pass, counts) in (0..passes).zip(self.counts.chunks_exact_mut(buckets)) {
                counts[((entry >> shift(pass)).low() & mask) as usize] += 1;
            }
        }
        self.spare.clear();
        self.spare.resize(self.list.len(), W::default());
        for (pass, counts) in (0..passes).zip(self.counts.chunks_exact_mut(buckets)) {
            if counts.contains(&self.list.len()) {
                continue;
            }
            let mut start = 0;
            for count in counts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &entry in &self.list {
                let at = &mut counts[((entry >> shift(pass)).low() & mask) as usize];
                self.spare[*at] = entry;
                *at += 1;
            }
            std::mem::swap(&mut self.list, &mut self.spare);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.list.capacity() + self.spare.capacity()) * size_of::<W>() + self.counts.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Random;

    fn check_sort<W: Word>(layout: &Layout, len: usize) {
        let mut random = Random::new(7);
        let mut entries = Entries::<W>::default();
        for slot in 0..len as u32 {
            let mut part = |bits: u32| (random.bits() & ((1 << bits) - 1)) as u32;
            let (level, x, y, z) =
                (part(layout.level), part(layout.axes[0]), part(layout.axes[1]), part(layout.axes[2]));
            let (guest, begins) = (part(1) == 1, part(3));
            let entry: W = layout.entry(layout.row(level, x, y), z, guest, begins, slot);
            let parts = (layout.slot(entry), layout.begins(entry), layout.is_guest(entry));
            assert_eq!(parts, (slot, begins, guest));
            assert!(layout.cell(entry) == (layout.row::<W>(level, x, y) << layout.axes[2] | W::from(z)));
            entries.list.push(entry);
        }
        let mut expected = entries.list.clone();
        expected.sort_by_key(|&entry| (layout.cell(entry), layout.is_guest(entry)));
        entries.sort(layout);
        assert_eq!(entries.list, expected);
    }

    #[test]
    fn entries_are_packed_and_sorted() {
        let range = |x: i32, y: i32, z| CellRange { low: [-x, -y, 0], high: [x - 1, y - 1, z] };
        for len in [0, 1, 300, 5000] {
            let near = Layout::new(len, &[range(32, 8, 100)]);
            assert!(near.is_narrow());
            check_sort::<u64>(&near, len);
            check_sort::<u128>(&near, len);
            let far = Layout::new(1 << 30, &[range(1 << 20, 1 << 20, (1 << 21) - 1); 24]);
            assert!(!far.is_narrow());
            check_sort::<u128>(&far, len);
            let one = Layout::new(len, &[CellRange { low: [3; 3], high: [3; 3] }]);
            check_sort::<u64>(&one, len);
        }
    }
}
