//! Every question about a world against all bodies, one by one; before and after bodies move, leave and come.

use glam::{Quat, Vec3};
use jostle_broad::Aabb;
use parry3d::query::{self, ShapeCastOptions};
use proptest::prelude::*;

use super::*;
use crate::query::{Frustum, Plane, QueryFilter, Ray, ShapeCast};

/// What parry's iterations may be off by.
const NEAR: f32 = 2e-3;

/// The same for casts, across the surface.
const NEAR_CAST: f32 = 5e-3;

/// Slower than this two surfaces do not meet, but pass.
const GRAZING: f32 = 0.1;

#[derive(Clone, Debug)]
struct Questions {
    origin: Vec3,
    direction: Vec3,
    max_distance: f32,
    shape: Shape,
    pose: Pose,
    half: Vec3,
    count: usize,
}

fn questions() -> impl Strategy<Value = Questions> {
    let direction = vector(1.0).prop_filter("a direction", |direction| direction.length() > 0.2);
    let half = prop::array::uniform3(0.0f32..4.0).prop_map(Vec3::from_array);
    (vector(12.0), direction, 1.0f32..60.0, shape(), pose(), half, 0usize..6).prop_map(
        |(origin, direction, max_distance, shape, pose, half, count)| Questions {
            origin,
            direction,
            max_distance,
            shape,
            pose,
            half,
            count,
        },
    )
}

/// The earliest of optional numbers.
fn earliest(times: impl Iterator<Item = Option<f32>>) -> Option<f32> {
    times.flatten().reduce(f32::min)
}

fn check_all(world: &World, filter: &QueryFilter<'_>, asked: &Questions) -> Result<(), TestCaseError> {
    let ids: Vec<BodyId> =
        world.ids().into_iter().filter(|&id| filter.admits(id, world.description(id).unwrap())).collect();
    check_rays(world, filter, &ids, asked)?;
    check_casts(world, filter, &ids, asked)?;
    check_near(world, filter, &ids, asked)?;
    check_overlaps(world, filter, &ids, asked)
}

fn check_rays(
    world: &World,
    filter: &QueryFilter<'_>,
    ids: &[BodyId],
    asked: &Questions,
) -> Result<(), TestCaseError> {
    let ray = Ray { origin: asked.origin, direction: asked.direction, max_distance: asked.max_distance };
    let one = |id: BodyId| {
        let ray = query::Ray::new(parry(asked.origin), parry(asked.direction));
        let most = asked.max_distance;
        earliest(pieces(world, id).iter().map(|(shape, pose)| shape.cast_ray(pose, &ray, most, true)))
    };
    let expected: Vec<(BodyId, f32)> = ids.iter().filter_map(|&id| Some((id, one(id)?))).collect();
    let all = world.cast_ray_all(&ray, filter).unwrap();
    let mut found: Vec<(BodyId, f32)> = all.iter().map(|hit| (hit.id, hit.distance)).collect();
    prop_assert!(all.windows(2).all(|two| (two[0].distance, two[0].id) < (two[1].distance, two[1].id)));
    for hit in &all {
        prop_assert_eq!(hit.point, ray.origin + ray.direction * hit.distance);
        let length = hit.normal.length();
        let expected_length = if hit.distance > 0.0 { 1.0 } else { 0.0 };
        prop_assert!((length - expected_length).abs() < 1e-3);
        prop_assert!(hit.normal.dot(ray.direction) <= 1e-3);
    }
    found.sort_by_key(|&(id, _)| id);
    prop_assert_eq!(found.len(), expected.len(), "{:?} {:?}", found, expected);
    for (found, expected) in found.iter().zip(&expected) {
        prop_assert_eq!(found.0, expected.0);
        prop_assert!((found.1 - expected.1).abs() <= NEAR, "{:?} {:?}", found, expected);
    }
    prop_assert_eq!(world.cast_ray(&ray, filter).unwrap(), all.first().copied());
    Ok(())
}

