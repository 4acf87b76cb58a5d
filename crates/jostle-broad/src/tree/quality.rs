//! How good a tree is, and when to build it anew.

use super::Tree;
use super::node::Place;
use super::weight::weight;
use crate::Executor;

impl Tree {
    /// What the tree costs to descend: the weight of all inner nodes relative to that of the leaves. The lower the
    /// better; it depends on the scene, so that only the growth since the last build says something about the tree.
    /// Looks at every node.
    pub fn quality(&self) -> f64 {
        let (mut inner, mut outer) = (0.0, 0.0);
        for node in self.nodes.iter().filter(|node| node.place != Place::NOWHERE) {
            inner += weight(&node.union(), self.grain);
            for side in [0, 1] {
                if node.children[side].is_leaf() {
                    outer += weight(&node.bounds[side], self.grain);
                }
            }
        }
        if outer > 0.0 { inner / outer } else { 1.0 }
    }

    /// [`Tree::quality`] as it was after the last build.
    pub fn built_quality(&self) -> f64 {
        self.built_quality
    }

    /// Rebuilds the tree if it is much worse than after the last build (see [`super::TreeSettings::rebuild_at`]) or
    /// has twice as many boxes; says whether it did. Call it once a frame: it costs nothing until about as many boxes
    /// have left their fat boxes as there are.
    pub fn tend(&mut self, executor: &Executor) -> bool {
        let rebuild = self.is_worn();
        if rebuild {
            self.rebuild(executor);
        }
        rebuild
    }

    /// Should the tree be rebuilt?
    pub(super) fn is_worn(&mut self) -> bool {
        if self.disturbed <= self.len().max(16) {
            return false;
        }
        self.disturbed = 0;
        self.len() > 2 * self.built_leaves
            || self.quality() > self.built_quality * f64::from(self.settings.rebuild_at)
    }
}
