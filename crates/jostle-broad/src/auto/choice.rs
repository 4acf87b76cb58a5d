//! Who works: what is known about the cost of each finder in each situation, and when to try another.

use std::time::Duration;

use super::candidate::{CANDIDATES, Candidate};
use super::situation::{Class, Situation};
use crate::FindReport;

/// What the choice is made by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecideBy {
    /// The time a frame took. The choice may differ from run to run; the pairs do not.
    #[default]
    Time,
    /// The work a frame counted (tests, boxes moved), weighed by what it costs on a common machine. The choice is the
    /// same in every run. A device is left out: it counts nothing, and when it is ready differs from run to run.
    Work,
    /// Nothing: every finder has its turn of some frames, whatever it costs. For tests of what a switch must not show.
    Turns,
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
    /// What a box costs on the device, in nanoseconds: by its rehearsal, then by its latest frame. None: no device.
    device: Option<f64>,
    trial: Option<Trial>,
    /// Frames chosen for so far.
    turns: usize,
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
/// The same for a device that was only rehearsed: with one thread, beside the frames.
const HOPELESS_REHEARSED: f64 = 2.0;
/// How much cheaper another finder must be to take over.
const CLEARLY: f64 = 0.92;
/// Frames of each finder where they take turns: its first one is different from those that follow.
const TURN: usize = 3;
/// A device does not pay with fewer boxes: handing over a frame takes it longer than the CPU needs to find the pairs.
const LEAST_BOXES_OF_A_DEVICE: usize = 50_000;

impl Chooser {
    pub(super) fn new(decide_by: DecideBy) -> Self {
        Self { decide_by, known: Vec::new(), share: None, pace: None, device: None, trial: None, turns: 0 }
    }

    /// There is a device now, on which a box should cost so many nanoseconds.
    pub(super) fn admit_device(&mut self, nanoseconds_per_box: f64) {
        self.device = Some(nanoseconds_per_box);
    }

    /// There is no device any more.
    pub(super) fn withdraw_device(&mut self) {
        self.device = None;
        self.trial = self.trial.filter(|trial| trial.candidate != Candidate::Device);
    }

    /// Is a scene of so many boxes worth opening a device for?
    pub(super) fn wants_device(&self, boxes: usize) -> bool {
        self.decide_by == DecideBy::Turns || boxes >= LEAST_BOXES_OF_A_DEVICE
    }

    /// Who does this frame.
    pub(super) fn choose(&mut self, situation: Situation, working: Candidate) -> Candidate {
        if situation.moved == 0 {
            // Nothing moved: whoever has the pairs gives them again.
            return working;
        }
        if self.decide_by == DecideBy::Turns {
            return self.next_in_turn();
        }
        let class = self.class_of(situation);
        if let Some(trial) = self.trial {
            if trial.class == class && trial.frames > 0 {
                self.trial = Some(Trial { frames: trial.frames - 1, ..trial });
                return trial.candidate;
            }
            self.trial = None;
        }
        let known = self.known(class).clone();
        let cost = |candidate: Candidate| self.cost(&known, situation, candidate);
        let best =
            CANDIDATES.into_iter().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).expect("there are some");
        let best = if cost(best) > CLEARLY * cost(working) { working } else { best };
        // The one to try: the cheapest that is not far behind.
        let hopeless = |rival: Candidate| {
            let rehearsed = rival == Candidate::Device && known.costs[rival as usize].is_none();
            if rehearsed { HOPELESS_REHEARSED } else { HOPELESS }
        };
        let rival = CANDIDATES
            .into_iter()
            .filter(|&rival| rival != best && cost(rival) < hopeless(rival) * cost(best))
            .min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        let known = self.known(class);
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

    /// What a frame should cost, in units of work; without end where a candidate is out of the question.
    fn cost(&self, known: &Known, situation: Situation, candidate: Candidate) -> f64 {
        let boxes = situation.boxes as f64;
        if known.ruled_out[candidate as usize] {
            return f64::INFINITY;
        }
        let has_device = self.device.is_some() && situation.boxes >= LEAST_BOXES_OF_A_DEVICE;
        if candidate == Candidate::Device && !has_device {
            return f64::INFINITY;
        }
        let rehearsed = || match (self.device, self.pace) {
            (Some(nanoseconds), Some(pace)) => nanoseconds * boxes / pace,
            _ => f64::INFINITY,
        };
        let measured = known.costs[candidate as usize].map(|cost| cost * boxes);
        measured.or_else(|| candidate.expected(situation)).unwrap_or_else(rehearsed)
    }

