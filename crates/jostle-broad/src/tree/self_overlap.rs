//! All pairs of leaves whose fat boxes overlap, by descending the tree against itself.
//!
//! A task is a pair of children to compare, or one node to compare with itself. The tasks are cut from the top of the
//! tree, so that they are the same for any number of threads.

use super::Tree;
use super::node::Child;
use crate::{Executor, Pair};

/// Two children whose boxes overlap; twice the same node stands for the pairs within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work(Child, Child);

/// Memory of a descent.
#[derive(Clone, Debug, Default)]
pub(super) struct Stacks {
    pub(super) works: Vec<Work>,
    pub(super) nodes: Vec<u32>,
}

impl Stacks {
    pub(super) fn bytes(&self) -> usize {
        self.works.capacity() * size_of::<Work>() + self.nodes.capacity() * size_of::<u32>()
    }
}

impl Tree {
    /// All pairs of keys whose boxes overlap, in canonical order.
    pub fn overlapping_pairs(&self, executor: &Executor) -> Vec<Pair> {
        let mut works = Vec::new();
        self.cut_work(self.len().div_ceil(1024).min(256), &mut works);
        let mut tasks: Vec<(Work, Vec<Pair>)> = works.into_iter().map(|work| (work, Vec::new())).collect();
        executor.for_each(&mut tasks, |_, (work, pairs)| {
            self.pairs_of(*work, &mut Stacks::default(), |a, b| {
                let (a, b) = (&self.leaves[a as usize], &self.leaves[b as usize]);
                if a.exact.overlaps(&b.exact) {
                    pairs.push(Pair::new(a.key, b.key));
                }
            });
        });
        let mut all: Vec<Pair> = tasks.into_iter().flat_map(|(_, pairs)| pairs).collect();
        all.sort_unstable();
        all
    }

    /// Cuts the search for all pairs into at least `pieces` tasks, if there are as many, from left to right.
    pub(super) fn cut_work(&self, pieces: usize, works: &mut Vec<Work>) {
        works.clear();
        for &leaf in &self.unbounded {
            works.push(Work(Child::leaf(leaf), Child::leaf(leaf)));
        }
        if self.root == Child::NONE || self.root.is_leaf() {
            return;
        }
        let beside = works.len();
        works.push(Work(self.root, self.root));
        while works.len() - beside < pieces {
            let mut finer = works[..beside].to_vec();
            for &work in &works[beside..] {
                if work.0.is_leaf() && work.1.is_leaf() {
                    finer.push(work);
                } else {
                    self.refine(work, |part| finer.push(part));
                }
            }
            if finer.len() == works.len() {
                break;
            }
            *works = finer;
        }
    }

    /// Passes every pair of leaves in a task whose fat boxes overlap to `emit`. Returns how many tests were made.
    #[inline]
    pub(super) fn pairs_of(&self, work: Work, stacks: &mut Stacks, mut emit: impl FnMut(u32, u32)) -> u64 {
        let Stacks { works, nodes } = stacks;
        let mut tests = 0;
        works.clear();
        works.push(work);
        while let Some(work) = works.pop() {
            let Work(a, b) = work;
            match (a.is_leaf(), b.is_leaf()) {
                (true, true) if a == b => tests += self.pairs_of_unbounded(a.index(), nodes, &mut emit),
                (true, true) => emit(a.index(), b.index()),
                (false, false) => tests += self.refine(work, |part| works.push(part)),
                (leaf_first, _) => {
                    let (leaf, node) = if leaf_first { (a.index(), b) } else { (b.index(), a) };
                    let fat = self.fat_of(leaf);
                    let touches = |bounds: &_| fat.overlaps(bounds);
                    tests += self.descend_below(node, nodes, touches, |other| emit(leaf, other));
                }
            }
        }
        tests
    }

    /// An unbounded leaf against everything in the tree, and against the unbounded leaves after it.
    fn pairs_of_unbounded(&self, leaf: u32, nodes: &mut Vec<u32>, mut emit: impl FnMut(u32, u32)) -> u64 {
        let exact = self.leaves[leaf as usize].exact;
        let position = |leaf: u32| self.leaves[leaf as usize].place.position();
        self.descend(
            nodes,
            |bounds| exact.overlaps(bounds),
            |other| {
                if position(other).is_none() || position(other) > position(leaf) {
                    emit(leaf, other);
                }
            },
        )
    }

    /// The overlapping parts of a task of nodes, one level down. Returns how many tests were made.
    #[inline]
    fn refine(&self, Work(a, b): Work, mut push: impl FnMut(Work)) -> u64 {
        if a == b {
            let node = &self.nodes[a.index() as usize];
            let [left, right] = node.children;
            if !left.is_leaf() {
                push(Work(left, left));
            }
            if node.bounds[0].overlaps(&node.bounds[1]) {
                push(Work(left, right));
            }
            if !right.is_leaf() {
                push(Work(right, right));
            }
            return 1;
        }
        if a.is_leaf() || b.is_leaf() {
            let (leaf, node) = if a.is_leaf() { (a, b) } else { (b, a) };
            let fat = self.fat_of(leaf.index());
            let node = &self.nodes[node.index() as usize];
            for side in [0, 1] {
                if node.bounds[side].overlaps(&fat) {
                    push(Work(leaf, node.children[side]));
                }
            }
            return 2;
        }
        let (a, b) = (&self.nodes[a.index() as usize], &self.nodes[b.index() as usize]);
        for i in [0, 1] {
            for j in [0, 1] {
                if a.bounds[i].overlaps(&b.bounds[j]) {
                    push(Work(a.children[i], b.children[j]));
                }
            }
        }
        4
    }
}
