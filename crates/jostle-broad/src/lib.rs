//! Exact overlapping pairs among very many moving boxes.
//!
//! Put boxes into a [`Boxes`], choose a [`PairFinder`], and each frame: update the boxes, update the finder, read
//! [`PairFinder::pairs`]. Every finder returns exactly the pairs whose closed boxes overlap, each once; they differ in
//! what they cost.

mod aabb;
mod all_pairs;
mod arrays;
mod boxes;
mod brute;
mod catalog;
mod exec;
mod finder;
mod pairs;
mod round;
pub mod scene;
mod simd;
pub mod verify;

pub use aabb::Aabb;
pub use all_pairs::{AllPairs, ZigZag};
pub use boxes::{
    Axis, BoxError, BoxSlice, Boxes, BoxesSettings, Change, Changes, Dimensions, Filter, Moved, Revision,
};
pub use brute::Brute;
pub use catalog::{Catalog, FinderEntry, UnknownFinder};
pub use exec::{Executor, ExecutorError};
pub use finder::{FindError, FindReport, FindSettings, PairFinder, StageClock};
pub use glam;
pub use pairs::{Pair, PairBuffer, PairRun};
pub use simd::{Lanes, LanesError};

/// Compiles the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
