//! One task of looking after boxes at home: who of its boxes has left, and which pairs of them are others than they were.

use std::ops::Range;

use super::unsure_pairs::UnsurePairs;
use crate::simd::is_away;
use crate::{Aabb, Lanes};

/// What one task knows, and what it finds. In lines of memory of its own (two, as processors fetch them): neighbours are written to by
/// different threads more often than the two halves of one.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct HomeTask {
    /// Boxes that have left their homes, ascending.
    strays: Vec<u32>,
    /// Those whose higher slot is one of the task's: the other box has been looked at by then.
    pub(crate) unsure: UnsurePairs,
}

/// What can be done apart. Where it is, the two are done by one thread as a rule, one after the other.
pub(super) enum Half<'a> {
    /// Who has left.
    Strays(&'a mut Vec<u32>),
    /// Which pairs have flipped.
    Unsure(&'a mut UnsurePairs),
}

/// To test an unsure pair takes as long as to look whether so many boxes have left (Zen 5: 2.4 and 0.8 ns at 100 k, 3.4 and 1.5 at 1 M).
const BOXES_OF_A_PAIR: usize = 3;

impl Half<'_> {
    /// How long it takes, in boxes. A task has so many slots.
    pub(super) fn weight(&self, slots: usize) -> usize {
        match self {
            Half::Strays(_) => slots,
            Half::Unsure(unsure) => weight_of(unsure),
        }
    }
}

fn weight_of(unsure: &UnsurePairs) -> usize {
    BOXES_OF_A_PAIR * unsure.as_slice().len()
}

impl HomeTask {
    /// How long all of it takes, in boxes. It has so many slots.
    pub(crate) fn weight(&self, slots: usize) -> usize {
        slots + weight_of(&self.unsure)
    }

    /// Both halves of it.
    pub(super) fn halves(&mut self) -> [Half<'_>; 2] {
        [Half::Strays(&mut self.strays), Half::Unsure(&mut self.unsure)]
    }

    /// Looks who has left, where boxes are known to be some; none of them if no slots are given.
    pub(crate) fn list_strays(
        &mut self,
        aabbs: &[Aabb],
        homes: &[Aabb],
        slots: Option<Range<usize>>,
        reach: f32,
        lanes: Lanes,
    ) {
        self.strays.clear();
        if let Some(slots) = slots {
            lanes.list_strays(aabbs, homes, slots, reach, &mut self.strays);
        }
    }

    /// Nobody has looked.
    pub(super) fn take_back(&mut self) {
        self.strays.clear();
        self.unsure.take_back();
    }

    pub(crate) fn strays(&self) -> &[u32] {
        &self.strays
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.strays.capacity() * size_of::<u32>() + self.unsure.bytes()
    }
}

/// Looks who of these slots, all of whose homes are thick, has left. Says whether all are boxes without -0.0.
pub(super) fn look_who_left(
    aabbs: &[Aabb],
    homes: &[Aabb],
    slots: Range<usize>,
    reach: f32,
    strays: &mut Vec<u32>,
    lanes: Lanes,
) -> bool {
    strays.clear();
    lanes.list_doubtful(aabbs, homes, slots, reach, strays);
    let are_plain = strays.iter().all(|&slot| aabbs[slot as usize].is_plain_box());
    strays.retain(|&slot| is_away(&aabbs[slot as usize], &homes[slot as usize], reach));
    are_plain
}
