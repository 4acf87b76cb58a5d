//! From sorted entries to pairs: the cells worth looking at, cut into tasks, and the tests inside them.

use std::ops::Range;

use super::entries::{BEGINS_ON_ALL, Layout, Word};
use crate::arrays::BoxArrays;
use crate::{Aabb, Boxes, FindSettings, PairRun};

/// Work of a task, in units of about a vector test; and how many tasks there are at most, because each has memory of
/// its own.
const TASK_WORK: u64 = 4096;
const MAX_TASKS: u64 = 64;
/// Boxes gathered at a time: they stay in the first cache while they are tested.
const BATCH: usize = 768;
/// Tests in one piece of a cell. Cells with more are cut, so that all threads can work in a crowd.
const PIECE_TESTS: u64 = 1 << 24;

/// The cells to test and the tasks that test them.
#[derive(Debug, Default)]
pub(super) struct Traversal {
    cells: Vec<CellPiece>,
    tasks: Vec<Task>,
}

/// Some rows of tests in one cell: boxes `from..to` of it, each against all boxes after it.
#[derive(Clone, Copy, Debug)]
struct CellPiece {
    /// Where the cell's entries start.
    start: u64,
    /// How many there are.
    len: u32,
    from: u32,
    to: u32,
}

impl CellPiece {
    fn work(&self) -> u64 {
        u64::from(self.len) + u64::from(self.to - self.from) * (1 + u64::from(self.len) / 16)
    }
}

/// Some cells, and what was found in them.
#[derive(Debug, Default)]
struct Task {
    cells: Range<usize>,
    run: PairRun,
    tests: u64,
    slots: Vec<u32>,
    aabbs: Vec<Aabb>,
    arrays: BoxArrays,
    begins: Vec<u8>,
    hits: Vec<u32>,
}

impl Traversal {
    /// Lists the cells that hold two boxes or more, one of them at home there, and deals them to tasks.
    pub(super) fn construct<W: Word>(&mut self, entries: &[W], layout: &Layout) {
        self.cells.clear();
        let mut start = 0;
        while start < entries.len() {
            let cell = layout.cell(entries[start]);
            let same = entries[start..].iter().take_while(|&&entry| layout.cell(entry) == cell);
            let len = same.count();
            // Guests come last.
            let natives =
                entries[start..start + len].iter().take_while(|&&entry| !layout.is_guest(entry)).count();
            if len > 1 && natives > 0 {
                self.push(start as u64, len as u32, natives as u32);
            }
            start += len;
        }
        self.deal();
    }

    fn push(&mut self, start: u64, len: u32, natives: u32) {
        let rows = (PIECE_TESTS / u64::from(len)).clamp(1, u64::from(u32::MAX)) as u32;
        let mut from = 0;
        while from < natives {
            let to = natives.min(from.saturating_add(rows));
            self.cells.push(CellPiece { start, len, from, to });
            from = to;
        }
    }

    fn deal(&mut self) {
        let total: u64 = self.cells.iter().map(CellPiece::work).sum();
        let share = total.div_ceil((total / TASK_WORK).clamp(1, MAX_TASKS)).max(1);
        let (mut tasks, mut first, mut work) = (0, 0, 0);
        for (index, cell) in self.cells.iter().enumerate() {
            work += cell.work();
            if work >= share || index + 1 == self.cells.len() {
                if tasks == self.tasks.len() {
                    self.tasks.push(Task::default());
                }
                self.tasks[tasks].cells = first..index + 1;
                (tasks, first, work) = (tasks + 1, index + 1, 0);
            }
        }
        self.tasks.truncate(tasks);
    }

