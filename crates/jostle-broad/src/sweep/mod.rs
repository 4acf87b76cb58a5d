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
use region::Region;

/// The full-rebuild finder. Nothing to set: it measures the scene each frame.
#[derive(Debug, Default)]
pub struct Sweep {
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

/// Up to this many boxes, one sweep without columns is cheaper.
const DIRECT_LIMIT: usize = 1500;
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
        if boxes.len() <= DIRECT_LIMIT {
            self.tasks.resize_with(1, Task::default);
            let task = &mut self.tasks[0];
            task.reset(settings);
            let records = task.region.records_of(boxes);
            task.region.solve(&[&records], &[], 0, 0, boxes, settings, &mut task.run, &mut task.tests);
            task.region.give_back(records);
        } else {
            let plan = Plan::of_boxes(boxes);
            self.columns.deal_boxes(boxes, &plan, &settings.executor);
            clock.end("deal");
            self.cut_into_tasks();
            let columns = &self.columns;
            settings.executor.for_each(&mut self.tasks, |_, task| {
                task.reset(settings);
                for column in task.columns.clone() {
                    let (entries, guests) = (columns.entries(column), columns.guests(column));
                    let want = columns::HOME_BITS;
                    let (run, tests) = (&mut task.run, &mut task.tests);
                    task.region.solve(&entries, &guests, want, 1, boxes, settings, run, tests);
                }
            });
            // The large ones among themselves. The first task has room for that.
            let first = &mut self.tasks[0];
            let bigs: Vec<&[Record]> = self.columns.bigs().collect();
            first.region.solve(&bigs, &[], 0, 1, boxes, settings, &mut first.run, &mut first.tests);
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
    fn reset(&mut self, settings: &FindSettings) {
        self.run.reset(settings.pair_limit);
        self.tests = 0;
    }
}
