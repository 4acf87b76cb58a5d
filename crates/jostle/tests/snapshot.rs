//! Going back: the same states and events as the first time.

mod common;

use std::sync::Arc;

use common::{DT, FRAMES, Trace, execution, id, run, world};
use jostle::broad::{
    Boxes, Brute, Catalog, FindError, FindReport, FindSettings, Lanes, PairBuffer, PairFinder,
};
use jostle::glam::Vec3;
use jostle::{
    Body, BodyId, Execution, Shape, Snapshot, SnapshotError, StateHash, World, WorldError, WorldSettings,
};
use proptest::prelude::*;

/// A world of the scene at a frame, and how it goes on from there.
fn at(frame: u64) -> (World, Trace) {
    let trace = run(&mut world(&Execution::default()), FRAMES);
    let mut world = world(&Execution::default());
    run(&mut world, frame);
    (world, trace.from(frame))
}

/// Every shape of the scene.
fn shapes() -> Vec<Shape> {
    let bodies = (0..FRAMES).flat_map(common::commands).filter_map(|(_, command)| match command {
        jostle::Command::Add(body) => Some(body),
        _ => None,
    });
    bodies.flat_map(|body| body.parts.clone()).map(|part| part.shape).collect()
}

#[test]
fn in_place_at_many_frames() {
    let mut world = world(&Execution::default());
    let mut snapshots = vec![world.snapshot()];
    let mut trace = Trace(Vec::new());
    for frame in 1..=FRAMES {
        trace.0.extend(run(&mut world, frame).0);
        snapshots.push(world.snapshot());
    }
    // Backwards and forwards; each goes through bodies that come, leave, sleep and wake.
    for frame in [149, 0, 71, 70, 69, 76, 20, 1, 91, 110] {
        world.restore(&snapshots[frame]).unwrap();
        assert_eq!(world.frame(), frame as u64);
        if frame > 0 {
            assert_eq!(world.state_hash(), trace.0[frame - 1].0, "as restored, frame {frame}");
        }
        assert!(world.events().contacts().is_empty());
        let until = (frame as u64 + 40).min(FRAMES);
        let again = run(&mut world, until);
        again.assert_is(&Trace(trace.0[frame..until as usize].to_vec()), &format!("from frame {frame}"));
    }
}

#[test]
fn in_a_fresh_world_with_any_finder() {
    let (world, expected) = at(72);
    let snapshot = world.snapshot();
    let bytes = snapshot.to_bytes();
    for (index, finder) in Catalog::builtin().iter().enumerate() {
        let mut fresh = common::world(&execution(1 + index % 2, &finder.name, Lanes::best()));
        fresh.restore(&snapshot).unwrap();
        run(&mut fresh, FRAMES).assert_is(&expected, &finder.name);
    }
    let mut fresh = World::default();
    shapes().into_iter().for_each(|shape| fresh.register_shape(shape));
    let sent = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(sent.to_bytes(), bytes);
    assert_eq!((sent.frame(), sent.len()), (72, world.len()));
    fresh.restore(&sent).unwrap();
    assert_eq!(fresh.snapshot().to_bytes(), bytes);
    run(&mut fresh, FRAMES).assert_is(&expected, "from bytes");
}

#[test]
fn after_bodies_came_and_left() {
    let (mut world, expected) = at(60);
    let snapshot = world.snapshot();
    for gone in world.ids().into_iter().step_by(2) {
        world.remove(gone).unwrap();
    }
    for index in 0..20 {
        let body = Body::dynamic(Shape::ball(0.5).unwrap()).at(Vec3::Y * index as f32);
        world.add(BodyId(2_000_000 - index), body).unwrap();
    }
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    // Commands that wait are of a state that is gone.
    world.add(BodyId(5), Body::dynamic(Shape::ball(0.5).unwrap())).unwrap();
    world.restore(&snapshot).unwrap();
    assert!(world.body(BodyId(5)).is_none());
    run(&mut world, FRAMES).assert_is(&expected, "after other bodies");
}

