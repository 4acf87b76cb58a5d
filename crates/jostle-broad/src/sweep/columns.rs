//! Dealing boxes into columns: one pass to count, one to copy, in chunks so that what is written stays in the cache.

use super::plan::Plan;
use super::region::Place;
use crate::simd::{CellGrid, Cells, Dealing, Record, Span};
use crate::{Aabb, Boxes, Filter, FindSettings, Lanes};

/// A box in more columns than this is a guest there.
const MOST_COPIES: u32 = 16;
/// Boxes per chunk: their records fill about half of a common second-level cache.
const CHUNK: usize = 16 * 1024;
/// Copies per box that are too many: the grid is made coarser.
const MOST_COPIES_PER_BOX: usize = 4;

/// Boxes dealt into columns, in chunks: a column's boxes are those of its piece of every chunk.
#[derive(Debug, Default)]
pub(super) struct Columns {
    plan: Plan,
    chunks: Vec<Chunk>,
    /// Chunks in use; the others keep their memory for a larger scene.
    used: usize,
    /// Per axis of the grid and cell, the lowest coordinate in it.
    floors: [Vec<f32>; 2],
}

/// The boxes of one stretch of the input, sorted by column.
#[derive(Debug, Default)]
struct Chunk {
    /// Per box of the stretch, its cells on all axes.
    cells: Vec<Cells>,
    /// And its key.
    keys: Vec<u32>,
    entries: Sorted,
    guests: Sorted,
    /// Boxes that became guests, once each.
    bigs: Vec<Record>,
}

/// Records sorted by column.
#[derive(Debug, Default)]
struct Sorted {
    records: Vec<Record>,
    /// Per column, where its records end; they begin where those of the column before end.
    ends: Vec<u32>,
}

/// Where a stretch of boxes comes from.
#[derive(Clone, Copy)]
enum Stretch<'a> {
    Boxes { aabbs: &'a [Aabb], keys: Keys<'a>, dense: bool },
    Records { records: &'a [Record], guests: bool },
}

/// What records carry to be recognised by.
#[derive(Clone, Copy)]
enum Keys<'a> {
    /// Ids: all that is needed where every two boxes may pair.
    Ids(&'a [u32]),
    /// Slots from this one on, marked as [`SPECIAL`] where the box has a filter of its own.
    Slots { first: u32, boxes: &'a Boxes },
}

/// Marks the keys of boxes with another filter than the default.
pub(super) const SPECIAL: u32 = 1 << 31;

impl Columns {
    /// Deals the boxes of a store.
    pub(super) fn deal_boxes(&mut self, boxes: &Boxes, plan: Plan, settings: &FindSettings) {
        let aabbs = boxes.aabbs();
        let ids = boxes.ids_by_slot();
        let chunks = aabbs.len().div_ceil(CHUNK).max(1);
        let stretch = |chunk: usize| {
            let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(aabbs.len());
            let keys = if boxes.admits_all() {
                Keys::Ids(&ids[range.clone()])
            } else {
                Keys::Slots { first: range.start as u32, boxes }
            };
            Stretch::Boxes { aabbs: &aabbs[range], keys, dense: boxes.is_dense() }
        };
        self.deal(plan, chunks, settings, stretch);
    }

    /// Deals the records of a region again; guests stay guests.
    pub(super) fn deal_records(
        &mut self,
        entries: Segments<'_>,
        guests: Segments<'_>,
        plan: Plan,
        settings: &FindSettings,
    ) {
        let stretches: Vec<Stretch<'_>> =
            (entries.iter().map(|records| Stretch::Records { records, guests: false }))
                .chain(guests.iter().map(|records| Stretch::Records { records, guests: true }))
                .collect();
        // The region is one task's work already.
        let settings = FindSettings { executor: crate::Executor::serial(), ..settings.clone() };
        self.deal(plan, stretches.len(), &settings, |chunk| stretches[chunk]);
    }

    fn deal<'a>(
        &mut self,
        mut plan: Plan,
        chunks: usize,
        settings: &FindSettings,
        stretch: impl Fn(usize) -> Stretch<'a> + Sync + Send,
    ) {
        if self.chunks.len() < chunks {
            self.chunks.resize_with(chunks, Chunk::default);
        }
        self.used = chunks;
        loop {
            let used = &mut self.chunks[..chunks];
            settings
                .executor
                .for_each(used, |index, chunk| chunk.count(stretch(index), &plan, settings.lanes));
            let boxes: usize = used.iter().map(|chunk| chunk.cells.len()).sum();
            let copies: usize = used.iter().map(|chunk| chunk.entries.total() + chunk.guests.total()).sum();
            if plan.columns() == 1 || copies <= MOST_COPIES_PER_BOX * boxes + 1024 {
                break;
            }
            plan = plan.coarser();
        }
        settings.executor.for_each(&mut self.chunks[..chunks], |index, chunk| {
            chunk.copy(stretch(index), &plan, settings.lanes);
        });
        self.plan = plan;
        for (floors, axis) in self.floors.iter_mut().zip(plan.across) {
            floors.clear();
            floors.extend((0..plan.cells[axis]).map(|cell| lowest_coordinate(&plan.grid, axis, cell)));
        }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn count(&self) -> usize {
        self.plan.columns()
    }

    /// How many records a column has.
    pub(super) fn len(&self, column: usize) -> usize {
        self.chunks().iter().map(|chunk| chunk.entries.of(column).len() + chunk.guests.of(column).len()).sum()
    }

    /// The part of the world that is a column's to report.
    pub(super) fn place(&self, column: usize) -> Place<'_> {
        let width = self.plan.cells[self.plan.across[1]] as usize;
        Place { plan: &self.plan, floor: [self.floors[0][column / width], self.floors[1][column % width]] }
    }

    pub(super) fn entries(&self, column: usize) -> Segments<'_> {
        Segments { columns: self, kind: Kind::Entries, column }
    }

    pub(super) fn guests(&self, column: usize) -> Segments<'_> {
        Segments { columns: self, kind: Kind::Guests, column }
    }

    /// The boxes that became guests in this dealing, once each.
    pub(super) fn bigs(&self) -> Segments<'_> {
        Segments { columns: self, kind: Kind::Bigs, column: 0 }
    }

    /// No records at all.
    pub(super) fn nobody(&self) -> Segments<'_> {
        Segments { columns: self, kind: Kind::Nobody, column: 0 }
    }

    fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.used]
    }

    pub(super) fn bytes(&self) -> usize {
        let floors: usize = self.floors.iter().map(|floors| floors.capacity() * size_of::<f32>()).sum();
        floors + self.chunks.iter().map(Chunk::bytes).sum::<usize>()
    }
}

