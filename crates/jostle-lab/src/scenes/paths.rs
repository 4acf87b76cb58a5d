//! Object paths: the boxes of all frames, kept as the first frame and what changed in each one after it.
//!
//! An object that is not there has [`ABSENT`] for a box. Bodies at rest cost nothing.

use jostle_broad::Aabb;

/// The box of an object that is not there: the only thing in a frame that is not a box.
pub(crate) const ABSENT: Aabb = Aabb::EMPTY;

/// Frames of boxes in id order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    first: Vec<Aabb>,
    /// Of each frame after the first: the ids whose boxes changed, ascending, and these boxes.
    changes: Vec<(Vec<u32>, Vec<Aabb>)>,
    /// The latest frame.
    latest: Vec<Aabb>,
}

impl Paths {
    /// Adds a frame. All frames have as many boxes as the first.
    pub(crate) fn push(&mut self, boxes: impl Iterator<Item = Aabb>) {
        if self.first.is_empty() && self.changes.is_empty() && self.latest.is_empty() {
            self.first = boxes.collect();
            self.latest.clone_from(&self.first);
            return;
        }
        let (mut ids, mut changed) = (Vec::new(), Vec::new());
        for (id, (latest, aabb)) in (0..).zip(self.latest.iter_mut().zip(boxes)) {
            if *latest != aabb {
                *latest = aabb;
                ids.push(id);
                changed.push(aabb);
            }
        }
        ids.shrink_to_fit();
        changed.shrink_to_fit();
        self.changes.push((ids, changed));
    }

    pub(crate) fn first(&self) -> &[Aabb] {
        &self.first
    }

    /// What changed between the frame before and this one, counted from 1. Nothing after the last.
    pub(crate) fn changes(&self, frame: usize) -> (&[u32], &[Aabb]) {
        let change = frame.checked_sub(1).and_then(|index| self.changes.get(index));
        change.map_or((&[], &[]), |(ids, boxes)| (ids, boxes))
    }
}
