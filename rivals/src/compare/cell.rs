//! One cell of the comparison: one stream, one number of boxes, one number of threads, all contestants.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::{true_pairs, verify};
use jostle_broad::{Aabb, Boxes, Pair};
use serde::Serialize;

use super::heap::live_bytes;
use super::numbers::{median, percentile};
use super::{Entrant, Plan};
use crate::rival::{Contestant, Delivers};

/// What is reported of one contestant in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The scene.
    pub stream: &'static str,
    /// Boxes.
    pub n: usize,
    /// Threads it was allowed.
    pub threads: usize,
    /// Who.
    pub name: String,
    /// Is it a finder of ours?
    pub ours: bool,
    /// What it delivers, in words.
    pub delivers: &'static str,
    /// Does it count among the rivals: is what it delivers a whole answer, with no true pair missing?
    pub counts: bool,
    /// Frames measured, without the first one.
    pub frames: usize,
    /// The first frame: making it and finding all pairs.
    pub first_ms: f64,
    /// The middle one of the frames after the first.
    pub median_ms: f64,
    /// All but one in a hundred of them were this fast.
    pub p99_ms: f64,
    /// The median of the fastest rival, divided by this median.
    pub speedup: Option<f64>,
    /// How large that is to be, of ours.
    pub bar: Option<f64>,
    /// Is it the fastest rival of the cell that knows all pairs?
    pub best_rival: bool,
    /// Pairs listed in the last frame.
    pub pairs: usize,
    /// Pairs listed in the last verified frame that do not overlap, in percent of those that do.
    pub extra_percent: Option<f64>,
    /// What is wrong with its pairs: true ones are missing, or, of ours, others are listed.
    pub wrong: Option<String>,
    /// Heap bytes it holds per box after the last frame, output included.
    pub bytes_per_box: Option<f64>,
    /// Why it did not run to the end.
    pub gave_up: bool,
}

/// The contestants of a cell, with what was measured of them.
pub struct Cell {
    stream: &'static str,
    n: usize,
    threads: usize,
    members: Vec<Member>,
}

struct Member {
    entrant: Entrant,
    /// Gone when its time is up or its group is done.
    contestant: Option<Box<dyn Contestant>>,
    /// This frame's boxes, as the caller of an engine has just written them.
    array: Vec<Aabb>,
    first_ms: f64,
    milliseconds: Vec<f64>,
    spent: Duration,
    pairs: usize,
    extra_percent: Option<f64>,
    wrong: Option<String>,
    /// Was a true pair not among its own?
    misses: bool,
    bytes: Option<i64>,
    gave_up: bool,
}

/// Above this many boxes finding the truth takes a minute or more: once a cell, in the last frame, must do.
const ONCE: usize = 100_000;

/// The true pairs of frames, found once: they are the same for all groups and all numbers of threads.
#[derive(Default)]
pub struct Truths {
    known: HashMap<(&'static str, usize, usize), Vec<Pair>>,
}

impl Truths {
    /// The true pairs of a frame in canonical order. Pairs of a finder of ours that pass `verify` stand for them, which
    /// saves finding them twice.
    fn of(
        &mut self,
        stream: &'static str,
        frame: &Frame,
        ours: impl FnOnce() -> Option<Vec<Pair>>,
    ) -> &[Pair] {
        self.known.entry((stream, frame.boxes.len(), frame.number)).or_insert_with(|| {
            let boxes = Boxes::from_aabbs(&frame.boxes).expect("streams give boxes");
            match ours() {
                Some(mut pairs) if verify(&boxes, &pairs).is_ok() => {
                    pairs.sort_unstable();
                    pairs
                }
                _ => true_pairs(&boxes),
            }
        })
    }
}

/// A frame of a stream, baked so that everyone reads the same.
struct Frame {
    number: usize,
    boxes: Vec<Aabb>,
    moved: Vec<u32>,
}

/// The next frames of a stream, which stands at the frame before `first` unless that is 0.
fn bake(stream: &mut BoxStream, first: usize, length: usize) -> Vec<Frame> {
    let frame = |number| {
        if number > 0 {
            stream.advance();
        }
        Frame { number, boxes: stream.boxes().to_vec(), moved: stream.moved().to_vec() }
    };
    (first..first + length).map(frame).collect()
}

impl Member {
    fn new(entrant: Entrant) -> Self {
        Self {
            entrant,
            contestant: None,
            array: Vec::new(),
            first_ms: 0.0,
            milliseconds: Vec::new(),
            spent: Duration::ZERO,
            pairs: 0,
            extra_percent: None,
            wrong: None,
            misses: false,
            bytes: None,
            gave_up: false,
        }
    }

