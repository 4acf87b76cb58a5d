//! Repairing a tree from a changed place upward: boxes are fitted, and nodes rotated where that makes them lighter.

use super::Tree;
use super::node::Place;
use super::weight::weight;

impl Tree {
    /// Fits the boxes above a place whose own box changed. Goes on until a box stays the same, or, if asked, to the
    /// root, rotating on the way: a new leaf is worth the whole path, a small step of an old one is not.
    pub(super) fn climb(&mut self, from: Place, to_the_root: bool) {
        let mut place = from;
        while let Some((node, _)) = place.parent() {
            self.rotate(node);
            let union = self.nodes[node as usize].union();
            place = self.nodes[node as usize].place;
            if self.at(place).1 != union {
                self.set_bounds(place, union);
            } else if !to_the_root {
                break;
            }
        }
    }

    /// Exchanges a child with a grandchild on the other side, if a lighter node comes of it (Kopta, Ize, Spjut,
    /// Brunvand, Davis, Kensler, 'Fast, effective BVH updates for animated scenes', 2012). The box around `node` itself
    /// is not changed by it.
    fn rotate(&mut self, node: u32) {
        let here = self.nodes[node as usize];
        let mut best = (0.0, 0, 0);
        for side in [0, 1] {
            let child = here.children[side];
            if child.is_leaf() {
                continue;
            }
            let below = &self.nodes[child.index() as usize];
            let now = weight(&here.bounds[side], self.grain);
            for leaving in [0, 1] {
                let fitted = here.bounds[1 - side].union(&below.bounds[1 - leaving]);
                let saved = now - weight(&fitted, self.grain);
                if saved > best.0 {
                    best = (saved, side, leaving);
                }
            }
        }
        let (saved, side, leaving) = best;
        if saved > 0.0 {
            let lower = here.children[side].index();
            let below = self.nodes[lower as usize];
            self.hang(Place::under(node, 1 - side), below.children[leaving], below.bounds[leaving]);
            self.hang(Place::under(lower, leaving), here.children[1 - side], here.bounds[1 - side]);
            self.nodes[node as usize].bounds[side] = self.nodes[lower as usize].union();
        }
    }
}
