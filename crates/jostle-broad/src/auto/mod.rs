//! `auto`: measures the finders on the user's own frames and uses the cheapest, whatever the scene turns into.
//!
//! One finder works at a time. What it costs is remembered per situation (how many boxes, what share of them moved, how
//! far); now and then, more rarely the longer the choice has held, another one that may be cheaper gets a short trial in
//! real frames.
//! The pairs never depend on who found them, so a switch is invisible: the successor is handed the pairs of the frame
//! before, and tells what was added and removed relative to them.
//!
//! A finder from outside may be among those to choose from: one on a GPU. It can fail at any time, and then a finder on
//! the CPU does the same update again.

mod candidate;
mod choice;
mod device;
mod restless;
mod situation;
mod worker;

pub use choice::DecideBy;
pub use worker::RelayFinder;

use std::time::Instant;

use candidate::Candidate;
use choice::Chooser;
use device::Device;
use restless::Restlessness;
use situation::Situation;

use crate::{
    Boxes, Bvh, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, Revision, Sweep,
};

/// The finder to use when there is no reason for another.
pub struct Auto {
    chooser: Chooser,
    restlessness: Restlessness,
    working: Candidate,
    worker: Box<dyn RelayFinder>,
    device: Option<Device>,
    /// What became of the device and was not told yet.
    news: Option<String>,
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
        Self {
            chooser: Chooser::new(decide_by),
            restlessness: Restlessness::default(),
            working: Candidate::FIRST,
            worker: Box::new(Bvh::default()),
            device: None,
            news: None,
            warm: false,
            seen: None,
            latest: None,
        }
    }

    /// A finder that may also choose one from outside, on a GPU for example, by this name. It is measured like the
    /// others, whole updates including transfers.
    ///
    /// `open` runs in a thread of its own when there are enough boxes for a device to pay (50,000) for the first time,
    /// and a rehearsal follows; the device gets its first frame when both went well. If anything fails, there or in a
    /// frame, a finder on the CPU does that frame, the device is not used again, and [`FindReport::detail`] and
    /// [`Auto::device_trouble`] say why.
    ///
    /// With [`DecideBy::Work`], choices must be the same in every run: the device is left out.
    pub fn with_device<F>(decide_by: DecideBy, name: &'static str, open: F) -> Self
    where
        F: FnOnce() -> Result<Box<dyn RelayFinder>, FindError> + Send + Sync + 'static,
    {
        let mut auto = Self::new(decide_by);
        if decide_by != DecideBy::Work {
            auto.device = Some(Device::new(name, Box::new(open)));
        }
        auto
    }

    /// Opens the device now, for scenes of about so many boxes, and waits until it is ready or has failed: for those who
    /// would rather wait before the first frame than see a switch later.
    pub fn wait_for_device(&mut self, boxes: usize) {
        if let Some(device) = &mut self.device {
            device.open(boxes);
            device.wait();
        }
        self.look_after_device(boxes);
    }

    /// Why the device is not used, if it failed.
    pub fn device_trouble(&self) -> Option<&str> {
        self.device.as_ref().and_then(Device::trouble)
    }

    /// The name of the finder that did the latest update.
    pub fn chosen(&self) -> Option<&'static str> {
        self.latest.map(|candidate| self.name_of(candidate))
    }

    fn name_of(&self, candidate: Candidate) -> &'static str {
        match candidate {
            Candidate::Sweep => "sweep",
            Candidate::Bvh => "bvh",
            Candidate::Device => self.device.as_ref().map_or("device", Device::name),
        }
    }

    /// Who was chosen, and what else there is to say. Without formatting, which takes longer than some boxes do.
    fn detail(&mut self, candidate: Candidate, of_worker: Option<String>) -> String {
        let mut detail = self.name_of(candidate).to_string();
        let mut between = ": ";
        for said in self.news.take().into_iter().chain(of_worker) {
            detail.push_str(between);
            detail.push_str(&said);
            between = "; ";
        }
        detail
    }

    /// How many of the boxes changed since the update before.
    fn moved(&self, boxes: &Boxes) -> usize {
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => changes.len().min(boxes.len()),
            Changes::Everything => boxes.len(),
        }
    }

    /// Opens the device if it may pay, and admits it to the choice when it is ready.
    fn look_after_device(&mut self, boxes: usize) {
        let Some(device) = &mut self.device else { return };
        if self.chooser.wants_device(boxes) {
            device.open(boxes);
        }
        match device.news() {
            Some(Ok(nanoseconds_per_box)) => self.chooser.admit_device(nanoseconds_per_box),
            Some(Err(reason)) => self.news = Some(format!("{} left out: {reason}", device.name())),
            None => {}
        }
    }

    /// The device failed: it will not be used again.
    fn give_up_device(&mut self, reason: String) {
        self.chooser.withdraw_device();
        if let Some(device) = &mut self.device {
            self.news = Some(format!("{} given up: {reason}", device.name()));
            device.give_up(reason);
        }
    }

    fn switch_to(&mut self, candidate: Candidate) {
        let pairs = self.worker.hand_over();
        // Fresh ones hold nothing yet, and the old one goes before they do: two sets of buffers would be too many.
        let next: Box<dyn RelayFinder> = match candidate {
            Candidate::Sweep => Box::new(Sweep::default()),
            Candidate::Bvh => Box::new(Bvh::default()),
            Candidate::Device => {
                let lent = self.device.as_mut().and_then(Device::lend);
                lent.expect("only a device that is ready is chosen")
            }
        };
        let before = std::mem::replace(&mut self.worker, next);
        if let (Candidate::Device, Some(device)) = (self.working, &mut self.device) {
            device.park(before);
        }
        self.worker.take_over(pairs);
        self.working = candidate;
        self.warm = false;
    }

    /// Does the worker hold more than `auto` may?
    fn is_too_large(&self, report: &FindReport) -> bool {
        let allowed = BYTES_PER_BOX * report.boxes + BYTES_PER_PAIR * report.pairs;
        report.bytes > allowed + 64 * 1024
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
        self.look_after_device(boxes.len());
        let mut candidate = self.chooser.choose(situation, self.working);
        if candidate == Candidate::Bvh && boxes.len() > crate::bvh::MOST_BOXES {
            candidate = Candidate::Sweep;
        }
        if candidate != self.working {
            self.switch_to(candidate);
        }
        let mut was_warm = std::mem::replace(&mut self.warm, false);
        let mut clock = Instant::now();
        let mut result = self.worker.update(boxes, settings);
        if let (Candidate::Device, Err(error @ FindError::Device { .. })) = (candidate, &result) {
            // Its pairs are still those of the update before: the same update again, on the CPU, tells the same changes.
            self.give_up_device(device::reason(error.clone()));
            candidate = Candidate::Sweep;
            self.switch_to(candidate);
            was_warm = false;
            clock = Instant::now();
            result = self.worker.update(boxes, settings);
        }
        let mut report = result?;
        if was_warm {
            self.chooser.learn(situation, candidate, &report, clock.elapsed());
        }
        self.warm = true;
        self.seen = Some(boxes.revision());
        self.latest = Some(candidate);
        if candidate == Candidate::Bvh && self.is_too_large(&report) {
            if was_warm {
                // It may hold what an earlier state of the scene needed: a fresh one starts in the next frame.
                self.switch_to(Candidate::Bvh);
            } else {
                // Very many pairs for each box: whatever keeping them costs in time, it costs too much memory. The
                // successor has the pairs, and will do the next update.
                self.chooser.rule_out(situation, candidate);
                self.switch_to(Candidate::Sweep);
            }
            report.bytes = self.worker.bytes();
        }
        report.detail = Some(self.detail(candidate, report.detail.take()));
        report.bytes += self.device.as_ref().map_or(0, Device::parked_bytes);
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        self.worker.pairs()
    }

    fn bytes(&self) -> usize {
        self.worker.bytes() + self.device.as_ref().map_or(0, Device::parked_bytes)
    }
}