fn check_casts(
    world: &World,
    filter: &QueryFilter<'_>,
    ids: &[BodyId],
    asked: &Questions,
) -> Result<(), TestCaseError> {
    let cast = ShapeCast {
        max_time: asked.max_distance,
        ..ShapeCast::new(&asked.shape, asked.pose, asked.direction)
    };
    let options = ShapeCastOptions::with_max_time_of_impact(asked.max_distance);
    let one = |id: BodyId| {
        earliest(pieces(world, id).iter().map(|(shape, pose)| {
            let still = Vector::ZERO;
            let moving = (parry_pose(&asked.pose), parry(asked.direction), asked.shape.parry());
            let hit = query::cast_shapes(&moving.0, moving.1, &**moving.2, pose, still, &**shape, options);
            hit.unwrap().map(|hit| hit.time_of_impact)
        }))
    };
    let times: Vec<(BodyId, f32)> = ids.iter().filter_map(|&id| Some((id, one(id)?))).collect();
    let expected = times.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a });
    let found = world.cast_shape(&cast, filter).unwrap();
    // Where the motion grazes, a small shift is a long time, or no hit.
    let approach = found.map_or(0.0, |found| found.normal.dot(asked.direction).abs());
    match (found, expected) {
        (Some(found), Some(expected)) => {
            let of_its_own = times.iter().find(|&&(id, _)| id == found.id).map(|&(_, time)| time);
            let close = |time: f32| ((found.time - time) * approach).abs() <= NEAR_CAST;
            prop_assert!(close(expected.1), "{:?} {:?}", found, expected);
            prop_assert!(of_its_own.is_some_and(close) || approach < GRAZING, "{:?} {:?}", found, times);
        }
        // What parry alone misses must be a hit all the same.
        (Some(found), None) => {
            let there = Pose { position: asked.pose.position + asked.direction * found.time, ..asked.pose };
            let gap = crate::query::distance(
                &asked.shape,
                &there,
                &parts(world, found.id)[found.part as usize].0,
                &parts(world, found.id)[found.part as usize].1,
            );
            prop_assert!(gap.unwrap().distance < NEAR_CAST, "{:?}", found);
        }
        (None, expected) => prop_assert_eq!(expected, None),
    }
    Ok(())
}

fn check_near(
    world: &World,
    filter: &QueryFilter<'_>,
    ids: &[BodyId],
    asked: &Questions,
) -> Result<(), TestCaseError> {
    let point = asked.origin;
    let distance = |id: BodyId| {
        let distances = pieces(world, id)
            .into_iter()
            .map(|(shape, pose)| Some(shape.distance_to_point(&pose, parry(point), true)));
        earliest(distances).unwrap()
    };
    let mut expected: Vec<f32> = ids.iter().map(|&id| distance(id)).collect();
    expected.sort_by(f32::total_cmp);
    expected.truncate(asked.count);
    let found = world.nearest(point, asked.count, filter).unwrap();
    prop_assert_eq!(found.len(), expected.len());
    prop_assert!(found.windows(2).all(|two| (two[0].distance, two[0].id) < (two[1].distance, two[1].id)));
    for (found, expected) in found.iter().zip(&expected) {
        prop_assert!((found.distance - expected).abs() <= NEAR, "{:?} {:?}", found, expected);
        prop_assert!((found.distance - distance(found.id)).abs() <= NEAR);
        prop_assert!(((found.point - point).length() - found.distance).abs() <= 1e-5);
    }
    Ok(())
}

