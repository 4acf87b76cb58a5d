//! Hulls of awkward points: either a hull around all of them, or an error; never a panic.

use proptest::prelude::*;

use super::*;
use crate::{Geometry, ShapeError};

/// Points of a small lattice: many of them coincide, and many lie in common planes.
fn lattice() -> impl Strategy<Value = Vec<Vec3>> {
    let point = prop::array::uniform3(0i32..4).prop_map(|point| Vec3::from_array(point.map(|x| x as f32)));
    prop::collection::vec(point, 0..40)
}

/// The same, a little beside the lattice.
fn shaken_lattice() -> impl Strategy<Value = Vec<Vec3>> {
    (lattice(), prop::collection::vec(vector(1.0), 40), -9i32..-1, -3i32..4).prop_map(
        |(points, offsets, by, size)| {
            let shaken = points.iter().zip(&offsets).map(|(point, offset)| *point + *offset * 10f32.powi(by));
            shaken.map(|point| point * 10f32.powi(size)).collect()
        },
    )
}

/// Points on a sphere, on a cylinder, on a thin plate.
fn round() -> impl Strategy<Value = Vec<Vec3>> {
    (prop::collection::vec(vector(1.0), 0..150), 0..3, 1.0e-5f32..1.0).prop_map(
        |(points, kind, thickness)| {
            let points = points.iter().map(|point| match kind {
                0 => point.normalize_or_zero(),
                1 => {
                    let rim = Vec3::new(point.x, 0.0, point.z).normalize_or_zero();
                    rim + Vec3::Y * point.y.signum()
                }
                _ => *point * Vec3::new(1.0, thickness, 1.0),
            });
            points.collect()
        },
    )
}

/// In the direction of each point, does some corner lie as far out as any point?
fn reaches_all(corners: &[Vec3], points: &[Vec3]) -> bool {
    let span = corners.iter().fold(0.0f32, |most, corner| most.max(corner.length()));
    points.iter().filter_map(|point| point.try_normalize()).all(|direction| {
        let reach =
            |points: &[Vec3]| points.iter().fold(f32::MIN, |most, point| most.max(point.dot(direction)));
        reach(corners) >= reach(points) - 2.0e-3 * span
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_hull_holds_its_points_or_is_refused(points in prop_oneof![lattice(), shaken_lattice(), round()]) {
        match Shape::convex_hull(&points) {
            Ok(shape) => {
                prop_assert_eq!(shape.geometry(), Geometry::ConvexHull);
                prop_assert!(shape.mass_properties(1.0).mass > 0.0);
                let corners: Vec<Vec3> = shape.hull_corners().collect();
                for corner in &corners {
                    prop_assert!(points.contains(corner));
                }
                prop_assert!(reaches_all(&corners, &points));
            }
            Err(ShapeError::TooFewPoints { count }) => prop_assert!(count < 4),
            Err(ShapeError::Flat { count, .. }) => prop_assert_eq!(count, points.len()),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn fine_round_hulls_have_faces() {
    let golden = 2.399_963_2f32;
    for (count, most) in [(20usize, 0.0), (500, 1.0e-5), (5_000, 4.0e-3)] {
        let sphere: Vec<Vec3> = (0..count)
            .map(|index| {
                let height = 1.0 - (2 * index + 1) as f32 / count as f32;
                let (sin, cos) = (golden * index as f32).sin_cos();
                let radius = (1.0 - height * height).sqrt();
                Vec3::new(radius * cos, height, radius * sin)
            })
            .collect();
        let hull = Shape::convex_hull(&sphere).unwrap();
        let corners: Vec<Vec3> = hull.hull_corners().collect();
        for direction in sphere.iter().step_by(count.div_ceil(500)) {
            let reach = corners.iter().fold(0.0f32, |most, corner| most.max(corner.dot(*direction)));
            assert!(reach >= 1.0 - most - 1.0e-6, "{reach} of {count}");
        }
    }
}

#[test]
fn points_beyond_the_edge_of_a_thin_plate_are_corners() {
    let plate = [
        Vec3::ZERO,
        Vec3::new(-0.984_198_87, 0.000_100_883_2, -0.968_291_76),
        Vec3::new(0.0, 0.0, -0.795_172_7),
        Vec3::new(-0.762_275_5, 0.000_101_959_5, -0.997_980_06),
        Vec3::new(0.0, 4.297_831_4e-5, -0.890_603_84),
        Vec3::new(0.0, 0.000_335_829_7, 0.989_242_2),
        Vec3::new(0.0, -0.000_164_514_64, 0.0),
    ];
    let corners: Vec<Vec3> = Shape::convex_hull(&plate).unwrap().hull_corners().collect();
    assert!(reaches_all(&corners, &plate), "{corners:?}");
}

#[test]
fn the_same_points_give_the_same_hull() {
    let points: Vec<Vec3> = (0..200u32)
        .map(|i| Vec3::new((i * 37 % 101) as f32, (i * 53 % 89) as f32, (i * 71 % 97) as f32))
        .collect();
    let corners = || Shape::convex_hull(&points).unwrap().hull_corners().collect::<Vec<_>>();
    assert_eq!(corners(), corners());
}
