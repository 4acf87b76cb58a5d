//! Who works: what is known about the cost of each finder in each situation, and when to try another.

use std::time::Duration;

use super::worker::Worker;
use crate::{Bvh, FindReport, Sweep};

/// What the choice is made by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecideBy {
    /// The time a frame took. The choice may differ from run to run; the pairs do not.
    #[default]
    Time,
    /// The work a frame counted (tests, boxes moved), weighed by what it costs on a common machine. The choice is the
    /// same in every run.
    Work,
}

/// The finders to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    Sweep,
    Bvh,
}

const CANDIDATES: [Candidate; 2] = [Candidate::Sweep, Candidate::Bvh];

impl Candidate {
    /// Who works before anything is known: most scenes are calm, and going from calm to restless is the cheaper switch.
    pub(super) const FIRST: Self = Self::Bvh;

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Bvh => "bvh",
        }
    }

    pub(super) fn make(self) -> Box<dyn Worker> {
        match self {
            Self::Sweep => Box::new(Sweep::default()),
            Self::Bvh => Box::new(Bvh::default()),
        }
    }

    /// What a frame should cost before anything was measured, in units of work: nanoseconds of a 2.8 GHz Xeon, by `jostle
    /// bench`. What is close gets tried.
    fn expected(self, situation: Situation) -> f64 {
        let n = situation.boxes as f64;
        match self {
            Self::Sweep => 2_000.0 + 85.0 * n,
            // Boxes that move by their own size leave their blocks at once.
            Self::Bvh if situation.restless => 5_000.0 + 300.0 * n,
            Self::Bvh => 1_000.0 + n + 50.0 * n.min(64.0 * situation.moved as f64),
        }
    }

    /// The cost of what a frame counted.
    fn work(self, report: &FindReport) -> f64 {
        let (n, tests) = (report.boxes as f64, report.tests as f64);
        match self {
            Self::Sweep => 2_000.0 + 50.0 * n + tests,
            Self::Bvh => {
                let placed = report.stages.iter().any(|(stage, _)| *stage == "place");
                let placing = if placed { 150.0 * n } else { 0.0 };
                1_000.0 + n + 24.0 * n.min(64.0 * report.moved as f64) + 0.5 * tests + placing
            }
        }
    }
}

/// What a frame is like, as far as cost goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    boxes: usize,
    moved: usize,
    /// Do many boxes move as far as they are long?
    restless: bool,
    /// In the first frame all boxes are new, which says nothing about those to come.
    first: bool,
}

impl Situation {
    pub(super) fn new(boxes: usize, moved: usize, restless: bool, first: bool) -> Self {
        Self { boxes, moved, restless, first }
    }
}

/// Situations alike enough to share what is known: the number of boxes within a factor of two, the share that moves
/// within one of four, and whether they move far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    boxes: u32,
    moved: u32,
    restless: bool,
}

/// What is known about a class.
#[derive(Clone, Debug)]
struct Known {
    class: Class,
    /// Cost per box of each candidate, in units of work, averaged over its latest frames.
    costs: [Option<f64>; CANDIDATES.len()],
    /// Candidates not to be used at all.
    ruled_out: [bool; CANDIDATES.len()],
    /// Frames until the next trial.
    patience: u32,
    /// The patience after that one: doubles while trials change nothing.
    next_patience: u32,
}

#[derive(Debug)]
pub(super) struct Chooser {
    decide_by: DecideBy,
    known: Vec<Known>,
    /// The share of boxes that moves, averaged over some frames: one odd frame is no reason to switch.
    share: Option<f64>,
    /// How long a unit of work takes, averaged over many frames: a slow moment of the machine says nothing about a finder.
    pace: Option<f64>,
    trial: Option<Trial>,
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    candidate: Candidate,
    class: Class,
    frames: u32,
}

/// Frames of a trial: one to start up, and some to measure.
const TRIAL_FRAMES: u32 = 4;
const FIRST_PATIENCE: u32 = 8;
const LAST_PATIENCE: u32 = 512;
/// What should cost more than this many times the best is not tried: its trial would be felt.
const HOPELESS: f64 = 1.1;
/// How much cheaper another finder must be to take over.
const CLEARLY: f64 = 0.92;

impl Chooser {
    pub(super) fn new(decide_by: DecideBy) -> Self {
        Self { decide_by, known: Vec::new(), share: None, pace: None, trial: None }
    }

