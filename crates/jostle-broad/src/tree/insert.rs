//! Insert, remove and move one box.
//!
//! A new leaf becomes the sibling of the leaf or node where it adds the least weight to the tree. The search is branch
//! and bound: a place cannot be better than the weight its ancestors gain plus that of the leaf alone, and places are
//! looked at in the order of that bound (Bittner, Hapala, Havran, 'Fast insertion-based optimization of bounding volume
//! hierarchies', 2013).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::node::{Child, Leaf, Node, Place};
use super::weight::{longest_side, weight};
use super::{Tree, checked};
use crate::{Aabb, BoxError};

/// Places to look at, the most promising on top.
#[derive(Clone, Debug, Default)]
pub(super) struct SiblingQueue(BinaryHeap<Prospect>);

impl SiblingQueue {
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Prospect>()
    }
}

#[derive(Clone, Copy, Debug)]
struct Prospect {
    /// What the ancestors of the place gain in weight.
    inherited: f64,
    place: Place,
}

impl PartialEq for Prospect {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Prospect {}

impl PartialOrd for Prospect {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Prospect {
    fn cmp(&self, other: &Self) -> Ordering {
        other.inherited.total_cmp(&self.inherited)
    }
}

impl Tree {
    /// Adds a box.
    pub fn insert(&mut self, key: u32, aabb: Aabb) -> Result<(), BoxError> {
        let aabb = self.check_new(key, aabb)?;
        let leaf = self.add_leaf(key, aabb);
        self.attach(leaf, self.fat_for(&aabb));
        Ok(())
    }

    /// Removes a box and returns it.
    pub fn remove(&mut self, key: u32) -> Result<Aabb, BoxError> {
        let leaf = self.table.get(key).ok_or(BoxError::UnknownId { id: key })?;
        self.detach(leaf);
        let exact = self.leaves[leaf as usize].exact;
        self.release_leaf(leaf);
        Ok(exact)
    }

    /// Moves a box. Says whether it left its fat box; if it did not, the tree is as it was.
    pub fn set(&mut self, key: u32, aabb: Aabb) -> Result<bool, BoxError> {
        let leaf = self.table.get(key).ok_or(BoxError::UnknownId { id: key })?;
        let aabb = checked(key, aabb)?;
        let fat = self.fat_of(leaf);
        let before = std::mem::replace(&mut self.leaves[leaf as usize].exact, aabb);
        if self.holds(&fat, &aabb) {
            return Ok(false);
        }
        self.relocate(leaf, self.fat_after(&before, &aabb));
        Ok(true)
    }

    /// May a leaf with this fat box have this exact box?
    #[inline]
    pub(super) fn holds(&self, fat: &Aabb, exact: &Aabb) -> bool {
        // The fat box of an unbounded leaf is its exact box: it has to be the same, and not just around it.
        if fat.is_finite() { fat.contains(exact) } else { fat == exact }
    }

    /// A leaf that hangs nowhere yet.
    pub(super) fn add_leaf(&mut self, key: u32, exact: Aabb) -> u32 {
        let new = Leaf { exact, key, place: Place::NOWHERE };
        let leaf = match self.free_leaves.pop() {
            Some(leaf) => {
                self.leaves[leaf as usize] = new;
                leaf
            }
            None => {
                self.leaves.push(new);
                (self.leaves.len() - 1) as u32
            }
        };
        self.table.set(key, leaf);
        leaf
    }

    /// Gives up a leaf that hangs nowhere.
    pub(super) fn release_leaf(&mut self, leaf: u32) {
        let there = &self.leaves[leaf as usize];
        debug_assert_eq!(there.place, Place::NOWHERE);
        // The key may have gone to another leaf already.
        if self.table.get(there.key) == Some(leaf) {
            self.table.clear(there.key);
        }
        self.free_leaves.push(leaf);
    }

