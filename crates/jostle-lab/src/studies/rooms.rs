//! What the studies of Woulfe's thesis share: benchmarks are Rooms, and a cell of a study is one Room with all finders.
//!
//! A world bakes the paths of the objects; its narrow phase is the same for all finders, because they give it the same
//! pairs. Then the finders take turns on the baked boxes, several times, and their pairs are verified. In the samples: of
//! `world` `narrow` (ms), `rest` (ms of the frame but for its own finder), `contacts`; of each finder what a contest notes.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{ratio, text};
use super::repeated::least_of_runs;
use crate::experiment::{Cell, Contest, Options, Results, Samples, Statistics, Unit, Watch};
use crate::finders::AUTO_BY_WORK;
use crate::report::Block;
use crate::scenes::{ObjectType, Room, SceneSpec};

/// The three of the thesis (its DBVT is a tree of boxes), and ours that chooses.
pub(super) const FINDERS: [&str; 4] = ["all-pairs", "sap", "tree", AUTO_BY_WORK];
/// Who baked the paths.
pub(super) const WORLD: &str = "world";
/// The thesis seeds with this: seed 1 of a study is it, others are others.
const SOURCE_SEED: u64 = 0xAAAA_AAAA;
/// How many cycles the thesis ran.
pub(super) const SOURCE_CYCLES: u32 = 1000;
/// How much of a cell the baking is, for the progress bar.
const BAKING: f64 = 0.5;

/// A Room of a study.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Benchmark {
    /// The name of its cell.
    pub(super) cell: String,
    /// What differs from the default Room, in words.
    pub(super) about: String,
    pub(super) room: Room,
}

/// The finders of a study: those the user chose, or the three and ours.
pub(super) fn finders(options: &Options) -> Vec<String> {
    options.finders.clone().unwrap_or_else(|| FINDERS.map(str::to_string).to_vec())
}

/// As many cycles as the user wants, or the thesis ran, or are enough for a look.
pub(super) fn cycles(options: &Options, quick: u32) -> u32 {
    options.frames.unwrap_or(if options.full { SOURCE_CYCLES } else { quick })
}

/// The seed of a Room.
pub(super) fn seed(options: &Options) -> u64 {
    SOURCE_SEED.wrapping_add(options.seed).wrapping_sub(1)
}

pub(super) fn cells<'a>(
    benchmarks: Vec<Benchmark>,
    quick: u32,
    options: &'a Options,
    catalog: &'a Catalog,
) -> Vec<Cell<'a>> {
    let cell = |Benchmark { cell, mut room, .. }: Benchmark| {
        room.cycles = cycles(options, quick);
        room.seed = seed(options);
        // Pieces of concave bodies are what the world works on.
        let is_concave =
            matches!(room.kind, ObjectType::Bunnies | ObjectType::Armadillos | ObjectType::Uniform);
        let pieces = if is_concave { 10.0 } else { 1.0 };
        Cell {
            name: cell,
            work: room.objects as f64 * pieces,
            run: Box::new(move |watch: &Watch<'_>| measure(&room, options, catalog, watch)),
        }
    };
    benchmarks.into_iter().map(cell).collect()
}

fn measure(room: &Room, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let part = |from: f64, share: f64| move |done: f64| (watch.done)(from + share * done);
    let baking = part(0.0, BAKING);
    // On one thread, as the finders are.
    let baked = SceneSpec::Room(Box::new(room.clone())).bake(1, &Watch { done: &baking, ..*watch })?;
    let mut samples = Samples::default();
    let own = baked.stage("find_pairs");
    for (frame, narrow) in baked.stage("find_contacts").into_iter().enumerate() {
        let whole: f64 = baked.stages[frame].iter().sum();
        samples.push(WORLD, "narrow", Unit::Milliseconds, narrow);
        samples.push(WORLD, "rest", Unit::Milliseconds, whole - own[frame]);
        samples.push(WORLD, "contacts", Unit::Count, baked.contacts[frame] as f64);
    }
    let finding = part(BAKING, 1.0 - BAKING);
    let contest = Contest { catalog, finders: finders(options), threads: vec![1], frames: baked.frames };
    let found = least_of_runs(&Watch { done: &finding, ..*watch }, |verified, watch| {
        contest.run_as(baked.play()?, verified, watch)
    })?;
    samples.series.extend(found.series);
    Ok(samples)
}

/// What was measured of the benchmarks of a study.
pub(super) struct View<'a> {
    pub(super) results: &'a Results,
}

impl View<'_> {
    pub(super) fn broad(&self, cell: &str, finder: &str) -> Option<Statistics> {
        Statistics::of(self.results.values(cell, finder, "broad"))
    }

    pub(super) fn narrow(&self, cell: &str) -> Option<Statistics> {
        Statistics::of(self.results.values(cell, WORLD, "narrow"))
    }

    /// The median of the broad phase: what findings compare, because a busy machine disturbs it least.
    pub(super) fn typical(&self, cell: &str, finder: &str) -> Option<f64> {
        self.broad(cell, finder).map(|broad| broad.median)
    }

    /// How many pairs of boxes there are in a frame, as a part of the objects. The same for all finders.
    pub(super) fn colliding(&self, cell: &str, objects: usize) -> Option<f64> {
        let anybody = *self.results.cells.get(cell)?.everyone("pairs").first()?;
        let pairs = Statistics::of(self.results.values(cell, anybody, "pairs"))?;
        ratio(Some(pairs.mean), Some(objects as f64))
    }

    /// The part of collision detection that is broad phase, by sums.
    pub(super) fn broad_share(&self, cell: &str, finder: &str) -> Option<f64> {
        let (broad, narrow) = (self.broad(cell, finder)?.total, self.narrow(cell)?.total);
        ratio(Some(broad), Some(broad + narrow))
    }

    /// Narrow phase by broad phase, by sums.
    pub(super) fn narrow_to_broad(&self, cell: &str, finder: &str) -> Option<f64> {
        ratio(self.narrow(cell).map(|narrow| narrow.total), self.broad(cell, finder).map(|broad| broad.total))
    }

    /// The parts of a frame that are collision detection, and broad phase alone, by sums.
    pub(super) fn loop_shares(&self, cell: &str, finder: &str) -> Option<(f64, f64)> {
        let (broad, narrow) = (self.broad(cell, finder)?.total, self.narrow(cell)?.total);
        let whole = Statistics::of(self.results.values(cell, WORLD, "rest"))?.total + broad;
        Some(((broad + narrow) / whole, broad / whole))
    }
}

/// What all reports on Rooms have to add.
pub(super) fn note() -> Block {
    text(format!(
        "Seed 1 of a study is the thesis' own seed {SOURCE_SEED:X} for both generators of a Room; other seeds count on from it. `tree` \
         stands for the thesis' DBVT. Bunnies and armadillos are bodies of 22 and 25 convex pieces made by rule. Bodies that come to \
         rest fall asleep, and boxes that do not move cost most finders nothing."
    ))
}

/// `12.3 ± 4.5` of times, or a dash.
pub(super) fn mean_and_deviation(statistics: Option<&Statistics>) -> String {
    let digits = crate::numbers::three_digits;
    statistics.map_or("-".to_string(), |of| format!("{} ± {}", digits(of.mean), digits(of.sd)))
}
