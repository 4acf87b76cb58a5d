//! What changed since a finder last looked, for any number of finders, at a cost of four bytes a change.
//!
//! The store appends the slot of every change to one log and counts the changes ever made: its **revision**. A finder
//! remembers the revision it has seen and later asks for everything after it. The log forgets its oldest part when it
//! outgrows the store; a finder that fell behind is told to look at everything, which is never wrong.

const STRUCTURE_BIT: u32 = 1 << 31;

/// One change: a slot, and whether only its box moved or the slot itself was filled, emptied or given another filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change(u32);

impl Change {
    pub(super) fn moved(slot: u32) -> Self {
        Self(slot)
    }

    pub(super) fn structure(slot: u32) -> Self {
        Self(slot | STRUCTURE_BIT)
    }

    /// The slot that changed.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 & !STRUCTURE_BIT
    }

    /// Was the slot filled, emptied, or given another filter (rather than just another box)?
    #[inline]
    pub fn is_structural(self) -> bool {
        self.0 & STRUCTURE_BIT != 0
    }
}

/// The answer to [`crate::Boxes::changes_since`].
#[derive(Clone, Copy, Debug)]
pub enum Changes<'a> {
    /// These slots changed, in this order; a slot may be listed more than once. All others are as they were.
    These(&'a [Change]),
    /// Anything may have changed: start over.
    Everything,
}

/// The log behind it.
#[derive(Clone, Debug)]
pub(super) struct ChangeLog {
    /// Distinguishes stores, so that a finder handed another store does not mistake it for the one it knows.
    store: u64,
    log: Vec<Change>,
    /// Revision of `log[0]`.
    start: u64,
    /// How many of all changes were structural.
    structural: u64,
}

impl Default for ChangeLog {
    fn default() -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static STORES: AtomicU64 = AtomicU64::new(1);
        Self { store: STORES.fetch_add(1, Ordering::Relaxed), log: Vec::new(), start: 0, structural: 0 }
    }
}

/// A point in the history of one store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    store: u64,
    count: u64,
    structural: u64,
}

impl ChangeLog {
    pub(super) fn revision(&self) -> Revision {
        Revision { store: self.store, count: self.start + self.log.len() as u64, structural: self.structural }
    }

    pub(super) fn only_moves_since(&self, seen: Option<Revision>) -> bool {
        seen.is_some_and(|seen| seen.store == self.store && seen.structural == self.structural)
    }

    pub(super) fn since(&self, seen: Option<Revision>) -> Changes<'_> {
        match seen {
            Some(seen) if seen.store == self.store && seen.count >= self.start => {
                Changes::These(&self.log[(seen.count - self.start) as usize..])
            }
            _ => Changes::Everything,
        }
    }

    /// Appends a change; `slots` is the size of the store, by which the log is kept in bounds.
    #[inline]
    pub(super) fn push(&mut self, change: Change, slots: usize) {
        self.structural += u64::from(change.is_structural());
        self.log.push(change);
        self.forget(slots);
    }

    /// Forgets the oldest changes where there are too many.
    #[inline]
    pub(super) fn forget(&mut self, slots: usize) {
        // A store's worth is forgotten at a time, so that forgetting costs a constant per change and a finder that looks
        // every frame sees every frame in which at most `slots` changes were made.
        let keep = slots.max(1024);
        let excess = self.log.len().saturating_sub(2 * keep);
        if excess > 0 {
            let forgotten = excess.next_multiple_of(keep);
            self.log.drain(..forgotten);
            self.start += forgotten as u64;
        }
    }

    /// How many changes are in the log.
    pub(super) fn len(&self) -> usize {
        self.log.len()
    }

    /// Makes room for a bulk of moves.
    pub(super) fn reserve(&mut self, moves: usize) {
        self.log.reserve(moves);
    }

    /// Appends a move. [`ChangeLog::forget`] is due after a bulk of them.
    #[inline]
    pub(super) fn note(&mut self, slot: u32) {
        self.log.push(Change::moved(slot));
    }

    /// Appends moves of all these slots.
    pub(super) fn note_all(&mut self, slots: &[u32]) {
        self.log.extend(slots.iter().map(|slot| Change::moved(*slot)));
    }

    /// Appends a move of the slot `first + bit` for each bit that is set.
    #[inline]
    pub(super) fn note_block(&mut self, first: usize, mut bits: u64) {
        while bits != 0 {
            self.note((first + bits.trailing_zeros() as usize) as u32);
            bits &= bits - 1;
        }
    }

    /// Any box may have moved. The count of structural changes goes on, so that finders can tell whether there were any.
    pub(super) fn everything(&mut self) {
        self.start += self.log.len() as u64 + 1;
        self.log.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.log.capacity() * size_of::<Change>()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Boxes, Changes, Filter, Moved};
    use glam::Vec3;

    #[test]
    fn structural_changes_are_known_even_where_too_many_boxes_moved_to_list_them() {
        let at = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0));
        let moved = |by: f32| (0..100).map(|i| at(i as f32 + by)).collect::<Vec<_>>();
        let mut boxes = Boxes::from_aabbs(&moved(0.0)).unwrap();
        let seen = Some(boxes.revision());
        boxes.update(Moved::All, &moved(0.5)).unwrap();
        assert!(matches!(boxes.changes_since(seen), Changes::Everything));
        assert!(boxes.only_moves_since(seen) && !boxes.only_moves_since(None));
        assert!(!boxes.clone().only_moves_since(seen), "another store");
        boxes.set_filter(3, Filter::fixed()).unwrap();
        boxes.update(Moved::All, &moved(0.0)).unwrap();
        assert!(!boxes.only_moves_since(seen));
        let seen = Some(boxes.revision());
        boxes.set_filter(3, Filter::fixed()).unwrap();
        assert!(boxes.only_moves_since(seen), "the filter it has already");
    }
}
