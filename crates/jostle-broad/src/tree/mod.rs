//! A dynamic tree of boxes: build, insert, remove, move, and ask what a box, a ray, a point or a frustum meets.
//!
//! In come boxes with keys of the caller's choice (the finder uses slots), out go keys. Every leaf has two boxes: the
//! **exact** one, by which all questions are answered, and a **fat** one around it, by which the tree is built, so that
//! a box that moves a little changes nothing but itself. Boxes with an infinite side are kept in a list beside the tree
//! and tested one by one, because no node could be told from another with them in it.
//!
//! The surface heuristic for building is that of Goldsmith and Salmon (1987), binned as by Wald (2007); insertion looks
//! for the best sibling by branch and bound (Bittner, Hapala, Havran 2013); rotations are those of Kopta et al. (2012).
//! Invariants: see [`Tree::validate`], which checks them all.

mod build;
mod candidates;
mod finder;
mod frustum;
mod insert;
mod marks;
mod nearest;
mod node;
mod quality;
mod query;
mod ray;
mod refit;
mod rotate;
mod self_overlap;
mod validate;
mod weight;

pub use finder::TreeFinder;
pub use frustum::{Frustum, Plane};
pub use nearest::Near;
pub use query::QueryError;
pub use ray::{Ray, RayHit};
pub use validate::TreeDefect;

use thiserror::Error;

use crate::boxes::{IdTable, checked};
use crate::{Aabb, BoxError, Executor};
use build::BuildScratch;
use insert::SiblingQueue;
use node::{Child, Leaf, Node, Place};

/// How a [`Tree`] is kept. None of it changes an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSettings {
    /// How much a fat box is larger than the exact one, on every side, as a part of the longest side of the box. In
    /// proportion because what moves is drawn at the scale of what is there: a step of a hundredth of its size is small
    /// for a planet and for a pebble, and no unit of length is built in. More means that fewer boxes leave their fat
    /// box in a frame, and that more boxes have to be looked at for each that does. Default: 0.25.
    pub margin: f32,
    /// [`Tree::tend`] rebuilds when [`Tree::quality`] is this many times what it was after the last build.
    /// Default: 1.5.
    pub rebuild_at: f32,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self { margin: 0.25, rebuild_at: 1.5 }
    }
}

/// Why there is no tree with these settings.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TreeSettingsError {
    /// The margin is negative, infinite or NaN.
    #[error("tree margin {margin} must be a finite number >= 0")]
    Margin {
        /// As given.
        margin: f32,
    },
    /// A tree that is rebuilt below the quality of a fresh one would be rebuilt all the time.
    #[error("`rebuild_at` {factor} must be a number >= 1")]
    RebuildAt {
        /// As given.
        factor: f32,
    },
}

impl TreeSettings {
    fn check(&self) -> Result<(), TreeSettingsError> {
        if !(self.margin >= 0.0 && self.margin.is_finite()) {
            return Err(TreeSettingsError::Margin { margin: self.margin });
        }
        if self.rebuild_at.is_nan() || self.rebuild_at < 1.0 {
            return Err(TreeSettingsError::RebuildAt { factor: self.rebuild_at });
        }
        Ok(())
    }
}

/// A dynamic tree of boxes, each with a key of the caller's choice.
///
/// ```
/// use glam::Vec3;
/// use jostle_broad::{Aabb, Ray, Tree};
///
/// let mut tree = Tree::default();
/// for key in 0..10 {
///     tree.insert(key, Aabb::from_center(Vec3::X * key as f32 * 3.0, Vec3::ONE))?;
/// }
/// let left_its_fat_box = tree.set(4, Aabb::from_center(Vec3::X * 12.1, Vec3::ONE))?;
/// assert!(!left_its_fat_box, "a small step changes nothing in the tree");
///
/// let mut keys = Vec::new();
/// tree.overlaps(&Aabb::new(Vec3::X * 2.0, Vec3::X * 5.0), &mut keys)?;
/// assert_eq!(keys, [1, 2]);
///
/// let hit = tree.cast_ray(&Ray::new(Vec3::X * -10.0, Vec3::X))?.unwrap();
/// assert_eq!((hit.key, hit.distance), (0, 9.0));
///
/// let nearest: Vec<u32> = tree.nearest(Vec3::X * 13.4, 2)?.iter().map(|near| near.key).collect();
/// assert_eq!(nearest, [4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    settings: TreeSettings,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    leaves: Vec<Leaf>,
    free_leaves: Vec<u32>,
    /// Leaves with an infinite side.
    unbounded: Vec<u32>,
    /// From keys to leaves.
    table: IdTable,
    root: Child,
    /// The box around what hangs at the root: the place above it does not exist.
    root_bounds: Aabb,
    /// Size of a typical leaf: see [`weight::weight`].
    grain: f64,
    /// [`Tree::quality`] after the last build, and how many leaves there were.
    built_quality: f64,
    built_leaves: usize,
    /// Leaves hung up or moved since the quality was last looked at.
    disturbed: usize,
    siblings: SiblingQueue,
    scratch: BuildScratch,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            settings: TreeSettings::default(),
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            leaves: Vec::new(),
            free_leaves: Vec::new(),
            unbounded: Vec::new(),
            table: IdTable::default(),
            root: Child::NONE,
            root_bounds: Aabb::EMPTY,
            grain: 0.0,
            built_quality: 1.0,
            built_leaves: 0,
            disturbed: 0,
            siblings: SiblingQueue::default(),
            scratch: BuildScratch::default(),
        }
    }
}

