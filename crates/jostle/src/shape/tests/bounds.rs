//! The box of a shape contains it and, for solids, touches it on all six sides.

use proptest::prelude::*;

use super::super::{Geometry, Source};
use super::*;

/// A point of a shape, chosen by a vector between -1 and 1.
fn point_of(shape: &Shape, choice: Vec3) -> Vec3 {
    let around = Vec3::new(choice.x, 0.0, choice.z).try_normalize().unwrap_or(Vec3::X);
    let side = if choice.y < 0.0 { -1.0 } else { 1.0 };
    match shape.geometry() {
        Geometry::Ball(radius) => choice.try_normalize().unwrap_or(Vec3::X) * radius,
        Geometry::Cuboid(half) => choice.signum() * half,
        Geometry::Capsule { half_height, radius } => {
            Vec3::Y * side * half_height + choice.try_normalize().unwrap_or(Vec3::X) * radius
        }
        Geometry::Cylinder { half_height, radius } => Vec3::Y * side * half_height + around * radius,
        Geometry::Cone { half_height, radius } => {
            let share = (choice.y + 1.0) / 2.0;
            Vec3::Y * half_height * choice.y + around * radius * (1.0 - share)
        }
        Geometry::ConvexHull | Geometry::TriangleMesh => {
            let corners: Vec<Vec3> = match &shape.general.as_ref().unwrap().source {
                Source::Points(points) => points.clone(),
                Source::Triangles { vertices, triangles } => {
                    let triangle = triangles[((choice.z + 1.0) * 1.0e4) as usize % triangles.len()];
                    triangle.map(|vertex| vertices[vertex as usize]).to_vec()
                }
                Source::Heights { .. } => unreachable!("a hull or a mesh"),
            };
            let pick = |number: f32| corners[((number + 1.0) * 1.0e4) as usize % corners.len()];
            pick(choice.x).lerp(pick(choice.y), (choice.z + 1.0) / 2.0)
        }
        Geometry::HeightField => {
            let Source::Heights { rows, columns, heights, scale } = &shape.general.as_ref().unwrap().source
            else {
                unreachable!("a height field")
            };
            let row = ((choice.z + 1.0) * 1.0e4) as u32 % rows;
            let column = ((choice.x + 1.0) * 1.0e4) as u32 % columns;
            let share = |index: u32, count: u32| index as f32 / (count - 1) as f32 - 0.5;
            let height = heights[(row * columns + column) as usize];
            *scale * Vec3::new(share(column, *columns), height, share(row, *rows))
        }
        Geometry::HalfSpace(normal) => choice * 100.0 - normal * (choice * 100.0).dot(normal).max(0.0),
    }
}

proptest! {
    #[test]
    fn the_box_contains_the_shape(shape in any_shape(), pose in pose(), choices in prop::collection::vec(vector(1.0), 50)) {
        let aabb = shape.aabb(&pose);
        for choice in choices {
            let local = point_of(&shape, choice);
            let point = pose.transform(local);
            let rounding = Vec3::splat(1.0e-6 * (local.length() + pose.position.length() + 1.0));
            prop_assert!(point.cmpge(aabb.min - rounding).all(), "{point} is below {}", aabb.min);
            prop_assert!(point.cmple(aabb.max + rounding).all(), "{point} is above {}", aabb.max);
            prop_assert!(local.length() <= shape.radius() * 1.000_001);
        }
    }

    #[test]
    fn the_box_of_a_solid_touches_it_on_all_sides(shape in solid(), pose in pose()) {
        let aabb = shape.aabb(&pose);
        let support = shape.parry().as_support_map().unwrap();
        let rounding = 2.0e-6 * (shape.radius() + pose.position.length() + 1.0);
        for axis in 0..3 {
            for (sign, side) in [(-1.0, aabb.min), (1.0, aabb.max)] {
                let mut direction = Vec3::ZERO;
                direction[axis] = sign;
                let local = pose.rotation.conjugate() * direction;
                let point = support.local_support_point(local.to_array().into()).to_array();
                let reach = pose.transform(Vec3::from_array(point))[axis];
                prop_assert!((reach - side[axis]).abs() <= rounding, "{reach} instead of {}", side[axis]);
            }
        }
    }

    #[test]
    fn the_box_of_a_surface_that_is_not_turned_touches_it(shape in prop_oneof![triangle_mesh(), height_field()], at in vector(9.0)) {
        let aabb = shape.aabb(&Pose::at(at));
        let mut most = [f32::MAX; 6];
        let mut reach = |point: Vec3| {
            for axis in 0..3 {
                most[axis] = most[axis].min(point[axis] + at[axis] - aabb.min[axis]);
                most[axis + 3] = most[axis + 3].min(aabb.max[axis] - point[axis] - at[axis]);
            }
        };
        if let Some(mesh) = shape.parry().as_trimesh() {
            mesh.vertices().iter().for_each(|vertex| reach(Vec3::from_array(vertex.to_array())));
        } else {
            let field = shape.parry().as_heightfield().unwrap();
            field.triangles().for_each(|triangle| {
                triangle.vertices().iter().for_each(|vertex| reach(Vec3::from_array(vertex.to_array())));
            });
        }
        prop_assert!(most.iter().all(|gap| gap.abs() < 1.0e-5), "{most:?}");
    }
}

#[test]
fn a_half_space_is_bounded_only_square_to_an_axis() {
    let floor = Shape::half_space(Vec3::Y).unwrap().aabb(&Pose::at(Vec3::new(1.0, 2.0, 3.0)));
    assert_eq!(floor.max, Vec3::new(f32::INFINITY, 2.0, f32::INFINITY));
    assert_eq!(floor.min, Vec3::NEG_INFINITY);
    let slope = Shape::half_space(Vec3::new(0.0, 1.0, 1.0)).unwrap().aabb(&Pose::IDENTITY);
    assert_eq!(slope, jostle_broad::Aabb::EVERYWHERE);
}
