//! A stretch of blocks: what overlaps there, now and in the frame before.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::blocks::{Blocks, CrossLists, STRETCH};
use super::order::NO_SLOT;
use super::roster::Roster;
use crate::simd::{BLOCK, Meeting, Mover, OwnBlock};
use crate::{Boxes, FindSettings, PairRun};

/// So many overlaps are counted at once where there is a limit: threads that count together wait for each other.
const COUNTED_AT_ONCE: usize = 1024;

/// The pairs of a stretch of blocks, each with the lower of its two blocks; or those of movers in it.
// In lines of memory of its own (two, as processors fetch them): neighbours may be written to by different threads.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Task {
    /// What overlaps, block by block; where few boxes moved, what movers overlapped, and where they may.
    meetings: Vec<Meeting>,
    /// The same of the frame before.
    meetings_before: Vec<Meeting>,
    lists: CrossLists,
    /// What changed.
    gone: Vec<Meeting>,
    come: Vec<Meeting>,
    pub(super) added: PairRun,
    pub(super) removed: PairRun,
    /// All pairs, where none are known.
    pub(super) run: PairRun,
    /// How many times a block was looked at.
    pub(super) visited: usize,
}

/// What the tasks of a frame read.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) blocks: &'a Blocks,
    pub(super) roster: &'a Roster,
    pub(super) boxes: &'a Boxes,
    pub(super) settings: &'a FindSettings,
    /// How many pairs all tasks have found in this frame. Counted only where there is a limit.
    pub(super) found: &'a AtomicUsize,
}

impl Scene<'_> {
    /// Counts pairs that a task found: are there more than `most` now?
    fn are_more_than(&self, most: usize, meetings: &[Meeting]) -> bool {
        let more = count(meetings);
        self.found.fetch_add(more, Ordering::Relaxed) + more > most
    }

    fn blocks_of(&self, task: usize) -> Range<usize> {
        task * STRETCH..((task + 1) * STRETCH).min(self.blocks.count())
    }

    /// Hands over the ids of all pairs of meetings of a stretch that begins with this block.
    #[inline]
    fn each_pair(&self, first_block: usize, meetings: &[Meeting], mut take: impl FnMut(u32, u32)) {
        let ids = &self.roster.ids;
        for meeting in meetings {
            let id = ids[first_block * BLOCK + meeting.place()];
            meeting.others().for_each(|other| take(id, ids[other]));
        }
    }
}

impl Task {
    /// All pairs, where nothing is known of the frame before.
    pub(super) fn find_all(&mut self, index: usize, scene: Scene<'_>) {
        self.run.reset(scene.settings.pair_limit);
        self.begin();
        let first = index * STRETCH;
        let Some(limit) = scene.settings.pair_limit else {
            self.meetings.reserve(STRETCH * BLOCK);
            scene.blocks_of(index).for_each(|block| self.cross(block, first, scene));
            self.run.reserve(count(&self.meetings));
            scene.each_pair(first, &self.meetings, |a, b| self.run.push(a, b));
            return;
        };
        let blocks = scene.blocks_of(index);
        let mut counted = 0;
        for block in blocks.clone() {
            self.cross(block, first, scene);
            if self.meetings.len() < counted + COUNTED_AT_ONCE && block + 1 < blocks.end {
                continue;
            }
            let new = &self.meetings[counted..];
            scene.each_pair(first, new, |a, b| self.run.push(a, b));
            counted = self.meetings.len();
            if scene.are_more_than(limit, new) {
                // They will be refused: then there is no need to keep any.
                self.run.only_count();
                self.meetings.clear();
                counted = 0;
            }
        }
    }

    /// Crosses its blocks with those they meet. Gives up, and says so, when all tasks together have found more than `most`.
    fn cross_all(&mut self, index: usize, most: Option<usize>, scene: Scene<'_>) -> bool {
        self.begin();
        let mut counted = 0;
        for block in scene.blocks_of(index) {
            self.cross(block, index * STRETCH, scene);
            if let Some(most) = most
                && self.meetings.len() >= counted + COUNTED_AT_ONCE
            {
                if scene.are_more_than(most, &self.meetings[counted..]) {
                    return false;
                }
                counted = self.meetings.len();
            }
        }
        most.is_none_or(|most| !scene.are_more_than(most, &self.meetings[counted..]))
    }

    /// What overlaps now, before boxes are fetched that have moved since: for the next frame to compare with.
    pub(super) fn recall(&mut self, index: usize, scene: Scene<'_>) {
        self.cross_all(index, None, scene);
    }

    /// Pairs of slots, instead of ids, whose boxes overlap, but not by much more than `deepest`. Gives up, and says so, when
    /// all tasks together have found more than `most` that overlap.
    pub(super) fn find_close(&mut self, index: usize, deepest: f32, most: usize, scene: Scene<'_>) -> bool {
        let first = index * STRETCH;
        if !self.cross_all(index, Some(most), scene) {
            return false;
        }
        scene.blocks.retain_close(scene.settings.lanes, first, deepest, &mut self.meetings);
        self.run.reset(None);
        self.run.reserve(count(&self.meetings));
        let slots = &scene.roster.slots;
        for meeting in &self.meetings {
            let slot = slots[first * BLOCK + meeting.place()];
            meeting.others().for_each(|other| self.run.push(slot, slots[other]));
        }
        true
    }

