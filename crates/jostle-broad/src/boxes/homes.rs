//! Homes of boxes, found by a finder and looked at when the store takes boxes.
//!
//! Who takes boxes has to look at each, whether it is one; who keeps track of boxes that only tremble has to look at each,
//! whether it is still around its home. A box around its home is a box, if homes are thick: one look is enough for both.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::home_task::{Half, HomeTask, look_who_left};
use super::{Boxes, Revision};
use crate::{Aabb, Executor, Lanes};

/// Where boxes are at home, which of them have left, and which pairs depend on where around their homes they are.
#[derive(Debug, Default)]
pub(crate) struct HomeTable {
    /// By slot.
    homes: Vec<Aabb>,
    reach: f32,
    /// Is everything a box whose numbers are all at most the reach away from those of its home?
    are_thick: bool,
    /// How many slots each task looks after.
    per_task: usize,
    /// Elsewhere while the finder is at work.
    tasks: Vec<HomeTask>,
    latest: Look,
    /// How many looks the finder has not asked for.
    unasked: u32,
}

/// What became of what was seen in the latest look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Look {
    /// The finder has it, or there was none.
    #[default]
    Taken,
    /// Nothing yet: it was a look at boxes that are not in the store.
    Unknown,
    /// It is of these boxes.
    Of(Revision),
}

/// A table that finder and store share. The store forgets it when the finder does.
pub(crate) type SharedHomes = Arc<Mutex<HomeTable>>;

/// Nobody panics while holding it: what is in it is whole.
pub(crate) fn lock(homes: &Mutex<HomeTable>) -> MutexGuard<'_, HomeTable> {
    homes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// After so many looks that nobody asked for it is not looked any more, until the finder is at work again.
const UNASKED: u32 = 8;
/// Twice the reach, and something for rounding.
const THICK: f32 = 2.02;