/// The records of a column, as they lie in the chunks.
#[derive(Clone, Copy)]
pub(super) struct Segments<'a> {
    columns: &'a Columns,
    kind: Kind,
    column: usize,
}

#[derive(Clone, Copy)]
enum Kind {
    Entries,
    Guests,
    Bigs,
    Nobody,
}

impl<'a> Segments<'a> {
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = &'a [Record]> + Clone {
        self.columns.chunks().iter().map(move |chunk| match self.kind {
            Kind::Entries => chunk.entries.of(self.column),
            Kind::Guests => chunk.guests.of(self.column),
            Kind::Bigs => chunk.bigs.as_slice(),
            Kind::Nobody => &[],
        })
    }

    pub(super) fn len(self) -> usize {
        self.iter().map(<[Record]>::len).sum()
    }
}

impl Chunk {
    /// First pass: which columns, how many records in each.
    fn count(&mut self, stretch: Stretch<'_>, plan: &Plan, lanes: Lanes) {
        let (numbers, stride) = stretch.numbers();
        lanes.cells(numbers, stride, &plan.grid, &mut self.cells);
        if !stretch.is_dense() {
            // Free slots hold NaN, whose cell means nothing. They are marked by a span that ends before it begins.
            for (cells, numbers) in self.cells.iter_mut().zip(numbers.chunks_exact(stride)) {
                if numbers[0].is_nan() {
                    *cells = Cells::NONE;
                }
            }
        }
        self.entries.reset(plan.columns());
        self.guests.reset(plan.columns());
        self.bigs.clear();
        self.keys.clear();
        stretch.keys(&mut self.keys);
        let width = plan.cells[plan.across[1]];
        let most_copies = stretch.most_copies();
        for (index, cells) in self.cells.iter().enumerate() {
            let span = Span::of(cells, plan.across);
            let copies = span.copies();
            if copies == 1 && most_copies > 0 {
                self.entries.ends[span.first(width) + 1] += 1;
            } else if copies <= most_copies {
                span.for_each(width, |column| self.entries.ends[column + 1] += 1);
            } else {
                let bins = [cells.min(plan.along), cells.max(plan.along)];
                let aabb =
                    bytemuck::pod_read_unaligned(bytemuck::cast_slice(&numbers[index * stride..][..6]));
                self.bigs.push(Record { aabb, key: self.keys[index], bins });
                span.for_each(width, |column| self.guests.ends[column + 1] += 1);
            }
        }
        self.entries.accumulate();
        self.guests.accumulate();
    }

