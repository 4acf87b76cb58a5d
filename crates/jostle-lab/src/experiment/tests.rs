//! The engine on a study whose every value is known: going on after an interruption, refusing to mix, broken files.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use jostle_broad::Catalog;
use tempfile::TempDir;

use super::folder::{Folder, PUBLISHED};
use super::publish::publish;
use super::{About, Cell, Options, Results, Samples, Statistics, Study, Unit, Watch, engine};
use crate::failure::Disagreement;
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Table, Verdict};

const CELLS: [&str; 4] = ["first", "second-1.5", "third_x", "fourth"];
/// A name that needs care in a CSV file.
const WHO: &str = "grid, \"fine\"";

/// What happens in a cell that is not measured as usual.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    None,
    /// Its pairs are wrong.
    Wrong,
    /// It cannot be measured.
    Fails,
}

/// Counts are the same in every run; times never are.
struct Known(Arc<State>);

struct State {
    clock: AtomicUsize,
    measured: AtomicUsize,
    trouble: (usize, Trouble),
}

impl Known {
    /// Whose clock shows this, and which has this trouble in one of its cells.
    fn new(clock: usize, trouble: (usize, Trouble)) -> Self {
        Self(Arc::new(State { clock: AtomicUsize::new(clock), measured: AtomicUsize::new(0), trouble }))
    }

    fn measured(&self) -> usize {
        self.0.measured.load(Ordering::SeqCst)
    }
}

