//! Who works: what is known about the cost of each finder in each situation, and when to try another.

use std::time::Duration;

use super::worker::Worker;
use crate::{AllPairs, FindReport, Sweep, TreeFinder};

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
    AllPairs,
    Sweep,
    Tree,
}

const CANDIDATES: [Candidate; 3] = [Candidate::AllPairs, Candidate::Sweep, Candidate::Tree];

impl Candidate {
    /// Who works before anything is known.
    pub(super) const FIRST: Self = Self::Sweep;

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AllPairs => "all-pairs",
            Self::Sweep => "sweep",
            Self::Tree => "tree",
        }
    }

    pub(super) fn make(self) -> Box<dyn Worker> {
        match self {
            Self::AllPairs => {
                // Never chosen where it would be slow, so it need not refuse.
                let mut finder = AllPairs::default();
                finder.size_limit = usize::MAX;
                Box::new(finder)
            }
            Self::Sweep => Box::new(Sweep::default()),
            Self::Tree => Box::new(TreeFinder::default()),
        }
    }

    /// What a frame should cost, in nanoseconds, before anything was measured. From `jostle bench` on a 2.8 GHz Xeon;
    /// only the order of magnitude matters, because what is close gets tried.
    fn expected(self, situation: Situation) -> f64 {
        let (n, moved) = (situation.boxes as f64, situation.moved as f64);
        match self {
            Self::AllPairs => 200.0 + n * (10.0 + 0.2 * n),
            Self::Sweep => 2_000.0 + 80.0 * n,
            // Where all moves, how far decides; that is for a trial to find out.
            Self::Tree => 2_000.0 + 30.0 * n + 120.0 * moved,
        }
    }

    /// The cost of what a frame counted.
    fn work(self, report: &FindReport) -> f64 {
        let (n, tests) = (report.boxes as f64, report.tests as f64);
        match self {
            Self::AllPairs => 200.0 + 10.0 * n + 0.4 * tests,
            Self::Sweep => 2_000.0 + 50.0 * n + 1.5 * tests,
            Self::Tree => 2_000.0 + 30.0 * n + 10.0 * tests,
        }
    }
}

/// What a frame is like, as far as cost goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    boxes: usize,
    moved: usize,
    /// In the first frame all boxes are new, which says nothing about those to come.
    first: bool,
}

impl Situation {
    pub(super) fn new(boxes: usize, moved: usize, first: bool) -> Self {
        Self { boxes, moved, first }
    }
}

/// Situations alike enough to share what is known: the number of boxes within a factor of two, the share that moves
/// within one of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    boxes: u32,
    moved: u32,
}

/// What is known about a class.
#[derive(Clone, Debug)]
struct Known {
    class: Class,
    /// Cost per box of each candidate, averaged over its latest frames.
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
const HOPELESS: f64 = 2.5;
/// How much cheaper another finder must be to take over.
const CLEARLY: f64 = 0.92;

impl Chooser {
    pub(super) fn new(decide_by: DecideBy) -> Self {
        Self { decide_by, known: Vec::new(), share: None, trial: None }
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
        // The one to try: not known, or known longest ago and not far behind.
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
        let cost = match self.decide_by {
            DecideBy::Time => time.as_nanos() as f64,
            DecideBy::Work => candidate.work(report),
        };
        let per_box = cost / situation.boxes as f64;
        let class = self.last_class(situation);
        let known = self.known(class);
        let average = &mut known.costs[candidate as usize];
        let before = *average;
        *average = Some(before.map_or(per_box, |before| before + 0.2 * (per_box - before)));
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
        Class { boxes: (situation.boxes as u32 + 1).ilog2(), moved }
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

    /// A made-up world in which each finder has a cost of its own, in nanoseconds per box.
    fn run(costs: impl Fn(usize) -> [f64; CANDIDATES.len()], boxes: usize, frames: usize) -> Vec<Candidate> {
        let mut chooser = Chooser::new(DecideBy::Time);
        let (mut working, mut warm) = (Candidate::FIRST, false);
        let mut chosen = Vec::new();
        for frame in 0..frames {
            let situation = Situation::new(boxes, boxes, frame == 0);
            let candidate = chooser.choose(situation, working);
            if warm && working == candidate {
                let time = Duration::from_nanos((costs(frame)[candidate as usize] * boxes as f64) as u64);
                chooser.learn(situation, candidate, &FindReport::default(), time);
            }
            (working, warm) = (candidate, true);
            chosen.push(candidate);
        }
        chosen
    }

    fn share_of(chosen: &[Candidate], candidate: Candidate) -> f64 {
        chosen.iter().filter(|&&it| it == candidate).count() as f64 / chosen.len() as f64
    }

    #[test]
    fn the_cheaper_one_does_nearly_all_frames() {
        let chosen = run(|_| [50.0, 100.0, 300.0], 500, 400);
        assert!(share_of(&chosen[40..], Candidate::AllPairs) > 0.9, "{chosen:?}");
        let chosen = run(|_| [100.0, 50.0, 300.0], 500, 400);
        assert!(share_of(&chosen[40..], Candidate::Sweep) > 0.9, "{chosen:?}");
    }

    #[test]
    fn a_change_of_the_scene_changes_the_choice() {
        let chosen =
            run(|frame| if frame < 300 { [50.0, 100.0, 300.0] } else { [400.0, 100.0, 300.0] }, 500, 700);
        assert!(share_of(&chosen[100..300], Candidate::AllPairs) > 0.9);
        assert!(share_of(&chosen[330..], Candidate::Sweep) > 0.9, "{:?}", &chosen[290..360]);
    }

    #[test]
    fn what_is_hopeless_is_not_tried() {
        let chosen = run(|_| [1.0, 100.0, 100.0], 100_000, 100);
        assert!(chosen.iter().all(|&it| it != Candidate::AllPairs), "all-pairs on 100,000 boxes");
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