fn check_overlaps(
    world: &World,
    filter: &QueryFilter<'_>,
    ids: &[BodyId],
    asked: &Questions,
) -> Result<(), TestCaseError> {
    let which = |test: &dyn Fn(&SharedShape, &ParryPose) -> bool| -> Vec<BodyId> {
        let any = |id: BodyId| pieces(world, id).iter().any(|(shape, pose)| test(shape, pose));
        ids.iter().copied().filter(|&id| any(id)).collect()
    };
    let own = parry_pose(&asked.pose);
    let overlapping = which(&|shape, pose| {
        query::intersection_test(&own, &**asked.shape.parry(), pose, &**shape).unwrap().intersecting
    });
    prop_assert_eq!(world.overlapping(&asked.shape, &asked.pose, filter).unwrap(), overlapping);
    let point = asked.pose.position;
    let containing = which(&|shape, pose| shape.contains_point(pose, parry(point)));
    prop_assert_eq!(world.containing(point, filter).unwrap(), containing);

    let body_box = |id: BodyId| {
        parts(world, id).iter().map(|(shape, pose)| shape.aabb(pose)).reduce(|a, b| a.union(&b)).unwrap()
    };
    let aabb = Aabb::from_center(asked.origin, asked.half);
    let in_box: Vec<BodyId> = ids.iter().copied().filter(|&id| body_box(id).overlaps(&aabb)).collect();
    prop_assert_eq!(world.boxes_in_box(&aabb, filter).unwrap(), in_box);
    let planes = [asked.direction, -asked.direction, asked.half + Vec3::splat(0.1)]
        .map(|normal| Plane { normal, offset: asked.half.x });
    let frustum = Frustum::new(&planes).unwrap();
    let in_frustum: Vec<BodyId> = ids.iter().copied().filter(|&id| frustum.meets(&body_box(id))).collect();
    prop_assert_eq!(world.boxes_in_frustum(&frustum, filter).unwrap(), in_frustum);
    Ok(())
}

fn check_with_filters(world: &World, asked: &Questions) -> Result<(), TestCaseError> {
    let odd = |id: BodyId, _: &Body| id.0 % 2 == 1;
    let without: Vec<BodyId> = world.ids().into_iter().take(3).collect();
    let filters = [
        QueryFilter::ALL,
        QueryFilter::ALL.kinds(&[BodyKind::Dynamic, BodyKind::Sensor]),
        QueryFilter::ALL.groups(u32::MAX, 2).without(&without),
        QueryFilter::ALL.when(&odd),
        QueryFilter::ALL.kinds(&[]),
    ];
    filters.iter().try_for_each(|filter| check_all(world, filter, asked))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_world_answers_as_all_its_bodies_do(
        bodies in prop::collection::vec(body(), 0..24),
        more in prop::collection::vec(body(), 1..4),
        asked in prop::collection::vec(questions(), 3),
    ) {
        let mut world = world_of(&bodies);
        check_with_filters(&world, &asked[0])?;
        // Everything moves, one body is put elsewhere, one leaves, some come.
        for (index, id) in world.ids().into_iter().enumerate() {
            match index % 5 {
                0 => world.remove(id).unwrap(),
                1 => world.teleport(id, Pose::new(asked[1].origin, Quat::IDENTITY)).unwrap(),
                _ => {}
            }
        }
        for (index, body) in more.iter().enumerate() {
            world.add(BodyId(3 * index as u32 + 2), body.clone()).unwrap();
        }
        // Commands count from the next step on.
        check_with_filters(&world, &asked[1])?;
        world.step(1.0 / 16.0).unwrap();
        check_with_filters(&world, &asked[1])?;
        for _ in 0..3 {
            world.step(1.0 / 4.0).unwrap();
        }
        check_with_filters(&world, &asked[2])?;
    }
}

#[test]
fn an_empty_world_has_nothing_to_say() {
    let world = World::default();
    let filter = QueryFilter::ALL;
    let ball = Shape::ball(1.0).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    assert_eq!(world.cast_ray(&ray, &filter), Ok(None));
    assert_eq!(world.cast_ray_all(&ray, &filter), Ok(vec![]));
    assert_eq!(world.cast_shape(&ShapeCast::new(&ball, Pose::IDENTITY, Vec3::X), &filter), Ok(None));
    assert_eq!(world.nearest(Vec3::ZERO, 3, &filter), Ok(vec![]));
    assert_eq!(world.overlapping(&ball, &Pose::IDENTITY, &filter), Ok(vec![]));
    assert_eq!(world.containing(Vec3::ZERO, &filter), Ok(vec![]));
    assert_eq!(world.boxes_in_box(&Aabb::EVERYWHERE, &filter), Ok(vec![]));
    let mut hits = vec![None; 3];
    world.cast_rays(&[], &filter, &mut hits).unwrap();
    assert!(hits.is_empty());
}

