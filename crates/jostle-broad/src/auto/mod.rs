//! `auto`: measures the finders on the user's own frames and uses the cheapest, whatever the scene turns into.
//!
//! One finder works at a time. What it costs is remembered per situation (how many boxes, what share of them moved);
//! now and then, more rarely the longer the choice has held, the next best candidate gets a short trial in real frames.
//! The pairs never depend on who found them, so a switch is invisible: what was added and removed is told relative to
//! the frame before, also across a switch.

mod choice;

pub use choice::DecideBy;

use choice::{Candidate, Chooser, Situation};

use std::time::Instant;

use crate::{Boxes, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun, Revision};

/// The finder to use when there is no reason for another.
pub struct Auto {
    chooser: Chooser,
    working: Option<(Candidate, Box<dyn PairFinder>)>,
    /// The pairs of a frame in which the finder changed: the new one does not know what the old one had told.
    switched: Option<PairBuffer>,
    /// What is handed out before there was any frame.
    nothing: PairBuffer,
    seen: Option<Revision>,
    /// Has the working finder found what `pairs` tells? Not after a switch that ran into an error.
    settled: bool,
}

impl std::fmt::Debug for Auto {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let working = self.working.as_ref().map(|(candidate, _)| candidate.name());
        f.debug_struct("Auto")
            .field("working", &working)
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
        Self {
            chooser: Chooser::new(decide_by),
            working: None,
            switched: None,
            nothing: PairBuffer::default(),
            seen: None,
            settled: false,
        }
    }

    /// The name of the finder that did the latest update.
    pub fn chosen(&self) -> Option<&'static str> {
        self.working.as_ref().map(|(candidate, _)| candidate.name())
    }

    /// How many of the boxes changed since the update before.
    fn moved(&self, boxes: &Boxes) -> usize {
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => changes.len().min(boxes.len()),
            Changes::Everything => boxes.len(),
        }
    }

    /// Lets a new finder do the update, and tells the difference to what the old one had found.
    fn update_and_switch(
        &mut self,
        candidate: Candidate,
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> Result<FindReport, FindError> {
        // The old one goes before the new one comes: two sets of buffers would be too many. Its pairs stay.
        let old = self.working.take();
        let before = self
            .switched
            .get_or_insert_with(|| old.map_or_else(PairBuffer::default, |(_, it)| it.pairs().clone()));
        let mut finder = candidate.make();
        let found = finder.update(boxes, settings).and_then(|report| {
            let mut run = PairRun::new(None);
            run.extend(finder.pairs().as_slice());
            before.replace([&run], settings).map(|()| report)
        });
        self.working = Some((candidate, finder));
        self.settled = found.is_ok();
        found
    }
}

impl PairFinder for Auto {
    fn name(&self) -> &str {
        "auto"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let situation = Situation::new(boxes.len(), self.moved(boxes));
        let candidate = self.chooser.choose(situation, self.chosen());
        let clock = Instant::now();
        let stays = self.working.as_mut().filter(|(working, _)| self.settled && *working == candidate);
        let mut report = if let Some((_, finder)) = stays {
            let report = finder.update(boxes, settings)?;
            self.switched = None;
            self.chooser.learn(situation, candidate, &report, clock.elapsed());
            report
        } else {
            // Not learned from: a first frame says nothing of those to come.
            self.update_and_switch(candidate, boxes, settings)?
        };
        self.seen = Some(boxes.revision());
        report.detail = Some(match report.detail.take() {
            Some(detail) => format!("{}: {detail}", candidate.name()),
            None => candidate.name().to_string(),
        });
        report.bytes = self.bytes();
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        match (&self.switched, &self.working) {
            (Some(buffer), _) => buffer,
            (None, Some((_, finder))) => finder.pairs(),
            (None, None) => &self.nothing,
        }
    }

    fn bytes(&self) -> usize {
        let working = self.working.as_ref().map_or(0, |(_, finder)| finder.bytes());
        working + self.switched.as_ref().map_or(0, PairBuffer::bytes)
    }
}
