//! `003-stages` and `003-levels-stages`: where the time of the grid goes, over the number of objects and over the number of levels.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, fixed, median_ms, number, table, text, timed};
use super::s003::{self, Side, grid, statistics};
use crate::experiment::{About, Cell, Options, Results, Study};
use crate::numbers::{exponent, grouped};
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Stack};

/// One of the two studies.
pub(super) struct Stages {
    about: About,
    title: &'static str,
    counts: &'static [usize],
    full_counts: &'static [usize],
    levels: &'static [u32],
    disparity: f64,
}

/// Milliseconds: the source has 30,000 objects below it.
const PUBLISHED_MOST: f64 = 20.0;
const STAGES: [&str; 6] = ["store", "initialise", "sort", "construct", "traverse", "order"];
const GPU_STAGES: [&str; 9] =
    ["store", "upload", "initialise", "sort", "construct", "traverse", "other", "read back", "order"];

fn stages(side: Side) -> &'static [&'static str] {
    match side {
        Side::Cpu => &STAGES,
        Side::Gpu => &GPU_STAGES,
    }
}

pub(super) static OVER_COUNT: Stages = Stages {
    about: About {
        name: "003-stages",
        about: "time of each stage of the grid over the number of objects, one level",
        source: "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU, Figure 4.1",
        waits_for: None,
    },
    title: "Stages of the grid and the number of objects",
    counts: &[5_000, 10_000, 15_000, 20_000, 25_000, 30_000],
    full_counts: &[5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 100_000, 300_000, 1_000_000],
    levels: &[1],
    disparity: 1.0,
};

pub(super) static OVER_LEVELS: Stages = Stages {
    about: About {
        name: "003-levels-stages",
        about: "time of each stage of the grid over its number of levels, 10,000 objects, sizes 1 to 100",
        source: "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU, Figure 4.5",
        waits_for: None,
    },
    title: "Stages of the grid and its number of levels",
    counts: &[10_000],
    full_counts: &[10_000],
    levels: &[1, 2, 3, 4, 6, 8],
    disparity: 100.0,
};

fn cell_name(objects: usize) -> String {
    format!("{objects}-objects")
}

impl Stages {
    fn counts(&self, options: &Options) -> &'static [usize] {
        if options.full { self.full_counts } else { self.counts }
    }

    /// Objects and levels of every bar.
    fn bars(&self, options: &Options) -> Vec<(usize, u32)> {
        self.counts(options)
            .iter()
            .flat_map(|&count| self.levels.iter().map(move |&levels| (count, levels)))
            .collect()
    }

    fn bar_name(&self, (objects, levels): (usize, u32)) -> String {
        if self.levels.len() > 1 { grid(levels) } else { grouped(objects as u64) }
    }

    /// Median time of a stage.
    fn stage(results: &Results, side: Side, (objects, levels): (usize, u32), stage: &str) -> Option<f64> {
        statistics(results, &cell_name(objects), side, levels, &format!("stage:{stage}")).map(|of| of.median)
    }

    /// How a stage grows from the first bar to the last, beside how what is varied grows.
    fn growth(&self, results: &Results, side: Side, stage: &str) -> Option<f64> {
        let bars = self.bars(&results.options);
        let points: Option<Vec<(f64, f64)>> = bars
            .iter()
            .map(|&bar| {
                let x = if self.levels.len() > 1 { f64::from(bar.1) } else { bar.0 as f64 };
                Some((x, Self::stage(results, side, bar, stage)?))
            })
            .collect();
        exponent(&points?)
    }

    fn findings(&self, results: &Results, side: Side) -> Vec<Finding> {
        let grown = |stage: &str| self.growth(results, side, stage);
        let here = side.name();
        if self.levels.len() > 1 {
            let all = grown("initialise").zip(grown("sort")).zip(grown("construct").zip(grown("traverse")));
            return vec![finding(
                format!(
                    "With more levels the stages initialise and sort grow in proportion; construct and traverse stay about the same \
                     (here: {here})."
                ),
                all.map(|((initialise, sort), (construct, traverse))| {
                    let said = format!(
                        "initialise levels^{initialise:.2}, sort ^{sort:.2}, construct ^{construct:.2}, traverse ^{traverse:.2}"
                    );
                    let holds = initialise > 0.5 && sort > 0.5 && construct.abs() < 0.3 && traverse.abs() < 0.3;
                    (said, holds)
                }),
            )];
        }
        let whole = statistics(results, &cell_name(30_000), side, 1, "broad").map(|of| of.median);
        let heavy = grown("sort").zip(grown("construct")).zip(grown("initialise"));
        vec![
            finding(
                format!(
                    "30,000 objects take less than 20 ms on the GPU of the source, and so run in real time: 33 ms. (The bar here is \
                     20 ms: {here}.)"
                ),
                whole.map(|ms| (format!("{} ms", number(Some(ms))), ms < PUBLISHED_MOST)),
            ),
            finding(
                format!("The stages sort and construct grow most with the number of objects (here: {here})."),
                heavy.map(|((sort, construct), initialise)| {
                    let said =
                        format!("sort n^{sort:.2}, construct n^{construct:.2}, initialise n^{initialise:.2}");
                    (said, sort > initialise && construct > initialise)
                }),
            ),
        ]
    }
}

