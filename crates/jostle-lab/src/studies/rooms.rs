//! What the studies of Woulfe's thesis share: benchmarks are Rooms, and a cell of a study is one Room with all finders.
//!
//! A world bakes the paths of the objects, several times; its narrow phase is the same for all finders, because they give it
//! the same pairs. Then the finders take turns on the baked boxes, as often, and their pairs are verified. All times of a cycle
//! are the least of equally many runs, so that they may be divided by each other. In the samples: of `world` `narrow` (ms),
//! `rest` (ms of the frame but for its own finder), both of every run too (`narrow:1`, ...), `contacts`, and `colliding` (objects whose boxes overlap that of another object); of each finder
//! what a contest notes, and `total` (ms), which is `broad` and `narrow`.

use anyhow::{Result, ensure};
use jostle_broad::{Catalog, FindSettings};

use super::figures::{ratio, text};
use super::repeated::{RUNS, least_of_runs};
use crate::bench::run::Member;
use crate::experiment::{Cell, Contest, Options, Results, Samples, SceneFile, Statistics, Unit, Watch};
use crate::failure::Disagreement;
use crate::finders::AUTO_BY_WORK;
use crate::report::Block;
use crate::scenes::{Baked, ObjectType, Room, SceneSpec};

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

/// The Room of a benchmark with the cycles and the seed of a run.
fn as_run(benchmark: &Benchmark, quick: u32, options: &Options) -> Room {
    Room { cycles: cycles(options, quick), seed: seed(options), ..benchmark.room.clone() }
}

/// The scene files of the benchmarks as they are run: `jostle bench --scene` takes them.
pub(super) fn scenes(benchmarks: Vec<Benchmark>, quick: u32, options: &Options) -> Result<Vec<SceneFile>> {
    let file = |benchmark: Benchmark| {
        let text = SceneSpec::from(as_run(&benchmark, quick, options)).to_toml()?;
        Ok(SceneFile { name: format!("{}.toml", benchmark.cell), text })
    };
    benchmarks.into_iter().map(file).collect()
}

pub(super) fn cells<'a>(
    benchmarks: Vec<Benchmark>,
    quick: u32,
    options: &'a Options,
    catalog: &'a Catalog,
) -> Vec<Cell<'a>> {
    let cell = |benchmark: Benchmark| {
        let room = as_run(&benchmark, quick, options);
        // The world tests the pieces of a body against those of another.
        let pieces = match room.kind {
            ObjectType::Bunnies => 22.0,
            ObjectType::Armadillos => 25.0,
            ObjectType::Uniform => (22.0 + 25.0 + 4.0) / 6.0,
            _ => 1.0,
        };
        Cell {
            name: benchmark.cell,
            work: room.objects as f64 * pieces * pieces,
            run: Box::new(move |watch: &Watch<'_>| measure(&room, options, catalog, watch)),
        }
    };
    benchmarks.into_iter().map(cell).collect()
}

fn measure(room: &Room, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let part = |from: f64, share: f64| move |done: f64| (watch.done)(from + share * done);
    let spec = SceneSpec::Room(Box::new(room.clone()));
    let mut bakings = Vec::with_capacity(RUNS);
    for run in 0..RUNS {
        let share = BAKING / RUNS as f64;
        let baking = part(run as f64 * share, share);
        // On one thread, as the finders are.
        bakings.push(spec.bake(1, &Watch { done: &baking, ..*watch })?);
    }
    let mut samples = of_world(&bakings)?;
    bakings.truncate(1);
    let baked = &bakings[0];
    let finding = part(BAKING, 1.0 - BAKING);
    let contest = Contest { catalog, finders: finders(options), threads: vec![1], frames: baked.frames };
    let found = least_of_runs(&Watch { done: &finding, ..*watch }, |verified, watch| {
        contest.run_as(baked.play()?, verified, watch)
    })?;
    let narrow = samples.values(WORLD, "narrow").to_vec();
    count_colliding(baked, catalog, &mut samples)?;
    samples.series.extend(found.series);
    add_totals(&mut samples, &narrow);
    Ok(samples)
}

