//! Walking every invariant of a tree.

use thiserror::Error;

use super::Tree;
use super::node::{Child, Place};
use crate::Aabb;

/// What is wrong with a tree, and where: a mistake in this crate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeDefect {
    /// An inner node is not as it should be.
    #[error("node {node}: {what}")]
    Node {
        /// Which node.
        node: u32,
        /// What is wrong.
        what: String,
    },
    /// A leaf is not as it should be.
    #[error("leaf {leaf} (key {key}): {what}")]
    Leaf {
        /// Which leaf.
        leaf: u32,
        /// Its key.
        key: u32,
        /// What is wrong.
        what: String,
    },
    /// The tree as a whole is not as it should be.
    #[error("tree: {what}")]
    Whole {
        /// What is wrong.
        what: String,
    },
}

impl Tree {
    /// Checks everything that must hold: links lead there and back, the box at a place is the union of those below it
    /// and a fat box contains its exact box, every key leads to its leaf, unbounded leaves are in their list and no
    /// others, and every node and leaf is either in use or free, once.
    pub fn validate(&self) -> Result<(), TreeDefect> {
        let mut used_nodes = vec![false; self.nodes.len()];
        let mut used_leaves = vec![false; self.leaves.len()];
        let mut stack = Vec::new();
        if self.root == Child::NONE {
            if self.root_bounds != Aabb::EMPTY {
                return Err(whole(format!("it is empty, but its box is {:?}", self.root_bounds)));
            }
        } else {
            stack.push(Place::ROOT);
        }
        while let Some(place) = stack.pop() {
            let (child, bounds) = self.at(place);
            if child.is_leaf() {
                self.check_leaf(child.index(), place, &bounds, &mut used_leaves)?;
                continue;
            }
            let index = child.index();
            let defect = |what: String| TreeDefect::Node { node: index, what };
            let Some(node) = self.nodes.get(index as usize) else {
                return Err(defect(format!(
                    "{place:?} leads to it, but there are {} nodes",
                    self.nodes.len()
                )));
            };
            if std::mem::replace(&mut used_nodes[index as usize], true) {
                return Err(defect("it hangs at two places".into()));
            }
            if node.place != place {
                return Err(defect(format!("it hangs at {place:?}, but says {:?}", node.place)));
            }
            if node.union() != bounds {
                return Err(defect(format!(
                    "its box is {bounds:?}, that of its children {:?}",
                    node.union()
                )));
            }
            stack.extend([Place::under(index, 0), Place::under(index, 1)]);
        }
        for (position, &leaf) in self.unbounded.iter().enumerate() {
            let Some(there) = self.leaves.get(leaf as usize) else {
                return Err(whole(format!("unbounded leaf {leaf} does not exist")));
            };
            if there.exact.is_finite() {
                let what = "it is among the unbounded leaves, but it is bounded".into();
                return Err(TreeDefect::Leaf { leaf, key: there.key, what });
            }
            self.check_leaf(leaf, Place::unbounded(position as u32), &there.exact, &mut used_leaves)?;
        }
        self.check_free(&mut used_nodes, &mut used_leaves)
    }

    fn check_leaf(&self, leaf: u32, place: Place, fat: &Aabb, used: &mut [bool]) -> Result<(), TreeDefect> {
        let Some(there) = self.leaves.get(leaf as usize) else {
            return Err(whole(format!(
                "{place:?} leads to leaf {leaf}, but there are {}",
                self.leaves.len()
            )));
        };
        let defect = |what: String| Err(TreeDefect::Leaf { leaf, key: there.key, what });
        if std::mem::replace(&mut used[leaf as usize], true) {
            return defect("it hangs at two places".into());
        }
        if there.place != place {
            return defect(format!("it hangs at {place:?}, but says {:?}", there.place));
        }
        if !fat.contains(&there.exact) {
            return defect(format!("its fat box {fat:?} does not contain the exact one {:?}", there.exact));
        }
        if place.is_in_tree() && !fat.is_finite() {
            return defect(format!("its box {fat:?} is unbounded, but it is in the tree"));
        }
        if self.table.get(there.key) != Some(leaf) {
            return defect(format!("its key leads to {:?}", self.table.get(there.key)));
        }
        Ok(())
    }

