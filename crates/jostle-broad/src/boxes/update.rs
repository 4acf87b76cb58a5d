//! Bulk updates: this frame's boxes from the caller's arrays, all or none.

use std::ops::Range;

use super::slice::BoxSlice;
use super::store::{checked, refusal};
use super::{BoxError, Boxes};
use crate::sample::scattered;
use crate::{Aabb, Executor, Lanes};

/// Which boxes of a bulk update may have moved.
#[derive(Clone, Copy, Debug)]
pub enum Moved<'a> {
    /// Any of them. Boxes whose bounds did not change are noticed and cost little.
    All,
    /// Only these ids.
    Ids(&'a [u32]),
}

impl Boxes {
    /// Takes this frame's boxes from an array in id order: the box of id `i` is box `i` of the slice.
    ///
    /// Nothing is stored unless all is well.
    pub fn update<'a>(&mut self, moved: Moved<'_>, slice: impl Into<BoxSlice<'a>>) -> Result<(), BoxError> {
        self.update_on(&Executor::serial(), moved, slice)
    }

    /// The same as [`Boxes::update`], on several threads where that pays: for very many boxes of which all may move, or
    /// that are listed in ascending order.
    pub fn update_on<'a>(
        &mut self,
        executor: &Executor,
        moved: Moved<'_>,
        slice: impl Into<BoxSlice<'a>>,
    ) -> Result<(), BoxError> {
        let slice = slice.into();
        match (moved, slice.contiguous()) {
            (Moved::Ids(ids), Some(aabbs))
                if self.ids_are_slots()
                    && !self.keeps_given()
                    && ids.is_sorted_by(|one, next| one < next) =>
            {
                self.update_ascending(executor.if_worth(ids.len() >= WORTH_THREADS / 8), ids, aabbs)
            }
            (Moved::Ids(ids), _) => self.update_each(ids.iter().map(|&id| (id, id as usize)), &slice),
            (Moved::All, Some(aabbs)) if self.ids_are_slots() && aabbs.len() >= self.slots() => {
                self.update_dense(executor, &aabbs[..self.slots()])
            }
            (Moved::All, _) => self.update_live(&slice),
        }
    }

    /// Takes boxes from a list of ids and an array of their boxes in the same order. An id may be listed once only.
    ///
    /// Nothing is stored unless all is well.
    pub fn update_listed<'a>(&mut self, ids: &[u32], slice: impl Into<BoxSlice<'a>>) -> Result<(), BoxError> {
        let slice = slice.into();
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
            return Err(BoxError::ListedTwice { id: twice[0] });
        }
        let listed = ids.iter().enumerate().map(|(index, &id)| (id, index));
        self.update_each(listed, &slice)
    }

    /// The common case of some moving boxes of ids 0, 1, 2, ..., listed in ascending order.
    fn update_ascending(&mut self, executor: &Executor, ids: &[u32], aabbs: &[Aabb]) -> Result<(), BoxError> {
        let lanes = Lanes::best();
        let are_there = ids.last().is_none_or(|&last| (last as usize) < self.slots().min(aabbs.len()));
        let mut looks: Vec<(&[u32], bool)> = ids.chunks(TASK_IDS).map(|ids| (ids, are_there)).collect();
        executor.for_each(&mut looks, |_, (ids, good)| *good = *good && lanes.are_listed_boxes(aabbs, ids));
        if looks.iter().any(|(_, good)| !good) {
            // Which one it is, and why, is found there.
            return self.update_each(ids.iter().map(|&id| (id, id as usize)), &aabbs.into());
        }
        // Each task has the slots from its first id to the first of the next: the last of them takes its own first.
        let mut rest = self.tested.as_mut_slice();
        let cut_off = |ids: &'_ [u32]| {
            let (before, stored) = std::mem::take(&mut rest).split_at_mut(ids[0] as usize);
            rest = before;
            (stored, Vec::new())
        };
        let stretches: Vec<_> = ids.chunks(TASK_IDS).rev().map(cut_off).collect();
        let mut work: Vec<_> = ids.chunks(TASK_IDS).zip(stretches.into_iter().rev()).collect();
        executor.for_each(&mut work, |_, (ids, (stored, changed))| {
            lanes.store_listed(aabbs, ids, ids[0], stored, changed);
        });
        self.log.reserve(ids.len());
        for (_, (_, changed)) in work {
            self.log.note_all(&changed);
        }
        self.log.forget(self.slots());
        Ok(())
    }

    /// Boxes of some ids. All are looked at before any is stored.
    fn update_each(
        &mut self,
        listed: impl Iterator<Item = (u32, usize)> + Clone,
        slice: &BoxSlice<'_>,
    ) -> Result<(), BoxError> {
        // Below this, ids are slots: no need to ask where they are.
        let direct = if self.ids_are_slots() { self.slots() } else { 0 };
        let is_direct = |id: u32| (id as usize) < direct;
        for (id, index) in listed.clone() {
            if !is_direct(id) && !self.contains(id) {
                return Err(BoxError::UnknownId { id });
            }
            check(id, slice, index)?;
        }
        self.log.reserve(listed.size_hint().0);
        for (id, index) in listed {
            let slot = if is_direct(id) { id } else { self.slot_of(id).expect("looked up above") };
            self.store(slot, slice, index);
        }
        self.log.forget(self.slots());
        Ok(())
    }

    /// Boxes of all ids, from any kind of slice, whatever slots they are in.
    fn update_live(&mut self, slice: &BoxSlice<'_>) -> Result<(), BoxError> {
        for slot in self.live_slots() {
            let id = self.id(slot);
            check(id, slice, id as usize)?;
        }
        for slot in 0..self.slots() as u32 {
            if self.is_live(slot) {
                self.store(slot, slice, self.id(slot) as usize);
            }
        }
        self.log.forget(self.slots());
        Ok(())
    }

    /// Stores a box that was checked, unless it is there already.
    #[inline]
    fn store(&mut self, slot: u32, slice: &BoxSlice<'_>, index: usize) {
        let aabb = slice.get(index).with_plain_zeros();
        if !aabb.equals(&self.given_at(slot)) {
            self.write(slot, aabb);
            self.log.note(slot);
        }
    }

    /// The common case of many moving boxes, ids 0, 1, 2, ...
    fn update_dense(&mut self, executor: &Executor, aabbs: &[Aabb]) -> Result<(), BoxError> {
        let executor = executor.if_worth(aabbs.len() >= WORTH_THREADS);
        match (self.have_all_moved(aabbs), self.keeps_given()) {
            (true, false) if executor.threads() > 1 || aabbs.len() > CACHED => {
                self.update_all(executor, aabbs)
            }
            (false, false) if executor.threads() > 1 => self.update_some_on(executor, aabbs),
            (have_all_moved, _) => self.update_some(aabbs, have_all_moved),
        }
    }

    /// Nearly all of them moved: they are looked at and stored in one pass over memory, beside those that were, and if all
    /// are good, take their place.
    fn update_all(&mut self, executor: &Executor, aabbs: &[Aabb]) -> Result<(), BoxError> {
        // What was there is overwritten.
        self.spare.resize(aabbs.len(), Aabb::NOWHERE);
        let mut work: Vec<_> =
            aabbs.chunks(TASK).zip(self.spare.chunks_mut(TASK)).map(|(from, to)| (from, to, true)).collect();
        let is_too_much_for_caches = aabbs.len() > CACHED;
        executor.for_each(&mut work, |_, (from, to, good)| {
            *good = if is_too_much_for_caches {
                Lanes::best().store_past_caches(from, to)
            } else {
                from.chunks(STEP).zip(to.chunks_mut(STEP)).all(|(from, to)| {
                    write_boxes(from, to);
                    are_boxes(from)
                })
            };
        });
        if work.iter().any(|(_, _, good)| !good) {
            return Err(first_refusal(aabbs));
        }
        std::mem::swap(&mut self.tested, &mut self.spare);
        self.log.everything();
        Ok(())
    }

    /// Any of them may have moved: two passes over memory.
    fn update_some(&mut self, aabbs: &[Aabb], have_all_moved: bool) -> Result<(), BoxError> {
        let blocks = aabbs.len().div_ceil(BLOCK);
        let block = |block: usize| &aabbs[block * BLOCK..aabbs.len().min((block + 1) * BLOCK)];
        if !in_streams(STREAMS, 0..blocks).all(|at| are_boxes(block(at))) {
            return Err(first_refusal(aabbs));
        }
        if have_all_moved {
            in_streams(STREAMS, 0..blocks).for_each(|at| self.write_block(at * BLOCK, block(at)));
            self.log.everything();
            return Ok(());
        }
        // Past a quarter of the boxes the list of what moved is of no use to anyone.
        let most = self.log.len() + aabbs.len() / 4;
        for at in 0..blocks {
            let stored = if self.keeps_given() { &self.given } else { &self.tested };
            let moved = unlike(block(at), &stored[at * BLOCK..]);
            if moved == 0 {
                continue;
            }
            self.log.note_block(at * BLOCK, moved);
            self.write_block(at * BLOCK, block(at));
            if self.log.len() > most {
                in_streams(STREAMS, at + 1..blocks).for_each(|at| self.write_block(at * BLOCK, block(at)));
                self.log.everything();
                return Ok(());
            }
        }
        self.log.forget(self.slots());
        Ok(())
    }

    /// Has every one of a few boxes moved, at places without a pattern? Then far more than a quarter of all have.
    pub(super) fn have_all_moved(&self, aabbs: &[Aabb]) -> bool {
        let stored = if self.keeps_given() { &self.given } else { &self.tested };
        aabbs.len() >= LOOKS && scattered(aabbs.len(), LOOKS).all(|at| !aabbs[at].equals(&stored[at]))
    }

    /// Any of them may have moved, on several threads.
    fn update_some_on(&mut self, executor: &Executor, aabbs: &[Aabb]) -> Result<(), BoxError> {
        let mut looks: Vec<(&[Aabb], bool)> = aabbs.chunks(TASK).map(|chunk| (chunk, true)).collect();
        executor.for_each(&mut looks, |_, (chunk, good)| *good = are_boxes(chunk));
        if looks.iter().any(|(_, good)| !good) {
            return Err(first_refusal(aabbs));
        }
        // Per task, a mask of what moved for each of its blocks.
        let stored = self.tested[..aabbs.len()].chunks_mut(TASK);
        let mut work: Vec<_> =
            aabbs.chunks(TASK).zip(stored).map(|(from, to)| (from, to, Vec::new())).collect();
        executor.for_each(&mut work, |_, (from, to, masks)| {
            for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
                let moved = unlike(from, to);
                if moved != 0 {
                    write_boxes(from, to);
                }
                masks.push(moved);
            }
        });
        let masks: Vec<u64> = work.into_iter().flat_map(|(_, _, masks)| masks).collect();
        self.note_masks(&masks);
        Ok(())
    }

    /// Writes down what moved, block by block.
    pub(super) fn note_masks(&mut self, masks: &[u64]) {
        let moved: usize = masks.iter().map(|mask| mask.count_ones() as usize).sum();
        if moved > self.slots() / 4 {
            self.log.everything();
        } else {
            let moved = masks.iter().enumerate().filter(|(_, mask)| **mask != 0);
            moved.for_each(|(block, mask)| self.log.note_block(block * BLOCK, *mask));
            self.log.forget(self.slots());
        }
    }

    /// Stores neighbouring boxes that were checked.
    #[inline]
    fn write_block(&mut self, first: usize, aabbs: &[Aabb]) {
        if self.keeps_given() {
            for (i, aabb) in aabbs.iter().enumerate() {
                self.write((first + i) as u32, aabb.with_plain_zeros());
            }
        } else {
            write_boxes(aabbs, &mut self.tested[first..first + aabbs.len()]);
        }
    }
}

