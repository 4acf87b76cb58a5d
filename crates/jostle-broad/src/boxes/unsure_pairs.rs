//! Pairs of which it depends on where around their homes boxes are whether they overlap, and which of them have begun or ended to.

use crate::pairs::{FlipList, Position};
use crate::simd::{Flipped, Unsure};
use crate::{Aabb, Lanes, Pair};

/// The pairs that one task tests.
#[derive(Debug, Default)]
pub(crate) struct UnsurePairs {
    /// The first so many ascend by their lower slots; those of strays come after.
    list: Vec<Unsure>,
    ascending: usize,
    /// How many of them are void.
    void: usize,
    flips: Flips,
}

/// One pair in so many may be void, or out of order.
const UNTIDY: usize = 16;

impl UnsurePairs {
    /// Tests all of them. Ids are those of slots, or the slots.
    pub(crate) fn test(&mut self, aabbs: &[Aabb], ids: Option<&[u32]>, lanes: Lanes) {
        if UNTIDY * (self.void + self.list.len() - self.ascending) > self.list.len() {
            self.tidy();
        }
        self.flips.find(&mut self.list, aabbs, ids, lanes);
        if self.void > 0 {
            // What is void is one box and itself, and flips when that box is no more.
            self.flips.make_void_where(|at| self.list[at].is_void());
            self.flips.drop_void();
        }
    }

    /// Those that have flipped. Ids are what they were when pairs were tested.
    pub(crate) fn flips<'a>(&'a self, ids: Option<&'a [u32]>) -> FlipList<'a> {
        debug_assert!(!self.flips.are_some_void, "what is void is dropped first");
        FlipList { flipped: self.flips.flipped(), changed: self.flips.pairs(), unsure: &self.list, ids }
    }

    /// Nobody has tested them: they are what they were before.
    pub(super) fn take_back(&mut self) {
        self.flips.flipped().iter().for_each(|flipped| self.list[flipped.at()].flip());
        self.flips.clear();
    }

    /// Drops what is void and puts the rest in order.
    pub(crate) fn tidy(&mut self) {
        // They would be elsewhere in the list.
        self.flips.clear();
        self.list.retain(|pair| !pair.is_void());
        self.list.sort_unstable_by_key(|pair| pair.slots());
        (self.ascending, self.void) = (self.list.len(), 0);
    }

    /// This pair is unsure from now on.
    pub(crate) fn push(&mut self, unsure: Unsure) {
        self.list.push(unsure);
    }

    /// All of them. Where they are in the list of the sieve may be set.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Unsure> {
        self.list.iter_mut()
    }

    /// All of them, and what is void.
    pub(crate) fn as_slice(&self) -> &[Unsure] {
        &self.list
    }

    /// Homes were found just now: these are all, in order.
    pub(crate) fn are_complete(&mut self) {
        self.list.shrink_to_fit();
        self.ascending = self.list.len();
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.list.len() - self.void
    }

    /// Where in the list those that ascend have this lower slot or a higher one.
    pub(crate) fn first_of(&self, lower: u32) -> usize {
        self.list[..self.ascending].partition_point(|pair| pair.slots()[0] < lower)
    }

    /// This pair is not unsure, or no more. The place is [`UnsurePairs::first_of`] its lower slot. When all are forgotten,
    /// [`UnsurePairs::drop_void_flips`] is to be called.
    pub(crate) fn forget(&mut self, first: usize, lower: u32, higher: u32) {
        let near =
            self.list[first..self.ascending].iter().take_while(|pair| pair.slots()[0] == lower).count();
        for at in (first..first + near).chain(self.ascending..self.list.len()) {
            if self.list[at].slots() == [lower, higher] {
                self.make_void(at);
                return;
            }
        }
    }

    /// No pair of a stray is unsure any more. [`UnsurePairs::drop_void_flips`] is to be called.
    pub(crate) fn forget_strays(&mut self, is_stray: &[bool]) {
        let is_of_stray = |pair: Unsure| pair.slots().iter().any(|slot| is_stray[*slot as usize]);
        for at in 0..self.list.len() {
            let pair = self.list[at];
            if !pair.is_void() && is_of_stray(pair) {
                self.make_void(at);
            }
        }
    }

    fn make_void(&mut self, at: usize) {
        self.list[at].make_void();
        self.void += 1;
        self.flips.make_void(at);
    }

    /// What was forgotten has not flipped.
    pub(crate) fn drop_void_flips(&mut self) {
        self.flips.drop_void();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Unsure>() + self.flips.bytes()
    }
}

