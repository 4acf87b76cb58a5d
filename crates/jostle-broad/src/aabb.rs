//! Axis-aligned boxes: the closed intervals everything in this crate is about.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4, Vec4Swizzles};

use crate::round::{round_down, round_up};

/// An axis-aligned bounding box, closed on every side: boxes that only touch overlap.
///
/// The layout is six `f32` in the order min x, y, z, max x, y, z, so that a slice of boxes can be read from a file or
/// handed over from another language as it is.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// A box that overlaps nothing, not even itself: every comparison with a NaN is false. Free slots hold it.
    pub const NOWHERE: Self = Self { min: Vec3::NAN, max: Vec3::NAN };

    /// A box that overlaps every other box.
    pub const EVERYWHERE: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// The identity of [`Aabb::union`]. Not a box: its minimum lies above its maximum.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box between two corners.
    #[inline]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box of the given half widths around a point.
    #[inline]
    pub fn from_center(center: Vec3, half_extents: Vec3) -> Self {
        Self { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest `f32` box that contains an `f64` box: minima are rounded down, maxima up.
    #[inline]
    pub fn from_f64_outward(min: [f64; 3], max: [f64; 3]) -> Self {
        Self { min: Vec3::from(min.map(round_down)), max: Vec3::from(max.map(round_up)) }
    }

    /// Do the two closed boxes share a point?
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.halves(), other.halves());
        // Whether two boxes overlap is a toss-up wherever it is worth asking: no branches, and no early end. The fourth
        // lane compares nothing of meaning.
        let a_before_b_ends = a.0.cmple(b.1.yzww()).bitmask();
        let b_before_a_ends = b.0.cmple(a.1.yzww()).bitmask();
        a_before_b_ends & b_before_a_ends & 0b111 == 0b111
    }

    /// The six numbers as min x, y, z, max x and as min z, max x, y, z: one register each.
    #[inline]
    fn halves(&self) -> (Vec4, Vec4) {
        let numbers: &[f32; 6] = bytemuck::cast_ref(self);
        (Vec4::from_slice(&numbers[..4]), Vec4::from_slice(&numbers[2..]))
    }

    /// Is it one: no NaN, no minimum above its maximum, not at infinity? All of that shows in one difference per axis,
    /// because infinity less infinity is not a number.
    #[inline]
    pub(crate) fn is_box(&self) -> bool {
        let (front, back) = self.halves();
        (back.yzww() - front).cmpge(Vec4::ZERO).bitmask() & 0b111 == 0b111
    }

    /// Is it a box, and none of its numbers -0.0?
    pub(crate) fn is_plain_box(&self) -> bool {
        let numbers: &[u32; 6] = bytemuck::cast_ref(self);
        self.is_box() && numbers.iter().all(|bits| *bits != (-0.0f32).to_bits())
    }

    /// The same box; -0.0 becomes 0.0.
    #[inline]
    pub(crate) fn with_plain_zeros(&self) -> Self {
        Self { min: self.min + 0.0, max: self.max + 0.0 }
    }

    /// `==` without branches.
    #[inline]
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let (a, b) = (self.halves(), other.halves());
        (a.0.cmpeq(b.0) & a.1.cmpeq(b.1)).all()
    }

    /// Does this box contain the other one whole?
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `by` on every side, in plain `f32` arithmetic.
    #[inline]
    pub fn inflate(&self, by: f32) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// The box grown by `by` on every side, and never by less: what rounding might take is added.
    #[inline]
    pub(crate) fn inflate_outward(&self, by: f32) -> Self {
        // Two sums are rounded, by half of the last bit at most: 2^-24 of each.
        let by = |corner: Vec3| corner.abs() * (4.0 * f32::EPSILON) + by * (1.0 + 4.0 * f32::EPSILON);
        Self { min: self.min - by(self.min), max: self.max + by(self.max) }
    }

    /// The middle. Not finite where the box is not; large boxes do not overflow.
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// The widths along the three axes.
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.max - self.min
    }

    /// The longest of the three widths.
    #[inline]
    pub fn longest_side(&self) -> f32 {
        self.extents().max_element()
    }

    /// Half the surface: what tree builders weigh boxes by.
    #[inline]
    pub fn half_area(&self) -> f32 {
        let e = self.extents();
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    /// Are all six coordinates finite?
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_at(x: f32) -> Aabb {
        Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0))
    }

    #[test]
    fn touching_boxes_overlap() {
        assert!(unit_at(0.0).overlaps(&unit_at(1.0)));
        assert!(!unit_at(0.0).overlaps(&unit_at(1.0f32.next_up())));
    }

    #[test]
    fn nowhere_overlaps_nothing_and_everywhere_everything() {
        assert!(!Aabb::NOWHERE.overlaps(&Aabb::NOWHERE));
        assert!(!Aabb::NOWHERE.overlaps(&Aabb::EVERYWHERE));
        assert!(Aabb::EVERYWHERE.overlaps(&unit_at(3.0)));
    }

    #[test]
    fn boxes_never_grow_by_less_than_asked_for() {
        let numbers = [0.0, 1.0e-44, 1.1e-38, 1.0e-7, 0.1, 1.0 / 3.0, 0.999_999_94, 1.0, 7.7, 1.0e9, 3.0e38];
        for by in numbers {
            for number in numbers.into_iter().flat_map(|number| [number, -number]) {
                let grown = Aabb::new(Vec3::splat(number), Vec3::splat(number)).inflate_outward(by);
                let (number, by) = (f64::from(number), f64::from(by));
                assert!(f64::from(grown.min.x) <= number - by, "{number} and {by}");
                assert!(f64::from(grown.max.x) >= number + by, "{number} and {by}");
            }
        }
        assert_eq!(Aabb::EVERYWHERE.inflate_outward(1.0), Aabb::EVERYWHERE);
        assert!(Aabb::NOWHERE.inflate_outward(1.0).min.is_nan());
    }

    #[test]
    fn f64_boxes_are_rounded_outward() {
        let b = Aabb::from_f64_outward([0.1, -0.1, 1.0], [0.1, -0.1, 1.0]);
        for axis in 0..3 {
            let exact = [0.1, -0.1, 1.0][axis];
            assert!(f64::from(b.min[axis]) <= exact && exact <= f64::from(b.max[axis]));
        }
        assert_eq!((b.min.z, b.max.z), (1.0, 1.0), "what f32 can hold stays as it is");
    }
}