impl Study for Stages {
    fn about(&self) -> About {
        self.about
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let (levels, disparity) = (self.levels, self.disparity);
        let cell = |&objects: &usize| Cell {
            name: cell_name(objects),
            work: objects as f64,
            run: Box::new(move |watch| s003::measure(objects, disparity, levels, options, watch)),
        };
        Ok(self.counts(options).iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let sides = Side::all(&results.options);
        let mut blocks: Vec<Block> = sides.iter().flat_map(|&side| self.blocks(results, side)).collect();
        blocks.push(text(
            "`store` takes the new boxes in, `order` brings the pairs into canonical order and says which came and went: the source has \
             neither.",
        ));
        blocks.push(s003::note(&results.options));
        Report {
            title: self.title.to_string(),
            question: format!("Where does the time of the grid go? {}: its stages.", s003::SOURCE),
            findings: sides.iter().flat_map(|&side| self.findings(results, side)).collect(),
            blocks,
        }
    }
}

impl Stages {
    /// Plots and table of one side.
    fn blocks(&self, results: &Results, side: Side) -> Vec<Block> {
        let (bars, stages, here) = (self.bars(&results.options), stages(side), side.name());
        let rows = bars.iter().map(|&bar| {
            let whole = statistics(results, &cell_name(bar.0), side, bar.1, "broad");
            let mut row = vec![grouped(bar.0 as u64), bar.1.to_string()];
            row.extend(stages.iter().map(|stage| number(Self::stage(results, side, bar, stage))));
            row.push(number(whole.as_ref().map(|of| of.median)));
            row.push(number(whole.as_ref().map(|of| of.p99)));
            row
        });
        let mut columns = vec![fixed("objects"), fixed("levels")];
        columns.extend(stages.iter().map(|stage| timed(format!("{stage}: ms"))));
        columns.extend([timed("frame: median ms"), timed("p99 ms")]);
        let mut blocks = vec![
            Block::Plot(Plot::Stacks {
                caption: format!("Time of each stage on {here}, medians"),
                y: median_ms(),
                groups: bars.iter().map(|&bar| self.bar_name(bar)).collect(),
                stacks: stages
                    .iter()
                    .map(|stage| Stack {
                        name: stage.to_string(),
                        heights: bars
                            .iter()
                            .map(|&bar| Self::stage(results, side, bar, stage).unwrap_or(0.0))
                            .collect(),
                    })
                    .collect(),
            }),
            table(
                format!("Time of each stage on {here}, medians without the first frame"),
                columns,
                rows.collect(),
            ),
        ];
        if self.levels.len() == 1 {
            let lines = stages.iter().map(|stage| Line {
                name: stage.to_string(),
                points: bars
                    .iter()
                    .filter_map(|&bar| Some((bar.0 as f64, Self::stage(results, side, bar, stage)?)))
                    .collect(),
                fitted: true,
            });
            blocks.push(Block::Plot(Plot::Lines {
                caption: format!("Each stage over the number of objects on {here}"),
                x: Axis::new("objects").logarithmic(),
                y: median_ms().logarithmic(),
                lines: lines.collect(),
            }));
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    /// A contest fails where pairs are wrong.
    #[test]
    fn all_numbers_of_levels_give_the_same_pairs_and_have_the_stages() {
        let options = trial::options();
        let samples = trial::run(|watch| s003::measure(500, 100.0, &[1, 3, 8], &options, watch)).unwrap();
        for levels in [1, 3, 8] {
            let who = grid(levels);
            assert_eq!(samples.values(&who, "pairs"), samples.values("1 level", "pairs"));
            for stage in STAGES {
                assert_eq!(samples.values(&who, &format!("stage:{stage}")).len(), 3, "{who}: {stage}");
            }
        }
    }
}
