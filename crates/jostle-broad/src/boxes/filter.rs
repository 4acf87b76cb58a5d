//! Which boxes may pair with which.

use bytemuck::{Pod, Zeroable};

const MOVABLE: u32 = 1;
const SENSOR: u32 = 2;

/// What a box is and whom it may pair with. The default is a movable box of group 1 that pairs with every group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Filter {
    /// The groups this box belongs to, one bit each.
    pub group: u32,
    /// The groups this box pairs with, one bit each.
    pub mask: u32,
    flags: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { group: 1, mask: u32::MAX, flags: MOVABLE }
    }
}

impl Filter {
    /// A box that never pairs with another fixed box (unless [`crate::BoxesSettings::fixed_pairs`] says so).
    pub fn fixed() -> Self {
        Self::default().movable(false)
    }

    /// A movable box that only senses: two sensors do not pair.
    pub fn sensor() -> Self {
        Self::default().sensing(true)
    }

    /// Sets whether the box can move.
    #[must_use]
    pub fn movable(mut self, yes: bool) -> Self {
        self.flags = if yes { self.flags | MOVABLE } else { self.flags & !MOVABLE };
        self
    }

    /// Sets whether the box is a sensor.
    #[must_use]
    pub fn sensing(mut self, yes: bool) -> Self {
        self.flags = if yes { self.flags | SENSOR } else { self.flags & !SENSOR };
        self
    }

    /// Sets the groups the box belongs to and those it pairs with.
    #[must_use]
    pub fn groups(mut self, group: u32, mask: u32) -> Self {
        self.group = group;
        self.mask = mask;
        self
    }

    /// Can the box move?
    #[inline]
    pub fn is_movable(&self) -> bool {
        self.flags & MOVABLE != 0
    }

    /// Is the box a sensor?
    #[inline]
    pub fn is_sensor(&self) -> bool {
        self.flags & SENSOR != 0
    }

    /// May boxes with these two filters pair?
    #[inline]
    pub fn admits(&self, other: &Self, fixed_pairs: bool) -> bool {
        self.group & other.mask != 0
            && other.group & self.mask != 0
            && ((self.flags | other.flags) & MOVABLE != 0 || fixed_pairs)
            && self.flags & other.flags & SENSOR == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admission_is_decided_by_flags_groups_and_masks() {
        let plain = Filter::default();
        // (a, b, fixed pairs, admitted)
        let table = [
            (plain, plain, false, true),
            (Filter::fixed(), plain, false, true),
            (Filter::fixed(), Filter::fixed(), false, false),
            (Filter::fixed(), Filter::fixed(), true, true),
            (Filter::sensor(), plain, false, true),
            (Filter::sensor(), Filter::sensor(), false, false),
            (Filter::sensor(), Filter::fixed(), false, true),
            (plain.groups(2, 1), plain.groups(1, 2), false, true),
            (plain.groups(2, 1), plain.groups(1, 4), false, false),
            (plain.groups(0, u32::MAX), plain, false, false),
        ];
        for (a, b, fixed_pairs, admitted) in table {
            assert_eq!(a.admits(&b, fixed_pairs), admitted, "{a:?} {b:?}");
            assert_eq!(b.admits(&a, fixed_pairs), admitted, "symmetric: {b:?} {a:?}");
        }
    }
}