    /// Second pass: the records into their columns.
    fn copy(&mut self, stretch: Stretch<'_>, plan: &Plan, lanes: Lanes) {
        self.entries.make_room();
        self.guests.make_room();
        let (numbers, stride) = stretch.numbers();
        let width = plan.cells[plan.across[1]];
        let dealing = Dealing {
            numbers,
            stride,
            cells: &self.cells,
            keys: &self.keys,
            along: plan.along,
            across: plan.across,
            width,
            most_copies: stretch.most_copies(),
        };
        lanes.deal(&dealing, &mut self.entries.ends, &mut self.entries.records);
        // Bigs were noted in the order of the boxes.
        let large = (0..self.cells.len()).filter(|&index| dealing.span(index).copies() > dealing.most_copies);
        if !self.bigs.is_empty() {
            for (index, record) in large.zip(&self.bigs) {
                dealing.span(index).for_each(width, |column| self.guests.put(column, *record));
            }
        }
        if matches!(stretch, Stretch::Records { guests: true, .. }) {
            // They were guests before: whoever dealt them first has them among its bigs.
            self.bigs.clear();
        }
    }

    fn bytes(&self) -> usize {
        let records = self.entries.records.capacity() + self.guests.records.capacity() + self.bigs.capacity();
        let ends = self.entries.ends.capacity() + self.guests.ends.capacity();
        records * size_of::<Record>()
            + (ends + self.keys.capacity()) * 4
            + self.cells.capacity() * size_of::<Cells>()
    }
}

impl<'a> Stretch<'a> {
    /// The numbers of the boxes, and how far the next box is.
    fn numbers(&self) -> (&'a [f32], usize) {
        match self {
            Self::Boxes { aabbs, .. } => (bytemuck::cast_slice(aabbs), size_of::<Aabb>() / 4),
            Self::Records { records, .. } => (bytemuck::cast_slice(records), size_of::<Record>() / 4),
        }
    }

    fn is_dense(&self) -> bool {
        !matches!(self, Self::Boxes { dense: false, .. })
    }

    fn keys(&self, out: &mut Vec<u32>) {
        match *self {
            Self::Boxes { keys: Keys::Ids(ids), .. } => out.extend_from_slice(ids),
            Self::Boxes { aabbs, keys: Keys::Slots { first, boxes }, .. } => {
                let is_special = |slot: u32| *boxes.filter_at(slot) != Filter::default();
                let mark = |slot: u32| if is_special(slot) { slot | SPECIAL } else { slot };
                out.extend((first..first + aabbs.len() as u32).map(mark));
            }
            Self::Records { records, .. } => out.extend(records.iter().map(|record| record.key)),
        }
    }

    /// A box in more columns than this is a guest there.
    fn most_copies(&self) -> u32 {
        if matches!(self, Self::Records { guests: true, .. }) { 0 } else { MOST_COPIES }
    }
}

impl Sorted {
    fn reset(&mut self, columns: usize) {
        self.ends.clear();
        self.ends.resize(columns + 1, 0);
    }

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
        self.records.resize(self.total(), Record::NOTHING);
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

/// The lowest `f32` whose cell is this one or a later one. Found by bisection over all floats, because it must be exact
/// whatever the rounding in the grid's arithmetic does.
fn lowest_coordinate(grid: &CellGrid, axis: usize, cell: u32) -> f32 {
    if cell == 0 {
        return f32::NEG_INFINITY;
    }
    // Floats in the order of their values, as integers.
    let float = |order: u32| f32::from_bits(if order >> 31 == 1 { order & !(1 << 31) } else { !order });
    let order =
        |float: f32| if float.is_sign_negative() { !float.to_bits() } else { float.to_bits() | 1 << 31 };
    let (mut below, mut there) = (order(f32::NEG_INFINITY), order(f32::INFINITY));
    while there - below > 1 {
        let middle = below + (there - below) / 2;
        if u32::from(grid.cell(axis, float(middle))) >= cell { there = middle } else { below = middle }
    }
    float(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_coordinate_of_a_cell_is_exact() {
        let grid = CellGrid::new([-3.1, 1e6, 0.0], [0.7, 1e-4, 3.3], [40, 9, 200]);
        for axis in 0..3 {
            for cell in 1..=9 {
                let lowest = lowest_coordinate(&grid, axis, cell);
                assert!(u32::from(grid.cell(axis, lowest)) >= cell);
                assert!(u32::from(grid.cell(axis, lowest.next_down())) < cell);
            }
        }
    }
}
