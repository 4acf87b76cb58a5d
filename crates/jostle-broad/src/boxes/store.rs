//! The store itself: insert, remove, move one box, filters, exclusions, and what finders read.

use std::collections::HashSet;

use glam::Vec3;

use super::changes::{Change, ChangeLog, Changes, Revision};
use super::homes::KnownHomes;
use super::id_table::IdTable;
use super::update::first_refusal;
use super::{Axis, BoxError, Filter};
use crate::pairs::{Pair, PairRun};
use crate::round::add_round_down;
use crate::{Aabb, Lanes};

/// How many axes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dimensions {
    /// x and y: the z coordinates are ignored (they are still refused when they are not numbers).
    Two,
    /// x, y and z.
    #[default]
    Three,
}

impl Dimensions {
    /// How many that is.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

/// What counts as an overlapping pair, for all boxes of a store. The same for every finder, the oracle included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxesSettings {
    /// Two- or three-dimensional. Default: three.
    pub dimensions: Dimensions,
    /// Clearance, in units of length: boxes at most this far apart on every axis pair too. Exact: the comparison is
    /// that of real numbers, not of rounded sums. Default: 0.
    pub margin: f32,
    /// Report pairs of two boxes that cannot move. Default: no.
    pub fixed_pairs: bool,
}

/// A store of boxes with caller-chosen ids.
///
/// ```
/// use jostle_broad::{Aabb, Boxes, Filter};
/// use glam::Vec3;
///
/// let mut boxes = Boxes::default();
/// boxes.insert(7, Aabb::new(Vec3::ZERO, Vec3::ONE), Filter::default())?;
/// boxes.insert(9, Aabb::new(Vec3::ONE, Vec3::splat(2.0)), Filter::fixed())?;
/// assert!(boxes.set(7, Aabb::new(Vec3::ONE, Vec3::ZERO)).is_err(), "min above max is refused");
/// assert_eq!(boxes.get(7), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)), "and nothing has changed");
/// # Ok::<(), jostle_broad::BoxError>(())
/// ```
#[derive(Debug, Default)]
pub struct Boxes {
    settings: BoxesSettings,
    /// Per slot, what finders test: flattened in 2-D, the margin added to the maxima. [`Aabb::NOWHERE`] in free slots.
    pub(super) tested: Vec<Aabb>,
    /// Boxes are stored here while it is not known yet whether all are good. Holds nothing of use in between.
    pub(super) spare: Vec<Aabb>,
    /// Per slot, the box as given. Kept only where it differs from the tested one (2-D, margin); else empty.
    pub(super) given: Vec<Aabb>,
    pub(super) ids: Vec<u32>,
    filters: Vec<Filter>,
    free: Vec<u32>,
    /// The slots of ids that are not the number of their slot.
    table: IdTable,
    /// How many boxes have another filter than the default.
    filtered: usize,
    /// How many boxes have another id than their slot.
    displaced: usize,
    excluded: HashSet<Pair>,
    pub(super) log: ChangeLog,
    /// What a finder knows of boxes that only tremble.
    pub(super) homes: KnownHomes,
}

impl Clone for Boxes {
    /// The copy has a history of its own: finders that know the original start over with it.
    fn clone(&self) -> Self {
        Self {
            settings: self.settings,
            tested: self.tested.clone(),
            spare: Vec::new(),
            given: self.given.clone(),
            ids: self.ids.clone(),
            filters: self.filters.clone(),
            free: self.free.clone(),
            table: self.table.clone(),
            filtered: self.filtered,
            displaced: self.displaced,
            excluded: self.excluded.clone(),
            log: ChangeLog::default(),
            homes: KnownHomes::default(),
        }
    }
}

impl Boxes {
    /// The most boxes a store holds: slots have 30 bits, and some finders keep flags beside them.
    pub const MAX_BOXES: usize = 1 << 30;

