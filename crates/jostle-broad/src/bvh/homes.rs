//! Boxes that only tremble: those of a pile, of a crowd that stands, of machines that run.
//!
//! Each box gets a home, and may be up to a reach away from it, number by number. For almost all pairs that decides whether
//! they overlap, as long as both stay; those for which it does not are unsure. A frame looks, in one pass, for boxes that have left
//! their homes and for unsure pairs that are others than they were (`look`), and gives those that have left new homes
//! (`stray`). No box is fetched into its place, no block is crossed. Blocks hold homes as large as boxes may reach, and somewhat
//! larger, so that rounding never matters.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::blocks::{Around, Blocks};
use super::middles::{Middles, draw_home};
use super::roster::Roster;
use super::task::{Scene, Task};
use crate::pairs::cancel_common;
use crate::simd::{BLOCK, Unsure, is_away};
use crate::{Aabb, Boxes, Changes, FindSettings, Lanes, Pair, PairBuffer};

/// Boxes that one task looks at.
pub(super) const TASK_BOXES: usize = 1 << 13;
/// One box in so many may leave its home in a frame, on average; and this many times as many at once.
const STRAYS: usize = 128;
const AT_ONCE: usize = 3;
/// Strays may look at so many blocks for each block there is, and meet one box in so many: all are crossed as fast.
const MOST_LOOKS: usize = 16;
const MET: usize = 4;
/// So many pairs of each box may be near each other when homes are found, and one for so many boxes unsure.
const MOST_NEAR: usize = 8;
const UNSURE: usize = 2;
/// Where no more than one box in so many moves, and that for so many frames, others need not be looked at in any way.
const STILL: usize = 64;
const STILL_FRAMES: u32 = 16;
/// Of two boxes that are deeper in each other, or farther apart, than this many times their reach it is known whether they
/// overlap. Two, and something for rounding.
const SURE: f32 = 2.01;
/// What homes are larger by in blocks, so that all pairs show there that are not sure to be apart: half of that and more.
const MARGIN: f32 = 1.01;
/// And how deep those may be in each other, so that none is missed that is unsure.
const CLOSE: f32 = SURE + 2.0 * MARGIN + 0.01;

#[derive(Debug, Default)]
pub(super) struct Homes {
    /// By slot.
    homes: Vec<Aabb>,
    reach: f32,
    site: Site,
    /// Boxes that left their homes, and a flag for each slot, which is set during a frame only.
    strays: Vec<u32>,
    is_stray: Vec<bool>,
    /// Task by task, the boxes of so many slots.
    tasks: Vec<HomeTask>,
    /// Pairs of strays that are new, and that are over.
    added: Vec<Pair>,
    removed: Vec<Pair>,
    around: Around,
    /// How many boxes may leave now.
    patience: usize,
    /// How many frames it has lasted, and how many of the latest hardly any box moved in.
    pub(super) frames: u32,
    still_frames: u32,
    /// How many times a block, and how many pairs were looked at in this frame.
    visited: usize,
    tested: usize,
    /// How many axes count.
    axes: usize,
}

/// Where homes are.
#[derive(Debug, Default)]
enum Site {
    /// Where boxes were when homes were found.
    #[default]
    Chance,
    /// There, for now: it is noted where boxes are.
    Noted(Middles),
    /// In the middle of where boxes tremble.
    Middle,
}

/// See [`Homes::history`].
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    frames: u32,
    still_frames: u32,
    patience: usize,
    visited: usize,
    tested: usize,
}

/// What one task knows, and what it finds. In lines of memory of its own, as [`Task`] is.
#[derive(Debug, Default)]
#[repr(align(128))]
struct HomeTask {
    /// Pairs that may overlap or not, whose lower slot is one of the task's. Ascending, but for those of strays.
    unsure: Vec<Unsure>,
    strays: Vec<u32>,
    flipped: Vec<u32>,
    added: Vec<Pair>,
    removed: Vec<Pair>,
}

impl HomeTask {
    /// Tests all pairs that are unsure.
    fn test_unsure(&mut self, boxes: &Boxes, lanes: Lanes) {
        lanes.list_flipped(boxes.aabbs(), &self.unsure, &mut self.flipped);
        self.flipped.iter().for_each(|&at| self.unsure[at as usize].flip());
        self.list_changes(boxes, |_| true);
    }

