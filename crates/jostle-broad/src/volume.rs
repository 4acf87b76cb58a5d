//! What all bounding volumes have in common, and their use as a second filter on found pairs.
//!
//! A volume is fitted to points and contains their convex hull in real arithmetic, whatever was rounded on the way;
//! its overlap test may err, but only towards "yes". So a tighter volume never drops a pair of things that meet: it
//! drops pairs whose boxes overlap while the things inside do not.
//! When which volume pays is said at [`BoundingVolume`].

use glam::Vec3;
use thiserror::Error;

use crate::{Aabb, Axis, Pair};

/// A closed convex region that stands in for what it contains.
///
/// | volume | `f32` stored | comparisons | pays for |
/// |---|---|---|---|
/// | [`Aabb`] | 6 | 6 | everything first: the finders speak it |
/// | [`Sphere`](crate::Sphere) | 4 | 1 (of squares) | round things; turning is free, moving is one addition |
/// | [`Kdop14`](crate::Kdop14) | 14 | 14 | things with cut corners; still or deforming, refitted from their points |
/// | [`Kdop18`](crate::Kdop18) | 18 | 18 | the same with cut edges: bars and plates that lie askew in a plane |
/// | [`Kdop26`](crate::Kdop26) | 26 | 26 | both cuts; close to the hull, and no arithmetic in the test |
/// | [`OrientedBox`](crate::OrientedBox) | 15 | 3 to 15, each after some 30 operations | long or flat rigid things that turn: fitted once, then placed |
///
/// Fitting reads every point once or a few times, so it pays where a volume outlives many tests. A k-DOP has to be
/// fitted anew whenever its thing turns; a sphere and an oriented box are carried along. The test of an oriented box is
/// an order of magnitude dearer than the others: use it where the cheaper ones leave many false pairs.
pub trait BoundingVolume {
    /// Do the two closed volumes share a point? Never "no" if they do; the answer does not depend on the order.
    fn overlaps(&self, other: &Self) -> bool;

    /// A box around the volume, rounded outward.
    fn aabb(&self) -> Aabb;

    /// Does the volume contain the point? Never "no" if it does.
    fn contains_point(&self, point: Vec3) -> bool;
}

impl<V: BoundingVolume> BoundingVolume for &V {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        V::overlaps(self, other)
    }

    #[inline]
    fn aabb(&self) -> Aabb {
        V::aabb(self)
    }

    #[inline]
    fn contains_point(&self, point: Vec3) -> bool {
        V::contains_point(self, point)
    }
}

impl BoundingVolume for Aabb {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        Aabb::overlaps(self, other)
    }

    #[inline]
    fn aabb(&self) -> Aabb {
        *self
    }

    #[inline]
    fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }
}

impl Aabb {
    /// The smallest box around points.
    pub fn from_points(points: &[Vec3]) -> Result<Self, VolumeError> {
        check_points(points)?;
        Ok(bounds(points))
    }
}

/// Keeps the pairs whose volumes overlap, in the order they are in.
///
/// `volume_of` gives the volume of an id, by value or by reference. Pairs in canonical order are read fastest: the
/// volume of a lower id is asked for once. Volumes know nothing of a clearance margin: if the boxes have one, fit or
/// grow the volumes so that they contain it.
///
/// ```
/// use jostle_broad::{Pair, Sphere, glam::Vec3, retain_overlapping};
///
/// // The boxes of 0 and 1 overlap at a corner, where neither sphere reaches.
/// let spheres = [Vec3::ZERO, Vec3::splat(1.8), Vec3::X].map(|center| Sphere::new(center, 1.0).unwrap());
/// let mut pairs = vec![Pair::new(0, 1), Pair::new(0, 2)];
/// retain_overlapping(&mut pairs, |id| &spheres[id as usize]);
/// assert_eq!(pairs, [Pair::new(0, 2)]);
/// ```
pub fn retain_overlapping<V: BoundingVolume>(pairs: &mut Vec<Pair>, volume_of: impl Fn(u32) -> V) {
    let mut last: Option<(u32, V)> = None;
    pairs.retain(|pair| {
        let low = match last.take() {
            Some((id, volume)) if id == pair.low => volume,
            _ => volume_of(pair.low),
        };
        let keep = low.overlaps(&volume_of(pair.high));
        last = Some((pair.low, low));
        keep
    });
}

/// Why there is no such volume.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// Nothing to fit a volume to.
    #[error("there are no points to fit a volume to; give at least one")]
    NoPoints,
    /// A point is infinite or not a number.
    #[error("point {index}: its {axis} coordinate is {value}; give finite numbers")]
    PointNotFinite {
        /// Which point.
        index: usize,
        /// Where.
        axis: Axis,
        /// As given.
        value: f32,
    },
    /// A centre is infinite or not a number.
    #[error("the {axis} coordinate of the centre is {value}; give finite numbers")]
    CenterNotFinite {
        /// Where.
        axis: Axis,
        /// As given.
        value: f32,
    },
    /// A radius or a half width is negative, infinite or not a number.
    #[error("a radius or half width of {value} must be a finite number >= 0")]
    BadExtent {
        /// As given.
        value: f32,
    },
    /// The axes are not of unit length and at right angles, not even roughly.
    #[error("the rotation is off by {error}, more than {limit}; normalise it")]
    NotARotation {
        /// How far squared lengths are from one, or cosines of angles from zero.
        error: f64,
        /// How far they may be.
        limit: f64,
    },
    /// The box is not one: a NaN, a minimum above the maximum, or all of it at infinity.
    #[error(
        "the box reaches from {min} to {max} on the {axis} axis; give min <= max, not NaN and not at infinity"
    )]
    BadBox {
        /// Where.
        axis: Axis,
        /// As given.
        min: f32,
        /// As given.
        max: f32,
    },
    /// The volume would have to be infinite, and its kind cannot be.
    #[error("the box reaches from {min} to {max} on the {axis} axis; only a box or a k-DOP can be unbounded")]
    Unbounded {
        /// Where.
        axis: Axis,
        /// As given.
        min: f32,
        /// As given.
        max: f32,
    },
}

