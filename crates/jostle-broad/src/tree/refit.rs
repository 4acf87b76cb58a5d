//! Fitting all boxes of a tree at once, with every leaf where it is.

use super::Tree;
use super::node::Child;

impl Tree {
    /// Gives every leaf a fresh fat box around its exact box, and every node the smallest box around its children.
    /// Cheaper than [`Tree::rebuild`], and as good while neighbours stay neighbours.
    pub fn refit(&mut self) {
        for leaf in 0..self.leaves.len() {
            let place = self.leaves[leaf].place;
            if place.is_in_tree() {
                let fat = self.fat_for(&self.leaves[leaf].exact);
                self.set_bounds(place, fat);
            }
        }
        self.disturbed += self.len();
        self.fit_nodes();
    }

    /// Gives every node the smallest box around its children.
    pub(super) fn fit_nodes(&mut self) {
        if self.root == Child::NONE || self.root.is_leaf() {
            return;
        }
        // Parents before children; fitted from the end. No recursion, as a tree may be deep.
        let mut order = self.scratch.take_order();
        order.push(self.root.index());
        let mut next = 0;
        while next < order.len() {
            let node = &self.nodes[order[next] as usize];
            next += 1;
            order.extend(node.children.iter().filter(|child| !child.is_leaf()).map(|child| child.index()));
        }
        for &node in order.iter().rev() {
            let node = &self.nodes[node as usize];
            let (place, union) = (node.place, node.union());
            self.set_bounds(place, union);
        }
        self.scratch.give_order(order);
    }
}
