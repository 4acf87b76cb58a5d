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

    /// Writes `compare.csv`, `compare.json`, `compare.md` and `report.html` into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let files = [
            ("compare.csv", text::csv(self)),
            ("compare.json", serde_json::to_string_pretty(self)?),
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
