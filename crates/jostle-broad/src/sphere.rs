//! Bounding spheres, fitted by Ritter's two passes.
//!
//! Everything is computed in `f64` from `f32` values, so that only relative rounding errors of a few 2^-53 occur; the
//! radius is grown, and the tests are loosened, by more than those.

use glam::{DVec3, Vec3};

use crate::round::{round_down, round_up, sum_bounds};
use crate::volume::{bounds, check_center, check_extent, check_finite_box, check_points};
use crate::{Aabb, BoundingVolume, VolumeError};

/// Relative slack of distances: the longest chain of roundings in this file is below half of it.
const SLACK: f64 = 16.0 * f64::EPSILON;

/// A closed ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    center: Vec3,
    radius: f32,
}

impl Sphere {
    /// The sphere of a radius around a point.
    pub fn new(center: Vec3, radius: f32) -> Result<Self, VolumeError> {
        check_center(center)?;
        check_extent(radius)?;
        Ok(Self { center, radius })
    }

    /// A small sphere around points: Ritter's (Graphics Gems, 1990), or the one around the middle of their box where
    /// that is smaller. Around twenty random points it is 6 % wider than the smallest sphere on average, 21 % at worst.
    pub fn from_points(points: &[Vec3]) -> Result<Self, VolumeError> {
        check_points(points)?;
        let middle = bounds(points).center();
        let around = |center: Vec3| Self { center, radius: enclosing_radius(center, points) };
        let (ritter, centered) = (around(ritter_center(points)), around(middle));
        Ok(if ritter.radius < centered.radius { ritter } else { centered })
    }

    /// The smallest sphere around a bounded box.
    pub fn from_aabb(aabb: &Aabb) -> Result<Self, VolumeError> {
        check_finite_box(aabb)?;
        let center = aabb.center();
        let reach = (aabb.max.as_dvec3() - center.as_dvec3()).max(center.as_dvec3() - aabb.min.as_dvec3());
        Ok(Self { center, radius: grown_root(reach.length_squared()) })
    }

    /// The centre, always finite.
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The radius. Infinite for points so far apart that no `f32` holds it.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl BoundingVolume for Sphere {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let reach = f64::from(self.radius) + f64::from(other.radius);
        self.center.as_dvec3().distance_squared(other.center.as_dvec3()) <= reach * reach * (1.0 + SLACK)
    }

    fn aabb(&self) -> Aabb {
        let radius = f64::from(self.radius);
        let low = |center: f32| round_down(sum_bounds([f64::from(center), -radius, 0.0]).0);
        let high = |center: f32| round_up(sum_bounds([f64::from(center), radius, 0.0]).1);
        let center = self.center.to_array();
        Aabb::new(center.map(low).into(), center.map(high).into())
    }

    #[inline]
    fn contains_point(&self, point: Vec3) -> bool {
        let radius = f64::from(self.radius);
        self.center.as_dvec3().distance_squared(point.as_dvec3()) <= radius * radius * (1.0 + SLACK)
    }
}

/// The radius that reaches every point.
fn enclosing_radius(center: Vec3, points: &[Vec3]) -> f32 {
    let center = center.as_dvec3();
    grown_root(points.iter().map(|point| center.distance_squared(point.as_dvec3())).fold(0.0, f64::max))
}

/// A radius that is certainly not below the root of a rounded squared distance.
fn grown_root(squared: f64) -> f32 {
    round_up(squared.sqrt() * (1.0 + SLACK))
}

/// Where Ritter's sphere ends up: it starts on the most distant of the three pairs of extreme points, and is moved
/// and grown just enough for each point that is still outside.
fn ritter_center(points: &[Vec3]) -> Vec3 {
    let (low, high) = most_distant_extremes(points);
    let mut center: DVec3 = (low + high) * 0.5;
    let mut radius = low.distance(high) * 0.5;
    for point in points {
        let outward = point.as_dvec3() - center;
        let distance = outward.length();
        if distance > radius {
            let grown = (radius + distance) * 0.5;
            center += outward * ((grown - radius) / distance);
            radius = grown;
        }
    }
    // A point between points: rounding cannot take it out of the range of f32.
    center.as_vec3()
}

fn most_distant_extremes(points: &[Vec3]) -> (DVec3, DVec3) {
    let mut extremes = [(points[0], points[0]); 3];
    for &point in points {
        for (k, (low, high)) in extremes.iter_mut().enumerate() {
            if point[k] < low[k] {
                *low = point;
            }
            if point[k] > high[k] {
                *high = point;
            }
        }
    }
    let apart = extremes.map(|(low, high)| (low.as_dvec3(), high.as_dvec3()));
    let mut best = apart[0];
    for pair in &apart[1..] {
        if pair.0.distance_squared(pair.1) > best.0.distance_squared(best.1) {
            best = *pair;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_spheres_overlap() {
        let unit = |x: f32| Sphere::new(Vec3::X * x, 1.0).unwrap();
        assert!(unit(0.0).overlaps(&unit(2.0)));
        assert!(!unit(0.0).overlaps(&unit(2.0f32.next_up())));
        assert!(unit(0.0).contains_point(Vec3::X));
        assert!(!unit(0.0).contains_point(Vec3::X * 1.0f32.next_up()));
    }

    #[test]
    fn impossible_spheres_are_refused() {
        for radius in [-1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(Sphere::new(Vec3::ZERO, radius), Err(VolumeError::BadExtent { .. })));
        }
        assert!(matches!(Sphere::new(Vec3::NAN, 1.0), Err(VolumeError::CenterNotFinite { .. })));
    }

    #[test]
    fn a_regular_tetrahedron_is_fitted_closely() {
        let corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
            .map(|c: [i32; 3]| Vec3::from(c.map(|x| x as f32)));
        let sphere = Sphere::from_points(&corners).unwrap();
        assert!(sphere.radius() < 3.0f32.sqrt() * 1.001, "{sphere:?}");
    }

    #[test]
    fn ritter_moves_towards_a_point_outside_and_beats_the_middle_of_the_box() {
        // Starts at (5, 0) with radius 5; the third point is 7 away, so the sphere becomes (5, 1) with radius 6.
        let points = [Vec3::ZERO, Vec3::new(10.0, 0.0, 0.0), Vec3::new(5.0, 7.0, 0.0)];
        let sphere = Sphere::from_points(&points).unwrap();
        assert_eq!(sphere.center(), Vec3::new(5.0, 1.0, 0.0));
        assert_eq!(sphere.radius(), 6.0f32.next_up(), "grown by a step");
        assert!(enclosing_radius(bounds(&points).center(), &points) > 6.1);
    }

    #[test]
    fn the_box_of_a_sphere_is_rounded_outward() {
        let aabb = Sphere::new(Vec3::new(1.0, 0.0, -1.0), 1e-30).unwrap().aabb();
        assert_eq!(aabb.min, Vec3::new(1.0f32.next_down(), -1e-30, (-1.0f32).next_down()));
        assert_eq!(aabb.max, Vec3::new(1.0f32.next_up(), 1e-30, (-1.0f32).next_up()));
    }

    #[test]
    fn points_too_far_apart_for_a_finite_radius_are_still_inside() {
        let points = [Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX)];
        let sphere = Sphere::from_points(&points).unwrap();
        assert!(points.iter().all(|&point| sphere.contains_point(point)));
        assert!(sphere.overlaps(&sphere));
        assert_eq!(sphere.aabb(), Aabb::EVERYWHERE);
    }
}