impl Tree {
    /// Leaves are stored in 30 bits.
    pub const MAX_LEN: usize = 1 << 30;

    /// An empty tree.
    pub fn new(settings: TreeSettings) -> Result<Self, TreeSettingsError> {
        settings.check()?;
        Ok(Self { settings, ..Self::default() })
    }

    /// Adds many boxes and builds the tree anew: faster than one by one, and better. On error nothing has changed.
    pub fn insert_all(
        &mut self,
        boxes: impl IntoIterator<Item = (u32, Aabb)>,
        executor: &Executor,
    ) -> Result<(), BoxError> {
        let mut added = Vec::new();
        for (key, aabb) in boxes {
            match self.check_new(key, aabb) {
                Ok(aabb) => {
                    let fat = self.fat_for(&aabb);
                    added.push((self.add_leaf(key, aabb), fat));
                }
                Err(error) => {
                    added.iter().rev().for_each(|&(leaf, _)| self.release_leaf(leaf));
                    return Err(error);
                }
            }
        }
        self.rebuild_with(&added, executor);
        Ok(())
    }

    /// How many boxes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.leaves.len() - self.free_leaves.len()
    }

    /// Is there no box?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The settings.
    pub fn settings(&self) -> &TreeSettings {
        &self.settings
    }

    /// The exact box of a key.
    pub fn get(&self, key: u32) -> Option<Aabb> {
        self.table.get(key).map(|leaf| self.leaves[leaf as usize].exact)
    }

    /// The fat box of a key: the same as the exact one for a box with an infinite side or one that moves fast.
    pub fn fat(&self, key: u32) -> Option<Aabb> {
        self.table.get(key).map(|leaf| self.fat_of(leaf))
    }

    /// The keys and their exact boxes, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Aabb)> + '_ {
        self.leaves.iter().filter(|leaf| leaf.place != Place::NOWHERE).map(|leaf| (leaf.key, leaf.exact))
    }

    /// How many bytes the tree holds.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + (self.free_nodes.capacity() + self.free_leaves.capacity() + self.unbounded.capacity())
                * size_of::<u32>()
            + self.table.bytes()
            + self.siblings.bytes()
            + self.scratch.bytes()
    }

    /// Refuses what is not a box, and a key that is there.
    fn check_new(&self, key: u32, aabb: Aabb) -> Result<Aabb, BoxError> {
        if self.table.get(key).is_some() {
            return Err(BoxError::DuplicateId { id: key });
        }
        if self.len() >= Self::MAX_LEN {
            return Err(BoxError::Full { limit: Self::MAX_LEN });
        }
        checked(key, aabb)
    }

    /// The fat box of a leaf; for one that hangs nowhere, a box that overlaps nothing.
    #[inline]
    fn fat_of(&self, leaf: u32) -> Aabb {
        let place = self.leaves[leaf as usize].place;
        match place.parent() {
            Some((node, side)) => self.nodes[node as usize].bounds[side],
            None if place == Place::ROOT => self.root_bounds,
            None if place == Place::NOWHERE => Aabb::NOWHERE,
            None => self.leaves[leaf as usize].exact,
        }
    }

    /// What hangs at a place, and the box around it.
    #[inline]
    fn at(&self, place: Place) -> (Child, Aabb) {
        match place.parent() {
            Some((node, side)) => {
                let node = &self.nodes[node as usize];
                (node.children[side], node.bounds[side])
            }
            None => (self.root, self.root_bounds),
        }
    }

    #[inline]
    fn set_bounds(&mut self, place: Place, bounds: Aabb) {
        match place.parent() {
            Some((node, side)) => self.nodes[node as usize].bounds[side] = bounds,
            None => self.root_bounds = bounds,
        }
    }

    /// Hangs a leaf or a node up at a place, on both ends of the link.
    #[inline]
    fn hang(&mut self, place: Place, child: Child, bounds: Aabb) {
        match place.parent() {
            Some((node, side)) => {
                let node = &mut self.nodes[node as usize];
                node.children[side] = child;
                node.bounds[side] = bounds;
            }
            None => (self.root, self.root_bounds) = (child, bounds),
        }
        if child.is_leaf() {
            self.leaves[child.index() as usize].place = place;
        } else {
            self.nodes[child.index() as usize].place = place;
        }
    }
}
