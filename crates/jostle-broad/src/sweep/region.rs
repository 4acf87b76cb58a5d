//! One region: its records sorted into bins along the sweep axis, then swept; or dealt into columns, if crowded.

use super::columns::Columns;
use super::plan::Plan;
use super::{Record, SweepTuning};
use crate::arrays::BoxArrays;
use crate::{Aabb, Boxes, FindSettings, PairRun};

/// What one task looks for, and what it has found.
pub(super) struct Search<'a> {
    pub(super) boxes: &'a Boxes,
    pub(super) settings: &'a FindSettings,
    pub(super) tuning: SweepTuning,
    pub(super) run: PairRun,
    pub(super) tests: u64,
}

/// Scratch for one region at a time, and for the regions inside it.
#[derive(Debug, Default)]
pub(super) struct Region {
    arrays: BoxArrays,
    slots: Vec<u32>,
    homes: Vec<u32>,
    /// Per record, the end of its window: no box from there on begins before this one ends.
    ends: Vec<u32>,
    /// Per bin, where it begins.
    starts: Vec<u32>,
    hits: Vec<[u32; 2]>,
    guest_hits: Vec<u32>,
    /// For the whole store, when it is small enough to be one region.
    spare: Vec<Record>,
    inner: Option<Box<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    columns: Columns,
    region: Region,
}

/// Grids inside grids: each takes two of the 31 home bits.
const DEEPEST: u32 = 12;
/// Records per bin, about: enough bins to keep windows tight, few enough to stay in the nearest cache.
const PER_BIN: usize = 2;
const MOST_BINS: usize = 4096;

impl Region {
    /// The boxes of a store as records, in memory to be given back.
    pub(super) fn records_of(&mut self, boxes: &Boxes) -> Vec<Record> {
        let mut records = std::mem::take(&mut self.spare);
        records.clear();
        records.extend(boxes.live_slots().map(|slot| Record { aabb: *boxes.aabb(slot), slot, homes: 0 }));
        records
    }

    pub(super) fn give_back(&mut self, records: Vec<Record>) {
        self.spare = records;
    }

    /// Was there ever a crowd?
    pub(super) fn has_nested(&self) -> bool {
        self.inner.is_some()
    }

    /// Finds all pairs of two entries, and of an entry and a guest, that have all `want`ed home bits between them.
    pub(super) fn solve(
        &mut self,
        entries: &[&[Record]],
        guests: &[&[Record]],
        want: u32,
        depth: u32,
        search: &mut Search<'_>,
    ) {
        let count: usize = entries.iter().map(|segment| segment.len()).sum();
        if count == 0 || (count == 1 && guests.is_empty()) {
            return;
        }
        let layout = Layout::of(entries, count);
        let tests = self.bin(entries, count, &layout);
        // Counted, not estimated: where boxes cluster, averages say nothing.
        if count > search.tuning.crowd
            && tests > u64::from(search.tuning.crowded_window) * count as u64
            && depth < DEEPEST
            && let Some(plan) = Plan::of_records(entries, count)
        {
            return self.solve_crowd(&plan, entries, guests, want, depth, search);
        }
        self.hits.clear();
        let lanes = search.settings.lanes;
        search.tests += tests;
        lanes.sweep(&self.arrays, &self.ends, &self.homes, want, &mut self.hits);
        for &[a, b] in &self.hits {
            search.boxes.report(self.slots[a as usize], self.slots[b as usize], &mut search.run);
        }
        for guest in guests.iter().flat_map(|segment| segment.iter()) {
            self.meet(guest, &layout, want, search);
        }
    }

    /// Deals the region into columns and solves those.
    fn solve_crowd(
        &mut self,
        plan: &Plan,
        entries: &[&[Record]],
        guests: &[&[Record]],
        want: u32,
        depth: u32,
        search: &mut Search<'_>,
    ) {
        let bits = 0b11 << (2 * depth);
        let mut inner = self.inner.take().unwrap_or_default();
        inner.columns.deal_records(entries, guests, plan, bits);
        for column in 0..inner.columns.count() {
            let (entries, guests) = (inner.columns.entries(column), inner.columns.guests(column));
            inner.region.solve(&entries, &guests, want | bits, depth + 1, search);
        }
        // What became a guest in there still has to meet its like, and those that were guests already.
        let bigs: Vec<&[Record]> = inner.columns.bigs().collect();
        inner.region.solve(&bigs, guests, want, depth + 1, search);
        self.inner = Some(inner);
    }

