//! `003-levels-disparity` and `003-levels-count`: how many levels of the grid are best, over the spread of sizes and over the
//! number of objects.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, fixed, median_ms, number, table, text, timed};
use super::s003::{self, Side, grid, statistics};
use crate::experiment::{About, Cell, Options, Results, Study};
use crate::numbers::{exponent, grouped};
use crate::report::{Axis, Block, Finding, Line, Plot, Report};

/// One of the two studies: cells differ in disparity, or in the number of objects.
pub(super) struct BestLevels {
    about: About,
    title: &'static str,
    /// Objects, and the largest beside the smallest.
    places: &'static [(usize, f64)],
    full_places: &'static [(usize, f64)],
}

const LEVELS: [u32; 6] = [1, 2, 3, 4, 6, 8];
/// Times this close are the same.
const NOISE: f64 = 1.05;

pub(super) static DISPARITY: BestLevels = BestLevels {
    about: About {
        name: "003-levels-disparity",
        about: "how many levels of the grid are best for which spread of sizes, 5,000 objects",
        source: "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU, Figure 4.3",
        waits_for: None,
    },
    title: "Levels and the spread of sizes",
    places: &[(5_000, 1.0), (5_000, 10.0), (5_000, 100.0)],
    full_places: &[
        (5_000, 1.0),
        (5_000, 2.0),
        (5_000, 5.0),
        (5_000, 10.0),
        (5_000, 20.0),
        (5_000, 50.0),
        (5_000, 100.0),
    ],
};

pub(super) static COUNT: BestLevels = BestLevels {
    about: About {
        name: "003-levels-count",
        about: "how many levels of the grid are best for which number of objects, sizes 1 to 100",
        source: "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU, Figure 4.4",
        waits_for: None,
    },
    title: "Levels and the number of objects",
    places: &[(1_000, 100.0), (5_000, 100.0), (10_000, 100.0), (30_000, 100.0)],
    full_places: &[
        (1_000, 100.0),
        (3_000, 100.0),
        (5_000, 100.0),
        (10_000, 100.0),
        (30_000, 100.0),
        (100_000, 100.0),
    ],
};

fn cell_name((objects, disparity): (usize, f64)) -> String {
    format!("{objects}-objects-sizes-1-to-{disparity}")
}

impl BestLevels {
    fn places(&self, options: &Options) -> &'static [(usize, f64)] {
        if options.full { self.full_places } else { self.places }
    }

    /// Median time of each number of levels, if all were measured.
    fn times(results: &Results, side: Side, cell: &str) -> Option<Vec<f64>> {
        let time = |&levels: &u32| statistics(results, cell, side, levels, "broad").map(|of| of.median);
        LEVELS.iter().map(time).collect()
    }

    fn findings(&self, results: &Results, side: Side) -> Vec<Finding> {
        let here = side.name();
        let all: Option<Vec<(String, Vec<f64>)>> = self
            .places(&results.options)
            .iter()
            .map(|&place| Some((cell_name(place), Self::times(results, side, &cell_name(place))?)))
            .collect();
        let best = all.as_ref().map(|all| {
            let said = all.iter().map(|(cell, times)| {
                let index = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or(0);
                (format!("{cell}: {}", grid(LEVELS[index])), times[0] <= NOISE * times[index])
            });
            let said: Vec<(String, bool)> = said.collect();
            let holds = said.iter().all(|(_, one)| *one);
            let best = said.into_iter().map(|(said, _)| said).collect::<Vec<_>>().join("; ");
            (format!("best: {best}"), holds)
        });
        let linear = all.as_ref().map(|all| {
            let growth = all.iter().map(|(cell, times)| {
                let points: Vec<(f64, f64)> =
                    LEVELS.iter().map(|&levels| f64::from(levels)).zip(times.iter().copied()).collect();
                (cell, exponent(&points).unwrap_or(0.0))
            });
            let growth: Vec<(&String, f64)> = growth.collect();
            let said = growth.iter().map(|(cell, growth)| format!("{cell}: levels^{growth:.2}"));
            (
                said.collect::<Vec<_>>().join("; "),
                growth.iter().all(|(_, growth)| (0.5..1.5).contains(growth)),
            )
        });
        vec![
            finding(
                format!(
                    "One level is best, whatever the sizes and the number of objects (on the GPU of the source; here: {here}, \
                     within the 5 % of the clock)."
                ),
                best,
            ),
            finding(
                format!(
                    "The time grows in proportion to the number of levels (on the GPU of the source; here: {here})."
                ),
                linear,
            ),
        ]
    }
}

