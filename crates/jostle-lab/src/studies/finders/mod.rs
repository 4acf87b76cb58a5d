//! Every finder on every scene that has a name: time, overlap tests, memory; streams, and with `--full` all scenes, at
//! several sizes: growth.

mod findings;
mod growth;
mod measure;
mod medians;
mod overview;
mod places;
#[cfg(test)]
mod tests;

use anyhow::Result;
use jostle_broad::Catalog;

use self::overview::Overview;
use crate::experiment::{About, Cell, Options, Results, Study, Watch};
use crate::report::Report;

/// The study.
pub(super) struct Finders;

impl Study for Finders {
    fn about(&self) -> About {
        About {
            name: "finders",
            about: "every finder on every scene: time, tests, memory, growth; which finder fits which scene",
            source: "ours",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let mut cells = Vec::new();
        for place in places::all(options) {
            for &n in &place.sizes {
                let (name, work, place) = (place.cell(n), place.work(n), place.clone());
                let run = move |watch: &Watch<'_>| measure::measure(&place, n, options, catalog, watch);
                cells.push(Cell { name, work, run: Box::new(run) });
            }
        }
        Ok(cells)
    }

    fn report(&self, results: &Results) -> Report {
        let places = places::all(&results.options);
        let overview = Overview::new(&places, results);
        let findings = findings::all(&places, &overview, results);
        let mut blocks = overview.blocks();
        for place in places.iter().filter(|place| place.grows()) {
            blocks.extend(growth::blocks(place, results));
        }
        Report {
            title: "Every finder on every scene".to_string(),
            question: format!(
                "Which finder is fast on which scene, and how do its time, its overlap tests and its memory grow with the number \
                 of boxes? One thread. The clock runs from boxes in a plain array to pairs, and what was added and removed, that \
                 can be read. All times are medians of all frames but the first. A finder that is expected to take more than {} s \
                 for a cell, by the tests it made at smaller sizes and a nanosecond each, is left out of it.",
                measure::budget(&results.options)
            ),
            findings,
            blocks,
        }
    }
}