    /// The frames of a burst, one after the other.
    fn take_turn(&mut self, frames: &[Frame], threads: usize) -> Result<()> {
        for frame in frames {
            if frame.number == 0 || self.contestant.is_some() {
                self.step(frame, threads)?;
            }
        }
        Ok(())
    }

    /// One frame: clock and heap cover the contestant's own work and nothing else.
    fn step(&mut self, frame: &Frame, threads: usize) -> Result<()> {
        let first = frame.number == 0;
        if first {
            self.contestant = None;
        }
        self.array.clear();
        self.array.extend_from_slice(&frame.boxes);
        let before = live_bytes();
        let start = Instant::now();
        match &mut self.contestant {
            None => self.contestant = Some(self.entrant.make(&self.array, threads)?),
            Some(contestant) => contestant.exchange(&mut self.array, &frame.moved)?,
        }
        let time = start.elapsed();
        let grown = live_bytes().zip(before).map(|(after, before)| after - before);
        let base = if first { Some(0) } else { self.bytes };
        self.bytes = base.zip(grown).map(|(base, grown)| base + grown);
        let milliseconds = time.as_secs_f64() * 1e3;
        if first {
            // Filling its structures is no reason to leave: some take longer for that than for all other frames.
            self.first_ms = milliseconds;
        } else {
            self.spent += time;
            self.milliseconds.push(milliseconds);
        }
        if let Some(contestant) = &mut self.contestant {
            contestant.note();
        }
        Ok(())
    }

    fn leave_if_late(&mut self, frame: usize, patience: Duration) {
        if frame > 1 && self.spent > patience && self.contestant.take().is_some() {
            self.gave_up = true;
            self.array = Vec::new();
            // What the first frame says of margins would be mistaken for the last.
            self.extra_percent = None;
            eprintln!("    {} leaves after {frame} frames: its time is up", self.entrant.name());
        }
    }

    fn count_pairs(&mut self) {
        self.pairs = self.contestant.as_ref().map_or(0, |contestant| contestant.pairs().len());
    }

    /// Compares its pairs with the truth.
    fn judge(&mut self, frame: usize, truth: &[Pair]) {
        let Some(contestant) = &self.contestant else { return };
        if self.entrant.delivers() == Delivers::Nothing {
            return;
        }
        let mut listed = contestant.pairs();
        listed.sort_unstable();
        self.pairs = listed.len();
        let missing = count_missing(truth, &listed);
        let extra = count_missing(&listed, truth);
        self.extra_percent = Some(100.0 * extra as f64 / truth.len().max(1) as f64);
        let twice = listed.windows(2).filter(|two| two[0] == two[1]).count();
        let wrong = match (missing, self.entrant.is_ours() && extra > 0, twice) {
            (0, false, 0) => None,
            (0, false, _) => Some(format!("lists {twice} pairs twice in frame {frame}")),
            (0, true, _) => Some(format!("lists {extra} pairs that do not overlap in frame {frame}")),
            _ => Some(format!("misses {missing} of {} pairs in frame {frame}", truth.len())),
        };
        self.misses |= missing > 0;
        self.wrong = self.wrong.take().or(wrong);
    }
}

/// How many times faster than the best rival ours is to be, with one thread and `auto` choosing by itself.
fn bar(stream: &str, n: usize, threads: usize) -> Option<f64> {
    let moves = stream != StreamKind::Still.name();
    match n {
        _ if threads != 1 || !moves => None,
        1_000 => Some(2.0),
        10_000 => Some(3.0),
        100_000 | 1_000_000 => Some(5.0),
        _ => None,
    }
}

/// Marks the fastest rival that counts, and sets everyone in relation to it. From fast to slow, ours first.
fn find_best(rows: &mut [Row]) {
    if let Some(best) = rows.iter().position(|row| !row.ours && row.counts) {
        rows[best].best_rival = true;
        let best_ms = rows[best].median_ms;
        rows.iter_mut().for_each(|row| row.speedup = Some(best_ms / row.median_ms));
    }
}

/// How many of these pairs are not among those? Both ascending.
fn count_missing(these: &[Pair], those: &[Pair]) -> usize {
    let mut rest = those.iter().peekable();
    these
        .iter()
        .filter(|pair| {
            while rest.next_if(|other| other < pair).is_some() {}
            rest.peek() != Some(pair)
        })
        .count()
}

impl Cell {
    /// A cell in which nobody has run.
    pub fn new(stream: &'static str, n: usize, threads: usize) -> Self {
        Self { stream, n, threads, members: Vec::new() }
    }

