//! Boxes that are handed over instead of copied.

use super::update::{BLOCK, TASK, WORTH_THREADS, first_refusal, in_streams, unlike};
use super::{BoxError, Boxes, Moved};
use crate::{Aabb, Executor, Lanes};

impl Boxes {
    /// Takes this frame's boxes as [`Boxes::update`] does with [`Moved::All`], and keeps the array they are in: the array of the
    /// frame before comes back in its place, to be written over. Nothing is copied.
    ///
    /// That is so for ids 0, 1, 2, ... that were inserted in this order and are all there, as many boxes in the array, three dimensions
    /// and no margin; in all other cases they are copied, and the array stays. Nothing is taken unless all is well.
    ///
    /// ```
    /// use jostle_broad::{Aabb, Boxes, Executor};
    /// use glam::Vec3;
    ///
    /// let at = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0));
    /// let mut boxes = Boxes::from_aabbs(&[at(0.0), at(5.0)])?;
    /// let mut this_frame = vec![at(1.0), at(6.0)];
    /// boxes.exchange(&Executor::serial(), &mut this_frame)?;
    /// assert_eq!(boxes.get(1), Some(at(6.0)));
    /// assert_eq!(this_frame.len(), 2, "room for the next frame");
    /// # Ok::<(), jostle_broad::BoxError>(())
    /// ```
    pub fn exchange(&mut self, executor: &Executor, aabbs: &mut Vec<Aabb>) -> Result<(), BoxError> {
        if !self.ids_are_slots() || self.keeps_given() || aabbs.len() != self.slots() {
            return self.update_on(executor, Moved::All, aabbs.as_slice());
        }
        let executor = executor.if_worth(aabbs.len() >= WORTH_THREADS);
        let look = self.look_at_homes(aabbs, executor);
        if !look.unwrap_or_else(|| are_plain_boxes(executor, aabbs)) {
            if !aabbs.iter().all(Aabb::is_box) {
                return Err(first_refusal(aabbs));
            }
            aabbs.iter_mut().for_each(|aabb| *aabb = aabb.with_plain_zeros());
        }
        if self.have_all_moved(aabbs) {
            self.log.everything();
        } else {
            self.note_moves(executor, aabbs);
        }
        std::mem::swap(&mut self.tested, aabbs);
        if look.is_some() {
            self.note_look_at_homes();
        }
        // It is of no use to those who exchange.
        self.spare = Vec::new();
        Ok(())
    }

    /// Writes down which boxes are others than those there are.
    fn note_moves(&mut self, executor: &Executor, aabbs: &[Aabb]) {
        let mut work: Vec<_> = aabbs
            .chunks(TASK)
            .zip(self.tested.chunks(TASK))
            .map(|(new, old)| (new, old, Vec::new()))
            .collect();
        executor.for_each(&mut work, |_, (new, old, masks)| {
            masks.extend(new.chunks(BLOCK).zip(old.chunks(BLOCK)).map(|(new, old)| unlike(new, old)));
        });
        let masks: Vec<u64> = work.into_iter().flat_map(|(_, _, masks)| masks).collect();
        self.note_masks(&masks);
    }
}

/// From so many places boxes are looked at in turn. Not more: a million that were just written take 0.6 ns each with one or two, and
/// 1.5 with eight (Zen 5).
const STREAMS: usize = 2;

