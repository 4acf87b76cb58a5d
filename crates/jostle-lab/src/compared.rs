//! `jostle compared`: what `make compare` measured, as Markdown; `--into` keeps a README true to it.
//!
//! In: `compare.json` of the rivals' workspace, or several, of one machine. Out: for each number of threads how many times faster jostle is than the
//! best rival, stream by number of boxes, beside what is promised; then memory and growth of everyone.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::numbers::{exponent, three_digits};
use crate::output::{self, WholeFile};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle compared docs/measured/compare-*.json --into README.md")]
pub(crate) struct Arguments {
    /// A compare.json, or several of one machine: what is in more than one counts as in the last
    #[arg(value_name = "FILE", required = true)]
    reports: Vec<PathBuf>,
    /// Put the table into a file, between its lines `<!-- compared -->` and `<!-- /compared -->`
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

const OPENING: &str = "<!-- compared -->\n";
const CLOSING: &str = "<!-- /compared -->";

/// The row of `make compare --floor`: what only reading boxes takes. It is nobody's time.
const FLOOR: &str = "floor";

/// What `make compare` measured.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    /// Of each run.
    #[serde(rename = "command", deserialize_with = "of_one_run")]
    commands: Vec<String>,
    machine: String,
    /// Of each run, the first one included.
    #[serde(deserialize_with = "of_one_run")]
    frames: Vec<usize>,
    /// All contestants of a stream, a number of boxes and a number of threads.
    pub(crate) cells: Vec<Vec<Row>>,
}

fn of_one_run<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    T::deserialize(deserializer).map(|value| vec![value])
}

/// One contestant in one cell.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) stream: String,
    pub(crate) n: usize,
    pub(crate) threads: usize,
    pub(crate) name: String,
    ours: bool,
    pub(crate) median_ms: f64,
    pub(crate) p99_ms: Option<f64>,
    speedup: Option<f64>,
    best_rival: bool,
    /// How many frames it did after the first, and whether it left before the last.
    #[serde(default)]
    frames: usize,
    #[serde(default)]
    gave_up: bool,
    /// How many times faster than the best rival is promised.
    pub(crate) bar: Option<f64>,
    pub(crate) bytes_per_box: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut reports = arguments.reports.iter();
    let first = reports.next().context("no FILE was given")?;
    let mut report = Report::read(first)?;
    for path in reports {
        report.take_over(Report::read(path)?).with_context(|| format!("{}", path.display()))?;
    }
    let table = markdown(&report);
    if let Some(into) = &arguments.into {
        put(&table, into)?;
    }
    if arguments.json {
        return output::print_json(&as_json(&report, arguments.into.as_deref()));
    }
    // What went into a file is not shown again.
    if arguments.into.is_some() { Ok(()) } else { output::print(&table) }
}

/// Puts the table into a file, between its marks.
fn put(table: &str, into: &Path) -> Result<()> {
    let before = read(into)?;
    let after = replaced(&before, table).with_context(|| {
        format!("{}: has no lines `{}` and `{CLOSING}`; add them", into.display(), OPENING.trim_end())
    })?;
    let mut file = WholeFile::create(into)?;
    file.write(after.as_bytes())?;
    file.commit()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))
}

/// The text with what lies between its marks replaced.
fn replaced(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(OPENING)?;
    let (_, after) = rest.split_once(CLOSING)?;
    Some(format!("{before}{OPENING}{table}{CLOSING}{after}"))
}

