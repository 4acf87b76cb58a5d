//! What the studies of 'Broadphase collision detection on the Cell processor' share: its scenes and its two algorithms.
//!
//! Boxes in a cube of fixed size bounce off its walls; 64 to 1024 of them, doubling. The source's sequential sweep and prune is
//! `sap`; its parallel one, three axes at once with vector instructions, is `sap-simd`, on one thread and on several.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{fixed, number, ratio, settled, spread_ms, table, timed, times};
use super::repeated::least_of_runs;
use crate::experiment::{Cell, Contest, Options, Results, Samples, Statistics, Watch};
use crate::numbers::grouped;
use crate::report::{Axis, Block, Line, Plot, Spread};
use crate::scenes::named::source_000;
use crate::scenes::{Baked, Crowd, Motion, SceneSpec};

pub(super) const SIZES: [usize; 5] = [64, 128, 256, 512, 1024];
pub(super) const SERIAL: &str = "sap";
pub(super) const PARALLEL: &str = "sap-simd";

/// What the boxes do.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Moving {
    Nothing,
    /// As the source has it.
    Tenth,
    Everything,
}

/// The scenes `000-static`, `000-dynamic` and one in which all boxes move, with so many boxes.
pub(super) fn scene(n: usize, moving: Moving, frames: u32, seed: u64) -> SceneSpec {
    crowd(n, moving, frames, seed, source_000().extent)
}

/// As dense as 1024 boxes are there, whatever their number.
pub(super) fn dense_scene(n: usize, moving: Moving, frames: u32, seed: u64) -> SceneSpec {
    crowd(n, moving, frames, seed, source_000().extent * (n as f64 / 1024.0).cbrt())
}

fn crowd(n: usize, moving: Moving, frames: u32, seed: u64, side: f64) -> SceneSpec {
    let share = match moving {
        Moving::Nothing => 0.0,
        Moving::Tenth => 0.1,
        Moving::Everything => 1.0,
    };
    SceneSpec::Crowd(Box::new(Crowd {
        objects: n,
        frames,
        seed,
        extent: side,
        motion: if moving == Moving::Nothing { Motion::Still } else { Motion::Bounce },
        moving: share,
        ..source_000()
    }))
}

/// One thread; and, for the three axes, up to three.
pub(super) fn counts(options: &Options) -> Vec<usize> {
    let most = options.threads.min(3);
    if most > 1 { vec![1, most] } else { vec![1] }
}

/// Names of all contestants: both algorithms with each number of threads.
pub(super) fn everyone(options: &Options) -> Vec<String> {
    let finders = finders(options);
    finders
        .iter()
        .flat_map(|finder| counts(options).into_iter().map(|count| Contest::label(finder, count)))
        .collect()
}

pub(super) fn finders(options: &Options) -> Vec<String> {
    options.finders.clone().unwrap_or_else(|| vec![SERIAL.to_string(), PARALLEL.to_string()])
}

/// Microseconds of milliseconds.
pub(super) fn microseconds(milliseconds: Option<f64>) -> String {
    number(milliseconds.map(|time| 1e3 * time))
}

/// The source's parallel algorithm with as many threads as there are.
pub(super) fn parallel(options: &Options) -> String {
    Contest::label(PARALLEL, counts(options)[counts(options).len() - 1])
}

pub(super) fn contest<'a>(options: &Options, catalog: &'a Catalog, frames: u32) -> Contest<'a> {
    Contest { catalog, finders: finders(options), threads: counts(options), frames }
}

pub(super) fn cell_name(n: usize) -> String {
    format!("{n}-boxes")
}

/// A cell for each number of boxes.
pub(super) fn cells<'a>(measure: impl Fn(usize, &Watch<'_>) -> Result<Samples> + Copy + 'a) -> Vec<Cell<'a>> {
    let cell = |n: usize| Cell {
        name: cell_name(n),
        work: n as f64 + 200.0,
        run: Box::new(move |watch: &Watch<'_>| measure(n, watch)),
    };
    SIZES.map(cell).into_iter().collect()
}

/// Runs both algorithms over the frames of a scene.
pub(super) fn run(baked: &Baked, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let contest = contest(options, catalog, baked.frames);
    least_of_runs(watch, |verified, watch| contest.run_as(baked.play()?, verified, watch))
}

/// What a report says of each number of boxes and contestant: one statistic of the times it is given.
pub(super) struct Figure<'a> {
    pub(super) results: &'a Results,
    /// What the statistic is called.
    pub(super) label: &'static str,
    pub(super) statistic: fn(&Statistics) -> f64,
    /// Leave out the first frame of every cell?
    pub(super) settled: bool,
}

