//! The cell of a coordinate.
//!
//! Everything the grids claim follows from this function being **monotone**: x <= y implies cell(x) <= cell(y), with all
//! roundings and clamps. Two closed boxes that overlap share, on each axis, the larger of their minima; so both reach
//! the cell of that point, which is the larger of the cells of their minima. Where cells far out are clamped into one,
//! more boxes share a cell than need to, and none fewer.

use glam::Vec3;

use crate::Aabb;

/// Cell sizes are kept in this range, in which the reciprocal is a normal number.
const SMALLEST_SIZE: f32 = 1e-30;
const LARGEST_SIZE: f32 = 1e30;
/// Cells lie within +-2^30, so that neighbours and differences never overflow.
const FARTHEST: i32 = 1 << 30;
/// Half the cells per axis of a window: coordinates of a window fit 21 bits. An `f32` has 24, so that boxes farther from
/// the middle of things than this have hardly more than their cell to say.
const WINDOW: i32 = 1 << 20;

/// A point's cell on one grid.
pub(super) type Cell = [i32; 3];

/// One grid of cubic cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellMap {
    size: f32,
    inverse: f32,
    low: Cell,
    high: Cell,
}

/// All cells from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) low: Cell,
    pub(super) high: Cell,
}

impl CellMap {
    /// Cells of this size, wherever they are.
    pub(super) fn new(size: f32) -> Self {
        // Not `clamp`, which would let a NaN through.
        let size = if size > SMALLEST_SIZE { size.min(LARGEST_SIZE) } else { SMALLEST_SIZE };
        Self { size, inverse: 1.0 / size, low: [-FARTHEST; 3], high: [FARTHEST; 3] }
    }

    /// Cells of this size in a window of 2^21 per axis around a point. What lies outside belongs to the cells at the
    /// border.
    pub(super) fn around(size: f32, center: Vec3) -> Self {
        let map = Self::new(size);
        let center = map.cell(center);
        Self { low: center.map(|c| c - WINDOW), high: center.map(|c| c + WINDOW - 1), ..map }
    }

    /// How wide the cells are: the size asked for, unless that was out of range.
    #[inline]
    pub(super) fn size(&self) -> f32 {
        self.size
    }

    /// The cell of a point.
    #[inline]
    pub(super) fn cell(&self, point: Vec3) -> Cell {
        let scaled = point * self.inverse;
        let clamped = |value: f32, axis: usize| floor(value).max(self.low[axis]).min(self.high[axis]);
        [clamped(scaled.x, 0), clamped(scaled.y, 1), clamped(scaled.z, 2)]
    }

    /// The cells a box overlaps.
    #[inline]
    pub(super) fn range(&self, aabb: &Aabb) -> CellRange {
        CellRange { low: self.cell(aabb.min), high: self.cell(aabb.max) }
    }
}

impl CellRange {
    /// Does the range reach no farther than the next cell on every axis?
    #[inline]
    pub(super) fn is_small(&self) -> bool {
        (0..3).all(|axis| self.high[axis] - self.low[axis] <= 1)
    }
}

/// `value.floor()`, saturating. Spelled out because without SSE 4.1, which the x86-64 baseline lacks, `floor` is a call.
#[inline]
fn floor(value: f32) -> i32 {
    let truncated = value as i32;
    truncated.saturating_sub(i32::from(truncated as f32 > value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floor_rounds_down_and_saturates() {
        let table = [
            (0.0, 0),
            (0.99, 0),
            (1.0, 1),
            (-0.01, -1),
            (-1.0, -1),
            (-1e-45, -1),
            (1e30, i32::MAX),
            (-1e30, i32::MIN),
            (f32::INFINITY, i32::MAX),
            (f32::NEG_INFINITY, i32::MIN),
            (-16_777_216.0, -16_777_216),
        ];
        for (value, cell) in table {
            assert_eq!(floor(value), cell, "{value}");
        }
    }

    proptest! {
        #[test]
        fn cells_are_monotone(a in any::<f32>(), b in any::<f32>(), size in any::<f32>(), center in any::<f32>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            let (a, b) = (a.min(b), a.max(b));
            for map in [CellMap::new(size), CellMap::around(size, Vec3::splat(center))] {
                let (low, high) = (map.cell(Vec3::splat(a)), map.cell(Vec3::splat(b)));
                prop_assert!(low[0] <= high[0], "{low:?} {high:?}");
            }
        }
    }
}