    /// Gives a leaf another fat box, and another place if it has none or the new box is away from the old one.
    pub(super) fn relocate(&mut self, leaf: u32, fat: Aabb) {
        let place = self.leaves[leaf as usize].place;
        if place.is_in_tree() && fat.is_finite() && self.fat_of(leaf).overlaps(&fat) {
            self.disturbed += 1;
            self.set_bounds(place, fat);
            self.climb(place, false);
        } else {
            if place != Place::NOWHERE {
                self.detach(leaf);
            }
            self.attach(leaf, fat);
        }
    }

    /// Hangs a leaf up where it adds the least weight.
    pub(super) fn attach(&mut self, leaf: u32, fat: Aabb) {
        if !fat.is_finite() {
            self.leaves[leaf as usize].place = Place::unbounded(self.unbounded.len() as u32);
            self.unbounded.push(leaf);
            return;
        }
        self.disturbed += 1;
        if self.root == Child::NONE {
            self.grain = longest_side(&fat);
            self.hang(Place::ROOT, Child::leaf(leaf), fat);
            return;
        }
        self.settle_grain(&fat);
        let place = self.best_sibling(&fat);
        let (sibling, bounds) = self.at(place);
        let node = self.add_node();
        self.hang(place, Child::node(node), bounds.union(&fat));
        self.hang(Place::under(node, 0), sibling, bounds);
        self.hang(Place::under(node, 1), Child::leaf(leaf), fat);
        self.climb(place, true);
    }

    /// Until the first build, the grain is the running mean of the leaves; one of enormous size must not set it alone.
    fn settle_grain(&mut self, fat: &Aabb) {
        if self.built_leaves == 0 {
            let most = if self.grain > 0.0 { 32.0 * self.grain } else { f64::INFINITY };
            self.grain += (longest_side(fat).min(most) - self.grain) / self.len() as f64;
        }
        if self.grain <= 0.0 {
            self.grain = longest_side(&self.root_bounds.union(fat)) / 1024.0;
        }
    }

    /// Takes a leaf down; its sibling goes up in place of their parent.
    pub(super) fn detach(&mut self, leaf: u32) {
        let place = std::mem::replace(&mut self.leaves[leaf as usize].place, Place::NOWHERE);
        if let Some(position) = place.position() {
            self.unbounded.swap_remove(position as usize);
            if let Some(&moved) = self.unbounded.get(position as usize) {
                self.leaves[moved as usize].place = place;
            }
        } else if let Some((node, side)) = place.parent() {
            let parent = self.nodes[node as usize];
            self.hang(parent.place, parent.children[1 - side], parent.bounds[1 - side]);
            self.nodes[node as usize].place = Place::NOWHERE;
            self.free_nodes.push(node);
            self.climb(parent.place, false);
        } else {
            (self.root, self.root_bounds) = (Child::NONE, Aabb::EMPTY);
        }
    }

    fn add_node(&mut self) -> u32 {
        let new = Node { bounds: [Aabb::EMPTY; 2], children: [Child::NONE; 2], place: Place::NOWHERE };
        match self.free_nodes.pop() {
            Some(node) => {
                self.nodes[node as usize] = new;
                node
            }
            None => {
                self.nodes.push(new);
                (self.nodes.len() - 1) as u32
            }
        }
    }

    /// The place whose occupant a leaf with this box should share a parent with.
    fn best_sibling(&mut self, fat: &Aabb) -> Place {
        let mut queue = std::mem::take(&mut self.siblings);
        queue.0.clear();
        let alone = weight(fat, self.grain);
        let (mut best, mut best_added) = (Place::ROOT, f64::INFINITY);
        queue.0.push(Prospect { inherited: 0.0, place: Place::ROOT });
        while let Some(Prospect { inherited, place }) = queue.0.pop() {
            if inherited + alone >= best_added {
                break;
            }
            let (child, bounds) = self.at(place);
            let with_fat = weight(&bounds.union(fat), self.grain);
            if inherited + with_fat < best_added {
                (best, best_added) = (place, inherited + with_fat);
            }
            let gained = inherited + (with_fat - weight(&bounds, self.grain));
            if !child.is_leaf() && gained + alone < best_added {
                for side in [0, 1] {
                    let place = Place::under(child.index(), side);
                    queue.0.push(Prospect { inherited: gained, place });
                }
            }
        }
        self.siblings = queue;
        best
    }
}
