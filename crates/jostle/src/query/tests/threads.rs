//! Many questions at once, and from several threads: the same answers.

use glam::Vec3;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;
use crate::Execution;
use crate::query::{QueryFilter, Ray, ShapeCast};

fn scene(threads: usize, finder: &str, reversed: bool, bodies: &[Body]) -> World {
    let execution = Execution { threads, finder: finder.to_string(), ..Execution::default() };
    let settings = WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() };
    let mut world = World::with_execution(settings, &execution).unwrap();
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    if reversed {
        order.reverse();
    }
    for index in order {
        world.add(BodyId(index as u32), bodies[index].clone()).unwrap();
    }
    for _ in 0..3 {
        world.step(1.0 / 16.0).unwrap();
    }
    world
}

#[test]
fn answers_depend_neither_on_threads_nor_on_finder_nor_on_order() {
    let mut runner = TestRunner::deterministic();
    let bodies = prop::collection::vec(body(), 120).new_tree(&mut runner).unwrap().current();
    let points = prop::collection::vec(vector(12.0), 150).new_tree(&mut runner).unwrap().current();
    let rays: Vec<Ray> = points.iter().map(|&point| Ray::new(point, Vec3::ONE - point)).collect();
    let ball = Shape::ball(0.3).unwrap();
    let casts: Vec<ShapeCast> =
        points.iter().map(|&point| ShapeCast::new(&ball, Pose::at(point), -point)).collect();
    let shapes: Vec<(Shape, Pose)> = points.iter().map(|&point| (ball.clone(), Pose::at(point))).collect();
    let filter = QueryFilter::ALL.kinds(&[BodyKind::Fixed, BodyKind::Dynamic, BodyKind::Sensor]);

    let first = scene(1, "auto", false, &bodies);
    let expected_rays: Vec<_> = rays.iter().map(|ray| first.cast_ray(ray, &filter).unwrap()).collect();
    let expected_casts: Vec<_> = casts.iter().map(|cast| first.cast_shape(cast, &filter).unwrap()).collect();
    let expected_near: Vec<_> = points.iter().map(|&p| first.nearest(p, 5, &filter).unwrap()).collect();
    let expected_in: Vec<_> =
        shapes.iter().map(|(shape, pose)| first.overlapping(shape, pose, &filter).unwrap()).collect();
    assert!(expected_rays.iter().flatten().count() > 50 && expected_casts.iter().flatten().count() > 50);
    assert!(expected_in.iter().any(|ids| !ids.is_empty()));

    let (mut hits, mut shape_hits, mut near, mut inside) = (vec![], vec![], vec![], vec![]);
    for (threads, finder, reversed) in [(1, "brute", true), (2, "sweep", false), (3, "auto", true)] {
        let world = scene(threads, finder, reversed, &bodies);
        world.cast_rays(&rays, &filter, &mut hits).unwrap();
        world.cast_shapes(&casts, &filter, &mut shape_hits).unwrap();
        world.nearest_each(&points, 5, &filter, &mut near).unwrap();
        world.overlapping_each(&shapes, &filter, &mut inside).unwrap();
        assert_eq!(hits, expected_rays, "{threads} {finder}");
        assert_eq!(shape_hits, expected_casts, "{threads} {finder}");
        assert_eq!(near, expected_near, "{threads} {finder}");
        assert_eq!(inside, expected_in, "{threads} {finder}");
    }
}

#[test]
fn several_threads_may_ask_a_world_for_the_first_time_at_once() {
    let mut runner = TestRunner::deterministic();
    let bodies = prop::collection::vec(body(), 60).new_tree(&mut runner).unwrap().current();
    let world = scene(2, "auto", false, &bodies);
    let rays: Vec<Ray> =
        (0..64).map(|k| Ray::new(Vec3::new(k as f32 * 0.2 - 6.0, 9.0, 0.0), Vec3::NEG_Y)).collect();
    // A predicate that asks the world itself.
    let alone = |id: BodyId, _: &Body| {
        let at = world.pose(id).unwrap().position;
        world.nearest(at, 1, &QueryFilter::ALL).is_ok()
    };
    let answers: Vec<Vec<_>> = std::thread::scope(|scope| {
        let ask = || {
            let mut hits = Vec::new();
            world.cast_rays(&rays, &QueryFilter::ALL.when(&alone), &mut hits).unwrap();
            hits
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let expected: Vec<_> = rays.iter().map(|ray| world.cast_ray(ray, &QueryFilter::ALL).unwrap()).collect();
    assert!(expected.iter().flatten().count() > 10);
    assert!(answers.iter().all(|answer| *answer == expected));
}