    /// Writes down what has flipped, of pairs that count.
    fn list_changes(&mut self, boxes: &Boxes, counts: impl Fn(&Unsure) -> bool) {
        self.added.clear();
        self.removed.clear();
        for pair in self.flipped.iter().map(|&at| self.unsure[at as usize]).filter(counts) {
            let [a, b] = pair.slots().map(|slot| boxes.id(slot));
            let list = if pair.overlap() { &mut self.added } else { &mut self.removed };
            list.push(Pair::new(a, b));
        }
    }

    /// Forgets all pairs of strays. These find out by themselves which they are part of, and what of that is new.
    fn forget_strays(&mut self, strays: &StrayMarks<'_>, boxes: &Boxes) {
        let is_of_stray = |pair: &Unsure| pair.slots().into_iter().any(|slot| strays.has(slot));
        if self.flipped.iter().any(|&at| is_of_stray(&self.unsure[at as usize])) {
            self.list_changes(boxes, |pair| !is_of_stray(pair));
        }
        self.unsure.retain(|pair| !is_of_stray(pair));
    }
}

/// Which slots are those of strays: for each slot, and for all slots that have their lowest bits in common, which is small enough to be
/// at hand.
struct StrayMarks<'a> {
    is_stray: &'a [bool],
    coarse: [u64; MARKS / 64],
}

const MARKS: usize = 1 << 14;

impl<'a> StrayMarks<'a> {
    fn new(is_stray: &'a [bool], strays: &[u32]) -> Self {
        let mut coarse = [0; MARKS / 64];
        strays.iter().map(|&slot| slot as usize % MARKS).for_each(|at| coarse[at / 64] |= 1 << (at % 64));
        Self { is_stray, coarse }
    }

    #[inline]
    fn has(&self, slot: u32) -> bool {
        let at = slot as usize % MARKS;
        self.coarse[at / 64] >> (at % 64) & 1 != 0 && self.is_stray[slot as usize]
    }
}

