//! Which box has which place.

use super::order::NO_SLOT;
use crate::Boxes;
use crate::simd::BLOCK;

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// Slots and ids by place, and places by slot. The number of places is a multiple of a block; empty ones have no slot.
#[derive(Debug, Default)]
pub(super) struct Roster {
    pub(super) slots: Vec<u32>,
    /// The id its pairs were reported by.
    pub(super) ids: Vec<u32>,
    place_of: Vec<u32>,
    free: Vec<u32>,
}

impl Roster {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Are there so many more places than boxes that they take too much memory?
    pub(super) fn is_sparse(&self, boxes: &Boxes) -> bool {
        self.len() > 2 * boxes.len() + 1024
    }

    /// The place of a slot, if it has one.
    #[inline]
    pub(super) fn place_of(&self, slot: u32) -> Option<u32> {
        self.place_of.get(slot as usize).copied().filter(|&place| place != NONE)
    }

    /// Gives every slot its place in this order.
    pub(super) fn fill(&mut self, boxes: &Boxes, order: Vec<u32>) {
        self.slots = order;
        self.ids.clear();
        self.place_of.clear();
        self.place_of.resize(boxes.slots(), NONE);
        self.free.clear();
        for (place, &slot) in (0..).zip(&self.slots) {
            if slot == NO_SLOT {
                self.free.push(place);
                self.ids.push(NONE);
            } else {
                self.place_of[slot as usize] = place;
                self.ids.push(boxes.id(slot));
            }
        }
    }

    /// A place for a slot that has none. The number of places may grow by a block.
    pub(super) fn enter(&mut self, slot: u32, id: u32) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            let first = self.len();
            self.slots.resize(first + BLOCK, NO_SLOT);
            self.ids.resize(first + BLOCK, NONE);
            self.free.extend((first as u32 + 1..(first + BLOCK) as u32).rev());
            first as u32
        });
        if self.place_of.len() <= slot as usize {
            self.place_of.resize(slot as usize + 1, NONE);
        }
        self.place_of[slot as usize] = place;
        self.slots[place as usize] = slot;
        self.ids[place as usize] = id;
        place
    }

    /// The slot of a place no longer leads to it, and may get another. The id stays until the place is emptied.
    pub(super) fn forget(&mut self, place: u32) {
        let slot = std::mem::replace(&mut self.slots[place as usize], NO_SLOT);
        self.place_of[slot as usize] = NONE;
    }

    /// Empties a place that was forgotten.
    pub(super) fn leave(&mut self, place: u32) {
        self.ids[place as usize] = NONE;
        self.free.push(place);
    }

    pub(super) fn bytes(&self) -> usize {
        [&self.slots, &self.ids, &self.place_of, &self.free]
            .iter()
            .map(|list| list.capacity() * size_of::<u32>())
            .sum()
    }
}
