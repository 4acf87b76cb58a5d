//! Boxes that only tremble: those of a pile, of a crowd that stands, of machines that run.
//!
//! Each box gets a home, and may be up to a reach away from it, number by number. For almost all pairs that decides whether
//! they overlap, as long as both stay; those for which it does not are unsure. A frame looks, in one pass, for boxes that have left
//! their homes and for unsure pairs that are others than they were (`look`), and gives those that have left new homes
//! (`stray`). No box is fetched into its place, no block is crossed. Blocks hold homes as large as boxes may reach, and somewhat
//! larger, so that rounding never matters.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::blocks::{Around, Blocks};
use super::middles::{Middles, draw_home};
use super::roster::Roster;
use super::task::{Scene, Task};
use crate::boxes::{HomeTable, HomeTask, SharedHomes, lock};
use crate::pairs::{Position, cancel_common, pair_of};
use crate::simd::{BLOCK, Unsure, is_away};
use crate::{Aabb, Boxes, Changes, FindError, FindSettings, Pair, PairBuffer};

/// Tasks that look after boxes, at least, where that many are worth it; and how many boxes each looks after, at least and at most. To get
/// going, a task waits some 2 to 4 us (Zen 5) for what it writes to.
const TASKS: usize = 24;
const BOXES_OF_A_TASK: RangeInclusive<usize> = 1 << 14..=1 << 15;

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
    /// Which the store looks at, too, when it takes boxes.
    table: SharedHomes,
    site: Site,
    /// Boxes that left their homes, and a flag for each slot, which is set during a frame only.
    strays: Vec<u32>,
    is_stray: Vec<bool>,
    /// While an update is at work; else with the table.
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
    /// How many slots each task looks after.
    per_task: usize,
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
        let per_task = boxes.slots().div_ceil(TASKS).clamp(*BOXES_OF_A_TASK.start(), *BOXES_OF_A_TASK.end());
        tasks.resize_with(boxes.slots().div_ceil(per_task), HomeTask::default);
        let mut count = 0;
        for pair in pairs.as_slice() {
            if is_unsure(&homes[pair.low as usize], &homes[pair.high as usize], axes, reach) {
                let overlap = boxes.aabb(pair.low).overlaps(boxes.aabb(pair.high));
                let unsure = Unsure::new(pair.low, pair.high, overlap, Position::OUTSIDE);
                tasks[pair.high as usize / per_task].unsure.push(unsure);
                count += 1;
            }
        }
        tasks.iter_mut().for_each(|task| task.unsure.are_complete());
        (count <= most_unsure(boxes)).then(|| Self {
            table: Arc::new(Mutex::new(HomeTable::new(homes, reach, per_task))),
            is_stray: vec![false; boxes.slots()],
            patience: AT_ONCE * (boxes.len() / STRAYS + 1),
            tasks,
            visited,
            axes,
            per_task,
            ..Self::default()
        })
    }

    /// Finds out who has left, and which unsure pairs are others than they were. Says whether that is bearable.
    pub(super) fn look(&mut self, changes: Changes<'_>, boxes: &Boxes, settings: &FindSettings) -> bool {
        let Self { table: shared, strays, is_stray, tasks, per_task, .. } = self;
        let mut table = lock(shared);
        if table.homes().len() < is_stray.len() {
            // A look of the store that panicked has left nothing of it.
            return false;
        }
        table.resize(boxes.slots());
        // The store may have looked when it took the boxes.
        let have_looked;
        (*tasks, have_looked) = table.take_tasks(boxes);
        let (homes, reach) = (table.homes(), table.reach());
        strays.clear();
        is_stray.resize(boxes.slots(), false);
        tasks.resize_with(boxes.slots().div_ceil(*per_task), HomeTask::default);
        let (list, is_short) = match changes {
            // A long list is no faster than a look at all.
            Changes::These(list) => (list, list.len() <= boxes.slots() / 8),
            Changes::Everything => (&[][..], false),
        };
        let are_listed = is_short && !have_looked;
        if !have_looked {
            let weight = |task: &HomeTask| task.weight(if are_listed { 0 } else { *per_task });
            settings.executor.for_each_by_weight(tasks, weight, |index, task| {
                let first = index * *per_task;
                let these = first..(first + *per_task).min(homes.len());
                let these = (!are_listed).then_some(these);
                task.list_strays(boxes.aabbs(), homes, these, reach, settings.lanes);
                // One box of each pair is at hand, if all have just been looked at.
                task.unsure.test(boxes.aabbs(), ids_of(boxes), settings.lanes);
            });
        }
        self.tested = tasks.iter().map(|task| task.unsure.as_slice().len()).sum();
        for &slot in tasks.iter().flat_map(HomeTask::strays) {
            strays.push(slot);
            is_stray[slot as usize] = true;
        }
        let mut structural = 0;
        for change in list.iter().filter(|change| are_listed || change.is_structural()) {
            let (slot, at) = (change.slot(), change.slot() as usize);
            structural += usize::from(change.is_structural());
            let has_left = change.is_structural() || is_away(&boxes.aabbs()[at], &homes[at], reach);
            // One may be listed twice.
            if has_left && !std::mem::replace(&mut is_stray[at], true) {
                strays.push(slot);
            }
        }
        drop(table);
        if let Site::Noted(middles) = &mut self.site {
            middles.note(boxes, settings);
        }
        self.frames += 1;
        let is_still = is_short && list.len() <= boxes.slots() / STILL;
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
        pairs: &PairBuffer,
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> bool {
        let lanes = settings.lanes;
        let Self { table, tasks, strays, is_stray, added, removed, around, per_task, .. } = self;
        if strays.is_empty() {
            return true;
        }
        around.begin(MOST_LOOKS * blocks.count() + 512, boxes.len() / MET + 512);
        let slot_at = |place: u32| roster.slots[place as usize];
        let pair_at = |a: u32, b: u32| Pair::new(roster.ids[a as usize], roster.ids[b as usize]);
        // What they were part of, while blocks still hold the homes they had. Who may overlap a stray, or not, is near it.
        let places: Vec<u32> = strays.iter().filter_map(|&slot| roster.place_of(slot)).collect();
        let mut near = Vec::new();
        for &place in places.iter().chain(over) {
            let Some(others) = blocks.around(place, around, lanes) else { return false };
            near.extend(others.iter().filter(|other| **other != place).map(|&other| [place, other]));
        }
        // Each is looked for in long lists that are far away: all at the same time, they wait together.
        removed.extend(near.iter().map(|&[a, b]| pair_at(a, b)));
        pairs.retain_those_there(removed);
        if over.is_empty() {
            let slots = near.iter().map(|&[a, b]| [slot_at(a), slot_at(b)]);
            let unsure: Vec<_> =
                slots.map(|[a, b]| (a.max(b) as usize / *per_task, a.min(b), a.max(b))).collect();
            let firsts: Vec<_> =
                unsure.iter().map(|&(task, lower, _)| tasks[task].unsure.first_of(lower)).collect();
            for (&(task, lower, higher), first) in unsure.iter().zip(firsts) {
                tasks[task].unsure.forget(first, lower, higher);
            }
        } else {
            // Places of boxes that are no more do not lead to their slots.
            settings.executor.for_each(tasks, |_, task| task.unsure.forget_strays(is_stray));
        }
        tasks.iter_mut().for_each(|task| task.unsure.drop_void_flips());
        let mut table = lock(table);
        let reach = table.reach();
        for &slot in strays.iter() {
            let (now, old) = (&boxes.aabbs()[slot as usize], &table.homes()[slot as usize]);
            let home = if matches!(self.site, Site::Middle) { draw_home(now, old, reach) } else { *now };
            table.set(slot, home);
        }
        let homes = table.homes();
        for &place in over {
            blocks.put(place, &Aabb::NOWHERE, lanes);
        }
        for &place in &places {
            let home = &homes[slot_at(place) as usize];
            blocks.put(place, &home.inflate_outward(MARGIN * reach), lanes);
        }
        let (mut unsure, mut unsure_pairs) = (Vec::new(), Vec::new());
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
                let pair = pair_at(place, other_place);
                if overlap {
                    added.push(pair);
                }
                if is_unsure(&homes[slot as usize], &homes[other as usize], self.axes, reach) {
                    unsure.push((slot, other, overlap));
                    unsure_pairs.push(pair);
                }
            }
        }
        for ((slot, other, overlap), position) in unsure.into_iter().zip(pairs.positions(&unsure_pairs)) {
            tasks[slot.max(other) as usize / *per_task]
                .unsure
                .push(Unsure::new(slot, other, overlap, position));
        }
        strays.iter().for_each(|&slot| is_stray[slot as usize] = false);
        added.sort_unstable();
        removed.sort_unstable();
        removed.dedup();
        cancel_common(added, removed);
        self.visited = around.visited;
        tasks.iter().map(|task| task.unsure.count()).sum::<usize>() <= 2 * most_unsure(boxes)
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
                let reach = middles.reach(lock(&self.table).reach(), boxes)?;
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

    /// Brings what has flipped, and what strays changed, into the pairs.
    pub(super) fn apply(
        &self,
        pairs: &mut PairBuffer,
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let ids = ids_of(boxes);
        let flips: Vec<_> = self.tasks.iter().map(|task| task.unsure.flips(ids)).collect();
        pairs.apply_flips(&flips, &self.added, &self.removed, settings)
    }

    /// The update is done: when the store takes boxes next, it may look after them at once.
    pub(super) fn rest(&mut self, boxes: &Boxes) {
        lock(&self.table).give_tasks(std::mem::take(&mut self.tasks));
        boxes.know_homes(&self.table);
    }

    /// From now on unsure pairs come and go by their positions.
    pub(super) fn sieve(&mut self, pairs: &mut PairBuffer, boxes: &Boxes, settings: &FindSettings) {
        self.tasks.iter_mut().for_each(|task| task.unsure.tidy());
        let ids = ids_of(boxes);
        let unsure = self.tasks.iter().flat_map(|task| task.unsure.as_slice());
        let absent = unsure.filter(|pair| !pair.overlap()).map(|pair| pair_of(*pair, ids));
        pairs.begin_sieve(absent.collect(), settings);
        let mut near = Position::OUTSIDE;
        for unsure in self.tasks.iter_mut().flat_map(|task| task.unsure.iter_mut()) {
            unsure.position = pairs.position(pair_of(*unsure, ids), near);
            debug_assert_ne!(unsure.position, Position::OUTSIDE, "all that may be there are in the list");
            near = unsure.position;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        lock(&self.table).bytes()
            + if let Site::Noted(middles) = &self.site { middles.bytes() } else { 0 }
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.strays.capacity() * size_of::<u32>()
            + self.is_stray.capacity()
            + self.tasks.iter().map(HomeTask::bytes).sum::<usize>()
            + self.around.bytes()
    }
}

/// The ids of slots, unless slots are ids: they are far away, if they have to be looked up.
fn ids_of(boxes: &Boxes) -> Option<&[u32]> {
    (!boxes.ids_are_slots()).then(|| boxes.ids_by_slot())
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
