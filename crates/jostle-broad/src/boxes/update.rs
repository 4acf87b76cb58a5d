//! Bulk updates: this frame's boxes from the caller's arrays, all or none.

use super::changes::Change;
use super::slice::BoxSlice;
use super::store::{checked, refusal};
use super::{BoxError, Boxes};
use crate::Aabb;

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
        let slice = slice.into();
        match moved {
            Moved::Ids(ids) => self.update_each(ids.iter().map(|&id| (id, id as usize)), &slice),
            Moved::All => match slice.contiguous() {
                Some(aabbs) if self.ids_are_slots() && aabbs.len() >= self.slots() => {
                    self.update_dense(&aabbs[..self.slots()])
                }
                _ => {
                    let ids: Vec<u32> = self.ids().collect();
                    self.update_each(ids.iter().map(|&id| (id, id as usize)), &slice)
                }
            },
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
        self.update_each(ids.iter().enumerate().map(|(index, &id)| (id, index)), &slice)
    }

    fn update_each(
        &mut self,
        listed: impl Iterator<Item = (u32, usize)> + Clone,
        slice: &BoxSlice<'_>,
    ) -> Result<(), BoxError> {
        for (id, index) in listed.clone() {
            if self.slot_of(id).is_none() {
                return Err(BoxError::UnknownId { id });
            }
            if index >= slice.len() {
                return Err(BoxError::SliceTooShort { id, needed: index, given: slice.len() });
            }
            check_given(id, slice, index)?;
        }
        for (id, index) in listed {
            let slot = self.slot_of(id).expect("looked up above");
            let aabb = canonical_zero(slice.get(index));
            if self.given_at(slot) != aabb {
                self.write(slot, aabb);
                self.log.push(Change::moved(slot), self.slots());
            }
        }
        Ok(())
    }

    /// The common case of many moving boxes, ids 0, 1, 2, ...: two straight passes over memory.
    fn update_dense(&mut self, aabbs: &[Aabb]) -> Result<(), BoxError> {
        if !aabbs.iter().fold(true, |good, aabb| good & is_box(aabb)) {
            for (id, aabb) in aabbs.iter().enumerate() {
                checked(id as u32, *aabb)?;
            }
        }
        // Past a quarter of the boxes the list of what moved is of no use to anyone.
        let mut room = aabbs.len() / 4;
        for (slot, aabb) in aabbs.iter().enumerate() {
            let aabb = canonical_zero(*aabb);
            let slot = slot as u32;
            if self.given_at(slot) != aabb {
                if room == 0 {
                    self.log.everything();
                    return self.overwrite_from(slot, aabbs);
                }
                room -= 1;
                self.write(slot, aabb);
                self.log.push(Change::moved(slot), aabbs.len());
            }
        }
        Ok(())
    }

    fn overwrite_from(&mut self, first: u32, aabbs: &[Aabb]) -> Result<(), BoxError> {
        if self.keeps_given() {
            for slot in first..aabbs.len() as u32 {
                self.write(slot, canonical_zero(aabbs[slot as usize]));
            }
        } else {
            let first = first as usize;
            for (to, from) in self.tested[first..].iter_mut().zip(&aabbs[first..]) {
                *to = canonical_zero(*from);
            }
        }
        Ok(())
    }

    /// Is the box of id `i` in slot `i`, for all of them?
    fn ids_are_slots(&self) -> bool {
        self.is_dense()
            && self.ids.iter().enumerate().fold(true, |same, (slot, &id)| same & (slot == id as usize))
    }
}

/// -0.0 becomes 0.0; everything else stays.
#[inline]
fn canonical_zero(aabb: Aabb) -> Aabb {
    Aabb { min: aabb.min + 0.0, max: aabb.max + 0.0 }
}

/// What `checked` accepts, without branches.
#[inline]
fn is_box(aabb: &Aabb) -> bool {
    let (min, max) = (aabb.min, aabb.max);
    (min.x <= max.x)
        & (min.y <= max.y)
        & (min.z <= max.z)
        & (min.max_element() < f32::INFINITY)
        & (max.min_element() > f32::NEG_INFINITY)
}

/// Looks at the numbers as they were given: rounding `f64` outward could hide that min is above max.
fn check_given(id: u32, slice: &BoxSlice<'_>, index: usize) -> Result<(), BoxError> {
    let [ax, ay, az, bx, by, bz] = slice.given(index);
    let (min, max) = ([ax, ay, az], [bx, by, bz]);
    let good = |i: usize| min[i] <= max[i] && min[i] < f64::INFINITY && max[i] > f64::NEG_INFINITY;
    if good(0) && good(1) && good(2) { Ok(()) } else { Err(refusal(id, min, max)) }
}