fn markdown(report: &Report) -> String {
    let frames: Vec<String> = report.frames.iter().map(usize::to_string).collect();
    let mut text = format!(
        "`{}` on {}; medians of {} frames per cell, the first left out. In each cell: how many times faster `auto` is than the best rival, its \
         milliseconds per frame, the best rival and its own.\n",
        report.commands.join("` and `"),
        report.machine,
        frames.join(" and ")
    );
    if report.rows().any(|row| row.name == FLOOR) {
        text.push_str(
            "Where it falls short, *reading* says how many times faster it would be to read each box once, beside one that was kept, \
             and to do nothing else.\n",
        );
    }
    let sizes = report.distinct(|row| row.n);
    let streams = report.distinct(|row| row.stream.as_str());
    for threads in report.distinct(|row| row.threads) {
        let promised = |n: usize| {
            let rows = report.rows().filter(|row| row.n == n && row.threads == threads);
            rows.filter_map(|row| row.bar).reduce(f64::max)
        };
        let heads = sizes.iter().map(|&n| match promised(n) {
            Some(bar) => format!("{} (aim {bar}x)", short_count(n)),
            None => short_count(n),
        });
        let words = if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") };
        let _ = write!(text, "\n| {words} | {} |\n", heads.collect::<Vec<_>>().join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(sizes.len()));
        for stream in &streams {
            let cells =
                sizes.iter().map(|&n| report.cell(stream, n, threads).map_or("-".to_string(), verdict));
            let _ = writeln!(text, "| {stream} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
    text.push_str(&everyone(report, &sizes));
    text
}

/// The same for programs: every cell, and everyone's memory and growth.
fn as_json(report: &Report, into: Option<&Path>) -> Value {
    let cells = report.cells.iter().filter_map(|rows| {
        let ours = ours(rows)?;
        let best = rows.iter().find(|row| row.best_rival);
        let kept = ours.bar.zip(ours.speedup).map(|(bar, speedup)| speedup >= bar);
        Some(json!({
            "stream": ours.stream, "n": ours.n, "threads": ours.threads, "name": ours.name, "median_ms": ours.median_ms,
            "best_rival": best.map(|best| json!({ "name": best.name, "median_ms": best.median_ms })),
            "speedup": ours.speedup, "aim": ours.bar, "kept": kept, "speedup_of_reading": floor(rows),
        }))
    });
    let everyone = report.contestants().into_iter().map(|name| {
        let own: Vec<&Row> = report.of_first_stream().into_iter().filter(|row| row.name == name).collect();
        let bytes = own.iter().map(|row| json!({ "n": row.n, "bytes_per_box": row.bytes_per_box }));
        json!({ "name": name, "memory": bytes.collect::<Vec<_>>(), "time_exponent": growth(&own) })
    });
    json!({
        "commands": report.commands, "machine": report.machine, "frames": report.frames, "statistic": "median",
        "cells": cells.collect::<Vec<_>>(), "everyone": everyone.collect::<Vec<_>>(), "into": into,
    })
}

/// The exponent of someone's time over the number of boxes.
fn growth(rows: &[&Row]) -> Option<f64> {
    let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.n as f64, row.median_ms)).collect();
    exponent(&points)
}

/// `auto`, or whoever is there of ours, against the best rival of a cell.
fn verdict(rows: &[Row]) -> String {
    let Some(ours) = ours(rows) else { return "-".to_string() };
    let Some((best, speedup)) = rows.iter().find(|row| row.best_rival).zip(ours.speedup) else {
        return format!("{} ms", three_digits(ours.median_ms));
    };
    let figure = format!("{}x", three_digits(speedup));
    let figure = match ours.bar {
        Some(bar) if speedup < bar => format!("{figure}, short"),
        Some(_) => format!("**{figure}**"),
        None => figure,
    };
    let left = if best.gave_up { format!(", of {} frames only", best.frames) } else { String::new() };
    let is_short = ours.bar.is_some_and(|bar| speedup < bar);
    let reading = floor(rows).filter(|_| is_short);
    let reading = reading.map_or(String::new(), |times| format!("; *reading* {}x", three_digits(times)));
    let (own, its) = (three_digits(ours.median_ms), three_digits(best.median_ms));
    format!("{figure} ({own}; {} {its}{left}{reading})", best.name)
}

/// `auto`, or whoever is there of ours.
fn ours(rows: &[Row]) -> Option<&Row> {
    let auto = rows.iter().find(|row| row.name == "jostle auto");
    auto.or_else(|| rows.iter().find(|row| row.ours))
}

/// How many times faster than the best rival of a cell only reading the boxes is.
fn floor(rows: &[Row]) -> Option<f64> {
    rows.iter().find(|row| row.name == FLOOR).and_then(|row| row.speedup)
}

/// Memory and growth of all contestants on the first stream, with one thread.
fn everyone(report: &Report, sizes: &[usize]) -> String {
    let Some(first) = report.rows().next() else { return String::new() };
    let rows = report.of_first_stream();
    let heads = sizes.iter().map(|&n| short_count(n)).collect::<Vec<_>>().join(" | ");
    let mut text = format!(
        "\n<details><summary>Memory and growth</summary>\n\nBytes on the heap per box on `{}`, and the exponent of time \
         over the number of boxes:\n\n| | {heads} | time grows as |\n|---|{}---|\n",
        first.stream,
        "---|".repeat(sizes.len()),
    );
    for name in report.contestants() {
        let own: Vec<&Row> = rows.iter().filter(|row| row.name == name).copied().collect();
        let bytes = sizes.iter().map(|&n| {
            let row = own.iter().find(|row| row.n == n);
            row.and_then(|row| row.bytes_per_box).map_or("-".to_string(), |bytes| format!("{bytes:.0}"))
        });
        let growth = growth(&own).map_or("-".to_string(), |exponent| format!("n^{exponent:.2}"));
        let _ = writeln!(text, "| {name} | {} | {growth} |", bytes.collect::<Vec<_>>().join(" | "));
    }
    text.push_str("\n</details>\n");
    text
}

/// A count as short as it can be written without loss.
fn short_count(count: usize) -> String {
    match count {
        _ if count > 0 && count.is_multiple_of(1_000_000) => format!("{} M", count / 1_000_000),
        _ if count > 0 && count.is_multiple_of(1_000) => format!("{} k", count / 1_000),
        _ => count.to_string(),
    }
}

impl Row {
    /// Which cell it is of.
    fn place(&self) -> (&str, usize, usize) {
        (&self.stream, self.n, self.threads)
    }
}

impl Report {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        serde_json::from_str(&read(path)?)
            .with_context(|| format!("{}: is not what `make compare` writes", path.display()))
    }

    /// Takes over what another run on the same machine measured.
    fn take_over(&mut self, other: Self) -> Result<()> {
        let Self { commands, machine, frames, cells } = other;
        ensure!(
            machine == self.machine,
            "measured on `{machine}`, and what comes before it on `{}`; times of two machines do not compare",
            self.machine
        );
        for cell in cells {
            let is_same = |there: &Vec<Row>| matches!((there.first(), cell.first()), (Some(a), Some(b)) if a.place() == b.place());
            match self.cells.iter_mut().find(|there| is_same(there)) {
                Some(there) => *there = cell,
                None => self.cells.push(cell),
            }
        }
        self.commands.extend(commands);
        self.frames.extend(frames);
        Ok(())
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.cells.iter().flatten()
    }

    /// The rows of the first stream, with its first number of threads.
    fn of_first_stream(&self) -> Vec<&Row> {
        let Some(first) = self.rows().next() else { return Vec::new() };
        self.rows().filter(|row| row.stream == first.stream && row.threads == first.threads).collect()
    }

    /// Values of the rows without repetition, in the order of their first occurrence.
    fn distinct<'a, T: PartialEq>(&'a self, value: impl Fn(&'a Row) -> T) -> Vec<T> {
        let mut values = Vec::new();
        for row in self.rows() {
            let value = value(row);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// Everyone by name.
    fn contestants(&self) -> Vec<&str> {
        let mut names = self.distinct(|row| row.name.as_str());
        names.retain(|name| *name != FLOOR);
        names
    }

    fn cell(&self, stream: &str, n: usize, threads: usize) -> Option<&[Row]> {
        let is_it = |row: &Row| row.place() == (stream, n, threads);
        self.cells.iter().find(|rows| rows.first().is_some_and(is_it)).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: usize, name: &str, median_ms: f64, best_ms: f64, bar: Option<f64>) -> Row {
        let ours = name.starts_with("jostle");
        Row {
            stream: "brownian".to_string(),
            n,
            threads: 1,
            name: name.to_string(),
            ours,
            median_ms,
            p99_ms: None,
            speedup: Some(best_ms / median_ms),
            best_rival: !ours && median_ms == best_ms,
            bar: bar.filter(|_| ours),
            bytes_per_box: Some(100.0),
            frames: 2,
            gave_up: false,
        }
    }

    fn report() -> Report {
        let cell = |n: usize, ours: f64, bar| {
            vec![
                row(n, "jostle auto", ours, 6.0, bar),
                row(n, "a", 6.0, 6.0, None),
                row(n, "b", 9.0, 6.0, None),
            ]
        };
        Report {
            commands: vec!["make compare".to_string()],
            machine: "a machine".to_string(),
            frames: vec![3],
            cells: vec![cell(1_000, 2.0, Some(2.0)), cell(10_000, 4.0, Some(3.0)), cell(1234, 4.0, None)],
        }
    }

    #[test]
    fn what_is_kept_and_what_is_missed_is_said() {
        let text = markdown(&report());
        assert!(text.contains("| 1 thread | 1 k (aim 2x) | 10 k (aim 3x) | 1234 |\n"), "{text}");
        let cells =
            "| brownian | **3.00x** (2.00; a 6.00) | 1.50x, short (4.00; a 6.00) | 1.50x (4.00; a 6.00) |\n";
        assert!(text.contains(cells), "{text}");
        assert!(text.contains("| jostle auto | 100 | 100 | 100 | n^0.18 |"), "{text}");
        assert!(text.starts_with("`make compare` on a machine; medians of 3 frames"), "{text}");
    }

    #[test]
    fn several_runs_of_a_machine_become_one_table() {
        let mut both = report();
        let mut other = report();
        other.commands = vec!["make compare COMPARE='--n 1M'".to_string()];
        other.frames = vec![5];
        other.cells.truncate(2);
        // One that is there already, and a new one.
        other.cells[0][0].median_ms = 1.5;
        other.cells[1].iter_mut().for_each(|row| row.n = 1_000_000);
        other.cells[1][1].gave_up = true;
        both.take_over(other).unwrap();
        let text = markdown(&both);
        assert!(
            text.starts_with(
                "`make compare` and `make compare COMPARE='--n 1M'` on a machine; medians of 3 and 5 frames"
            ),
            "{text}"
        );
        assert!(
            text.contains("| 1 thread | 1 k (aim 2x) | 10 k (aim 3x) | 1234 | 1 M (aim 3x) |\n"),
            "{text}"
        );
        assert!(text.contains("| brownian | **3.00x** (1.50; a 6.00) |"), "{text}");
        assert!(text.contains("| 1.50x, short (4.00; a 6.00, of 2 frames only) |\n"), "{text}");
        let elsewhere = Report { machine: "another".to_string(), ..report() };
        let error = both.take_over(elsewhere).unwrap_err().to_string();
        assert!(error.contains("`another`") && error.contains("`a machine`"), "{error}");
    }

    #[test]
    fn what_reading_takes_is_said_where_it_falls_short_and_is_nobodys() {
        let mut with_floor = report();
        let cells = with_floor.cells.iter_mut();
        cells.for_each(|cell| cell.push(row(cell[0].n, FLOOR, 1.5, 6.0, None)));
        let text = markdown(&with_floor);
        let cells = "| **3.00x** (2.00; a 6.00) | 1.50x, short (4.00; a 6.00; *reading* 4.00x) | 1.50x (4.00; a 6.00) |\n";
        assert!(text.contains(cells) && text.contains("Where it falls short, *reading* says"), "{text}");
        assert!(!text.contains("| floor |") && !markdown(&report()).contains("reading"), "{text}");
        let value = as_json(&with_floor, None);
        assert_eq!(value["cells"][1]["speedup_of_reading"], 4.0);
        assert_eq!(value["everyone"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn auto_speaks_for_us_even_where_another_finder_is_faster() {
        let mut report = report();
        report
            .cells
            .iter_mut()
            .for_each(|cell| cell.insert(0, row(cell[0].n, "jostle sweep", 1.0, 6.0, Some(2.0))));
        assert!(markdown(&report).contains("| brownian | **3.00x** (2.00; a 6.00) |"));
        let value = as_json(&report, None);
        assert_eq!(
            (&value["cells"][0]["name"], &value["cells"][0]["speedup"]),
            (&json!("jostle auto"), &json!(3.0))
        );
    }

    #[test]
    fn only_what_lies_between_the_marks_changes() {
        let text = "a\n<!-- compared -->\nold\n<!-- /compared -->\nb\n";
        let new = replaced(text, "new\n").unwrap();
        assert_eq!(new, "a\n<!-- compared -->\nnew\n<!-- /compared -->\nb\n");
        assert_eq!(replaced(&new, "new\n").unwrap(), new);
        assert_eq!(replaced("no marks", "new\n"), None);
        assert_eq!(replaced("<!-- compared -->\n", "new\n"), None);
    }
}
