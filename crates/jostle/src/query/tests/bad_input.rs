//! What makes no sense is refused, by name, and changes nothing.

use glam::{Quat, Vec3};
use jostle_broad::Aabb;
use jostle_broad::QueryError as BoxQueryError;

use super::*;
use crate::query::{self, QueryError, QueryFilter, Ray, ShapeCast};

const ALL: QueryFilter<'static> = QueryFilter::ALL;

fn balls() -> World {
    world_of(&[Body::fixed(Shape::ball(1.0).unwrap()), Body::fixed(Shape::half_space(Vec3::Y).unwrap())])
}

#[test]
fn numbers_of_a_world_query() {
    let world = balls();
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    let far = Vec3::INFINITY;
    let ball = Shape::ball(1.0).unwrap();
    let ray = |origin, direction| world.cast_ray(&Ray::new(origin, direction), &ALL).unwrap_err();
    let cast = |pose, velocity, max_time| {
        let cast = ShapeCast { max_time, ..ShapeCast::new(&ball, pose, velocity) };
        world.cast_shape(&cast, &ALL).unwrap_err()
    };
    let crooked = Pose::new(Vec3::ZERO, Quat::from_xyzw(1.0, 1.0, 0.0, 0.0));
    let cases: Vec<(QueryError, &str)> = vec![
        (ray(nan, Vec3::X), "ray origin"),
        (ray(far, Vec3::X), "ray origin"),
        (ray(Vec3::ZERO, nan), "ray direction"),
        (ray(Vec3::ZERO, Vec3::ZERO), "direction of the ray is zero"),
        (
            world.cast_ray_all(&Ray::new(Vec3::ZERO, Vec3::ZERO), &ALL).unwrap_err(),
            "direction of the ray is zero",
        ),
        (
            world.cast_ray(&Ray { max_distance: -1.0, ..Ray::new(Vec3::ZERO, Vec3::X) }, &ALL).unwrap_err(),
            "max_distance",
        ),
        (world.nearest(nan, 1, &ALL).unwrap_err(), "point"),
        (world.containing(far, &ALL).unwrap_err(), "point"),
        (world.overlapping(&ball, &Pose::at(nan), &ALL).unwrap_err(), "pose of the shape"),
        (world.overlapping(&ball, &crooked, &ALL).unwrap_err(), "normalise"),
        (world.boxes_in_box(&Aabb::new(Vec3::ONE, Vec3::ZERO), &ALL).unwrap_err(), "minimum above"),
        (world.boxes_in_box(&Aabb::NOWHERE, &ALL).unwrap_err(), "NaN"),
        (cast(Pose::at(nan), Vec3::X, 1.0), "pose of the shape"),
        (cast(Pose::IDENTITY, nan, 1.0), "velocity"),
        (cast(Pose::IDENTITY, Vec3::ZERO, 1.0), "direction"),
        (cast(Pose::IDENTITY, Vec3::X, f32::NAN), "time"),
        (cast(Pose::IDENTITY, Vec3::X, -1.0), "time"),
    ];
    for (error, word) in cases {
        assert!(error.to_string().contains(word), "{error} | {word}");
    }
}

#[test]
fn a_batch_names_the_question_and_leaves_the_answers() {
    let world = balls();
    let mut rays = vec![Ray::new(Vec3::Y * 5.0, Vec3::NEG_Y); 100];
    rays[70].direction = Vec3::ZERO;
    rays[90].origin = Vec3::NAN;
    let mut hits = vec![None; 7];
    let error = world.cast_rays(&rays, &ALL, &mut hits).unwrap_err();
    let source = Box::new(QueryError::Boxes(BoxQueryError::NoDirection));
    assert_eq!(error, QueryError::InBatch { index: 70, source });
    assert_eq!(hits, vec![None; 7]);
}