impl HomeTable {
    /// The homes of slots. So many of these tasks look after each.
    pub(crate) fn new(homes: Vec<Aabb>, reach: f32, per_task: usize) -> Self {
        let are_thick = homes.iter().all(|home| is_thick(home, reach));
        Self { homes, reach, are_thick, per_task, ..Self::default() }
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

    /// The tasks, for as long as the finder is at work, and whether they have looked at these boxes.
    pub(crate) fn take_tasks(&mut self, boxes: &Boxes) -> (Vec<HomeTask>, bool) {
        let have_looked = self.latest == Look::Of(boxes.revision());
        if !have_looked {
            self.take_back();
        }
        self.latest = Look::Taken;
        (std::mem::take(&mut self.tasks), have_looked)
    }

    /// The finder is done.
    pub(crate) fn give_tasks(&mut self, tasks: Vec<HomeTask>) {
        (self.tasks, self.latest, self.unasked) = (tasks, Look::Taken, 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.homes.capacity() * size_of::<Aabb>() + self.tasks.iter().map(HomeTask::bytes).sum::<usize>()
    }

    /// What was seen in the latest look, if nobody has taken it, was not seen.
    fn take_back(&mut self) {
        if std::mem::take(&mut self.latest) != Look::Taken {
            self.tasks.iter_mut().for_each(HomeTask::take_back);
        }
    }

    /// All of it, if who has left can be told from homes, and those be boxes that have not.
    fn take_if_it_can_look(&mut self, aabbs: &[Aabb]) -> Option<Self> {
        let are_all = || {
            let tasks = aabbs.len().div_ceil(self.per_task);
            self.homes.len() == aabbs.len() && self.tasks.len() == tasks
        };
        (self.are_thick && are_all()).then(|| std::mem::take(self))
    }

    /// Looks who has left, and which pairs are others than they were: what a task has just read of boxes is at hand then. Slots are
    /// ids. Says whether all are boxes without -0.0; if not, nothing else is known.
    fn look(&mut self, aabbs: &[Aabb], executor: &Executor) -> bool {
        self.take_back();
        let Self { homes, reach, per_task, tasks, latest, unasked, .. } = self;
        *latest = Look::Unknown;
        *unasked += 1;
        let lanes = Lanes::best();
        let are_plain = AtomicBool::new(true);
        // Smaller pieces than tasks, so that threads are done at the same time.
        let mut halves: Vec<_> = tasks.iter_mut().flat_map(HomeTask::halves).collect();
        let weight = |half: &Half<'_>| half.weight(*per_task);
        executor.for_each_by_weight(&mut halves, weight, |index, half| match half {
            Half::Strays(strays) => {
                let first = index / 2 * *per_task;
                let slots = first..aabbs.len().min(first + *per_task);
                if !look_who_left(aabbs, homes, slots, *reach, strays, lanes) {
                    are_plain.store(false, Ordering::Relaxed);
                }
            }
            Half::Unsure(unsure) => unsure.test(aabbs, None, lanes),
        });
        are_plain.into_inner()
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
        let known = self.homes.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let homes = known.upgrade()?;
        if lock(&homes).unasked >= UNASKED {
            *known = Weak::new();
            return None;
        }
        // Not locked meanwhile: a thread that looks may be lent to somebody who asks the finder for its size.
        let mut table = lock(&homes).take_if_it_can_look(aabbs)?;
        let are_plain = table.look(aabbs, executor);
        *lock(&homes) = table;
        Some(are_plain)
    }

    /// What was looked at last are the boxes there are now.
    pub(super) fn note_look_at_homes(&mut self) {
        if let Some(homes) = self.homes.0.get_mut().unwrap_or_else(PoisonError::into_inner).upgrade() {
            lock(&homes).latest = Look::Of(self.revision());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pair;
    use crate::pairs::{Position, pair_of};
    use crate::simd::Unsure;
    use glam::Vec3;

    const PER_TASK: usize = 1 << 10;

    fn row(count: usize, by: f32) -> Vec<Aabb> {
        let at = |i: usize| Vec3::splat(3.0 * i as f32 + 1.0 + by);
        (0..count).map(|i| Aabb::new(at(i), at(i) + 1.0)).collect()
    }

    /// Homes there, reaching 0.1. The second and the third box, and those so far from the end, are said to overlap, which is unsure.
    fn table(homes: &[Aabb]) -> HomeTable {
        let mut table = HomeTable::new(homes.to_vec(), 0.1, PER_TASK);
        let mut tasks: Vec<HomeTask> = homes.chunks(PER_TASK).map(|_| HomeTask::default()).collect();
        let end = homes.len() as u32;
        for lower in [1, end.saturating_sub(3)].into_iter().filter(|lower| lower + 1 < end) {
            let unsure = Unsure::new(lower, lower + 1, true, Position::OUTSIDE);
            tasks[lower as usize / PER_TASK].unsure.push(unsure);
        }
        tasks.iter_mut().for_each(|task| task.unsure.are_complete());
        table.give_tasks(tasks);
        table
    }

    fn strays(table: &HomeTable) -> impl Iterator<Item = u32> {
        table.tasks.iter().flat_map(|task| task.strays().iter().copied())
    }

    /// Pairs that are said to be over.
    fn flips(table: &HomeTable) -> impl Iterator<Item = Pair> {
        table
            .tasks
            .iter()
            .flat_map(|task| task.unsure.as_slice())
            .filter(|unsure| !unsure.overlap())
            .map(|unsure| pair_of(*unsure, None))
    }

    #[test]
    fn who_has_left_is_the_same_on_any_number_of_threads() {
        let count = if cfg!(miri) { 40 } else { 3 * PER_TASK + 7 };
        let mut now = row(count, 0.05);
        let left = [0, 17, count / 2, count - 1];
        left.iter().for_each(|&slot| now[slot].max += 0.2);
        // Miri's rules for borrows are stricter than those that rayon's queues keep to.
        let counts: &[usize] = if cfg!(miri) { &[1] } else { &[1, 3] };
        for &threads in counts {
            let executor = Executor::new(threads).unwrap();
            let mut table = table(&row(count, 0.0));
            assert!(table.look(&now, &executor));
            assert!(strays(&table).eq(left.map(|slot| slot as u32)), "{threads} threads");
            // None of the boxes overlap, so that a pair said to overlap has flipped.
            assert!(flips(&table).eq([Pair::new(1, 2), Pair::new(count as u32 - 3, count as u32 - 2)]));
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
        assert!(HomeTable::new(vec![good; 3], 0.1, PER_TASK).are_thick);
        for other in [thin, endless, Aabb::EVERYWHERE, Aabb::NOWHERE] {
            assert!(!HomeTable::new(vec![good, other, good], 0.1, PER_TASK).are_thick, "{other:?}");
            let mut table = table(&[good; 3]);
            table.set(1, other);
            assert!(!table.are_thick, "{other:?}");
        }
        let mut table = table(&[good; 3]);
        table.resize(4);
        assert!(table.take_if_it_can_look(&[good; 4]).is_none());
    }

    #[test]
    fn a_look_tells_of_the_boxes_that_were_taken_and_no_others() {
        let mut boxes = Boxes::from_aabbs(&row(9, 0.0)).unwrap();
        let homes: SharedHomes = Arc::new(Mutex::new(table(&row(9, 0.0))));
        boxes.know_homes(&homes);
        let give_back = |tasks| lock(&homes).give_tasks(tasks);
        // What the finder is told, and then says that nothing has flipped after all.
        let told = |boxes: &Boxes| {
            let (mut tasks, have_looked) = lock(&homes).take_tasks(boxes);
            let told = have_looked.then(|| {
                (
                    tasks[0].strays().to_vec(),
                    tasks[0].unsure.flips(None).changed[1].iter().rev().copied().collect::<Vec<_>>(),
                )
            });
            tasks[0].take_back();
            give_back(tasks);
            told
        };
        let over = vec![Pair::new(1, 2), Pair::new(6, 7)];
        assert_eq!(told(&boxes), None, "nobody has looked");
        let mut now = row(9, 0.05);
        now[4].min -= 0.5;
        boxes.exchange(&Executor::serial(), &mut now.clone()).unwrap();
        assert_eq!(told(&boxes), Some((vec![4], over.clone())));
        boxes.set(4, now[4]).unwrap();
        let mut bad = now.clone();
        bad[7].max.x = f32::NAN;
        assert!(boxes.exchange(&Executor::serial(), &mut bad).is_err());
        assert_eq!(flips(&lock(&homes)).count(), 2, "it has looked");
        assert_eq!(told(&boxes), None, "those that were refused are not there");
        assert_eq!(flips(&lock(&homes)).count(), 0, "and have changed nothing");
        for by in [0.06, 0.07] {
            boxes.exchange(&Executor::serial(), &mut row(9, by)).unwrap();
        }
        assert_eq!(told(&boxes), Some((vec![], over)), "looked at twice, told once");
        boxes.exchange(&Executor::serial(), &mut now).unwrap();
        boxes.set(2, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
        assert_eq!(told(&boxes), None, "one has moved since");
        let (tasks, _) = lock(&homes).take_tasks(&boxes);
        boxes.exchange(&Executor::serial(), &mut row(9, 0.05)).unwrap();
        give_back(tasks);
        assert_eq!(told(&boxes), None, "the finder was at work");
        for by in 0..2 * UNASKED {
            boxes.exchange(&Executor::serial(), &mut row(9, 0.01 * (by % 4) as f32)).unwrap();
        }
        assert_eq!((told(&boxes), lock(&homes).unasked), (None, 0), "nobody had asked for long");
        boxes.exchange(&Executor::serial(), &mut row(9, 0.05)).unwrap();
        assert_eq!(lock(&homes).unasked, 0, "and it is not looked until the finder says so");
        boxes.know_homes(&homes);
        boxes.exchange(&Executor::serial(), &mut row(9, 0.06)).unwrap();
        assert_eq!(lock(&homes).unasked, 1);
        drop(homes);
        boxes.exchange(&Executor::serial(), &mut now).unwrap();
    }
}
