//! Homes of boxes, found by a finder and looked at when the store takes boxes.
//!
//! Who takes boxes has to look at each, whether it is one; who keeps track of boxes that only tremble has to look at each,
//! whether it is still around its home. A box around its home is a box, if homes are thick: one look is enough for both.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::update::TASK;
use super::{Boxes, Revision};
use crate::simd::is_away;
use crate::{Aabb, Executor, Lanes};

/// Where boxes are at home, and which of them have left.
#[derive(Debug, Default)]
pub(crate) struct HomeTable {
    /// By slot.
    homes: Vec<Aabb>,
    reach: f32,
    /// Is everything a box whose numbers are all at most the reach away from those of its home?
    are_thick: bool,
    /// The boxes that have left, ascending, and of which boxes that is told.
    strays: Vec<u32>,
    looked_at: Option<Revision>,
}

/// A table that finder and store share. The store forgets it when the finder does.
pub(crate) type SharedHomes = Arc<Mutex<HomeTable>>;

/// Nobody panics while holding it; if somebody did, it is told of other boxes than those that come next.
pub(crate) fn lock(homes: &Mutex<HomeTable>) -> MutexGuard<'_, HomeTable> {
    homes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Twice the reach, and something for rounding.
const THICK: f32 = 2.02;

impl HomeTable {
    pub(crate) fn new(homes: Vec<Aabb>, reach: f32) -> Self {
        let are_thick = homes.iter().all(|home| is_thick(home, reach));
        Self { homes, reach, are_thick, ..Self::default() }
    }

    pub(crate) fn homes(&self) -> &[Aabb] {
        &self.homes
    }

    pub(crate) fn reach(&self) -> f32 {
        self.reach
    }

    /// Makes room for so many slots. New ones are free.
    pub(crate) fn resize(&mut self, slots: usize) {
        if slots != self.homes.len() {
            self.homes.resize(slots, Aabb::NOWHERE);
            self.are_thick = false;
        }
    }

    /// Another home for a box.
    pub(crate) fn set(&mut self, slot: u32, home: Aabb) {
        self.homes[slot as usize] = home;
        self.are_thick &= is_thick(&home, self.reach);
    }

    /// Who of these boxes has left, if the store has looked.
    pub(crate) fn strays(&self, boxes: &Boxes) -> Option<&[u32]> {
        (self.looked_at == Some(boxes.revision())).then_some(&self.strays)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.homes.capacity() * size_of::<Aabb>() + self.strays.capacity() * size_of::<u32>()
    }

    /// Looks who has left. Says whether all are boxes without -0.0; if not, nothing else is known.
    fn look(&mut self, aabbs: &[Aabb], executor: &Executor) -> bool {
        let Self { homes, reach, strays, looked_at, .. } = self;
        *looked_at = None;
        strays.clear();
        let lanes = Lanes::best();
        if executor.threads() == 1 {
            lanes.list_doubtful(aabbs, homes, 0..aabbs.len(), *reach, strays);
        } else {
            let mut tasks = vec![Vec::new(); aabbs.len().div_ceil(TASK)];
            executor.for_each(&mut tasks, |index, doubtful| {
                let these = index * TASK..aabbs.len().min((index + 1) * TASK);
                lanes.list_doubtful(aabbs, homes, these, *reach, doubtful);
            });
            tasks.iter().for_each(|doubtful| strays.extend_from_slice(doubtful));
        }
        let are_plain = strays.iter().all(|&slot| aabbs[slot as usize].is_plain_box());
        strays.retain(|&slot| is_away(&aabbs[slot as usize], &homes[slot as usize], *reach));
        are_plain
    }
}

fn is_thick(home: &Aabb, reach: f32) -> bool {
    let is_finite = home.min.is_finite() && home.max.is_finite();
    is_finite && home.extents().min_element() > THICK * reach
}

/// The homes that a store knows of, if any.
#[derive(Debug, Default)]
pub(super) struct KnownHomes(Mutex<Weak<Mutex<HomeTable>>>);

