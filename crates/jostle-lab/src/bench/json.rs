//! The outcome of a bench as one JSON object for programs.

use anyhow::Result;
use serde::Serialize;

use super::run::Row;
use super::{Outcome, Scaling, Skipped};
use crate::machine::Machine;

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    lanes: &'static str,
    asked: Asked,
    results: Vec<Entry<'a>>,
    skipped: &'a [Skipped],
    scaling: &'a [Scaling],
    /// By Ctrl-C, before all was measured.
    stopped: bool,
}

#[derive(Serialize)]
struct Asked {
    canonical: bool,
    changes: bool,
}

#[derive(Serialize)]
struct Entry<'a> {
    stream: &'a str,
    n: usize,
    finder: &'a str,
    threads: usize,
    lanes: &'static str,
    /// The first included.
    frames: u32,
    first_ms: f64,
    median_ms: f64,
    p99_ms: f64,
    ns_per_object: Option<f64>,
    pairs: usize,
    tests: u64,
    bytes: usize,
    stages: Vec<Stage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    each_frame: Option<Vec<Frame<'a>>>,
    verified: Option<bool>,
    /// Frames in which the truth was computed.
    verified_frames: u32,
    trouble: Option<&'a str>,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    median_ms: f64,
}

#[derive(Serialize)]
struct Frame<'a> {
    ms: f64,
    detail: Option<&'a str>,
}

pub(super) fn render(outcome: &Outcome, each_frame: bool) -> Result<String> {
    let report = Report {
        machine: &outcome.machine,
        lanes: outcome.lanes.name(),
        asked: Asked { canonical: outcome.canonical, changes: outcome.changes },
        results: outcome.rows.iter().map(|row| entry(row, outcome.lanes.name(), each_frame)).collect(),
        skipped: &outcome.skipped,
        scaling: &outcome.scaling,
        stopped: outcome.stopped,
    };
    let mut text = serde_json::to_string_pretty(&report)?;
    text.push('\n');
    Ok(text)
}

fn entry<'a>(row: &'a Row, lanes: &'static str, each_frame: bool) -> Entry<'a> {
    let frames = row.each_frame.iter().map(|(ms, detail)| Frame { ms: *ms, detail: detail.as_deref() });
    Entry {
        stream: &row.stream,
        n: row.n,
        finder: &row.finder,
        threads: row.threads,
        lanes,
        frames: row.frames,
        first_ms: row.first_ms,
        median_ms: row.median_ms,
        p99_ms: row.p99_ms,
        ns_per_object: (row.n > 0).then(|| row.median_ms * 1e6 / row.n as f64),
        pairs: row.pairs,
        tests: row.tests,
        bytes: row.bytes,
        stages: row.stages.iter().map(|&(stage, median_ms)| Stage { stage, median_ms }).collect(),
        each_frame: each_frame.then(|| frames.collect()),
        verified: row.verified,
        verified_frames: row.true_frames,
        trouble: row.trouble.as_deref(),
    }
}
