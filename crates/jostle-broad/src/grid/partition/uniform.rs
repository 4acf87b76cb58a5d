//! Cells of a uniform grid: kept from frame to frame, small ones joined anew in each.

use std::collections::BTreeMap;

use super::tree::halve;
use super::{CapacityError, Partition, cell_factors};
use crate::{Boxes, Change, Changes, Revision};

/// Cells of a grid may be this many times as many as boxes, at most; otherwise they are made larger.
const CELLS_PER_BOX: usize = 4;
/// And this many in any case.
const FEW_CELLS: usize = 64;

/// Boxes in all cells of a grid that they overlap; the grid is laid out for the boxes of the first update, and only boxes
/// that reach other cells than before are entered anew.
///
/// Cells are sized so that boxes that do not intersect cannot be too many for one ([`cell_factors`]). Where they are, they
/// are halved as in [`TreePartition`](super::TreePartition).
#[derive(Clone, Debug)]
pub struct GridPartition {
    capacity: usize,
    pub(super) grid: Option<Grid>,
    /// The boxes of every cell that has some, ascending.
    pub(super) cells: BTreeMap<u32, Vec<u32>>,
    /// The cells each slot is in.
    spans: Vec<Option<Span>>,
    seen: Option<Revision>,
    moved: usize,
    partition: Partition,
}

/// Where cells are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    origin: [f32; 3],
    per_length: [f64; 3],
    counts: [u32; 3],
}

/// From the first to the last cell on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: [u32; 3],
    last: [u32; 3],
}

impl GridPartition {
    /// Cells of at most this many boxes.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        cell_factors(capacity)?;
        Ok(Self {
            capacity,
            grid: None,
            cells: BTreeMap::new(),
            spans: Vec::new(),
            seen: None,
            moved: 0,
            partition: Partition::default(),
        })
    }

    /// The cells of the boxes as they are now.
    pub fn update(&mut self, boxes: &Boxes) -> &Partition {
        let grid = *self.grid.get_or_insert_with(|| Grid::of(boxes, self.capacity));
        self.moved = 0;
        self.spans.resize(boxes.slots().max(self.spans.len()), None);
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => {
                changes
                    .iter()
                    .map(|change: &Change| change.slot())
                    .for_each(|slot| self.enter(slot, &grid, boxes));
            }
            Changes::Everything => {
                (0..self.spans.len() as u32).for_each(|slot| self.enter(slot, &grid, boxes));
            }
        }
        self.seen = Some(boxes.revision());
        self.join(boxes);
        &self.partition
    }

    /// The cells of the latest update.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// How many boxes the latest update entered anew, because they reach other cells than before.
    pub fn moved(&self) -> usize {
        self.moved
    }

    /// Brings the cells of a slot up to date.
    fn enter(&mut self, slot: u32, grid: &Grid, boxes: &Boxes) {
        let is_live = (slot as usize) < boxes.slots() && boxes.is_live(slot);
        let now = is_live.then(|| grid.span(boxes, slot));
        let before = std::mem::replace(&mut self.spans[slot as usize], now);
        if before == now {
            return;
        }
        self.moved += 1;
        for cell in before.iter().flat_map(|span| span.cells(grid)) {
            if let Some(list) = self.cells.get_mut(&cell) {
                list.retain(|&there| there != slot);
                if list.is_empty() {
                    self.cells.remove(&cell);
                }
            }
        }
        for cell in now.iter().flat_map(|span| span.cells(grid)) {
            let list = self.cells.entry(cell).or_default();
            let at = list.partition_point(|&there| there < slot);
            list.insert(at, slot);
        }
    }

    /// Walks over all cells, and joins them as long as what they hold together is less than the capacity.
    fn join(&mut self, boxes: &Boxes) {
        self.partition.reset(self.capacity);
        let mut joined = Vec::with_capacity(self.capacity);
        // In which joined cell a slot was last seen: most reach into several cells that are joined.
        let mut seen_in = vec![usize::MAX; self.spans.len()];
        let mut number = 0;
        for list in self.cells.values() {
            let more = list.iter().filter(|&&slot| seen_in[slot as usize] != number).count();
            if !joined.is_empty() && joined.len() + more >= self.capacity {
                close(boxes, &mut joined, &mut self.partition);
                number += 1;
            }
            for &slot in list {
                if std::mem::replace(&mut seen_in[slot as usize], number) != number {
                    joined.push(slot);
                }
            }
        }
        close(boxes, &mut joined, &mut self.partition);
    }
}

/// Adds a cell, halved where it is too large.
fn close(boxes: &Boxes, joined: &mut Vec<u32>, partition: &mut Partition) {
    if joined.len() > partition.capacity {
        halve(boxes, std::mem::take(joined), partition);
    } else if !joined.is_empty() {
        partition.push_cell(joined);
    }
    joined.clear();
}

impl Grid {
    /// A grid around all boxes, with cells in multiples of the smallest.
    fn of(boxes: &Boxes, capacity: usize) -> Self {
        let factors = cell_factors(capacity).expect("checked when it was made").sides;
        let (mut low, mut high, mut smallest) =
            ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
        for slot in boxes.live_slots() {
            let aabb = boxes.aabb(slot);
            for axis in 0..3 {
                let (min, max) = (aabb.min[axis], aabb.max[axis]);
                if min.is_finite() && max.is_finite() {
                    (low[axis], high[axis]) = (low[axis].min(min), high[axis].max(max));
                    if max > min {
                        smallest[axis] = smallest[axis].min(max - min);
                    }
                }
            }
        }
        let length = [0, 1, 2].map(|axis| f64::from(high[axis]) - f64::from(low[axis]));
        let cells = |axis: usize| {
            let count = (length[axis] / (f64::from(smallest[axis]) * factors[axis] as f64)).ceil();
            // NaN and what is too many become one cell and the most there can be.
            (count as u32).max(1)
        };
        let mut counts = [0, 1, 2].map(cells);
        let most = (boxes.len() * CELLS_PER_BOX).max(FEW_CELLS) as f64;
        while counts.map(f64::from).iter().product::<f64>() > most {
            let longest = (0..3).max_by_key(|&axis| counts[axis]).expect("there are three");
            counts[longest] = counts[longest].div_ceil(2);
        }
        let per_length = [0, 1, 2].map(|axis| {
            let per_length = f64::from(counts[axis]) / length[axis];
            if per_length.is_finite() { per_length } else { 0.0 }
        });
        Self { origin: low.map(|low| if low.is_finite() { low } else { 0.0 }), per_length, counts }
    }

    fn span(&self, boxes: &Boxes, slot: u32) -> Span {
        let aabb = boxes.aabb(slot);
        let cell = |axis: usize, at: f32| {
            let cell = (f64::from(at) - f64::from(self.origin[axis])) * self.per_length[axis];
            // The cast saturates: what lies outside is in the cells at the border.
            (cell as u32).min(self.counts[axis] - 1)
        };
        let cells = |corner: glam::Vec3| [0, 1, 2].map(|axis| cell(axis, corner[axis]));
        Span { first: cells(aabb.min), last: cells(aabb.max) }
    }
}

impl Span {
    fn cells<'a>(&self, grid: &'a Grid) -> impl Iterator<Item = u32> + use<'a> {
        let Self { first, last } = *self;
        let [width, height, _] = grid.counts;
        (first[2]..=last[2]).flat_map(move |z| {
            (first[1]..=last[1])
                .flat_map(move |y| (first[0]..=last[0]).map(move |x| (z * height + y) * width + x))
        })
    }
}
