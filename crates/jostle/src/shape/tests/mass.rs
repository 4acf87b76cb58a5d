//! Masses against parry's, against sums over faces found by brute force, against hulls that approximate round shapes,
//! and against closed forms.

use std::f32::consts::TAU;

use glam::{DMat3, DVec3, Mat3};
use proptest::prelude::*;

use super::*;
use crate::{Geometry, MassProperties};

/// Of a prism that stands for a cylinder.
const SIDES: usize = 150;

fn assert_close(left: MassProperties, right: MassProperties, tolerance: f32) {
    assert!((left.mass - right.mass).abs() <= tolerance * right.mass, "{left:?} instead of {right:?}");
    let size = (right.inertia.x_axis.x + right.inertia.y_axis.y + right.inertia.z_axis.z) / right.mass;
    assert!((left.center - right.center).length() <= tolerance * (size.sqrt() + right.center.length()));
    let gap = (left.inertia - right.inertia).abs();
    let most = gap.x_axis.max(gap.y_axis).max(gap.z_axis).max_element();
    assert!(most <= tolerance * size * right.mass, "{left:?} instead of {right:?}");
}

/// What parry says.
fn by_parry(shape: &Shape, density: f32) -> MassProperties {
    let theirs = shape.parry().mass_properties(density);
    MassProperties {
        mass: theirs.mass(),
        center: Vec3::from_array(theirs.local_com.to_array()),
        inertia: Mat3::from_cols_array(&theirs.reconstruct_inertia_matrix().to_cols_array()),
    }
}

/// What the hull of corners weighs that are all corners of it, no four in one plane. Not what is tested in another dress:
/// its faces are the triples with all others on one side, and tetrahedra are summed by a rule of four points each, which
/// is exact for squares.
fn by_every_triple(corners: &[DVec3], density: f64) -> MassProperties {
    let origin = corners[0];
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for (third, &c) in corners.iter().enumerate() {
        for (second_corner, &b) in corners[..third].iter().enumerate() {
            for (first_corner, &a) in corners[..second_corner].iter().enumerate() {
                let normal = (b - a).cross(c - a);
                let mut heights = corners
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| ![first_corner, second_corner, third].contains(other))
                    .map(|(_, &other)| normal.dot(other - a));
                if heights.clone().any(|height| height > 0.0) && heights.any(|height| height < 0.0) {
                    continue;
                }
                let tetrahedron = [origin, a, b, c].map(|corner| corner - origin);
                let part = normal.dot(a - origin).abs() / 6.0;
                volume += part;
                let sum: DVec3 = tetrahedron.into_iter().sum();
                for corner in tetrahedron {
                    // The four points of the rule are on the way from the middle to the corners.
                    let point = sum / 4.0 + (corner - sum / 4.0) / 5.0f64.sqrt();
                    first += point * (part / 4.0);
                    second +=
                        DMat3::from_cols(point * point.x, point * point.y, point * point.z) * (part / 4.0);
                }
            }
        }
    }
    let center = first / volume;
    let around_center =
        second - DMat3::from_cols(center * center.x, center * center.y, center * center.z) * volume;
    let squares = around_center.x_axis.x + around_center.y_axis.y + around_center.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(squares)) - around_center;
    MassProperties {
        mass: (volume * density) as f32,
        center: (center + origin).as_vec3(),
        inertia: (inertia * density).as_mat3(),
    }
}

