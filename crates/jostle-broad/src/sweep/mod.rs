//! `sweep`: the fast finder for scenes in which everything moves. It keeps nothing between frames but memory.
//!
//! The boxes are dealt into columns (a coarse grid over two axes; a box goes into every column it overlaps) and each
//! column is swept along the third axis, many boxes per instruction. A pair is reported only in the column that holds
//! the larger of the two minimum corners, so no table of pairs is needed. Columns that turn out crowded are dealt into
//! columns again, which is what keeps dense clusters in a huge world cheap; boxes that would lie in very many columns
//! become guests there: tested against the column's boxes, and among themselves only once.
//!
//! Correctness rests on one property: the functions from coordinates to columns and bins never decrease. Rounding,
//! infinities and a badly chosen grid cost time, never a pair.

mod columns;
mod plan;
mod region;

use crate::finder::StageClock;
use crate::{Aabb, Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun};

use columns::Columns;
use plan::Plan;
use region::{Region, Search};

/// The full-rebuild finder. It measures the scene each frame, so there is nothing one has to set.
#[derive(Debug, Default)]
pub struct Sweep {
    tuning: SweepTuning,
    columns: Columns,
    tasks: Vec<Task>,
    pairs: PairBuffer,
    /// The boxes that `pairs` belongs to.
    seen: Option<crate::Revision>,
}

/// A box on its way through columns: 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Record {
    aabb: Aabb,
    slot: u32,
    /// Two bits for each grid it was dealt into (one per axis of the grid), set where the box begins in this column.
    homes: u32,
}

/// Columns processed as one piece, with everything that takes. The cut depends on the scene only.
#[derive(Debug, Default)]
struct Task {
    columns: std::ops::Range<usize>,
    region: Region,
    run: PairRun,
    tests: u64,
}

/// When to do what. Costs time, never changes a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepTuning {
    /// Up to this many boxes, one sweep without columns is cheaper. Default: 1500.
    pub direct_limit: usize,
    /// Up to this many boxes, a column is swept however crowded it is. Default: 512.
    pub crowd: usize,
    /// More candidates per box than this make a column crowded: it is dealt into columns itself. Default: 128.
    pub crowded_window: u32,
}

impl Default for SweepTuning {
    fn default() -> Self {
        Self { direct_limit: 1500, crowd: 512, crowded_window: 128 }
    }
}

/// Entries that make a task worth handing to a thread.
const TASK_ENTRIES: usize = 6_000;

impl PairFinder for Sweep {
    fn name(&self) -> &str {
        "sweep"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        if self.seen == Some(boxes.revision()) {
            self.pairs.apply(&mut [], &mut [], settings)?;
            clock.end("order");
            let (boxes, pairs, bytes) = (boxes.len(), self.pairs.len(), self.bytes());
            return Ok(FindReport { boxes, pairs, bytes, stages: clock.stages(), ..FindReport::default() });
        }
        if boxes.len() <= self.tuning.direct_limit {
            self.tasks.resize_with(1, Task::default);
            self.tasks[0].search(boxes, settings, self.tuning, |region, search| {
                let records = region.records_of(boxes);
                region.solve(&[&records], &[], 0, 0, search);
                region.give_back(records);
            });
        } else {
            let plan = Plan::of_boxes(boxes);
            self.columns.deal_boxes(boxes, &plan, &settings.executor);
            clock.end("deal");
            self.cut_into_tasks();
            let (columns, tuning) = (&self.columns, self.tuning);
            settings.executor.for_each(&mut self.tasks, |index, task| {
                let range = task.columns.clone();
                task.search(boxes, settings, tuning, |region, search| {
                    for column in range {
                        let (entries, guests) = (columns.entries(column), columns.guests(column));
                        region.solve(&entries, &guests, columns::HOME_BITS, 1, search);
                    }
                    if index == 0 {
                        // The large ones among themselves.
                        let bigs: Vec<&[Record]> = columns.bigs().collect();
                        region.solve(&bigs, &[], 0, 1, search);
                    }
                });
            });
        }
        clock.end("sweep");

        let mut runs: Vec<PairRun> =
            self.tasks.iter_mut().map(|task| std::mem::take(&mut task.run)).collect();
        let replaced = self.pairs.replace(&mut runs, settings);
        for (task, run) in self.tasks.iter_mut().zip(runs) {
            task.run = run;
        }
        replaced?;
        clock.end("order");
        self.seen = Some(boxes.revision());
        Ok(FindReport {
            boxes: boxes.len(),
            moved: boxes.len(),
            tests: self.tasks.iter().map(|task| task.tests).sum(),
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            detail: self.detail(boxes),
            ..FindReport::default()
        })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        let tasks: usize = self.tasks.iter().map(|task| task.region.bytes() + task.run.bytes()).sum();
        self.columns.bytes() + tasks + self.pairs.bytes()
    }
}

impl Sweep {
    /// A finder with another tuning.
    pub fn new(tuning: SweepTuning) -> Self {
        Self { tuning, ..Self::default() }
    }

    fn detail(&self, boxes: &Boxes) -> Option<String> {
        if boxes.len() <= self.tuning.direct_limit {
            return None;
        }
        let guests: usize = self.columns.bigs().map(<[Record]>::len).sum();
        let nested = if self.tasks.iter().any(|task| task.region.has_nested()) { ", nested" } else { "" };
        Some(format!("{} columns, {guests} guests{nested}", self.columns.count()))
    }

    /// Groups neighbouring columns until there is enough to do.
    fn cut_into_tasks(&mut self) {
        let mut tasks = 0;
        let mut begin = 0;
        let mut entries = 0;
        for column in 0..self.columns.count() {
            entries += self.columns.len(column);
            if entries >= TASK_ENTRIES || column + 1 == self.columns.count() {
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

impl Task {
    fn search(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        tuning: SweepTuning,
        work: impl FnOnce(&mut Region, &mut Search<'_>),
    ) {
        self.run.reset(settings.pair_limit);
        let mut search = Search { boxes, settings, tuning, run: std::mem::take(&mut self.run), tests: 0 };
        work(&mut self.region, &mut search);
        self.run = search.run;
        self.tests = search.tests;
    }
}
