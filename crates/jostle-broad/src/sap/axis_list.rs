//! The sorted endpoints of one axis, repaired from frame to frame by insertion sort.
//!
//! In: the boxes of this frame and of the frame before, and which slots changed. Out: the pairs that came to overlap and
//! those that ceased to. Wherever a minimum and a maximum exchange places, an overlap on this axis begins or ends; the
//! boxes of both frames then say whether the pair as a whole came or went. So no table of pairs is needed, and the axes
//! know nothing of each other and can be repaired at the same time. A pair may be named more than once, by several axes
//! or by boxes passing each other twice.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Swaps an axis may make.
    pub(super) budget: u64,
    /// Has an axis made more? Then all stop, and the lists are of no use any more.
    pub(super) gave_up: &'a AtomicBool,
}

impl Frame<'_> {
    /// Do so many move that a pass over the whole list is cheaper than looking for each of them?
    fn most_move(&self) -> bool {
        self.moved.len() > self.boxes.len() / 8
    }

    /// Should an axis that has made so many swaps stop? What the axes have found then is not used, so that it does not
    /// matter when each of them notices.
    #[inline]
    fn must_stop(&self, swaps: u64) -> bool {
        if swaps > self.budget {
            self.gave_up.store(true, Ordering::Relaxed);
        }
        self.gave_up.load(Ordering::Relaxed)
    }
}

/// One axis.
#[derive(Debug, Default)]
pub(super) struct AxisList {
    endpoints: Vec<Endpoint>,
    /// Where the movers of the latest update began before it.
    movers: Vec<Endpoint>,
    pub(super) added: Vec<Pair>,
    pub(super) removed: Vec<Pair>,
    /// Exchanges of neighbours in the latest update.
    pub(super) swaps: u64,
    /// Tests of two boxes in the latest update.
    pub(super) tests: u64,
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
        (self.swaps, self.tests) = (0, 0);
        if !frame.structural.is_empty() {
            self.endpoints.retain(|endpoint| frame.marks[endpoint.slot() as usize] != STRUCTURAL);
        }
        if frame.most_move() {
            self.sort_whole(axis, frame);
        } else {
            self.move_each(axis, frame);
        }
        if !frame.structural.is_empty() && !frame.must_stop(self.swaps) {
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
                if frame.must_stop(self.swaps) {
                    return;
                }
            }
        }
    }

    /// Box after box, each endpoint found where it was and moved to where it belongs.
    fn move_each(&mut self, axis: usize, frame: &Frame<'_>) {
        // Along the axis, because one mover passes much the same boxes as the next, which are then in the cache.
        let mut movers = std::mem::take(&mut self.movers);
        movers.clear();
        let minima = frame.moved.iter().map(|&slot| Endpoint::min(&frame.before[slot as usize], axis, slot));
        movers.extend(minima);
        movers.sort_unstable();
        for &min in &movers {
            let slot = min.slot();
            let (old, new) = (&frame.before[slot as usize], frame.boxes.aabb(slot));
            let min = (min, Endpoint::min(new, axis, slot));
            let max = (Endpoint::max(old, axis, slot), Endpoint::max(new, axis, slot));
            // In this order the two never pass each other.
            let order = if min.1 > min.0 { [max, min] } else { [min, max] };
            for (from, to) in order {
                self.move_one(from, to, frame);
            }
            if frame.must_stop(self.swaps) {
                break;
            }
        }
        self.movers = movers;
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

    /// Puts an endpoint, that was at `at`, where it belongs below. All before `at` are in order.
    #[inline]
    fn move_down(&mut self, at: usize, moving: Endpoint, frame: &Frame<'_>) {
        let mut to = at;
        let mut stride = 1;
        while to > 0 && self.endpoints[to.saturating_sub(stride)] > moving {
            to = to.saturating_sub(stride);
            stride *= 2;
        }
        let from = to.saturating_sub(stride);
        to = from + self.endpoints[from..to].partition_point(|endpoint| *endpoint < moving);
        // Going down, a minimum meets maxima, and a maximum parts from minima.
        self.cross(to..at, moving, !moving.is_max(), frame);
        self.endpoints.copy_within(to..at, to + 1);
        self.endpoints[to] = moving;
    }

    /// The same upwards: a maximum meets minima, a minimum parts from maxima. All after `at` are in order.
    #[inline]
    fn move_up(&mut self, at: usize, moving: Endpoint, frame: &Frame<'_>) {
        let last = self.endpoints.len() - 1;
        let mut to = at;
        let mut stride = 1;
        while to < last && self.endpoints[(to + stride).min(last)] < moving {
            to = (to + stride).min(last);
            stride *= 2;
        }
        let after = (to + stride).min(last) + 1;
        to += self.endpoints[to + 1..after].partition_point(|endpoint| *endpoint < moving);
        self.cross(at + 1..to + 1, moving, moving.is_max(), frame);
        self.endpoints.copy_within(at + 1..to + 1, at);
        self.endpoints[to] = moving;
    }

    /// An endpoint passes others. With those of the other kind an overlap on this axis begins (`is_meeting`) or ends.
    ///
    /// Whether an endpoint is of the other kind, and whether boxes overlap on the other axes, is as good as random: the
    /// first is not branched on, the second only as a whole.
    #[inline]
    fn cross(&mut self, passed: Range<usize>, moving: Endpoint, is_meeting: bool, frame: &Frame<'_>) {
        self.swaps += passed.len() as u64;
        let (now, before) = (frame.boxes.aabbs(), frame.before);
        // A pair that comes is one now and was none; a pair that goes was one and is none.
        let (with, without) = if is_meeting { (now, before) } else { (before, now) };
        let slot = moving.slot();
        let mine = &with[slot as usize];
        let mut others = [0; 64];
        for passed in self.endpoints[passed].chunks(others.len()) {
            let mut count = 0;
            for endpoint in passed {
                others[count] = endpoint.slot();
                count += usize::from(endpoint.is_max() != moving.is_max());
            }
            self.tests += count as u64;
            for &other in &others[..count] {
                if overlaps(mine, &with[other as usize])
                    && !without[slot as usize].overlaps(&without[other as usize])
                    // Neither is structural: whether they may pair is as it was.
                    && frame.boxes.may_pair(slot, other)
                {
                    let pair = Pair::new(frame.boxes.id(slot), frame.boxes.id(other));
                    if is_meeting { self.added.push(pair) } else { self.removed.push(pair) }
                }
            }
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
        (self.endpoints.capacity() + self.movers.capacity()) * size_of::<Endpoint>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
    }
}

/// [`Aabb::overlaps`] without a branch.
#[inline]
fn overlaps(a: &Aabb, b: &Aabb) -> bool {
    let on = |axis: usize| (a.min[axis] <= b.max[axis]) & (b.min[axis] <= a.max[axis]);
    on(0) & on(1) & on(2)
}
