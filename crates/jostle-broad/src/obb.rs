//! Oriented boxes: fitted along principal axes, tested by fifteen separating axes (Gottschalk, Lin and Manocha,
//! OBBTree, SIGGRAPH 1996).
//!
//! Axes rounded to `f32` are not quite orthonormal. So the box is *defined* as the set of points
//! `center + axes * t` with `|t| <= half_extents`, a box sheared by some 1e-7, and both fitting and testing invert
//! `axes` in `f64` instead of transposing it. What is left is the rounding of `f64`, covered by one relative slack.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Mat3, Quat, Vec3};

use crate::round::{round_down, round_up, sum_bounds};
use crate::volume::{bounds, check_center, check_extent, check_finite_box, check_points};
use crate::{Aabb, BoundingVolume, VolumeError};

/// How far what is given as a rotation may be from one.
const ROTATION_TOLERANCE: f64 = 1e-3;

/// Slack of every comparison, relative to the sum of the lengths that went into it. The roundings on the way add up to
/// less than a hundred times 2^-53; this is 1024 times.
const SLACK: f64 = 512.0 * f64::EPSILON;

/// A side counts as at least this part of the longest one when two fits are compared.
const THINNEST: f64 = 1.0 / 65536.0;

/// A closed box of any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    center: Vec3,
    half_extents: Vec3,
    axes: Mat3,
}

