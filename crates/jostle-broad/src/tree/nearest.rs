//! Which boxes are nearest to a point?

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use glam::Vec3;

use super::Tree;
use super::node::Child;
use super::query::QueryError;
use crate::Aabb;

/// A box near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which box.
    pub key: u32,
    /// How far it is from the point; 0 if the point is in it.
    pub distance: f64,
}

/// The square of the distance from a point to a closed box, in `f64`. Every step of it rounds monotonically, so that
/// a box is never farther than a box inside it.
fn distance_squared(point: Vec3, aabb: &Aabb) -> f64 {
    let mut sum = 0.0;
    for axis in 0..3 {
        let at = f64::from(point[axis]);
        let outside = (f64::from(aabb.min[axis]) - at).max(at - f64::from(aabb.max[axis])).max(0.0);
        sum += outside * outside;
    }
    sum
}

/// Something at a distance; the greatest is the farthest, and among equals the highest number.
#[derive(Clone, Copy, Debug)]
struct At {
    squared: f64,
    number: u32,
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        self.squared.total_cmp(&other.squared).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for At {}

impl Tree {
    /// The `count` boxes nearest to a point (fewer if there are fewer), in the order of their distances; of boxes at the
    /// same distance, those with the lowest keys. Distances compare by their squares in `f64`.
    pub fn nearest(&self, point: Vec3, count: usize) -> Result<Vec<Near>, QueryError> {
        QueryError::check_finite("point", &point.to_array())?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut found: BinaryHeap<At> = BinaryHeap::new();
        self.visit_by_square(point, |at| {
            if found.len() < count {
                found.push(at);
            } else if found.peek().is_some_and(|farthest| at < *farthest) {
                found.pop();
                found.push(at);
            }
            if found.len() < count {
                f64::INFINITY
            } else {
                found.peek().map_or(0.0, |farthest| farthest.squared)
            }
        });
        let sorted = found.into_sorted_vec();
        Ok(sorted.into_iter().map(|at| Near { key: at.number, distance: at.squared.sqrt() }).collect())
    }

    /// Shows `visit` boxes around a point: nearer parts of the tree first, but in no order to rely on. It answers up to
    /// which distance boxes are still of interest, itself included; boxes beyond that may be left out.
    pub fn visit_nearest(&self, point: Vec3, mut visit: impl FnMut(Near) -> f64) -> Result<(), QueryError> {
        QueryError::check_finite("point", &point.to_array())?;
        self.visit_by_square(point, |at| {
            let reach = visit(Near { key: at.number, distance: at.squared.sqrt() });
            // The next number up: what is at exactly that distance stays of interest in spite of the rounded square.
            (reach * reach).next_up()
        });
        Ok(())
    }

    /// The same in squares of distances.
    fn visit_by_square(&self, point: Vec3, mut visit: impl FnMut(At) -> f64) {
        let mut look_at = |leaf: u32| {
            let leaf = &self.leaves[leaf as usize];
            visit(At { squared: distance_squared(point, &leaf.exact), number: leaf.key })
        };
        let mut reach = f64::INFINITY;
        for &leaf in &self.unbounded {
            reach = look_at(leaf);
        }
        // Nodes by distance, the nearest first.
        let mut open = BinaryHeap::new();
        let mut meet = |child: Child, bounds: &Aabb, reach: &mut f64, open: &mut BinaryHeap<_>| {
            let squared = distance_squared(point, bounds);
            // At the same distance there may be a lower key.
            if squared <= *reach && child.is_leaf() {
                *reach = look_at(child.index());
            } else if squared <= *reach {
                open.push(Reverse(At { squared, number: child.index() }));
            }
        };
        if self.root != Child::NONE {
            meet(self.root, &self.root_bounds, &mut reach, &mut open);
        }
        while let Some(Reverse(nearest)) = open.pop() {
            if nearest.squared > reach {
                break;
            }
            let node = &self.nodes[nearest.number as usize];
            for side in [0, 1] {
                meet(node.children[side], &node.bounds[side], &mut reach, &mut open);
            }
        }
    }
}
