//! Every box against every other, many at a time: rows of vector tests over separate coordinate arrays, the rows dealt
//! to the threads in zig-zag order.
//!
//! The assignment is algorithm 14 of 'Parallel techniques for collision detection' (seed 001, section 4.2): row i costs
//! n - 1 - i tests, so a thread that took the longest of a round of rows takes the shortest of the next, and all end up
//! with nearly the same number of tests.

mod assignment;

pub use assignment::ZigZag;

use crate::arrays::BoxArrays;
use crate::finder::StageClock;
use crate::{Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun};

/// The vectorised quadratic finder: hard to beat below some hundred boxes.
#[derive(Debug)]
pub struct AllPairs {
    /// Refuses more boxes than this: the cost is quadratic. Default: 50,000 (about a second on one core).
    pub size_limit: usize,
    arrays: BoxArrays,
    slots: Vec<u32>,
    tasks: Vec<Task>,
    pub(crate) pairs: PairBuffer,
}

/// What one thread does.
#[derive(Debug, Default)]
struct Task {
    run: PairRun,
    hits: Vec<u32>,
    tests: u64,
}

impl Default for AllPairs {
    fn default() -> Self {
        Self {
            size_limit: 50_000,
            arrays: BoxArrays::default(),
            slots: Vec::new(),
            tasks: Vec::new(),
            pairs: PairBuffer::default(),
        }
    }
}

impl PairFinder for AllPairs {
    fn name(&self) -> &str {
        "all-pairs"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        FindError::check_boxes("all-pairs", self.size_limit, boxes)?;
        let mut clock = StageClock::start();
        self.slots.clear();
        self.slots.extend(boxes.live_slots());
        self.arrays.clear();
        self.arrays.extend(self.slots.iter().map(|&slot| *boxes.aabb(slot)));
        clock.end("gather");

        let threads = settings.executor.threads();
        self.tasks.resize_with(threads, Task::default);
        let (arrays, slots) = (&self.arrays, &self.slots);
        settings.executor.for_each(&mut self.tasks, |thread, task| {
            task.run.reset(settings.pair_limit);
            task.tests = 0;
            for row in ZigZag::new(thread, threads, slots.len()) {
                task.hits.clear();
                let query = boxes.aabb(slots[row]);
                settings.lanes.scan(arrays, row + 1, slots.len(), query, &mut task.hits);
                task.tests += (slots.len() - row - 1) as u64;
                for &hit in &task.hits {
                    boxes.report(slots[row], slots[hit as usize], &mut task.run);
                }
            }
        });
        clock.end("test");

        // Rows are dealt by the number of threads, so that unordered runs would show it. Sorting costs nothing beside
        // the tests.
        let settings = &FindSettings { canonical: true, ..settings.clone() };
        self.pairs.replace(self.tasks.iter().map(|task| &task.run), settings)?;
        if self.pairs.is_crowded(boxes.len()) {
            self.pairs.give_back(boxes.len());
            self.tasks.iter_mut().for_each(|task| task.run.give_back());
        }
        clock.end("order");

        let tests_per_thread: Vec<u64> = self.tasks.iter().map(|task| task.tests).collect();
        Ok(FindReport {
            boxes: boxes.len(),
            moved: boxes.len(),
            tests: tests_per_thread.iter().sum(),
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            tests_per_thread,
            detail: None,
        })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        let tasks: usize = self.tasks.iter().map(|task| task.run.bytes() + task.hits.capacity() * 4).sum();
        self.arrays.bytes() + self.slots.capacity() * 4 + tasks + self.pairs.bytes()
    }

    fn size_limit(&self) -> Option<usize> {
        Some(self.size_limit)
    }
}
