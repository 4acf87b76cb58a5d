//! An end of a box on one axis, in a total order: by value, then minima before maxima, then by slot.
//!
//! Minima come first among equals because intervals are closed: where one box ends exactly where another begins, the
//! beginning is met first and the two are seen to overlap. The slot makes every endpoint unique, so that there is one
//! sorted order, and an endpoint is found in it by binary search.

use crate::Aabb;
use crate::round::{from_ordered, ordered};

/// The bit of a tag that marks a minimum: as signed numbers, tags of minima lie below tags of maxima.
pub(super) const MIN_BIT: u32 = 1 << 31;

/// A tag after all others at the same value: no slot is this high.
pub(super) const LAST_TAG: u32 = MIN_BIT - 1;

/// The slot of a tag.
#[inline]
pub(super) fn slot_of_tag(tag: u32) -> u32 {
    tag & !MIN_BIT
}

/// Does the tag mark a maximum?
#[inline]
pub(super) fn is_max_tag(tag: u32) -> bool {
    tag & MIN_BIT == 0
}

/// An endpoint as one number: the value in the upper half, in an encoding that sorts like the value; below it, whether
/// it is a maximum, and the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Endpoint(u64);

impl Endpoint {
    /// The endpoint of a value and a tag.
    #[inline]
    pub(super) fn new(value: f32, tag: u32) -> Self {
        // The sum turns -0.0 into 0.0: the encoding would tell them apart.
        Self(u64::from(ordered(value + 0.0)) << 32 | u64::from(tag ^ MIN_BIT))
    }

    /// The lower end of a box.
    #[inline]
    pub(super) fn min(aabb: &Aabb, axis: usize, slot: u32) -> Self {
        Self::new(aabb.min[axis], slot | MIN_BIT)
    }

    /// The upper end of a box.
    #[inline]
    pub(super) fn max(aabb: &Aabb, axis: usize, slot: u32) -> Self {
        Self::new(aabb.max[axis], slot)
    }

    /// The value the endpoint was made of.
    #[inline]
    pub(super) fn value(self) -> f32 {
        from_ordered((self.0 >> 32) as u32)
    }

    /// The tag the endpoint was made of.
    #[inline]
    pub(super) fn tag(self) -> u32 {
        self.0 as u32 ^ MIN_BIT
    }

    #[inline]
    pub(super) fn slot(self) -> u32 {
        slot_of_tag(self.tag())
    }

    #[inline]
    pub(super) fn is_max(self) -> bool {
        is_max_tag(self.tag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_sort_by_value_then_minima_first_then_slot() {
        let values =
            [f32::NEG_INFINITY, -1e30, -1.0, -1e-45, 0.0, 1e-45, 1.0f32, 1.0f32.next_up(), f32::INFINITY];
        let mut all = Vec::new();
        for value in values {
            for tag in [3 | MIN_BIT, 7 | MIN_BIT, 3, 7, LAST_TAG] {
                all.push((value, tag));
            }
        }
        let endpoints: Vec<Endpoint> = all.iter().map(|&(value, tag)| Endpoint::new(value, tag)).collect();
        assert!(endpoints.windows(2).all(|two| two[0] < two[1]));
        for (endpoint, (value, tag)) in endpoints.iter().zip(all) {
            assert_eq!((endpoint.value().to_bits(), endpoint.tag()), (value.to_bits(), tag));
            assert_eq!(endpoint.is_max(), tag & MIN_BIT == 0);
        }
        assert_eq!(Endpoint::new(-0.0, 5), Endpoint::new(0.0, 5));
    }
}
