//! Cells by halving: boxes too many for a cell are cut in the middle of the longest side of what they bound.

use super::{CapacityError, Partition, checked};
use crate::{Aabb, Boxes};

/// Boxes in all cells together may be about this many times the boxes there are, at most: where most of them reach
/// across every cut, halving would go on doubling them.
const MOST_COPIES: usize = 16;

/// Halves space until no cell holds more than the capacity. Anew in each frame.
///
/// Cells that no plane divides into smaller ones stay as they are: see [`Partition::oversized`].
#[derive(Clone, Debug)]
pub struct TreePartition {
    capacity: usize,
    partition: Partition,
}

impl TreePartition {
    /// Cells of at most this many boxes.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        Ok(Self { capacity: checked(capacity)?, partition: Partition::default() })
    }

    /// The cells of the boxes as they are now.
    pub fn update(&mut self, boxes: &Boxes) -> &Partition {
        self.partition.reset(self.capacity);
        halve(boxes, boxes.live_slots().collect(), &mut self.partition);
        &self.partition
    }

    /// The cells of the latest update.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }
}

/// Adds cells of these boxes to a partition, as many as it takes.
pub(super) fn halve(boxes: &Boxes, slots: Vec<u32>, partition: &mut Partition) {
    let most = partition.entries() + MOST_COPIES * slots.len();
    let mut pending = slots.len();
    let mut nodes = vec![(slots, Aabb::EVERYWHERE)];
    while let Some((slots, region)) = nodes.pop() {
        pending -= slots.len();
        let is_cut = slots.len() > partition.capacity && partition.entries() + pending + slots.len() <= most;
        match is_cut.then(|| cut(boxes, &slots, &region)).flatten() {
            // The lower half is worked on first: neighbours in space become neighbours in the list of cells.
            Some([low, high]) => {
                pending += low.0.len() + high.0.len();
                nodes.extend([high, low]);
            }
            None if slots.is_empty() => {}
            None => partition.push_cell(&slots),
        }
    }
}

/// Boxes, and the part of space in which pairs of them have yet to be found.
type Node = (Vec<u32>, Aabb);

/// Two halves, both with fewer boxes than there were. A box that touches the cut is in both.
fn cut(boxes: &Boxes, slots: &[u32], region: &Aabb) -> Option<[Node; 2]> {
    let mut sides: Vec<(f32, usize, f32)> = (0..3).map(|axis| side(boxes, slots, region, axis)).collect();
    sides.sort_by(|a, b| b.0.total_cmp(&a.0));
    sides.into_iter().find_map(|(_, axis, middle)| {
        let within = |keep: &dyn Fn(&Aabb) -> bool| -> Vec<u32> {
            slots.iter().copied().filter(|&slot| keep(boxes.aabb(slot))).collect()
        };
        let low = within(&|aabb| aabb.min[axis] <= middle);
        let high = within(&|aabb| aabb.max[axis] >= middle);
        let (mut below, mut above) = (*region, *region);
        (below.max[axis], above.min[axis]) = (middle, middle);
        let shrinks = low.len() < slots.len() && high.len() < slots.len();
        shrinks.then_some([(low, below), (high, above)])
    })
}

/// How long an axis is, and where its middle is: between the ends of boxes that lie in the region. Infinite ends say
/// nothing about where boxes are.
fn side(boxes: &Boxes, slots: &[u32], region: &Aabb, axis: usize) -> (f32, usize, f32) {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for &slot in slots {
        let aabb = boxes.aabb(slot);
        for end in [aabb.min[axis], aabb.max[axis]] {
            let end = end.clamp(region.min[axis], region.max[axis]);
            if end.is_finite() {
                (low, high) = (low.min(end), high.max(end));
            }
        }
    }
    // NaN where there is no end: such a cut leaves nobody on either side, and the next axis is tried.
    let middle = 0.5 * low + 0.5 * high;
    (high - low, axis, middle)
}
