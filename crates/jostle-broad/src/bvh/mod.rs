//! `bvh`: the finder for scenes in which boxes move, but not far. It keeps their order in space and what overlapped.
//!
//! Boxes have places in spatial order, sixteen places make a block, sixteen blocks a block of blocks: a hierarchy whose
//! shape is fixed and whose bounds are fitted anew in each frame. A frame: fetch the boxes into their places (`fetch`);
//! cross every block with the blocks it meets, sixteen tests an instruction, and compare what overlaps with what did in
//! the frame before (`cross`); bring the difference into canonical order (`order`). Boxes that have strayed far from
//! their blocks get a new order (`place`), as do those of another scene; then all pairs are found anew. Where few boxes
//! moved, only these look around themselves, as they were and as they are. Where boxes only tremble, it is enough to look
//! whether they stay around their homes ([`homes`]).

mod blocks;
mod homes;
mod middles;
mod order;
mod roster;
mod task;
mod watch;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::finder::StageClock;
use crate::pairs::cancel_common;
use crate::simd::{BLOCK, MOST_BLOCKS, Meeting, Mover};
use crate::{
    Aabb, Boxes, Change, Changes, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, Revision,
};

use blocks::{Blocks, STRETCH};
use homes::Homes;
use roster::{NONE, Roster};
use task::{Scene, Task};
use watch::Watch;

/// The most boxes it takes. There are more places than boxes, and all of them need a number.
pub(crate) const MOST_BOXES: usize = 1 << 26;
const _: () = assert!(Meeting::MOST_BLOCKS >= 4 * (MOST_BOXES / BLOCK));
const _: () = assert!(MOST_BLOCKS >= 4 * (MOST_BOXES / BLOCK));
/// When no more than one box in so many changed, these look for what they overlap, not all.
const FEW: usize = 6;

/// So many boxes have to be followed until it is worth waking other threads: they take some 0.4 ms. One that looks around
/// takes as long as so many; so many at home, and so many pairs, take as long as one.
const WORTH_THREADS: usize = 1 << 14;
const PAIRS: usize = 4;
const LOOKS_AROUND: usize = 4;
const AT_HOME: usize = 5;
/// So many changes are looked up by one task.
const TASK_CHANGES: usize = 1024;

/// Finds pairs by a hierarchy of blocks kept from frame to frame.
#[derive(Debug, Default)]
pub struct Bvh {
    roster: Roster,
    blocks: Blocks,
    tasks: Vec<Task>,
    /// Do the tasks know what overlaps? Not after a frame in which few boxes moved.
    is_recorded: bool,
    /// Where few boxes moved: these, task by task, and a mask of their lanes for each block.
    movers: Vec<Vec<Mover>>,
    marks: Vec<u16>,
    changed_places: Vec<u32>,
    /// Places whose boxes are no more.
    over: Vec<u32>,
    /// Do boxes only tremble? Then blocks hold their homes, and tasks know nothing.
    watch: Watch,
    homes: Option<Homes>,
    pub(crate) pairs: PairBuffer,
    /// The boxes that `pairs` and the tasks belong to. None before the first update and after one that failed.
    seen: Option<Revision>,
}

