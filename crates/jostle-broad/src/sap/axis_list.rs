//! The sorted endpoints of one axis, repaired from frame to frame by insertion sort.
//!
//! In: the boxes of this frame and of the frame before, and which slots changed. Out: the pairs that came to overlap and
//! those that ceased to. Wherever a minimum and a maximum exchange places, an overlap on this axis begins or ends; the
//! boxes of both frames then say whether the pair as a whole came or went. So no table of pairs is needed, and the axes
//! know nothing of each other and can be repaired at the same time. A pair may be named more than once, by several axes
//! or by boxes passing each other twice.

use super::endpoint::Endpoint;
use super::{MOVED, STRUCTURAL};
use crate::{Aabb, Boxes, Pair};

/// What an axis is told about a frame.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) boxes: &'a Boxes,
    /// By slot: the boxes that the lists are sorted by. [`Aabb::NOWHERE`] where there was none.
    pub(super) before: &'a [Aabb],
    /// By slot: [`MOVED`], [`STRUCTURAL`] or 0.
    pub(super) marks: &'a [u8],
    /// The slots marked [`MOVED`].
    pub(super) moved: &'a [u32],
    /// The slots marked [`STRUCTURAL`].
    pub(super) structural: &'a [u32],
    /// Gives up after this many swaps.
    pub(super) budget: u64,
}

impl Frame<'_> {
    /// Do so many move that a pass over the whole list is cheaper than looking for each of them?
    fn most_move(&self) -> bool {
        self.moved.len() > self.boxes.len() / 8
    }
}

/// One axis.
#[derive(Debug, Default)]
pub(super) struct AxisList {
    endpoints: Vec<Endpoint>,
    pub(super) added: Vec<Pair>,
    pub(super) removed: Vec<Pair>,
    /// Exchanges of neighbours in the latest update.
    pub(super) swaps: u64,
    /// Tests of two boxes in the latest update.
    pub(super) tests: u64,
    /// Was the budget exceeded? Then the list is of no use any more.
    pub(super) gave_up: bool,
}

impl AxisList {
    /// Sorts all boxes anew.
    pub(super) fn fill(&mut self, axis: usize, boxes: &[Aabb]) {
        self.endpoints.clear();
        let live = boxes.iter().enumerate().filter(|(_, aabb)| !aabb.min.x.is_nan());
        self.endpoints.extend(live.flat_map(|(slot, aabb)| {
            let slot = slot as u32;
            [Endpoint::min(aabb, axis, slot), Endpoint::max(aabb, axis, slot)]
        }));
        self.endpoints.sort_unstable();
    }

