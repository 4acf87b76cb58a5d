//! What tests of studies need: options, and a cell run without anybody watching.

use std::collections::BTreeMap;

use anyhow::Result;
use jostle_broad::Catalog;

use crate::experiment::{Options, Results, Samples, Study, Watch};
use crate::report::Report;

/// The options of a quick run.
pub(super) fn options() -> Options {
    Options { full: false, seed: 1, finders: None, frames: Some(3), threads: 2 }
}

fn nothing(options: &Options) -> Results {
    Results { options: options.clone(), planned: Vec::new(), cells: BTreeMap::new() }
}

/// Runs something that wants to be watched.
pub(super) fn run(cell: impl FnOnce(&Watch<'_>) -> Result<Samples>) -> Result<Samples> {
    let before = nothing(&options());
    cell(&Watch { done: &|_| {}, stopped: &|| false, before: &before })
}

/// Runs all cells whose names pass, and gives what they measured.
pub(super) fn run_cells(
    study: &dyn Study,
    options: &Options,
    catalog: &Catalog,
    wanted: impl Fn(&str) -> bool,
) -> Results {
    let mut results = nothing(options);
    for cell in study.cells(options, catalog).unwrap() {
        if wanted(&cell.name) {
            let samples = (cell.run)(&Watch { done: &|_| {}, stopped: &|| false, before: &results }).unwrap();
            results.cells.insert(cell.name.clone(), samples);
        }
        results.planned.push(cell.name);
    }
    results
}

/// The report of a study of which nothing was measured: it must be able to say so.
pub(super) fn empty_report(study: &dyn Study, options: &Options) -> Report {
    study.report(&nothing(options))
}
