//! `000-initial-sort`: the first frame, in which everything has to be sorted.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, text};
use super::s000::{self, Figure, Moving, SERIAL};
use super::watching::go_on;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Watch};
use crate::report::Report;

pub(super) struct InitialSort;

const ROUNDS: u32 = 300;
const FULL_ROUNDS: u32 = 1000;

fn measure(n: usize, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let rounds = options.frames.unwrap_or(if options.full { FULL_ROUNDS } else { ROUNDS });
    let mut samples = Samples::default();
    for round in 0..rounds {
        go_on(watch, f64::from(round) / f64::from(rounds))?;
        // Other boxes each time, and finders that know nothing.
        let seed = options.seed.wrapping_add(u64::from(round));
        let baked = s000::scene(n, Moving::Nothing, 1, seed).bake(1, &Watch { done: &|_| {}, ..*watch })?;
        let found =
            s000::contest(options, catalog, 1).run(baked.play()?, &Watch { done: &|_| {}, ..*watch })?;
        for series in found.series {
            series
                .values
                .iter()
                .for_each(|&value| samples.push(&series.who, &series.measure, series.unit, value));
        }
    }
    Ok(samples)
}

impl Study for InitialSort {
    fn about(&self) -> About {
        About {
            name: "000-initial-sort",
            about: "sweep and prune, sequential and parallel: the first frame, 64 to 1024 boxes",
            source: "Broadphase collision detection on the Cell processor, Figure 5.2",
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
        let figure = Figure { results, label: "median", statistic: |of| of.median, settled: false };
        let mut blocks = figure.blocks("Time of the first frame (Figure 5.2)");
        blocks.push(text(
            "The source shows curves and prints no numbers. Its parallel algorithm ran on the eight vector processors of a Cell \
             server, its sequential one on an AMD Phenom of 2.3 GHz: two machines. Here both run on one.",
        ));
        Report {
            title: "Initial sort".to_string(),
            question: "How long does sweep and prune take for the first frame, in which all endpoints have to be sorted and all pairs are \
                       new? Fresh finders on other boxes in every round; pairs verified."
                .to_string(),
            findings: vec![
                finding(
                    "The parallel algorithm is far faster at the first frame as the number of boxes rises.",
                    figure.faster(1024, &figure.best_parallel(1024), SERIAL, 0.8),
                ),
                finding("It is no slower with few boxes.", figure.faster(64, &figure.best_parallel(64), SERIAL, 1.0)),
            ],
            blocks,
        }
    }
}
