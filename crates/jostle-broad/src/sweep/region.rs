//! One region: its records sorted into bins along the sweep axis, then swept; or dealt into columns, if crowded.

use super::SweepTuning;
use super::columns::{Columns, SPECIAL, Segments};
use super::plan::Plan;
use crate::simd::{BinnedRecords, Hits};
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
    /// Takes in pairs of keys, the lower one first, whose boxes overlap. Keys are ids where all pairs are admitted, else slots, with a
    /// mark on those that have a filter.
    #[inline]
    fn take(&mut self, overlapping: &[[u32; 2]]) {
        let boxes = self.boxes;
        if boxes.admits_all() {
            self.run.extend(bytemuck::cast_slice(overlapping));
            return;
        }
        let excludes = boxes.has_exclusions();
        for &[a, b] in overlapping {
            let (slot_a, slot_b) = (a & !SPECIAL, b & !SPECIAL);
            // Most boxes are plain, and the filters of plain ones need not be looked at.
            if !excludes && (a | b) & SPECIAL == 0 || boxes.may_pair(slot_a, slot_b) {
                self.run.push(boxes.id(slot_a), boxes.id(slot_b));
            }
        }
    }
}

/// Scratch for one region at a time, and for the regions inside it.
#[derive(Debug, Default)]
pub(super) struct Region {
    records: BinnedRecords,
    /// Per some records, where their window ends.
    windows: Vec<u32>,
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

    /// Finds all pairs of two entries, and of an entry and a guest, that are the region's to report. The bins of the
    /// records are those of the plan.
    pub(super) fn solve(
        &mut self,
        entries: Segments<'_>,
        guests: Segments<'_>,
        plan: &Plan,
        search: &mut Search<'_>,
    ) {
        self.solve_at_depth(0, entries, guests, plan, search);
    }

    fn solve_at_depth(
        &mut self,
        depth: u32,
        entries: Segments<'_>,
        guests: Segments<'_>,
        plan: &Plan,
        search: &mut Search<'_>,
    ) {
        let count = entries.len();
        if count == 0 {
            return;
        }
        let lanes = search.settings.lanes;
        let binned = match entries.binned() {
            Some(binned) => binned,
            None => self.records.fill(entries.iter(), plan.bins(), lanes),
        };
        let tests = lanes.windows(&binned, &mut self.windows);
        // Counted, not estimated: where boxes cluster, averages say nothing.
        if count > search.tuning.crowd
            && tests > u64::from(search.tuning.crowded_window) * count as u64
            && depth < DEEPEST
            && let Some(inner) = Plan::of_records(entries.iter().flatten(), count, plan.along)
        {
            return self.solve_crowd(depth, inner, entries, guests, search);
        }
        search.tests += tests;
        let mut from = 0;
        while from < count {
            from = lanes.sweep(&binned, &self.windows, from, &mut self.hits);
            search.take(self.hits.keys());
        }
        if guests.len() > 0 {
            let longest = binned.longest();
            for guest in guests.iter().flatten() {
                // Against the entries whose bins can reach its own.
                let (from, to) = binned.reach(guest, longest);
                search.tests += (to - from) as u64;
                self.guest_hits.clear();
                lanes.scan_records(&binned, from, to, &guest.aabb, &mut self.guest_hits);
                for entry in self.guest_hits.iter().map(|&hit| binned.get(hit)) {
                    if guest.meets_here(entry) {
                        let [a, b] = [guest.key, entry.key];
                        search.take(&[[a.min(b), a.max(b)]]);
                    }
                }
            }
        }
    }

    /// Deals the region into columns and solves those.
    fn solve_crowd(
        &mut self,
        depth: u32,
        plan: Plan,
        entries: Segments<'_>,
        guests: Segments<'_>,
        search: &mut Search<'_>,
    ) {
        self.nested = true;
        let mut inner = self.inner.take().unwrap_or_default();
        let Inner { columns, region } = &mut *inner;
        columns.deal_records(entries, guests, plan, search.settings);
        let plan = *columns.plan();
        for column in 0..columns.count() {
            region.solve_at_depth(depth + 1, columns.entries(column), columns.guests(column), &plan, search);
        }
        // What became a guest in there still has to meet its like, and those that were guests already. Its records
        // carry bins of the new plan, those of the old guests do not: both are dealt anew, into a single column.
        if columns.bigs().len() > 0 {
            let mut rest = Inner::default();
            rest.columns.deal_records(columns.bigs(), guests, plan.single_column(), search.settings);
            let (entries, guests) = (rest.columns.entries(0), rest.columns.guests(0));
            rest.region.solve_at_depth(depth + 1, entries, guests, rest.columns.plan(), search);
        }
        self.inner = Some(inner);
    }

    pub(super) fn bytes(&self) -> usize {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.columns.bytes() + inner.region.bytes());
        let lists = self.guest_hits.capacity() + self.windows.capacity();
        self.records.bytes() + self.hits.bytes() + lists * 4 + inner
    }
}