impl Study for BestLevels {
    fn about(&self) -> About {
        self.about
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |&(objects, disparity): &(usize, f64)| Cell {
            name: cell_name((objects, disparity)),
            work: objects as f64,
            run: Box::new(move |watch| s003::measure(objects, disparity, &LEVELS, options, watch)),
        };
        Ok(self.places(options).iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let sides = Side::all(&results.options);
        let mut blocks: Vec<Block> = sides.iter().flat_map(|&side| self.blocks(results, side)).collect();
        blocks.push(self.plot(
            results,
            Side::Cpu,
            "tests",
            "Overlap tests",
            Axis::new("tests, median").logarithmic(),
        ));
        blocks.push(text(
            "The source's scene has a fixed size; here it grows with what is in it, so that there are about one and a half pairs \
             to a box everywhere. It prints no numbers with these figures.",
        ));
        blocks.push(s003::note(&results.options));
        Report {
            title: self.title.to_string(),
            question: "A box is entered in all cells it overlaps, on every level whose cells hold it. More levels mean fewer boxes in a cell, \
                       and more entries to sort. Which number is best? The source asked it of a GPU; here the same grid runs on one \
                       thread of a CPU, and on a GPU where there is one."
                .to_string(),
            findings: sides.iter().flat_map(|&side| self.findings(results, side)).collect(),
            blocks,
        }
    }
}

impl BestLevels {
    /// Table and plot of one side.
    fn blocks(&self, results: &Results, side: Side) -> [Block; 2] {
        let rows = self.places(&results.options).iter().map(|&place| {
            let cell = cell_name(place);
            let pairs = statistics(results, &cell, side, 1, "pairs").map(|of| of.median);
            let mut row = vec![grouped(place.0 as u64), format!("1 to {}", place.1), number(pairs)];
            row.extend(LEVELS.iter().map(|&levels| {
                number(statistics(results, &cell, side, levels, "broad").map(|of| of.median))
            }));
            let gain = Self::times(results, side, &cell)
                .map(|times| times[0] / times.iter().copied().fold(f64::MAX, f64::min));
            row.push(super::figures::times(gain));
            row
        });
        let mut columns = vec![fixed("objects"), fixed("sizes"), fixed("pairs")];
        columns.extend(LEVELS.iter().map(|&levels| timed(format!("{}: ms", grid(levels)))));
        columns.push(timed("best beside 1 level"));
        let caption = format!("Pairs and time of a frame on {}, medians without the first", side.name());
        [
            table(caption, columns, rows.collect()),
            self.plot(results, side, "broad", "Time", median_ms().logarithmic()),
        ]
    }

    /// A measure over the number of levels.
    fn plot(&self, results: &Results, side: Side, measure: &str, what: &str, y: Axis) -> Block {
        let lines = self.places(&results.options).iter().map(|&place| Line {
            name: format!("{} objects, 1 to {}", grouped(place.0 as u64), place.1),
            points: LEVELS
                .iter()
                .filter_map(|&levels| {
                    let of = statistics(results, &cell_name(place), side, levels, measure)?;
                    Some((f64::from(levels), of.median))
                })
                .collect(),
            fitted: false,
        });
        Block::Plot(Plot::Lines {
            caption: format!("{what} over the number of levels on {}", side.name()),
            x: Axis::new("levels"),
            y,
            lines: lines.collect(),
        })
    }
}
