//! The outcome of a run for people.

use super::Outcome;
use crate::columns::table;
use crate::numbers::{grouped, three_digits};

impl Outcome {
    /// Frames a second.
    pub(super) fn fps(&self) -> f64 {
        1e3 / self.mean_ms
    }
}

pub(super) fn render(outcome: &Outcome) -> String {
    let count = |number: usize| grouped(number as u64);
    let threads =
        if outcome.threads == 1 { "1 thread".to_string() } else { format!("{} threads", outcome.threads) };
    let mut text = format!(
        "{}\n\n{}: {}\n{} bodies, {} frames, seed {}, finder {}, {threads}\n",
        outcome.machine.line(),
        outcome.scene,
        outcome.description,
        count(outcome.bodies),
        grouped(outcome.frames.into()),
        outcome.seed,
        outcome.finder,
    );
    let row = |name: &str, share: f64, mean: f64, p99: f64| {
        [name.to_string(), format!("{:.1} %", share * 100.0), three_digits(mean), three_digits(p99)]
    };
    let rows = outcome.stages.iter().map(|stage| row(stage.stage, stage.share, stage.mean_ms, stage.p99_ms));
    let rows = rows.chain([row("frame", 1.0, outcome.mean_ms, outcome.p99_ms)]);
    text.push_str(&table(["stage", "share", "mean ms", "p99 ms"], &[0], rows));
    let last = &outcome.last;
    text.push_str(&format!("\n{} frames a second\n", three_digits(outcome.fps())));
    text.push_str(&format!(
        "in the latest frame: {} bodies awake, {} contacts with {} points, {} pairs of boxes; deepest overlap {:.1} mm\n",
        count(last.awake),
        count(last.manifolds),
        count(last.points),
        count(last.pairs),
        outcome.deepest_overlap * 1e3
    ));
    if outcome.clamped > 0 {
        text.push_str(&format!("{} times a body was held back by `max_speed`\n", count(outcome.clamped)));
    }
    if outcome.frozen > 0 {
        text.push_str(&format!(
            "{} bodies became something that is no number and were frozen\n",
            count(outcome.frozen)
        ));
    }
    text.push_str(&format!("state hash {} (the same for any --threads and --finder)\n", outcome.hash));
    text
}
