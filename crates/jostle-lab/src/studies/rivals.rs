//! `rivals`: what `make compare` measured, as a report: jostle beside the broad phases of other engines.
//!
//! The rivals live in a workspace of their own, which this command does not build. So the samples are those of its file:
//! one median and one 99th percentile for each contestant and cell.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use jostle_broad::Catalog;

use super::figures::{finding, fixed, median_ms, number, table, text, threads, timed, times};
use crate::compared::{self, Row};
use crate::experiment::{About, Cell, Options, Results, Samples, SceneFile, Study, Unit};
use crate::numbers::grouped;
use crate::report::{Axis, Block, Line, Plot, Report};

pub(super) struct Rivals;

const FILE: &str = "out/compare/compare.json";
/// Ours among the contestants.
const OURS: &str = "jostle auto";

/// A cell: stream, boxes, threads. Its name tells all three, so that reports need nothing else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stream: String,
    threads: usize,
    n: usize,
}

impl Place {
    fn of(row: &Row) -> Self {
        Self { stream: row.stream.clone(), threads: row.threads, n: row.n }
    }

    fn name(&self) -> String {
        format!("{}-{}-boxes-{}-threads", self.stream, self.n, self.threads)
    }

    fn read(name: &str) -> Option<Self> {
        let (rest, threads) = name.strip_suffix("-threads")?.rsplit_once("-boxes-")?;
        let (stream, n) = rest.rsplit_once('-')?;
        Some(Self { stream: stream.to_string(), threads: threads.parse().ok()?, n: n.parse().ok()? })
    }
}

fn samples(rows: &[Row]) -> Samples {
    let mut samples = Samples::default();
    for row in rows {
        samples.push(&row.name, "median", Unit::Milliseconds, row.median_ms);
        if let Some(p99) = row.p99_ms {
            samples.push(&row.name, "p99", Unit::Milliseconds, p99);
        }
        if let Some(bytes) = row.bytes_per_box {
            samples.push(&row.name, "bytes a box", Unit::Bytes, bytes);
        }
        if let Some(bar) = row.bar {
            samples.push(&row.name, "promised gain", Unit::Ratio, bar);
        }
    }
    samples
}

fn cells_of(file: &Path) -> Result<Vec<Cell<'static>>> {
    ensure!(
        file.exists(),
        "{}: is not there; `make compare` writes it (COMPARE='--quick' for a look)",
        file.display()
    );
    let report = compared::Report::read(file)?;
    let cells = report.cells.into_iter().filter(|rows| !rows.is_empty());
    Ok(cells
        .map(|rows| Cell {
            name: Place::of(&rows[0]).name(),
            work: 1.0,
            run: Box::new(move |_| Ok(samples(&rows))),
        })
        .collect())
}

/// Everyone's median in a cell, fastest first.
fn medians(cell: &Samples) -> Vec<(&str, f64)> {
    let mut all: Vec<(&str, f64)> = cell
        .series
        .iter()
        .filter(|series| series.measure == "median")
        .filter_map(|series| Some((series.who.as_str(), *series.values.first()?)))
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all
}

/// Ours, the best rival with its name, and what is promised.
fn duel(cell: &Samples) -> Option<(f64, (&str, f64), Option<f64>)> {
    let all = medians(cell);
    let ours = all.iter().find(|(who, _)| *who == OURS)?.1;
    let best = *all.iter().find(|(who, _)| !who.starts_with("jostle"))?;
    Some((ours, best, cell.values(OURS, "promised gain").first().copied()))
}

