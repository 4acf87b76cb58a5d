//! Persistent sweep and prune (seed 000, section 4.1; Baraff 1992; Cohen et al. 1995): three lists of endpoints, kept
//! sorted by insertion sort, whose swaps are the only places where pairs come or go.
//!
//! The seed's pair manager is a hash table that every swap asks. Here the boxes of the frame before answer the same
//! question, whether the two were a pair, so that there is no table, and the three axes run as three tasks.
//!
//! Swaps are counted against a budget. A scene whose boxes crowd on one axis (a pile on the ground) or fly about costs
//! more swaps than a sweep over all boxes along the best axis; then the sweep is made instead, the lists are given up,
//! and some frames are swept at once before the lists get another chance.

use std::sync::atomic::AtomicBool;

use super::axis_list::{AxisList, Frame};
use super::patience::Patience;
use super::sweep::{Sweep, sweep_axis};
use super::{MOVED, STRUCTURAL, apply_changes};
use crate::arrays::BoxArrays;
use crate::finder::StageClock;
use crate::{
    Aabb, Boxes, Changes, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, PairRun,
    Revision,
};

/// Sweep and prune with sorted lists that persist: cost by how many boxes move, and past how many others they move.
///
/// At its best where few boxes move, or all move little. Costs about 150 bytes a box, pairs not counted.
#[derive(Debug, Default)]
pub struct Sap {
    lists: [AxisList; 3],
    /// Are the lists those of `before`?
    listed: bool,
    /// By slot: the boxes of the latest update.
    before: Vec<Aabb>,
    /// What `before` and the pairs are of. `None` where the pairs are not those of `before`.
    seen: Option<Revision>,
    marks: Vec<u8>,
    moved: Vec<u32>,
    structural: Vec<u32>,
    added: Vec<Pair>,
    removed: Vec<Pair>,
    sweep: Sweep,
    arrays: BoxArrays,
    /// How many tests the latest sweep over all boxes made: what a sweep will cost.
    sweep_tests: u64,
    patience: Patience,
    pairs: PairBuffer,
}

impl Sap {
    /// Fills `moved` and `structural`, and marks them. Gives a reason where all must be found anew.
    fn read_changes(&mut self, boxes: &Boxes) -> Result<(), &'static str> {
        self.marks.resize(boxes.slots(), 0);
        self.moved.clear();
        self.structural.clear();
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => {
                self.before.resize(boxes.slots(), Aabb::NOWHERE);
                for change in changes.iter().filter(|change| change.is_structural()) {
                    if self.marks[change.slot() as usize] == 0 {
                        self.marks[change.slot() as usize] = STRUCTURAL;
                        self.structural.push(change.slot());
                    }
                }
                for change in changes {
                    self.note_if_moved(change.slot(), boxes);
                }
            }
            Changes::Everything if boxes.only_moves_since(self.seen) => {
                for slot in 0..boxes.slots() as u32 {
                    self.note_if_moved(slot, boxes);
                }
            }
            Changes::Everything => return Err("no frame before"),
        }
        let scans = self.structural.len() as u64 * boxes.slots() as u64;
        if scans > self.sweep_cost(boxes) {
            return Err("many boxes came or left");
        }
        Ok(())
    }

    #[inline]
    fn note_if_moved(&mut self, slot: u32, boxes: &Boxes) {
        let at = slot as usize;
        // Free slots hold NaN, which differs from itself, but were marked when they were emptied or are as they were.
        if self.marks[at] == 0 && self.before[at] != *boxes.aabb(slot) && boxes.is_live(slot) {
            self.marks[at] = MOVED;
            self.moved.push(slot);
        }
    }

    fn clear_marks(&mut self) {
        for &slot in self.moved.iter().chain(&self.structural) {
            self.marks[slot as usize] = 0;
        }
    }

    /// What finding everything anew will cost, in tests made many at a time. Sorting is taken as 8 log n tests a box.
    fn sweep_cost(&self, boxes: &Boxes) -> u64 {
        let n = boxes.slots() as u64;
        self.sweep_tests + 8 * n * u64::from(u64::BITS - n.leading_zeros())
    }

    /// Repairs the lists and collects what was added and removed. Says whether the budget sufficed.
    fn repair(&mut self, boxes: &Boxes, settings: &FindSettings) -> bool {
        // Measured: a swap with its test costs as much as six tests made many at a time. There are three axes.
        let budget = self.sweep_cost(boxes) / 18;
        let gave_up = AtomicBool::new(false);
        let Self { lists, before, marks, moved, structural, .. } = self;
        let frame = Frame { boxes, before, marks, moved, structural, budget, gave_up: &gave_up };
        settings.executor.for_each(lists, |axis, list| list.update(axis, &frame));
        if gave_up.into_inner() {
            return false;
        }
        self.added.clear();
        self.removed.clear();
        for list in &self.lists {
            self.added.extend_from_slice(&list.added);
            self.removed.extend_from_slice(&list.removed);
        }
        if !self.structural.is_empty() {
            self.drop_structural(boxes);
            self.find_structural(boxes, settings);
        }
        true
    }

    /// Takes out the pairs of slots that were structural, as far as there were any.
    fn drop_structural(&mut self, boxes: &Boxes) {
        let marks = &self.marks;
        let is_kept = |id: u32| boxes.slot_of(id).is_some_and(|slot| marks[slot as usize] != STRUCTURAL);
        let gone = self.pairs.as_slice().iter().filter(|pair| !is_kept(pair.low) || !is_kept(pair.high));
        self.removed.extend(gone);
    }

    /// Finds the pairs of the boxes in structural slots, each by a pass over all boxes.
    fn find_structural(&mut self, boxes: &Boxes, settings: &FindSettings) {
        self.arrays.clear();
        self.arrays.extend(boxes.aabbs().iter().copied());
        let mut hits = Vec::new();
        for &slot in self.structural.iter().filter(|&&slot| boxes.is_live(slot)) {
            hits.clear();
            settings.lanes.scan(&self.arrays, 0, boxes.slots(), boxes.aabb(slot), &mut hits);
            let partners = hits.iter().filter(|&&hit| hit != slot && boxes.may_pair(slot, hit));
            self.added.extend(partners.map(|&hit| Pair::new(boxes.id(slot), boxes.id(hit))));
        }
    }

    /// Finds all pairs by a sweep. The lists are given up.
    fn sweep_all(&mut self, boxes: &Boxes, settings: &FindSettings) {
        self.listed = false;
        let axis = sweep_axis(boxes);
        let list = &mut self.lists[axis];
        list.fill(axis, boxes.aabbs());
        self.sweep.arrange(boxes, list.iter());
        self.sweep.find_all(boxes, settings);
        self.sweep_tests = self.sweep.tests();
    }

    fn list_if_needed(&mut self, settings: &FindSettings) {
        if !self.listed {
            let before = &self.before;
            settings.executor.for_each(&mut self.lists, |axis, list| list.fill(axis, before));
            self.listed = true;
        }
    }
}

