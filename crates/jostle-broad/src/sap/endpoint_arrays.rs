//! The endpoints of one axis as two arrays, values and tags, sorted by the vector kernel (seed 000, sections 4.2.2 to
//! 4.2.5). One task per axis owns one of these.
//!
//! In: this frame's boxes and which slots may have changed. Out: the arrays in order, the slots whose box changed on this
//! axis (known by their tags, not by their place in the order: two boxes that change places leave the sorted values as
//! they were), and how many pairs overlap on this axis.

use super::endpoint::{Endpoint, LAST_TAG, MIN_BIT, is_max_tag, slot_of_tag};
use super::patience::Patience;
use super::{MOVED, STRUCTURAL};
use crate::{Boxes, Lanes};

/// The arrays are filled up to a multiple of this, the width of the widest register.
const BLOCK: usize = 16;
/// Registers may take so many steps on average; sorting from scratch is cheaper than more.
const STEPS: usize = 12;

/// Which slots may have changed.
#[derive(Clone, Copy)]
pub(super) enum Suspects<'a> {
    /// The arrays are of no use: take all boxes anew.
    Unknown,
    /// Any box may have moved.
    AnyMoved,
    /// By slot, [`MOVED`], [`STRUCTURAL`] or 0; and the structural slots.
    Marked(&'a [u8], &'a [u32]),
}

/// One axis.
#[derive(Debug, Default)]
pub(super) struct EndpointArrays {
    values: Vec<f32>,
    tags: Vec<u32>,
    /// How many endpoints there are: the rest fills a register.
    len: usize,
    /// Slots of boxes that changed on this axis, not structurally; a slot may be listed twice.
    pub(super) changes: Vec<u32>,
    /// How many pairs of boxes overlap on this axis.
    pub(super) overlaps: u64,
    /// Was the order lost, so that all was sorted from scratch?
    pub(super) sorted_anew: bool,
    patience: Patience,
    scratch: Vec<Endpoint>,
}

impl EndpointArrays {
    /// Brings the arrays up to date.
    pub(super) fn update(&mut self, axis: usize, boxes: &Boxes, suspects: Suspects<'_>, lanes: Lanes) {
        self.changes.clear();
        self.values.truncate(self.len);
        self.tags.truncate(self.len);
        match suspects {
            Suspects::Unknown => {
                self.values.clear();
                self.tags.clear();
                boxes.live_slots().for_each(|slot| self.push(axis, boxes, slot));
            }
            Suspects::AnyMoved => self.refresh(axis, boxes, |_| true),
            Suspects::Marked(marks, structural) => {
                if !structural.is_empty() {
                    self.replace_structural(axis, boxes, marks, structural);
                }
                self.refresh(axis, boxes, |slot| marks[slot as usize] == MOVED);
            }
        }
        self.len = self.values.len();
        let filled = self.len.next_multiple_of(BLOCK);
        self.values.resize(filled, f32::INFINITY);
        self.tags.resize(filled, LAST_TAG);
        self.sorted_anew = matches!(suspects, Suspects::Unknown) || !self.sort_by_insertion(lanes);
        if self.sorted_anew {
            self.sort_anew();
        }
        self.count_overlaps();
    }

    /// Says whether the arrays are in order now.
    fn sort_by_insertion(&mut self, lanes: Lanes) -> bool {
        // Few changes are always worth an attempt.
        if self.changes.len() > self.len / 8 && !self.patience.may_try() {
            return false;
        }
        let sorted = lanes.insertion_sort(&mut self.values, &mut self.tags, STEPS);
        if sorted {
            self.patience.succeed();
        } else {
            self.patience.fail();
        }
        sorted
    }

    /// The endpoints, ascending: slots, and whether it is a maximum.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.tags[..self.len].iter().map(|&tag| (slot_of_tag(tag), is_max_tag(tag)))
    }

    fn push(&mut self, axis: usize, boxes: &Boxes, slot: u32) {
        let aabb = boxes.aabb(slot);
        self.values.extend([aabb.min[axis], aabb.max[axis]]);
        self.tags.extend([slot | MIN_BIT, slot]);
    }

    /// Takes out the endpoints of structural slots and appends those of the boxes that are there now.
    fn replace_structural(&mut self, axis: usize, boxes: &Boxes, marks: &[u8], structural: &[u32]) {
        let mut kept = 0;
        for i in 0..self.tags.len() {
            (self.tags[kept], self.values[kept]) = (self.tags[i], self.values[i]);
            kept += usize::from(marks[slot_of_tag(self.tags[i]) as usize] != STRUCTURAL);
        }
        self.tags.truncate(kept);
        self.values.truncate(kept);
        let live = structural.iter().filter(|&&slot| boxes.is_live(slot));
        live.for_each(|&slot| self.push(axis, boxes, slot));
    }

    fn refresh(&mut self, axis: usize, boxes: &Boxes, is_suspect: impl Fn(u32) -> bool) {
        for (value, &tag) in self.values.iter_mut().zip(&self.tags) {
            let slot = slot_of_tag(tag);
            if is_suspect(slot) {
                let aabb = boxes.aabb(slot);
                let new = if is_max_tag(tag) { aabb.max[axis] } else { aabb.min[axis] };
                if new != *value {
                    *value = new;
                    self.changes.push(slot);
                }
            }
        }
    }

    fn sort_anew(&mut self) {
        self.scratch.clear();
        let both = self.values.iter().zip(&self.tags);
        self.scratch.extend(both.map(|(&value, &tag)| Endpoint::new(value, tag)));
        self.scratch.sort_unstable();
        for (i, endpoint) in self.scratch.iter().enumerate() {
            (self.values[i], self.tags[i]) = (endpoint.value(), endpoint.tag());
        }
    }

    /// Every box overlaps, on this axis, those that have begun and not ended when it begins.
    fn count_overlaps(&mut self) {
        let (mut begun, mut overlaps) = (0u64, 0);
        for &tag in &self.tags[..self.len] {
            if is_max_tag(tag) {
                begun -= 1;
            } else {
                overlaps += begun;
                begun += 1;
            }
        }
        self.overlaps = overlaps;
    }

    pub(super) fn bytes(&self) -> usize {
        (self.values.capacity() + self.tags.capacity() + self.changes.capacity()) * size_of::<u32>()
            + self.scratch.capacity() * size_of::<Endpoint>()
    }
}
