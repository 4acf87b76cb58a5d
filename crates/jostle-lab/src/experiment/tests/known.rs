//! A study whose every value is known, and how the tests run it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use jostle_broad::Catalog;

use crate::experiment::engine;
use crate::experiment::folder::Folder;
use crate::experiment::publish::publish;
use crate::experiment::{About, Cell, Options, Results, Samples, Statistics, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Table, Verdict};

pub(super) const CELLS: [&str; 4] = ["first", "second-1.5", "third_x", "fourth"];
/// A name that needs care in a CSV file.
pub(super) const WHO: &str = "grid, \"fine\"";

/// What happens in a cell that is not measured as usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trouble {
    None,
    /// Its pairs are wrong.
    Wrong,
    /// It cannot be measured.
    Fails,
}

/// Counts are the same in every run; times never are.
pub(super) struct Known(pub(super) Arc<State>);

pub(super) struct State {
    clock: AtomicUsize,
    measured: AtomicUsize,
    trouble: (usize, Trouble),
}

impl Known {
    /// Whose clock shows this, and which has this trouble in one of its cells.
    pub(super) fn new(clock: usize, trouble: (usize, Trouble)) -> Self {
        Self(Arc::new(State { clock: AtomicUsize::new(clock), measured: AtomicUsize::new(0), trouble }))
    }

    pub(super) fn measured(&self) -> usize {
        self.0.measured.load(Ordering::SeqCst)
    }
}

impl State {
    pub(super) fn measure(&self, index: usize, options: &Options) -> Result<Samples> {
        self.measured.fetch_add(1, Ordering::SeqCst);
        match self.trouble {
            (cell, Trouble::Wrong) if cell == index => {
                return Err(Disagreement("one pair is missing".into()).into());
            }
            (cell, Trouble::Fails) if cell == index => bail!("out of luck"),
            _ => {}
        }
        let mut samples = Samples::default();
        for frame in 0..20 {
            let time = self.clock.fetch_add(1, Ordering::SeqCst) as f64 / 7.0;
            samples.push(WHO, "broad", Unit::Milliseconds, time);
            let pairs = options.seed as f64 * 1000.0 + (index * 100 + frame * frame) as f64;
            samples.push(WHO, "pairs", Unit::Count, pairs);
        }
        samples.push("tree", "bytes", Unit::Bytes, 4096.0 * index as f64);
        Ok(samples)
    }
}

impl Study for Known {
    fn about(&self) -> About {
        About { name: "known", about: "values that are known", source: "ours", waits_for: None }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |(index, name): (usize, &&str)| {
            let state = Arc::clone(&self.0);
            let run = move |_: &Watch<'_>| state.measure(index, options);
            Cell { name: name.to_string(), work: 1.0, run: Box::new(run) }
        };
        Ok(CELLS.iter().enumerate().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let points = |cell: &String| {
            let values = results.values(cell, WHO, "broad").iter();
            values.enumerate().map(|(frame, time)| (frame as f64, *time)).collect()
        };
        let line = |cell: &String| Line { name: cell.clone(), points: points(cell), fitted: false };
        let total =
            |cell: &String| Statistics::of(results.values(cell, WHO, "pairs")).map_or(0.0, |of| of.total);
        Report {
            title: "Known values".to_string(),
            question: "Does it come out as it went in?".to_string(),
            findings: vec![Finding {
                claim: "Yes.".to_string(),
                found: format!("{} cells", results.cells.len()),
                verdict: Verdict::Open,
            }],
            blocks: vec![
                Block::Plot(Plot::Lines {
                    caption: "time over frames".to_string(),
                    x: Axis::new("frame"),
                    y: Axis::new("ms").timed(),
                    lines: results.planned.iter().map(line).collect(),
                }),
                Block::Table(Table {
                    caption: "pairs".to_string(),
                    columns: vec!["cell".to_string(), "pairs".to_string()],
                    timed: vec![false, false],
                    rows: results
                        .planned
                        .iter()
                        .map(|cell| vec![cell.clone(), total(cell).to_string()])
                        .collect(),
                }),
            ],
        }
    }
}

pub(super) fn options(seed: u64) -> Options {
    Options { full: false, seed, finders: None, frames: None, threads: 1, adapter: None, search: None }
}

/// Measures until `most` cells were asked for, and writes the reports.
pub(super) fn run(
    study: &Known,
    path: &Path,
    options: &Options,
    fresh: bool,
    most: usize,
) -> Result<engine::Ending> {
    let stopped = || study.measured() >= most;
    let folder = Folder::new(path);
    let ending = engine::run(study, options, &Catalog::builtin(), &folder, fresh, &stopped)?;
    publish(study, &folder)?;
    Ok(ending)
}

pub(super) fn whole(path: &Path, clock: usize, seed: u64) -> Result<Known> {
    let study = Known::new(clock, (0, Trouble::None));
    let ending = run(&study, path, &options(seed), false, usize::MAX)?;
    assert!(!ending.stopped && ending.failure.is_none());
    Ok(study)
}

pub(super) fn text(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

/// The lines of a CSV file without the values of those that are times.
pub(super) fn without_times(csv: &str) -> Vec<String> {
    let line = |line: &str| match line.split_once(",ms,") {
        Some((before, after)) => format!("{before},ms,{}", after.split(',').next().unwrap()),
        None => line.to_string(),
    };
    csv.lines().map(line).collect()
}