impl PairFinder for Sap {
    fn name(&self) -> &str {
        "sap"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        let mut anew = self.read_changes(boxes).err();
        let changed = self.moved.len() + self.structural.len();
        // Few movers are repaired however the last frame went.
        if anew.is_none() && changed > boxes.len() / 8 && !self.patience.may_try() {
            anew = Some("boxes move far");
        }
        clock.end("compare");

        let mut tests = 0;
        if anew.is_none() && changed > 0 {
            self.list_if_needed(settings);
            clock.end("sort");
            let repaired = self.repair(boxes, settings);
            clock.end("repair");
            if repaired {
                self.patience.succeed();
                tests += self.lists.iter().map(|list| list.tests).sum::<u64>();
                tests += self.structural.len() as u64 * boxes.slots() as u64;
            } else {
                self.patience.fail();
                anew = Some("too many swaps");
            }
        }
        let detail = match anew {
            Some(reason) => format!("swept anew: {reason}"),
            None if changed == 0 => "nothing changed".to_string(),
            None => {
                let [x, y, z] = self.lists.each_ref().map(|list| list.swaps);
                format!("swaps on x {x}, y {y}, z {z}")
            }
        };

        let result = if anew.is_some() {
            self.sweep_all(boxes, settings);
            tests += self.sweep_tests;
            clock.end("sweep");
            self.sweep.replace(&mut self.pairs, PairRun::default(), settings)
        } else if changed == 0 {
            self.pairs.apply(&[], &[], settings)
        } else {
            apply_changes(&mut self.pairs, &mut self.added, &mut self.removed, settings)
        };
        let moved = if anew.is_some() && changed == 0 { boxes.len() } else { changed };
        self.clear_marks();
        if anew.is_some() {
            self.before.clear();
            self.before.extend_from_slice(boxes.aabbs());
        } else {
            for &slot in self.moved.iter().chain(&self.structural) {
                self.before[slot as usize] = *boxes.aabb(slot);
            }
        }
        // Where the pairs were refused they are not those of `before`, and must be found anew.
        self.seen = result.is_ok().then(|| boxes.revision());
        result?;
        clock.end("order");

        Ok(FindReport {
            boxes: boxes.len(),
            moved,
            tests,
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            detail: Some(detail),
            ..FindReport::default()
        })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.lists.iter().map(AxisList::bytes).sum::<usize>()
            + self.before.capacity() * size_of::<Aabb>()
            + self.marks.capacity()
            + (self.moved.capacity() + self.structural.capacity()) * size_of::<u32>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.sweep.bytes()
            + self.arrays.bytes()
            + self.pairs.bytes()
    }
}