impl Figure<'_> {
    pub(super) fn times(&self, n: usize, who: &str) -> &[f64] {
        let times = self.results.values(&cell_name(n), who, "broad");
        if self.settled { settled(times) } else { times }
    }

    pub(super) fn value(&self, n: usize, who: &str) -> Option<f64> {
        Statistics::of(self.times(n, who)).map(|of| (self.statistic)(&of))
    }

    /// The source's parallel algorithm with the number of threads that suits so many boxes best.
    pub(super) fn best_parallel(&self, n: usize) -> String {
        let options = &self.results.options;
        let labels = counts(options).into_iter().map(|count| Contest::label(PARALLEL, count));
        let time = |who: &String| self.value(n, who).unwrap_or(f64::MAX);
        labels.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or_else(|| PARALLEL.to_string())
    }

    /// A table, the curve over the number of boxes, and the spread.
    pub(super) fn blocks(&self, caption: &str) -> Vec<Block> {
        let options = &self.results.options;
        let (everyone, parallel) = (everyone(options), parallel(options));
        let mut columns = vec![fixed("boxes"), fixed("pairs, median")];
        columns.extend(everyone.iter().map(|who| timed(format!("{who}: {} µs", self.label))));
        columns.push(timed(format!("{SERIAL} by {parallel}")));
        let rows = SIZES.map(|n| {
            let pairs = Statistics::of(self.results.values(&cell_name(n), SERIAL, "pairs"));
            let mut row = vec![grouped(n as u64), number(pairs.map(|of| of.median))];
            row.extend(everyone.iter().map(|who| microseconds(self.value(n, who))));
            row.push(times(ratio(self.value(n, SERIAL), self.value(n, &parallel))));
            row
        });
        let lines = everyone.iter().map(|who| Line {
            name: who.clone(),
            points: SIZES.iter().filter_map(|&n| Some((n as f64, self.value(n, who)?))).collect(),
            fitted: true,
        });
        vec![
            table(caption, columns, rows.into_iter().collect()),
            Block::Plot(Plot::Lines {
                caption: format!("{caption}, over the number of boxes"),
                x: Axis::new("boxes").logarithmic(),
                y: Axis::new(&format!("ms, {}", self.label)).timed().logarithmic(),
                lines: lines.collect(),
            }),
            Block::Plot(Plot::Spreads {
                caption: "How the times spread".to_string(),
                y: spread_ms().logarithmic(),
                groups: SIZES.map(|n| grouped(n as u64)).to_vec(),
                spreads: everyone
                    .iter()
                    .map(|who| Spread {
                        name: who.clone(),
                        values: SIZES.map(|n| self.times(n, who).to_vec()).to_vec(),
                    })
                    .collect(),
            }),
        ]
    }

    /// The same statistic of two contestants, and whether the first is below the second by this factor.
    pub(super) fn faster(&self, n: usize, fast: &str, slow: &str, factor: f64) -> Option<(String, bool)> {
        let (a, b) = (self.value(n, fast)?, self.value(n, slow)?);
        let said = format!(
            "{} boxes: {fast} {} µs, {slow} {} µs",
            grouped(n as u64),
            microseconds(Some(a)),
            microseconds(Some(b))
        );
        Some((said, a < factor * b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::named;

    #[test]
    fn scenes_and_studies_of_the_same_name_are_the_same() {
        assert_eq!(named::get("000-dynamic").unwrap().spec, scene(1024, Moving::Tenth, 1000, 1));
        let SceneSpec::Crowd(still) = scene(1024, Moving::Nothing, 1000, 1) else { panic!("no crowd") };
        // Of boxes that stand still it does not matter how many would move.
        let still = SceneSpec::from(Crowd { moving: 1.0, ..*still });
        assert_eq!(named::get("000-static").unwrap().spec, still);
    }
}