/// Which of the pairs are others than they were.
#[derive(Debug, Default)]
struct Flips {
    /// Ascending. The first so many count, as many as came and went.
    flipped: Vec<Flipped>,
    /// Those that came are at the front, ascending, those that went at the end, from there on.
    pairs: Vec<Pair>,
    came: usize,
    went: usize,
    /// Are there some that have not flipped after all?
    are_some_void: bool,
}

impl Flips {
    fn clear(&mut self) {
        (self.came, self.went, self.are_some_void) = (0, 0, false);
    }

    fn count(&self) -> usize {
        self.came + self.went
    }

    fn flipped(&self) -> &[Flipped] {
        &self.flipped[..self.count()]
    }

    fn pairs(&self) -> [&[Pair]; 2] {
        [&self.pairs[..self.came], &self.pairs[self.pairs.len() - self.went..]]
    }

    /// Finds out. What was known before is forgotten. Ids are those of slots, or the slots.
    fn find(&mut self, unsure: &mut [Unsure], aabbs: &[Aabb], ids: Option<&[u32]>, lanes: Lanes) {
        // What was there is overwritten.
        self.flipped.resize(unsure.len(), Flipped::NONE);
        self.pairs.resize(unsure.len(), Pair { low: 0, high: 0 });
        [self.came, self.went] = lanes.flip(aabbs, unsure, &mut self.flipped, &mut self.pairs);
        if let Some(ids) = ids {
            let gone = self.pairs.len() - self.went;
            let (came, rest) = self.pairs.split_at_mut(self.came);
            for pair in came.iter_mut().chain(&mut rest[gone - self.came..]) {
                *pair = Pair::new(ids[pair.low as usize], ids[pair.high as usize]);
            }
        }
    }

    /// The pair at this place in the list, if it is one of them, has not flipped after all.
    fn make_void(&mut self, at: usize) {
        if let Ok(index) = self.flipped().binary_search_by_key(&at, |flipped| flipped.at()) {
            self.flipped[index].position = Position::VOID;
            self.are_some_void = true;
        }
    }

    /// Nor have those at these places.
    fn make_void_where(&mut self, is_void: impl Fn(usize) -> bool) {
        let count = self.count();
        for flipped in self.flipped[..count].iter_mut().filter(|flipped| is_void(flipped.at())) {
            flipped.position = Position::VOID;
            self.are_some_void = true;
        }
    }

    /// Drops those that have not flipped after all.
    fn drop_void(&mut self) {
        if !std::mem::take(&mut self.are_some_void) {
            return;
        }
        let last = self.pairs.len().saturating_sub(1);
        let (mut from, mut to) = ([0; 2], [0; 2]);
        for index in 0..self.count() {
            let flipped = self.flipped[index];
            let which = usize::from(!flipped.has_come());
            let place = |count: usize| if flipped.has_come() { count } else { last - count };
            if flipped.position != Position::VOID {
                self.pairs[place(to[which])] = self.pairs[place(from[which])];
                self.flipped[to[0] + to[1]] = flipped;
                to[which] += 1;
            }
            from[which] += 1;
        }
        [self.came, self.went] = to;
    }

