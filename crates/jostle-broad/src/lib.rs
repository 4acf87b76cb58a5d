//! Exact overlapping pairs among very many moving boxes.
//!
//! Put boxes into a [`Boxes`], choose a [`PairFinder`], and each frame: update the boxes, update the finder, read
//! [`PairFinder::pairs`]. Every finder returns exactly the pairs whose closed boxes overlap, each once; they differ in
//! what they cost.

mod aabb;
mod all_pairs;
mod arrays;
mod auto;
mod between;
mod boxes;
mod brute;
mod bvh;
mod catalog;
mod exec;
mod finder;
mod grid;
mod kdop;
mod obb;
mod pairs;
mod round;
mod sample;
mod sap;
pub mod scene;
mod simd;
mod sphere;
mod sweep;
mod tree;
pub mod verify;
mod volume;

pub use aabb::Aabb;
pub use all_pairs::{AllPairs, ZigZag};
pub use auto::{Auto, DecideBy, RelayFinder};
pub use between::{CrossPair, pairs_between};
pub use boxes::{
    Axis, BoxError, BoxSlice, Boxes, BoxesSettings, Change, Changes, Dimensions, Filter, Moved, Revision,
};
pub use brute::Brute;
pub use bvh::Bvh;
pub use catalog::{Catalog, FinderEntry, UnknownFinder};
pub use exec::{Executor, ExecutorError};
pub use finder::{FindError, FindReport, FindSettings, PairFinder, StageClock};
pub use glam;
pub use grid::{
    CapacityError, CellFactors, CellSize, GridPartition, HierarchicalGrid, InsertionPolicy, LEAST_CAPACITY,
    Levels, Partition, TreePartition, UniformGrid, cell_factors,
};
pub use kdop::{Kdop, Kdop14, Kdop18, Kdop26};
pub use obb::OrientedBox;
pub use pairs::{Pair, PairBuffer, PairIter, PairRun};
pub use sap::{OverlapMethod, Sap, SapSimd};
pub use simd::{Lanes, LanesError};
pub use sphere::Sphere;
pub use sweep::{Sweep, SweepTuning};
pub use tree::{
    Frustum, Near, Plane, QueryError, Ray, RayHit, Tree, TreeDefect, TreeFinder, TreeSettings,
    TreeSettingsError,
};
pub use volume::{BoundingVolume, VolumeError, retain_overlapping};

/// Compiles the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
