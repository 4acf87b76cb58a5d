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
