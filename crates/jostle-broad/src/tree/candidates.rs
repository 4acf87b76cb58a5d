//! The pairs of leaves whose fat boxes overlap, kept from frame to frame: the **candidates**.
//!
//! Between two calls the candidates are exactly the pairs of leaves with overlapping fat boxes, each once, and each knows
//! whether it is a pair of the finder's answer (its exact boxes overlap and may pair). Two things follow. Where no fat
//! box changed, only candidates of boxes that moved have to be tested. And whether a pair *was* a candidate can be read
//! off the old fat boxes, so that new ones are recognised without any table of pairs.

use super::Tree;
use super::self_overlap::{Stacks, Work};
use crate::{Aabb, Boxes, Pair, PairRun};

/// The leaf moved, or its filter changed.
pub(super) const CHANGED: u8 = 1;
/// The leaf has another fat box than before, or is new.
pub(super) const LEFT: u8 = 2;
/// The leaf is no more.
pub(super) const GONE: u8 = 4;

const TOUCHING: u32 = 1 << 31;

/// Two leaves, and whether they make a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    a_and_touching: u32,
    b: u32,
}

impl Candidate {
    #[inline]
    fn new(a: u32, b: u32, touching: bool) -> Self {
        Self { a_and_touching: a | if touching { TOUCHING } else { 0 }, b }
    }

    #[inline]
    fn a(self) -> u32 {
        self.a_and_touching & !TOUCHING
    }

    #[inline]
    fn is_touching(self) -> bool {
        self.a_and_touching & TOUCHING != 0
    }
}

/// A leaf that left its fat box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub(super) leaf: u32,
    /// The fat box it had; [`Aabb::NOWHERE`] for a new leaf.
    pub(super) old: Aabb,
    /// The fat box it has now.
    pub(super) new: Aabb,
}

/// What all chunks read.
pub(super) struct View<'a> {
    pub(super) tree: &'a Tree,
    pub(super) boxes: &'a Boxes,
    /// Per leaf, the id it is reported by.
    pub(super) ids: &'a [u32],
    /// Per leaf, what happened to it.
    pub(super) marks: &'a [u8],
    /// Ascending by leaf.
    pub(super) left: &'a [Left],
    /// No filter has to be asked.
    pub(super) admits_all: bool,
}

impl View<'_> {
    #[inline]
    fn is_pair(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.tree.leaves[a as usize], &self.tree.leaves[b as usize]);
        a.exact.overlaps(&b.exact) && (self.admits_all || self.boxes.may_pair(a.key, b.key))
    }

    #[inline]
    fn pair(&self, a: u32, b: u32) -> Pair {
        Pair::new(self.ids[a as usize], self.ids[b as usize])
    }

    /// The fat box a leaf had before this frame.
    #[inline]
    fn old_fat(&self, leaf: u32) -> Aabb {
        if self.marks[leaf as usize] & LEFT == 0 {
            return self.tree.fat_of(leaf);
        }
        match self.left.binary_search_by_key(&leaf, |left| left.leaf) {
            Ok(at) => self.left[at].old,
            Err(_) => Aabb::NOWHERE,
        }
    }
}

/// Appends without doubling the memory: there are several candidates for each box, and they are kept.
fn push_tightly(candidates: &mut Vec<Candidate>, candidate: Candidate) {
    if candidates.len() == candidates.capacity() {
        candidates.reserve_exact(candidates.len() / 16 + 16);
    }
    candidates.push(candidate);
}

/// A part of the candidates, and what one task finds out about them.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    candidates: Vec<Candidate>,
    pub(super) run: PairRun,
    pub(super) added: Vec<Pair>,
    pub(super) removed: Vec<Pair>,
    pub(super) tests: u64,
    stacks: Stacks,
    /// Candidates were left out, because the pairs among them were more than the limit already.
    cut_short: bool,
}

impl Chunk {
    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.candidates.capacity() * size_of::<Candidate>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.run.bytes()
            + self.stacks.bytes()
    }

    /// Are all candidates there?
    pub(super) fn is_complete(&self) -> bool {
        !self.cut_short
    }

    /// Gives back the memory that only [`Self::find_all`] and [`Self::collect`] need.
    pub(super) fn shed(&mut self) {
        self.run = PairRun::default();
        self.candidates.shrink_to(self.candidates.len() + self.candidates.len() / 16 + 16);
    }

    /// Starts over: the candidates of these tasks, and the pairs among them.
    pub(super) fn find_all(&mut self, view: &View<'_>, works: &[Work], limit: Option<usize>) {
        let Self { candidates, run, stacks, tests, cut_short, .. } = self;
        candidates.clear();
        run.reset(limit);
        *tests = 0;
        let mut met = 0;
        for &work in works {
            *tests += view.tree.pairs_of(work, stacks, |a, b| {
                let touching = view.is_pair(a, b);
                met += 1;
                if run.is_within_limit() {
                    candidates.push(Candidate::new(a, b, touching));
                }
                if touching {
                    run.push(view.ids[a as usize], view.ids[b as usize]);
                }
            });
        }
        // The update will be refused; what is missing here is found by the next one.
        *cut_short = !run.is_within_limit();
        *tests += met;
    }

    /// Goes through the candidates of leaves that something happened to, then adds those of a share of the leaves that
    /// left their fat boxes.
    pub(super) fn follow(&mut self, view: &View<'_>, share: &[Left]) {
        self.added.clear();
        self.removed.clear();
        self.tests = 0;
        self.sweep(view);
        for left in share {
            self.add_candidates(view, left);
        }
    }

    fn sweep(&mut self, view: &View<'_>) {
        let mut kept = 0;
        for at in 0..self.candidates.len() {
            let mut candidate = self.candidates[at];
            let (a, b) = (candidate.a(), candidate.b);
            let mark = view.marks[a as usize] | view.marks[b as usize];
            if mark != 0 {
                let apart = mark & (LEFT | GONE) != 0 && !view.tree.fat_of(a).overlaps(&view.tree.fat_of(b));
                let touching = !apart && view.is_pair(a, b);
                self.tests += 1;
                if touching != candidate.is_touching() {
                    let list = if touching { &mut self.added } else { &mut self.removed };
                    list.push(view.pair(a, b));
                    candidate = Candidate::new(a, b, touching);
                }
                if apart {
                    continue;
                }
            }
            self.candidates[kept] = candidate;
            kept += 1;
        }
        self.candidates.truncate(kept);
    }

    fn add_candidates(&mut self, view: &View<'_>, left: &Left) {
        let Self { candidates, added, stacks, tests, .. } = self;
        let leaf = left.leaf;
        *tests += view.tree.descend(
            &mut stacks.nodes,
            |bounds| bounds.overlaps(&left.new),
            |other| {
                // Of two leaves that both left, the lower finds the pair.
                let both_left = view.marks[other as usize] & LEFT != 0;
                if other == leaf || (both_left && other < leaf) || left.old.overlaps(&view.old_fat(other)) {
                    return;
                }
                let touching = view.is_pair(leaf, other);
                push_tightly(candidates, Candidate::new(leaf, other, touching));
                if touching {
                    added.push(view.pair(leaf, other));
                }
            },
        );
    }

    /// Puts the pairs into the run.
    pub(super) fn collect(&mut self, view: &View<'_>, limit: Option<usize>) {
        self.run.reset(limit);
        for candidate in self.candidates.iter().filter(|candidate| candidate.is_touching()) {
            self.run.push(view.ids[candidate.a() as usize], view.ids[candidate.b as usize]);
        }
    }
}
