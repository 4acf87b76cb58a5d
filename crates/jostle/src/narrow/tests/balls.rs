//! Balls, and half-spaces, against parry.

use super::*;

fn check(first: (&Shape, &Pose), second: (&Shape, &Pose), prediction: f32) -> Result<(), TestCaseError> {
    let manifold = collide(first, second, prediction);
    prop_assert!(manifold.count <= 1);
    let tolerance = 2e-4;
    let Some((distance, toward)) = parry_contact(first, second, prediction + 0.1) else {
        prop_assert_eq!(manifold.count, 0);
        return Ok(());
    };
    if distance > prediction + tolerance {
        prop_assert_eq!(manifold.count, 0);
    } else if distance < prediction - tolerance {
        prop_assert_eq!(manifold.count, 1, "parry: {}", distance);
        let point = manifold.points[0];
        prop_assert!((point.separation - distance).abs() < tolerance, "{} {distance}", point.separation);
        // Centres inside a box leave by one of several faces at times.
        if first.0.radius().min(second.0.radius()) + distance > 1e-2 {
            prop_assert!(manifold.normal.dot(toward) < -0.99, "{} {toward}", manifold.normal);
        }
    }
    let other = collide(second, first, prediction).flipped();
    if manifold.count == 1 && other.count == 1 && first.1.position.distance(second.1.position) > 1e-3 {
        prop_assert!((manifold.normal - other.normal).length() < 1e-4, "{manifold:?} {other:?}");
        prop_assert!(manifold.points[0].position.distance(other.points[0].position) < 1e-4);
        prop_assert!((manifold.points[0].separation - other.points[0].separation).abs() < 1e-4);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

    #[test]
    fn two_balls(radii in [between(0.05, 1.5), between(0.05, 1.5)], poses in [poses(1.5), poses(1.5)], prediction in between(0.0, 0.3)) {
        let shapes = radii.map(|radius| Shape::ball(radius).unwrap());
        let (first, second) = ((&shapes[0], &poses[0]), (&shapes[1], &poses[1]));
        check(first, second, prediction)?;
        // The surface points are on the surfaces.
        let manifold = collide(first, second, prediction);
        for point in manifold.points() {
            let half_way = manifold.normal * (0.5 * point.separation);
            for (on, pose, radius) in [(half_way, &poses[0], radii[0]), (-half_way, &poses[1], radii[1])] {
                let distance = (point.position + on).distance(pose.position);
                prop_assert!((distance - radius).abs() < 1e-5 * (1.0 + radius), "{distance} {radius}");
            }
        }
    }

    #[test]
    fn ball_and_box(
        radius in between(0.05, 1.5),
        half in halves(),
        poses in [poses(1.5), poses(1.5)],
        prediction in between(0.0, 0.3),
    ) {
        let (ball, cuboid) = (Shape::ball(radius).unwrap(), Shape::cuboid(half).unwrap());
        check((&ball, &poses[0]), (&cuboid, &poses[1]), prediction)?;
        let manifold = collide((&ball, &poses[0]), (&cuboid, &poses[1]), prediction);
        let exact = ExactBox::new(&cuboid, &poses[1]);
        for point in manifold.points() {
            let half_way = manifold.normal * (0.5 * point.separation);
            prop_assert!(exact.outside(point.position - half_way) < 1e-5, "on the box");
            let distance = (point.position + half_way).distance(poses[0].position);
            prop_assert!((distance - radius).abs() < 1e-5, "on the ball");
        }
    }

    #[test]
    fn half_space_and_ball(radius in between(0.05, 1.5), poses in [poses(1.0), poses(1.0)], prediction in between(0.0, 0.3)) {
        let (plane, ball) = (Shape::half_space(Vec3::new(0.6, 0.8, 0.0)).unwrap(), Shape::ball(radius).unwrap());
        check((&ball, &poses[0]), (&plane, &poses[1]), prediction)?;
    }

    #[test]
    fn half_space_and_box(half in halves(), poses in [poses(1.0), poses(1.0)], prediction in between(0.0, 0.3)) {
        let (plane, cuboid) = (Shape::half_space(Vec3::new(0.6, 0.8, 0.0)).unwrap(), Shape::cuboid(half).unwrap());
        let manifold = collide((&cuboid, &poses[0]), (&plane, &poses[1]), prediction);
        let normal = poses[1].rotation * Vec3::new(0.6, 0.8, 0.0);
        let exact = ExactBox::new(&cuboid, &poses[0]);
        let lowest = (exact.center - poses[1].position.as_dvec3()).dot(normal.as_dvec3())
            - exact.reach(normal.as_dvec3());
        if lowest < f64::from(prediction) - 1e-4 {
            prop_assert!((f64::from(deepest(&manifold)) - lowest).abs() < 1e-4, "{manifold:?} {lowest}");
            prop_assert!((manifold.normal - normal).length() < 1e-5);
        } else if lowest > f64::from(prediction) + 1e-4 {
            prop_assert_eq!(manifold.count, 0);
        }
        for point in manifold.points() {
            let on_box = point.position + manifold.normal * (0.5 * point.separation);
            prop_assert!(exact.outside(on_box) < 1e-5);
            let on_plane = point.position - manifold.normal * (0.5 * point.separation);
            prop_assert!((on_plane - poses[1].position).dot(normal).abs() < 1e-5);
        }
        prop_assert_eq!(collide((&plane, &poses[1]), (&cuboid, &poses[0]), prediction), manifold.flipped());
    }
}

#[test]
fn coincident_centres_have_a_normal() {
    let (small, large) = (Shape::ball(0.5).unwrap(), Shape::ball(2.0).unwrap());
    let manifold = collide((&small, &Pose::IDENTITY), (&large, &Pose::IDENTITY), 0.0);
    assert_eq!((manifold.normal, manifold.points[0].separation), (Vec3::Y, -2.5));

    let cuboid = Shape::cuboid(Vec3::new(3.0, 1.0, 2.0)).unwrap();
    let manifold = collide((&small, &Pose::IDENTITY), (&cuboid, &Pose::IDENTITY), 0.0);
    assert_eq!((manifold.normal, manifold.points[0].separation), (Vec3::Y, -1.5));
    // On the surface, and just outside.
    for height in [1.0, 1.0 + 1e-7, 1.25] {
        let manifold = collide((&small, &Pose::at(Vec3::Y * height)), (&cuboid, &Pose::IDENTITY), 0.0);
        assert_eq!(manifold.normal, Vec3::Y, "at {height}");
        assert!((manifold.points[0].separation - (height - 1.5)).abs() < 1e-6);
    }
}
