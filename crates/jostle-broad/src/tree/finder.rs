//! The finder `tree`: one tree and its candidates, kept from frame to frame.
//!
//! A frame: bring the exact boxes up to date (`mark`); give those that left their fat boxes new ones (`relocate`); go
//! through the candidates of boxes that moved, and look for new ones around the boxes that left (`follow`). Where many
//! left at once, fit or build the whole tree (`build`) and find all candidates anew (`traverse`).

use super::candidates::{Chunk, Left, View};
use super::self_overlap::Work;
use super::{Tree, TreeSettings, TreeSettingsError};
use crate::finder::StageClock;
use crate::pairs::cancel_common;
use crate::{
    Boxes, Changes, Executor, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, Revision,
};

/// When more than one leaf in so many left its fat box, all candidates are found anew.
const RESTLESS: usize = 4;
/// Leaves per chunk of candidates, and how many chunks there are at most.
const LEAVES_PER_CHUNK: usize = 1024;
const MAX_CHUNKS: usize = 256;

/// Finds pairs by a dynamic tree of fat boxes: cheap where little moves, or moves little.
#[derive(Debug, Default)]
pub struct TreeFinder {
    pub(super) tree: Tree,
    /// Per leaf, the id its pairs were reported by.
    pub(super) ids: Vec<u32>,
    /// Per leaf, what happened to it in this frame.
    pub(super) marks: Vec<u8>,
    /// Leaves that left their fat boxes in this frame, new ones included.
    pub(super) left: Vec<Left>,
    pub(super) left_lists: Vec<Vec<Left>>,
    /// Leaves that are no more.
    pub(super) gone: Vec<u32>,
    pub(super) seen: Option<Revision>,
    chunks: Vec<Chunk>,
    works: Vec<Work>,
    added: Vec<Pair>,
    removed: Vec<Pair>,
    pub(crate) pairs: PairBuffer,
    /// Does `pairs` hold exactly the candidates that touch? Not before the first update, nor after one that failed.
    in_step: bool,
}

/// What was done to the tree in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upkeep {
    Relocated,
    Refitted,
    Rebuilt,
}

impl TreeFinder {
    /// A finder whose tree has these settings.
    pub fn new(settings: TreeSettings) -> Result<Self, TreeSettingsError> {
        Ok(Self { tree: Tree::new(settings)?, ..Self::default() })
    }

    /// The tree of the latest update, to ask it other questions. Its keys are slots: see [`Boxes::id`].
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Gives every leaf that left its fat box the new one.
    fn relocate(&mut self, executor: &Executor) -> Upkeep {
        if self.left.len() * RESTLESS > self.tree.len() {
            return self.relocate_many(executor);
        }
        for left in &self.left {
            self.tree.relocate(left.leaf, left.new);
        }
        if self.tree.tend(executor) { Upkeep::Rebuilt } else { Upkeep::Relocated }
    }

    /// The whole tree at once: boxes that drift are fitted where they are; boxes that jump are not worth the try.
    fn relocate_many(&mut self, executor: &Executor) -> Upkeep {
        let tree = &mut self.tree;
        let drifts = |tree: &Tree, left: &Left| {
            tree.leaves[left.leaf as usize].place.is_in_tree()
                && left.new.is_finite()
                && left.new != tree.leaves[left.leaf as usize].exact
        };
        let drifting = self.left.iter().filter(|left| drifts(tree, left)).count();
        if drifting > self.left.len() - self.left.len() / 16 {
            for left in &self.left {
                if drifts(tree, left) {
                    let place = tree.leaves[left.leaf as usize].place;
                    tree.set_bounds(place, left.new);
                }
            }
            tree.fit_nodes();
            tree.disturbed += drifting;
            for left in &self.left {
                if !drifts(tree, left) {
                    tree.relocate(left.leaf, left.new);
                }
            }
            return if tree.tend(executor) { Upkeep::Rebuilt } else { Upkeep::Refitted };
        }
        let mut added = Vec::with_capacity(self.left.len());
        for left in &self.left {
            tree.leaves[left.leaf as usize].place = super::Place::NOWHERE;
            added.push((left.leaf, left.new));
        }
        let leaves = &tree.leaves;
        tree.unbounded.retain(|&leaf| leaves[leaf as usize].place != super::Place::NOWHERE);
        tree.rebuild_with(&added, executor);
        Upkeep::Rebuilt
    }

    /// All candidates anew, with the chunks cut from the tree.
    fn traverse(&mut self, boxes: &Boxes, settings: &FindSettings) {
        let chunks = self.tree.len().div_ceil(LEAVES_PER_CHUNK).clamp(1, MAX_CHUNKS);
        self.tree.cut_work(if chunks == 1 { 1 } else { 4 * chunks }, &mut self.works);
        let works = std::mem::take(&mut self.works);
        self.chunks.resize_with(chunks, Chunk::default);
        self.for_each_chunk(boxes, settings, |view, share, chunk| {
            chunk.find_all(view, share.of(&works), settings.pair_limit);
        });
        self.works = works;
    }

