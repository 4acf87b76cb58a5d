//! The sweep along one axis: boxes in the order in which they begin, each tested against the run of those that begin
//! before it ends.
//!
//! In: the sorted endpoints of one axis. Out: runs of pairs, each pair once. Ends are positions, not values: where the
//! endpoints are sorted, the run of a box is known by counting, and touching boxes are in it because minima come first.
//! All boxes are found against all, or only changed ones; then a box may also be enclosed by one that began long
//! before it, which walking from its minimum to its maximum never meets (seed 000, section 4.2.6, misses it).

use crate::arrays::BoxArrays;
use crate::{Boxes, FindError, FindSettings, Pair, PairBuffer, PairRun};

/// Rows (boxes with their runs) in a task.
const ROWS: usize = 512;

/// Boxes in the order of a sweep, and the tasks that search them.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// By rank: the slot of the box that begins as the rank-th.
    slots: Vec<u32>,
    /// By rank: one past the last rank of the run of boxes that begin before this one ends.
    ends: Vec<u32>,
    /// By slot, while the ranks are given.
    ranks: Vec<u32>,
    /// By rank: is this a changed box?
    changed: Vec<bool>,
    arrays: BoxArrays,
    /// Unchanged boxes with long runs, tested against every changed box that begins later.
    long: BoxArrays,
    long_ranks: Vec<u32>,
    rows: Vec<u32>,
    tasks: Vec<Task>,
    used: usize,
}

#[derive(Debug, Default)]
struct Task {
    run: PairRun,
    hits: Vec<u32>,
    tests: u64,
}

/// How pairs of an unchanged box and a changed one that begins later are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backward {
    /// By the unchanged one: every box is a row.
    EveryRow,
    /// By the changed one: it looks back as many ranks as this, and at the boxes with longer runs.
    Window(usize),
}

impl Sweep {
    /// Takes the boxes in the order of one axis, from its sorted endpoints: slots, and whether it is a maximum.
    pub(super) fn arrange(&mut self, boxes: &Boxes, endpoints: impl Iterator<Item = (u32, bool)>) {
        self.slots.clear();
        self.ends.clear();
        self.ranks.resize(boxes.slots(), 0);
        for (slot, is_max) in endpoints {
            if is_max {
                self.ends[self.ranks[slot as usize] as usize] = self.slots.len() as u32;
            } else {
                self.ranks[slot as usize] = self.slots.len() as u32;
                self.slots.push(slot);
                self.ends.push(0);
            }
        }
        self.gather(boxes);
    }

    /// Takes the boxes in any order, every box against all after it.
    pub(super) fn arrange_all_against_all(&mut self, boxes: &Boxes, slots: impl Iterator<Item = u32>) {
        self.slots.clear();
        self.slots.extend(slots);
        self.ends.clear();
        self.ends.resize(self.slots.len(), self.slots.len() as u32);
        self.gather(boxes);
    }

    fn gather(&mut self, boxes: &Boxes) {
        self.arrays.clear();
        self.arrays.extend(self.slots.iter().map(|&slot| *boxes.aabb(slot)));
    }

    /// Finds all pairs of the first `rows` boxes with boxes after them.
    pub(super) fn find_rows(&mut self, boxes: &Boxes, settings: &FindSettings, rows: usize) {
        self.changed.clear();
        self.changed.resize(self.slots.len(), true);
        self.rows.clear();
        self.rows.extend(0..rows as u32);
        self.find(boxes, settings, Backward::EveryRow);
    }

    /// Finds all pairs.
    pub(super) fn find_all(&mut self, boxes: &Boxes, settings: &FindSettings) {
        self.find_rows(boxes, settings, self.slots.len());
    }

    /// Finds the pairs of changed boxes, with each other and with all others.
    pub(super) fn find_changed(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        is_changed: impl Fn(u32) -> bool,
    ) {
        self.changed.clear();
        self.changed.extend(self.slots.iter().map(|&slot| is_changed(slot)));
        let backward = self.cheapest_backward();
        let whole = 0..self.slots.len() as u32;
        self.rows.clear();
        self.long.clear();
        self.long_ranks.clear();
        match backward {
            Backward::EveryRow => self.rows.extend(whole),
            Backward::Window(window) => {
                self.rows.extend(whole.clone().filter(|&rank| self.changed[rank as usize]));
                let (changed, ends) = (&self.changed, &self.ends);
                self.long_ranks.extend(
                    whole.filter(|&rank| !changed[rank as usize] && run_of(ends, rank as usize) > window),
                );
                let (slots, long_ranks) = (&self.slots, &self.long_ranks);
                self.long.extend(long_ranks.iter().map(|&rank| *boxes.aabb(slots[rank as usize])));
            }
        }
        self.find(boxes, settings, backward);
    }