    /// An empty store.
    pub fn new(settings: BoxesSettings) -> Result<Self, BoxError> {
        if !(settings.margin >= 0.0 && settings.margin.is_finite()) {
            return Err(BoxError::BadMargin { margin: settings.margin });
        }
        Ok(Self { settings, ..Self::default() })
    }

    /// A store of boxes with ids 0, 1, 2, ... and the default filter.
    pub fn from_aabbs(aabbs: &[Aabb]) -> Result<Self, BoxError> {
        if aabbs.len() > Self::MAX_BOXES {
            return Err(BoxError::Full { limit: Self::MAX_BOXES });
        }
        if !Lanes::best().are_boxes(aabbs) {
            return Err(first_refusal(aabbs));
        }
        Ok(Self {
            tested: aabbs.iter().map(Aabb::with_plain_zeros).collect(),
            ids: (0..aabbs.len() as u32).collect(),
            filters: vec![Filter::default(); aabbs.len()],
            ..Self::default()
        })
    }

    /// What counts as a pair.
    pub fn settings(&self) -> &BoxesSettings {
        &self.settings
    }

    /// How many boxes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.ids.len() - self.free.len()
    }

    /// Is there no box?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot of a box.
    #[inline]
    pub fn slot_of(&self, id: u32) -> Option<u32> {
        match self.ids.get(id as usize) {
            Some(&there) if there == id && self.is_live(id) => Some(id),
            _ => self.table.get(id),
        }
    }

    /// Is there a box with this id?
    pub fn contains(&self, id: u32) -> bool {
        self.slot_of(id).is_some()
    }

    /// The box as it was given (`f64` boxes: as they were rounded).
    pub fn get(&self, id: u32) -> Option<Aabb> {
        self.slot_of(id).map(|slot| self.given_at(slot))
    }

    /// The filter of a box.
    pub fn filter(&self, id: u32) -> Option<Filter> {
        self.slot_of(id).map(|slot| self.filters[slot as usize])
    }

    /// Adds a box.
    pub fn insert(&mut self, id: u32, aabb: Aabb, filter: Filter) -> Result<(), BoxError> {
        if self.contains(id) {
            return Err(BoxError::DuplicateId { id });
        }
        let aabb = checked(id, aabb)?;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.ids.len() >= Self::MAX_BOXES => {
                return Err(BoxError::Full { limit: Self::MAX_BOXES });
            }
            None => {
                self.ids.push(id);
                self.tested.push(Aabb::NOWHERE);
                self.filters.push(filter);
                if self.keeps_given() {
                    self.given.push(aabb);
                }
                (self.ids.len() - 1) as u32
            }
        };
        self.ids[slot as usize] = id;
        self.filters[slot as usize] = filter;
        self.filtered += usize::from(filter != Filter::default());
        self.displaced += usize::from(id != slot);
        if id != slot {
            self.table.set(id, slot);
        }
        self.write(slot, aabb);
        self.log.push(Change::structure(slot), self.ids.len());
        Ok(())
    }

    /// Removes a box and returns it.
    pub fn remove(&mut self, id: u32) -> Result<Aabb, BoxError> {
        let slot = self.known(id)?;
        let aabb = self.given_at(slot);
        self.tested[slot as usize] = Aabb::NOWHERE;
        self.filtered -= usize::from(self.filters[slot as usize] != Filter::default());
        self.displaced -= usize::from(id != slot);
        self.free.push(slot);
        if id != slot {
            self.table.clear(id);
        }
        self.log.push(Change::structure(slot), self.ids.len());
        Ok(aabb)
    }

    /// Moves a box.
    pub fn set(&mut self, id: u32, aabb: Aabb) -> Result<(), BoxError> {
        let slot = self.known(id)?;
        let aabb = checked(id, aabb)?;
        if self.given_at(slot) != aabb {
            self.write(slot, aabb);
            self.log.push(Change::moved(slot), self.ids.len());
        }
        Ok(())
    }

    /// Gives a box another filter.
    pub fn set_filter(&mut self, id: u32, filter: Filter) -> Result<(), BoxError> {
        let slot = self.known(id)?;
        let old = std::mem::replace(&mut self.filters[slot as usize], filter);
        if old != filter {
            self.filtered += usize::from(filter != Filter::default());
            self.filtered -= usize::from(old != Filter::default());
            self.log.push(Change::structure(slot), self.ids.len());
        }
        Ok(())
    }

    /// Never reports this pair of ids, whether such boxes exist now or later. Says whether that is new.
    pub fn exclude(&mut self, a: u32, b: u32) -> bool {
        let new = self.excluded.insert(Pair::new(a, b));
        self.exclusion_changed(new, a);
        new
    }

    /// Takes an exclusion back. Says whether there was one.
    pub fn include(&mut self, a: u32, b: u32) -> bool {
        let was = self.excluded.remove(&Pair::new(a, b));
        self.exclusion_changed(was, a);
        was
    }

    fn exclusion_changed(&mut self, changed: bool, id: u32) {
        // One of the two slots is enough: a finder looks at all pairs of a slot that changed.
        if changed && let Some(slot) = self.slot_of(id) {
            self.log.push(Change::structure(slot), self.ids.len());
        }
    }

    /// The ids in use, in no particular order.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.live_slots().map(|slot| self.id(slot))
    }

    /// Where the history of this store stands. Remember it, and ask for [`Boxes::changes_since`] it later.
    #[inline]
    pub fn revision(&self) -> Revision {
        self.log.revision()
    }

    /// What changed since a revision of this store (`None`: since before there was anything).
    pub fn changes_since(&self, seen: Option<Revision>) -> Changes<'_> {
        self.log.since(seen)
    }

    /// Since a revision of this store, did boxes only move? True even where [`Boxes::changes_since`] answers
    /// [`Changes::Everything`] because too many moved to list them: then ids, filters and exclusions are as they were.
    pub fn only_moves_since(&self, seen: Option<Revision>) -> bool {
        self.log.only_moves_since(seen)
    }

    /// How many bytes the store holds.
    pub fn bytes(&self) -> usize {
        (self.tested.capacity() + self.spare.capacity()) * size_of::<Aabb>()
            + self.given.capacity() * size_of::<Aabb>()
            + self.ids.capacity() * size_of::<u32>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.free.capacity() * size_of::<u32>()
            + self.excluded.capacity() * (size_of::<Pair>() + 1)
            + self.table.bytes()
            + self.log.bytes()
    }

    fn known(&self, id: u32) -> Result<u32, BoxError> {
        self.slot_of(id).ok_or(BoxError::UnknownId { id })
    }

    /// Is the box of id `i` in slot `i`, for all slots?
    pub(crate) fn ids_are_slots(&self) -> bool {
        self.is_dense() && self.displaced == 0
    }

    pub(super) fn keeps_given(&self) -> bool {
        self.settings.margin > 0.0 || self.settings.dimensions == Dimensions::Two
    }

    #[inline]
    pub(super) fn given_at(&self, slot: u32) -> Aabb {
        if self.keeps_given() { self.given[slot as usize] } else { self.tested[slot as usize] }
    }

    /// Stores a checked box.
    #[inline]
    pub(super) fn write(&mut self, slot: u32, aabb: Aabb) {
        let slot = slot as usize;
        if self.keeps_given() {
            self.given[slot] = aabb;
            self.tested[slot] = self.as_tested(aabb);
        } else {
            self.tested[slot] = aabb;
        }
    }

    /// The box whose plain closed overlap test is the pair test of this store.
    fn as_tested(&self, mut aabb: Aabb) -> Aabb {
        let margin = self.settings.margin;
        if margin > 0.0 {
            // On one side only: a.min <= b.max + margin and b.min <= a.max + margin is the whole test, and with the
            // sum rounded down it is the test of the real numbers (see `add_round_down`).
            aabb.max = Vec3::from(aabb.max.to_array().map(|max| add_round_down(max, margin)));
        }
        if self.settings.dimensions == Dimensions::Two {
            (aabb.min.z, aabb.max.z) = (0.0, 0.0);
        }
        aabb
    }
}

