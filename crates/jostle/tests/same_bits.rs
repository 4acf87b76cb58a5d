//! The same bits for any thread count, finder, vector instructions, order of insertion and of commands.

mod common;

use common::{FRAMES, Random, commands, execution, run, run_arranged, world};
use jostle::broad::{Catalog, Lanes};
use jostle::glam::Vec3;
use jostle::{Body, BodyId, Command, EventKind, Execution, Shape, World, WorldSettings};

fn reference() -> common::Trace {
    run(&mut world(&Execution::default()), FRAMES)
}

#[test]
fn the_scene_shows_what_it_is_for() {
    let trace = reference();
    let kinds: std::collections::HashSet<EventKind> =
        trace.0.iter().flat_map(|(_, events)| events.contacts()).map(|event| event.kind).collect();
    assert_eq!(kinds.len(), 5, "all kinds of events: {kinds:?}");
    let mut world = world(&Execution::default());
    run(&mut world, 70);
    let asleep = world.ids().into_iter().filter(|&id| world.body(id).unwrap().asleep).count();
    assert!(asleep >= 3, "{asleep} sleep");
    let mut hashes: Vec<_> = trace.0.iter().map(|(hash, _)| *hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), FRAMES as usize, "every state is another");
}

#[test]
fn for_any_number_of_threads() {
    let expected = reference();
    for threads in [2, 3, 8] {
        let mut world = world(&execution(threads, "auto", Lanes::best()));
        run(&mut world, FRAMES).assert_is(&expected, &format!("{threads} threads"));
    }
}

#[test]
fn for_every_finder() {
    let expected = reference();
    for (index, finder) in Catalog::builtin().iter().enumerate() {
        let mut world = world(&execution(1 + index % 3, &finder.name, Lanes::best()));
        run(&mut world, FRAMES).assert_is(&expected, &finder.name);
    }
}

#[test]
fn for_all_vector_instructions() {
    let expected = reference();
    for lanes in Lanes::available() {
        let mut world = world(&execution(1, "sweep", lanes));
        run(&mut world, FRAMES).assert_is(&expected, lanes.name());
    }
}

#[test]
fn for_any_order_of_commands() {
    let expected = reference();
    for seed in 1..4 {
        let mut random = Random(seed);
        let mut world = world(&execution(1 + seed as usize % 2, "auto", Lanes::best()));
        let shuffled = run_arranged(&mut world, FRAMES, |list| random.shuffle(list));
        shuffled.assert_is(&expected, &format!("commands shuffled with seed {seed}"));
    }
}

/// Slots are reused: bodies that were there and left before the scene began must leave no trace.
#[test]
fn whatever_was_there_before() {
    let expected = reference();
    let mut world = world(&Execution::default());
    for index in 0..50 {
        let at = Vec3::new(0.3 * index as f32, 5.0, 0.0);
        world.add(BodyId(7 * index), Body::dynamic(Shape::ball(0.2).unwrap()).at(at)).unwrap();
    }
    world.step(common::DT).unwrap();
    for index in (0..50).rev() {
        world.remove(BodyId(7 * index)).unwrap();
    }
    world.step(common::DT).unwrap();
    let mut trace = Vec::new();
    for frame in 0..FRAMES {
        for (id, command) in commands(frame) {
            world.command(id, command).unwrap();
        }
        world.step(common::DT).unwrap();
        trace.push((world.state_hash(), world.events().clone()));
    }
    common::Trace(trace).assert_is(&expected, "slots in another order");
}

/// Each thing that belongs to a state changes its hash, and that of its body.
#[test]
fn the_hash_sees_every_change() {
    let build = |change: &dyn Fn(&mut Body), settings: WorldSettings, more: Option<Command>| {
        let mut world = World::new(settings).unwrap();
        let cuboid = || Shape::cuboid(Vec3::splat(0.5)).unwrap();
        let mut body = Body::dynamic(cuboid()).at(Vec3::Y * 0.49);
        change(&mut body);
        world.add(BodyId(1), body).unwrap();
        world.add(BodyId(2), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
        world.add(BodyId(3), Body::dynamic(cuboid()).at(Vec3::Y * 9.0)).unwrap();
        world.step(common::DT).unwrap();
        if let Some(command) = more {
            world.command(BodyId(1), command).unwrap();
        }
        world.step(common::DT).unwrap();
        (world.state_hash(), [1, 2, 3].map(|id| world.body_hash(BodyId(id)).unwrap()))
    };
    let defaults = WorldSettings::default();
    let plain = build(&|_| {}, defaults, None);
    assert_eq!(plain, build(&|_| {}, defaults, None));
    type Change = (&'static str, &'static dyn Fn(&mut Body));
    let changes: [Change; 12] = [
        ("kind", &|body| body.kind = jostle::BodyKind::Sensor),
        ("position", &|body| body.pose.position.x = 1e-3),
        ("velocity", &|body| body.velocity.linear.x = 1e-3),
        ("mass", &|body| body.mass = jostle::Mass::Total(1.0)),
        ("group", &|body| body.group = 1),
        ("mask", &|body| body.mask = !2),
        ("linear damping", &|body| body.linear_damping = 1e-30),
        ("gravity scale", &|body| body.gravity_scale = -1.0),
        ("locks", &|body| body.locks = jostle::AxisLocks::NONE.lock_rotation([false, true, false])),
        ("sleepless", &|body| body.can_sleep = false),
        ("user data", &|body| body.user_data = 1),
        ("friction", &|body| body.parts[0].material.friction = 0.61),
    ];
    for (what, change) in changes {
        let other = build(change, defaults, None);
        assert_ne!(other.0, plain.0, "{what}");
        assert_ne!(other.1[0], plain.1[0], "{what}");
        assert_eq!(other.1[1..], plain.1[1..], "{what}");
    }
    for command in [Command::Sleep, Command::SetUserData(5)] {
        let name = command.name();
        assert_ne!(build(&|_| {}, defaults, Some(command)).1[0], plain.1[0], "{name}");
    }
    // One bit of a body that stays where it is.
    let still = |x: f32| {
        let mut world = World::default();
        world.add(BodyId(1), Body::fixed(Shape::ball(0.5).unwrap()).at(Vec3::X * x)).unwrap();
        world.step(common::DT).unwrap();
        world.state_hash()
    };
    assert_ne!(still(0.0), still(f32::from_bits(1)));
    let slower = WorldSettings { max_speed: 399.0, ..defaults };
    let other = build(&|_| {}, slower, None);
    assert_eq!(other.1, plain.1, "bodies are the same");
    assert_ne!(other.0, plain.0, "settings are not");
}

/// A wall-clock bound on a shared machine would fail for no reason: the number is printed, the order of magnitude held.
#[test]
fn hashing_ten_thousand_bodies_takes_about_a_millisecond() {
    let mut world = World::default();
    let shape = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    for index in 0..10_000u32 {
        let at = Vec3::new((index % 100) as f32, 0.0, (index / 100) as f32);
        world.add(BodyId(index), Body::dynamic(shape.clone()).at(at)).unwrap();
    }
    world.step(common::DT).unwrap();
    let best = (0..20)
        .map(|_| {
            let start = std::time::Instant::now();
            std::hint::black_box(world.state_hash());
            start.elapsed()
        })
        .min()
        .unwrap();
    println!("state_hash of 10,000 bodies: {best:?}");
    assert!(best.as_millis() < 20, "{best:?}");
}