    fn check_free(&self, used_nodes: &mut [bool], used_leaves: &mut [bool]) -> Result<(), TreeDefect> {
        for &node in &self.free_nodes {
            let defect = |what: &str| Err(TreeDefect::Node { node, what: what.into() });
            match used_nodes.get_mut(node as usize) {
                None => return defect("it is free, but does not exist"),
                Some(true) => return defect("it is free, but in use or free twice"),
                Some(used) => *used = true,
            }
            if self.nodes[node as usize].place != Place::NOWHERE {
                return defect("it is free, but has a place");
            }
        }
        for &leaf in &self.free_leaves {
            match used_leaves.get_mut(leaf as usize) {
                None => return Err(whole(format!("free leaf {leaf} does not exist"))),
                Some(true) => return Err(whole(format!("leaf {leaf} is free, but in use or free twice"))),
                Some(used) => *used = true,
            }
            if self.leaves[leaf as usize].place != Place::NOWHERE {
                return Err(whole(format!("leaf {leaf} is free, but has a place")));
            }
        }
        if let Some(node) = used_nodes.iter().position(|used| !used) {
            return Err(TreeDefect::Node { node: node as u32, what: "it is neither in use nor free".into() });
        }
        if let Some(leaf) = used_leaves.iter().position(|used| !used) {
            let key = self.leaves[leaf].key;
            let what = "it is neither in use nor free".into();
            return Err(TreeDefect::Leaf { leaf: leaf as u32, key, what });
        }
        let in_tree = self.len() - self.unbounded.len();
        let nodes = self.nodes.len() - self.free_nodes.len();
        if nodes != in_tree.saturating_sub(1) {
            return Err(whole(format!("{in_tree} leaves hang on {nodes} nodes")));
        }
        Ok(())
    }
}

fn whole(what: String) -> TreeDefect {
    TreeDefect::Whole { what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Executor;
    use crate::scene::{BoxStream, StreamKind};

    fn tree() -> Tree {
        let stream = BoxStream::new(StreamKind::Disparity, 50, 3);
        let mut tree = Tree::default();
        let boxes = stream.boxes().iter().enumerate().map(|(key, aabb)| (key as u32, *aabb));
        tree.insert_all(boxes, &Executor::serial()).unwrap();
        tree.insert(50, Aabb::EVERYWHERE).unwrap();
        tree.remove(7).unwrap();
        tree.validate().unwrap();
        tree
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        type Damage = (&'static str, fn(&mut Tree));
        let damages: [Damage; 8] = [
            ("node 3", |tree| tree.nodes[3].place = Place::under(40, 1)),
            ("node 3", |tree| tree.nodes[3].bounds = [Aabb::EMPTY; 2]),
            ("does not contain", |tree| tree.leaves[5].exact = Aabb::new(glam::Vec3::MIN, glam::Vec3::MAX)),
            ("its key leads to", |tree| tree.leaves[5].key = 6),
            ("free twice", |tree| tree.free_nodes.push(tree.free_nodes[0])),
            ("neither in use nor free", |tree| tree.free_leaves.clear()),
            ("among the unbounded", |tree| {
                tree.leaves[*tree.unbounded.last().unwrap() as usize].exact = tree.root_bounds;
            }),
            ("two places", |tree| tree.unbounded.push(tree.unbounded[0])),
        ];
        for (expected, damage) in damages {
            let mut tree = tree();
            damage(&mut tree);
            let defect = tree.validate().expect_err(expected).to_string();
            assert!(defect.contains(expected), "{expected}: {defect}");
        }
    }
}