    fn bytes(&self) -> usize {
        self.flipped.capacity() * size_of::<Flipped>() + self.pairs.capacity() * size_of::<Pair>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// Boxes in a row, each of which overlaps the next one, or none does.
    fn row(count: usize, do_overlap: bool) -> Vec<Aabb> {
        let size = if do_overlap { 1.5 } else { 0.5 };
        (0..count).map(|at| Vec3::splat(at as f32)).map(|min| Aabb::new(min, min + size)).collect()
    }

    /// Neighbours in a row, of which every other pair is said to overlap.
    fn neighbours(count: u32) -> UnsurePairs {
        let mut unsure = UnsurePairs::default();
        for lower in 0..count - 1 {
            unsure.push(Unsure::new(lower, lower + 1, lower % 2 == 0, Position::OUTSIDE));
        }
        unsure.are_complete();
        unsure
    }

    fn neighbour(lower: u32) -> Pair {
        Pair { low: lower, high: lower + 1 }
    }

    /// The lower slots of those that came, and of those that went.
    fn told(unsure: &UnsurePairs) -> [Vec<u32>; 2] {
        let list = unsure.flips(None);
        let told = list.changed.map(|pairs| {
            let mut lower: Vec<u32> = pairs.iter().map(|pair| pair.low).collect();
            lower.sort();
            assert!(pairs.iter().all(|pair| *pair == neighbour(pair.low)));
            lower
        });
        let by_list = [true, false].map(|comes| {
            let these = list.flipped.iter().filter(|flipped| flipped.has_come() == comes);
            these.map(|flipped| list.unsure[flipped.at()].slots()[0]).collect::<Vec<_>>()
        });
        assert_eq!(told, by_list, "the same twice");
        told
    }

    #[test]
    fn pairs_that_are_forgotten_have_not_flipped() {
        // Boxes overlap the next one by threes: what came and what went alternate.
        let boxes: Vec<Aabb> = row(24, true)
            .into_iter()
            .zip(row(24, false))
            .enumerate()
            .map(|(at, (large, small))| if at % 6 < 3 { large } else { small })
            .collect();
        let fresh = || {
            let mut unsure = neighbours(24);
            unsure.test(&boxes, None, Lanes::best());
            unsure
        };
        let [came, went] = told(&fresh());
        assert!(came.len() > 3 && went.len() > 3 && came[1] > went[0] && went[1] > came[1]);
        let all_came: Vec<u32> = came.clone();
        let every_other: Vec<u32> = (0..23).step_by(2).collect();
        let each = (0..23).map(|lower| vec![lower]);
        for forgotten in each.chain([all_came, every_other, (5..23).collect(), (0..23).rev().collect()]) {
            let (mut unsure, mut expected) = (fresh(), [came.clone(), went.clone()]);
            for &lower in &forgotten {
                unsure.forget(unsure.first_of(lower), lower, lower + 1);
                expected.iter_mut().for_each(|list| list.retain(|flipped| *flipped != lower));
            }
            unsure.drop_void_flips();
            assert_eq!(told(&unsure), expected, "without {forgotten:?}");
            assert_eq!(unsure.count(), 23 - forgotten.len());
            // And in two steps.
            let mut unsure = fresh();
            for &lower in &forgotten {
                unsure.forget(unsure.first_of(lower), lower, lower + 1);
                unsure.drop_void_flips();
            }
            assert_eq!(told(&unsure), expected, "one after the other without {forgotten:?}");
        }
    }

    #[test]
    fn what_is_void_does_not_flip_when_its_box_is_no_more() {
        // So many that what is void is not dropped from the list at once.
        let mut boxes = row(40, true);
        let mut unsure = neighbours(40);
        unsure.test(&boxes, None, Lanes::best());
        unsure.forget(unsure.first_of(2), 2, 3);
        unsure.drop_void_flips();
        boxes[2] = Aabb::NOWHERE;
        unsure.test(&boxes, None, Lanes::best());
        assert!(unsure.as_slice().iter().any(|pair| pair.is_void()));
        assert_eq!(told(&unsure), [vec![], vec![1]], "but its other pair does");
    }

    #[test]
    fn what_is_taken_back_flips_again_and_ids_may_be_others_than_slots() {
        let boxes = row(6, true);
        let mut unsure = neighbours(6);
        let ids: Vec<u32> = (0..6).map(|slot| 100 - slot).collect();
        for _ in 0..2 {
            unsure.test(&boxes, Some(&ids), Lanes::best());
            let [came, went] = unsure.flips(Some(&ids)).changed;
            assert_eq!((came, went), (&[Pair::new(98, 99), Pair::new(96, 97)][..], &[][..]));
            unsure.take_back();
            assert_eq!(unsure.flips(None).changed, [&[][..]; 2]);
        }
        unsure.test(&boxes, None, Lanes::best());
        unsure.test(&boxes, None, Lanes::best());
        assert_eq!(told(&unsure), [vec![], vec![]], "nothing has changed since");
    }
}
