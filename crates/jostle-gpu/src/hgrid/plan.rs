//! Region and cell sizes of the hierarchical grid, chosen by the host in the integers the kernels count in.
//!
//! The coarsest cells are at least as large as the largest box, so that a box overlaps eight cells of a level at most;
//! each finer level halves them. Cells are no smaller than a part of the region: a level has fewer than 2^29 of them.

use bytemuck::{Pod, Zeroable};
use jostle_broad::Aabb;

/// Levels a key has room for.
pub(super) const MOST_LEVELS: u32 = 8;
/// Cells per axis on the finest level, at most: 800^3 < 2^29.
const MOST_CELLS: u32 = 800;
const FIXED_LIMIT: f64 = 0x3fff_ffff as f64;

/// The plan as kernels read it: see `wgsl/cells.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Plan {
    origin: [i32; 3],
    scale: i32,
    width: [u32; 3],
    table: u32,
    factor: [u32; 3],
    coarsest: u32,
    dims: [[u32; 4]; 32],
    homes: [u32; 32],
}

impl Plan {
    /// A plan for boxes (NaN where there is none), with so many levels.
    pub(super) fn new(aabbs: &[Aabb], levels: u32) -> Self {
        let live = || aabbs.iter().filter(|aabb| !aabb.min.x.is_nan());
        let numbers = live().flat_map(|aabb| [aabb.min, aabb.max]).flat_map(|corner| corner.to_array());
        let far =
            numbers.filter(|number| number.is_finite()).fold(0.0f32, |far, number| far.max(number.abs()));
        let scale = 6 - (far.to_bits() >> 23).max(1) as i32;
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for aabb in live() {
            for axis in 0..3 {
                let (min, max) = (aabb.min[axis], aabb.max[axis]);
                // An unbounded side counts to the outermost cells wherever they are.
                let ends = [min, max].map(|end| if end.is_finite() { Some(fixed(end, scale)) } else { None });
                for end in ends.into_iter().flatten() {
                    low[axis] = low[axis].min(end);
                    high[axis] = high[axis].max(end);
                }
            }
        }
        let mut plan = Self::zeroed();
        plan.scale = scale;
        for axis in 0..3 {
            plan.origin[axis] = if low[axis] > high[axis] { 0 } else { low[axis] };
            plan.width[axis] = i64::from(high[axis]).saturating_sub(i64::from(low[axis])).max(0) as u32;
        }
        plan.choose_cells(live(), levels);
        for level in 0..levels {
            let cells = |axis: usize| (high_half(plan.width[axis], plan.factor[axis]) >> level) + 1;
            plan.dims[level as usize] = [cells(0), cells(1), cells(2), 0];
        }
        plan
    }

    /// The finest cells such that all boxes fit the coarsest level.
    fn choose_cells<'a>(&mut self, live: impl Iterator<Item = &'a Aabb> + Clone, levels: u32) {
        let coarsest = levels - 1;
        let mut widest = [0u32; 3];
        for aabb in live.clone() {
            for (axis, widest) in widest.iter_mut().enumerate() {
                let span = self.inside(aabb.max[axis], axis) - self.inside(aabb.min[axis], axis);
                *widest = span.max(*widest);
            }
        }
        for (axis, widest) in widest.into_iter().enumerate() {
            let least = self.width[axis].div_ceil(MOST_CELLS).max(2);
            let mut cell = (widest >> coarsest).saturating_add(1).max(least);
            loop {
                self.factor[axis] = u32::MAX / cell;
                let at = |number: f32| high_half(self.inside(number, axis), self.factor[axis]) >> coarsest;
                if live.clone().all(|aabb| at(aabb.max[axis]) - at(aabb.min[axis]) <= 1) {
                    break;
                }
                cell = cell.saturating_add(cell / 8 + 1);
            }
        }
    }

    /// A coordinate in the region, in fixed point.
    fn inside(&self, number: f32, axis: usize) -> u32 {
        let offset = i64::from(fixed(number, self.scale)) - i64::from(self.origin[axis]);
        offset.clamp(0, i64::from(self.width[axis])) as u32
    }

    /// The widths of the finest cells, in units of length.
    pub(super) fn finest(&self) -> [f64; 3] {
        self.factor.map(|factor| 2f64.powi(-(self.scale + 150)) * 2f64.powi(32) / f64::from(factor))
    }
}

/// See `fixed` in `wgsl/cells.wgsl`: exact, because a float times a power of two is an `f64`.
fn fixed(number: f32, scale: i32) -> i32 {
    let scaled = f64::from(number) * 2f64.powi(scale + 150);
    scaled.trunc().clamp(-FIXED_LIMIT, FIXED_LIMIT) as i32
}

/// See `multiply_high` in `wgsl/cells.wgsl`.
fn high_half(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}