impl Study for Rivals {
    fn about(&self) -> About {
        About {
            name: "rivals",
            about: "jostle beside the broad phases of other engines, as `make compare` measured them",
            source: "ours",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, _options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        cells_of(Path::new(FILE)).context("rivals")
    }

    /// The file the samples are from: of another one they would be others.
    fn scenes(&self, _options: &Options) -> Result<Vec<SceneFile>> {
        let text = std::fs::read_to_string(FILE).with_context(|| format!("{FILE}: cannot be read"))?;
        Ok(vec![SceneFile { name: "compare.json".to_string(), text }])
    }

    fn report(&self, results: &Results) -> Report {
        let mut places: Vec<(Place, &Samples)> =
            results.cells.iter().filter_map(|(name, samples)| Some((Place::read(name)?, samples))).collect();
        places.sort_by(|a, b| a.0.cmp(&b.0));
        let mut rows = Vec::new();
        let (mut kept, mut held) = (0, 0);
        for (place, cell) in &places {
            let Some((ours, (rival, best), promised)) = duel(cell) else { continue };
            let gain = best / ours;
            held += usize::from(promised.is_some());
            kept += usize::from(promised.is_some_and(|promised| gain >= promised));
            rows.push(vec![
                place.stream.clone(),
                grouped(place.n as u64),
                place.threads.to_string(),
                number(Some(ours)),
                rival.to_string(),
                number(Some(best)),
                times(Some(gain)),
                times(promised),
            ]);
        }
        let columns = vec![
            fixed("stream"),
            fixed("boxes"),
            fixed("threads"),
            timed("jostle auto: median ms"),
            timed("best rival"),
            timed("its median ms"),
            timed("gain"),
            fixed("promised"),
        ];
        let mut blocks = vec![table("jostle and the best rival of each cell", columns, rows)];
        let groups: BTreeSet<(&str, usize)> =
            places.iter().map(|(place, _)| (place.stream.as_str(), place.threads)).collect();
        for (stream, count) in groups {
            let of_group: Vec<&(Place, &Samples)> = places
                .iter()
                .filter(|(place, _)| (place.stream.as_str(), place.threads) == (stream, count))
                .collect();
            let names: BTreeSet<&str> =
                of_group.iter().flat_map(|(_, cell)| medians(cell)).map(|(who, _)| who).collect();
            let lines = names.into_iter().map(|who| Line {
                name: who.to_string(),
                points: of_group
                    .iter()
                    .filter_map(|(place, cell)| Some((place.n as f64, *cell.values(who, "median").first()?)))
                    .collect(),
                fitted: true,
            });
            blocks.push(Block::Plot(Plot::Lines {
                caption: format!("{stream}, {}: median time of a frame", threads(count)),
                x: Axis::new("boxes").logarithmic(),
                y: median_ms().logarithmic(),
                lines: lines.collect(),
            }));
        }
        blocks.push(text(format!(
            "Read from {FILE}, which `make compare` writes; machine, versions and command are in that file."
        )));
        let promise = (held > 0).then(|| (format!("kept in {kept} of {held} cells"), kept == held));
        Report {
            title: "Rivals".to_string(),
            question: "How many times faster is `auto` than the best broad phase of other engines, on the same boxes in the same run?"
                .to_string(),
            findings: vec![finding(
                "Promised on one thread: 2 times the best rival's speed at 1,000 boxes, 3 at 10,000, 5 from 100,000 on.",
                promise,
            )],
            blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    #[test]
    fn cells_know_where_they_are_from() {
        let place = Place { stream: "still-10".into(), threads: 2, n: 1000 };
        assert_eq!(Place::read(&place.name()), Some(place));
        assert_eq!(Place::read("nonsense"), None);
    }

    #[test]
    fn a_missing_file_names_the_command_that_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = cells_of(&folder.path().join("compare.json")).err().unwrap();
        assert!(error.to_string().contains("make compare"), "{error}");
    }

    #[test]
    fn the_file_becomes_samples_and_gains() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare.json");
        let mut results =
            Results { options: trial::options(), planned: Vec::new(), cells: Default::default() };
        for cell in cells_of(&file).unwrap() {
            let samples = trial::run(|watch| (cell.run)(watch)).unwrap();
            results.cells.insert(cell.name, samples);
        }
        let (ours, best, promised) = duel(&results.cells["brownian-1000-boxes-1-threads"]).unwrap();
        assert_eq!((ours, best, promised), (2.0, ("a", 5.0), Some(2.0)));
        let report = Rivals.report(&results);
        assert_eq!(report.findings[0].found, "kept in 1 of 2 cells");
    }
}
