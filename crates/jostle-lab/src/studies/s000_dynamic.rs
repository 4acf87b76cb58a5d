//! `000-dynamic`: a tenth of the boxes moves; the longest frame counts (of 1,000, unless other frames are asked for).

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{each_ms, finding, heading, text, times};
use super::repeated::RUNS;
use super::s000::{self, Figure, Moving, SERIAL};
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Watch};
use crate::numbers::grouped;
use crate::report::{Axis, Block, Line, Plot, Report};

pub(super) struct Dynamic;

/// As the source has it: this takes seconds today.
const FRAMES: u32 = 1000;

fn measure(n: usize, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let frames = options.frames.unwrap_or(FRAMES);
    let baked = s000::scene(n, Moving::Tenth, frames, options.seed).bake(1, watch)?;
    s000::run(&baked, options, catalog, watch)
}

impl Study for Dynamic {
    fn about(&self) -> About {
        About {
            name: "000-dynamic",
            about: "sweep and prune, sequential and parallel: a tenth of 64 to 1024 boxes moves, worst of 1,000 frames",
            source: "Broadphase collision detection on the Cell processor, Figures 5.4 and 5.5",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        Ok(s000::cells(move |n, watch| measure(n, options, catalog, watch)))
    }

    fn report(&self, results: &Results) -> Report {
        let worst = Figure { results, label: "worst", statistic: |of| of.max, settled: true };
        let usual = Figure { results, label: "median", statistic: |of| of.median, settled: true };
        let tail = Figure { results, label: "p99", statistic: |of| of.p99, settled: true };
        let steady = |figure: &Figure<'_>| {
            figure.value(64, &figure.best_parallel(64)).zip(figure.value(512, &figure.best_parallel(512)))
        };
        let frames = s000::everyone(&results.options).into_iter().map(|who| Line {
            points: (2..).map(f64::from).zip(usual.times(1024, &who).iter().copied()).collect(),
            name: who,
            fitted: false,
        });
        let mut blocks = worst.blocks("Longest frame, each the least of three runs (Figures 5.4 and 5.5)");
        blocks.extend([
            Block::Plot(Plot::Lines {
                caption: "Every frame, 1,024 boxes".to_string(),
                x: Axis::new("frame"),
                y: each_ms().logarithmic(),
                lines: frames.collect(),
            }),
            heading("Usual frames"),
        ]);
        blocks.extend(usual.blocks("Median frame").into_iter().take(1));
        blocks.extend(tail.blocks("99 of 100 frames are no longer").into_iter().take(1));
        blocks.push(text(
            "The source takes the longest of 1,000 frames, which on a shared machine is mostly that of an interruption. So the time of \
             a frame is the least of three equal runs here (the samples keep every run), and the median and the 99th percentile stand beside the longest. Its parallel algorithm could not apply what it found to its pairs (Figure 5.5 \
             adds that); ours ends with the exact pairs, and with what came and went.",
        ));
        Report {
            title: "Dynamic scene".to_string(),
            question: format!(
                "What does sweep and prune cost when a tenth of the boxes moves? The longest of {} frames, the first apart, where the \
                 time of a frame is the least of {RUNS} equal runs. The parallel algorithm is shown in findings with the number of \
                 threads that is best for it by the figure compared.",
                grouped(u64::from(results.options.frames.unwrap_or(FRAMES)))
            ),
            findings: vec![
                finding(
                    "The parallel algorithm is faster than the sequential one as the number of boxes rises (longest frame).",
                    worst.faster(1024, &worst.best_parallel(1024), SERIAL, 1.0),
                ),
                finding(
                    "The same by 99th percentiles, which interruptions disturb less.",
                    tail.faster(1024, &tail.best_parallel(1024), SERIAL, 1.0),
                ),
                finding(
                    "The longest frame of the parallel algorithm is about the same for 64 and for 512 boxes.",
                    steady(&worst).map(|(few, many)| {
                        let said = format!(
                            "{} and {} µs: {}",
                            s000::microseconds(Some(few)),
                            s000::microseconds(Some(many)),
                            times(Some(many / few))
                        );
                        (said, many < 1.5 * few)
                    }),
                ),
            ],
            blocks,
        }
    }
}