    /// Tests the boxes in each cell.
    pub(super) fn traverse<W: Word>(
        &mut self,
        entries: &[W],
        layout: &Layout,
        boxes: &Boxes,
        settings: &FindSettings,
    ) {
        let cells = &self.cells;
        settings.executor.for_each(&mut self.tasks, |_, task| {
            task.run.reset(settings.pair_limit);
            task.tests = 0;
            let mut rest = &cells[task.cells.clone()];
            while !rest.is_empty() {
                let count = task.gather(rest, entries, layout, boxes);
                task.test(&rest[..count], boxes, settings);
                rest = &rest[count..];
            }
        });
    }

    pub(super) fn tests(&self) -> u64 {
        self.tasks.iter().map(|task| task.tests).sum()
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &PairRun> {
        self.tasks.iter().map(|task| &task.run)
    }

    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<CellPiece>()
            + self.tasks.iter().map(Task::bytes).sum::<usize>()
            + self.tasks.capacity() * size_of::<Task>()
    }
}

impl Task {
    /// Gathers the boxes of the first cells, as many as make a batch, and returns how many cells these are.
    fn gather<W: Word>(
        &mut self,
        cells: &[CellPiece],
        entries: &[W],
        layout: &Layout,
        boxes: &Boxes,
    ) -> usize {
        self.slots.clear();
        self.begins.clear();
        let mut count = 0;
        while let Some(cell) = cells.get(count)
            && (count == 0 || self.slots.len() + cell.len as usize <= BATCH)
        {
            let start = cell.start as usize;
            for &entry in &entries[start..start + cell.len as usize] {
                self.slots.push(layout.slot(entry));
                self.begins.push(layout.begins(entry) as u8);
            }
            count += 1;
        }
        // In two steps: the boxes are far apart in memory, and a loop that does nothing but copy them waits for many at
        // a time.
        self.aabbs.clear();
        self.aabbs.extend(self.slots.iter().map(|&slot| *boxes.aabb(slot)));
        self.arrays.clear();
        self.arrays.extend(self.aabbs.iter().copied());
        count
    }

    fn test(&mut self, cells: &[CellPiece], boxes: &Boxes, settings: &FindSettings) {
        let mut start = 0;
        for cell in cells {
            let end = start + cell.len as usize;
            for row in start + cell.from as usize..start + cell.to as usize {
                self.hits.clear();
                settings.lanes.scan(&self.arrays, row + 1, end, &self.aabbs[row], &mut self.hits);
                self.tests += (end - row - 1) as u64;
                for &hit in &self.hits {
                    if self.begins[row] | self.begins[hit as usize] == BEGINS_ON_ALL as u8 {
                        boxes.report(self.slots[row], self.slots[hit as usize], &mut self.run);
                    }
                }
            }
            start = end;
        }
    }

    fn bytes(&self) -> usize {
        self.run.bytes()
            + self.arrays.bytes()
            + self.slots.capacity() * 4
            + self.aabbs.capacity() * size_of::<Aabb>()
            + self.begins.capacity()
            + self.hits.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_cut_into_pieces_that_cover_its_rows_once_and_spread_over_tasks() {
        let mut traversal = Traversal::default();
        traversal.push(7, 10, 4);
        traversal.push(17, 50_000, 30_000);
        let [small, crowd @ ..] = &traversal.cells[..] else { panic!("no cells") };
        assert_eq!((small.start, small.len, small.from, small.to), (7, 10, 0, 4));
        assert!(crowd.len() > 50);
        let mut next = 0;
        for piece in crowd {
            assert_eq!((piece.start, piece.len, piece.from), (17, 50_000, next));
            assert!(u64::from(piece.to - piece.from) * 50_000 <= PIECE_TESTS);
            next = piece.to;
        }
        assert_eq!(next, 30_000);

        traversal.deal();
        assert!(traversal.tasks.len() > 30 && traversal.tasks.len() as u64 <= MAX_TASKS + 1);
        let mut dealt = 0;
        for task in &traversal.tasks {
            assert_eq!(task.cells.start, dealt);
            dealt = task.cells.end;
        }
        assert_eq!(dealt, traversal.cells.len());
    }
}
