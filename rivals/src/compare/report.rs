//! All rows of a run, and the files they are written to.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use super::cell::Row;
use super::{Plan, html, machine, text};
use crate::adapters;

/// What a run has measured.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The command line that made it.
    pub command: String,
    /// The machine it ran on.
    pub machine: String,
    /// Frames per cell.
    pub frames: usize,
    /// The rivals, with versions.
    pub rivals: Vec<About>,
    /// Who is missing, and why.
    pub left_out: Vec<&'static str>,
    /// Cell by cell, in the order of the run.
    #[serde(skip)]
    pub cells: Vec<Vec<Row>>,
}

/// What is worth knowing of a rival.
#[derive(Debug, Serialize)]
pub struct About {
    /// Its name in the tables.
    pub name: &'static str,
    /// Library and version.
    pub version: &'static str,
    /// In words.
    pub delivers: &'static str,
    /// By how much it fattens boxes.
    pub margin: &'static str,
    /// Does it use threads?
    pub parallel: bool,
}

impl Report {
    /// A report without rows.
    pub fn new(plan: &Plan) -> Self {
        let rivals = adapters::all();
        let chosen = rivals
            .iter()
            .filter(|rival| plan.rivals.is_empty() || plan.rivals.iter().any(|name| name == rival.name));
        let about = chosen.map(|rival| About {
            name: rival.name,
            version: rival.version,
            delivers: rival.delivers.words(),
            margin: rival.margin,
            parallel: rival.parallel,
        });
        Self {
            command: plan.command.clone(),
            machine: machine::line(),
            frames: plan.frames,
            rivals: about.collect(),
            left_out: adapters::left_out(),
            cells: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, rows: Vec<Row>) {
        self.cells.push(rows);
    }

    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// All rows of all cells.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.cells.iter().flatten()
    }

    /// Values of the rows without repetition, in the order of their first occurrence.
    pub(super) fn distinct<T: PartialEq>(&self, value: impl Fn(&Row) -> T) -> Vec<T> {
        let mut values = Vec::new();
        for row in self.rows() {
            let value = value(row);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// The rows of one cell, if it was run.
    pub(super) fn cell(&self, stream: &str, n: usize, threads: usize) -> Option<&[Row]> {
        let is_it = |row: &Row| row.stream == stream && row.n == n && row.threads == threads;
        self.cells.iter().find(|rows| rows.first().is_some_and(is_it)).map(Vec::as_slice)
    }

    /// The whole report as JSON, a line per row, so that it can be kept and its changes read.
    fn json(&self) -> Result<String> {
        let mut cells = Vec::new();
        for rows in &self.cells {
            let rows = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            cells.push(format!("    [\n      {}\n    ]", rows.join(",\n      ")));
        }
        let head = serde_json::to_string_pretty(self)?;
        let head = head.trim_end_matches(['}', '\n']);
        Ok(format!("{head},\n  \"cells\": [\n{}\n  ]\n}}\n", cells.join(",\n")))
    }

    /// Writes `compare.csv`, `compare.json`, `compare.md` and `report.html` into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let files = [
            ("compare.csv", text::csv(self)),
            ("compare.json", self.json()?),
            ("compare.md", text::markdown(self)),
            ("report.html", html::page(self)?),
        ];
        for (name, content) in files {
            let path = folder.join(name);
            fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_has_the_head_and_a_line_per_row() {
        let mut report = Report {
            command: "make compare".to_string(),
            machine: "a \"machine\" of {braces}".to_string(),
            frames: 3,
            rivals: Vec::new(),
            left_out: vec!["one"],
            cells: Vec::new(),
        };
        let parsed =
            |report: &Report| -> serde_json::Value { serde_json::from_str(&report.json().unwrap()).unwrap() };
        assert_eq!(parsed(&report)["cells"], serde_json::json!([]));
        let rows = vec![Row::sample("jostle auto", 1.0, true, true), Row::sample("a", 2.0, false, true)];
        report.add(rows);
        let value = parsed(&report);
        assert_eq!((&value["frames"], &value["left_out"][0]), (&3.into(), &"one".into()));
        assert_eq!(value["cells"][0][1]["name"], "a");
        assert_eq!(report.json().unwrap().lines().filter(|line| line.contains("median_ms")).count(), 2);
    }
}
