//! Boxes that no cell can hold: few, and each tested against all others.
//!
//! The large boxes are the array that is scanned and all boxes are the queries, so that the price is a few vector tests
//! a box and nothing has to be gathered but the large boxes. A pair of two large boxes is found by the one that stands
//! earlier in the list, any other pair by the one that is not large.

use crate::arrays::BoxArrays;
use crate::{Boxes, FindSettings, PairRun};

/// Slots per task.
const CHUNK: usize = 4096;

/// The large boxes and the tasks that test them.
#[derive(Debug, Default)]
pub(super) struct LargeList {
    /// Ascending.
    slots: Vec<u32>,
    arrays: BoxArrays,
    tasks: Vec<Task>,
}

#[derive(Debug, Default)]
struct Task {
    run: PairRun,
    hits: Vec<u32>,
    tests: u64,
}

impl LargeList {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Adds a box. Slots must come in ascending order.
    pub(super) fn push(&mut self, slot: u32) {
        debug_assert!(self.slots.last().is_none_or(|&last| last < slot), "slots come in ascending order");
        self.slots.push(slot);
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Finds all pairs in which a large box is. Returns the number of tests.
    pub(super) fn find(&mut self, boxes: &Boxes, settings: &FindSettings) -> u64 {
        let tasks = if self.slots.is_empty() { 0 } else { boxes.slots().div_ceil(CHUNK) };
        self.tasks.resize_with(tasks, Task::default);
        self.arrays.clear();
        self.arrays.extend(self.slots.iter().map(|&slot| *boxes.aabb(slot)));
        let (slots, arrays) = (&self.slots, &self.arrays);
        settings.executor.for_each(&mut self.tasks, |index, task| {
            task.run.reset(settings.pair_limit);
            task.tests = 0;
            let from = index * CHUNK;
            let to = (from + CHUNK).min(boxes.slots());
            // How many of the large boxes stand in slots before the current one.
            let mut passed = slots.partition_point(|&slot| (slot as usize) < from);
            for slot in (from..to).map(|slot| slot as u32).filter(|&slot| boxes.is_live(slot)) {
                let is_large = slots.get(passed) == Some(&slot);
                passed += usize::from(is_large);
                let first = if is_large { passed } else { 0 };
                task.hits.clear();
                settings.lanes.scan(arrays, first, slots.len(), boxes.aabb(slot), &mut task.hits);
                task.tests += (slots.len() - first) as u64;
                for &hit in &task.hits {
                    boxes.report(slot, slots[hit as usize], &mut task.run);
                }
            }
        });
        self.tasks.iter().map(|task| task.tests).sum()
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &PairRun> {
        self.tasks.iter().map(|task| &task.run)
    }

    pub(super) fn bytes(&self) -> usize {
        let tasks: usize = self.tasks.iter().map(|task| task.run.bytes() + task.hits.capacity() * 4).sum();
        self.slots.capacity() * 4 + self.arrays.bytes() + tasks
    }
}
