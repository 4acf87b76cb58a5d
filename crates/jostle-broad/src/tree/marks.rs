//! From the changes of the store to marks on leaves: what moved, what left its fat box, what came and what went.

use super::candidates::{CHANGED, GONE, LEFT, Left};
use super::node::{Leaf, Node};
use super::{Tree, TreeFinder};
use crate::{Aabb, Boxes, Change, Changes, Executor};

/// Leaves per task when all are looked at.
const PIECE: usize = 4096;

impl TreeFinder {
    /// Brings all exact boxes up to date, and fills `marks`, `left` and `gone`. Fat boxes stay as they are.
    pub(super) fn mark(&mut self, boxes: &Boxes, executor: &Executor) {
        self.left.clear();
        self.gone.clear();
        self.marks.clear();
        self.marks.resize(self.tree.leaves.len(), 0);
        match boxes.changes_since(self.seen) {
            Changes::These(changes) => {
                changes.iter().filter(|change| change.is_structural()).for_each(|change| {
                    self.renew(boxes, change.slot());
                });
                if changes.len() > self.tree.len() / 4 {
                    self.mark_all(boxes, executor);
                } else {
                    changes.iter().for_each(|change| self.mark_one(boxes, *change));
                }
            }
            Changes::Everything => {
                let slots = boxes.slots() as u32;
                for leaf in 0..self.tree.leaves.len() as u32 {
                    let key = self.tree.leaves[leaf as usize].key;
                    if key >= slots && self.tree.table.get(key) == Some(leaf) {
                        self.part_with(leaf);
                    }
                }
                // Filters may have changed unseen: every leaf counts as changed.
                (0..slots).for_each(|slot| self.renew(boxes, slot));
                self.mark_all(boxes, executor);
            }
        }
        self.left.sort_unstable_by_key(|left| left.leaf);
    }

    /// A slot that was filled, emptied, or given another filter.
    fn renew(&mut self, boxes: &Boxes, slot: u32) {
        let leaf = self.tree.table.get(slot);
        let is_live = boxes.is_live(slot);
        match leaf {
            Some(leaf) if is_live && self.ids[leaf as usize] == boxes.id(slot) => {
                self.marks[leaf as usize] |= CHANGED;
                return;
            }
            Some(leaf) => self.part_with(leaf),
            None => {}
        }
        if is_live {
            let exact = *boxes.aabb(slot);
            let leaf = self.tree.add_leaf(slot, exact);
            let count = self.tree.leaves.len();
            self.marks.resize(count, 0);
            self.ids.resize(count, 0);
            self.marks[leaf as usize] = LEFT;
            self.ids[leaf as usize] = boxes.id(slot);
            self.left.push(Left { leaf, old: Aabb::NOWHERE, new: self.tree.fat_for(&exact) });
        }
    }

    /// Takes a leaf out of the tree. Its number is free again only after the candidates have been gone through.
    fn part_with(&mut self, leaf: u32) {
        self.tree.table.clear(self.tree.leaves[leaf as usize].key);
        self.tree.detach(leaf);
        self.marks[leaf as usize] = GONE;
        self.gone.push(leaf);
    }

    fn mark_one(&mut self, boxes: &Boxes, change: Change) {
        let Some(leaf) = self.tree.table.get(change.slot()) else { return };
        let mut there = self.tree.leaves[leaf as usize];
        let mark = &mut self.marks[leaf as usize];
        // A new leaf has its box already, and so has a slot that is listed twice.
        self.left.extend(look(&self.tree, &self.tree.nodes, boxes, leaf, &mut there, mark));
        self.tree.leaves[leaf as usize] = there;
    }

    fn mark_all(&mut self, boxes: &Boxes, executor: &Executor) {
        struct Piece<'a> {
            leaves: &'a mut [Leaf],
            marks: &'a mut [u8],
            left: Vec<Left>,
        }
        let mut leaves = std::mem::take(&mut self.tree.leaves);
        let mut lists = std::mem::take(&mut self.left_lists).into_iter();
        let mut pieces: Vec<Piece<'_>> = leaves
            .chunks_mut(PIECE)
            .zip(self.marks.chunks_mut(PIECE))
            .map(|(leaves, marks)| Piece { leaves, marks, left: lists.next().unwrap_or_default() })
            .collect();
        let tree = &self.tree;
        executor.for_each(&mut pieces, |index, piece| {
            piece.left.clear();
            for (at, (leaf, mark)) in piece.leaves.iter_mut().zip(piece.marks.iter_mut()).enumerate() {
                if *mark & (GONE | LEFT) == 0 && leaf.place != super::Place::NOWHERE {
                    let number = (index * PIECE + at) as u32;
                    piece.left.extend(look(tree, &tree.nodes, boxes, number, leaf, mark));
                }
            }
        });
        for piece in pieces {
            self.left.extend_from_slice(&piece.left);
            self.left_lists.push(piece.left);
        }
        self.tree.leaves = leaves;
    }
}

/// Takes over the box of one leaf; if it left its fat box, says from which to which.
#[inline]
fn look(
    tree: &Tree,
    nodes: &[Node],
    boxes: &Boxes,
    number: u32,
    leaf: &mut Leaf,
    mark: &mut u8,
) -> Option<Left> {
    let exact = *boxes.aabb(leaf.key);
    if exact == leaf.exact {
        return None;
    }
    *mark |= CHANGED;
    let before = std::mem::replace(&mut leaf.exact, exact);
    // Not by `fat_of`: the leaves are away from the tree while they are looked at.
    let old = match leaf.place.parent() {
        Some((node, side)) => nodes[node as usize].bounds[side],
        None if leaf.place == super::Place::ROOT => tree.root_bounds,
        None => before,
    };
    if tree.holds(&old, &exact) {
        return None;
    }
    *mark |= LEFT;
    Some(Left { leaf: number, old, new: tree.fat_after(&before, &exact) })
}
