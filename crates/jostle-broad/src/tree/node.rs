//! What a tree is made of: inner nodes that hold the boxes of their two children, leaves that hold the exact box, and
//! the words by which they refer to each other.
//!
//! The box of a child lies in its parent, so that one cache line answers the question a descent asks of a node: which
//! of the two children is touched?

use crate::Aabb;

const HIGH_BIT: u32 = 1 << 31;

/// What hangs at a place: a leaf, an inner node, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child(u32);

impl Child {
    pub(super) const NONE: Self = Self(u32::MAX);

    #[inline]
    pub(super) fn leaf(leaf: u32) -> Self {
        Self(leaf | HIGH_BIT)
    }

    #[inline]
    pub(super) fn node(node: u32) -> Self {
        Self(node)
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.0 & HIGH_BIT != 0
    }

    /// The index of the leaf or of the node.
    #[inline]
    pub(super) fn index(self) -> u32 {
        self.0 & !HIGH_BIT
    }
}

/// Where a leaf or a node hangs: at one of the two sides of a node, at the root, among the unbounded leaves, or nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const ROOT: Self = Self(u32::MAX);
    pub(super) const NOWHERE: Self = Self(u32::MAX - 1);

    #[inline]
    pub(super) fn under(node: u32, side: usize) -> Self {
        Self(2 * node + side as u32)
    }

    /// A position in the list of unbounded leaves.
    #[inline]
    pub(super) fn unbounded(position: u32) -> Self {
        Self(position | HIGH_BIT)
    }

    /// The node and the side, for a place under a node.
    #[inline]
    pub(super) fn parent(self) -> Option<(u32, usize)> {
        (self.0 & HIGH_BIT == 0).then_some((self.0 / 2, (self.0 & 1) as usize))
    }

    /// The position in the list of unbounded leaves, for a place there.
    #[inline]
    pub(super) fn position(self) -> Option<u32> {
        (self.0 & HIGH_BIT != 0 && self.0 < Self::NOWHERE.0).then_some(self.0 & !HIGH_BIT)
    }

    /// Is this a place in the tree proper?
    #[inline]
    pub(super) fn is_in_tree(self) -> bool {
        self.0 & HIGH_BIT == 0 || self == Self::ROOT
    }
}

/// An inner node: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// The boxes around the children: fat ones around leaves.
    pub(super) bounds: [Aabb; 2],
    pub(super) children: [Child; 2],
    /// [`Place::NOWHERE`] for a free node.
    pub(super) place: Place,
}

impl Node {
    /// The box around both children.
    #[inline]
    pub(super) fn union(&self) -> Aabb {
        self.bounds[0].union(&self.bounds[1])
    }
}

/// A leaf. Its fat box lies in its parent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Leaf {
    pub(super) exact: Aabb,
    pub(super) key: u32,
    /// [`Place::NOWHERE`] for a free leaf, and for one that is about to be hung up.
    pub(super) place: Place,
}