    /// A changed box that looks back must look as far as the longest run of an unchanged one. Runs longer than a power
    /// of two are set aside, for the power at which looking back and looking through those set aside cost least.
    fn cheapest_backward(&self) -> Backward {
        let (mut rows_cost, mut changed) = (0, 0);
        // How many unchanged boxes have runs of 2^(k-1) to 2^k - 1.
        let mut by_length = [0usize; 33];
        for (rank, &is_changed) in self.changed.iter().enumerate() {
            if is_changed {
                changed += 1;
            } else {
                let run = run_of(&self.ends, rank);
                rows_cost += run;
                by_length[(u32::BITS - (run as u32).leading_zeros()) as usize] += 1;
            }
        }
        let mut best = (rows_cost, Backward::EveryRow);
        let mut longer = self.slots.len() - changed;
        for (power, count) in by_length.iter().enumerate() {
            longer -= count;
            let window = (1usize << power) - 1;
            let cost = changed * (window.min(self.slots.len()) + longer);
            if cost < best.0 {
                best = (cost, Backward::Window(window));
            }
        }
        best.1
    }

    fn find(&mut self, boxes: &Boxes, settings: &FindSettings, backward: Backward) {
        self.used = self.rows.len().div_ceil(ROWS);
        if self.tasks.len() < self.used {
            self.tasks.resize_with(self.used, Task::default);
        }
        let Self { slots, ends, changed, arrays, long, long_ranks, rows, tasks, used, .. } = self;
        settings.executor.for_each(&mut tasks[..*used], |index, task| {
            task.run.reset(settings.pair_limit);
            task.tests = 0;
            for &row in rows.iter().skip(index * ROWS).take(ROWS) {
                let row = row as usize;
                let slot = slots[row];
                let query = boxes.aabb(slot);
                let mut search =
                    |arrays: &BoxArrays, from: usize, to: usize, wanted: &dyn Fn(usize) -> Option<usize>| {
                        task.hits.clear();
                        settings.lanes.scan(arrays, from, to, query, &mut task.hits);
                        task.tests += (to - from) as u64;
                        for &hit in &task.hits {
                            if let Some(rank) = wanted(hit as usize) {
                                boxes.report(slot, slots[rank], &mut task.run);
                            }
                        }
                    };
                let is_changed = changed[row];
                search(arrays, row + 1, ends[row] as usize, &|hit| {
                    (is_changed || changed[hit]).then_some(hit)
                });
                if let Backward::Window(window) = backward {
                    // A changed box that began earlier finds this one by itself.
                    search(arrays, row.saturating_sub(window), row, &|hit| {
                        (!changed[hit] && run_of(ends, hit) <= window).then_some(hit)
                    });
                    search(long, 0, long_ranks.len(), &|hit| {
                        let rank = long_ranks[hit] as usize;
                        (rank < row).then_some(rank)
                    });
                }
            }
        });
    }

    /// Finds nothing.
    pub(super) fn find_none(&mut self) {
        self.used = 0;
    }

    /// How many tests the search made.
    pub(super) fn tests(&self) -> u64 {
        self.tasks[..self.used].iter().map(|task| task.tests).sum()
    }

    /// Did the limit let the tasks keep all they found?
    pub(super) fn holds_all(&self) -> bool {
        self.tasks[..self.used].iter().all(|task| task.run.dropped == 0)
    }

    /// Appends the pairs that were found.
    pub(super) fn append_to(&self, pairs: &mut Vec<Pair>) {
        self.tasks[..self.used].iter().for_each(|task| pairs.extend_from_slice(&task.run.pairs));
    }

    /// Makes the pairs that were found, and those kept from before, the content of a buffer.
    pub(super) fn replace(
        &mut self,
        pairs: &mut PairBuffer,
        kept: PairRun,
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let runs = self.tasks[..self.used].iter().map(|task| &task.run);
        pairs.replace(runs.chain([&kept]), settings)
    }

    pub(super) fn bytes(&self) -> usize {
        let words = [&self.slots, &self.ends, &self.ranks, &self.long_ranks, &self.rows];
        words.iter().map(|list| list.capacity() * 4).sum::<usize>()
            + self.changed.capacity()
            + self.arrays.bytes()
            + self.long.bytes()
            + self.tasks.iter().map(|task| task.run.bytes() + task.hits.capacity() * 4).sum::<usize>()
    }
}

/// How many boxes begin after the rank-th and before it ends.
#[inline]
fn run_of(ends: &[u32], rank: usize) -> usize {
    ends[rank] as usize - rank - 1
}

/// The axis along which the fewest boxes overlap, by a sample: the one to sweep along.
pub(super) fn sweep_axis(boxes: &Boxes) -> usize {
    const SAMPLE: usize = 96;
    let step = (boxes.len() / SAMPLE).max(1);
    let sample: Vec<_> =
        boxes.live_slots().step_by(step).take(SAMPLE).map(|slot| *boxes.aabb(slot)).collect();
    let mut overlaps = [0u32; 3];
    for (i, a) in sample.iter().enumerate() {
        for b in &sample[i + 1..] {
            for (axis, count) in overlaps.iter_mut().enumerate() {
                *count += u32::from(a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis]);
            }
        }
    }
    (0..3).min_by_key(|&axis| overlaps[axis]).unwrap_or(0)
}