#[test]
fn ten_thousand_bodies_take_a_hundred_bytes_each() {
    let mut world = World::default();
    let shapes = [Shape::ball(0.4).unwrap(), Shape::cuboid(Vec3::splat(0.4)).unwrap()];
    for index in 0..10_000u32 {
        let at = Vec3::new((index % 100) as f32, 0.0, (index / 100) as f32);
        let body = Body::dynamic(shapes[index as usize % 2].clone()).at(at).moving(Vec3::ONE);
        world.add(BodyId(index * 3), body.spinning(Vec3::X).user_data(u64::from(index) + 1)).unwrap();
    }
    world.step(DT).unwrap();
    let bytes = world.snapshot().to_bytes();
    assert!(bytes.len() <= 100 * world.len(), "{} bytes", bytes.len());
    let best = |work: &mut dyn FnMut()| {
        let time = |_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed()
        };
        (0..5).map(time).min().unwrap()
    };
    let snapshot = world.snapshot();
    println!("{} bytes; snapshot {:?}", bytes.len(), best(&mut || drop(world.snapshot())));
    println!("to_bytes {:?}", best(&mut || drop(snapshot.to_bytes())));
    println!("from_bytes {:?}", best(&mut || drop(Snapshot::from_bytes(&bytes))));
    println!("restore {:?}", best(&mut || world.restore(&snapshot).unwrap()));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let (world, _) = at(72);
    let snapshot = Snapshot::from_bytes(&world.snapshot().to_bytes()).unwrap();
    let mut other = World::default();
    other.add(BodyId(1), Body::dynamic(Shape::ball(9.0).unwrap())).unwrap();
    other.step(DT).unwrap();
    other.add(BodyId(2), Body::dynamic(Shape::ball(9.0).unwrap())).unwrap();
    let before = other.state_hash();

    // Shapes are asked for one after another, each by its name.
    let mut needed = snapshot.shapes_needed();
    for round in 0.. {
        match other.restore(&snapshot) {
            Err(SnapshotError::MissingShape { hash }) => {
                assert!(needed.contains(&hash), "round {round}");
                needed.retain(|&other| other != hash);
                other.register_shape(shapes().into_iter().find(|shape| shape.hash() == hash).unwrap());
                assert_eq!(other.state_hash(), before);
                assert!(other.body(BodyId(2)).is_some(), "the command still waits");
            }
            result => {
                result.unwrap();
                assert!(round > 0 && needed.is_empty(), "round {round}, {needed:?} never asked for");
                break;
            }
        }
    }
    assert_eq!(other.state_hash(), world.state_hash());

    let mut heavy =
        World::new(WorldSettings { gravity: Vec3::Y * -20.0, ..WorldSettings::default() }).unwrap();
    let before = heavy.state_hash();
    let error = heavy.restore(&snapshot).unwrap_err();
    assert!(matches!(error, SnapshotError::OtherSettings { name: "gravity" }), "{error}");
    assert_eq!(heavy.state_hash(), before);

    let mut small = World::default();
    small.add(BodyId(1), Body::dynamic(Shape::ball(0.5).unwrap())).unwrap();
    small.step(DT).unwrap();
    small.set_pair_limit(Some(3));
    let before = small.state_hash();
    assert!(matches!(small.restore(&world.snapshot()), Err(SnapshotError::Find(_))));
    assert_eq!((small.state_hash(), small.len()), (before, 1));
    small.step(DT).unwrap();
}

/// A hash and the bytes behind it: both must be as before.
fn state(world: &World) -> (StateHash, Vec<u8>, u64, jostle::broad::Pair, usize) {
    let events = world.events();
    let pair = events.began_overlapping().first().copied().unwrap_or(jostle::broad::Pair::new(0, 0));
    (world.state_hash(), world.snapshot().to_bytes(), world.frame(), pair, events.contacts().len())
}

#[test]
fn a_step_beyond_the_pair_limit_changes_nothing() {
    let expected = run(&mut world(&Execution::default()), FRAMES);
    for finder in ["auto", "sap", "tree", "hgrid", "brute"] {
        let mut world = world(&execution(1, finder, Lanes::best()));
        let mut trace = Trace(Vec::new());
        for frame in 0..FRAMES {
            let list = common::commands(frame);
            let adds = list.iter().filter(|(_, command)| command.name() == "add").count();
            let waiting = list.first().map(|(id, _)| *id);
            for (id, command) in list {
                world.command(id, command).unwrap();
            }
            // Frames with and without commands, and two failures in a row.
            if frame % 10 == 0 || frame == 75 {
                let before = state(&world);
                for limit in [0, 1] {
                    world.set_pair_limit(Some(limit));
                    let error = world.step(DT).unwrap_err();
                    assert!(matches!(error, WorldError::Find(FindError::TooManyPairs { .. })), "{error}");
                    assert_eq!(state(&world), before, "{finder}, frame {frame}");
                    assert!(adds == 0 || world.body(waiting.unwrap()).is_some(), "commands still wait");
                }
            }
            world.set_pair_limit((frame % 3 == 0).then_some(100_000));
            world.step(DT).unwrap();
            trace.0.push((world.state_hash(), world.events().clone()));
        }
        trace.assert_is(&expected, finder);
    }
}

/// A finder that refuses every other time, once before it looked and once after.
#[derive(Default)]
struct Moody {
    brute: Brute,
    calls: u32,
}

