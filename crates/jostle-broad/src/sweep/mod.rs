//! `sweep`: the fast finder for scenes in which everything moves. It keeps nothing between frames but memory.
//!
//! The boxes are dealt into columns (a coarse grid over two axes; a box goes into every column it overlaps) and each
//! column is swept along the third axis, many boxes per instruction. Two boxes meet in every column that both lie in;
//! they are reported in the one that holds the larger of their two minimum corners, so no table of pairs is needed.
//! Columns that turn out crowded are dealt into columns again, which keeps dense clusters in a huge world cheap; boxes
//! that would lie in very many columns become guests there: tested against the column's boxes, and among themselves
//! only once.
//!
//! Correctness rests on one property: the functions from coordinates to columns and bins never decrease. Rounding,
//! infinities and a badly chosen grid cost time, never a pair.

mod columns;
mod plan;
mod region;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::finder::StageClock;
use crate::simd::Record;
use crate::{Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun, Revision};

use columns::Columns;
use plan::Plan;
use region::{Region, Search};

/// The full-rebuild finder. It measures the scene each frame, so there is nothing one has to set.
#[derive(Debug, Default)]
pub struct Sweep {
    pub(crate) tuning: SweepTuning,
    columns: Columns,
    tasks: Vec<Task>,
    scratch: Scratch,
    pub(crate) pairs: PairBuffer,
    /// The boxes that `pairs` belongs to.
    seen: Option<Revision>,
}

/// When to do what. Costs time, never changes a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepTuning {
    /// Up to this many boxes, one sweep without columns is cheaper. Default: 400.
    pub direct_limit: usize,
    /// Up to this many boxes, a column is swept however crowded it is. Default: 512.
    pub crowd: usize,
    /// More candidates per box than this make a column crowded: it is dealt into columns itself. Default: 128.
    pub crowded_window: u32,
}

impl Default for SweepTuning {
    fn default() -> Self {
        Self { direct_limit: 400, crowd: 512, crowded_window: 128 }
    }
}

/// Columns processed as one piece. The cut depends on the scene only.
#[derive(Debug, Default)]
struct Task {
    columns: std::ops::Range<usize>,
    run: PairRun,
    tests: u64,
}

/// Memory for regions, one for each task that is under way: what one task leaves in the cache, the next finds there.
#[derive(Debug, Default)]
struct Scratch(Mutex<Vec<Region>>);

impl Scratch {
    fn take(&self) -> Region {
        self.lock().pop().unwrap_or_default()
    }

    fn put_back(&self, region: Region) {
        self.lock().push(region);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Region>> {
        // Where a task panicked, its region is gone, and the others are good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// With fewer entries in all, waking a thread takes as long as the work it could take over.
const SERIAL_ENTRIES: usize = 16_000;
/// Tasks to aim at, and between which numbers of entries they are.
const TASKS: usize = 64;
const SMALLEST_TASK: usize = 2_000;
const LARGEST_TASK: usize = 6_000;

impl PairFinder for Sweep {
    fn name(&self) -> &str {
        "sweep"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        self.find(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        let runs: usize = self.tasks.iter().map(|task| task.run.bytes()).sum();
        let regions: usize = self.scratch.lock().iter().map(Region::bytes).sum();
        self.columns.bytes() + runs + regions + self.pairs.bytes()
    }
}

impl Sweep {
    /// A finder with another tuning.
    pub fn new(tuning: SweepTuning) -> Self {
        Self { tuning, ..Self::default() }
    }

    fn find(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        if self.seen == Some(boxes.revision()) {
            self.pairs.apply(&[], &[], settings)?;
            clock.end("order");
            let (boxes, pairs, bytes) = (boxes.len(), self.pairs.len(), self.bytes());
            return Ok(FindReport { boxes, pairs, bytes, stages: clock.stages(), ..FindReport::default() });
        }
        let plan = Plan::of_boxes(boxes, boxes.len() > self.tuning.direct_limit);
        self.columns.deal_boxes(boxes, plan, settings);
        clock.end("deal");

        self.cut_into_tasks();
        self.scratch.lock().iter_mut().for_each(Region::reset);
        let (columns, scratch, tuning) = (&self.columns, &self.scratch, self.tuning);
        settings.executor.for_each(&mut self.tasks, |index, task| {
            task.run.reset(settings.pair_limit);
            let mut region = scratch.take();
            let run = std::mem::take(&mut task.run);
            let mut search = Search { boxes, settings, tuning, run, tests: 0 };
            for column in task.columns.clone() {
                let (entries, guests) = (columns.entries(column), columns.guests(column));
                region.solve(entries, guests, columns.plan(), &mut search);
            }
            if index == 0 {
                // The large ones among themselves.
                region.solve(columns.bigs(), columns.nobody(), columns.plan(), &mut search);
            }
            (task.run, task.tests) = (search.run, search.tests);
            scratch.put_back(region);
        });
        clock.end("sweep");

        self.pairs.replace(self.tasks.iter().map(|task| &task.run), settings)?;
        if self.pairs.is_crowded(boxes.len()) {
            self.pairs.give_back(boxes.len());
            self.tasks.iter_mut().for_each(|task| task.run.give_back());
            self.scratch.lock().iter_mut().for_each(Region::give_back);
        }
        clock.end("order");
        self.seen = Some(boxes.revision());
        Ok(FindReport {
            boxes: boxes.len(),
            moved: boxes.len(),
            tests: self.tasks.iter().map(|task| task.tests).sum(),
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            detail: Some(self.detail()),
            ..FindReport::default()
        })
    }

    /// Put together without formatting, which takes longer than some boxes do.
    fn detail(&self) -> String {
        let guests: usize = self.columns.bigs().iter().map(<[Record]>::len).sum();
        let nested = if self.scratch.lock().iter().any(Region::has_nested) { ", nested" } else { "" };
        let (columns, guests) = (self.columns.count().to_string(), guests.to_string());
        [columns.as_str(), " columns, ", guests.as_str(), " guests", nested].concat()
    }

    /// Groups neighbouring columns until there is enough to do.
    fn cut_into_tasks(&mut self) {
        let all: usize = (0..self.columns.count()).map(|column| self.columns.len(column)).sum();
        let enough = match all {
            few if few < SERIAL_ENTRIES => usize::MAX,
            many => (many / TASKS).clamp(SMALLEST_TASK, LARGEST_TASK),
        };
        let mut tasks = 0;
        let mut begin = 0;
        let mut entries = 0;
        for column in 0..self.columns.count() {
            entries += self.columns.len(column);
            if entries >= enough || column + 1 == self.columns.count() {
                if self.tasks.len() <= tasks {
                    self.tasks.push(Task::default());
                }
                self.tasks[tasks].columns = begin..column + 1;
                tasks += 1;
                begin = column + 1;
                entries = 0;
            }
        }
        self.tasks.truncate(tasks.max(1));
    }
}
