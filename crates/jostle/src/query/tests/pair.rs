//! Two shapes: known cases, and properties that hold for any two.

use glam::Vec3;
use proptest::prelude::*;

use super::*;
use crate::query::{contact_manifolds, distance, overlap, penetration, time_of_impact};

#[test]
fn two_balls() {
    let (small, large) = (Shape::ball(1.0).unwrap(), Shape::ball(2.0).unwrap());
    let at = |x: f32| Pose::at(Vec3::X * x);
    let apart = distance(&small, &at(0.0), &large, &at(5.0)).unwrap();
    assert_eq!(apart.distance, 2.0);
    assert_eq!(apart.points, Some([Vec3::X, Vec3::X * 3.0]));
    assert_eq!(penetration(&small, &at(0.0), &large, &at(5.0)), Ok(None));
    assert_eq!(distance(&small, &at(0.0), &large, &at(2.0)).unwrap().distance, 0.0);
    let deep = penetration(&small, &at(0.0), &large, &at(2.0)).unwrap().unwrap();
    assert_eq!((deep.depth, deep.normal), (1.0, Vec3::NEG_X));
    let manifolds = contact_manifolds(&small, &at(0.0), &large, &at(2.5), 0.0).unwrap();
    assert_eq!(manifolds.len(), 1);
    assert_eq!(manifolds[0].points()[0].separation, -0.5);
    assert!((manifolds[0].normal - Vec3::NEG_X).length() < 1e-6);
    assert_eq!(contact_manifolds(&small, &at(0.0), &large, &at(5.0), 1.0).unwrap(), []);
}

#[test]
fn moving_shapes_meet_where_both_are_then() {
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let (left, right) = (Pose::at(Vec3::X * -5.0), Pose::at(Vec3::X * 5.0));
    let hit = time_of_impact((&cube, &left, Vec3::X * 3.0), (&cube, &right, -Vec3::X), 9.0).unwrap().unwrap();
    assert!((hit.time - 2.0).abs() < 1e-4);
    assert!((hit.normal - Vec3::NEG_X).length() < 1e-3);
    assert!(hit.points.iter().all(|point| (point.x - 2.0).abs() < 1e-3), "{hit:?}");
    let still = |a, b, most| time_of_impact((&cube, a, Vec3::ONE), (&cube, b, Vec3::ONE), most).unwrap();
    assert_eq!(still(&left, &right, f32::INFINITY), None, "side by side they never meet");
    assert_eq!(still(&left, &Pose::at(Vec3::X * -4.0), 1.0).unwrap().time, 0.0, "they overlap already");
    let away = time_of_impact((&cube, &left, -Vec3::X), (&cube, &right, Vec3::X), f32::INFINITY).unwrap();
    assert_eq!(away, None);
    let late = time_of_impact((&cube, &left, Vec3::X), (&cube, &right, Vec3::ZERO), 7.9).unwrap();
    assert_eq!(late, None, "a time out of reach");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn overlap_distance_and_penetration_agree(a in shape(), b in shape(), at in pose(), there in pose()) {
        let there = Pose { position: at.position + there.position * 0.3, ..there };
        let overlaps = overlap(&a, &at, &b, &there).unwrap();
        let apart = distance(&a, &at, &b, &there).unwrap();
        let deep = penetration(&a, &at, &b, &there).unwrap();
        // Between touching and not, algorithms may differ by what they round.
        if apart.distance > 1e-3 {
            prop_assert!(!overlaps && deep.is_none());
            let [on_a, on_b] = apart.points.unwrap();
            prop_assert!(((on_a - on_b).length() - apart.distance).abs() < 1e-4);
        }
        if let Some(deep) = deep && deep.depth > 1e-3 {
            prop_assert!(overlaps && apart.distance == 0.0);
            // Moved out by its depth it only touches; by a little less it still overlaps.
            let moved = |by: f32| Pose { position: at.position + deep.normal * by, ..at };
            prop_assert!(distance(&a, &moved(deep.depth), &b, &there).unwrap().distance < 5e-3);
            prop_assert!(!overlap(&a, &moved(deep.depth + 5e-3), &b, &there).unwrap());
            prop_assert!(overlap(&a, &moved(deep.depth - 1e-3), &b, &there).unwrap());
        }
        prop_assert_eq!(overlaps, overlap(&b, &there, &a, &at).unwrap());
    }

    #[test]
    fn shapes_touch_at_the_time_of_impact_and_not_before(
        a in shape(), b in shape(), at in pose(), there in pose(), velocity in vector(2.0), other in vector(2.0),
    ) {
        let found = time_of_impact((&a, &at, velocity), (&b, &there, other), 20.0).unwrap();
        let gap = |time: f32| {
            let (at, there) = (
                Pose { position: at.position + velocity * time, ..at },
                Pose { position: there.position + other * time, ..there },
            );
            distance(&a, &at, &b, &there).unwrap().distance
        };
        if let Some(impact) = found {
            prop_assert!(gap(impact.time) < 5e-3);
            prop_assert!((0..20).all(|k| impact.time < 1e-2 || gap(impact.time * 0.9 * k as f32 / 20.0) > 0.0));
        } else {
            prop_assert!((0..=200).all(|k| gap(k as f32 / 10.0) > 0.0));
        }
    }
}
