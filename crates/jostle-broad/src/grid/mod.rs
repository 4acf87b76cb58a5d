//! Grids: boxes are near each other when they share a cell.
//!
//! [`UniformGrid`] has one cell size; [`HierarchicalGrid`] has levels of cells, each twice as wide as the one below,
//! and enters a box either in one cell or in all cells it overlaps. All of them rest on one fact and no other: the cell
//! of a coordinate is a monotone function of it (`cells.rs`), so no rounding can lose a pair. Boxes that no cell can
//! hold, infinite ones above all, are kept in a list and tested against everything (`large.rs`). Partitions
//! (`partition.rs`) are cells for co-processors, which find the pairs themselves.

mod all_cells;
mod cells;
mod census;
mod entries;
mod hierarchical;
mod large;
mod levels;
mod partition;
mod single_cell;
mod traverse;
mod uniform;

pub use hierarchical::{HierarchicalGrid, InsertionPolicy};
pub use levels::Levels;
pub use partition::{
    CapacityError, CellFactors, GridPartition, LEAST_CAPACITY, Partition, TreePartition, cell_factors,
};
pub use uniform::{CellSize, UniformGrid};