/// What finders read. All by slot.
impl Boxes {
    /// One more than the highest slot ever used: slots are below it. Some may be free.
    #[inline]
    pub fn slots(&self) -> usize {
        self.ids.len()
    }

    /// Is there a box in this slot?
    #[inline]
    pub fn is_live(&self, slot: u32) -> bool {
        !self.tested[slot as usize].min.x.is_nan()
    }

    /// Are all slots in use?
    #[inline]
    pub fn is_dense(&self) -> bool {
        self.free.is_empty()
    }

    /// The slots in use, ascending.
    pub fn live_slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.slots() as u32).filter(|&slot| self.is_live(slot))
    }

    /// Per slot, the box to test. Two slots overlap exactly when these boxes do: margin and 2-D mode are in them. Free
    /// slots hold [`Aabb::NOWHERE`], which overlaps nothing.
    #[inline]
    pub fn aabbs(&self) -> &[Aabb] {
        &self.tested
    }

    /// The box to test in one slot.
    #[inline]
    pub fn aabb(&self, slot: u32) -> &Aabb {
        &self.tested[slot as usize]
    }

    /// The id of the box in a slot.
    #[inline]
    pub fn id(&self, slot: u32) -> u32 {
        self.ids[slot as usize]
    }

    /// Per slot, the id of its box. Free slots hold the id they had last.
    #[inline]
    pub fn ids_by_slot(&self) -> &[u32] {
        &self.ids
    }

    /// The filter of the box in a slot.
    #[inline]
    pub fn filter_at(&self, slot: u32) -> &Filter {
        &self.filters[slot as usize]
    }

    /// May every two boxes pair? Then [`Boxes::may_pair`] need not be asked.
    #[inline]
    pub fn admits_all(&self) -> bool {
        self.filtered == 0 && self.excluded.is_empty()
    }

    /// Are there pairs of ids that are never reported?
    #[inline]
    pub fn has_exclusions(&self) -> bool {
        !self.excluded.is_empty()
    }

    /// May the boxes in these two slots pair, if they overlap?
    #[inline]
    pub fn may_pair(&self, a: u32, b: u32) -> bool {
        self.filters[a as usize].admits(&self.filters[b as usize], self.settings.fixed_pairs)
            && (self.excluded.is_empty() || !self.excluded.contains(&Pair::new(self.id(a), self.id(b))))
    }

    /// May the box in a slot of this store pair with that in a slot of another?
    pub(crate) fn may_pair_with(&self, slot: u32, other: &Self, other_slot: u32) -> bool {
        let ids = Pair::new(self.id(slot), other.id(other_slot));
        self.filters[slot as usize].admits(&other.filters[other_slot as usize], self.settings.fixed_pairs)
            && !self.excluded.contains(&ids)
            && !other.excluded.contains(&ids)
    }

    /// Do the boxes in these two slots make a pair?
    #[inline]
    pub fn is_pair(&self, a: u32, b: u32) -> bool {
        self.aabb(a).overlaps(self.aabb(b)) && self.may_pair(a, b)
    }

    /// Hands over two slots whose boxes overlap: they go into the run, as ids, if they may pair.
    #[inline]
    pub fn report(&self, a: u32, b: u32, run: &mut PairRun) {
        if self.admits_all() || self.may_pair(a, b) {
            run.push(self.id(a), self.id(b));
        }
    }
}

