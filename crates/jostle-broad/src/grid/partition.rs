//! Partitions for co-processors: boxes in cells of at most `capacity`, so that every pair that overlaps shares a cell.
//!
//! A co-processor tests all pairs of a cell; what it has room for is the capacity. A box may be in several cells, and a
//! pair may then be found in several: whoever joins the pairs of cells takes out the [duplicates](Partition::remove_duplicates).
//! [`GridPartition`] keeps a uniform grid from frame to frame and joins small cells; [`TreePartition`] halves
//! space anew in each frame. Both rest on one fact: the side of a coordinate is a monotone function of it, so that the
//! corner two boxes share leads both to a common cell.

mod sizing;
mod tree;
mod uniform;

pub use sizing::{CellFactors, cell_factors};
pub use tree::TreePartition;
pub use uniform::GridPartition;

use thiserror::Error;

/// The smallest capacity: below it the sizing rule has no solution.
pub const LEAST_CAPACITY: usize = 6;

/// A capacity that cells cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cells of at most {capacity} boxes cannot be made; choose a capacity of {LEAST_CAPACITY} or more")]
pub struct CapacityError {
    capacity: usize,
}

fn checked(capacity: usize) -> Result<usize, CapacityError> {
    if capacity < LEAST_CAPACITY { Err(CapacityError { capacity }) } else { Ok(capacity) }
}

/// Cells of boxes. Boxes are named by their slots in the [`Boxes`](crate::Boxes) they came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    slots: Vec<u32>,
    /// Where the boxes of each cell end.
    ends: Vec<usize>,
    capacity: usize,
}

impl Partition {
    fn reset(&mut self, capacity: usize) {
        self.slots.clear();
        self.ends.clear();
        self.capacity = capacity;
    }

    fn push_cell(&mut self, slots: &[u32]) {
        self.slots.extend_from_slice(slots);
        self.ends.push(self.slots.len());
    }

    /// The boxes of each cell, each once.
    pub fn cells(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|cell| self.cell(cell))
    }

    /// The boxes of a cell: what a co-processor calls 0, 1, 2, ... in it.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn cell(&self, index: usize) -> &[u32] {
        let begin = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.slots[begin..self.ends[index]]
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no cell? So it is where there is no box.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many boxes are in all cells together; those in several cells count several times.
    pub fn entries(&self) -> usize {
        self.slots.len()
    }

    /// How many boxes a cell has on average.
    pub fn mean_occupancy(&self) -> f64 {
        self.entries() as f64 / self.len().max(1) as f64
    }

    /// Cells that hold more than the capacity because no plane tells their boxes apart: they have to be worked on in
    /// pieces.
    pub fn oversized(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&cell| self.cell(cell).len() > self.capacity)
    }

    /// Sorts the pairs that cells gave, takes out those found before, and says how many these were.
    pub fn remove_duplicates<T: Ord>(pairs: &mut Vec<T>) -> usize {
        let found = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        found - pairs.len()
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>() + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests;
