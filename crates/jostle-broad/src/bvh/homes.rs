//! Boxes that only tremble: those of a pile, of a crowd that stands, of machines that run.
//!
//! Each box gets a home, and may be up to a reach away from it, number by number. For almost all pairs that decides whether
//! they overlap, as long as both stay; those for which it does not are unsure. A frame looks for boxes that have left their homes
//! (`stray`), gives these new ones, and tests unsure pairs and no others (`unsure`). No box is fetched into its place, no block
//! is crossed. Blocks hold homes as large as boxes may reach, and somewhat larger, so that rounding never matters.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::blocks::{Around, Blocks};
use super::roster::Roster;
use super::task::{Scene, Task};
use crate::pairs::cancel_common;
use crate::simd::{BLOCK, Unsure, is_away};
use crate::{Aabb, Boxes, Changes, FindSettings, Lanes, Pair, PairBuffer};

/// Boxes that one task looks at.
const TASK_BOXES: usize = 1 << 13;
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
    /// Pairs that may overlap or not. Ascending, but for those of strays.
    unsure: Vec<Unsure>,
    /// Boxes that left their homes, and a flag for each slot, which is set during a frame only.
    strays: Vec<u32>,
    is_stray: Vec<bool>,
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

/// What one task finds.
#[derive(Debug, Default)]
struct HomeTask {
    strays: Vec<u32>,
    flipped: Vec<u32>,
    added: Vec<Pair>,
    removed: Vec<Pair>,
}

impl Homes {
    /// Every box is at home where it is. Blocks hold the boxes; from now on homes. None if too many pairs would be unsure.
    pub(super) fn find(
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
        let mut unsure = Vec::with_capacity(pairs.len());
        unsure.extend(pairs.as_slice().iter().filter_map(|pair| {
            let (a, b) = (boxes.aabb(pair.low), boxes.aabb(pair.high));
            is_unsure(a, b, axes, reach).then(|| Unsure::new(pair.low, pair.high, a.overlaps(b)))
        }));
        (unsure.len() <= most_unsure(boxes)).then(|| Self {
            homes: boxes.aabbs().to_vec(),
            reach,
            unsure,
            is_stray: vec![false; boxes.slots()],
            patience: AT_ONCE * (boxes.len() / STRAYS + 1),
            visited: tasks.iter().map(|task| task.visited).sum(),
            axes,
            ..Self::default()
        })
    }

    /// Finds out who has left. Says whether that is bearable.
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
        if !are_listed {
            settings.executor.for_each(tasks, |index, task| {
                let first = index * TASK_BOXES;
                let these = first..(first + TASK_BOXES).min(homes.len());
                let (now, homes) = (&boxes.aabbs()[these.clone()], &homes[these]);
                task.strays.clear();
                settings.lanes.list_strays(now, homes, *reach, first as u32, &mut task.strays);
            });
            tasks.iter().for_each(|task| strays.extend_from_slice(&task.strays));
            strays.iter().for_each(|&slot| is_stray[slot as usize] = true);
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
        lanes: Lanes,
    ) -> bool {
        let Self { homes, unsure, strays, is_stray, added, removed, around, .. } = self;
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
            homes[slot as usize] = boxes.aabbs()[slot as usize];
        }
        for &place in over {
            blocks.put(place, &Aabb::NOWHERE, lanes);
        }
        for &place in &places {
            let home = &homes[slot_at(place) as usize];
            blocks.put(place, &home.inflate_outward(MARGIN * self.reach), lanes);
        }
        unsure.retain(|pair| !pair.slots().iter().any(|&slot| is_stray[slot as usize]));
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
                    // Their state is that of this frame: the test below will find nothing new.
                    unsure.push(Unsure::new(slot, other, overlap));
                }
            }
        }
        strays.iter().for_each(|&slot| is_stray[slot as usize] = false);
        added.sort_unstable();
        removed.sort_unstable();
        removed.dedup();
        cancel_common(added, removed);
        self.visited = around.visited;
        unsure.len() <= 2 * most_unsure(boxes)
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

    /// Tests all pairs that are unsure.
    pub(super) fn test_unsure(&mut self, boxes: &Boxes, settings: &FindSettings) {
        let Self { unsure, tasks, .. } = self;
        self.tested = unsure.len();
        let each = unsure.len().div_ceil(tasks.len().max(1)).max(1);
        let mut rest = unsure.chunks_mut(each);
        let mut work: Vec<(&mut HomeTask, &mut [Unsure])> =
            tasks.iter_mut().map(|task| (task, rest.next().unwrap_or_default())).collect();
        settings.executor.for_each(&mut work, |_, (task, unsure)| {
            let HomeTask { flipped, added, removed, .. } = &mut **task;
            added.clear();
            removed.clear();
            settings.lanes.list_flipped(boxes.aabbs(), unsure, flipped);
            for &at in flipped.iter() {
                let pair = &mut unsure[at as usize];
                let [a, b] = pair.slots().map(|slot| boxes.id(slot));
                let list = if pair.overlap() { &mut *removed } else { &mut *added };
                list.push(Pair::new(a, b));
                pair.flip();
            }
        });
    }

    /// What was added and removed.
    pub(super) fn lists(&self) -> (Vec<&[Pair]>, Vec<&[Pair]>) {
        let added = self.tasks.iter().map(|task| task.added.as_slice());
        let removed = self.tasks.iter().map(|task| task.removed.as_slice());
        (added.chain([self.added.as_slice()]).collect(), removed.chain([self.removed.as_slice()]).collect())
    }

    pub(super) fn bytes(&self) -> usize {
        let of_tasks = |task: &HomeTask| {
            (task.strays.capacity() + task.flipped.capacity()) * size_of::<u32>()
                + (task.added.capacity() + task.removed.capacity()) * size_of::<Pair>()
        };
        self.homes.capacity() * size_of::<Aabb>()
            + self.unsure.capacity() * size_of::<Unsure>()
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
