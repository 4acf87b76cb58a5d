//! The outcome of a run as one JSON object for programs.

use anyhow::Result;
use serde::Serialize;

use super::{Outcome, Stage};
use crate::machine::Machine;

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    scene: &'a str,
    /// Those that move.
    bodies: usize,
    /// Ground, walls and the like.
    furniture: usize,
    seed: u64,
    frames: u32,
    /// By Ctrl-C, before all were run.
    stopped: bool,
    threads: u16,
    finder: &'a str,
    hash: String,
    fps: f64,
    mean_ms: f64,
    p99_ms: f64,
    stages: &'a [Stage],
    /// Of the latest frame.
    awake: usize,
    pairs: usize,
    manifolds: usize,
    points: usize,
    /// In metres, at its start.
    deepest_overlap: f32,
    /// In all frames together.
    clamped: usize,
    frozen: usize,
}

pub(super) fn render(outcome: &Outcome) -> Result<String> {
    let report = Report {
        machine: &outcome.machine,
        scene: &outcome.scene,
        bodies: outcome.bodies,
        furniture: outcome.furniture,
        seed: outcome.seed,
        frames: outcome.frames,
        stopped: outcome.stopped,
        threads: outcome.threads,
        finder: &outcome.finder,
        hash: outcome.hash.to_string(),
        fps: outcome.fps(),
        mean_ms: outcome.mean_ms,
        p99_ms: outcome.p99_ms,
        stages: &outcome.stages,
        awake: outcome.last.awake,
        pairs: outcome.last.pairs,
        manifolds: outcome.last.manifolds,
        points: outcome.last.points,
        deepest_overlap: outcome.deepest_overlap,
        clamped: outcome.clamped,
        frozen: outcome.frozen,
    };
    let mut text = serde_json::to_string_pretty(&report)?;
    text.push('\n');
    Ok(text)
}