proptest! {
    #[test]
    fn masses_are_those_of_parry(shape in solid(), density in 0.1f32..5000.0) {
        let ours = shape.mass_properties(density);
        // parry sums a hull in 32 bits, where small hulls weigh nothing, and some large ones too.
        if shape.geometry() != Geometry::ConvexHull {
            assert_close(by_parry(&shape, density), ours, 1.0e-5);
        }
        prop_assert_eq!(ours.inertia, ours.inertia.transpose());
        prop_assert!(shape.has_mass());
    }

    #[test]
    fn a_hull_weighs_what_tetrahedra_to_its_faces_weigh(hull in convex_hull(), density in 0.1f32..5000.0) {
        let corners: Vec<DVec3> = hull.hull_corners().map(|corner| corner.as_dvec3()).collect();
        assert_close(hull.mass_properties(density), by_every_triple(&corners, f64::from(density)), 1.0e-5);
    }

    #[test]
    fn a_hull_of_a_box_weighs_what_the_box_weighs(half in [measure(), measure(), measure()], middle in vector(5.0)) {
        let half = Vec3::from_array(half);
        prop_assume!(half.min_element() > 0.01 * half.max_element());
        let corners: Vec<Vec3> = (0..8)
            .map(|corner| middle + half * (Vec3::new((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32) * 2.0 - 1.0))
            .collect();
        let hull = Shape::convex_hull(&corners).unwrap().mass_properties(7.0);
        let cuboid = Shape::cuboid(half).unwrap().mass_properties(7.0).placed(&Pose::at(middle));
        // A thin box far from the origin has few digits left in its corners.
        assert_close(hull, cuboid, 1.0e-5 + 1.0e-6 * middle.length() / half.min_element());
    }

    #[test]
    fn prisms_with_many_sides_weigh_what_round_shapes_weigh(half_height in 0.5f32..3.0, radius in 0.2f32..1.5) {
        let ring = |height: f32| (0..SIDES).map(move |side| {
            let (sin, cos) = (TAU * side as f32 / SIDES as f32).sin_cos();
            Vec3::new(radius * cos, height, radius * sin)
        });
        let prism: Vec<Vec3> = ring(half_height).chain(ring(-half_height)).collect();
        let pyramid: Vec<Vec3> = ring(-half_height).chain([Vec3::Y * half_height]).collect();
        for (points, shape) in [
            (prism, Shape::cylinder(half_height, radius).unwrap()),
            (pyramid, Shape::cone(half_height, radius).unwrap()),
        ] {
            assert_close(Shape::convex_hull(&points).unwrap().mass_properties(3.0), shape.mass_properties(3.0), 1.0e-2);
        }
    }
}

#[test]
fn closed_forms() {
    let pi = std::f32::consts::PI;
    // Density 1, worked out by hand: mass, and inertia about x, y, z.
    let table = [
        (Shape::ball(2.0), 32.0 / 3.0 * pi, [256.0 / 15.0 * pi; 3]),
        (Shape::cuboid(Vec3::new(1.0, 2.0, 3.0)), 48.0, [208.0, 160.0, 80.0]),
        (Shape::cylinder(1.5, 1.0), 3.0 * pi, [3.0 * pi, 1.5 * pi, 3.0 * pi]),
        (Shape::cone(1.0, 1.0), 2.0 / 3.0 * pi, [0.2 * pi, 0.2 * pi, 0.2 * pi]),
        // Two half balls of mass 2/3 pi each, 1 above and below, and a cylinder of mass 2 pi between.
        (Shape::capsule(1.0, 1.0), 10.0 / 3.0 * pi, [4.033_333 * pi, 1.533_333 * pi, 4.033_333 * pi]),
    ];
    for (shape, mass, diagonal) in table {
        let shape = shape.unwrap();
        let center =
            if matches!(shape.geometry(), Geometry::Cone { .. }) { Vec3::Y * -0.5 } else { Vec3::ZERO };
        let inertia = Mat3::from_diagonal(Vec3::from_array(diagonal));
        assert_close(shape.mass_properties(1.0), MassProperties { mass, center, inertia }, 1.0e-6);
    }
}

#[test]
fn a_tetrahedron() {
    // The corner of the unit cube: volume 1/6, centre 1/4, inertia about the centre 1/80 and 1/480.
    let hull = Shape::convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap().mass_properties(1.0);
    let (on, off) = (1.0 / 80.0, 1.0 / 480.0);
    let inertia = Mat3::from_cols_array(&[on, off, off, off, on, off, off, off, on]);
    assert_close(hull, MassProperties { mass: 1.0 / 6.0, center: Vec3::splat(0.25), inertia }, 1.0e-6);
}

#[test]
fn surfaces_have_no_mass() {
    for shape in [
        Shape::half_space(Vec3::Y),
        Shape::triangle_mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]]),
        Shape::height_field(2, 2, &[0.0; 4], Vec3::ONE),
    ] {
        let shape = shape.unwrap();
        assert!(!shape.has_mass());
        assert_eq!(shape.mass_properties(1000.0), MassProperties::ZERO);
    }
}