impl State {
    fn measure(&self, index: usize, options: &Options) -> Result<Samples> {
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

fn options(seed: u64) -> Options {
    Options { full: false, seed, finders: None, frames: None, threads: 1, adapter: None, search: None }
}

/// Measures until `most` cells were asked for, and writes the reports.
fn run(study: &Known, path: &Path, options: &Options, fresh: bool, most: usize) -> Result<engine::Ending> {
    let stopped = || study.measured() >= most;
    let folder = Folder::new(path);
    let ending = engine::run(study, options, &Catalog::builtin(), &folder, fresh, &stopped)?;
    publish(study, &folder)?;
    Ok(ending)
}

fn whole(path: &Path, clock: usize, seed: u64) -> Result<Known> {
    let study = Known::new(clock, (0, Trouble::None));
    let ending = run(&study, path, &options(seed), false, usize::MAX)?;
    assert!(!ending.stopped && ending.wrong.is_empty() && ending.failure.is_none());
    Ok(study)
}

fn text(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

/// The lines of a CSV file without the values of those that are times.
fn without_times(csv: &str) -> Vec<String> {
    let line = |line: &str| match line.split_once(",ms,") {
        Some((before, after)) => format!("{before},ms,{}", after.split(',').next().unwrap()),
        None => line.to_string(),
    };
    csv.lines().map(line).collect()
}

#[test]
fn what_is_written_is_read_back_bit_by_bit() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 5, 1).unwrap();
    let there = Folder::new(folder.path());
    let results = there.results(&there.manifest().unwrap()).unwrap();
    assert_eq!(results.planned, CELLS);
    for (index, name) in CELLS.iter().enumerate() {
        let expected = Known::new(5 + 20 * index, (0, Trouble::None)).0.measure(index, &options(1)).unwrap();
        assert_eq!(results.cells[*name], expected, "{name}");
    }
}

#[test]
fn an_interrupted_study_goes_on_where_it_was() {
    let (once, twice) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    whole(once.path(), 0, 1).unwrap();

    let study = Known::new(1000, (0, Trouble::None));
    let ending = run(&study, twice.path(), &options(1), false, 2).unwrap();
    assert!(ending.stopped);
    // The cell during which the wish came is not kept: nobody knows whether it is whole.
    assert!(
        twice.path().join("cells/first.csv").exists() && !twice.path().join("cells/second-1.5.csv").exists()
    );
    assert!(text(twice.path(), "report.html").contains("1 of 4 measured"));
    assert!(text(twice.path(), "summary.txt").contains("1 of 4 measured"));
    let first = text(twice.path(), "cells/first.csv");

    assert_eq!(whole(twice.path(), 2000, 1).unwrap().measured(), 3, "what is there is kept");
    assert_eq!(text(twice.path(), "cells/first.csv"), first);
    for file in ["samples.csv", "statistics.csv"]
        .map(str::to_string)
        .into_iter()
        .chain(CELLS.map(|name| format!("cells/{name}.csv")))
    {
        let (a, b) = (text(once.path(), &file), text(twice.path(), &file));
        assert_eq!(without_times(&a), without_times(&b), "{file}");
        assert_ne!(a, b, "{file}: times do differ");
    }
    assert_eq!(whole(twice.path(), 3000, 1).unwrap().measured(), 0, "all is there");
}

#[test]
fn samples_of_other_options_are_never_mixed() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 0, 1).unwrap();
    let before = text(folder.path(), "samples.csv");
    let changed: [(&str, Options); 5] = [
        ("--seed 1, not 2", options(2)),
        ("sweep the short sweep, not --full", Options { full: true, ..options(1) }),
        ("--frames its own, not 7", Options { frames: Some(7), ..options(1) }),
        (
            "--finders its own, not grid,tree",
            Options { finders: Some(vec!["grid".into(), "tree".into()]), ..options(1) },
        ),
        ("--threads 1, not 2", Options { threads: 2, ..options(1) }),
    ];
    for (difference, options) in changed {
        let study = Known::new(0, (0, Trouble::None));
        let error = run(&study, folder.path(), &options, false, usize::MAX).err().unwrap().to_string();
        assert!(error.contains(difference) && error.contains("--fresh"), "{error}");
        assert_eq!((study.measured(), text(folder.path(), "samples.csv")), (0, before.clone()));
    }
    for (field, value) in
        [("\"jostle\": \"", "0.0.1"), ("\"revision\": ", "\"another\",\"x\":"), ("\"format\": ", "99,\"x\":")]
    {
        let manifest = text(folder.path(), "manifest.json");
        fs::write(
            folder.path().join("manifest.json"),
            manifest.replacen(field, &format!("{field}{value}"), 1),
        )
        .unwrap();
        let study = Known::new(0, (0, Trouble::None));
        let error = run(&study, folder.path(), &options(1), false, usize::MAX).err().unwrap().to_string();
        assert!(error.contains("--fresh"), "{field}: {error}");
        fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    }
    fs::write(folder.path().join("cells/stale.csv"), "x").unwrap();
    fs::write(folder.path().join("notes.txt"), "the user's own").unwrap();
    let study = Known::new(0, (0, Trouble::None));
    run(&study, folder.path(), &options(2), true, usize::MAX).unwrap();
    assert_eq!(study.measured(), CELLS.len());
    assert!(!folder.path().join("cells/stale.csv").exists() && folder.path().join("notes.txt").exists());
}

#[test]
fn reports_are_rebuilt_to_the_byte() {
    let folder = TempDir::new().unwrap();
    let study = whole(folder.path(), 0, 1).unwrap();
    let before = PUBLISHED.map(|name| text(folder.path(), name));
    PUBLISHED.iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
    publish(&study, &Folder::new(folder.path())).unwrap();
    assert_eq!(PUBLISHED.map(|name| text(folder.path(), name)), before);
}