    /// Who does this frame.
    pub(super) fn choose(&mut self, situation: Situation, working: Candidate) -> Candidate {
        if situation.moved == 0 {
            // Nothing moved: whoever has the pairs gives them again.
            return working;
        }
        let class = self.class_of(situation);
        if let Some(trial) = self.trial {
            if trial.class == class && trial.frames > 0 {
                self.trial = Some(Trial { frames: trial.frames - 1, ..trial });
                return trial.candidate;
            }
            self.trial = None;
        }
        let known = self.known(class);
        let cost = |candidate: Candidate| {
            if known.ruled_out[candidate as usize] {
                return f64::INFINITY;
            }
            let measured = known.costs[candidate as usize].map(|cost| cost * situation.boxes as f64);
            measured.unwrap_or_else(|| candidate.expected(situation))
        };
        let best =
            CANDIDATES.into_iter().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).expect("there are some");
        let best = if cost(best) > CLEARLY * cost(working) { working } else { best };
        // The one to try: the cheapest that is not far behind.
        let rival = CANDIDATES
            .into_iter()
            .filter(|&rival| rival != best && cost(rival) < HOPELESS * cost(best))
            .min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        known.patience = known.patience.saturating_sub(1);
        match rival {
            Some(rival) if known.patience == 0 && known.costs[best as usize].is_some() => {
                known.patience = known.next_patience;
                known.next_patience = (known.next_patience * 2).min(LAST_PATIENCE);
                // The old measurement must not outweigh the new one.
                known.costs[rival as usize] = None;
                self.trial = Some(Trial { candidate: rival, class, frames: TRIAL_FRAMES - 1 });
                rival
            }
            _ => best,
        }
    }

    /// Never chooses a candidate again in situations like this one.
    pub(super) fn rule_out(&mut self, situation: Situation, candidate: Candidate) {
        let class = self.last_class(situation);
        self.known(class).ruled_out[candidate as usize] = true;
        self.trial = None;
    }

    /// Takes note of what a frame cost.
    pub(super) fn learn(
        &mut self,
        situation: Situation,
        candidate: Candidate,
        report: &FindReport,
        time: Duration,
    ) {
        if situation.boxes == 0 || situation.moved == 0 {
            return;
        }
        let work = candidate.work(report);
        let cost = match self.decide_by {
            DecideBy::Time => {
                let now = time.as_nanos() as f64 / work;
                let pace = self.pace.map_or(now, |pace| pace + 0.1 * (now - pace));
                self.pace = Some(pace);
                time.as_nanos() as f64 / pace
            }
            DecideBy::Work => work,
        };
        let per_box = cost / situation.boxes as f64;
        let class = self.last_class(situation);
        let in_trial = self.trial.is_some_and(|trial| trial.candidate == candidate);
        let known = self.known(class);
        let average = &mut known.costs[candidate as usize];
        let before = *average;
        // What holds the machine up for a frame must not count for many: an average rises by a twentieth at most, and of
        // the few frames of a trial the cheapest one counts.
        *average = Some(match before {
            None => per_box,
            Some(before) if in_trial => before.min(per_box),
            Some(before) => before + 0.2 * (per_box.min(1.25 * before) - before),
        });
        // The scene has changed in a way the class does not show: look around sooner.
        if before.is_some_and(|before| per_box > 1.7 * before) && known.next_patience > FIRST_PATIENCE {
            known.next_patience = FIRST_PATIENCE;
            known.patience = known.patience.min(2);
        }
    }

    fn class_of(&mut self, situation: Situation) -> Class {
        if !situation.first {
            let now = situation.moved as f64 / situation.boxes.max(1) as f64;
            self.share = Some(self.share.map_or(now, |share| share + 0.3 * (now - share)));
        }
        self.last_class(situation)
    }

    fn last_class(&self, situation: Situation) -> Class {
        let share = self.share.unwrap_or(1.0);
        let moved = [0.02, 0.15, 0.5].iter().filter(|&&limit| share > limit).count() as u32;
        Class { boxes: (situation.boxes as u32 + 1).ilog2(), moved, restless: situation.restless }
    }

    fn known(&mut self, class: Class) -> &mut Known {
        let at = self.known.iter().position(|known| known.class == class).unwrap_or_else(|| {
            self.known.push(Known {
                class,
                costs: [None; CANDIDATES.len()],
                ruled_out: [false; CANDIDATES.len()],
                patience: FIRST_PATIENCE,
                next_patience: 2 * FIRST_PATIENCE,
            });
            self.known.len() - 1
        });
        &mut self.known[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOXES: usize = 5000;

    /// A made-up world in which each finder has a cost of its own, in nanoseconds per box, on a machine of some pace.
    fn run(
        costs: impl Fn(usize) -> [f64; CANDIDATES.len()],
        pace: impl Fn(usize) -> f64,
        restless: bool,
        frames: usize,
    ) -> Vec<Candidate> {
        let mut chooser = Chooser::new(DecideBy::Time);
        let (mut working, mut warm) = (Candidate::FIRST, false);
        let mut chosen = Vec::new();
        for frame in 0..frames {
            let situation = Situation::new(BOXES, BOXES, restless, frame == 0);
            let candidate = chooser.choose(situation, working);
            if warm && working == candidate {
                let cost = costs(frame)[candidate as usize] * BOXES as f64;
                let time = Duration::from_nanos((cost * pace(frame)) as u64);
                chooser.learn(situation, candidate, &report_of(candidate, cost), time);
            }
            (working, warm) = (candidate, true);
            chosen.push(candidate);
        }
        chosen
    }

    /// A report of that much work.
    fn report_of(candidate: Candidate, cost: f64) -> FindReport {
        let mut report = FindReport { boxes: BOXES, moved: BOXES, ..FindReport::default() };
        while candidate.work(&report) < cost {
            report.tests += BOXES as u64 / 4;
        }
        report
    }

    fn share_of(chosen: &[Candidate], candidate: Candidate) -> f64 {
        chosen.iter().filter(|&&it| it == candidate).count() as f64 / chosen.len() as f64
    }

    #[test]
    fn the_cheaper_one_does_nearly_all_frames() {
        let chosen = run(|_| [60.0, 120.0], |_| 1.0, false, 400);
        assert!(share_of(&chosen[40..], Candidate::Sweep) > 0.9, "{chosen:?}");
        let chosen = run(|_| [100.0, 50.0], |_| 1.0, false, 400);
        assert!(share_of(&chosen[40..], Candidate::Bvh) > 0.9, "{chosen:?}");
    }

    #[test]
    fn a_change_of_the_scene_changes_the_choice() {
        let chosen =
            run(|frame| if frame < 300 { [100.0, 50.0] } else { [100.0, 200.0] }, |_| 1.0, false, 700);
        assert!(share_of(&chosen[100..300], Candidate::Bvh) > 0.9);
        assert!(share_of(&chosen[340..], Candidate::Sweep) > 0.9, "{:?}", &chosen[290..360]);
    }

    #[test]
    fn what_is_hopeless_is_not_tried() {
        let chosen = run(|_| [90.0, 300.0], |_| 1.0, true, 100);
        assert!(chosen.iter().all(|&it| it == Candidate::Sweep), "blocks where boxes jump");
        let chosen = run(|_| [300.0, 40.0], |_| 1.0, false, 100);
        assert!(chosen.iter().all(|&it| it == Candidate::Bvh), "a sweep where boxes are calm");
    }

    #[test]
    fn a_slow_machine_or_a_slow_moment_is_no_reason_to_switch() {
        for pace in [|_| 4.0, |frame: usize| if frame % 100 < 50 { 1.0 } else { 3.0 }] {
            let chosen = run(|_| [100.0, 60.0], pace, false, 400);
            assert!(share_of(&chosen, Candidate::Bvh) > 0.97, "{chosen:?}");
        }
    }

    #[test]
    fn counted_work_decides_the_same_in_every_run() {
        use crate::scene::{BoxStream, StreamKind};
        use crate::{Auto, Boxes, FindSettings, Moved, PairFinder};
        let choices = || {
            let mut stream = BoxStream::new(StreamKind::Brownian, 600, 1);
            let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            let mut auto = Auto::new(DecideBy::Work);
            let mut chosen = Vec::new();
            for _ in 0..60 {
                auto.update(&boxes, &FindSettings::default()).unwrap();
                chosen.push(auto.chosen());
                stream.advance();
                boxes.update(Moved::All, stream.boxes()).unwrap();
            }
            chosen
        };
        assert_eq!(choices(), choices());
    }
}
