//! `002-budget`: does the broad phase leave the rest of a program time for 30 and 60 frames a second?
//!
//! The thesis: collision detection takes 14 % of a program's loop on average, and the broad phase 40.4 % of that; 5.7 % of a
//! frame are 1.9 ms at 30 frames a second and 0.95 ms at 60.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, fixed, number, percent, spread_ms, table, text, timed};
use super::rooms::{self, Benchmark, View};
use super::{s002_collisions, s002_cycle_time, s002_parameters};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Study};
use crate::report::{Block, Plot, Report, Spread};

pub(super) struct Budget;

const CYCLES: u32 = 200;
/// The part of a program's loop that is broad phase: 40.4 % of 14 %, as the thesis rounds it.
const SHARE: f64 = 0.057;
const RATES: [f64; 2] = [30.0, 60.0];
/// As the thesis printed what follows from it, in milliseconds.
const BUDGETS: [f64; 2] = [1.9, 0.95];

fn benchmarks() -> Vec<Benchmark> {
    let mut all = vec![s002_cycle_time::standard()];
    all.extend(s002_parameters::benchmarks());
    all.extend(s002_collisions::benchmarks());
    all
}

/// The part of the cycles within a budget.
fn within(times: &[f64], budget: f64) -> Option<f64> {
    let count = times.iter().filter(|time| **time <= budget).count();
    (!times.is_empty()).then(|| count as f64 / times.len() as f64)
}

/// What a run is flagged: the highest rate at which 99 of 100 cycles are within the budget.
fn flag(times: &[f64]) -> &'static str {
    let holds = |budget: f64| within(times, budget).is_some_and(|share| share >= 0.99);
    match (times.is_empty(), holds(BUDGETS[1]), holds(BUDGETS[0])) {
        (true, ..) => "-",
        (_, true, _) => "60 fps",
        (_, false, true) => "30 fps",
        (_, false, false) => "over",
    }
}

/// Least, mean and greatest.
fn range(values: &[f64]) -> Option<[f64; 3]> {
    let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    (!values.is_empty()).then(|| [least, values.iter().sum::<f64>() / values.len() as f64, most])
}

fn told([least, mean, most]: [f64; 3]) -> String {
    let percent = |share: f64| number(Some(100.0 * share));
    format!("{} to {} %, mean {} %", percent(least), percent(most), percent(mean))
}

