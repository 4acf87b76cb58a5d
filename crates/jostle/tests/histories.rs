//! Random histories of small worlds in which much sleeps and wakes: a world that lives through them in one go, and one
//! that is sent elsewhere every few steps, with another finder and commands in another order.

mod common;

use common::{DT, Random, execution};
use jostle::broad::Lanes;
use jostle::glam::Vec3;
use jostle::{
    Body, BodyId, BodyKind, Command, Execution, Pose, Shape, SleepSettings, Snapshot, Velocity, World,
    WorldSettings,
};
use proptest::prelude::*;

const BODIES: u32 = 14;
const STEPS: u32 = 80;

fn shapes() -> [Shape; 3] {
    let cuboid = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    [Shape::ball(0.5).unwrap(), cuboid, Shape::half_space(Vec3::Y).unwrap()]
}

/// Bodies doze off after three slow frames.
fn settings() -> WorldSettings {
    let sleep = SleepSettings { after: 0.05, slow_speed: 0.2, ..SleepSettings::default() };
    WorldSettings { sleep, ..WorldSettings::default() }
}

fn body(random: &mut Random) -> Body {
    let kind = match random.next() % 10 {
        0 => BodyKind::Fixed,
        1 => BodyKind::Kinematic,
        2 => BodyKind::Sensor,
        _ => BodyKind::Dynamic,
    };
    let shape = shapes()[random.next() as usize % 2].clone();
    // On a lattice: many touch from the beginning.
    let at = Vec3::new((random.next() % 3) as f32, 0.5 + (random.next() % 3) as f32, 0.0);
    let velocity = if kind == BodyKind::Kinematic { Vec3::X * random.unit() } else { Vec3::ZERO };
    Body::new(kind).with_shape(shape).at(at).moving(velocity).user_data(random.next() % 2)
}

/// A few commands that make sense for the bodies there are.
fn some_commands(world: &World, random: &mut Random) -> Vec<(BodyId, Command)> {
    let mut list = Vec::new();
    if !random.next().is_multiple_of(3) {
        return list;
    }
    for index in 1..=BODIES {
        let id = BodyId(index * 1_000_003 % 997);
        let Some(kind) = world.description(id).map(|body| body.kind) else {
            if random.next().is_multiple_of(4) {
                list.push((id, Command::Add(body(random).into())));
            }
            continue;
        };
        let dynamic = kind == BodyKind::Dynamic;
        let up = Vec3::new(random.unit() - 0.5, random.unit(), 0.0);
        match random.next() % 24 {
            0 => list.push((id, Command::Remove)),
            1 => list.push((id, Command::Teleport(Pose::at(up * 3.0 + Vec3::Y)))),
            2 if kind != BodyKind::Fixed => {
                let linear = if random.next().is_multiple_of(2) { up } else { Vec3::ZERO };
                list.push((id, Command::SetVelocity(Velocity { linear, angular: Vec3::ZERO })));
            }
            3 if dynamic => {
                list.push((id, Command::Impulse { impulse: up * 900.0, point: None }));
                list.push((id, Command::Impulse { impulse: up * 500.0, point: Some(up) }));
            }
            4 if dynamic => list.push((id, Command::Sleep)),
            5 if dynamic => list.push((id, Command::Wake)),
            6 => list.push((id, Command::SetUserData(random.next()))),
            _ => {}
        }
    }
    list
}

/// Says how many times a body fell asleep.
fn check(seed: u64, finder: &str, threads: usize) -> Result<usize, TestCaseError> {
    let mut random = Random(seed);
    let mut straight = World::new(settings()).unwrap();
    let elsewhere = execution(threads, finder, Lanes::scalar());
    let mut sent = World::with_execution(settings(), &elsewhere).unwrap();
    let ground = Body::fixed(shapes()[2].clone());
    straight.add(BodyId(0), ground.clone()).unwrap();
    sent.add(BodyId(0), ground).unwrap();
    let mut slept = 0;
    for step in 0..STEPS {
        let mut list = some_commands(&straight, &mut random);
        for (id, command) in list.clone() {
            straight.command(id, command).unwrap();
        }
        random.shuffle(&mut list);
        for (id, command) in list {
            sent.command(id, command).unwrap();
        }
        slept += straight.step(DT).unwrap().fell_asleep;
        sent.step(DT).unwrap();
        for id in straight.ids() {
            let hashes = [&straight, &sent].map(|world| world.body_hash(id));
            prop_assert_eq!(hashes[0], hashes[1], "step {}, body {}", step, id);
        }
        prop_assert_eq!(straight.state_hash(), sent.state_hash(), "step {}", step);
        prop_assert_eq!(straight.events(), sent.events(), "step {}", step);
        if random.next().is_multiple_of(5) {
            let bytes = straight.snapshot().to_bytes();
            prop_assert!(bytes == sent.snapshot().to_bytes(), "step {step}: the same state, other bytes");
            let snapshot = Snapshot::from_bytes(&bytes).unwrap();
            if random.next().is_multiple_of(2) {
                sent = World::with_execution(settings(), &elsewhere).unwrap();
            }
            shapes().into_iter().for_each(|shape| sent.register_shape(shape));
            sent.restore(&snapshot).unwrap();
            prop_assert_eq!(straight.state_hash(), sent.state_hash(), "restored after step {}", step);
        }
    }
    Ok(slept)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn sent_elsewhere_every_few_steps(
        seed in any::<u64>(),
        finder in prop::sample::select(vec!["auto", "sap", "tree", "hgrid", "bvh", "sweep"]),
        threads in 1usize..3,
    ) {
        check(seed, finder, threads)?;
    }
}

#[test]
fn bodies_sleep_in_these_histories() {
    let slept: usize = (1..5).map(|seed| check(seed, "auto", 1).unwrap()).sum();
    assert!(slept > 5, "{slept}");
}

#[test]
fn recordings_of_random_histories_play_again() {
    let mut random = Random(3);
    let mut world = World::new(settings()).unwrap();
    world.add(BodyId(0), Body::fixed(shapes()[2].clone())).unwrap();
    world.start_recording();
    for _ in 0..3 * STEPS {
        for (id, command) in some_commands(&world, &mut random) {
            world.command(id, command).unwrap();
        }
        world.step(DT).unwrap();
    }
    let recording = world.stop_recording().unwrap();
    let recording = jostle::Recording::from_bytes(&recording.to_bytes()).unwrap();
    recording.replay(&Execution::default()).unwrap();
}