    /// Runs a group over all frames, in turns. Who ran before keeps its measurements and adds to them.
    pub fn run(
        &mut self,
        mut stream: BoxStream,
        group: &[Entrant],
        plan: &Plan,
        truths: &mut Truths,
    ) -> Result<()> {
        let indices: Vec<usize> = group.iter().map(|entrant| self.member(entrant)).collect();
        let mut frame = 0;
        let mut turns = 0;
        while frame < plan.frames {
            // The first frame stands alone: it makes the contestants.
            let length = if frame == 0 { 1 } else { plan.burst.min(plan.frames - frame) };
            let baked = bake(&mut stream, frame, length);
            frame += length;
            let is_last = frame == plan.frames;
            // Each goes first in turn.
            for turn in 0..indices.len() {
                let member = &mut self.members[indices[(turn + turns) % indices.len()]];
                member
                    .take_turn(&baked, self.threads)
                    .with_context(|| format!("{} around frame {frame}", member.entrant.name()))?;
            }
            turns += 1;
            if plan.verify && (is_last || (turns == 1 && self.n <= ONCE)) {
                self.check(&baked[length - 1], &indices, truths);
            } else if is_last {
                indices.iter().for_each(|&index| self.members[index].count_pairs());
            }
            for &index in indices.iter().filter(|_| !is_last) {
                self.members[index].leave_if_late(frame, plan.patience);
            }
        }
        for index in indices {
            self.members[index].contestant = None;
            self.members[index].array = Vec::new();
        }
        Ok(())
    }

    fn member(&mut self, entrant: &Entrant) -> usize {
        let name = entrant.name();
        self.members.iter().position(|member| member.entrant.name() == name).unwrap_or_else(|| {
            self.members.push(Member::new(entrant.clone()));
            self.members.len() - 1
        })
    }

    /// Compares everyone's pairs with the truth.
    fn check(&mut self, frame: &Frame, indices: &[usize], truths: &mut Truths) {
        let first_of_ours = indices.iter().find(|&&index| self.members[index].entrant.is_ours());
        let ours = first_of_ours.and_then(|&index| self.members[index].contestant.as_ref());
        let truth = truths.of(self.stream, frame, || ours.map(|contestant| contestant.pairs()));
        for &index in indices {
            self.members[index].judge(frame.number, truth);
        }
    }

    /// The rows, ours first, the others from fast to slow.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.members.iter().map(|member| self.row(member)).collect();
        rows.sort_by(|a, b| b.ours.cmp(&a.ours).then(a.median_ms.total_cmp(&b.median_ms)));
        find_best(&mut rows);
        rows
    }

