//! `000-static`: frames in which nothing moves.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, text};
use super::s000::{self, Figure, Moving, SERIAL};
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Watch};
use crate::report::Report;

pub(super) struct Static;

const FRAMES: u32 = 300;
const FULL_FRAMES: u32 = 1000;

fn measure(n: usize, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
    let baked = s000::scene(n, Moving::Nothing, frames, options.seed).bake(1, watch)?;
    s000::run(&baked, options, catalog, watch)
}

impl Study for Static {
    fn about(&self) -> About {
        About {
            name: "000-static",
            about: "sweep and prune, sequential and parallel: a scene in which nothing moves, 64 to 1024 boxes",
            source: "Broadphase collision detection on the Cell processor, Figure 5.3",
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
        let figure = Figure { results, label: "median", statistic: |of| of.median, settled: true };
        let parallel = s000::parallel(&results.options);
        let mut blocks = figure.blocks("Time of a frame in which nothing moves (Figure 5.3)");
        blocks.push(text(
            "The source prints one number: about 3 ms, the least its parallel algorithm ever took, because work had to be started on \
             the other processors. The first frame is left out.",
        ));
        Report {
            title: "Static scene".to_string(),
            question: "What does sweep and prune cost when nothing moves, the first frame apart?".to_string(),
            findings: vec![
                finding(
                    "The sequential algorithm is hard to beat here: it has nothing to do. (Here: against the parallel one with the number of \
                     threads that is best for it.)",
                    figure.faster(1024, SERIAL, &figure.best_parallel(1024), 1.0),
                ),
                finding(
                    "The parallel algorithm takes about 3 ms at least, because starting it costs that.",
                    figure
                        .value(1024, &parallel)
                        .map(|ms| (format!("{parallel}: {} µs", s000::microseconds(Some(ms))), ms >= 2.0)),
                ),
            ],
            blocks,
        }
    }
}
