//! From coordinates to cells of a grid.

/// A grid over three axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellGrid {
    pub(super) origin: [f32; 3],
    pub(super) scale: [f32; 3],
    /// The last cell.
    pub(super) last: [f32; 3],
}

impl CellGrid {
    /// Cells of width 1 / scale from an origin on, numbered 0 to `last`; the outer ones reach to infinity.
    pub(crate) fn new(origin: [f32; 3], scale: [f32; 3], last: [u16; 3]) -> Self {
        Self { origin, scale, last: last.map(f32::from) }
    }

    pub(crate) fn scale(&self, axis: usize) -> f32 {
        self.scale[axis]
    }

    pub(crate) fn set_axis(&mut self, axis: usize, scale: f32, last: u16) {
        (self.scale[axis], self.last[axis]) = (scale, f32::from(last));
    }

    /// The cell of a coordinate. Never decreases with it: neither a difference nor a product with a positive number
    /// does when rounded. NaN (infinity times a scale of zero) becomes 0, the only cell there is then.
    #[inline(always)]
    pub(crate) fn cell(&self, axis: usize, coordinate: f32) -> u32 {
        ((coordinate - self.origin[axis]) * self.scale[axis]).max(0.0).min(self.last[axis]) as u32
    }
}
