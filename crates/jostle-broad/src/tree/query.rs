//! Which boxes does a box meet? And the descent that all questions share.

use thiserror::Error;

use super::Tree;
use super::node::Child;
use crate::Aabb;

/// Why a question was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A number of the question is NaN.
    #[error("the {what} of the query holds a NaN; give numbers")]
    NotANumber {
        /// Which part of the question.
        what: &'static str,
    },
    /// A number of the question is infinite, and may not be.
    #[error("the {what} of the query must be finite")]
    NotFinite {
        /// Which part of the question.
        what: &'static str,
    },
    /// The minimum of a box lies above its maximum.
    #[error("the box of the query has a minimum above its maximum; swap them")]
    Inverted,
    /// A ray without a direction.
    #[error("the direction of the ray is zero; give it a length")]
    NoDirection,
    /// A ray that ends before it begins.
    #[error("the `max_distance` of the ray is negative; give a number >= 0")]
    NegativeDistance,
    /// A plane without a normal.
    #[error("plane {index} of the frustum has a normal of zero; give it a length")]
    NoNormal {
        /// Which of the planes.
        index: usize,
    },
}

impl QueryError {
    /// Refuses numbers that are not finite.
    pub(super) fn check_finite(what: &'static str, numbers: &[f32]) -> Result<(), Self> {
        if numbers.iter().any(|number| number.is_nan()) {
            return Err(Self::NotANumber { what });
        }
        if numbers.iter().any(|number| number.is_infinite()) {
            return Err(Self::NotFinite { what });
        }
        Ok(())
    }
}

impl Tree {
    /// Appends to `keys`, in ascending order, the keys of all boxes that overlap `query`. Closed: touching counts, and a
    /// query may have infinite sides.
    pub fn overlaps(&self, query: &Aabb, keys: &mut Vec<u32>) -> Result<(), QueryError> {
        if query.min.is_nan() || query.max.is_nan() {
            return Err(QueryError::NotANumber { what: "box" });
        }
        if !query.min.cmple(query.max).all() {
            return Err(QueryError::Inverted);
        }
        let start = keys.len();
        self.descend(
            &mut Vec::new(),
            |bounds| bounds.overlaps(query),
            |leaf| {
                let leaf = &self.leaves[leaf as usize];
                if leaf.exact.overlaps(query) {
                    keys.push(leaf.key);
                }
            },
        );
        keys[start..].sort_unstable();
        Ok(())
    }

    /// Visits all leaves whose fat box passes `touches`, which must pass every box around one that it passes. Returns
    /// how many boxes it was asked about.
    #[inline]
    pub(super) fn descend(
        &self,
        stack: &mut Vec<u32>,
        touches: impl Fn(&Aabb) -> bool,
        mut visit: impl FnMut(u32),
    ) -> u64 {
        let mut tests = self.unbounded.len() as u64;
        for &leaf in &self.unbounded {
            if touches(&self.leaves[leaf as usize].exact) {
                visit(leaf);
            }
        }
        if self.root == Child::NONE {
            return tests;
        }
        tests += 1;
        if touches(&self.root_bounds) {
            tests += self.descend_below(self.root, stack, touches, visit);
        }
        tests
    }

    /// As [`Tree::descend`], for what hangs at a child that has passed.
    #[inline]
    pub(super) fn descend_below(
        &self,
        child: Child,
        stack: &mut Vec<u32>,
        touches: impl Fn(&Aabb) -> bool,
        mut visit: impl FnMut(u32),
    ) -> u64 {
        if child.is_leaf() {
            visit(child.index());
            return 0;
        }
        let mut tests = 0;
        stack.clear();
        stack.push(child.index());
        while let Some(node) = stack.pop() {
            let node = &self.nodes[node as usize];
            tests += 2;
            // The right side first: what is pushed last is visited first.
            for side in [1, 0] {
                if touches(&node.bounds[side]) {
                    let child = node.children[side];
                    if child.is_leaf() {
                        visit(child.index());
                    } else {
                        stack.push(child.index());
                    }
                }
            }
        }
        tests
    }
}
