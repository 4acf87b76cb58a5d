//! Dealing boxes into columns: one pass to count, one to copy, in chunks so that what is written stays in the cache.

use super::plan::Plan;
use super::{Boxes, Record};
use crate::Executor;

/// The home bits of the outermost grid.
pub(super) const HOME_BITS: u32 = 0b11;
/// Set in the records of guests, wherever they are dealt.
const GUEST: u32 = 1 << 31;
/// A box in more columns than this is a guest there.
const MOST_COPIES: u32 = 16;
/// Boxes per chunk: their records fill about half of a common second-level cache.
const CHUNK: usize = 16 * 1024;
/// Copies per box that are too many: the grid is made coarser.
const MOST_COPIES_PER_BOX: usize = 4;

/// Boxes dealt into columns, in chunks: a column's boxes are those of its piece of every chunk.
#[derive(Debug, Default)]
pub(super) struct Columns {
    chunks: Vec<Chunk>,
    used: usize,
    count: usize,
}

/// The boxes of one stretch of the input, sorted by column.
#[derive(Debug, Default)]
struct Chunk {
    /// Per box of the stretch, its cells: first and last on either axis. `SKIP` in the first where there is none.
    spans: Vec<[u16; 4]>,
    entries: Sorted,
    guests: Sorted,
    bigs: Vec<Record>,
}

/// Records sorted by column.
#[derive(Debug, Default)]
struct Sorted {
    records: Vec<Record>,
    /// Per column, where its records end; they begin where those of the column before end.
    ends: Vec<u32>,
}

const SKIP: u16 = u16::MAX;

impl Columns {
    /// Deals the boxes of a store.
    pub(super) fn deal_boxes(&mut self, boxes: &Boxes, plan: &Plan, executor: &Executor) {
        let aabbs = boxes.aabbs();
        let chunks = aabbs.len().div_ceil(CHUNK).max(1);
        self.deal(*plan, chunks, HOME_BITS, executor, |chunk| {
            let begin = chunk * CHUNK;
            let end = (begin + CHUNK).min(aabbs.len());
            aabbs[begin..end].iter().enumerate().map(move |(i, aabb)| Record {
                aabb: *aabb,
                slot: (begin + i) as u32,
                homes: 0,
            })
        });
    }

    /// Deals the records of a region again; guests stay guests. `bits` are the home bits of this grid.
    pub(super) fn deal_records(
        &mut self,
        entries: &[&[Record]],
        guests: &[&[Record]],
        plan: &Plan,
        bits: u32,
    ) {
        let segment = |index: usize| match entries.get(index) {
            Some(segment) => segment.iter().copied(),
            None => guests[index - entries.len()].iter().copied(),
        };
        self.deal(*plan, entries.len() + guests.len(), bits, &Executor::serial(), segment);
    }

    fn deal<I: Iterator<Item = Record>>(
        &mut self,
        mut plan: Plan,
        chunks: usize,
        bits: u32,
        executor: &Executor,
        source: impl Fn(usize) -> I + Sync + Send,
    ) {
        if self.chunks.len() < chunks {
            self.chunks.resize_with(chunks, Chunk::default);
        }
        self.used = chunks;
        loop {
            let used = &mut self.chunks[..chunks];
            executor.for_each(used, |index, chunk| chunk.count(source(index), &plan));
            let boxes: usize = used.iter().map(|chunk| chunk.spans.len()).sum();
            let copies: usize = used.iter().map(Chunk::copies).sum();
            if plan.columns() == 1 || copies <= MOST_COPIES_PER_BOX * boxes + 1024 {
                break;
            }
            plan = plan.coarser();
        }
        self.count = plan.columns();
        executor.for_each(&mut self.chunks[..chunks], |index, chunk| chunk.copy(source(index), &plan, bits));
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// How many records a column has.
    pub(super) fn len(&self, column: usize) -> usize {
        self.chunks().map(|chunk| chunk.entries.of(column).len() + chunk.guests.of(column).len()).sum()
    }

    pub(super) fn entries(&self, column: usize) -> Vec<&[Record]> {
        self.chunks().map(|chunk| chunk.entries.of(column)).filter(|records| !records.is_empty()).collect()
    }

    pub(super) fn guests(&self, column: usize) -> Vec<&[Record]> {
        self.chunks().map(|chunk| chunk.guests.of(column)).filter(|records| !records.is_empty()).collect()
    }

    /// The boxes that became guests in this dealing, once each.
    pub(super) fn bigs(&self) -> impl Iterator<Item = &[Record]> {
        self.chunks().map(|chunk| chunk.bigs.as_slice())
    }

    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks[..self.used].iter()
    }

