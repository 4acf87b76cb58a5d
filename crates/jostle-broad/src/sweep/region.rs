//! One region: its records sorted into bins along the sweep axis, then swept; or dealt into columns, if crowded.

use super::SweepTuning;
use super::columns::{Columns, SPECIAL, Segments};
use super::plan::Plan;
use crate::simd::{BinnedRecords, Hits, Record};
use crate::{Boxes, FindSettings, PairRun};

/// What one task looks for, and what it has found.
pub(super) struct Search<'a> {
    pub(super) boxes: &'a Boxes,
    pub(super) settings: &'a FindSettings,
    pub(super) tuning: SweepTuning,
    pub(super) run: PairRun,
    pub(super) tests: u64,
}

impl Search<'_> {
    /// Takes in pairs of keys whose boxes overlap. Keys are ids where all pairs are admitted, else slots, with a
    /// mark on those that have a filter.
    #[inline]
    fn take(&mut self, overlapping: impl ExactSizeIterator<Item = (u32, u32)>) {
        let boxes = self.boxes;
        if boxes.admits_all() {
            self.run.extend_by(overlapping);
            return;
        }
        let excludes = boxes.has_exclusions();
        for (a, b) in overlapping {
            let (slot_a, slot_b) = (a & !SPECIAL, b & !SPECIAL);
            // Most boxes are plain, and the filters of plain ones need not be looked at.
            if !excludes && (a | b) & SPECIAL == 0 || boxes.may_pair(slot_a, slot_b) {
                self.run.push(boxes.id(slot_a), boxes.id(slot_b));
            }
        }
    }
}

/// The part of the world a region reports for: where the larger of two minimum corners is not below `floor` on the two
/// axes of the grid. (It cannot lie beyond the region: no box in it begins there.)
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) plan: &'a Plan,
    pub(super) floor: [f32; 2],
}

impl<'a> Place<'a> {
    pub(super) fn everywhere(plan: &'a Plan) -> Self {
        Self { plan, floor: [f32::NEG_INFINITY; 2] }
    }

    /// The part that lies in both. Grids in grids have the same axes.
    fn within(self, outer: Place<'_>) -> Self {
        let floor = [self.floor[0].max(outer.floor[0]), self.floor[1].max(outer.floor[1])];
        Self { floor, ..self }
    }
}

/// Scratch for one region at a time, and for the regions inside it.
#[derive(Debug, Default)]
pub(super) struct Region {
    records: BinnedRecords,
    hits: Hits,
    guest_hits: Vec<u32>,
    inner: Option<Box<Inner>>,
    /// Has there been a crowd in this update?
    nested: bool,
}

#[derive(Debug, Default)]
struct Inner {
    columns: Columns,
    region: Region,
}

/// Grids inside grids: more would not help.
const DEEPEST: u32 = 12;

impl Region {
    /// Forgets what was in it, and gives back memory that an unusual frame needed.
    pub(super) fn reset(&mut self) {
        if !std::mem::take(&mut self.nested) {
            self.inner = None;
        }
    }

    /// Gives back the memory of an update with very many pairs.
    pub(super) fn give_back(&mut self) {
        self.hits = Hits::default();
        self.guest_hits = Vec::new();
    }

    /// Has there been a crowd since the reset?
    pub(super) fn has_nested(&self) -> bool {
        self.nested
    }

    /// Finds all pairs of two entries, and of an entry and a guest, that are this place's to report.
    pub(super) fn solve(
        &mut self,
        entries: Segments<'_>,
        guests: Segments<'_>,
        place: Place<'_>,
        search: &mut Search<'_>,
    ) {
        self.solve_at_depth(0, entries, guests, place, search);
    }

    fn solve_at_depth(
        &mut self,
        depth: u32,
        entries: Segments<'_>,
        guests: Segments<'_>,
        place: Place<'_>,
        search: &mut Search<'_>,
    ) {
        let count = entries.len();
        if count == 0 {
            return;
        }
        self.records.fill(entries.iter(), place.plan.bins());
        let tests = self.records.sweep_tests();
        // Counted, not estimated: where boxes cluster, averages say nothing.
        if count > search.tuning.crowd
            && tests > u64::from(search.tuning.crowded_window) * count as u64
            && depth < DEEPEST
            && let Some(plan) = Plan::of_records(entries.iter().flatten(), count, place.plan.along)
        {
            return self.solve_crowd(depth, plan, entries, guests, place, search);
        }
        search.tests += tests;
        let lanes = search.settings.lanes;
        let mut from = 0;
        while from < count {
            from = lanes.sweep(&self.records, from, place.plan.across, place.floor, &mut self.hits);
            let records = &self.records;
            search.take(self.hits.iter().map(|(a, b)| (records.get(a).key, records.get(b).key)));
        }
        for guest in guests.iter().flatten() {
            self.meet(guest, place, search);
        }
    }

    /// Deals the region into columns and solves those.
    fn solve_crowd(
        &mut self,
        depth: u32,
        plan: Plan,
        entries: Segments<'_>,
        guests: Segments<'_>,
        place: Place<'_>,
        search: &mut Search<'_>,
    ) {
        self.nested = true;
        let mut inner = self.inner.take().unwrap_or_default();
        let Inner { columns, region } = &mut *inner;
        columns.deal_records(entries, guests, plan, search.settings);
        for column in 0..columns.count() {
            let inside = columns.place(column).within(place);
            region.solve_at_depth(depth + 1, columns.entries(column), columns.guests(column), inside, search);
        }
        // What became a guest in there still has to meet its like, and those that were guests already. Its records
        // carry bins of the new plan, those of the old guests do not: both are dealt anew, into a single column.
        if columns.bigs().len() > 0 {
            let mut rest = Inner::default();
            rest.columns.deal_records(columns.bigs(), guests, plan.single_column(), search.settings);
            let everyone = Place { plan: rest.columns.plan(), floor: place.floor };
            let (entries, guests) = (rest.columns.entries(0), rest.columns.guests(0));
            rest.region.solve_at_depth(depth + 1, entries, guests, everyone, search);
        }
        self.inner = Some(inner);
    }

    /// Tests a guest against the entries whose bins can reach its own.
    fn meet(&mut self, guest: &Record, place: Place<'_>, search: &mut Search<'_>) {
        let (from, to) = self.records.reach(guest.bins);
        search.tests += (to - from) as u64;
        self.guest_hits.clear();
        search.settings.lanes.scan_records(&self.records, from, to, &guest.aabb, &mut self.guest_hits);
        let [a, b] = place.plan.across;
        for &hit in &self.guest_hits {
            let entry = self.records.get(hit);
            let corner = guest.aabb.min.max(entry.aabb.min);
            if corner[a] >= place.floor[0] && corner[b] >= place.floor[1] {
                search.take([(guest.key, entry.key)].into_iter());
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.columns.bytes() + inner.region.bytes());
        self.records.bytes() + self.hits.bytes() + self.guest_hits.capacity() * 4 + inner
    }
}