    /// The endpoints, ascending: slots, and whether it is a maximum.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.endpoints.iter().map(|endpoint| (endpoint.slot(), endpoint.is_max()))
    }

    /// Brings the list up to date. Pairs of structural slots are left to the caller.
    pub(super) fn update(&mut self, axis: usize, frame: &Frame<'_>) {
        self.added.clear();
        self.removed.clear();
        (self.swaps, self.tests, self.gave_up) = (0, 0, false);
        if !frame.structural.is_empty() {
            self.endpoints.retain(|endpoint| frame.marks[endpoint.slot() as usize] != STRUCTURAL);
        }
        if frame.most_move() {
            self.sort_whole(axis, frame);
        } else {
            self.move_each(axis, frame);
        }
        if !frame.structural.is_empty() && !self.gave_up {
            self.merge_new(axis, frame);
        }
    }

    /// All new values at once, then one insertion sort: every two endpoints whose order changed swap exactly once.
    fn sort_whole(&mut self, axis: usize, frame: &Frame<'_>) {
        for endpoint in &mut self.endpoints {
            let slot = endpoint.slot();
            if frame.marks[slot as usize] == MOVED {
                let aabb = frame.boxes.aabb(slot);
                let value = if endpoint.is_max() { aabb.max[axis] } else { aabb.min[axis] };
                *endpoint = Endpoint::new(value, endpoint.tag());
            }
        }
        for i in 1..self.endpoints.len() {
            let moving = self.endpoints[i];
            if self.endpoints[i - 1] > moving {
                self.move_down(i, moving, frame);
                if self.swaps > frame.budget {
                    self.gave_up = true;
                    return;
                }
            }
        }
    }

    /// Box after box, each endpoint found where it was and moved to where it belongs.
    fn move_each(&mut self, axis: usize, frame: &Frame<'_>) {
        for &slot in frame.moved {
            let (old, new) = (&frame.before[slot as usize], frame.boxes.aabb(slot));
            let min = (Endpoint::min(old, axis, slot), Endpoint::min(new, axis, slot));
            let max = (Endpoint::max(old, axis, slot), Endpoint::max(new, axis, slot));
            // In this order the two never pass each other.
            let order = if min.1 > min.0 { [max, min] } else { [min, max] };
            for (from, to) in order {
                self.move_one(from, to, frame);
            }
            if self.swaps > frame.budget {
                self.gave_up = true;
                return;
            }
        }
    }

    fn move_one(&mut self, from: Endpoint, to: Endpoint, frame: &Frame<'_>) {
        if from == to {
            return;
        }
        let at = self.endpoints.partition_point(|endpoint| *endpoint < from);
        debug_assert_eq!(self.endpoints.get(at), Some(&from), "the list holds the boxes of the frame before");
        if to < from {
            self.move_down(at, to, frame);
        } else {
            self.move_up(at, to, frame);
        }
    }

    /// Puts an endpoint, that was at `at`, where it belongs below: a minimum meets maxima, a maximum parts from minima.
    #[inline]
    fn move_down(&mut self, mut at: usize, moving: Endpoint, frame: &Frame<'_>) {
        while at > 0 && self.endpoints[at - 1] > moving {
            let passed = self.endpoints[at - 1];
            self.endpoints[at] = passed;
            at -= 1;
            self.swaps += 1;
            match (moving.is_max(), passed.is_max()) {
                (false, true) => self.meet(moving.slot(), passed.slot(), frame),
                (true, false) => self.part(moving.slot(), passed.slot(), frame),
                _ => {}
            }
        }
        self.endpoints[at] = moving;
    }

    /// The same upwards: a maximum meets minima, a minimum parts from maxima.
    #[inline]
    fn move_up(&mut self, mut at: usize, moving: Endpoint, frame: &Frame<'_>) {
        while at + 1 < self.endpoints.len() && self.endpoints[at + 1] < moving {
            let passed = self.endpoints[at + 1];
            self.endpoints[at] = passed;
            at += 1;
            self.swaps += 1;
            match (moving.is_max(), passed.is_max()) {
                (true, false) => self.meet(moving.slot(), passed.slot(), frame),
                (false, true) => self.part(moving.slot(), passed.slot(), frame),
                _ => {}
            }
        }
        self.endpoints[at] = moving;
    }

    /// Two boxes begin to overlap on this axis.
    #[inline]
    fn meet(&mut self, a: u32, b: u32, frame: &Frame<'_>) {
        self.tests += 1;
        let Frame { boxes, before, .. } = frame;
        if boxes.aabb(a).overlaps(boxes.aabb(b))
            && !before[a as usize].overlaps(&before[b as usize])
            && boxes.may_pair(a, b)
        {
            self.added.push(Pair::new(boxes.id(a), boxes.id(b)));
        }
    }

    /// Two boxes cease to overlap on this axis. Neither is structural, so whether they may pair is as it was.
    #[inline]
    fn part(&mut self, a: u32, b: u32, frame: &Frame<'_>) {
        self.tests += 1;
        let Frame { boxes, before, .. } = frame;
        if before[a as usize].overlaps(&before[b as usize])
            && !boxes.aabb(a).overlaps(boxes.aabb(b))
            && boxes.may_pair(a, b)
        {
            self.removed.push(Pair::new(boxes.id(a), boxes.id(b)));
        }
    }

    /// Merges the endpoints of structural slots that hold a box now, from the upper end down.
    fn merge_new(&mut self, axis: usize, frame: &Frame<'_>) {
        let live = frame.structural.iter().filter(|&&slot| frame.boxes.is_live(slot));
        let mut new: Vec<Endpoint> = live
            .flat_map(|&slot| {
                let aabb = frame.boxes.aabb(slot);
                [Endpoint::min(aabb, axis, slot), Endpoint::max(aabb, axis, slot)]
            })
            .collect();
        new.sort_unstable();
        let mut old = self.endpoints.len();
        self.endpoints.extend_from_slice(&new);
        let mut to = self.endpoints.len();
        while let Some(&highest) = new.last() {
            to -= 1;
            if old > 0 && self.endpoints[old - 1] > highest {
                old -= 1;
                self.endpoints[to] = self.endpoints[old];
            } else {
                self.endpoints[to] = highest;
                new.pop();
            }
        }
        debug_assert!(self.endpoints.is_sorted());
    }

    pub(super) fn bytes(&self) -> usize {
        (self.endpoints.capacity() + self.added.capacity() + self.removed.capacity()) * size_of::<u64>()
    }
}
