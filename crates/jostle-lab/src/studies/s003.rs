//! What the studies of 'Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU' share: its scenes, and
//! its grid, on the CPU and on the GPU.
//!
//! On the CPU the grid is `hgrid-cells`, which enters boxes in all cells they overlap on all levels that hold them; on the GPU
//! it is `gpu-hgrid`, where an adapter opens. Both have the source's four stages: initialise, sort, construct, traverse.
//! Their number of levels is fixed here, and all numbers take turns.

use anyhow::Result;
use jostle_broad::{FindSettings, HierarchicalGrid, InsertionPolicy, Levels, PairFinder};

use super::figures::{settled, text};
use super::repeated::least_of_runs;
use crate::bench::run::Member;
use crate::experiment::{Contest, Options, Results, Samples, Statistics, Watch};
use crate::gpu::{Adapter, Device, HOW_TO_BUILD};
use crate::machine::affordable_pairs;
use crate::report::Block;
use crate::scenes::named::source_003;
use crate::scenes::{Crowd, SceneSpec};

pub(super) const SOURCE: &str = "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU";
const FRAMES: u32 = 15;
const FULL_FRAMES: u32 = 60;
/// The source calls 30 frames a second real time.
pub(super) const REAL_TIME: f64 = 33.0;
/// Objects at most on an adapter that is a CPU in disguise.
const SOFTWARE_MOST: usize = 5_000;

/// Where a grid runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Cpu,
    Gpu,
}

impl Side {
    /// Those that are measured with these options.
    pub(super) fn all(options: &Options) -> Vec<Self> {
        if options.adapter.is_some() { vec![Self::Cpu, Self::Gpu] } else { vec![Self::Cpu] }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "one thread of the CPU",
            Self::Gpu => "the GPU",
        }
    }
}

/// What a grid of so many levels is called.
pub(super) fn grid(levels: u32) -> String {
    if levels == 1 { "1 level".to_string() } else { format!("{levels} levels") }
}

/// And what it is called in the samples.
pub(super) fn who(side: Side, levels: u32) -> String {
    match side {
        Side::Cpu => grid(levels),
        Side::Gpu => format!("GPU, {}", grid(levels)),
    }
}

/// The adapter, if it is one for so many objects.
pub(super) fn adapter_for(options: &Options, objects: usize) -> Option<&Adapter> {
    options.adapter.as_ref().filter(|adapter| !adapter.is_software() || objects <= SOFTWARE_MOST)
}

/// Boxes of sizes from 1 to `disparity` that all move a little, about one and a half pairs to a box; the grid with each of
/// these numbers of levels, on the CPU and (where there is one) on the GPU.
pub(super) fn measure(
    objects: usize,
    disparity: f64,
    levels: &[u32],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
    let crowd = Crowd { objects, frames, seed: options.seed, ..source_003(disparity) };
    let baked = SceneSpec::Crowd(Box::new(crowd)).bake(1, watch)?;
    let device = adapter_for(options, objects).map(Device::open).transpose()?;
    let member = |side: Side, count: u32, finder: Box<dyn PairFinder>| {
        let settings = FindSettings {
            changes: true,
            pair_limit: Some(affordable_pairs(2 * levels.len())),
            ..FindSettings::default()
        };
        Member::new(who(side, count), finder, settings)
    };
    let members = || -> Result<Vec<Member>> {
        let mut members = Vec::new();
        for &count in levels {
            let mut finder = HierarchicalGrid::new(InsertionPolicy::AllCells);
            finder.levels = Levels::Fixed(count);
            members.push(member(Side::Cpu, count, Box::new(finder)));
        }
        if let Some(device) = &device {
            for &count in levels {
                members.push(member(Side::Gpu, count, device.hgrid(count)?));
            }
        }
        Ok(members)
    };
    least_of_runs(watch, |verified, watch| Contest::play(members()?, frames, baked.play()?, verified, watch))
}

/// The statistics of a grid in a cell, the first frame apart.
pub(super) fn statistics(
    results: &Results,
    cell: &str,
    side: Side,
    levels: u32,
    measure: &str,
) -> Option<Statistics> {
    Statistics::of(settled(results.values(cell, &who(side, levels), measure)))
}

/// What all reports have to add.
pub(super) fn note(options: &Options) -> Block {
    let mut said = adapter_in_words(options);
    if let Some(adapter) = &options.adapter {
        said.push_str(&if adapter.is_software() {
            format!(" Scenes of more than {SOFTWARE_MOST} objects are left to the CPU.")
        } else {
            " Stages of its grid are by the device's clock; `upload`, `read back` and the whole frame by the host's. `other` is the rest \
             of the search: waiting, clearing the matrix of tested pairs, further dispatches for very full cells."
                .to_string()
        });
    }
    text(said)
}

/// The adapter, or why there is none.
pub(super) fn adapter_in_words(options: &Options) -> String {
    match &options.adapter {
        Some(adapter) if adapter.is_software() => format!(
            "The GPU is {}: a software adapter, so its times are those of a CPU in disguise and say that all works, nothing more. \
             --adapter chooses another.",
            adapter.name
        ),
        Some(adapter) => format!("The GPU is {} ({}).", adapter.name, adapter.kind),
        None if cfg!(feature = "gpu") => {
            "No GPU opened (`jostle doctor` shows adapters, --adapter chooses one): only the CPU was measured.".to_string()
        }
        None => format!("Only the CPU was measured: {HOW_TO_BUILD}."),
    }
}