/// What the world says of each frame: the least times of equal runs, and those of every run.
fn of_world(bakings: &[Baked]) -> Result<Samples> {
    let mut samples = Samples::default();
    let contacts = &bakings[0].contacts;
    ensure!(
        bakings.iter().all(|baked| baked.contacts == *contacts),
        Disagreement("world: other contacts in two equal runs".to_string())
    );
    let mut runs: Vec<[Vec<f64>; 2]> = Vec::new();
    for baked in bakings {
        let own = baked.stage("find_pairs");
        let rest = baked.stages.iter().zip(&own).map(|(stages, own)| stages.iter().sum::<f64>() - own);
        runs.push([baked.stage("find_contacts"), rest.collect()]);
    }
    for (index, measure) in ["narrow", "rest"].into_iter().enumerate() {
        for frame in 0..contacts.len() {
            let least = runs.iter().map(|run| run[index][frame]).fold(f64::INFINITY, f64::min);
            samples.push(WORLD, measure, Unit::Milliseconds, least);
        }
        for (number, run) in (1..).zip(&runs) {
            let kept = format!("{measure}:{number}");
            run[index].iter().for_each(|&time| samples.push(WORLD, &kept, Unit::Milliseconds, time));
        }
    }
    for &count in contacts {
        samples.push(WORLD, "contacts", Unit::Count, count as f64);
    }
    Ok(samples)
}

/// Adds how many objects are in a pair with another object in each frame; walls do not count. By itself, and not timed.
fn count_colliding(baked: &Baked, catalog: &Catalog, samples: &mut Samples) -> Result<()> {
    let mut member = Member::new(String::new(), catalog.get("sap")?.make(), FindSettings::default());
    let mut scene = baked.play()?;
    for frame in 0..baked.frames {
        if frame > 0 {
            scene.advance()?;
        }
        member.step(&scene, frame)?;
        let mut colliding = vec![false; baked.boxes()];
        for pair in member.finder.pairs().as_slice() {
            // Walls have the first ids.
            if pair.low as usize >= baked.walls {
                colliding[pair.low as usize] = true;
                colliding[pair.high as usize] = true;
            }
        }
        let count = colliding.iter().filter(|is| **is).count();
        samples.push(WORLD, "colliding", Unit::Count, count as f64);
    }
    Ok(())
}

/// Adds to every finder what collision detection takes with it in each cycle: broad and narrow phase.
fn add_totals(samples: &mut Samples, narrow: &[f64]) {
    let finders: Vec<String> = samples.everyone("broad").into_iter().map(str::to_string).collect();
    for finder in finders {
        let broad = samples.values(&finder, "broad").to_vec();
        for (broad, narrow) in broad.iter().zip(narrow) {
            samples.push(&finder, "total", Unit::Milliseconds, broad + narrow);
        }
    }
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

    /// Of broad and narrow phase together.
    pub(super) fn total(&self, cell: &str, finder: &str) -> Option<Statistics> {
        Statistics::of(self.results.values(cell, finder, "total"))
    }

    /// The mean of the broad phase: what the thesis compares, and so do findings.
    pub(super) fn mean(&self, cell: &str, finder: &str) -> Option<f64> {
        self.broad(cell, finder).map(|broad| broad.mean)
    }

    /// The part of the objects whose boxes overlap that of another object, on average. The same for all finders.
    pub(super) fn colliding(&self, cell: &str, objects: usize) -> Option<f64> {
        let colliding = Statistics::of(self.results.values(cell, WORLD, "colliding"))?;
        ratio(Some(colliding.mean), Some(objects as f64))
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
         stands for the thesis' DBVT. The narrow phase is that of the world which bakes the paths, {RUNS} times; the finders run {RUNS} \
         times on them. The time of a cycle is the least of the {RUNS} runs for both phases, in ratios and totals too; the samples keep \
         every run. Findings compare means, as the thesis does. Bunnies and armadillos are bodies of 22 and 25 convex pieces made by rule. Bodies that come to \
         rest fall asleep, and boxes that do not move cost most finders nothing."
    ))
}