impl PairFinder for Bvh {
    fn name(&self) -> &str {
        "bvh"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        FindError::check_boxes("bvh", MOST_BOXES, boxes)?;
        self.find(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn size_limit(&self) -> Option<usize> {
        Some(MOST_BOXES)
    }

    fn bytes(&self) -> usize {
        self.roster.bytes()
            + self.blocks.bytes()
            + self.tasks.iter().map(Task::bytes).sum::<usize>()
            + self.movers.iter().map(|movers| movers.capacity() * size_of::<Mover>()).sum::<usize>()
            + self.marks.capacity() * size_of::<u16>()
            + self.changed_places.capacity() * size_of::<u32>()
            + self.over.capacity() * size_of::<u32>()
            + self.watch.bytes()
            + self.homes.as_ref().map_or(0, Homes::bytes)
            + self.pairs.bytes()
    }
}

impl Bvh {
    fn find(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        self.tasks.iter_mut().for_each(Task::forget_frame);
        self.homes.iter_mut().for_each(Homes::forget_frame);
        let seen = self.seen.take();
        let changes = boxes.changes_since(seen);
        let whole = settings;
        let settings = &whole.if_worth(self.effort(changes, boxes) >= WORTH_THREADS);
        let is_done = match changes {
            Changes::These([]) => self.pairs.apply(&[], &[], whole).map(|()| true),
            _ if self.homes.is_some()
                && (boxes.only_moves_since(seen) || !matches!(changes, Changes::Everything)) =>
            {
                self.stay(changes, boxes, [settings, whole], &mut clock)
            }
            Changes::These(changes) if self.are_few(changes, boxes) => {
                if !boxes.only_moves_since(seen) {
                    self.take_changes(changes, boxes);
                }
                self.follow_movers(changes, boxes, settings, &mut clock)
            }
            Changes::These(changes) if self.are_of_use_to(changes, boxes) => {
                self.recall(boxes, settings);
                self.take_changes(changes, boxes);
                self.follow(boxes, settings, &mut clock)
            }
            Changes::Everything if boxes.only_moves_since(seen) => {
                self.recall(boxes, settings);
                self.follow(boxes, settings, &mut clock)
            }
            _ => Ok(false),
        };
        let found = is_done.and_then(|is_done| match is_done {
            true => Ok(()),
            false => self.start(boxes, whole, &mut clock),
        });
        if let Err(error) = found {
            // Pairs and tasks are no longer in step: the next update starts over.
            *self = Self { pairs: std::mem::take(&mut self.pairs), ..Self::default() };
            return Err(error);
        }
        self.seen = Some(boxes.revision());
        self.pairs.give_back(boxes.len());
        clock.end("order");
        let moved = match changes {
            Changes::These(changes) => changes.len().min(boxes.len()),
            Changes::Everything => boxes.len(),
        };
        Ok(FindReport {
            boxes: boxes.len(),
            moved,
            tests: self.tests(),
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            ..FindReport::default()
        })
    }

    /// How many boxes will be followed, or what takes as long.
    fn effort(&self, changes: Changes<'_>, boxes: &Boxes) -> usize {
        match changes {
            _ if self.homes.is_some() => boxes.len() / AT_HOME,
            Changes::These(changes) if self.are_few(changes, boxes) => LOOKS_AROUND * changes.len(),
            _ => boxes.len().max(self.pairs.len() / PAIRS),
        }
    }

    /// Everything from cold: an order of places, and all pairs.
    fn start(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<(), FindError> {
        if self.roster.is_sparse(boxes) {
            // Memory for a larger scene is given back.
            *self = Self { pairs: std::mem::take(&mut self.pairs), ..Self::default() };
        }
        self.over.clear();
        if let Some(homes) = self.homes.take() {
            self.watch.end(homes.frames);
        }
        self.roster.fill(boxes, order::spatial_order(boxes, &settings.executor));
        self.blocks.reset(self.roster.len());
        clock.end("place");
        self.blocks.fetch(boxes.aabbs(), &self.roster.slots, settings);
        clock.end("fetch");
        self.make_tasks();
        let found = AtomicUsize::new(0);
        let scene = Scene { blocks: &self.blocks, roster: &self.roster, boxes, settings, found: &found };
        settings.executor.for_each(&mut self.tasks, |index, task| task.find_all(index, scene));
        clock.end("cross");
        self.pairs.replace(self.tasks.iter().map(|task| &task.run), settings)?;
        self.tasks.iter_mut().for_each(|task| task.run.give_back());
        self.is_recorded = true;
        Ok(())
    }

    /// The frame after a frame. Says whether it is done; if not, it is better to start over.
    fn follow(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<bool, FindError> {
        self.blocks.fetch(boxes.aabbs(), &self.roster.slots, settings);
        clock.end("fetch");
        if self.is_order_worn(boxes) {
            return Ok(false);
        }
        self.make_tasks();
        let found = AtomicUsize::new(0);
        let scene = Scene { blocks: &self.blocks, roster: &self.roster, boxes, settings, found: &found };
        let most = most_found(settings);
        let too_many = AtomicBool::new(false);
        settings.executor.for_each(&mut self.tasks, |index, task| {
            if !task.follow(index, most, scene) {
                too_many.store(true, Ordering::Relaxed);
            }
        });
        clock.end("cross");
        if too_many.into_inner() {
            // Probably more than the limit. From cold they are counted without being kept.
            return Ok(false);
        }
        self.apply_changes(settings)?;
        if let Some(reach) = self.watch.look(boxes) {
            clock.end("order");
            self.settle_down(reach, boxes, settings);
            clock.end("settle");
        }
        Ok(true)
    }

    /// Boxes only tremble: from now on they are at home where they are, unless too many pairs would be unsure.
    fn settle_down(&mut self, reach: f32, boxes: &Boxes, settings: &FindSettings) {
        if self.pairs.is_crowded(boxes.len()) {
            return self.watch.wait_longer();
        }
        let homes = self.find_homes(boxes.aabbs().to_vec(), reach, boxes, settings);
        self.homes = homes.map(|homes| homes.look_for_middles(boxes));
        if let Some(homes) = &mut self.homes {
            homes.sieve(&mut self.pairs, boxes, settings);
            homes.rest(boxes);
        }
    }

    /// From now on they are at home there. Blocks hold the homes as they are. None if too many pairs would be unsure.
    fn find_homes(
        &mut self,
        at: Vec<Aabb>,
        reach: f32,
        boxes: &Boxes,
        settings: &FindSettings,
    ) -> Option<Homes> {
        self.make_tasks();
        let Self { blocks, roster, tasks, .. } = self;
        let homes = Homes::find(at, reach, blocks, roster, tasks, boxes, settings);
        // What overlaps, in places that hold boxes, is found anew after such a time.
        self.is_recorded = false;
        tasks.clear();
        tasks.shrink_to_fit();
        if homes.is_none() {
            self.watch.wait_longer();
            self.blocks.fetch(boxes.aabbs(), &self.roster.slots, settings);
            self.make_tasks();
        }
        homes
    }

    /// The frame after a frame, where boxes only tremble. Says whether it is done. The second settings are for finding homes,
    /// which takes as long as a crossing.
    fn stay(
        &mut self,
        changes: Changes<'_>,
        boxes: &Boxes,
        [settings, whole]: [&FindSettings; 2],
        clock: &mut StageClock,
    ) -> Result<bool, FindError> {
        let Some(homes) = &mut self.homes else { return Ok(false) };
        let is_bearable = homes.look(changes, boxes, settings);
        clock.end("look");
        if !is_bearable || self.roster.is_sparse(boxes) {
            return Ok(false);
        }
        if let Changes::These(changes) = changes {
            let count = self.blocks.count();
            self.take_changes(changes, boxes);
            if self.blocks.count() > count {
                self.blocks.refit(1, settings.lanes);
            }
        }
        let Self { blocks, roster, over, pairs, homes: Some(homes), .. } = self else {
            unreachable!("as above")
        };
        if !homes.move_strays(blocks, roster, over, pairs, boxes, settings) {
            return Ok(false);
        }
        over.drain(..).for_each(|place| roster.leave(place));
        clock.end("stray");
        homes.apply(pairs, boxes, settings)?;
        if pairs.is_sieve_worn() {
            homes.sieve(pairs, boxes, settings);
        }
        if let Some((middles, reach)) = homes.middles(boxes) {
            clock.end("order");
            let history = homes.history();
            self.homes = None;
            blocks.fetch(&middles, &roster.slots, whole);
            let found = self.find_homes(middles, reach, boxes, whole);
            self.homes = found.map(|homes| homes.in_the_middle(history));
            if let Some(homes) = &mut self.homes {
                homes.sieve(&mut self.pairs, boxes, whole);
            }
            clock.end("settle");
        }
        self.homes.iter_mut().for_each(|homes| homes.rest(boxes));
        Ok(true)
    }

    /// The frame after a frame, where few boxes moved: what they overlap is compared with what they overlapped. Says whether
    /// it is done.
    fn follow_movers(
        &mut self,
        changes: &[Change],
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<bool, FindError> {
        self.make_tasks();
        self.mark_movers(changes, settings);
        let Self { blocks, roster, marks, movers, .. } = self;
        blocks.expect(boxes, &roster.slots, marks, settings, movers);
        clock.end("fetch");
        if self.is_order_worn(boxes) {
            // They went far: all of them would look around in all of what their blocks have become.
            return Ok(false);
        }
        let Self { blocks, roster, tasks, marks, movers, .. } = self;
        let (found, looks) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let too_many = AtomicBool::new(false);
        let scene = Scene { blocks, roster, boxes, settings, found: &found };
        settings.executor.for_each(tasks, |index, task| {
            if !task.meet_before(index, movers, &looks, scene) {
                too_many.store(true, Ordering::Relaxed);
            }
        });
        if too_many.load(Ordering::Relaxed) {
            return Ok(false);
        }
        blocks.settle(movers, settings);
        let scene = Scene { blocks, roster, boxes, settings, found: &found };
        let most = most_found(settings);
        settings.executor.for_each(tasks, |index, task| {
            if !task.meet_now(index, marks, most, scene) {
                too_many.store(true, Ordering::Relaxed);
            }
        });
        self.is_recorded = false;
        clock.end("cross");
        if too_many.into_inner() {
            return Ok(false);
        }
        self.apply_changes(settings).map(|()| true)
    }

    /// What overlapped, if the frame before did not write it down.
    fn recall(&mut self, boxes: &Boxes, settings: &FindSettings) {
        if !self.is_recorded {
            let found = AtomicUsize::new(0);
            let scene = Scene { blocks: &self.blocks, roster: &self.roster, boxes, settings, found: &found };
            settings.executor.for_each(&mut self.tasks, |index, task| task.recall(index, scene));
            self.is_recorded = true;
        }
    }

    /// Brings what the tasks found into the pairs.
    fn apply_changes(&mut self, settings: &FindSettings) -> Result<(), FindError> {
        let (added, removed) =
            (self.tasks.iter().map(|task| &task.added), self.tasks.iter().map(|task| &task.removed));
        if self.over.is_empty() {
            return self.pairs.apply_runs(added, removed, settings);
        }
        // A box that got another place: its pairs are over with one and new with the other. It may have got another filter,
        // too: pairs that the old one did not admit are not over.
        let mut added: Vec<Pair> = added.flat_map(|run| &run.pairs).copied().collect();
        let mut removed: Vec<Pair> = removed.flat_map(|run| &run.pairs).copied().collect();
        self.pairs.bring_into_order(settings);
        let pairs = self.pairs.as_slice();
        removed.retain(|pair| pairs.binary_search(pair).is_ok());
        added.sort_unstable();
        removed.sort_unstable();
        cancel_common(&mut added, &mut removed);
        for place in self.over.drain(..) {
            self.roster.leave(place);
        }
        self.pairs.apply(&added, &removed, settings)
    }

    /// Takes note of boxes that came, left or have another filter.
    fn take_changes(&mut self, changes: &[Change], boxes: &Boxes) {
        for slot in changes.iter().filter(|change| change.is_structural()).map(|change| change.slot()) {
            if let Some(place) = self.roster.place_of(slot) {
                self.roster.forget(place);
                self.over.push(place);
            }
            if boxes.is_live(slot) {
                self.roster.enter(slot, boxes.id(slot));
            }
        }
        self.blocks.grow(self.roster.len());
    }

    /// Marks the places of boxes that changed, and those that are over.
    fn mark_movers(&mut self, changes: &[Change], settings: &FindSettings) {
        let Self { roster, marks, over, changed_places, .. } = self;
        marks.clear();
        marks.resize(self.blocks.count(), 0);
        let mut mark = |place: u32| marks[place as usize / BLOCK] |= 1 << (place % BLOCK as u32);
        over.iter().copied().for_each(&mut mark);
        if changes.len() <= TASK_CHANGES {
            changes.iter().filter_map(|change| roster.place_of(change.slot())).for_each(mark);
            return;
        }
        // Places are far away, and looked up on all threads; marks are at hand, and neighbours share one. What was there is overwritten.
        changed_places.resize(changes.len(), NONE);
        let mut work: Vec<_> =
            changes.chunks(TASK_CHANGES).zip(changed_places.chunks_mut(TASK_CHANGES)).collect();
        settings.executor.for_each(&mut work, |_, (changes, places)| {
            let found = changes.iter().map(|change| roster.place_of(change.slot()).unwrap_or(NONE));
            places.iter_mut().zip(found).for_each(|(place, found)| *place = found);
        });
        changed_places.iter().copied().filter(|place| *place != NONE).for_each(mark);
    }

    /// Is it enough that those that changed look around?
    fn are_few(&self, changes: &[Change], boxes: &Boxes) -> bool {
        changes.len() * FEW <= boxes.len() && self.blocks.are_deep()
    }

    /// Are places, and what overlapped there, of use where this changed?
    fn are_of_use_to(&self, changes: &[Change], boxes: &Boxes) -> bool {
        let structural = changes.iter().filter(|change| change.is_structural()).count();
        // What overlapped can be recalled only as long as filters are what they were.
        structural <= boxes.len() / 4 && (self.is_recorded || structural == 0)
    }

    /// Is it time for a new order of places?
    fn is_order_worn(&self, boxes: &Boxes) -> bool {
        self.blocks.are_worn() || self.roster.is_sparse(boxes)
    }

    /// How many tests of two boxes this frame took.
    fn tests(&self) -> u64 {
        let looks: usize = self.tasks.iter().map(|task| task.visited).sum();
        (looks * BLOCK) as u64 + self.homes.as_ref().map_or(0, Homes::tests)
    }

    fn make_tasks(&mut self) {
        self.tasks.resize_with(self.blocks.count().div_ceil(STRETCH), Task::default);
    }
}

/// How many overlaps are found before they are given up, and counted only.
fn most_found(settings: &FindSettings) -> Option<usize> {
    settings.pair_limit.map(|limit| limit.saturating_mul(2).saturating_add(4096))
}