    pub(super) fn bytes(&self) -> usize {
        self.chunks.iter().map(Chunk::bytes).sum()
    }
}

impl Chunk {
    /// First pass: which columns, how many in each.
    fn count(&mut self, records: impl Iterator<Item = Record>, plan: &Plan) {
        self.spans.clear();
        self.bigs.clear();
        self.entries.ends.clear();
        self.entries.ends.resize(plan.columns() + 1, 0);
        self.guests.ends.clear();
        self.guests.ends.resize(plan.columns() + 1, 0);
        let width = plan.axes[1].cells;
        for record in records {
            if record.aabb.min.x.is_nan() {
                self.spans.push([SKIP; 4]);
                continue;
            }
            let (a0, a1) = plan.axes[0].span(&record.aabb);
            let (b0, b1) = plan.axes[1].span(&record.aabb);
            self.spans.push([a0 as u16, a1 as u16, b0 as u16, b1 as u16]);
            let copies = (a1 - a0 + 1) * (b1 - b0 + 1);
            let ends = if record.homes & GUEST != 0 {
                &mut self.guests.ends
            } else if copies > MOST_COPIES {
                self.bigs.push(record);
                &mut self.guests.ends
            } else {
                &mut self.entries.ends
            };
            // Most boxes lie in one column.
            ends[(a0 * width + b0) as usize + 1] += 1;
            if copies > 1 {
                for_other_cells(a0, a1, b0, b1, width, |column| ends[column + 1] += 1);
            }
        }
        self.entries.accumulate();
        self.guests.accumulate();
    }

    fn copies(&self) -> usize {
        self.entries.total() + self.guests.total()
    }

    /// Second pass: the records into their columns.
    fn copy(&mut self, records: impl Iterator<Item = Record>, plan: &Plan, bits: u32) {
        let width = plan.axes[1].cells;
        self.entries.make_room();
        self.guests.make_room();
        let (home_a, home_b) = (bits & (bits >> 1), bits & (bits << 1));
        for (mut record, &[a0, a1, b0, b1]) in records.zip(&self.spans) {
            if a0 == SKIP {
                continue;
            }
            let (a0, a1, b0, b1) = (u32::from(a0), u32::from(a1), u32::from(b0), u32::from(b1));
            let mut outer = record.homes;
            let copies = (a1 - a0 + 1) * (b1 - b0 + 1);
            let sorted = if copies > MOST_COPIES || outer & GUEST != 0 {
                outer |= GUEST;
                &mut self.guests
            } else {
                &mut self.entries
            };
            record.homes = outer | bits;
            sorted.put((a0 * width + b0) as usize, record);
            if copies > 1 {
                for_other_cells(a0, a1, b0, b1, width, |column| {
                    let (a, b) = (column as u32 / width, column as u32 % width);
                    record.homes = outer;
                    record.homes |= if a == a0 { home_a } else { 0 };
                    record.homes |= if b == b0 { home_b } else { 0 };
                    sorted.put(column, record);
                });
            }
        }
    }

    fn bytes(&self) -> usize {
        let records = self.entries.records.capacity() + self.guests.records.capacity() + self.bigs.capacity();
        let ends = self.entries.ends.capacity() + self.guests.ends.capacity();
        records * size_of::<Record>() + ends * 4 + self.spans.capacity() * 8
    }
}

impl Sorted {
    /// Turns counts (of column c at c + 1) into where each column begins.
    fn accumulate(&mut self) {
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
    }

    fn total(&self) -> usize {
        self.ends.last().map_or(0, |&total| total as usize)
    }

    fn make_room(&mut self) {
        let nothing = Record { aabb: crate::Aabb::NOWHERE, slot: 0, homes: 0 };
        self.records.resize(self.total(), nothing);
    }

    /// Writes a record and moves the beginning of its column on, so that in the end it is the column's end.
    #[inline(always)]
    fn put(&mut self, column: usize, record: Record) {
        let at = &mut self.ends[column];
        self.records[*at as usize] = record;
        *at += 1;
    }

    #[inline]
    fn of(&self, column: usize) -> &[Record] {
        let begin = if column == 0 { 0 } else { self.ends[column - 1] as usize };
        &self.records[begin..self.ends[column] as usize]
    }
}

/// All cells of a rectangle but the first.
#[inline(always)]
fn for_other_cells(a0: u32, a1: u32, b0: u32, b1: u32, width: u32, mut visit: impl FnMut(usize)) {
    for a in a0..=a1 {
        let first = if a == a0 { b0 + 1 } else { b0 };
        for b in first..=b1 {
            visit((a * width + b) as usize);
        }
    }
}
