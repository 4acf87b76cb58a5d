//! Sleep is local: a body and those it touches, never a whole pile.

use jostle::glam::Vec3;
use jostle::{Body, BodyId, EventKind, Pose, Shape, Velocity, World};

const DT: f32 = 1.0 / 60.0;

fn unit_box() -> Shape {
    Shape::cuboid(Vec3::splat(0.5)).unwrap()
}

/// A stack of boxes on the ground, ids from 1 upwards, asleep.
fn sleeping_stack(height: u32) -> World {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    for level in 0..height {
        world.add(BodyId(level + 1), Body::dynamic(unit_box()).at(Vec3::Y * (0.5 + level as f32))).unwrap();
    }
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    assert!((1..=height).all(|id| is_asleep(&world, id)), "they sleep after four seconds");
    world
}

fn is_asleep(world: &World, id: u32) -> bool {
    world.body(BodyId(id)).unwrap().asleep
}

#[test]
fn sleepers_stay_where_they_are_and_say_nothing() {
    let mut world = sleeping_stack(3);
    let hash = world.state_hash();
    for _ in 0..100 {
        let report = world.step(DT).unwrap();
        assert_eq!((report.awake, report.manifolds, report.tested_pairs), (0, 0, 0));
        assert!(world.events().contacts().is_empty(), "two sleepers have nothing to say");
        assert_eq!(world.state_hash(), hash);
    }
}

#[test]
fn a_hit_wakes_the_body_that_is_hit() {
    let mut world = sleeping_stack(2);
    world.add(BodyId(9), Body::dynamic(unit_box()).at(Vec3::Y * 4.0)).unwrap();
    let mut woke = false;
    for _ in 0..120 {
        world.step(DT).unwrap();
        woke |= !is_asleep(&world, 2);
    }
    assert!(woke);
}

#[test]
fn a_support_that_leaves_wakes_what_it_carried() {
    let mut world = sleeping_stack(3);
    world.remove(BodyId(1)).unwrap();
    let report = world.step(DT).unwrap();
    assert_eq!(report.woke, 1, "the one above it, and no other");
    assert!(!is_asleep(&world, 2));
    let ended = world.events().contacts().iter().filter(|event| event.kind == EventKind::ContactEnded);
    assert_eq!(ended.map(|event| (event.first.0, event.second.0)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    let height = |id| world.pose(BodyId(id)).unwrap().position.y;
    assert!((height(2) - 0.5).abs() < 0.02 && (height(3) - 1.5).abs() < 0.04, "{} {}", height(2), height(3));
    assert!(is_asleep(&world, 2) && is_asleep(&world, 3));
}

#[test]
fn a_support_put_elsewhere_wakes_what_it_carried() {
    for kind in ["fixed", "kinematic", "dynamic"] {
        let mut world = World::default();
        let table = match kind {
            "fixed" => Body::fixed(unit_box()),
            "kinematic" => Body::kinematic(unit_box()),
            _ => Body::dynamic(unit_box()),
        };
        world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
        world.add(BodyId(1), table.at(Vec3::Y * 0.5)).unwrap();
        world.add(BodyId(2), Body::dynamic(unit_box()).at(Vec3::Y * 1.5)).unwrap();
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        assert!(is_asleep(&world, 2), "{kind}");
        world.teleport(BodyId(1), Pose::at(Vec3::new(30.0, 0.5, 0.0))).unwrap();
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        let height = world.pose(BodyId(2)).unwrap().position.y;
        assert!((height - 0.5).abs() < 0.02, "{kind}: it fell to {height}");
    }
}

#[test]
fn what_appears_in_a_sleeper_is_noticed() {
    let mut world = sleeping_stack(1);
    world.add(BodyId(7), Body::sensor(unit_box()).at(Vec3::new(0.3, 0.6, 0.0))).unwrap();
    world.step(DT).unwrap();
    let entered =
        world.events().contacts().iter().filter(|event| event.kind == EventKind::SensorEntered).count();
    assert_eq!(entered, 1);
    assert!(is_asleep(&world, 1), "a sensor wakes nobody");
    world.add(BodyId(8), Body::fixed(unit_box()).at(Vec3::new(0.7, 0.5, 0.0))).unwrap();
    world.step(DT).unwrap();
    assert!(!is_asleep(&world, 1), "a wall in the same place does");
}

#[test]
fn a_platform_that_starts_to_move_takes_sleepers_along_at_any_speed() {
    for (speed, frames) in [(1.0, 60), (0.05, 240)] {
        let mut world = World::default();
        let slab = Shape::cuboid(Vec3::new(2.0, 0.5, 2.0)).unwrap();
        world.add(BodyId(1), Body::kinematic(slab).at(Vec3::Y * 0.5)).unwrap();
        world.add(BodyId(2), Body::dynamic(unit_box()).at(Vec3::Y * 1.5)).unwrap();
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        assert!(is_asleep(&world, 2));
        world.set_velocity(BodyId(1), Velocity { linear: Vec3::Y * speed, angular: Vec3::ZERO }).unwrap();
        for _ in 0..frames {
            world.step(DT).unwrap();
        }
        let risen = world.pose(BodyId(2)).unwrap().position.y - 1.5;
        let expected = speed * frames as f32 * DT;
        assert!((risen - expected).abs() < 0.02, "{speed} m/s: {risen} m instead of {expected}");
    }
}

#[test]
fn commands_wake_and_put_to_sleep() {
    let mut world = sleeping_stack(1);
    world.wake(BodyId(1)).unwrap();
    world.step(DT).unwrap();
    assert!(!is_asleep(&world, 1));
    world.put_to_sleep(BodyId(1)).unwrap();
    world.step(DT).unwrap();
    assert!(is_asleep(&world, 1));
    world.apply_impulse(BodyId(1), Vec3::X * 1000.0).unwrap();
    world.step(DT).unwrap();
    assert!(!is_asleep(&world, 1) && world.velocity(BodyId(1)).unwrap().linear.x > 0.1);
}

#[test]
fn a_sleepless_body_does_not_sleep() {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world.add(BodyId(1), Body::dynamic(unit_box()).at(Vec3::Y * 0.5).sleepless()).unwrap();
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    assert!(!is_asleep(&world, 1));
}

#[test]
fn a_new_rule_wakes_whom_it_may_concern() {
    let mut world = sleeping_stack(2);
    world.set_contact_filter(|low, _, _| low != BodyId(0));
    let report = world.step(DT).unwrap();
    assert_eq!(report.woke, 2);
    let ended: Vec<_> =
        world.events().contacts().iter().filter(|e| e.kind == EventKind::ContactEnded).collect();
    assert_eq!(ended.len(), 1, "the ground is shown to the filter: {ended:?}");
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    assert!(world.pose(BodyId(1)).unwrap().position.y < 0.0, "nothing holds it any more");

    // What is set before a snapshot is restored wakes nobody: its sleepers fell asleep under that rule.
    let mut world = sleeping_stack(2);
    let snapshot = world.snapshot();
    world.set_contact_filter(|_, _, _| true);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.step(DT).unwrap().woke, 0);
}
