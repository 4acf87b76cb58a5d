//! `bvh`: the finder for scenes in which boxes move, but not far. It keeps their order in space and what overlapped.
//!
//! Boxes have places in spatial order, sixteen places make a block, sixteen blocks a block of blocks: a hierarchy whose
//! shape is fixed and whose bounds are fitted anew in each frame. A frame: fetch the boxes into their places (`fetch`);
//! cross every block with the blocks it meets, sixteen tests an instruction, and compare what overlaps with what did in
//! the frame before (`cross`); bring the difference into canonical order (`order`). Boxes that have strayed far from
//! their blocks get a new order (`place`), as do those of another scene; then all pairs are found anew. Where few boxes
//! moved, only blocks around them are crossed.

mod blocks;
mod order;
mod roster;
mod task;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::finder::StageClock;
use crate::pairs::cancel_common;
use crate::simd::{BLOCK, Meeting};
use crate::{
    Boxes, Change, Changes, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, Revision,
};

use blocks::Blocks;
use roster::Roster;
use task::{Scene, TASK_BLOCKS, Task};

/// The most boxes it takes. There are more places than boxes, and all of them need a number.
pub(crate) const MOST_BOXES: usize = 1 << 26;
const _: () = assert!(Meeting::MOST_BLOCKS >= 4 * (MOST_BOXES / BLOCK));
/// When no more than one box in so many changed, these are fetched, not all.
const SOME: usize = 4;
/// When no more than one box in so many changed, only blocks around them are crossed.
const FEW: usize = 64;

/// Finds pairs by a hierarchy of blocks kept from frame to frame.
#[derive(Debug, Default)]
pub struct Bvh {
    roster: Roster,
    blocks: Blocks,
    tasks: Vec<Task>,
    /// Blocks to cross, where few boxes moved.
    marked: Vec<bool>,
    /// Places whose boxes are no more.
    over: Vec<u32>,
    pub(crate) pairs: PairBuffer,
    /// The boxes that `pairs` and the tasks belong to. None before the first update and after one that failed.
    seen: Option<Revision>,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Fetch all boxes, cross all blocks.
    All,
    /// Cross all blocks.
    Fetched,
    /// Cross marked blocks.
    Marked,
}

impl PairFinder for Bvh {
    fn name(&self) -> &str {
        "bvh"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        FindError::check_boxes("bvh", MOST_BOXES, boxes)?;
        settings.executor.install_for(boxes.len(), || self.find(boxes, settings))
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
            + self.marked.capacity()
            + self.over.capacity() * size_of::<u32>()
            + self.pairs.bytes()
    }
}