    /// Sorts the records into bins by where they begin on the sweep axis. Returns how many tests a sweep would take.
    fn bin(&mut self, entries: &[&[Record]], count: usize, layout: &Layout) -> u64 {
        self.starts.clear();
        self.starts.resize(layout.bins as usize + 1, 0);
        for record in entries.iter().flat_map(|segment| segment.iter()) {
            self.starts[layout.bin(record.aabb.min[layout.axis]) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.arrays.resize(count);
        self.slots.resize(count, 0);
        self.homes.resize(count, 0);
        self.ends.resize(count, 0);
        for record in entries.iter().flat_map(|segment| segment.iter()) {
            let at = &mut self.starts[layout.bin(record.aabb.min[layout.axis]) as usize];
            let position = *at as usize;
            *at += 1;
            self.arrays.set(position, &record.aabb);
            self.slots[position] = record.slot;
            self.homes[position] = record.homes;
            self.ends[position] = layout.bin(record.aabb.max[layout.axis]);
        }
        // While writing, each start moved to the end of its bin: exactly what windows end at.
        let mut tests = 0;
        for (position, end) in self.ends[..count].iter_mut().enumerate() {
            *end = self.starts[*end as usize];
            tests += u64::from(*end) - position as u64 - 1;
        }
        tests
    }

    /// Tests a guest against the entries whose bins can reach it.
    fn meet(&mut self, guest: &Record, layout: &Layout, want: u32, search: &mut Search<'_>) {
        let (from, to) = self.reach(&guest.aabb, layout);
        search.tests += (to - from) as u64;
        self.guest_hits.clear();
        search.settings.lanes.scan(&self.arrays, from, to, &guest.aabb, &mut self.guest_hits);
        for &hit in &self.guest_hits {
            if (self.homes[hit as usize] | guest.homes) & want == want {
                search.boxes.report(guest.slot, self.slots[hit as usize], &mut search.run);
            }
        }
    }

    /// The positions of all entries that may overlap a box on the sweep axis.
    fn reach(&self, aabb: &Aabb, layout: &Layout) -> (usize, usize) {
        let to = self.starts[layout.bin(aabb.max[layout.axis]) as usize] as usize;
        // An entry that overlaps begins at most the widest entry's width before. Rounding is covered by going back
        // one bin more, and by the width being rounded up.
        let earliest = aabb.min[layout.axis] - layout.widest;
        let first = layout.bin(earliest.next_down()).saturating_sub(1);
        let from = if first == 0 { 0 } else { self.starts[first as usize - 1] as usize };
        (from.min(to), to)
    }

    pub(super) fn bytes(&self) -> usize {
        let numbers = self.slots.capacity()
            + self.homes.capacity()
            + self.ends.capacity()
            + self.starts.capacity()
            + 2 * self.hits.capacity()
            + self.guest_hits.capacity();
        let inner = self.inner.as_ref().map_or(0, |inner| inner.columns.bytes() + inner.region.bytes());
        self.arrays.bytes() + 4 * numbers + self.spare.capacity() * size_of::<Record>() + inner
    }
}

/// Bins along the sweep axis.
struct Layout {
    axis: usize,
    origin: f32,
    scale: f32,
    bins: u32,
    /// The width of the widest entry, rounded up.
    widest: f32,
}

impl Layout {
    /// Takes the axis along which the records are spread over the most boxes' lengths.
    fn of(entries: &[&[Record]], count: usize) -> Self {
        let mut low = glam::Vec3::INFINITY;
        let mut high = glam::Vec3::NEG_INFINITY;
        let mut sum = glam::Vec3::ZERO;
        let mut widest = glam::Vec3::ZERO;
        for record in entries.iter().flat_map(|segment| segment.iter()) {
            // Infinite boxes begin outside, in the first bin, and do not stretch the bins for all others.
            let (min, max) = (record.aabb.min, record.aabb.max);
            let extents = max - min;
            widest = widest.max(extents);
            if min.is_finite() {
                low = low.min(min);
                high = high.max(min);
                sum += extents.min(glam::Vec3::splat(1e18));
            }
        }
        let width = (sum / count as f32).max(glam::Vec3::splat(f32::MIN_POSITIVE));
        let spread = (high - low).max(glam::Vec3::ZERO);
        let in_boxes = spread / width;
        let axis = (0..3).max_by(|&a, &b| in_boxes[a].total_cmp(&in_boxes[b])).unwrap_or(0);
        let bins = (count / PER_BIN).clamp(1, MOST_BINS) as u32;
        let scale = bins as f32 / spread[axis];
        let usable = bins > 1 && scale.is_finite() && low[axis].is_finite();
        let bins = if usable { bins } else { 1 };
        Self {
            axis,
            origin: if usable { low[axis] } else { 0.0 },
            scale: if usable { scale } else { 0.0 },
            bins,
            widest: widest[axis].next_up(),
        }
    }

    /// The bin of a coordinate. Never decreases: see the head of the parent module.
    #[inline(always)]
    fn bin(&self, coordinate: f32) -> u32 {
        (((coordinate - self.origin) * self.scale) as u32).min(self.bins - 1)
    }
}
