//! What tests of studies need: options, and a cell run without anybody watching.

use std::collections::BTreeMap;

use anyhow::Result;
use jostle_broad::Catalog;

use crate::experiment::{Options, Results, Samples, Study, Unit, Watch};
use crate::report::Report;

/// The options of a quick run.
pub(super) fn options() -> Options {
    Options { full: false, seed: 1, finders: None, frames: Some(3), threads: 2, adapter: None, search: None }
}

fn nothing(options: &Options) -> Results {
    Results { options: options.clone(), planned: Vec::new(), cells: BTreeMap::new() }
}

/// Runs something that wants to be watched.
pub(super) fn run(cell: impl FnOnce(&Watch<'_>) -> Result<Samples>) -> Result<Samples> {
    cell(&Watch::alone(&|_| {}, &|| false))
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
    let catalog = crate::finders::catalog();
    let mut results = nothing(options);
    // Some cannot even be planned here: those that wait, and that of a file that is not there.
    let cells = study.cells(options, &catalog).unwrap_or_default();
    results.planned = cells.into_iter().map(|cell| cell.name).collect();
    study.report(&results)
}

/// A page without what depends on the clock: the content of all elements of class `timed`.
pub(super) fn without_times(page: &str) -> String {
    let mut rest = page;
    let mut kept = String::new();
    while let Some(at) = rest.find(" class=\"timed\"") {
        let tag_at = rest[..at].rfind('<').unwrap();
        let close = format!("</{}>", &rest[tag_at + 1..at]);
        kept.push_str(&rest[..tag_at]);
        kept.push_str(&close);
        rest = &rest[at + rest[at..].find(&close).unwrap() + close.len()..];
    }
    kept + rest
}

/// Results of series made up: cell, who, measure and values.
pub(super) fn made_up(series: impl IntoIterator<Item = (String, String, &'static str, Vec<f64>)>) -> Results {
    let mut results = nothing(&options());
    for (cell, who, measure, values) in series {
        let samples = results.cells.entry(cell).or_default();
        values.into_iter().for_each(|value| samples.push(&who, measure, Unit::Milliseconds, value));
    }
    results.planned = results.cells.keys().cloned().collect();
    results
}