impl OrientedBox {
    /// The box of the given half widths along its own axes, turned and put at a centre.
    pub fn new(center: Vec3, half_extents: Vec3, rotation: Quat) -> Result<Self, VolumeError> {
        let [x, y, z, w] = rotation.to_array().map(f64::from);
        let squared = x * x + y * y + z * z + w * w;
        check_rotation((squared - 1.0).abs())?;
        let s = 2.0 / squared;
        let axes = DMat3::from_cols(
            DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)),
            DVec3::new(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)),
            DVec3::new(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)),
        );
        Self::from_axes(center, half_extents, axes.as_mat3())
    }

    /// The box of the given half widths along the columns of a matrix, which must be a rotation up to rounding.
    pub fn from_axes(center: Vec3, half_extents: Vec3, axes: Mat3) -> Result<Self, VolumeError> {
        check_center(center)?;
        half_extents.to_array().into_iter().try_for_each(check_extent)?;
        let wide = axes.as_dmat3();
        let gram = wide.transpose() * wide;
        let off =
            |error: f64, k: usize| (gram.col(k) - DMat3::IDENTITY.col(k)).abs().max_element().max(error);
        // A NaN would be lost in `max`.
        let error = if axes.is_finite() { (0..3).fold(0.0, off) } else { f64::NAN };
        check_rotation(error)?;
        Ok(Self { center, half_extents, axes })
    }

    /// A small box around points: along the principal axes of their covariance, or along the coordinate axes, whichever
    /// has the smaller volume. Flat sets are compared by area and straight ones by length.
    ///
    /// Points that lie dense on one side pull the axes: give the corners of the hull where they are known.
    pub fn from_points(points: &[Vec3]) -> Result<Self, VolumeError> {
        check_points(points)?;
        let upright = Self::around_box(&bounds(points));
        Ok(match Self::along(principal_axes(covariance(points)), points) {
            Some(turned) if turned.is_smaller(&upright) => turned,
            _ => upright,
        })
    }

    /// The same box, with the coordinate axes. It must be bounded.
    ///
    /// Exact if `f32` holds the centre and the half widths, grown by a rounding step else.
    pub fn from_aabb(aabb: &Aabb) -> Result<Self, VolumeError> {
        check_finite_box(aabb)?;
        Ok(Self::around_box(aabb))
    }

    /// The centre.
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Half the widths along the three axes.
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// The axes of the box, one a column.
    pub fn axes(&self) -> Mat3 {
        self.axes
    }

    fn around_box(aabb: &Aabb) -> Self {
        let center = aabb.center();
        let half = |k: usize| {
            let reach = |to: f32, from: f32| round_up(sum_bounds([f64::from(to), -f64::from(from), 0.0]).1);
            reach(aabb.max[k], center[k]).max(reach(center[k], aabb.min[k]))
        };
        Self { center, half_extents: Vec3::from_array([0, 1, 2].map(half)), axes: Mat3::IDENTITY }
    }

    /// The box along given axes around points, unless it is beyond the range of `f32`.
    fn along(axes: DMat3, points: &[Vec3]) -> Option<Self> {
        let axes = axes.as_mat3();
        let into_box = axes.as_dmat3().inverse();
        let origin = points[0].as_dvec3();
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for point in points {
            let local = into_box * (point.as_dvec3() - origin);
            (low, high) = (low.min(local), high.max(local));
        }
        let center = (origin + axes.as_dmat3() * ((low + high) * 0.5)).as_vec3();
        // Measured from the rounded centre, so that its rounding does not matter.
        let (mut reach, mut slack) = (DVec3::ZERO, 0.0f64);
        for point in points {
            let offset = point.as_dvec3() - center.as_dvec3();
            reach = reach.max((into_box * offset).abs());
            slack = slack.max(offset.abs().element_sum() * SLACK);
        }
        let half_extents = Vec3::from_array((reach + slack).to_array().map(round_up));
        (center.is_finite() && half_extents.is_finite()).then_some(Self { center, half_extents, axes })
    }

    /// By volume, with sides next to nothing all taken for equally thin.
    fn is_smaller(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.half_extents.as_dvec3(), other.half_extents.as_dvec3());
        let thinnest = DVec3::splat(ours.max_element().max(theirs.max_element()) * THINNEST);
        ours.max(thinnest).element_product() < theirs.max(thinnest).element_product()
    }

    /// Center, half widths and axes, compared number by number.
    fn order(&self, other: &Self) -> Ordering {
        let numbers = |of: &Self| {
            let Self { center, half_extents, axes } = *of;
            [center, half_extents, axes.x_axis, axes.y_axis, axes.z_axis].map(|v| v.to_array())
        };
        self.center.x.partial_cmp(&other.center.x).map_or(Ordering::Equal, |by_x| {
            by_x.then_with(|| numbers(self).partial_cmp(&numbers(other)).unwrap_or(Ordering::Equal))
        })
    }

    /// Is there a plane between the two boxes? Never "yes" if they share a point.
    fn is_separate(&self, other: &Self) -> bool {
        // In the coordinates of this box it is [-a, a], and the other one has its centre at `between` and the edges
        // b.x * edges.x, ... That map keeps what overlaps overlapping, so its exact shape does not matter.
        let into_box = self.axes.as_dmat3().inverse();
        let between = into_box * (other.center.as_dvec3() - self.center.as_dvec3());
        let edges = into_box * other.axes.as_dmat3();
        let (a, b) = (self.half_extents.as_dvec3(), other.half_extents.as_dvec3());
        let slack = SLACK * (between.abs() + a + b).element_sum();

        let reach = a + edges.x_axis.abs() * b.x + edges.y_axis.abs() * b.y + edges.z_axis.abs() * b.z;
        if between.abs().cmpgt(reach + slack).any() {
            return true;
        }
        let along_edges = edges.transpose();
        // Edges that are nearly parallel have a cross product near zero and of no certain direction. The slack is not
        // scaled with it, so such an axis separates nothing.
        let separates = |axis: DVec3| {
            between.dot(axis).abs() > a.dot(axis.abs()) + b.dot((along_edges * axis).abs()) + slack
        };
        let DMat3 { x_axis: u, y_axis: v, z_axis: w } = edges;
        separates(v.cross(w))
            || separates(w.cross(u))
            || separates(u.cross(v))
            || [u, v, w].into_iter().any(|edge| {
                separates(DVec3::new(0.0, -edge.z, edge.y))
                    || separates(DVec3::new(edge.z, 0.0, -edge.x))
                    || separates(DVec3::new(-edge.y, edge.x, 0.0))
            })
    }
}

impl BoundingVolume for OrientedBox {
    fn overlaps(&self, other: &Self) -> bool {
        // Always in the coordinates of the same one of the two: boxes that all but touch get one answer, not two.
        match self.order(other) {
            Ordering::Greater => !other.is_separate(self),
            _ => !self.is_separate(other),
        }
    }