impl Bvh {
    fn find(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        self.tasks.iter_mut().for_each(Task::forget_changes);
        let seen = self.seen.take();
        let changes = boxes.changes_since(seen);
        let found = match changes {
            Changes::These([]) => self.pairs.apply(&[], &[], settings),
            Changes::These(changes) if !is_upheaval(changes, boxes) => {
                let scope = self.take_changes(changes, boxes, settings);
                self.follow(boxes, scope, settings, &mut clock)
            }
            Changes::Everything if boxes.only_moves_since(seen) => {
                self.follow(boxes, Scope::All, settings, &mut clock)
            }
            _ => self.start(boxes, settings, &mut clock),
        };
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
            tests: self.tasks.iter().map(|task| task.visited * BLOCK).sum::<usize>() as u64,
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            ..FindReport::default()
        })
    }

    /// Everything from cold: an order of places, and all pairs.
    fn start(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<(), FindError> {
        if self.roster.len() > 2 * boxes.len() + 1024 {
            // Memory for a larger scene is given back.
            *self = Self { pairs: std::mem::take(&mut self.pairs), ..Self::default() };
        }
        self.over.clear();
        self.roster.fill(boxes, order::spatial_order(boxes, &settings.executor));
        self.blocks.reset(self.roster.len());
        clock.end("place");
        self.blocks.fetch(boxes, &self.roster.slots, settings);
        clock.end("fetch");
        self.make_tasks();
        let found = AtomicUsize::new(0);
        let scene = Scene { blocks: &self.blocks, roster: &self.roster, boxes, settings, found: &found };
        settings.executor.for_each(&mut self.tasks, |index, task| task.find_all(index, scene));
        clock.end("cross");
        self.pairs.replace(self.tasks.iter().map(|task| &task.run), settings)?;
        self.tasks.iter_mut().for_each(|task| task.run.give_back());
        Ok(())
    }

    /// The frame after a frame.
    fn follow(
        &mut self,
        boxes: &Boxes,
        scope: Scope,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<(), FindError> {
        if scope == Scope::All {
            self.blocks.fetch(boxes, &self.roster.slots, settings);
        }
        clock.end("fetch");
        if self.blocks.are_worn() || self.roster.len() > 2 * boxes.len() + 1024 {
            return self.start(boxes, settings, clock);
        }
        self.make_tasks();
        let found = AtomicUsize::new(0);
        let scene = Scene { blocks: &self.blocks, roster: &self.roster, boxes, settings, found: &found };
        let marked = (scope == Scope::Marked).then_some(self.marked.as_slice());
        let most = settings.pair_limit.map(|limit| limit.saturating_mul(2).saturating_add(4096));
        let too_many = AtomicBool::new(false);
        let is_at_rest = |index: usize| {
            let range = index * TASK_BLOCKS..((index + 1) * TASK_BLOCKS).min(scene.blocks.count());
            marked.is_some_and(|marked| marked[range].iter().all(|marked| !marked))
        };
        settings.executor.for_each(&mut self.tasks, |index, task| {
            if !is_at_rest(index) && !task.follow(index, marked, most, scene) {
                too_many.store(true, Ordering::Relaxed);
            }
        });
        clock.end("cross");
        if too_many.into_inner() {
            // Probably more than the limit. From cold they are counted without being kept.
            return self.start(boxes, settings, clock);
        }
        let added: Vec<&[Pair]> = self.tasks.iter().map(|task| task.added.as_slice()).collect();
        let removed: Vec<&[Pair]> = self.tasks.iter().map(|task| task.removed.as_slice()).collect();
        if self.over.is_empty() {
            return self.pairs.apply_lists(&added, &removed, settings);
        }
        // A box that got another place: its pairs are over with one and new with the other.
        let (mut added, mut removed) = (added.concat(), removed.concat());
        added.sort_unstable();
        removed.sort_unstable();
        cancel_common(&mut added, &mut removed);
        for place in self.over.drain(..) {
            self.roster.leave(place);
        }
        self.pairs.apply(&added, &removed, settings)
    }

    /// Takes note of boxes that came, left or have another filter. Where not many changed, also fetches them; where few
    /// did, marks the blocks they may have pairs in.
    fn take_changes(&mut self, changes: &[Change], boxes: &Boxes, settings: &FindSettings) -> Scope {
        let mut touched = Vec::with_capacity(changes.len() / 4);
        for change in changes {
            let slot = change.slot();
            let place = self.roster.place_of(slot);
            touched.extend(place);
            if change.is_structural() {
                if let Some(place) = place {
                    self.roster.forget(place);
                    self.over.push(place);
                }
                if boxes.is_live(slot) {
                    touched.push(self.roster.enter(slot, boxes.id(slot)));
                }
            }
        }
        self.blocks.grow(self.roster.len());
        if changes.len() * SOME > boxes.len() {
            return Scope::All;
        }
        let touched = self.blocks.fetch_places(boxes, &self.roster.slots, &touched, settings.lanes);
        if changes.len() * FEW > boxes.len() {
            return Scope::Fetched;
        }
        self.marked.clear();
        self.marked.resize(self.blocks.count(), false);
        self.blocks.mark(&touched, &mut self.marked, settings.lanes);
        Scope::Marked
    }

    fn make_tasks(&mut self) {
        self.tasks.resize_with(self.blocks.count().div_ceil(TASK_BLOCKS), Task::default);
    }
}

/// Did so many boxes come, leave or get another filter that old places are of little use?
fn is_upheaval(changes: &[Change], boxes: &Boxes) -> bool {
    changes.len() > boxes.len() / 4
        && changes.iter().filter(|change| change.is_structural()).count() > boxes.len() / 4
}