impl Boxes {
    /// When boxes are next exchanged, these homes are looked at.
    pub(crate) fn know_homes(&self, homes: &SharedHomes) {
        *self.homes.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(homes);
    }

    /// Are all of them boxes without -0.0? None if that is not to be told from homes.
    pub(super) fn look_at_homes(&mut self, aabbs: &[Aabb], executor: &Executor) -> Option<bool> {
        let homes = self.homes.0.get_mut().unwrap_or_else(PoisonError::into_inner).upgrade()?;
        let mut table = lock(&homes);
        (table.are_thick && table.homes.len() == aabbs.len()).then(|| table.look(aabbs, executor))
    }

    /// What was looked at last are the boxes there are now.
    pub(super) fn note_look_at_homes(&mut self) {
        if let Some(homes) = self.homes.0.get_mut().unwrap_or_else(PoisonError::into_inner).upgrade() {
            lock(&homes).looked_at = Some(self.revision());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn row(count: usize, by: f32) -> Vec<Aabb> {
        let at = |i: usize| Vec3::splat(3.0 * i as f32 + 1.0 + by);
        (0..count).map(|i| Aabb::new(at(i), at(i) + 1.0)).collect()
    }

    #[test]
    fn who_has_left_is_the_same_on_any_number_of_threads() {
        let count = if cfg!(miri) { 40 } else { 3 * TASK + 7 };
        let mut now = row(count, 0.05);
        let left = [0, 17, count / 2, count - 1];
        left.iter().for_each(|&slot| now[slot].max += 0.2);
        for threads in [1, 3] {
            let executor = Executor::new(threads).unwrap();
            let mut table = HomeTable::new(row(count, 0.0), 0.1);
            assert!(table.are_thick && table.look(&now, &executor));
            assert!(table.strays.iter().eq(&left.map(|slot| slot as u32)), "{threads} threads");
            for bad in [f32::NAN, -0.0] {
                let mut now = now.clone();
                now[count / 3].min.y = bad;
                assert!(!table.look(&now, &executor), "{bad}, {threads} threads");
            }
        }
    }

    #[test]
    fn thin_endless_and_free_homes_do_not_tell_that_a_box_is_one() {
        let good = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let thin = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 0.2, 1.0));
        let endless = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, f32::INFINITY, 1.0) };
        assert!(HomeTable::new(vec![good; 3], 0.1).are_thick);
        for other in [thin, endless, Aabb::EVERYWHERE, Aabb::NOWHERE] {
            assert!(!HomeTable::new(vec![good, other, good], 0.1).are_thick, "{other:?}");
            let mut table = HomeTable::new(vec![good; 3], 0.1);
            table.set(1, other);
            assert!(!table.are_thick, "{other:?}");
        }
        let mut table = HomeTable::new(vec![good; 3], 0.1);
        table.resize(4);
        assert!(!table.are_thick);
    }

    #[test]
    fn a_look_tells_of_the_boxes_that_were_taken_and_no_others() {
        let mut boxes = Boxes::from_aabbs(&row(9, 0.0)).unwrap();
        let homes: SharedHomes = Arc::new(Mutex::new(HomeTable::new(row(9, 0.0), 0.1)));
        boxes.know_homes(&homes);
        assert_eq!(lock(&homes).strays(&boxes), None, "nobody has looked");
        let mut now = row(9, 0.05);
        now[4].min -= 0.5;
        boxes.exchange(&Executor::serial(), &mut now.clone()).unwrap();
        assert_eq!(lock(&homes).strays(&boxes), Some(&[4][..]));
        boxes.set(4, now[4]).unwrap();
        let mut bad = now.clone();
        bad[7].max.x = f32::NAN;
        assert!(boxes.exchange(&Executor::serial(), &mut bad).is_err());
        assert_eq!(lock(&homes).strays(&boxes), None, "those that were refused are not there");
        boxes.exchange(&Executor::serial(), &mut now).unwrap();
        boxes.set(2, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
        assert_eq!(lock(&homes).strays(&boxes), None, "one has moved since");
        drop(homes);
        boxes.exchange(&Executor::serial(), &mut now).unwrap();
    }
}
