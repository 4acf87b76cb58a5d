//! One task of looking after boxes at home: who of its boxes has left, and which pairs of them are others than they were.

use std::ops::Range;

use crate::pairs::FlipList;
use crate::simd::{Flipped, Unsure, is_away};
use crate::{Aabb, Lanes};

/// What one task knows, and what it finds. In lines of memory of its own (two, as processors fetch them): neighbours may be written
/// to by different threads.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct HomeTask {
    /// Pairs that may overlap or not, whose higher slot is one of the task's: the other box has been looked at by then. The first so
    /// many ascend by their lower slots; those of strays come after.
    unsure: Vec<Unsure>,
    ascending: usize,
    /// How many of them are void.
    void: usize,
    /// Boxes that have left their homes, ascending.
    strays: Vec<u32>,
    /// Which of the pairs are others than they were, ascending. Those that have become void since are so here, too.
    flipped: Vec<Flipped>,
}

/// One pair in so many may be void, or out of order.
const UNTIDY: usize = 16;

impl HomeTask {
    /// Looks who of these slots, all of whose homes are thick, has left. Says whether all are boxes without -0.0.
    pub(super) fn look_who_left(
        &mut self,
        aabbs: &[Aabb],
        homes: &[Aabb],
        slots: Range<usize>,
        reach: f32,
        lanes: Lanes,
    ) -> bool {
        self.strays.clear();
        lanes.list_doubtful(aabbs, homes, slots, reach, &mut self.strays);
        let are_plain = self.strays.iter().all(|&slot| aabbs[slot as usize].is_plain_box());
        self.strays.retain(|&slot| is_away(&aabbs[slot as usize], &homes[slot as usize], reach));
        are_plain
    }

    /// The same, where boxes are known to be some; none of them if no slots are given.
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

    /// Tests all pairs that are unsure.
    pub(crate) fn test_unsure(&mut self, aabbs: &[Aabb], lanes: Lanes) {
        if UNTIDY * (self.void + self.unsure.len() - self.ascending) > self.unsure.len() {
            self.tidy();
        }
        lanes.flip(aabbs, &mut self.unsure, &mut self.flipped);
    }

    /// The pairs that have flipped. Ids are those of slots, or the slots.
    pub(crate) fn flips<'a>(&'a self, ids: Option<&'a [u32]>) -> FlipList<'a> {
        FlipList { flipped: &self.flipped, ids }
    }

    /// Nobody has looked: pairs are what they were before.
    pub(super) fn take_back(&mut self) {
        self.flipped.drain(..).for_each(|flipped| self.unsure[flipped.at as usize].flip());
        self.strays.clear();
    }

    pub(crate) fn strays(&self) -> &[u32] {
        &self.strays
    }

    /// Drops what is void and puts the rest in order.
    pub(crate) fn tidy(&mut self) {
        self.unsure.retain(|pair| !pair.is_void());
        self.unsure.sort_unstable_by_key(|pair| pair.slots());
        (self.ascending, self.void) = (self.unsure.len(), 0);
    }

    /// This pair is unsure from now on.
    pub(crate) fn push(&mut self, unsure: Unsure) {
        self.unsure.push(unsure);
    }

    /// All pairs that are unsure. Where they are in the list of the sieve may be set.
    pub(crate) fn unsure_mut(&mut self) -> impl Iterator<Item = &mut Unsure> {
        self.unsure.iter_mut()
    }

    /// All pairs that are unsure.
    pub(crate) fn unsure(&self) -> &[Unsure] {
        &self.unsure
    }

    /// Homes were found just now: that is all of them, in order.
    pub(crate) fn is_complete(&mut self) {
        self.unsure.shrink_to_fit();
        self.ascending = self.unsure.len();
    }

    /// How many pairs are unsure.
    pub(crate) fn count(&self) -> usize {
        self.unsure.len() - self.void
    }

    /// Where in the list those that ascend have this lower slot or a higher one.
    pub(crate) fn first_of(&self, lower: u32) -> usize {
        self.unsure[..self.ascending].partition_point(|pair| pair.slots()[0] < lower)
    }

    /// This pair is not unsure, or no more. The place is [`HomeTask::first_of`] its lower slot.
    pub(crate) fn forget(&mut self, first: usize, lower: u32, higher: u32) {
        let near =
            self.unsure[first..self.ascending].iter().take_while(|pair| pair.slots()[0] == lower).count();
        for at in (first..first + near).chain(self.ascending..self.unsure.len()) {
            if self.unsure[at].slots() == [lower, higher] {
                self.make_void(at);
                return;
            }
        }
    }

    /// No pair of a stray is unsure any more.
    pub(crate) fn forget_strays(&mut self, is_stray: &[bool]) {
        let is_of_stray = |pair: Unsure| pair.slots().iter().any(|slot| is_stray[*slot as usize]);
        for at in 0..self.unsure.len() {
            let pair = self.unsure[at];
            if !pair.is_void() && is_of_stray(pair) {
                self.make_void(at);
            }
        }
    }

    fn make_void(&mut self, at: usize) {
        self.unsure[at].make_void();
        self.void += 1;
        if let Ok(flipped) = self.flipped.binary_search_by_key(&at, |flipped| flipped.at as usize) {
            self.flipped[flipped].now.make_void();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.unsure.capacity() * size_of::<Unsure>()
            + self.strays.capacity() * size_of::<u32>()
            + self.flipped.capacity() * size_of::<Flipped>()
    }
}