fn are_plain_boxes(executor: &Executor, aabbs: &[Aabb]) -> bool {
    let lanes = Lanes::best();
    if executor.threads() == 1 {
        let block = |block: usize| &aabbs[block * BLOCK..aabbs.len().min((block + 1) * BLOCK)];
        return in_streams(STREAMS, 0..aabbs.len().div_ceil(BLOCK))
            .all(|at| lanes.are_plain_boxes(block(at)));
    }
    let mut looks: Vec<(&[Aabb], bool)> = aabbs.chunks(TASK).map(|chunk| (chunk, true)).collect();
    executor.for_each(&mut looks, |_, (chunk, good)| *good = lanes.are_plain_boxes(chunk));
    looks.iter().all(|(_, good)| *good)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{BoxesSettings, Changes, Dimensions, Filter};

    fn at(x: f32) -> Aabb {
        Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0))
    }

    fn row(count: usize, by: f32) -> Vec<Aabb> {
        (0..count).map(|i| at(i as f32 * 3.0 + by)).collect()
    }

    #[test]
    fn arrays_change_hands_and_nothing_is_copied() {
        let mut boxes = Boxes::from_aabbs(&row(100, 0.0)).unwrap();
        let bytes = boxes.bytes();
        let mut array = row(100, 0.5);
        let given = array.as_ptr();
        boxes.exchange(&Executor::serial(), &mut array).unwrap();
        assert_eq!((boxes.aabbs().as_ptr(), boxes.aabbs()), (given, row(100, 0.5).as_slice()));
        assert_eq!(array, row(100, 0.0), "what there was");
        assert!(boxes.bytes() <= bytes, "one array, no more");
    }

    #[test]
    fn zeros_become_plain() {
        let mut array = row(100, 0.5);
        array[70] = Aabb::new(Vec3::NEG_ONE, Vec3::splat(-0.0));
        let mut boxes = Boxes::from_aabbs(&row(100, 0.0)).unwrap();
        boxes.exchange(&Executor::serial(), &mut array).unwrap();
        assert!(boxes.aabb(70).max.to_array().iter().all(|zero| zero.is_sign_positive()));
        assert_eq!(boxes.aabb(70).max, Vec3::ZERO);
    }

    #[test]
    fn a_bad_box_leaves_everything_where_it_was() {
        let mut boxes = Boxes::from_aabbs(&row(100, 0.0)).unwrap();
        let seen = Some(boxes.revision());
        let mut array = row(100, 0.5);
        array[99].min.y = 1.0e9;
        let given = array.clone();
        let error = boxes.exchange(&Executor::serial(), &mut array).unwrap_err();
        assert!(matches!(error, BoxError::Inverted { id: 99, .. }), "{error}");
        assert_eq!((boxes.aabbs(), &array), (row(100, 0.0).as_slice(), &given));
        assert!(matches!(boxes.changes_since(seen), Changes::These([])));
    }

    #[test]
    fn where_an_array_cannot_be_kept_its_boxes_are_copied() {
        let settings = |margin, dimensions| BoxesSettings { margin, dimensions, ..BoxesSettings::default() };
        let filled = |settings, first_id: u32| {
            let mut boxes = Boxes::new(settings).unwrap();
            for (id, aabb) in (first_id..).zip(row(10, 0.0)) {
                boxes.insert(id, aabb, Filter::default()).unwrap();
            }
            boxes
        };
        let plain = settings(0.0, Dimensions::Three);
        let mut turned = Boxes::new(plain).unwrap();
        for id in (0..10).rev() {
            turned.insert(id, row(10, 0.0)[id as usize], Filter::default()).unwrap();
        }
        let mut with_a_gap = filled(plain, 0);
        with_a_gap.remove(4).unwrap();
        // What it is, the store, how many boxes are given.
        for (what, mut boxes, given) in [
            ("a margin", filled(settings(0.5, Dimensions::Three), 0), 10),
            ("two dimensions", filled(settings(0.0, Dimensions::Two), 0), 10),
            ("other ids", filled(plain, 1), 11),
            ("ids in another order", turned, 10),
            ("a gap", with_a_gap, 10),
            ("more boxes than there are", filled(plain, 0), 11),
        ] {
            let mut array = row(given, 0.5);
            boxes.exchange(&Executor::serial(), &mut array).unwrap();
            assert_eq!(array, row(given, 0.5), "{what}");
            for id in boxes.ids() {
                assert_eq!(boxes.get(id), Some(array[id as usize]), "{what}");
            }
        }
        let few = filled(plain, 0).exchange(&Executor::serial(), &mut row(9, 0.5));
        assert!(matches!(few, Err(BoxError::SliceTooShort { id: 9, needed: 9, given: 9 })), "{few:?}");
    }
}