    /// Who is next where all take turns.
    fn next_in_turn(&mut self) -> Candidate {
        let candidates = CANDIDATES.len() - usize::from(self.device.is_none());
        let turn = self.turns / TURN;
        self.turns += 1;
        CANDIDATES[turn % candidates]
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
        let nanoseconds = time.as_nanos() as f64;
        let cost = match (self.decide_by, candidate.work(report), self.pace) {
            (DecideBy::Time, Some(work), pace) => {
                let now = nanoseconds / work;
                let pace = pace.map_or(now, |pace| pace + 0.1 * (now - pace));
                self.pace = Some(pace);
                nanoseconds / pace
            }
            (DecideBy::Time, None, Some(pace)) => {
                // It costs the same in every situation.
                self.device = self.device.map(|_| nanoseconds / situation.boxes as f64);
                nanoseconds / pace
            }
            (DecideBy::Work, Some(work), _) => work,
            _ => return,
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
        Class::of(situation, self.share.unwrap_or(1.0))
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
    const MANY: usize = 100_000;

    /// A made-up world in which each finder has a cost of its own, in nanoseconds per box, on a machine of some pace.
    fn run(
        costs: impl Fn(usize) -> [f64; 2],
        pace: impl Fn(usize) -> f64,
        restless: bool,
        frames: usize,
    ) -> Vec<Candidate> {
        let costs = |frame| [costs(frame)[0], costs(frame)[1], f64::NAN];
        simulate(Chooser::new(DecideBy::Time), BOXES, costs, pace, restless, frames)
    }

    /// The same with a device that was rehearsed at this cost, on calm boxes.
    fn run_with_device(
        rehearsed: f64,
        boxes: usize,
        costs: [f64; CANDIDATES.len()],
        pace: f64,
    ) -> Vec<Candidate> {
        let mut chooser = Chooser::new(DecideBy::Time);
        chooser.admit_device(rehearsed * pace);
        simulate(chooser, boxes, |_| costs, |_| pace, false, 400)
    }

    fn simulate(
        mut chooser: Chooser,
        boxes: usize,
        costs: impl Fn(usize) -> [f64; CANDIDATES.len()],
        pace: impl Fn(usize) -> f64,
        restless: bool,
        frames: usize,
    ) -> Vec<Candidate> {
        let (mut working, mut warm) = (Candidate::FIRST, false);
        let mut chosen = Vec::new();
        for frame in 0..frames {
            let situation = Situation::new(boxes, boxes, restless, frame == 0);
            let candidate = chooser.choose(situation, working);
            if warm && working == candidate {
                let cost = costs(frame)[candidate as usize] * boxes as f64;
                let time = Duration::from_nanos((cost * pace(frame)) as u64);
                chooser.learn(situation, candidate, &report_of(candidate, boxes, cost), time);
            }
            (working, warm) = (candidate, true);
            chosen.push(candidate);
        }
        chosen
    }

    /// A report of that much work.
    fn report_of(candidate: Candidate, boxes: usize, cost: f64) -> FindReport {
        let mut report = FindReport { boxes, moved: boxes, ..FindReport::default() };
        while candidate.work(&report).is_some_and(|work| work < cost) {
            report.tests += boxes as u64 / 4;
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
    fn a_device_does_nearly_all_frames_where_it_is_cheaper_whatever_its_rehearsal_said() {
        for (rehearsed, pace) in [(20.0, 1.0), (90.0, 1.0), (20.0, 0.2), (1.0, 3.0)] {
            let chosen = run_with_device(rehearsed, MANY, [90.0, 60.0, 20.0], pace);
            assert!(share_of(&chosen[40..], Candidate::Device) > 0.9, "{rehearsed} {pace}: {chosen:?}");
            let chosen = run_with_device(rehearsed, MANY, [90.0, 60.0, 100.0], pace);
            let share = share_of(&chosen, Candidate::Device);
            assert!(share > 0.0 && share < 0.1, "{rehearsed} {pace}: {chosen:?}");
        }
    }

    #[test]
    fn a_device_that_is_hopeless_or_has_too_few_boxes_is_not_tried() {
        for (rehearsed, boxes) in [(200.0, MANY), (5.0, LEAST_BOXES_OF_A_DEVICE - 1)] {
            let chosen = run_with_device(rehearsed, boxes, [90.0, 60.0, 5.0], 1.0);
            assert_eq!(share_of(&chosen, Candidate::Device), 0.0, "{rehearsed} {boxes}: {chosen:?}");
        }
    }

    #[test]
    fn a_device_that_is_gone_is_not_chosen_again() {
        let mut chooser = Chooser::new(DecideBy::Time);
        let situation = Situation::new(MANY, MANY, false, false);
        chooser.admit_device(10.0);
        let report = report_of(Candidate::Bvh, MANY, 60.0 * MANY as f64);
        chooser.learn(situation, Candidate::Bvh, &report, Duration::from_micros(6_000));
        assert_eq!(chooser.choose(situation, Candidate::Bvh), Candidate::Device);
        chooser.learn(situation, Candidate::Device, &FindReport::default(), Duration::from_micros(900));
        chooser.withdraw_device();
        for _ in 0..100 {
            assert_ne!(chooser.choose(situation, Candidate::Sweep), Candidate::Device);
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