/// `12.3 ± 4.5` of times, or a dash.
pub(super) fn mean_and_deviation(statistics: Option<&Statistics>) -> String {
    let digits = crate::numbers::three_digits;
    statistics.map_or("-".to_string(), |of| format!("{} ± {}", digits(of.mean), digits(of.sd)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    /// Row 8 of the digest.
    #[test]
    fn row_8_total_is_broad_and_narrow_and_statistics_follow_from_the_raw_log() {
        let options = Options { finders: Some(vec!["sap".into(), "tree".into()]), ..trial::options() };
        let room = Room { cycles: 5, ..Room::standard(40) };
        let catalog = crate::finders::catalog();
        let samples = trial::run(|watch| measure(&room, &options, &catalog, watch)).unwrap();
        // The times of the phases are the least of those of every run, as they were logged.
        let least = |who: &str, measure: &str| -> Vec<f64> {
            let run = |number: usize| samples.values(who, &format!("{measure}:{number}"));
            (0..5).map(|cycle| (1..=RUNS).map(|number| run(number)[cycle]).fold(f64::MAX, f64::min)).collect()
        };
        let narrow = least(WORLD, "narrow");
        assert_eq!(samples.values(WORLD, "narrow"), narrow);
        assert_eq!(samples.values(WORLD, "rest"), least(WORLD, "rest"));
        for finder in ["sap", "tree"] {
            let broad = least(finder, "broad");
            assert_eq!(samples.values(finder, "broad"), broad);
            let total: Vec<f64> = broad.iter().zip(&narrow).map(|(broad, narrow)| broad + narrow).collect();
            assert_eq!(samples.values(finder, "total"), total);
            let results = trial::made_up([("cell".to_string(), finder.to_string(), "total", total.clone())]);
            let told = View { results: &results }.total("cell", finder).unwrap();
            let sum = total.iter().sum::<f64>();
            let squares = total.iter().map(|time| (time - sum / 5.0).powi(2)).sum::<f64>();
            assert_eq!((told.samples, told.total, told.mean), (5, sum, sum / 5.0));
            assert!((told.sd - (squares / 4.0).sqrt()).abs() < 1e-12);
            assert_eq!(told.min, total.iter().copied().fold(f64::MAX, f64::min));
            assert_eq!(told.max, total.iter().copied().fold(0.0, f64::max));
        }
    }

    #[test]
    fn scene_files_are_the_rooms_that_run() {
        let benchmark = Benchmark { cell: "some".into(), about: String::new(), room: Room::standard(7) };
        let options = Options { frames: Some(4), seed: 2, ..trial::options() };
        let files = scenes(vec![benchmark], 9, &options).unwrap();
        assert_eq!((files.len(), &*files[0].name), (1, "some.toml"));
        let read = SceneSpec::from_toml(&files[0].text).unwrap();
        let room = Room { cycles: 4, seed: SOURCE_SEED + 1, ..Room::standard(7) };
        assert_eq!(read, SceneSpec::from(room));
    }

    #[test]
    fn objects_that_collide_are_counted_once_and_walls_are_not() {
        let room = Room { cycles: 3, ..Room::standard(60) };
        let baked = SceneSpec::from(room).bake(1, &Watch::alone(&|_| {}, &|| false)).unwrap();
        let mut samples = Samples::default();
        count_colliding(&baked, &crate::finders::catalog(), &mut samples).unwrap();
        let mut scene = baked.play().unwrap();
        for frame in 0..3 {
            if frame > 0 {
                scene.advance().unwrap();
            }
            let objects = &scene.boxes()[baked.walls..];
            let collides = |i: usize| (0..objects.len()).any(|j| j != i && objects[i].overlaps(&objects[j]));
            let count = (0..objects.len()).filter(|&i| collides(i)).count();
            assert_eq!(samples.values(WORLD, "colliding")[frame], count as f64);
        }
    }

    #[test]
    fn worlds_that_differ_are_an_error() {
        let spec = SceneSpec::Room(Box::new(Room { cycles: 2, ..Room::standard(5) }));
        let baked = spec.bake(1, &Watch::alone(&|_| {}, &|| false)).unwrap();
        let mut other = baked.clone();
        assert!(of_world(&[baked.clone(), other.clone()]).is_ok());
        other.contacts[1] += 1;
        assert!(of_world(&[baked, other]).unwrap_err().is::<Disagreement>());
    }
}
