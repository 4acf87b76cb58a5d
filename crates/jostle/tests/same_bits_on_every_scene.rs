//! On every scene: the same hash and the same events at every step, whatever computes them and in whatever order bodies came.

use jostle::broad::{Catalog, Lanes};
use jostle::scenes::Scene;
use jostle::{Events, Execution, Snapshot, StateHash, World, scenes};

const BODIES: usize = 60;
const FRAMES: usize = 45;

type Trace = Vec<(StateHash, Events)>;

fn run(scene: &Scene, world: &mut World) -> Trace {
    (0..FRAMES)
        .map(|_| {
            scene.step(world).unwrap();
            (world.state_hash(), world.events().clone())
        })
        .collect()
}

fn check(scene: &Scene, expected: &Trace, world: &mut World, how: &str) {
    for (frame, (found, expected)) in run(scene, world).iter().zip(expected).enumerate() {
        assert!(found == expected, "{}, {how}: frame {frame} differs", scene.name);
    }
}

#[test]
fn threads_finders_lanes_insertion_order_and_restoring_do_not_show() {
    for entry in scenes::all() {
        let scene = (entry.make)(BODIES, 1);
        let plain = Execution::default();
        let expected = run(&scene, &mut scene.build(&plain).unwrap());
        for threads in [2, 3, 8] {
            let mut world = scene.build(&Execution { threads, ..plain.clone() }).unwrap();
            check(&scene, &expected, &mut world, &format!("{threads} threads"));
        }
        for finder in Catalog::builtin().iter() {
            let execution = Execution { finder: finder.name.clone(), ..plain.clone() };
            check(&scene, &expected, &mut scene.build(&execution).unwrap(), &finder.name);
        }
        for lanes in Lanes::available() {
            let mut world = scene.build(&Execution { lanes, ..plain.clone() }).unwrap();
            check(&scene, &expected, &mut world, lanes.name());
        }
        let mut shuffled = (entry.make)(BODIES, 1);
        shuffled.bodies.reverse();
        let half = shuffled.bodies.len() / 2;
        shuffled.bodies.rotate_left(half / 3);
        shuffled.bodies[..half].reverse();
        check(&scene, &expected, &mut shuffled.build(&plain).unwrap(), "another order of insertion");

        let mut world = scene.build(&plain).unwrap();
        for _ in 0..FRAMES / 2 {
            scene.step(&mut world).unwrap();
        }
        let bytes = world.snapshot().to_bytes();
        run(&scene, &mut world);
        world.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
        for (frame, expected) in expected.iter().enumerate().skip(FRAMES / 2) {
            scene.step(&mut world).unwrap();
            let found = (world.state_hash(), world.events().clone());
            assert!(found == *expected, "{}, restored: frame {frame} differs", scene.name);
        }
    }
}
