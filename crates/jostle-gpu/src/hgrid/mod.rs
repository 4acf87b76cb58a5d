//! The finder `gpu-hgrid`: the four stages of 'Collision detection using hierarchical grid spatial partitioning on the
//! GPU' (Kroiss), kept as the reference to measure against.
//!
//! `initialise` writes eight entries for each box and level, used or not; `sort` brings those of a cell together;
//! `construct` lists the cells; `traverse` tests all boxes of a cell against each other, a thread per cell, with a matrix
//! of the pairs tested. What differs: cells are numbered instead of hashed, coordinates are compared as integers, and
//! where the matrix does not fit the adapter, a local rule takes its place.

mod finder;
mod plan;

pub use finder::{HgridFinder, TestedPairs};