    fn aabb(&self) -> Aabb {
        let side = |k: usize| {
            let part = |i: usize| f64::from(self.axes.col(i)[k].abs()) * f64::from(self.half_extents[i]);
            let reach = sum_bounds([0, 1, 2].map(part)).1;
            let center = f64::from(self.center[k]);
            let (low, high) = (sum_bounds([center, -reach, 0.0]).0, sum_bounds([center, reach, 0.0]).1);
            (round_down(low), round_up(high))
        };
        let [x, y, z] = [0, 1, 2].map(side);
        Aabb::new(Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1))
    }

    fn contains_point(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let local = self.axes.as_dmat3().inverse() * offset;
        let slack = SLACK * offset.abs().element_sum();
        local.abs().cmple(self.half_extents.as_dvec3() + slack).all()
    }
}

fn check_rotation(error: f64) -> Result<(), VolumeError> {
    if error <= ROTATION_TOLERANCE {
        Ok(())
    } else {
        Err(VolumeError::NotARotation { error, limit: ROTATION_TOLERANCE })
    }
}

/// The covariance of points, times their number, about their mean.
fn covariance(points: &[Vec3]) -> DMat3 {
    let mean = points.iter().map(|point| point.as_dvec3()).sum::<DVec3>() / points.len() as f64;
    points.iter().fold(DMat3::ZERO, |sum, point| {
        let d = point.as_dvec3() - mean;
        sum + DMat3::from_cols(d * d.x, d * d.y, d * d.z)
    })
}