#[test]
fn a_ray_that_begins_inside_hits_at_once_and_knows_no_normal() {
    let world = world_of(&[
        Body::fixed(Shape::ball(1.0).unwrap()),
        Body::fixed(Shape::cuboid(Vec3::ONE).unwrap()),
        Body::fixed(Shape::half_space(Vec3::Y).unwrap()).at(Vec3::Y * 2.0),
    ]);
    let hits = world.cast_ray_all(&Ray::new(Vec3::splat(0.1), Vec3::X), &QueryFilter::ALL).unwrap();
    let found: Vec<_> = hits.iter().map(|hit| (hit.id.0, hit.distance, hit.normal)).collect();
    assert_eq!(found, [(1, 0.0, Vec3::ZERO), (4, 0.0, Vec3::ZERO), (7, 0.0, Vec3::ZERO)]);
}

#[test]
fn equal_distances_go_by_id() {
    let ball = Body::fixed(Shape::ball(1.0).unwrap());
    let world = world_of(&[ball.clone(), ball.clone(), ball]);
    let hits = world.cast_ray_all(&Ray::new(Vec3::X * -5.0, Vec3::X), &QueryFilter::ALL).unwrap();
    assert_eq!(
        hits.iter().map(|hit| (hit.id.0, hit.distance)).collect::<Vec<_>>(),
        [(1, 4.0), (4, 4.0), (7, 4.0)]
    );
    let near = world.nearest(Vec3::X * -5.0, 2, &QueryFilter::ALL).unwrap();
    assert_eq!(near.iter().map(|near| (near.id.0, near.distance)).collect::<Vec<_>>(), [(1, 4.0), (4, 4.0)]);
    let cast = ShapeCast::new(&Shape::ball(1.0).unwrap(), Pose::at(Vec3::X * -5.0), Vec3::X);
    let hit = world.cast_shape(&cast, &QueryFilter::ALL).unwrap().unwrap();
    assert_eq!((hit.id.0, hit.time), (1, 3.0));
    assert!((hit.point - Vec3::NEG_X).length() < 1e-5 && (hit.normal - Vec3::NEG_X).length() < 1e-5);
}

#[test]
fn distances_are_in_lengths_of_the_direction_however_short_or_long() {
    let world = world_of(&[Body::fixed(Shape::cuboid(Vec3::ONE).unwrap()).at(Vec3::X * 9.0)]);
    for exponent in [-40, -20, 0, 20, 40] {
        let scale = 2.0f32.powi(exponent);
        let ray = Ray::new(Vec3::ZERO, Vec3::X * scale);
        let hit = world.cast_ray(&ray, &QueryFilter::ALL).unwrap().unwrap();
        assert_eq!(hit.distance * scale, 8.0);
        let ball = Shape::ball(1.0).unwrap();
        let cast = ShapeCast::new(&ball, Pose::IDENTITY, Vec3::X * scale);
        let hit = world.cast_shape(&cast, &QueryFilter::ALL).unwrap().unwrap();
        assert!((hit.time * scale - 7.0).abs() < 1e-4, "{hit:?}");
    }
}

#[test]
fn a_restored_world_is_asked_where_its_bodies_are_again() {
    let ball = Body::kinematic(Shape::ball(1.0).unwrap()).moving(Vec3::X * 16.0);
    let mut world = world_of(&[ball]);
    let ray = Ray::new(Vec3::new(-50.0, 0.0, 0.0), Vec3::X);
    let distance = |world: &World| world.cast_ray(&ray, &QueryFilter::ALL).unwrap().unwrap().distance;
    let (before, snapshot) = (distance(&world), world.snapshot());
    world.step(1.0 / 16.0).unwrap();
    assert!((distance(&world) - before - 1.0).abs() < 1e-4);
    world.restore(&snapshot).unwrap();
    assert_eq!(distance(&world), before);
}
