//! The records that `sweep` deals into columns and bins: a box, a key, the bins it begins and ends in, and where it is
//! at home.

use bytemuck::{Pod, Zeroable};

use crate::Aabb;

/// A box on its way through columns: 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Record {
    pub(crate) aabb: Aabb,
    /// What the box is recognised by.
    pub(crate) key: u32,
    /// From the highest bit: 16 bits for the bin of its maximum on the sweep axis, 14 for that of its minimum, and
    /// [`HOME`] on the axes of the columns.
    pub(crate) tail: u32,
}

/// Does the box begin in this column, on the first axis of the columns?
pub(crate) const HOME_A: u32 = 1;
/// And on the second?
pub(crate) const HOME_B: u32 = 2;
/// Two boxes are reported in a column where on both axes at least one of them begins: there, and nowhere else, lies the
/// larger of their minimum corners.
pub(crate) const HOME: u32 = HOME_A | HOME_B;
/// Where bins begin in a tail.
pub(super) const FIRST_BIN: u32 = 2;
pub(super) const LAST_BIN: u32 = 16;

impl Record {
    pub(crate) const NOTHING: Self = Self { aabb: Aabb::NOWHERE, key: 0, tail: 0 };

    /// Bins a record has room for.
    pub(crate) const MOST_BINS: u32 = 1 << 14;

    /// The tail of a record that is at home.
    #[inline(always)]
    pub(crate) fn tail(first_bin: u32, last_bin: u32) -> u32 {
        last_bin << LAST_BIN | first_bin << FIRST_BIN | HOME
    }

    /// The bin of its minimum.
    #[inline(always)]
    pub(crate) fn first_bin(&self) -> usize {
        (self.tail & 0xffff) as usize >> FIRST_BIN
    }

    /// The bin of its maximum.
    #[inline(always)]
    pub(crate) fn last_bin(&self) -> usize {
        self.tail as usize >> LAST_BIN
    }

    /// Are pairs of these two this column's to report?
    #[inline(always)]
    pub(crate) fn meets_here(&self, other: &Self) -> bool {
        (self.tail | other.tail) & HOME == HOME
    }
}

/// Records of one region, sorted by the bin they begin in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binned<'a> {
    /// Followed by at least [`PADDING`] that may be anything.
    records: &'a [Record],
    len: usize,
    /// Per bin, where it ends, counted from `origin`.
    ends: &'a [u32],
    origin: u32,
}

/// Records past the end that a kernel may read: one register of the widest kind.
pub(crate) const PADDING: usize = 16;

/// Records whose window is counted as one.
pub(super) const STEP: usize = 8;

impl<'a> Binned<'a> {
    /// The first `len` records. `ends` are counted from a record that lies `origin` before the first.
    pub(crate) fn new(records: &'a [Record], len: usize, ends: &'a [u32], origin: u32) -> Self {
        assert!(len + PADDING <= records.len());
        Self { records, len, ends, origin }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn get(&self, position: u32) -> &'a Record {
        &self.records[position as usize]
    }

    #[inline(always)]
    pub(super) fn records(&self) -> &'a [Record] {
        &self.records[..self.len]
    }

    /// The records and their padding.
    #[inline(always)]
    pub(super) fn padded(&self) -> &'a [Record] {
        self.records
    }

    /// Past which position does no record begin before all have ended that have no later last bin than this tail?
    #[inline(always)]
    pub(super) fn end_of(&self, tail: u32) -> u32 {
        self.ends[tail as usize >> LAST_BIN] - self.origin
    }

    /// How many bins the longest record reaches beyond its first.
    pub(crate) fn longest(&self) -> usize {
        let reach = |record: &Record| record.last_bin() - record.first_bin();
        self.records[..self.len].iter().map(reach).max().unwrap_or(0)
    }

    /// The positions of all records that may overlap another: those that begin no later than in its last bin, and no
    /// earlier than the longest record reaches its first from.
    pub(crate) fn reach(&self, other: &Record, longest: usize) -> (usize, usize) {
        let end = |bin: usize| (self.ends[bin] - self.origin) as usize;
        let from = match other.first_bin().saturating_sub(longest) {
            0 => 0,
            first => end(first - 1),
        };
        (from, end(other.last_bin()))
    }
}

/// Memory for the records of one region.
#[derive(Clone, Debug, Default)]
pub(crate) struct BinnedRecords {
    records: Vec<Record>,
    ends: Vec<u32>,
}

impl BinnedRecords {
    /// Takes in records and sorts them by the bins they begin in.
    pub(crate) fn fill<'a>(
        &mut self,
        segments: impl Iterator<Item = &'a [Record]> + Clone,
        bins: usize,
        lanes: crate::Lanes,
    ) -> Binned<'_> {
        self.ends.clear();
        self.ends.resize(bins + 1, 0);
        for segment in segments.clone() {
            lanes.count_bins(segment, &mut self.ends);
        }
        accumulate(&mut self.ends);
        let len = self.ends[bins] as usize;
        self.records.resize(len + PADDING, Record::NOTHING);
        // Each beginning moves on while its bin is filled, and is the bin's end when all is done.
        for segment in segments {
            lanes.copy_bins(segment, &mut self.ends, &mut self.records);
        }
        Binned::new(&self.records, len, &self.ends[..bins], 0)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record>() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Turns counts (of bucket b at b + 1) into where each bucket begins.
pub(crate) fn accumulate(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}
