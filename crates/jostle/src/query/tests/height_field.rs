//! Height fields against all their triangles.

use parry3d::math::Vector;
use parry3d::query::{self, ClosestPoints, ShapeCastHit, ShapeCastOptions};
use parry3d::shape::HeightField;
use parry3d::utils::Array2;
use proptest::prelude::*;

use super::*;
use crate::query::dispatch;

/// Slower than this two surfaces do not meet, but pass.
const GRAZING: f32 = 0.1;

fn field() -> impl Strategy<Value = HeightField> {
    prop::collection::vec(-1.0f32..1.0, 6 * 5)
        .prop_map(|heights| HeightField::new(Array2::new(6, 5, heights), Vector::new(8.0, 1.5, 10.0)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_height_field_answers_as_all_its_triangles_do(
        field in field(), solid in shape(), at in pose(), velocity in vector(2.0), level in any::<bool>(),
    ) {
        let pose = parry_pose(&Pose { position: at.position * Vec3::new(1.0, 0.3, 1.0), ..at });
        let velocity = parry(if level { velocity * Vec3::new(1.0, 0.0, 1.0) } else { velocity });
        let here = ParryPose::identity();
        let each = || field.triangles();

        let overlaps = each().any(|triangle| {
            query::intersection_test(&here, &triangle, &pose, &**solid.parry()).unwrap().intersecting
        });
        prop_assert_eq!(dispatch::intersects(&pose, &field, &**solid.parry()).unwrap(), overlaps);
        // Turned round, the pose is rounded twice.
        let again = pose.inverse().inverse();
        let overlaps = each().any(|triangle| {
            query::intersection_test(&here, &triangle, &again, &**solid.parry()).unwrap().intersecting
        });
        prop_assert_eq!(dispatch::intersects(&pose.inverse(), &**solid.parry(), &field).unwrap(), overlaps);

        let gap = |time: f32| {
            let there = ParryPose::from_parts(pose.translation + velocity * time, pose.rotation);
            each()
                .map(|triangle| query::distance(&here, &triangle, &there, &**solid.parry()).unwrap().distance)
                .fold(f32::MAX, f32::min)
        };
        let nearest = gap(0.0);
        let found = match dispatch::closest_points(&pose, &field, &**solid.parry()).unwrap() {
            ClosestPoints::Intersecting => 0.0,
            ClosestPoints::WithinMargin(a, b) => (a - pose * b).length(),
            ClosestPoints::Disjoint => f32::MAX,
        };
        prop_assert!((found - nearest).abs() <= 2e-3 * (1.0 + nearest), "{} {}", found, nearest);

        let options = ShapeCastOptions::with_max_time_of_impact(6.0);
        let first = each()
            .filter_map(|triangle| {
                query::cast_shapes(&here, Vector::ZERO, &triangle, &pose, velocity, &**solid.parry(), options).unwrap()
            })
            .map(|hit| hit.time_of_impact)
            .reduce(f32::min);
        let found = dispatch::cast(&pose, velocity, &field, &**solid.parry(), options).unwrap();
        // Neighbours share edges: the one met first may be beyond the piece in which the other was. Where the motion
        // grazes, a small shift is a long time.
        let close = |hit: Option<ShapeCastHit>, velocity: Vector| match (hit, first) {
            (Some(hit), Some(first)) => {
                let approach = hit.normal1.dot(velocity);
                ((hit.time_of_impact - first) * approach).abs() < 2e-3 || approach.abs() < GRAZING
            }
            // What parry alone misses must be a hit all the same.
            (Some(hit), None) => gap(hit.time_of_impact) < 5e-3,
            (None, first) => first.is_none(),
        };
        prop_assert!(close(found, velocity), "{:?} {:?}", found, first);
        let back = pose.inverse();
        let mirrored = dispatch::cast(&back, -(back.rotation * velocity), &**solid.parry(), &field, options).unwrap();
        prop_assert!(close(mirrored, back.rotation * velocity), "{:?} {:?}", mirrored, first);
    }
}
