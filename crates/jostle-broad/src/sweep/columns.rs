//! Dealing boxes into columns: one pass to count, one to copy, in chunks so that what is written stays in the cache. A
//! single chunk is dealt into the bins of the columns right away.

use super::plan::Plan;
use crate::simd::{Binned, Dealing, HOME, HOME_A, HOME_B, PADDING, Record, Spots, Steps, accumulate};
use crate::{Aabb, Boxes, Filter, FindSettings, Lanes};

/// A box in more columns than this is a guest there.
const MOST_COPIES: u32 = 16;
/// Up to this many boxes are one chunk: their records stay in a common second-level cache, wherever they go.
const FINE_LIMIT: usize = 12 * 1024;
/// More are cut into about this many chunks, so that threads end at nearly the same time,
const CHUNKS: usize = 32;
/// but not smaller than this, because it takes some boxes to fill columns,
const SMALLEST_CHUNK: usize = 6 * 1024;
/// and not larger, because their keys and columns should be in the cache when they are copied.
const LARGEST_CHUNK: usize = 64 * 1024;
/// Copies per box that are too many: the grid is made coarser.
const MOST_COPIES_PER_BOX: usize = 4;

/// Boxes dealt into columns, in chunks: a column's boxes are those of its piece of every chunk.
#[derive(Debug, Default)]
pub(super) struct Columns {
    plan: Plan,
    chunks: Vec<Chunk>,
    /// Chunks in use; the others keep their memory for a larger scene.
    used: usize,
    /// Are the records of each column in the order of their bins?
    fine: bool,
}

/// The boxes of one stretch of the input, sorted by column.
#[derive(Debug, Default)]
struct Chunk {
    /// Where the boxes of the stretch are.
    spots: Spots,
    /// Per box, its key, where there is no list of them already.
    keys: Vec<u32>,
    entries: Sorted,
    guests: Sorted,
    /// Boxes that became guests, once each.
    bigs: Vec<Record>,
}

/// Records sorted by column, or by column and bin.
#[derive(Debug, Default)]
struct Sorted {
    /// Followed by some that are in no column.
    records: Vec<Record>,
    /// Per bucket, where its records end; they begin where those of the bucket before end. Then two more, for those
    /// that are in no bucket.
    ends: Vec<u32>,
    /// Buckets of a column.
    per_column: usize,
}

/// Where a stretch of boxes comes from.
#[derive(Clone, Copy)]
enum Stretch<'a> {
    Boxes { aabbs: &'a [Aabb], keys: Keys<'a> },
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
        let fine = aabbs.len() <= FINE_LIMIT;
        let size = match aabbs.len() {
            few if fine => few.max(1),
            many => (many / CHUNKS).clamp(SMALLEST_CHUNK, LARGEST_CHUNK),
        };
        let chunks = aabbs.len().div_ceil(size).max(1);
        let stretch = |chunk: usize| {
            let range = chunk * size..((chunk + 1) * size).min(aabbs.len());
            let keys = if boxes.admits_all() {
                Keys::Ids(&ids[range.clone()])
            } else {
                Keys::Slots { first: range.start as u32, boxes }
            };
            Stretch::Boxes { aabbs: &aabbs[range], keys }
        };
        self.deal(plan, chunks, fine, settings, stretch);
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
        let settings = settings.if_worth(false);
        self.deal(plan, stretches.len(), false, &settings, |chunk| stretches[chunk]);
    }

    fn deal<'a>(
        &mut self,
        mut plan: Plan,
        chunks: usize,
        fine: bool,
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
                .for_each(used, |index, chunk| chunk.count(stretch(index), &plan, fine, settings.lanes));
            let boxes: usize = used.iter().map(|chunk| chunk.spots.len()).sum();
            let copies: usize = used.iter().map(|chunk| chunk.entries.total() + chunk.guests.total()).sum();
            if plan.columns() == 1 || copies <= MOST_COPIES_PER_BOX * boxes + 1024 {
                break;
            }
            plan = plan.coarser();
        }
        settings.executor.for_each(&mut self.chunks[..chunks], |index, chunk| {
            chunk.copy(stretch(index), &plan, fine, settings.lanes);
        });
        (self.plan, self.fine) = (plan, fine);
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
        self.chunks.iter().map(Chunk::bytes).sum::<usize>()
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

    /// The records in the order of their bins, where they were dealt into those.
    pub(super) fn binned(self) -> Option<Binned<'a>> {
        match (self.kind, self.columns.chunks()) {
            (Kind::Entries, [chunk]) if self.columns.fine => Some(chunk.entries.binned(self.column)),
            _ => None,
        }
    }
}

impl Chunk {
    /// First pass: which columns, how many records in each.
    fn count(&mut self, stretch: Stretch<'_>, plan: &Plan, fine: bool, lanes: Lanes) {
        let dealing = stretch.dealing(plan, fine);
        let steps = dealing.steps;
        self.entries.reset(steps.buckets as usize, if fine { plan.bins() } else { 1 });
        self.guests.reset(plan.columns(), 1);
        self.bigs.clear();
        stretch.copy_keys(&mut self.keys);
        lanes.count(&dealing, &mut self.spots, &mut self.entries.ends);
        let keys = stretch.keys(&self.keys);
        for &index in &self.spots.wide {
            let index = index as usize;
            let Some(wide) = Wide::of(&dealing, index, keys[index]) else { continue };
            if wide.copies > stretch.most_copies() {
                self.bigs.push(wide.record);
                wide.for_each(plan.steps(false), |column, _| self.guests.ends[column + 1] += 1);
            } else {
                let first = wide.record.first_bin() * steps.bin as usize;
                wide.for_each(steps, |bucket, _| self.entries.ends[bucket + first + 1] += 1);
            }
        }
        accumulate(&mut self.entries.ends);
        accumulate(&mut self.guests.ends);
    }