    fn row(&self, member: &Member) -> Row {
        let is_ours = member.entrant.is_ours();
        // With one frame only, the first stands for the others.
        let first = [member.first_ms];
        let samples = if member.milliseconds.is_empty() { &first[..] } else { &member.milliseconds };
        Row {
            stream: self.stream,
            n: self.n,
            threads: self.threads,
            name: member.entrant.name(),
            ours: is_ours,
            delivers: member.entrant.delivers().words(),
            counts: member.entrant.delivers().counts() && !member.misses,
            frames: member.milliseconds.len(),
            first_ms: member.first_ms,
            median_ms: median(samples).unwrap_or(f64::NAN),
            p99_ms: percentile(samples, 0.99).unwrap_or(f64::NAN),
            speedup: None,
            bar: bar(self.stream, self.n, self.threads).filter(|_| is_ours),
            best_rival: false,
            pairs: member.pairs,
            extra_percent: member.extra_percent,
            wrong: member.wrong.clone(),
            bytes_per_box: member.bytes.map(|bytes| bytes as f64 / self.n.max(1) as f64),
            gave_up: member.gave_up,
        }
    }
}

#[cfg(test)]
impl Row {
    /// A row for tests.
    pub(super) fn sample(name: &str, median_ms: f64, ours: bool, counts: bool) -> Row {
        Self {
            stream: "brownian",
            n: 1_000,
            threads: 1,
            name: name.to_string(),
            ours,
            delivers: "",
            counts,
            frames: 1,
            first_ms: 1.0,
            median_ms,
            p99_ms: 1.0,
            speedup: None,
            bar: None,
            best_rival: false,
            pairs: 0,
            extra_percent: None,
            wrong: None,
            bytes_per_box: None,
            gave_up: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gives_no_whole_answer_is_not_the_best_rival() {
        let mut rows = [
            Row::sample("jostle auto", 1.0, true, true),
            Row::sample("misses some", 2.0, false, false),
            Row::sample("whole", 3.0, false, true),
            Row::sample("slower", 4.0, false, true),
        ];
        find_best(&mut rows);
        assert_eq!(rows.each_ref().map(|row| row.best_rival), [false, false, true, false]);
        assert_eq!(rows[0].speedup, Some(3.0));
    }

    #[test]
    fn bars_are_for_one_thread_and_scenes_that_move() {
        assert_eq!(
            [1_000, 10_000, 100_000, 1_000_000, 50_000].map(|n| bar("fast", n, 1)),
            [Some(2.0), Some(3.0), Some(5.0), Some(5.0), None]
        );
        assert_eq!((bar("fast", 1_000, 2), bar("still", 1_000, 1)), (None, None));
    }

    #[test]
    fn a_missing_pair_takes_a_rival_out_of_the_count() {
        struct Lists(Vec<Pair>);
        impl Contestant for Lists {
            fn update(&mut self, _: &[Aabb], _: &[u32]) -> Result<()> {
                Ok(())
            }
            fn pairs(&self) -> Vec<Pair> {
                self.0.clone()
            }
        }
        let truth = [Pair::new(0, 1), Pair::new(1, 2)];
        let entrant = Entrant::Rival(crate::adapters::all()[0]);
        for (listed, counts) in [
            (vec![truth[0], truth[1]], true),
            (vec![truth[0], truth[1], Pair::new(5, 6)], true),
            (vec![truth[1], Pair::new(5, 6)], false),
        ] {
            let mut cell = Cell::new("fast", 7, 1);
            let mut member = Member::new(entrant.clone());
            member.contestant = Some(Box::new(Lists(listed)));
            member.judge(0, &truth);
            cell.members.push(member);
            assert_eq!(cell.rows()[0].counts, counts);
        }
    }

    #[test]
    fn missing_pairs_are_counted() {
        let pairs = |list: &[(u32, u32)]| list.iter().map(|&(a, b)| Pair::new(a, b)).collect::<Vec<_>>();
        let truth = pairs(&[(0, 1), (0, 2), (3, 4)]);
        assert_eq!(count_missing(&truth, &pairs(&[(0, 1), (0, 2), (1, 2), (3, 4), (3, 5)])), 0);
        assert_eq!(count_missing(&truth, &pairs(&[(0, 2), (0, 3)])), 2);
        assert_eq!(count_missing(&truth, &[]), 3);
        assert_eq!(count_missing(&[], &truth), 0);
    }
}
