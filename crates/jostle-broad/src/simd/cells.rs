//! From coordinates to cells of a grid, six numbers at a time.

/// A grid over three axes, with the lanes of a box: min x, y, z, max x, y, z, and two that do not matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellGrid {
    pub(super) origin: [f32; 8],
    pub(super) scale: [f32; 8],
    /// The last cell.
    pub(super) last: [f32; 8],
}

/// The cells of a box's minimum and maximum on each axis, in the same lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Cells(pub(super) [u16; 8]);

impl CellGrid {
    /// Cells of width 1 / scale from an origin on, numbered 0 to `last`; the outer ones reach to infinity.
    pub(crate) fn new(origin: [f32; 3], scale: [f32; 3], last: [u16; 3]) -> Self {
        let lanes =
            |numbers: [f32; 3]| std::array::from_fn(|lane| if lane < 6 { numbers[lane % 3] } else { 0.0 });
        Self { origin: lanes(origin), scale: lanes(scale), last: lanes(last.map(f32::from)) }
    }

    pub(crate) fn scale(&self, axis: usize) -> f32 {
        self.scale[axis]
    }

    pub(crate) fn set_axis(&mut self, axis: usize, scale: f32, last: u16) {
        for lane in [axis, axis + 3] {
            (self.scale[lane], self.last[lane]) = (scale, f32::from(last));
        }
    }

    /// The cell of a coordinate. Never decreases with it: neither a difference nor a product with a positive number
    /// does when rounded. NaN (infinity times a scale of zero) becomes 0, the only cell there is then.
    #[inline(always)]
    pub(crate) fn cell(&self, axis: usize, coordinate: f32) -> u16 {
        ((coordinate - self.origin[axis]) * self.scale[axis]).max(0.0).min(self.last[axis]) as u16
    }
}

impl Cells {
    /// No cell at all: ends before it begins, on every axis.
    pub(crate) const NONE: Self = Self([1, 1, 1, 0, 0, 0, 0, 0]);

    #[inline(always)]
    pub(crate) fn min(&self, axis: usize) -> u16 {
        self.0[axis]
    }

    #[inline(always)]
    pub(crate) fn max(&self, axis: usize) -> u16 {
        self.0[axis + 3]
    }
}