    /// Second pass: the records into their columns.
    fn copy(&mut self, stretch: Stretch<'_>, plan: &Plan, fine: bool, lanes: Lanes) {
        self.entries.make_room();
        self.guests.make_room();
        let dealing = stretch.dealing(plan, fine);
        let keys = stretch.keys(&self.keys);
        let Sorted { ends, records, .. } = &mut self.entries;
        lanes.deal(&dealing, keys, &self.spots, ends, records);
        for &index in &self.spots.wide {
            let index = index as usize;
            let Some(wide) = Wide::of(&dealing, index, keys[index]) else { continue };
            if wide.copies > stretch.most_copies() {
                wide.for_each(plan.steps(false), |column, record| self.guests.put(column, record));
            } else {
                let first = wide.record.first_bin() * dealing.steps.bin as usize;
                wide.for_each(dealing.steps, |bucket, record| self.entries.put(bucket + first, record));
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
        records * size_of::<Record>() + (ends + self.keys.capacity()) * 4 + self.spots.bytes()
    }
}

/// A box that lies in many columns.
struct Wide {
    /// Its first and last cells on the axes of the columns.
    cells: [[u32; 2]; 2],
    /// In how many columns it is.
    copies: u32,
    /// Its record, at home wherever the box may be reported at all.
    record: Record,
}

impl Wide {
    /// None in free slots.
    fn of(dealing: &Dealing<'_>, index: usize, key: u32) -> Option<Self> {
        let numbers = dealing.six(index);
        if numbers[0].is_nan() {
            return None;
        }
        let cells = |axis: usize| [axis, axis + 3].map(|lane| dealing.grid.cell(axis, numbers[lane]));
        let [first, last] = cells(dealing.along);
        let cells = dealing.across.map(cells);
        let [a, b] = cells.map(|[first, last]| last - first + 1);
        let tail = Record::tail(first, last) & (dealing.home(index) | !HOME);
        Some(Self { cells, copies: a * b, record: Record { aabb: bytemuck::cast(*numbers), key, tail } })
    }

    /// Every column, and the box's record there.
    fn for_each(&self, steps: Steps, mut visit: impl FnMut(usize, Record)) {
        let [[first_a, last_a], [first_b, last_b]] = self.cells;
        for a in first_a..=last_a {
            for b in first_b..=last_b {
                let home_a = if a == first_a { HOME_A } else { 0 };
                let home_b = if b == first_b { HOME_B } else { 0 };
                let tail = self.record.tail & (home_a | home_b | !HOME);
                visit((a * steps.a + b * steps.b) as usize, Record { tail, ..self.record });
            }
        }
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

    fn dealing(&self, plan: &'a Plan, fine: bool) -> Dealing<'a> {
        let (numbers, stride) = self.numbers();
        let all_wide = self.most_copies() == 0;
        let Plan { grid, across, along, .. } = plan;
        Dealing { numbers, stride, grid, across: *across, along: *along, steps: plan.steps(fine), all_wide }
    }

    /// Writes the keys down where there is no list of them.
    fn copy_keys(&self, out: &mut Vec<u32>) {
        out.clear();
        match *self {
            Self::Boxes { keys: Keys::Ids(_), .. } => {}
            Self::Boxes { aabbs, keys: Keys::Slots { first, boxes }, .. } => {
                let is_special = |slot: u32| *boxes.filter_at(slot) != Filter::default();
                let mark = |slot: u32| if is_special(slot) { slot | SPECIAL } else { slot };
                out.extend((first..first + aabbs.len() as u32).map(mark));
            }
            Self::Records { records, .. } => out.extend(records.iter().map(|record| record.key)),
        }
    }

    /// The keys, given the copy.
    fn keys<'k>(&self, copied: &'k [u32]) -> &'k [u32]
    where
        'a: 'k,
    {
        match *self {
            Self::Boxes { keys: Keys::Ids(ids), .. } => ids,
            _ => copied,
        }
    }

    /// A box in more columns than this is a guest there.
    fn most_copies(&self) -> u32 {
        if matches!(self, Self::Records { guests: true, .. }) { 0 } else { MOST_COPIES }
    }
}

impl Sorted {
    fn reset(&mut self, buckets: usize, per_column: usize) {
        self.ends.clear();
        self.ends.resize(buckets + 2, 0);
        self.per_column = per_column;
    }

    /// Once counted: how many records there are in all columns.
    fn total(&self) -> usize {
        self.ends.len().checked_sub(2).map_or(0, |buckets| self.ends[buckets] as usize)
    }

    fn make_room(&mut self) {
        let all = self.ends.last().map_or(0, |&all| all as usize);
        self.records.resize(all + PADDING, Record::NOTHING);
    }

    /// Writes a record and moves the beginning of its bucket on, so that in the end it is the bucket's end.
    #[inline(always)]
    fn put(&mut self, bucket: usize, record: Record) {
        let at = &mut self.ends[bucket];
        self.records[*at as usize] = record;
        *at += 1;
    }

    #[inline]
    fn range(&self, column: usize) -> std::ops::Range<usize> {
        let first = column * self.per_column;
        let begin = if first == 0 { 0 } else { self.ends[first - 1] as usize };
        begin..self.ends[first + self.per_column - 1] as usize
    }

    #[inline]
    fn of(&self, column: usize) -> &[Record] {
        &self.records[self.range(column)]
    }

    fn binned(&self, column: usize) -> Binned<'_> {
        let range = self.range(column);
        let ends = &self.ends[column * self.per_column..][..self.per_column];
        Binned::new(&self.records[range.start..], range.len(), ends, range.start as u32)
    }
}