#[test]
fn statistics_are_those_of_the_samples() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 3, 1).unwrap();
    let mut samples = csv::Reader::from_path(folder.path().join("samples.csv")).unwrap();
    let all: Vec<csv::StringRecord> = samples.records().map(Result::unwrap).collect();
    let mut statistics = csv::Reader::from_path(folder.path().join("statistics.csv")).unwrap();
    let mut rows = 0;
    for row in statistics.records().map(Result::unwrap) {
        let same = |sample: &&csv::StringRecord| (0..4).all(|field| sample[field] == row[field]);
        let values: Vec<f64> = all.iter().filter(same).map(|sample| sample[5].parse().unwrap()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance =
            values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0).max(1.0);
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        let p99 = sorted[(0.99 * count).ceil() as usize - 1];
        let expected =
            [count, mean, variance.sqrt(), sorted[0], sorted[sorted.len() - 1], mean * count, middle, p99];
        for (field, expected) in expected.into_iter().enumerate() {
            let found: f64 = row[4 + field].parse().unwrap();
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs(),
                "{row:?}: field {field}, not {expected}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, CELLS.len() * 3);
}

#[test]
fn a_broken_file_is_named_with_the_place_and_the_remedy() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 0, 1).unwrap();
    let path = folder.path().join("cells/third_x.csv");
    let good = fs::read(&path).unwrap();
    let lines: Vec<&str> = std::str::from_utf8(&good).unwrap().lines().collect();
    let replaced = |line: usize, with: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = with;
        (lines.join("\n") + "\n").into_bytes()
    };
    let who = "\"grid, \"\"fine\"\"\"";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "first line"),
        (
            "last line lost",
            (lines[..lines.len() - 1].join("\n") + "\n").into_bytes(),
            "holds 40 samples, but 41 were written",
        ),
        ("cut in a line", good[..good.len() / 2].to_vec(), "line"),
        ("other heads", replaced(1, "a,b,c,d,e"), "first line is not `who,measure,unit,frame,value`"),
        ("a field too few", replaced(5, &format!("{who},broad,ms,3")), "line 5: does not have 5 fields"),
        ("not a number", replaced(5, &format!("{who},broad,ms,3,fast")), "line 5: `fast` is not a number"),
        ("no finite number", replaced(5, &format!("{who},broad,ms,3,inf")), "line 5: `inf` is not a number"),
        ("unknown unit", replaced(5, &format!("{who},broad,weeks,3,1")), "line 5: `weeks` is not a unit"),
        ("a frame twice", replaced(5, &format!("{who},broad,ms,2,1")), "line 5: frame 2"),
        ("not UTF-8", [b"\xff\xfe", &good[..]].concat(), "third_x.csv"),
    ];
    for (what, bytes, expected) in cases {
        fs::write(&path, bytes).unwrap();
        let study = Known::new(0, (0, Trouble::None));
        for error in [
            run(&study, folder.path(), &options(1), false, usize::MAX).map(|_| ()).unwrap_err(),
            publish(&study, &Folder::new(folder.path())).map(|_| ()).unwrap_err(),
        ] {
            let said = error.to_string();
            assert!(said.contains("third_x.csv") && said.contains(expected), "{what}: {said}");
            assert!(said.contains("delete it"), "{what}: {said}");
        }
        assert_eq!(study.measured(), 0, "{what}");
    }
    // The remedy.
    fs::remove_file(&path).unwrap();
    assert_eq!(whole(folder.path(), 0, 1).unwrap().measured(), 1);
}

#[test]
fn wrong_pairs_are_told_and_not_kept() {
    let folder = TempDir::new().unwrap();
    let study = Known::new(0, (1, Trouble::Wrong));
    let ending = run(&study, folder.path(), &options(1), false, usize::MAX).unwrap();
    assert_eq!(ending.wrong, ["second-1.5: one pair is missing"]);
    assert_eq!(study.measured(), CELLS.len(), "the others are measured all the same");
    assert!(!folder.path().join("cells/second-1.5.csv").exists());
    assert!(text(folder.path(), "report.html").contains("3 of 4 measured"));
}

#[test]
fn a_cell_that_fails_ends_the_run_and_keeps_what_was_measured() {
    let folder = TempDir::new().unwrap();
    let study = Known::new(0, (2, Trouble::Fails));
    let ending = run(&study, folder.path(), &options(1), false, usize::MAX).unwrap();
    assert_eq!(format!("{:#}", ending.failure.unwrap()), "cell third_x: out of luck");
    assert_eq!(study.measured(), 3);
    assert!(text(folder.path(), "report.html").contains("2 of 4 measured"));
    assert_eq!(whole(folder.path(), 0, 1).unwrap().measured(), 2);
}
