//! `auto`: measures the finders on the user's own frames and uses the cheapest, whatever the scene turns into.
//!
//! One finder works at a time. What it costs is remembered per situation (how many boxes, what share of them moved, how
//! far); now and then, more rarely the longer the choice has held, another one that may be cheaper gets a short trial in
//! real frames.
//! The pairs never depend on who found them, so a switch is invisible: the successor is handed the pairs of the frame
//! before, and tells what was added and removed relative to them.

mod choice;
mod restless;
mod worker;

pub use choice::DecideBy;

use std::time::Instant;

use choice::{Candidate, Chooser, Situation};
use restless::Restlessness;
use worker::Worker;

use crate::{Boxes, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, Revision};

/// The finder to use when there is no reason for another.
pub struct Auto {
    chooser: Chooser,
    restlessness: Restlessness,
    working: Candidate,
    worker: Box<dyn Worker>,
    /// Has the worker done an update yet? Its first frame says nothing of those to come.
    warm: bool,
    seen: Option<Revision>,
    /// Who did the latest update.
    latest: Option<Candidate>,
}

/// What `bvh` may hold to be used, in bytes: this much for each box and this much for each pair.
const BYTES_PER_BOX: usize = 250;
const BYTES_PER_PAIR: usize = 16;

impl std::fmt::Debug for Auto {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auto")
            .field("working", &self.working)
            .field("chooser", &self.chooser)
            .finish_non_exhaustive()
    }
}

impl Default for Auto {
    fn default() -> Self {
        Self::new(DecideBy::Time)
    }
}

impl Auto {
    /// A finder that decides by time, or by counted work: then its choices are the same in every run.
    pub fn new(decide_by: DecideBy) -> Self {
        let working = Candidate::FIRST;
        Self {
            chooser: Chooser::new(decide_by),
            restlessness: Restlessness::default(),
            working,
            worker: working.make(),
            warm: false,
            seen: None,
            latest: None,
        }
    }

    /// The name of the finder that did the latest update.
    pub fn chosen(&self) -> Option<&'static str> {
        self.latest.map(Candidate::name)
    }

    /// How many of the boxes changed since the update before.
    fn moved(&self, boxes: &Boxes) -> usize {
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => changes.len().min(boxes.len()),
            Changes::Everything => boxes.len(),
        }
    }

    fn switch_to(&mut self, candidate: Candidate) {
        let pairs = std::mem::take(self.worker.pairs_mut());
        // The old one goes before the new one comes: two sets of buffers would be too many.
        self.worker = candidate.make();
        *self.worker.pairs_mut() = pairs;
        self.working = candidate;
        self.warm = false;
    }

    /// Does the worker hold more than `auto` may?
    fn is_too_large(&self, boxes: &Boxes) -> bool {
        let allowed = BYTES_PER_BOX * boxes.len() + BYTES_PER_PAIR * self.pairs().len();
        self.worker.bytes() > allowed + 64 * 1024
    }
}

impl PairFinder for Auto {
    fn name(&self) -> &str {
        "auto"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let moved = self.moved(boxes);
        let restless = moved > 0 && self.restlessness.look(boxes);
        let situation = Situation::new(boxes.len(), moved, restless, self.seen.is_none());
        let candidate = if boxes.len() > crate::bvh::MOST_BOXES {
            Candidate::Sweep
        } else {
            self.chooser.choose(situation, self.working)
        };
        if candidate != self.working {
            self.switch_to(candidate);
        }
        let clock = Instant::now();
        let was_warm = std::mem::replace(&mut self.warm, false);
        let mut report = self.worker.update(boxes, settings)?;
        if was_warm {
            self.chooser.learn(situation, candidate, &report, clock.elapsed());
        }
        self.warm = true;
        self.seen = Some(boxes.revision());
        self.latest = Some(candidate);
        let name = candidate.name();
        if candidate == Candidate::Bvh && self.is_too_large(boxes) {
            if was_warm {
                // It may hold what an earlier state of the scene needed: a fresh one starts in the next frame.
                self.switch_to(Candidate::Bvh);
            } else {
                // Very many pairs for each box: whatever keeping them costs in time, it costs too much memory. The
                // successor has the pairs, and will do the next update.
                self.chooser.rule_out(situation, candidate);
                self.switch_to(Candidate::Sweep);
            }
        }
        report.detail = Some(match report.detail.take() {
            Some(detail) => format!("{name}: {detail}"),
            None => name.to_string(),
        });
        report.bytes = self.bytes();
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        self.worker.pairs()
    }

    fn bytes(&self) -> usize {
        self.worker.bytes()
    }
}