/// Refuses no points and points that are not finite.
pub(crate) fn check_points(points: &[Vec3]) -> Result<(), VolumeError> {
    if points.is_empty() {
        return Err(VolumeError::NoPoints);
    }
    for (index, point) in points.iter().enumerate() {
        if let Some((axis, value)) = not_finite(*point) {
            return Err(VolumeError::PointNotFinite { index, axis, value });
        }
    }
    Ok(())
}

/// Refuses a centre that is not finite.
pub(crate) fn check_center(center: Vec3) -> Result<(), VolumeError> {
    match not_finite(center) {
        Some((axis, value)) => Err(VolumeError::CenterNotFinite { axis, value }),
        None => Ok(()),
    }
}

/// Refuses a radius or half width that is negative or not finite.
pub(crate) fn check_extent(value: f32) -> Result<(), VolumeError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(VolumeError::BadExtent { value }) }
}

/// Refuses what is no box.
pub(crate) fn check_box(aabb: &Aabb) -> Result<(), VolumeError> {
    for (k, axis) in Axis::ALL.into_iter().enumerate() {
        let (min, max) = (aabb.min[k], aabb.max[k]);
        let is_interval = min <= max && min < f32::INFINITY && max > f32::NEG_INFINITY;
        if !is_interval {
            return Err(VolumeError::BadBox { axis, min, max });
        }
    }
    Ok(())
}

/// Refuses what is no box, and unbounded boxes.
pub(crate) fn check_finite_box(aabb: &Aabb) -> Result<(), VolumeError> {
    check_box(aabb)?;
    for (k, axis) in Axis::ALL.into_iter().enumerate() {
        let (min, max) = (aabb.min[k], aabb.max[k]);
        if !(min.is_finite() && max.is_finite()) {
            return Err(VolumeError::Unbounded { axis, min, max });
        }
    }
    Ok(())
}

/// The box around checked points.
pub(crate) fn bounds(points: &[Vec3]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |bounds, &point| bounds.union(&Aabb::new(point, point)))
}

fn not_finite(point: Vec3) -> Option<(Axis, f32)> {
    Axis::ALL.into_iter().zip(point.to_array()).find(|(_, value)| !value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kdop14, OrientedBox, Sphere};

    #[test]
    fn bad_points_are_refused_by_index_and_axis() {
        let points = [Vec3::ZERO, Vec3::new(1.0, f32::INFINITY, f32::NAN)];
        let refusal = VolumeError::PointNotFinite { index: 1, axis: Axis::Y, value: f32::INFINITY };
        assert_eq!(refusal.to_string(), "point 1: its y coordinate is inf; give finite numbers");
        assert_eq!(Aabb::from_points(&points), Err(refusal.clone()));
        assert_eq!(Sphere::from_points(&points), Err(refusal.clone()));
        assert_eq!(OrientedBox::from_points(&points), Err(refusal.clone()));
        assert_eq!(Kdop14::from_points(&points), Err(refusal));
        assert_eq!(Aabb::from_points(&[]), Err(VolumeError::NoPoints));
        assert_eq!(Sphere::from_points(&[]), Err(VolumeError::NoPoints));
        assert_eq!(OrientedBox::from_points(&[]), Err(VolumeError::NoPoints));
        assert_eq!(Kdop14::from_points(&[]), Err(VolumeError::NoPoints));
    }

    #[test]
    fn bad_boxes_are_refused() {
        let half_space = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, f32::INFINITY));
        let unbounded = VolumeError::Unbounded { axis: Axis::Z, min: 0.0, max: f32::INFINITY };
        assert_eq!(Sphere::from_aabb(&half_space), Err(unbounded.clone()));
        assert_eq!(OrientedBox::from_aabb(&half_space), Err(unbounded));
        assert!(Kdop14::from_aabb(&half_space).is_ok());

        let beyond = Aabb::new(Vec3::splat(f32::INFINITY), Vec3::splat(f32::INFINITY));
        for bad in [Aabb::NOWHERE, Aabb::EMPTY, beyond] {
            assert!(matches!(Sphere::from_aabb(&bad), Err(VolumeError::BadBox { axis: Axis::X, .. })));
            assert!(matches!(OrientedBox::from_aabb(&bad), Err(VolumeError::BadBox { axis: Axis::X, .. })));
            assert!(matches!(Kdop14::from_aabb(&bad), Err(VolumeError::BadBox { axis: Axis::X, .. })));
        }
    }

    #[test]
    fn pairs_are_kept_in_order_and_by_their_own_volumes() {
        let at = |id: u32| Aabb::from_center(Vec3::X * id as f32, Vec3::splat(0.6));
        // Not sorted, with a lower id that comes back after another.
        let mut pairs: Vec<Pair> =
            [(3, 4), (0, 2), (0, 1), (3, 5), (1, 2), (0, 9)].map(|(a, b)| Pair::new(a, b)).into();
        retain_overlapping(&mut pairs, at);
        assert_eq!(pairs, [(3, 4), (0, 1), (1, 2)].map(|(a, b)| Pair::new(a, b)));
    }
}