impl PairFinder for Moody {
    fn name(&self) -> &str {
        "moody"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        self.calls += 1;
        if self.calls % 2 == 1 {
            return Err(FindError::UnlikeStores);
        }
        self.brute.update(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        self.brute.pairs()
    }

    fn bytes(&self) -> usize {
        self.brute.bytes()
    }
}

#[test]
fn a_step_whose_finder_fails_changes_nothing() {
    let expected = run(&mut world(&Execution::default()), FRAMES);
    let mut world = World::with_finder(WorldSettings::default(), Box::new(Moody::default())).unwrap();
    let mut trace = Trace(Vec::new());
    for frame in 0..FRAMES {
        for (id, command) in common::commands(frame) {
            world.command(id, command).unwrap();
        }
        let before = state(&world);
        world.step(DT).unwrap_err();
        assert_eq!(state(&world), before, "frame {frame}");
        world.step(DT).unwrap();
        trace.0.push((world.state_hash(), world.events().clone()));
    }
    trace.assert_is(&expected, "a finder that fails");
}

#[test]
fn more_bodies_than_a_finder_takes_change_nothing() {
    let limit = Brute::default().size_limit().expect("quadratic finders have a limit");
    let mut world = world(&execution(1, "brute", Lanes::best()));
    let body = Arc::new(Body::dynamic(Shape::ball(0.5).unwrap()));
    world.add(id(0), body.clone()).unwrap();
    world.step(DT).unwrap();
    let before = state(&world);
    for index in 0..limit as u32 {
        world.add(BodyId(2_000_000 + index), body.clone()).unwrap();
    }
    let error = world.step(DT).unwrap_err();
    assert!(matches!(error, WorldError::Find(FindError::TooManyBoxes { .. })), "{error}");
    assert_eq!(state(&world), before);
}

fn small_snapshot() -> Vec<u8> {
    let mut world = World::default();
    let cuboid = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world.add(BodyId(4), Body::dynamic(cuboid.clone()).at(Vec3::Y * 0.5).user_data(3)).unwrap();
    world.add(BodyId(9), Body::dynamic(cuboid).at(Vec3::Y * 1.5).mass(2.0)).unwrap();
    (0..5).for_each(|_| drop(world.step(DT).unwrap()));
    world.snapshot().to_bytes()
}

#[test]
fn every_truncation_is_refused() {
    let bytes = small_snapshot();
    Snapshot::from_bytes(&bytes).unwrap();
    for length in 0..bytes.len() {
        assert!(Snapshot::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Snapshot::from_bytes(&longer).is_err());
}

#[test]
fn every_bit_flip_is_refused() {
    let bytes = small_snapshot();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Snapshot::from_bytes(&flipped).is_err(), "bit {bit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytes_of_any_kind_are_no_trouble(mut bytes in prop::collection::vec(any::<u8>(), 0..400), dressed in any::<bool>()) {
        if dressed && bytes.len() >= 8 {
            bytes[..4].copy_from_slice(b"JSNP");
            bytes[4..8].copy_from_slice(&1u32.to_le_bytes());
        }
        prop_assert!(Snapshot::from_bytes(&bytes).is_err());
    }
}

#[test]
fn contacts_are_where_they_were() {
    let (world, _) = at(100);
    let of = |world: &World| {
        let view = |contact: jostle::ContactView<'_>| {
            (contact.first, contact.second, *contact.manifold, contact.impulses.to_vec(), contact.touching)
        };
        world.contact_manifolds().map(view).collect::<Vec<_>>()
    };
    let mut fresh = World::default();
    shapes().into_iter().for_each(|shape| fresh.register_shape(shape));
    fresh.restore(&Snapshot::from_bytes(&world.snapshot().to_bytes()).unwrap()).unwrap();
    let (expected, found) = (of(&world), of(&fresh));
    assert!(expected.len() > 50);
    let asleep = |id| world.body(id).unwrap().asleep;
    assert!(expected.iter().any(|contact| asleep(contact.0) || asleep(contact.1)), "some rest");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.2.points(), expected.2.points());
        assert_eq!(
            (found.0, found.1, found.2.normal, &found.3, found.4),
            (expected.0, expected.1, expected.2.normal, &expected.3, expected.4)
        );
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn frozen_bodies_are_part_of_it() {
    let mut world = World::default();
    let cuboid = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    for level in 1..4 {
        let at = Vec3::Y * (level as f32 - 0.5);
        world.add(BodyId(level), Body::dynamic(cuboid.clone()).at(at)).unwrap();
    }
    (0..5).for_each(|_| drop(world.step(DT).unwrap()));
    world.apply_impulse(BodyId(2), Vec3::splat(f32::MAX)).unwrap();
    world.apply_impulse_at(BodyId(2), Vec3::splat(f32::MAX), Vec3::splat(9.0)).unwrap();
    let frozen = world.step(DT).unwrap().frozen;
    assert!(frozen.contains(&BodyId(2)), "{frozen:?}");
    for _ in 0..5 {
        let mut fresh = World::default();
        [cuboid.clone(), Shape::half_space(Vec3::Y).unwrap()]
            .into_iter()
            .for_each(|shape| fresh.register_shape(shape));
        fresh.restore(&Snapshot::from_bytes(&world.snapshot().to_bytes()).unwrap()).unwrap();
        assert_eq!(fresh.state_hash(), world.state_hash());
        world.step(DT).unwrap();
        fresh.step(DT).unwrap();
        assert_eq!(fresh.state_hash(), world.state_hash());
        assert_eq!(fresh.events(), world.events());
    }
}
