//! What a step did and what it cost.

use std::time::Duration;

use crate::BodyId;

/// The stages of a frame, in the order of execution: function names in `step.rs`, columns of tables, headings of
/// `docs/frame.md`.
pub const STAGES: [&str; 8] = [
    "apply_commands",
    "update_bounds",
    "find_pairs",
    "find_contacts",
    "solve_contacts",
    "integrate",
    "sleep",
    "report",
];

/// What a step did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StepReport {
    /// Which step it was; the first one is 1.
    pub frame: u64,
    /// How many bodies there are.
    pub bodies: usize,
    /// How many dynamic bodies are awake.
    pub awake: usize,
    /// How many pairs of boxes overlap.
    pub pairs: usize,
    /// How many pairs were looked at by the narrow phase.
    pub tested_pairs: usize,
    /// How many manifolds there are between bodies of which one is awake.
    pub manifolds: usize,
    /// How many points they have.
    pub points: usize,
    /// How many times a body was held back by `max_speed`.
    pub clamped: usize,
    /// Bodies that became something that is no number in this step; they stand still where they were before it.
    pub frozen: Vec<BodyId>,
    /// Bodies that fell asleep.
    pub fell_asleep: usize,
    /// Bodies that woke.
    pub woke: usize,
    /// Time per stage, in the order of [`STAGES`].
    pub times: [Duration; STAGES.len()],
}

impl StepReport {
    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Stages with their times.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        STAGES.into_iter().zip(self.times)
    }
}
