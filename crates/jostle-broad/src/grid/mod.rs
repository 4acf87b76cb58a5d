//! Grids: boxes are near each other when they share a cell.
//!
//! [`UniformGrid`] has one cell size; [`HierarchicalGrid`] has levels of cells, each twice as wide as the one below,
//! and enters a box either in one cell or in all cells it overlaps. All of them rest on one fact and no other: the cell
//! of a coordinate is a monotone function of it (`cells.rs`), so no rounding can lose a pair. Boxes that no cell can
//! hold, infinite ones above all, are kept in a list and tested against everything (`large.rs`).

mod all_cells;
mod cells;
mod census;
mod entries;
mod hierarchical;
mod large;
mod levels;
mod single_cell;
mod traverse;
mod uniform;

pub use hierarchical::{HierarchicalGrid, InsertionPolicy};
pub use levels::Levels;
pub use uniform::{CellSize, UniformGrid};
