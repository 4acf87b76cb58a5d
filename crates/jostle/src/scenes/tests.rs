//! What all scenes must be: as large as asked, the same twice, finite, and as dense when small as when large.

use glam::Vec3;
use jostle_broad::{Aabb, Boxes, FindSettings, PairFinder, Sweep};

use super::*;
use crate::Execution;

fn poses(world: &World) -> Vec<u32> {
    let ids = world.ids().into_iter();
    let numbers = ids.flat_map(|id| {
        let pose = world.pose(id).expect("a body that is there");
        let (p, r) = (pose.position, pose.rotation);
        [p.x, p.y, p.z, r.x, r.y, r.z, r.w]
    });
    numbers.map(f32::to_bits).collect()
}

#[test]
fn every_scene_steps_the_same_twice_and_stays_finite() {
    for entry in all() {
        let run = |seed| {
            let scene = (entry.make)(120, seed);
            assert_eq!((scene.name, scene.description), (entry.name, entry.summary));
            let mut world = scene.build(&Execution::default()).unwrap();
            for _ in 0..30 {
                let report = scene.step(&mut world).unwrap();
                assert!(report.frozen.is_empty() && report.clamped == 0, "{}: {report:?}", entry.name);
            }
            assert_eq!(world.len(), scene.bodies.len(), "{}", entry.name);
            for id in world.ids() {
                let body = world.body(id).unwrap();
                assert!(body.pose.is_finite() && body.velocity.is_finite(), "{} {id}", entry.name);
            }
            poses(&world)
        };
        assert_eq!(run(1), run(1), "{}", entry.name);
        if entry.name != "pyramid" {
            assert_ne!(run(1), run(2), "{} does not depend on the seed", entry.name);
        }
    }
}

#[test]
fn there_are_as_many_moving_bodies_as_asked_under_ids_of_their_own() {
    for entry in all() {
        for count in [0, 1, 2, 10, 211, 1003] {
            let scene = (entry.make)(count, 1);
            assert_eq!(scene.moving(), count, "{}", entry.name);
            assert!(scene.bodies.is_sorted_by(|a, b| a.0 < b.0), "{}", entry.name);
            scene.build(&Execution::default()).unwrap();
        }
    }
}

#[test]
fn the_density_is_the_same_for_any_number_of_bodies() {
    for name in ["rain", "pit", "gas", "layer"] {
        let [small, large] = [1000, 20_000].map(|count| neighbours((get(name).unwrap().make)(count, 1)));
        assert!(small > 2.0, "{name}: {small} neighbours of a body");
        assert!((0.8..1.4).contains(&(large / small)), "{name}: {small} and {large} neighbours of a body");
    }
}

/// How many moving bodies are near a moving body at the start, on average: within one and a half times the distance to
/// the nearest.
fn neighbours(scene: Scene) -> f64 {
    let reach = if scene.name == "layer" { 0.08 } else { 1.3 };
    let bodies = scene.bodies.iter().filter(|(_, body)| body.kind == BodyKind::Dynamic);
    let boxes: Vec<Aabb> =
        bodies.map(|(_, body)| Aabb::from_center(body.pose.position, Vec3::splat(reach))).collect();
    let mut finder = Sweep::default();
    finder.update(&Boxes::from_aabbs(&boxes).unwrap(), &FindSettings::default()).unwrap();
    finder.pairs().len() as f64 / boxes.len() as f64
}

#[test]
fn nothing_overlaps_at_the_start() {
    for entry in all() {
        let scene = (entry.make)(300, 3);
        let mut world = scene.build(&Execution::default()).unwrap();
        scene.step(&mut world).unwrap();
        let points = world.contacts.iter().flat_map(|contact| contact.manifold.points());
        let deepest = points.map(|point| point.separation).fold(0.0, f32::min);
        assert!(deepest > -1e-3, "{}: {deepest}", entry.name);
    }
}

#[test]
fn unknown_scenes_are_told_with_those_there_are() {
    let error = get("snow").unwrap_err().to_string();
    assert!(error.contains("`snow`") && all().iter().all(|entry| error.contains(entry.name)), "{error}");
}

#[test]
fn the_ball_is_shot_again() {
    let scene = (get("wall").unwrap().make)(402, 1);
    assert_eq!(scene.commands(0), []);
    assert_eq!(scene.commands(299), []);
    assert_eq!(scene.commands(300).len(), 4);
}

#[test]
fn the_ball_knocks_bricks_out_of_the_wall() {
    let scene = (get("wall").unwrap().make)(201, 1);
    let mut world = scene.build(&Execution::default()).unwrap();
    for _ in 0..120 {
        scene.step(&mut world).unwrap();
    }
    let out = world.ids().into_iter().filter(|&id| world.pose(id).unwrap().position.z > 1.0).count();
    assert!(out >= 5, "{out} bricks lie behind the wall");
}