    fn for_each_chunk(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        work: impl Fn(&View<'_>, Share, &mut Chunk) + Sync + Send,
    ) {
        let view = View {
            tree: &self.tree,
            boxes,
            ids: &self.ids,
            marks: &self.marks,
            left: &self.left,
            admits_all: boxes.admits_all(),
        };
        let of = self.chunks.len();
        settings.executor.for_each(&mut self.chunks, |index, chunk| work(&view, Share { index, of }, chunk));
    }

    /// Puts the runs of all chunks into the buffer.
    fn replace(&mut self, settings: &FindSettings) -> Result<(), FindError> {
        self.pairs.replace(self.chunks.iter().map(|chunk| &chunk.run), settings)
    }

    /// Puts what all chunks found to be new and over into the buffer.
    fn apply(&mut self, settings: &FindSettings) -> Result<(), FindError> {
        self.added.clear();
        self.removed.clear();
        for chunk in &self.chunks {
            self.added.extend_from_slice(&chunk.added);
            self.removed.extend_from_slice(&chunk.removed);
        }
        if !self.gone.is_empty() {
            // An id that went to another slot: its pairs are over with one leaf and new with the other.
            self.added.sort_unstable();
            self.removed.sort_unstable();
            cancel_common(&mut self.added, &mut self.removed);
        }
        self.pairs.apply(&self.added, &self.removed, settings)
    }

    /// Gives back the memory that only frames of much change need.
    fn shed(&mut self) {
        self.tree.shed();
        self.left = Vec::new();
        self.left_lists.clear();
        self.pairs.give_back_scratch();
        self.chunks.iter_mut().for_each(Chunk::shed);
    }

    fn report(
        &self,
        boxes: &Boxes,
        clock: StageClock,
        moved: usize,
        left: usize,
        upkeep: Upkeep,
    ) -> FindReport {
        let candidates: usize = self.chunks.iter().map(Chunk::len).sum();
        let done = match upkeep {
            Upkeep::Relocated => "relocated",
            Upkeep::Refitted => "refitted",
            Upkeep::Rebuilt => "rebuilt",
        };
        FindReport {
            boxes: boxes.len(),
            moved,
            tests: if moved == 0 { 0 } else { self.chunks.iter().map(|chunk| chunk.tests).sum() },
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            tests_per_thread: Vec::new(),
            detail: Some(format!("{done}, {left} left, {candidates} candidates")),
        }
    }
}

impl PairFinder for TreeFinder {
    fn name(&self) -> &str {
        "tree"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        FindError::check_boxes("tree", Tree::MAX_LEN, boxes)?;
        let mut clock = StageClock::start();
        if self.in_step && matches!(boxes.changes_since(self.seen), Changes::These([])) {
            self.left.clear();
            self.pairs.apply(&[], &[], settings)?;
            clock.end("order");
            return Ok(self.report(boxes, clock, 0, 0, Upkeep::Relocated));
        }
        self.mark(boxes, &settings.executor);
        self.seen = Some(boxes.revision());
        let moved = self.marks.iter().filter(|&&mark| mark != 0).count();
        clock.end("mark");

        let left = self.left.len();
        let upkeep = self.relocate(&settings.executor);
        if upkeep == Upkeep::Rebuilt {
            self.gone.clear();
            self.ids.clear();
            self.ids.extend(self.tree.leaves.iter().map(|leaf| boxes.id(leaf.key)));
        }
        clock.end(if upkeep == Upkeep::Relocated { "relocate" } else { "build" });

        let was_in_step = std::mem::replace(&mut self.in_step, false);
        let found = if upkeep == Upkeep::Relocated && self.chunks.iter().all(Chunk::is_complete) {
            self.for_each_chunk(boxes, settings, |view, share, chunk| {
                chunk.follow(view, share.of(view.left));
                if !was_in_step {
                    chunk.collect(view, settings.pair_limit);
                }
            });
            clock.end("follow");
            if was_in_step { self.apply(settings) } else { self.replace(settings) }
        } else {
            self.traverse(boxes, settings);
            clock.end("traverse");
            self.replace(settings)
        };
        self.gone.iter().for_each(|&leaf| self.tree.release_leaf(leaf));
        found?;
        self.in_step = true;
        if upkeep == Upkeep::Rebuilt {
            self.shed();
        }
        self.pairs.give_back(boxes.len());
        clock.end("order");
        Ok(self.report(boxes, clock, moved, left, upkeep))
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.ids.capacity() * size_of::<u32>()
            + self.marks.capacity()
            + (self.left.capacity() + self.left_lists.iter().map(Vec::capacity).sum::<usize>())
                * size_of::<Left>()
            + self.gone.capacity() * size_of::<u32>()
            + self.chunks.iter().map(Chunk::bytes).sum::<usize>()
            + self.works.capacity() * size_of::<Work>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.pairs.bytes()
    }
}

/// One of several equal shares.
#[derive(Clone, Copy)]
struct Share {
    index: usize,
    of: usize,
}

impl Share {
    fn of<T>(self, all: &[T]) -> &[T] {
        &all[self.index * all.len() / self.of..(self.index + 1) * all.len() / self.of]
    }
}