impl Study for Budget {
    fn about(&self) -> About {
        About {
            name: "002-budget",
            about: "which runs keep the broad phase within 1.9 and 0.95 ms: 5.7 % of a frame at 30 and 60 fps",
            source: "Woulfe's thesis, section 5.1, 'Evaluation'",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        Ok(rooms::cells(benchmarks(), CYCLES, options, catalog))
    }

    fn scenes(&self, options: &Options) -> Result<Vec<SceneFile>> {
        rooms::scenes(benchmarks(), CYCLES, options)
    }

    fn report(&self, results: &Results) -> Report {
        let (view, list) = (View { results }, benchmarks());
        let finders = rooms::finders(&results.options);
        let complete = list.iter().all(|benchmark| results.cells.contains_key(&benchmark.cell));
        // As in the thesis: of the 22 and the 30.
        let of_both: Vec<&Benchmark> = list[1..].iter().collect();
        let shares = |of: &dyn Fn(&str) -> Option<f64>| {
            complete.then(|| of_both.iter().filter_map(|benchmark| of(&benchmark.cell)).collect::<Vec<f64>>())
        };
        let of_detection = shares(&|cell| view.broad_share(cell, "sap")).and_then(|values| range(&values));
        let of_loop = shares(&|cell| view.loop_shares(cell, "sap").map(|both| both.0))
            .and_then(|values| range(&values));
        let broad_of_loop = shares(&|cell| view.loop_shares(cell, "sap").map(|both| both.1))
            .and_then(|values| range(&values));
        let mut rows = Vec::new();
        let mut flagged = [0usize; 2];
        let mut runs = 0;
        for benchmark in &list {
            for finder in &finders {
                let times = results.values(&benchmark.cell, finder, "broad");
                if times.is_empty() {
                    continue;
                }
                let (statistics, flag) = (view.broad(&benchmark.cell, finder), flag(times));
                runs += 1;
                flagged[0] += usize::from(flag != "over");
                flagged[1] += usize::from(flag == "60 fps");
                rows.push(vec![
                    benchmark.about.clone(),
                    finder.clone(),
                    number(statistics.as_ref().map(|of| of.mean)),
                    number(statistics.as_ref().map(|of| of.median)),
                    number(statistics.as_ref().map(|of| of.p99)),
                    percent(within(times, BUDGETS[0])),
                    percent(within(times, BUDGETS[1])),
                    flag.to_string(),
                ]);
            }
        }
        let columns = vec![
            fixed("benchmark"),
            fixed("finder"),
            timed("mean ms"),
            timed("median ms"),
            timed("p99 ms"),
            timed("cycles within 1.9 ms"),
            timed("within 0.95 ms"),
            timed("flag"),
        ];
        let groups: Vec<String> = finders.clone();
        let values = finders.iter().map(|finder| {
            list.iter()
                .flat_map(|benchmark| results.values(&benchmark.cell, finder, "broad").iter().copied())
                .collect()
        });
        let findings = vec![
            finding(
                "Broad phase with SAP: 2.5 to 98.7 % of collision detection, 40.4 % on average.",
                of_detection.map(|range| (told(range), (range[1] - 0.404).abs() < 0.1)),
            ),
            finding(
                "Collision detection with SAP: 1 to 38.3 % of the program's loop, 14 % on average. (Here the loop is a frame of the \
                 world, which draws nothing.)",
                of_loop.map(|range| (told(range), (range[1] - 0.14).abs() < 0.05)),
            ),
            finding(
                "So the broad phase is 5.7 % of the loop.",
                broad_of_loop.map(|range| (told(range), (range[1] - SHARE).abs() < 0.02)),
            ),
            finding(
                "Budgets: 1.9 ms at 30 frames a second, 0.95 ms at 60. (Kept where 99 of 100 cycles are within.)",
                (complete && runs > 0).then(|| {
                    let said =
                        format!("{} of {runs} runs hold 30 fps, {} hold 60 fps", flagged[0], flagged[1]);
                    (said, flagged[1] == runs)
                }),
            ),
        ];
        Report {
            title: "Frame budget".to_string(),
            question: format!(
                "A program that draws {} or {} frames a second and gives {} of its time to the broad phase has {} or {} ms for it. Which \
                 runs of the standard benchmark, of the 22 and of the 30 benchmarks keep within that? {} cycles each.",
                RATES[0],
                RATES[1],
                percent(Some(SHARE)),
                BUDGETS[0],
                BUDGETS[1],
                rooms::cycles(&results.options, CYCLES),
            ),
            findings,
            blocks: vec![
                Block::Plot(Plot::Spreads {
                    caption: "Broad phase of all cycles of all runs".to_string(),
                    y: spread_ms().logarithmic(),
                    groups,
                    spreads: vec![Spread { name: "cycles".to_string(), values: values.collect() }],
                }),
                table("Every run", columns, rows),
                text(
                    "The thesis printed these shares for a computer of 2008 and a program that also drew its scene. A frame of ours is \
                     the world's alone, so its shares are larger than those of a program with graphics.",
                ),
                rooms::note(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 16 of the digest.
    #[test]
    fn budgets_follow_from_the_share_and_runs_are_flagged_by_them() {
        for (rate, budget) in RATES.iter().zip(BUDGETS) {
            let exact: f64 = 1e3 / rate * SHARE;
            assert!((exact - budget).abs() < 0.001, "{exact}");
        }
        assert_eq!(flag(&[0.5; 100]), "60 fps");
        assert_eq!(flag(&[0.95; 100]), "60 fps");
        assert_eq!(flag(&[1.0; 100]), "30 fps");
        assert_eq!(flag(&[2.0; 100]), "over");
        let mut times = vec![0.5; 99];
        times.push(5.0);
        assert_eq!((flag(&times), within(&times, 0.95)), ("60 fps", Some(0.99)));
        times.push(5.0);
        assert_eq!(flag(&times), "over");
        assert_eq!(flag(&[]), "-");
    }

    #[test]
    fn all_runs_of_both_experiments_are_in_it() {
        let list = benchmarks();
        assert_eq!(list.len(), 1 + 22 + 30);
        let mut cells: Vec<&str> = list.iter().map(|benchmark| benchmark.cell.as_str()).collect();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), 53);
    }

    #[test]
    fn ranges() {
        assert_eq!(range(&[0.1, 0.3, 0.2]).map(told).unwrap(), "10.0 to 30.0 %, mean 20.0 %");
        assert_eq!(range(&[]), None);
    }
}