/// The eigenvectors of a symmetric matrix as columns, by cyclic Jacobi rotations (Golub and Van Loan, Matrix
/// Computations, section 8.5). Square roots only: the same bits on every platform.
fn principal_axes(symmetric: DMat3) -> DMat3 {
    /// Convergence is quadratic; five or six sweeps are the rule.
    const SWEEPS: usize = 16;
    let mut a = symmetric;
    let mut axes = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        let off = a.y_axis.x.abs() + a.z_axis.x.abs() + a.z_axis.y.abs();
        if off <= f64::EPSILON * f64::EPSILON * a.diagonal().element_sum() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let coupling = a.col(q)[p];
            if coupling == 0.0 {
                continue;
            }
            // The smaller root of t^2 + 2 * theta * t = 1: the tangent of the angle that decouples p and q.
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * coupling);
            let t = 1.0f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (t * t + 1.0).sqrt();
            let sine = t * cosine;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cosine;
            turn.col_mut(q)[q] = cosine;
            turn.col_mut(q)[p] = sine;
            turn.col_mut(p)[q] = -sine;
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three, four, five: a rotation that rational numbers hold.
    fn turned_about_z() -> Mat3 {
        Mat3::from_cols(Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z)
    }

    #[test]
    fn principal_axes_diagonalise() {
        let m = DMat3::from_cols(
            DVec3::new(4.0, 1.0, -2.0),
            DVec3::new(1.0, 2.0, 0.5),
            DVec3::new(-2.0, 0.5, 3.0),
        );
        let axes = principal_axes(m);
        let diagonal = axes.transpose() * m * axes;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            assert!(diagonal.col(j)[i].abs() < 1e-14, "{diagonal}");
            assert!(axes.col(i).dot(axes.col(j)).abs() < 1e-15, "{axes}");
        }
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
        assert_eq!(principal_axes(DMat3::ZERO), DMat3::IDENTITY);
    }

    #[test]
    fn a_slanted_bar_is_fitted_along_itself() {
        let bar = OrientedBox::from_axes(Vec3::ONE, Vec3::new(5.0, 0.5, 0.25), turned_about_z()).unwrap();
        let corners: Vec<Vec3> = (0..8)
            .map(|bits| {
                let sign =
                    Vec3::from_array(std::array::from_fn(|k| if bits >> k & 1 == 1 { 1.0 } else { -1.0 }));
                bar.center + bar.axes * (bar.half_extents * sign)
            })
            .collect();
        let fitted = OrientedBox::from_points(&corners).unwrap();
        let mut sides = fitted.half_extents().to_array();
        sides.sort_by(f32::total_cmp);
        assert!((Vec3::from(sides) - Vec3::new(0.25, 0.5, 5.0)).abs().max_element() < 1e-5, "{fitted:?}");
        let upright =
            OrientedBox::from_points(&[Vec3::ZERO, Vec3::new(3.0, 2.0, 1.0), Vec3::X * 3.0]).unwrap();
        assert!(upright.half_extents().element_product() <= 3.0 * 2.0 / 8.0 * 1.00001);
    }

    #[test]
    fn a_flat_set_is_fitted_by_area() {
        // In the plane z = 0 the upright box has no volume at all, yet is the worse fit.
        let diagonal: Vec<Vec3> =
            (0..10u8).map(|i| Vec3::new(f32::from(i), f32::from(i) + f32::from(i % 2), 0.0)).collect();
        let fitted = OrientedBox::from_points(&diagonal).unwrap();
        let mut sides = fitted.half_extents().to_array();
        sides.sort_by(f32::total_cmp);
        assert!(sides[1] < 1.0, "{fitted:?}");
    }

    #[test]
    fn only_rotations_are_taken() {
        let half = Vec3::ONE;
        assert!(OrientedBox::new(Vec3::ZERO, half, Quat::IDENTITY).is_ok());
        for not_one in [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), Quat::NAN] {
            let refused = OrientedBox::new(Vec3::ZERO, half, not_one);
            assert!(matches!(refused, Err(VolumeError::NotARotation { .. })), "{not_one}");
        }
        for not_one in [Mat3::ZERO, Mat3::IDENTITY * 2.0, Mat3::NAN] {
            let refused = OrientedBox::from_axes(Vec3::ZERO, half, not_one);
            assert!(matches!(refused, Err(VolumeError::NotARotation { .. })), "{not_one}");
        }
        let negative = OrientedBox::new(Vec3::ZERO, Vec3::new(1.0, -1.0, 1.0), Quat::IDENTITY);
        assert_eq!(negative, Err(VolumeError::BadExtent { value: -1.0 }));
    }

    #[test]
    fn a_quaternion_turns_as_glam_says() {
        let rotation = Quat::from_xyzw(0.5, -0.1, 0.7, 0.3).normalize();
        let turned = OrientedBox::new(Vec3::ZERO, Vec3::ONE, rotation).unwrap();
        assert!(turned.axes().abs_diff_eq(Mat3::from_quat(rotation), 1e-6));
    }

    #[test]
    fn crossed_edges_need_their_own_axis() {
        // Two bars, each turned by 45 degrees about its own length so that an edge faces the other bar; they cross at
        // right angles, and only the cross product of those edges lies between them.
        let h = std::f32::consts::FRAC_1_SQRT_2;
        let along_x = Mat3::from_cols(Vec3::X, Vec3::new(0.0, h, h), Vec3::new(0.0, -h, h));
        let along_y = Mat3::from_cols(Vec3::Y, Vec3::new(h, 0.0, -h), Vec3::new(h, 0.0, h));
        let half = Vec3::new(10.0, 1.0, 1.0);
        let lower = OrientedBox::from_axes(Vec3::ZERO, half, along_x).unwrap();
        let at = |z: f32| OrientedBox::from_axes(Vec3::Z * z, half, along_y).unwrap();
        let touching = 4.0 * h;
        assert!(lower.overlaps(&at(touching - 1e-6)) && !lower.overlaps(&at(touching + 1e-6)));
    }

    #[test]
    fn the_box_of_an_oriented_box_is_rounded_outward() {
        let tiny =
            OrientedBox::new(Vec3::new(1.0, 0.0, -1.0), Vec3::splat(1e-30), Quat::IDENTITY).unwrap().aabb();
        assert_eq!(tiny.min, Vec3::new(1.0f32.next_down(), -1e-30, (-1.0f32).next_down()));
        assert_eq!(tiny.max, Vec3::new(1.0f32.next_up(), 1e-30, (-1.0f32).next_up()));
        let turned =
            OrientedBox::from_axes(Vec3::ZERO, Vec3::new(5.0, 10.0, 1.0), turned_about_z()).unwrap().aabb();
        assert!((turned.max - Vec3::new(11.0, 10.0, 1.0)).abs().max_element() < 1e-5, "{turned:?}");
    }

    #[test]
    fn boxes_at_the_ends_of_the_range_are_fitted() {
        let points = [Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX), Vec3::new(f32::MAX, -f32::MAX, 0.0)];
        let fitted = OrientedBox::from_points(&points).unwrap();
        assert!(points.iter().all(|&point| fitted.contains_point(point)));
        assert!(fitted.half_extents().is_finite() && fitted.overlaps(&fitted));
    }
}