    /// The pairs of its blocks, and how they differ from those of the frame before. Gives up, and says so, when all tasks
    /// together have more than `most`.
    pub(super) fn follow(&mut self, index: usize, most: Option<usize>, scene: Scene<'_>) -> bool {
        if !self.cross_all(index, most, scene) {
            return false;
        }
        let Self { meetings_before, meetings, gone, come, .. } = self;
        scene.settings.lanes.compare(meetings_before, meetings, gone, come);
        self.list_changes(index * STRETCH, scene);
        true
    }

    /// What movers in its blocks overlapped. Gives up, and says so, when all tasks together look too often.
    pub(super) fn meet_before(
        &mut self,
        index: usize,
        movers: &[Vec<Mover>],
        looks: &AtomicUsize,
        scene: Scene<'_>,
    ) -> bool {
        self.meetings.clear();
        let first = index * STRETCH;
        let Self { lists, meetings, .. } = self;
        let (lanes, movers) = (scene.settings.lanes, &movers[index]);
        let visited = scene.blocks.meet_before(lanes, movers, first, lists, meetings, looks);
        self.visited += visited.unwrap_or_default();
        visited.is_some()
    }

    /// How that differs now. Gives up, and says so, when all tasks together have found more than `most` new ones.
    pub(super) fn meet_now(
        &mut self,
        index: usize,
        marks: &[u16],
        most: Option<usize>,
        scene: Scene<'_>,
    ) -> bool {
        let first = index * STRETCH;
        let Self { meetings, gone, come, .. } = self;
        scene.blocks.meet_now(scene.settings.lanes, marks, first, meetings, gone, come);
        self.visited += self.meetings.len();
        if !scene.boxes.admits_all() {
            let slots = &scene.roster.slots;
            let may_pair = |a: usize, b: usize| {
                // Whose box left had a filter that is no longer known: such pairs are looked up among those that were.
                let is_over = slots[a] == NO_SLOT || slots[b] == NO_SLOT;
                is_over || scene.boxes.may_pair(slots[a], slots[b])
            };
            for list in [&mut *gone, &mut *come] {
                retain_pairs(list, 0, first, may_pair);
            }
        }
        if most.is_some_and(|most| scene.are_more_than(most, come)) {
            return false;
        }
        self.list_changes(first, scene);
        true
    }

    /// Turns changes into pairs of ids.
    fn list_changes(&mut self, first: usize, scene: Scene<'_>) {
        let Self { gone, come, added, removed, .. } = self;
        scene.each_pair(first, gone, |a, b| removed.push(a, b));
        scene.each_pair(first, come, |a, b| added.push(a, b));
    }

    /// Begins a frame: what was found last is now what was before.
    fn begin(&mut self) {
        std::mem::swap(&mut self.meetings, &mut self.meetings_before);
        self.meetings.clear();
        self.lists.forget();
    }

    /// Nothing changed here, and nothing was looked at.
    pub(super) fn forget_frame(&mut self) {
        self.gone.clear();
        self.come.clear();
        self.added.reset(None);
        self.removed.reset(None);
        self.visited = 0;
    }

    /// Finds what overlaps boxes of one block.
    fn cross(&mut self, block: usize, first: usize, scene: Scene<'_>) {
        let so_far = self.meetings.len();
        let Self { meetings, lists, .. } = self;
        let own = OwnBlock { block: block as u32, in_stretch: (block - first) as u32 };
        let is_last = block + 1 == scene.blocks_of(first / STRETCH).end;
        self.visited += scene.blocks.cross(scene.settings.lanes, own, is_last, lists, meetings);
        if !scene.boxes.admits_all() {
            let slots = &scene.roster.slots;
            retain_pairs(meetings, so_far, first, |a, b| scene.boxes.may_pair(slots[a], slots[b]));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let meetings = [&self.meetings, &self.meetings_before, &self.gone, &self.come];
        meetings.iter().map(|list| list.capacity() * size_of::<Meeting>()).sum::<usize>()
            + self.lists.bytes()
            + [&self.added, &self.removed, &self.run].into_iter().map(PairRun::bytes).sum::<usize>()
    }
}

/// How many pairs there are.
fn count(meetings: &[Meeting]) -> usize {
    meetings.iter().map(|meeting| meeting.count()).sum()
}

/// Drops those pairs, from a meeting on, whose places are not to be kept.
fn retain_pairs(
    meetings: &mut Vec<Meeting>,
    from: usize,
    first_block: usize,
    keep: impl Fn(usize, usize) -> bool,
) {
    let mut kept = from;
    for at in from..meetings.len() {
        let place = first_block * BLOCK + meetings[at].place();
        if let Some(meeting) = meetings[at].retain(|other| keep(place, other)) {
            meetings[kept] = meeting;
            kept += 1;
        }
    }
    meetings.truncate(kept);
}
