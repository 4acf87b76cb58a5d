//! Boxes at rest: all their points, with features that small motions do not change.

use std::collections::BTreeSet;

use super::*;

fn features(manifold: &Manifold) -> Vec<u32> {
    manifold.points().iter().map(|point| point.feature).collect()
}

/// Small motions, the same in every run.
fn jitters() -> impl Iterator<Item = (Vec3, Quat)> {
    let mut state = 1_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..200).map(move |_| {
        let way = Vec3::new(next(), next(), next()) * 1e-3;
        let turn = Quat::from_xyzw(next() * 2e-4, next() * 2e-4, next() * 2e-4, 1.0).normalize();
        (way, turn)
    })
}

#[test]
fn stacked_boxes_keep_four_points() {
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let slab = Shape::cuboid(Vec3::new(5.0, 0.5, 5.0)).unwrap();
    let ground = Shape::half_space(Vec3::Y).unwrap();
    let turned = |angle: f32| Quat::from_rotation_y(angle);
    let cases = [
        ("equal boxes in line", &cube, Quat::IDENTITY, &cube, 0.995),
        ("equal boxes, half a turn of one", &cube, turned(std::f32::consts::PI), &cube, 0.995),
        ("a turned box on another", &cube, turned(0.5), &cube, 0.995),
        ("an eighth of a turn", &cube, turned(std::f32::consts::FRAC_PI_4), &cube, 0.995),
        ("a box on a slab", &cube, turned(0.3), &slab, 0.995),
        ("a box under a slab", &slab, turned(0.3), &cube, 0.995),
        ("a box on the ground", &cube, turned(0.3), &ground, 0.495),
    ];
    for (name, upper, rotation, lower, height) in cases {
        let pose = Pose::new(Vec3::Y * height, rotation);
        let still = collide((upper, &pose), (lower, &Pose::IDENTITY), 0.02);
        assert_eq!(still.count, 4, "{name}: {still:?}");
        assert!((still.normal - Vec3::Y).length() < 1e-5, "{name}: {still:?}");
        for point in still.points() {
            assert!((point.separation + 0.005).abs() < 1e-5, "{name}: {still:?}");
        }
        for (way, turn) in jitters() {
            let moved = Pose::new(pose.position + way, turn * rotation);
            let manifold = collide((upper, &moved), (lower, &Pose::IDENTITY), 0.02);
            assert_eq!(features(&manifold), features(&still), "{name}: {manifold:?} {still:?}");
        }
    }
}

#[test]
fn the_four_points_span_the_common_face() {
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let pose = Pose::new(Vec3::new(0.3, 0.99, 0.1), Quat::IDENTITY);
    let manifold = collide((&cube, &pose), (&cube, &Pose::IDENTITY), 0.0);
    let corners: BTreeSet<_> = manifold
        .points()
        .iter()
        .map(|point| ((point.position.x * 100.0).round() as i32, (point.position.z * 100.0).round() as i32))
        .collect();
    assert_eq!(corners, BTreeSet::from([(-20, -40), (-20, 50), (50, -40), (50, 50)]), "{manifold:?}");
}

/// The same points keep their names when the other box becomes the one whose face is used.
#[test]
fn features_do_not_tell_whose_face_was_used() {
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let names = |tilt: f32| {
        let upper = Pose::new(Vec3::new(0.2, 0.97, 0.1), Quat::from_rotation_z(tilt));
        features(&collide((&cube, &upper), (&cube, &Pose::IDENTITY), 0.1))
    };
    let lower_tilted = |tilt: f32| {
        let lower = Pose::new(Vec3::ZERO, Quat::from_rotation_z(tilt));
        let upper = Pose::at(Vec3::new(0.2, 0.97, 0.1));
        features(&collide((&cube, &upper), (&cube, &lower), 0.1))
    };
    assert_eq!(names(0.0).len(), 4);
    assert_eq!(names(0.0), names(0.04));
    assert_eq!(names(0.0), lower_tilted(0.04));
}