#[test]
fn half_spaces_have_no_answer_together() {
    let world = balls();
    let plane = Shape::half_space(Vec3::X).unwrap();
    let unsupported = |error: QueryError| matches!(error, QueryError::Unsupported { .. });
    assert!(unsupported(world.overlapping(&plane, &Pose::IDENTITY, &ALL).unwrap_err()));
    assert!(unsupported(
        world.cast_shape(&ShapeCast::new(&plane, Pose::IDENTITY, Vec3::X), &ALL).unwrap_err()
    ));
    let here = &Pose::IDENTITY;
    let error = query::overlap(&plane, here, &plane, here).unwrap_err();
    assert!(error.to_string().contains("overlap of HalfSpace"), "{error}");
    assert!(unsupported(query::distance(&plane, here, &plane, here).unwrap_err()));
    assert!(unsupported(query::penetration(&plane, here, &plane, here).unwrap_err()));
    assert!(unsupported(query::contact_manifolds(&plane, here, &plane, here, 0.1).unwrap_err()));
    let moving = (&plane, here, Vec3::X);
    assert!(unsupported(query::time_of_impact(moving, (&plane, here, Vec3::ZERO), 1.0).unwrap_err()));
    // Without the half-space in the world there is nothing it cannot be compared with.
    let only_balls = ALL.without(&[BodyId(4)]);
    assert_eq!(world.overlapping(&plane, &Pose::IDENTITY, &only_balls), Ok(vec![BodyId(1)]));
}

#[test]
fn shapes_too_far_or_too_large_are_refused_and_nothing_panics() {
    let (ball, huge) = (Shape::ball(1.0).unwrap(), Shape::cuboid(Vec3::splat(1e30)).unwrap());
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let here = Pose::IDENTITY;
    for distance in [1e9f32, 1e20, 1e38] {
        let there = Pose::at(Vec3::X * distance);
        let too_far = |error: QueryError| matches!(error, QueryError::TooFar { .. });
        assert!(too_far(query::overlap(&cube, &here, &cube, &there).unwrap_err()));
        assert!(too_far(query::distance(&cube, &there, &ball, &here).unwrap_err()));
        assert!(too_far(query::penetration(&cube, &here, &cube, &there).unwrap_err()));
        assert!(too_far(query::contact_manifolds(&cube, &here, &cube, &there, 1.0).unwrap_err()));
        let first = (&cube, &here, Vec3::X);
        assert!(too_far(query::time_of_impact(first, (&cube, &there, Vec3::ZERO), 1.0).unwrap_err()));
        assert!(too_far(query::overlap(&huge, &here, &ball, &here).unwrap_err()));

        let world = world_of(&[Body::fixed(cube.clone()).at(there.position), Body::fixed(cube.clone())]);
        assert!(too_far(world.nearest(Vec3::ZERO, 2, &ALL).unwrap_err()));
        assert_eq!(world.nearest(Vec3::ZERO, 1, &ALL).unwrap()[0].id, BodyId(4));
        // It is met beyond the first hit, and then not at all.
        let hit = world.cast_ray(&Ray::new(Vec3::X * -3.0, Vec3::X), &ALL).unwrap().unwrap();
        assert_eq!((hit.id, hit.distance), (BodyId(4), 2.0));
        assert!(too_far(world.cast_ray_all(&Ray::new(Vec3::X * -3.0, Vec3::X), &ALL).unwrap_err()));
    }
}

#[test]
fn numbers_of_a_pair_query() {
    let ball = Shape::ball(1.0).unwrap();
    let (good, bad) = (Pose::IDENTITY, Pose::at(Vec3::NAN));
    let not_finite = |error: QueryError| matches!(error, QueryError::NotFinite { .. });
    assert!(not_finite(query::overlap(&ball, &bad, &ball, &good).unwrap_err()));
    assert!(not_finite(query::distance(&ball, &good, &ball, &bad).unwrap_err()));
    assert!(not_finite(query::penetration(&ball, &bad, &ball, &good).unwrap_err()));
    assert!(not_finite(query::contact_manifolds(&ball, &good, &ball, &good, f32::INFINITY).unwrap_err()));
    let error = query::contact_manifolds(&ball, &good, &ball, &good, f32::NAN).unwrap_err();
    assert!(matches!(error, QueryError::Negative { what: "prediction", .. }));
    let (still, wild) = ((&ball, &good, Vec3::ZERO), (&ball, &good, Vec3::INFINITY));
    assert!(not_finite(query::time_of_impact(still, wild, 1.0).unwrap_err()));
    let (fast, back) = ((&ball, &good, Vec3::splat(f32::MAX)), (&ball, &good, Vec3::splat(-f32::MAX)));
    assert!(not_finite(query::time_of_impact(fast, back, 1.0).unwrap_err()));
    assert!(matches!(query::time_of_impact(still, still, -1.0).unwrap_err(), QueryError::Negative { .. }));
}