impl Homes {
    /// These are the homes of boxes, each of which is no farther away than the reach. Blocks hold them as they are. None if too
    /// many pairs would be unsure.
    pub(super) fn find(
        homes: Vec<Aabb>,
        reach: f32,
        blocks: &mut Blocks,
        roster: &Roster,
        tasks: &mut [Task],
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> Option<Self> {
        blocks.inflate(MARGIN * reach, settings.lanes);
        let (found, too_many) = (AtomicUsize::new(0), AtomicBool::new(false));
        let scene = Scene { blocks, roster, boxes, settings, found: &found };
        let most_near = MOST_NEAR * boxes.len() + 1024;
        settings.executor.for_each(tasks, |index, task| {
            if !task.find_close(index, CLOSE * reach, most_near, scene) {
                too_many.store(true, Ordering::Relaxed);
            }
        });
        if too_many.into_inner() {
            return None;
        }
        // In the order of slots: then at least one box of two is where the one before was.
        let mut pairs = PairBuffer::default();
        let in_order = FindSettings { canonical: true, changes: false, pair_limit: None, ..settings.clone() };
        pairs.replace(tasks.iter().map(|task| &task.run), &in_order).expect("there is no limit");
        let axes = boxes.settings().dimensions.count();
        let visited = tasks.iter().map(|task| task.visited).sum();
        let mut tasks = Vec::new();
        tasks.resize_with(boxes.slots().div_ceil(TASK_BOXES), HomeTask::default);
        let mut count = 0;
        for pair in pairs.as_slice() {
            if is_unsure(&homes[pair.low as usize], &homes[pair.high as usize], axes, reach) {
                let overlap = boxes.aabb(pair.low).overlaps(boxes.aabb(pair.high));
                let unsure = Unsure::new(pair.low, pair.high, overlap);
                tasks[pair.low as usize / TASK_BOXES].unsure.push(unsure);
                count += 1;
            }
        }
        tasks.iter_mut().for_each(|task| task.unsure.shrink_to_fit());
        (count <= most_unsure(boxes)).then(|| Self {
            homes,
            reach,
            is_stray: vec![false; boxes.slots()],
            patience: AT_ONCE * (boxes.len() / STRAYS + 1),
            tasks,
            visited,
            axes,
            ..Self::default()
        })
    }

    /// Finds out who has left, and which unsure pairs are others than they were. Says whether that is bearable.
    pub(super) fn look(&mut self, changes: Changes<'_>, boxes: &Boxes, settings: &FindSettings) -> bool {
        let Self { homes, strays, is_stray, tasks, reach, .. } = self;
        strays.clear();
        homes.resize(boxes.slots(), Aabb::NOWHERE);
        is_stray.resize(boxes.slots(), false);
        tasks.resize_with(boxes.slots().div_ceil(TASK_BOXES), HomeTask::default);
        let (list, are_listed) = match changes {
            // A long list is no faster than a look at all.
            Changes::These(list) => (list, list.len() <= boxes.slots() / 8),
            Changes::Everything => (&[][..], false),
        };
        settings.executor.for_each(tasks, |index, task| {
            task.strays.clear();
            if !are_listed {
                let first = index * TASK_BOXES;
                let these = first..(first + TASK_BOXES).min(homes.len());
                settings.lanes.list_strays(boxes.aabbs(), homes, these, *reach, &mut task.strays);
            }
            // One box of each pair is at hand, if all have just been looked at.
            task.test_unsure(boxes, settings.lanes);
        });
        self.tested = tasks.iter().map(|task| task.unsure.len()).sum();
        for &slot in tasks.iter().flat_map(|task| &task.strays) {
            strays.push(slot);
            is_stray[slot as usize] = true;
        }
        let mut structural = 0;
        for change in list.iter().filter(|change| are_listed || change.is_structural()) {
            let (slot, at) = (change.slot(), change.slot() as usize);
            structural += usize::from(change.is_structural());
            let has_left = change.is_structural() || is_away(&boxes.aabbs()[at], &homes[at], *reach);
            // One may be listed twice.
            if has_left && !std::mem::replace(&mut is_stray[at], true) {
                strays.push(slot);
            }
        }
        if let Site::Noted(middles) = &mut self.site {
            middles.note(boxes, settings);
        }
        self.frames += 1;
        let is_still = are_listed && list.len() <= boxes.slots() / STILL;
        self.still_frames = if is_still { self.still_frames + 1 } else { 0 };
        let share = boxes.len() / STRAYS + 1;
        self.patience = (self.patience + share).min(AT_ONCE * share);
        let is_bearable = strays.len().max(structural) <= self.patience;
        self.patience = self.patience.saturating_sub(strays.len());
        is_bearable && self.still_frames <= STILL_FRAMES
    }

    /// Gives strays new homes, and finds out what that changes. Places in `over` are those of boxes that are no more. Gives up,
    /// and says so, when that takes too long: then homes and blocks are of no more use.
    pub(super) fn move_strays(
        &mut self,
        blocks: &mut Blocks,
        roster: &Roster,
        over: &[u32],
        pairs: &[Pair],
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> bool {
        let lanes = settings.lanes;
        let Self { homes, tasks, strays, is_stray, added, removed, around, .. } = self;
        if strays.is_empty() {
            return true;
        }
        around.begin(MOST_LOOKS * blocks.count() + 512, boxes.len() / MET + 512);
        let slot_at = |place: u32| roster.slots[place as usize];
        let pair_at = |a: u32, b: u32| Pair::new(roster.ids[a as usize], roster.ids[b as usize]);
        // What they were part of, while blocks still hold the homes they had.
        let places: Vec<u32> = strays.iter().filter_map(|&slot| roster.place_of(slot)).collect();
        for &place in places.iter().chain(over) {
            let Some(others) = blocks.around(place, around, lanes) else { return false };
            for &other in others {
                let pair = pair_at(place, other);
                if other != place && pairs.binary_search(&pair).is_ok() {
                    removed.push(pair);
                }
            }
        }
        for &slot in strays.iter() {
            let (now, home) = (&boxes.aabbs()[slot as usize], &mut homes[slot as usize]);
            *home = if matches!(self.site, Site::Middle) { draw_home(now, home, self.reach) } else { *now };
        }
        for &place in over {
            blocks.put(place, &Aabb::NOWHERE, lanes);
        }
        for &place in &places {
            let home = &homes[slot_at(place) as usize];
            blocks.put(place, &home.inflate_outward(MARGIN * self.reach), lanes);
        }
        let marks = StrayMarks::new(is_stray, strays);
        settings.executor.for_each(tasks, |_, task| task.forget_strays(&marks, boxes));
        for &place in &places {
            let slot = slot_at(place);
            let Some(others) = blocks.around(place, around, lanes) else { return false };
            for &other_place in others {
                let other = slot_at(other_place);
                // Two strays find each other both.
                let is_counted = is_stray[other as usize] && other <= slot;
                if is_counted || !boxes.may_pair(slot, other) {
                    continue;
                }
                let overlap = boxes.aabb(slot).overlaps(boxes.aabb(other));
                if overlap {
                    added.push(pair_at(place, other_place));
                }
                if is_unsure(&homes[slot as usize], &homes[other as usize], self.axes, self.reach) {
                    tasks[slot.min(other) as usize / TASK_BOXES]
                        .unsure
                        .push(Unsure::new(slot, other, overlap));
                }
            }
        }
        strays.iter().for_each(|&slot| is_stray[slot as usize] = false);
        added.sort_unstable();
        removed.sort_unstable();
        removed.dedup();
        cancel_common(added, removed);
        self.visited = around.visited;
        tasks.iter().map(|task| task.unsure.len()).sum::<usize>() <= 2 * most_unsure(boxes)
    }

    /// Nothing changed yet, and nothing was looked at.
    pub(super) fn forget_frame(&mut self) {
        self.added.clear();
        self.removed.clear();
        (self.visited, self.tested) = (0, 0);
    }

    /// How many tests of two boxes this frame took.
    pub(super) fn tests(&self) -> u64 {
        (self.visited * BLOCK + self.tested) as u64
    }

    /// Homes will be in the middle of where boxes are in the frames to come.
    pub(super) fn look_for_middles(mut self, boxes: &Boxes) -> Self {
        self.site = Site::Noted(Middles::new(boxes));
        self
    }

    /// Homes in the middle, and how far boxes go from there, when that has become clear.
    pub(super) fn middles(&mut self, boxes: &Boxes) -> Option<(Vec<Aabb>, f32)> {
        match std::mem::take(&mut self.site) {
            Site::Noted(middles) if middles.are_clear() => {
                let reach = middles.reach(self.reach, boxes)?;
                Some((middles.homes(reach, boxes), reach))
            }
            as_before => {
                self.site = as_before;
                None
            }
        }
    }

    /// What new homes are to know of those they follow on.
    pub(super) fn history(&self) -> History {
        let Self { frames, still_frames, patience, visited, tested, .. } = *self;
        History { frames, still_frames, patience, visited, tested }
    }

    /// These homes are in the middle, and follow on others.
    pub(super) fn in_the_middle(mut self, before: History) -> Self {
        let History { frames, still_frames, patience, visited, tested } = before;
        (self.frames, self.still_frames, self.patience) = (frames, still_frames, patience);
        (self.visited, self.tested, self.site) = (self.visited + visited, tested, Site::Middle);
        self
    }

    /// What was added and removed.
    pub(super) fn lists(&self) -> (Vec<&[Pair]>, Vec<&[Pair]>) {
        let added = self.tasks.iter().map(|task| task.added.as_slice());
        let removed = self.tasks.iter().map(|task| task.removed.as_slice());
        (added.chain([self.added.as_slice()]).collect(), removed.chain([self.removed.as_slice()]).collect())
    }

    pub(super) fn bytes(&self) -> usize {
        let of_tasks = |task: &HomeTask| {
            task.unsure.capacity() * size_of::<Unsure>()
                + (task.strays.capacity() + task.flipped.capacity()) * size_of::<u32>()
                + (task.added.capacity() + task.removed.capacity()) * size_of::<Pair>()
        };
        self.homes.capacity() * size_of::<Aabb>()
            + if let Site::Noted(middles) = &self.site { middles.bytes() } else { 0 }
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.strays.capacity() * size_of::<u32>()
            + self.is_stray.capacity()
            + self.tasks.iter().map(of_tasks).sum::<usize>()
            + self.around.bytes()
    }
}

/// How many pairs may be unsure.
fn most_unsure(boxes: &Boxes) -> usize {
    boxes.len() / UNSURE + 1024
}

/// May these two, each at most the reach from this home, overlap or not?
fn is_unsure(a: &Aabb, b: &Aabb, axes: usize, reach: f32) -> bool {
    // How deep they are in each other along each axis; less than nothing if they are apart.
    let depths = (a.max - b.min).min(b.max - a.min).to_array();
    let depth = depths[..axes].iter().fold(f32::INFINITY, |least, &depth| depth.min(least));
    depth.abs() < SURE * reach
}
