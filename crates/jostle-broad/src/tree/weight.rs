//! How much a box weighs in a tree, and how fat a leaf is.

use super::Tree;
use crate::Aabb;

/// Half the surface of a box that was grown by `grain`, in `f64`: no `f32` box overflows it.
///
/// The surface heuristic weighs a node by the chance that a query meets it, and a ray meets it in proportion to its
/// surface. Our queries are boxes, mostly as large as the leaves: growing by that size accounts for it, and it keeps
/// flat and thin boxes (all boxes of a plane scene, or points on a line) from weighing nothing.
#[inline]
pub(super) fn weight(aabb: &Aabb, grain: f64) -> f64 {
    let side = |axis: usize| f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]) + grain;
    let (x, y, z) = (side(0), side(1), side(2));
    x * y + y * z + z * x
}

/// The longest side, in `f64`: finite for every bounded box.
#[inline]
pub(super) fn longest_side(aabb: &Aabb) -> f64 {
    let side = |axis: usize| f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]);
    side(0).max(side(1)).max(side(2))
}

/// The box grown by `by` on every side, as far as finite numbers go; it contains the box whatever the rounding.
#[inline]
pub(super) fn grown(aabb: &Aabb, by: f32) -> Aabb {
    let fat = aabb.inflate(by);
    Aabb { min: fat.min.max(glam::Vec3::MIN), max: fat.max.min(glam::Vec3::MAX) }
}

impl Tree {
    /// How much a leaf with this box is grown on every side.
    #[inline]
    pub(super) fn margin_of(&self, exact: &Aabb) -> f32 {
        // Computed in `f64`, as the side of a bounded box can be more than the largest `f32`.
        (f64::from(self.settings.margin) * longest_side(exact)).min(f64::from(f32::MAX)) as f32
    }

    /// The fat box of a new leaf. An unbounded leaf has none but itself.
    pub(super) fn fat_for(&self, exact: &Aabb) -> Aabb {
        if exact.is_finite() { grown(exact, self.margin_of(exact)) } else { *exact }
    }

    /// The fat box of a leaf that went from `before` to `exact`. One that moves further in a step than half its margin
    /// would leave a fat box as good as every time: it gets no margin, which keeps the boxes above it tight.
    pub(super) fn fat_after(&self, before: &Aabb, exact: &Aabb) -> Aabb {
        if !exact.is_finite() {
            return *exact;
        }
        let margin = self.margin_of(exact);
        let step = (exact.min - before.min).abs().max((exact.max - before.max).abs()).max_element();
        if step <= 0.5 * margin { grown(exact, margin) } else { *exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn weights_of_extreme_boxes_are_finite_and_ordered() {
        let largest = Aabb::new(Vec3::MIN, Vec3::MAX);
        let large = Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30));
        let point = Aabb::new(Vec3::splat(1e30), Vec3::splat(1e30));
        assert!(weight(&largest, 1.0).is_finite() && longest_side(&largest).is_finite());
        assert!(weight(&largest, 0.0) > weight(&large, 0.0));
        assert!(weight(&large, 0.0) > weight(&point, 0.0));
        assert_eq!(weight(&point, 0.0), 0.0);
    }

    #[test]
    fn fat_boxes_contain_the_exact_ones_and_stay_finite() {
        let tree = Tree::default();
        for exact in [
            Aabb::new(Vec3::MIN, Vec3::MAX),
            Aabb::new(Vec3::splat(1e30), Vec3::splat(1e30)),
            Aabb::new(Vec3::splat(-1e-45), Vec3::splat(1e-45)),
            Aabb::new(Vec3::ZERO, Vec3::new(1.0, 0.0, 3.0)),
        ] {
            let fat = tree.fat_for(&exact);
            assert!(fat.contains(&exact) && fat.is_finite(), "{exact:?}: {fat:?}");
        }
    }
}