/// Refuses what is not a box; turns -0.0 into 0.0, because finders may sort coordinates by their bits.
#[inline]
pub(crate) fn checked(id: u32, aabb: Aabb) -> Result<Aabb, BoxError> {
    // One comparison per axis for the good case: false for NaN and for min > max.
    let ordered = aabb.min.cmple(aabb.max).all();
    let reachable = aabb.min.cmplt(Vec3::INFINITY).all() && aabb.max.cmpgt(Vec3::NEG_INFINITY).all();
    if ordered && reachable {
        return Ok(aabb.with_plain_zeros());
    }
    let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
    Err(refusal(id, min.map(f64::from), max.map(f64::from)))
}

#[cold]
pub(super) fn refusal(id: u32, min: [f64; 3], max: [f64; 3]) -> BoxError {
    for axis in Axis::ALL {
        let (min, max) = (min[axis as usize], max[axis as usize]);
        if min.is_nan() || max.is_nan() {
            return BoxError::NotANumber { id, axis, min, max };
        }
        if min == f64::INFINITY || max == f64::NEG_INFINITY {
            return BoxError::AtInfinity { id, axis, min, max };
        }
        if min > max {
            return BoxError::Inverted { id, axis, min, max };
        }
    }
    unreachable!("box {id} was refused without a reason")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moved;

    fn at(x: f32) -> Aabb {
        Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0))
    }

    #[test]
    fn a_store_of_an_array_is_one_of_single_boxes() {
        let mut aabbs: Vec<Aabb> = (0..30).map(|i| at(i as f32)).collect();
        aabbs[7] = Aabb { min: Vec3::splat(-0.0), max: Vec3::INFINITY };
        for count in [0, 1, 29, 30] {
            let all = Boxes::from_aabbs(&aabbs[..count]).unwrap();
            let mut single = Boxes::default();
            for (id, aabb) in (0..).zip(&aabbs[..count]) {
                single.insert(id, *aabb, Filter::default()).unwrap();
            }
            let bits = |boxes: &Boxes| bytemuck::cast_slice::<Aabb, u32>(boxes.aabbs()).to_vec();
            assert_eq!((all.len(), bits(&all)), (single.len(), bits(&single)));
            assert_eq!((&all.ids, &all.filters), (&single.ids, &single.filters));
            assert!(all.ids_are_slots() && all.slot_of(count as u32).is_none());
        }
        aabbs[12].max.y = -1.0;
        aabbs[20].min.x = f32::NAN;
        let error = Boxes::from_aabbs(&aabbs).unwrap_err();
        assert!(matches!(error, BoxError::Inverted { id: 12, axis: Axis::Y, .. }), "{error}");
    }

    #[test]
    fn ids_are_found_in_whatever_slot_they_come_to_be() {
        let mut boxes = Boxes::from_aabbs(&[at(0.0), at(1.0), at(2.0), at(3.0)]).unwrap();
        assert_eq!(boxes.table.bytes(), 0, "ids are slots");
        let slots = |boxes: &Boxes| [0, 1, 2, 3, 9].map(|id| boxes.slot_of(id));
        boxes.remove(1).unwrap();
        boxes.remove(2).unwrap();
        assert_eq!(slots(&boxes), [Some(0), None, None, Some(3), None]);
        // The slot that was freed last is filled first.
        boxes.insert(1, at(1.5), Filter::default()).unwrap();
        boxes.insert(9, at(9.0), Filter::default()).unwrap();
        assert_eq!(slots(&boxes), [Some(0), Some(2), None, Some(3), Some(1)]);
        assert_eq!(boxes.insert(1, at(0.0), Filter::default()), Err(BoxError::DuplicateId { id: 1 }));
        boxes.remove(9).unwrap();
        boxes.remove(1).unwrap();
        assert_eq!(slots(&boxes), [Some(0), None, None, Some(3), None]);
        // Each in its own again.
        boxes.insert(2, at(2.5), Filter::default()).unwrap();
        boxes.insert(1, at(1.5), Filter::default()).unwrap();
        assert_eq!(slots(&boxes), [Some(0), Some(1), Some(2), Some(3), None]);
        assert!(boxes.ids_are_slots());
        boxes.update(Moved::Ids(&[2]), [at(7.0), at(7.0), at(8.0), at(7.0)].as_slice()).unwrap();
        assert_eq!((boxes.get(1), boxes.get(2)), (Some(at(1.5)), Some(at(8.0))));
    }
}
