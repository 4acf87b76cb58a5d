//! The records that `sweep` deals into columns and bins: a box, a key and the bins it begins and ends in.

use bytemuck::{Pod, Zeroable};

use crate::Aabb;

/// A box on its way through columns: 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Record {
    pub(crate) aabb: Aabb,
    /// What the box is recognised by.
    pub(crate) key: u32,
    /// The bins of its minimum and maximum on the sweep axis.
    pub(crate) bins: [u16; 2],
}

impl Record {
    pub(crate) const NOTHING: Self = Self { aabb: Aabb::NOWHERE, key: 0, bins: [0; 2] };
}

/// Records sorted by the bin they begin in.
#[derive(Clone, Debug, Default)]
pub(crate) struct BinnedRecords {
    /// Followed by [`PADDING`] that overlap nothing.
    records: Vec<Record>,
    len: usize,
    /// Per bin, where it ends.
    ends: Vec<u32>,
    /// How many bins the longest record reaches beyond its first.
    longest: u16,
}

/// Records past the end that a kernel may read: one register of the widest kind.
pub(super) const PADDING: usize = 16;

impl BinnedRecords {
    /// Takes in records, given twice the same, and sorts them by the bins they begin in.
    pub(crate) fn fill<'a>(&mut self, segments: impl Iterator<Item = &'a [Record]> + Clone, bins: usize) {
        self.ends.clear();
        self.ends.resize(bins + 1, 0);
        self.longest = 0;
        for segment in segments.clone() {
            for record in segment {
                self.ends[usize::from(record.bins[0]) + 1] += 1;
                self.longest = self.longest.max(record.bins[1] - record.bins[0]);
            }
        }
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
        self.len = sum as usize;
        self.records.resize(self.len + PADDING, Record::NOTHING);
        self.records[self.len..].fill(Record::NOTHING);
        // Each beginning moves on while its bin is filled, and is the bin's end when all is done.
        for segment in segments {
            for record in segment {
                let at = &mut self.ends[usize::from(record.bins[0])];
                self.records[*at as usize] = *record;
                *at += 1;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn get(&self, position: u32) -> &Record {
        &self.records[position as usize]
    }

    /// The records and their padding.
    #[inline(always)]
    pub(super) fn padded(&self) -> &[Record] {
        &self.records
    }

    /// Past this position no record begins before all of these have ended.
    #[inline(always)]
    pub(super) fn end_of(&self, positions: std::ops::Range<usize>) -> usize {
        let mut last_bin = 0;
        for record in &self.records[positions] {
            last_bin = last_bin.max(record.bins[1]);
        }
        self.ends[usize::from(last_bin)] as usize
    }

    /// The positions of all records that may overlap a record with these bins: those that begin no later than in its
    /// last bin, and no earlier than the longest record reaches its first from.
    pub(crate) fn reach(&self, bins: [u16; 2]) -> (usize, usize) {
        let to = self.ends[usize::from(bins[1])] as usize;
        let from = match usize::from(bins[0].saturating_sub(self.longest)) {
            0 => 0,
            first => self.ends[first - 1] as usize,
        };
        (from, to)
    }

    /// How many tests a sweep takes, about: counted in steps of a few records.
    pub(crate) fn sweep_tests(&self) -> u64 {
        const STEP: usize = 8;
        let tests = |base: usize| {
            let next = (base + STEP).min(self.len);
            let window = self.end_of(base..next).saturating_sub(base);
            (window as u64 * (next - base) as u64).saturating_sub(((next - base) as u64).pow(2) / 2)
        };
        (0..self.len).step_by(STEP).map(tests).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record>() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Where the records of a stretch go, and what they are made of.
#[derive(Clone, Copy)]
pub(crate) struct Dealing<'a> {
    /// Six numbers of a box at the start of each `stride` of them.
    pub(crate) numbers: &'a [f32],
    pub(crate) stride: usize,
    /// Per box, its cells.
    pub(crate) cells: &'a [super::Cells],
    /// Per box, its key.
    pub(crate) keys: &'a [u32],
    /// The axis of the bins, and the two of the columns.
    pub(crate) along: usize,
    pub(crate) across: [usize; 2],
    /// Columns along the second of the two.
    pub(crate) width: u32,
    /// A box in more columns than this is not dealt.
    pub(crate) most_copies: u32,
}

impl Dealing<'_> {
    /// The rectangle of columns of box `index`.
    #[inline(always)]
    pub(crate) fn span(&self, index: usize) -> Span {
        Span::of(&self.cells[index], self.across)
    }
}

/// The rectangle of columns that a box lies in.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(super) a: [u32; 2],
    pub(super) b: [u32; 2],
}

impl Span {
    #[inline(always)]
    pub(crate) fn of(cells: &super::Cells, across: [usize; 2]) -> Self {
        let [a, b] = across;
        Self {
            a: [u32::from(cells.min(a)), u32::from(cells.max(a))],
            b: [u32::from(cells.min(b)), u32::from(cells.max(b))],
        }
    }

    /// How many columns; 0 for [`super::Cells::NONE`].
    #[inline(always)]
    pub(crate) fn copies(&self) -> u32 {
        (self.a[1] + 1).saturating_sub(self.a[0]) * (self.b[1] + 1).saturating_sub(self.b[0])
    }

    /// The first column, given the columns along the second axis.
    #[inline(always)]
    pub(crate) fn first(&self, width: u32) -> usize {
        (self.a[0] * width + self.b[0]) as usize
    }

    /// Every column.
    #[inline(always)]
    pub(crate) fn for_each(&self, width: u32, mut visit: impl FnMut(usize)) {
        for a in self.a[0]..=self.a[1] {
            for b in self.b[0]..=self.b[1] {
                visit((a * width + b) as usize);
            }
        }
    }
}
