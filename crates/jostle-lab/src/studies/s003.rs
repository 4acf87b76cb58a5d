//! What the studies of 'Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU' share: its scenes, and
//! its grid on the CPU.
//!
//! The grid is `hgrid-cells`, which enters boxes in all cells they overlap on all levels that hold them, and has the source's
//! four stages: initialise, sort, construct, traverse. Here its number of levels is fixed, and all numbers take turns.

use anyhow::Result;
use jostle_broad::{FindSettings, HierarchicalGrid, InsertionPolicy, Levels};

use super::figures::settled;
use super::repeated::least_of_runs;
use crate::bench::run::Member;
use crate::experiment::{Contest, Options, Results, Samples, Statistics, Watch};
use crate::machine::affordable_pairs;
use crate::scenes::{Crowd, SceneSpec};

pub(super) const SOURCE: &str = "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU";
const FRAMES: u32 = 15;
const FULL_FRAMES: u32 = 60;
/// The source calls 30 frames a second real time.
pub(super) const REAL_TIME: f64 = 33.0;

/// What a grid of so many levels is called.
pub(super) fn grid(levels: u32) -> String {
    if levels == 1 { "1 level".to_string() } else { format!("{levels} levels") }
}

/// Boxes of sizes from 1 to `disparity` that all move a little, about one and a half pairs to a box; the grid with each of
/// these numbers of levels.
pub(super) fn measure(
    objects: usize,
    disparity: f64,
    levels: &[u32],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
    let crowd = Crowd { objects, frames, seed: options.seed, disparity, ..Crowd::default() };
    let baked = SceneSpec::Crowd(Box::new(crowd)).bake(1, watch)?;
    let member = |&count: &u32| {
        let mut finder = HierarchicalGrid::new(InsertionPolicy::AllCells);
        finder.levels = Levels::Fixed(count);
        let settings = FindSettings {
            changes: true,
            pair_limit: Some(affordable_pairs(levels.len())),
            ..FindSettings::default()
        };
        Member::new(grid(count), Box::new(finder), settings)
    };
    least_of_runs(watch, |verified, watch| {
        Contest::play(levels.iter().map(member).collect(), frames, baked.play()?, verified, watch)
    })
}

/// The statistics of a grid in a cell, the first frame apart.
pub(super) fn statistics(results: &Results, cell: &str, levels: u32, measure: &str) -> Option<Statistics> {
    Statistics::of(settled(results.values(cell, &grid(levels), measure)))
}