/// Copies boxes; -0.0 becomes 0.0.
#[inline]
fn write_boxes(from: &[Aabb], to: &mut [Aabb]) {
    let (from, to): (&[f32], &mut [f32]) = (bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
    to.iter_mut().zip(from).for_each(|(to, from)| *to = from + 0.0);
}

/// Boxes that are worth more than one thread.
pub(super) const WORTH_THREADS: usize = 32 * 1024;
/// How many boxes tell whether all have moved. Few: those of the frame before are far away. Where a quarter moved, it is one time in four
/// thousand millions that these did.
const LOOKS: usize = 16;
/// How many boxes are looked at in one go: as many as a mask has bits.
pub(super) const BLOCK: usize = u64::BITS as usize;
/// How many boxes one task stores, and how many of them in one go.
pub(super) const TASK: usize = 128 * BLOCK;
const STEP: usize = 8 * BLOCK;
/// How many listed boxes one task stores.
const TASK_IDS: usize = 1024;
/// So many boxes are in some cache when they are looked at a second time.
const CACHED: usize = 1 << 18;
/// From so many places boxes are copied in turn.
const STREAMS: usize = 8;

/// All blocks of a range, from several places in turn: the processor fetches each stretch of memory ahead by itself, and
/// several at a time up to twice as fast as one.
pub(super) fn in_streams(streams: usize, blocks: Range<usize>) -> impl Iterator<Item = usize> {
    let each = blocks.len().div_ceil(streams);
    let in_turn =
        (0..each).flat_map(move |i| (0..streams).map(move |stream| blocks.start + stream * each + i));
    in_turn.filter(move |block| *block < blocks.end)
}

/// Would `checked` accept them all?
fn are_boxes(aabbs: &[Aabb]) -> bool {
    Lanes::best().are_boxes(aabbs)
}

/// A bit for each of a block of boxes that differs from the one there was.
pub(super) fn unlike(new: &[Aabb], old: &[Aabb]) -> u64 {
    let bits = new.iter().zip(old).enumerate();
    bits.fold(0, |mask, (bit, (new, old))| mask | u64::from(!new.equals(old)) << bit)
}

/// Why boxes in id order were refused.
#[cold]
pub(super) fn first_refusal(aabbs: &[Aabb]) -> BoxError {
    let refused = aabbs.iter().enumerate().find_map(|(id, aabb)| checked(id as u32, *aabb).err());
    refused.expect("one of them was refused")
}

/// Is there a box at this index of the slice?
#[inline]
fn check(id: u32, slice: &BoxSlice<'_>, index: usize) -> Result<(), BoxError> {
    if index >= slice.len() {
        return Err(BoxError::SliceTooShort { id, needed: index, given: slice.len() });
    }
    if slice.is_box(index) {
        return Ok(());
    }
    let [ax, ay, az, bx, by, bz] = slice.given(index);
    Err(refusal(id, [ax, ay, az], [bx, by, bz]))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::{BoxesSettings, Changes, Dimensions, Filter};

    #[test]
    #[cfg_attr(miri, ignore = "too many boxes for Miri")]
    fn several_threads_store_what_one_stores() {
        let n = WORTH_THREADS + 1000;
        let at = |x: usize| Aabb::new(Vec3::splat(x as f32), Vec3::splat(x as f32 + 1.0));
        let still: Vec<Aabb> = (0..n).map(at).collect();
        let threads = Executor::new(3).unwrap();
        // (every which box moves, is there a bad one)
        for (every, bad) in
            [(1, false), (3, false), (5, false), (1000, false), (n, false), (5, true), (1, true)]
        {
            let mut moved = still.clone();
            moved.iter_mut().step_by(every).for_each(|aabb| aabb.max.x += 0.5);
            if bad {
                moved[n - 7].min.y = f32::NAN;
            }
            let mut one = Boxes::from_aabbs(&still).unwrap();
            let seen_one = Some(one.revision());
            let result = one.update(Moved::All, &moved);
            assert_eq!(result.is_err(), bad);
            for (threads, exchange) in [(&threads, false), (&threads, true), (&Executor::serial(), true)] {
                let mut many = Boxes::from_aabbs(&still).unwrap();
                let seen_many = Some(many.revision());
                let same = match exchange {
                    false => many.update_on(threads, Moved::All, &moved),
                    true => many.exchange(threads, &mut moved.clone()),
                };
                assert_eq!(format!("{result:?}"), format!("{same:?}"));
                assert_eq!(one.aabbs(), many.aabbs());
                match (one.changes_since(seen_one), many.changes_since(seen_many)) {
                    (Changes::These(one), Changes::These(many)) => assert_eq!(one, many),
                    (one, many) => assert_eq!(format!("{one:?}"), format!("{many:?}"), "every {every}"),
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many boxes for Miri")]
    fn very_many_boxes_that_all_move_are_stored_whole_or_not_at_all() {
        let n = CACHED + 1000;
        let at = |x: usize, by: f32| Aabb::new(Vec3::splat(x as f32 + by), Vec3::splat(x as f32 + by + 1.0));
        let all = |n: usize, by: f32| (0..n).map(|x| at(x, by)).collect::<Vec<Aabb>>();
        for threads in [1, 2] {
            let executor = Executor::new(threads).unwrap();
            let mut boxes = Boxes::from_aabbs(&all(n, 0.0)).unwrap();
            let mut expected = all(n, 0.25);
            boxes.update_on(&executor, Moved::All, &expected).unwrap();
            assert_eq!(boxes.aabbs(), expected);
            let mut bad = all(n, 0.5);
            bad[n - 1].max.x = f32::NEG_INFINITY;
            let seen = Some(boxes.revision());
            assert!(boxes.update_on(&executor, Moved::All, &bad).is_err());
            assert_eq!(boxes.aabbs(), expected, "nothing is stored");
            assert!(matches!(boxes.changes_since(seen), Changes::These([])));
            // One more than there was room for.
            boxes.insert(n as u32, at(7, 0.0), Filter::default()).unwrap();
            for by in [0.5, 0.75] {
                expected = all(n + 1, by);
                expected[3].min.x = -0.0;
                expected[3].min.y = -0.0;
                boxes.update_on(&executor, Moved::All, &expected).unwrap();
                assert_eq!(boxes.aabbs(), expected);
                assert!(boxes.aabb(3).min.x.is_sign_positive(), "-0.0 becomes 0.0");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many boxes for Miri")]
    fn listed_boxes_are_stored_as_if_one_by_one_on_any_number_of_threads() {
        let n = WORTH_THREADS;
        let at = |x: usize| Aabb::new(Vec3::splat(x as f32), Vec3::splat(x as f32 + 1.0));
        let still: Vec<Aabb> = (0..n).map(at).collect();
        let ascending = |step: usize| (0..n as u32).step_by(step).collect::<Vec<u32>>();
        let with = |step: usize, more: u32| [ascending(step), vec![more]].concat();
        let last = n as u32 - 1;
        // What it is, which ids are listed, how many boxes are given, which of them is bad.
        let cases: [(&str, Vec<u32>, usize, Option<usize>); 9] = [
            ("all", ascending(1), n, None),
            ("a fifth", ascending(5), n, None),
            ("a few", ascending(1000), n, None),
            ("none", vec![], n, None),
            ("not ascending", with(5, 3), n, None),
            ("one twice", [ascending(5), ascending(5)].concat(), n, None),
            ("a bad one", ascending(5), n, Some(n / 10 * 5)),
            ("an unknown one", with(5, last + 1), n, None),
            ("too few boxes", with(2, last), n - 1, None),
        ];
        for (what, ids, given, bad) in cases {
            // Every other one stays where it is, and has another sign at its zero.
            let mut moved: Vec<Aabb> = (0..n).map(|i| at(if i % 2 == 0 { i } else { i + 3 })).collect();
            moved[0].min *= -1.0;
            if let Some(bad) = bad {
                moved[bad].max.z = f32::NAN;
            }
            let one_by_one = |boxes: &mut Boxes| {
                ids.iter().try_for_each(|&id| match moved[..given].get(id as usize) {
                    Some(aabb) => boxes.set(id, *aabb),
                    None if boxes.contains(id) => {
                        Err(BoxError::SliceTooShort { id, needed: id as usize, given })
                    }
                    None => Err(BoxError::UnknownId { id }),
                })
            };
            let mut expected = Boxes::from_aabbs(&still).unwrap();
            let seen = Some(expected.revision());
            let expected_result = one_by_one(&mut expected);
            for threads in [1, 3] {
                let mut boxes = Boxes::from_aabbs(&still).unwrap();
                let seen_here = Some(boxes.revision());
                let executor = Executor::new(threads).unwrap();
                let result = boxes.update_on(&executor, Moved::Ids(&ids), &moved[..given]);
                assert_eq!(format!("{result:?}"), format!("{expected_result:?}"), "{what}");
                if result.is_err() {
                    assert_eq!(boxes.aabbs(), still, "{what}: nothing is stored");
                    assert!(matches!(boxes.changes_since(seen_here), Changes::These([])), "{what}");
                    continue;
                }
                assert_eq!(
                    bytemuck::cast_slice::<Aabb, u32>(boxes.aabbs()),
                    bytemuck::cast_slice::<Aabb, u32>(expected.aabbs()),
                    "{what}"
                );
                match (boxes.changes_since(seen_here), expected.changes_since(seen)) {
                    (Changes::These(here), Changes::These(there)) => assert_eq!(here, there, "{what}"),
                    other => panic!("{what}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn streams_visit_every_block_once() {
        for streams in [1, 2, STREAMS] {
            for blocks in [0..0, 0..1, 3..10, 0..8, 5..70, 7..72] {
                let mut visited: Vec<usize> = in_streams(streams, blocks.clone()).collect();
                visited.sort_unstable();
                assert!(visited.into_iter().eq(blocks), "{streams} streams");
            }
        }
    }

    /// Numbers with every way to be no box among them.
    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            40 => -9.0f32..9.0,
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 1e-45, -1e-45, f32::MAX]),
        ]
    }

    fn aabb() -> impl Strategy<Value = Aabb> {
        ([number(), number(), number()], [number(), number(), number()], 0..20).prop_map(|(a, b, turned)| {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            if turned == 0 { Aabb::new(a, b) } else { Aabb::new(a.min(b), a.max(b)) }
        })
    }

    // Miri has no files, which proptest asks for, and takes hours over what there is to try.
    proptest! {
        #[test]
        #[cfg_attr(miri, ignore)]
        fn a_quick_look_refuses_what_a_careful_one_does(aabbs in prop::collection::vec(aabb(), 0..80)) {
            let good: Vec<bool> = aabbs.iter().map(|aabb| checked(0, *aabb).is_ok()).collect();
            prop_assert_eq!(are_boxes(&aabbs), good.iter().all(|good| *good));
            let doubles: Vec<f64> =
                bytemuck::cast_slice::<_, f32>(&aabbs).iter().copied().map(f64::from).collect();
            let doubles = BoxSlice::strided_f64(&doubles, 6, 0).unwrap();
            for (i, good) in good.into_iter().enumerate() {
                prop_assert_eq!(aabbs[i].is_box(), good);
                prop_assert_eq!(doubles.is_box(i), good);
            }
        }

        /// However a bulk update is made, the store and its history are those of setting one box after another.
        #[test]
        #[cfg_attr(miri, ignore)]
        fn bulk_updates_are_many_single_ones(
            n in 1usize..400,
            bad in prop::option::weighted(0.2, 0usize..400),
            moving in prop::sample::select(vec![0u32, 3, 30, 100]),
            holes in any::<bool>(),
            flat in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let dimensions = if flat { Dimensions::Two } else { Dimensions::Three };
            let mut boxes = Boxes::new(BoxesSettings { dimensions, ..BoxesSettings::default() }).unwrap();
            let at = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0));
            let mut state = seed | 1;
            let mut percent = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32 % 100
            };
            for id in 0..n as u32 {
                boxes.insert(id, at(id as f32), Filter::default()).unwrap();
            }
            if holes {
                boxes.remove(0).unwrap();
                boxes.remove(n as u32 / 2).ok();
                // In the slot of another.
                boxes.insert(n as u32, at(0.5), Filter::default()).unwrap();
            }
            let by_id = |id: usize| boxes.get(id as u32).unwrap_or(at(-7.0));
            let mut new: Vec<Aabb> = (0..=n).map(by_id).collect();
            for aabb in &mut new {
                if percent() < moving {
                    *aabb = Aabb::new(aabb.min - 0.5, aabb.max + 0.25);
                }
            }
            if let Some(bad) = bad.filter(|bad| boxes.contains(*bad as u32)) {
                new[bad].max.y = f32::NAN;
            }
            let ids: Vec<u32> = boxes.ids().collect();
            let listed: Vec<Aabb> = ids.iter().map(|id| new[*id as usize]).collect();
            let good = listed.iter().all(Aabb::is_box);
            let seen = Some(boxes.revision());
            for way in 0..4 {
                let mut copy = boxes.clone();
                let start = Some(copy.revision());
                let done = match way {
                    0 => copy.update(Moved::All, &new),
                    1 => copy.update(Moved::Ids(&ids), &new),
                    2 => copy.update_listed(&ids, &listed),
                    _ => {
                        // As many as there are, if they are to be exchanged; else copied.
                        let mut array = new[..if holes { n + 1 } else { n }].to_vec();
                        let len = array.len();
                        let done = copy.exchange(&Executor::serial(), &mut array);
                        prop_assert_eq!(array.len(), len);
                        done
                    }
                };
                prop_assert_eq!(done.is_ok(), good);
                let mut moved = Vec::new();
                for (&id, aabb) in ids.iter().zip(&listed) {
                    let (before, after) = (boxes.get(id).unwrap(), copy.get(id).unwrap());
                    prop_assert_eq!(after, if good { *aabb } else { before });
                    moved.extend((before != after).then(|| copy.slot_of(id).unwrap()));
                }
                match copy.changes_since(start) {
                    Changes::These(changes) => {
                        let slots: Vec<u32> = changes.iter().map(|change| change.slot()).collect();
                        prop_assert_eq!(slots, moved);
                    }
                    Changes::Everything => prop_assert!([0, 3].contains(&way) && moved.len() > n / 4),
                }
                prop_assert!(copy.only_moves_since(start));
            }
            prop_assert!(matches!(boxes.changes_since(seen), Changes::These([])));
        }
    }
}
