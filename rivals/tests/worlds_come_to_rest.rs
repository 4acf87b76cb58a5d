//! Every engine's adapter moves the bodies it was given, and the common measure sees what is there.

use anyhow::Result;
use jostle_broad::glam::{Quat, Vec3};
use jostle_rivals::worlds::overlap::{Overlap, measure};
use jostle_rivals::worlds::run::{DT, Frames, run_cell};
use jostle_rivals::worlds::scene::{BodySpec, Form, GRAVITY, Scene};
use jostle_rivals::worlds::{Pose, engines};

fn body(form: Form, dynamic: bool, position: Vec3) -> BodySpec {
    BodySpec { form, dynamic, position, rotation: Quat::IDENTITY, velocity: Vec3::ZERO, spin: Vec3::ZERO }
}

fn on_ground(bodies: &[BodySpec]) -> Scene {
    let ground = body(Form::Ground { reach: 50.0 }, false, Vec3::ZERO);
    Scene { name: "test", bodies: [&[ground], bodies].concat(), walls: None }
}

fn start(scene: &Scene) -> Vec<Pose> {
    scene.bodies.iter().map(|body| Pose { position: body.position, rotation: body.rotation }).collect()
}

const UNIT: Form = Form::Cuboid(Vec3::splat(0.5));

#[test]
fn a_box_and_a_ball_come_to_rest_on_the_ground() -> Result<()> {
    let scene =
        on_ground(&[body(UNIT, true, Vec3::Y * 2.0), body(Form::Ball(0.5), true, Vec3::new(3.0, 2.0, 0.0))]);
    for engine in engines() {
        for threads in [1, 2] {
            let mut world = (engine.make)(&scene, threads)?;
            let mut poses = Vec::new();
            for _ in 0..180 {
                world.step(DT)?;
            }
            world.poses(&mut poses);
            assert_eq!(poses.len(), 3, "{}", engine.name);
            assert_eq!(poses[0].position, Vec3::ZERO, "{}: the ground stays", engine.name);
            for (pose, x) in poses[1..].iter().zip([0.0, 3.0]) {
                let error = (pose.position - Vec3::new(x, 0.5, 0.0)).abs();
                // The impact shoves a box sideways: rapier 5 mm, Box3D 3 mm, jostle 14 mm.
                assert!(error.y < 0.01 && error.max_element() < 0.02, "{}: {pose:?}", engine.name);
            }
            assert_eq!(world.awake(), 2, "{}: nobody may sleep yet", engine.name);
            world.allow_sleep(true)?;
            for _ in 0..120 {
                world.step(DT)?;
            }
            assert_eq!(world.awake(), 0, "{}", engine.name);
        }
    }
    Ok(())
}

#[test]
fn free_fall_is_the_same_everywhere() -> Result<()> {
    let mut falling = body(UNIT, true, Vec3::Y * 50.0);
    falling.velocity = Vec3::X * 3.0;
    falling.spin = Vec3::Z * 2.0;
    falling.rotation = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let scene = on_ground(&[falling]);
    for engine in engines() {
        let mut world = (engine.make)(&scene, 1)?;
        let mut poses = Vec::new();
        for _ in 0..60 {
            world.step(DT)?;
        }
        world.poses(&mut poses);
        let expected = Vec3::new(3.0, 50.0 - 0.5 * GRAVITY, 0.0);
        assert!((poses[1].position - expected).length() < 0.15, "{}: {:?}", engine.name, poses[1]);
        let turned = Quat::from_rotation_z(2.0) * falling.rotation;
        assert!(poses[1].rotation.dot(turned).abs() > 0.9999, "{}: {:?}", engine.name, poses[1]);
    }
    Ok(())
}

#[test]
fn known_overlaps_are_measured() -> Result<()> {
    // What rests on a box beside its middle is as deep in it as what rests on its middle.
    let turned = Quat::from_rotation_y(0.3);
    for (offset, rotation) in
        [(Vec3::ZERO, Quat::IDENTITY), (Vec3::new(0.7, 0.0, 0.6), Quat::IDENTITY), (Vec3::ZERO, turned)]
    {
        let mut upper = body(UNIT, true, Vec3::Y * 1.48 + offset);
        upper.rotation = rotation;
        let scene = on_ground(&[body(UNIT, true, Vec3::Y * 0.5), upper]);
        let found = measure(&scene, &start(&scene))?;
        assert!((found.max - 2.0).abs() < 0.01, "{offset} {rotation}: {found:?}");
        assert_eq!((found.overlapping, found.touching, found.deep), (1, 2, 0), "{offset} {rotation}");
    }
    let cases = [
        (body(Form::Ball(0.5), true, Vec3::Y * 0.45), 5.0),
        (body(Form::Cuboid(Vec3::new(1.0, 0.1, 1.0)), true, Vec3::Y * 0.08), 10.0),
    ];
    for (lone, percent) in cases {
        let scene = on_ground(&[lone]);
        let found = measure(&scene, &start(&scene))?;
        assert!((found.max - percent).abs() < 0.01, "{lone:?}: {found:?}");
    }
    let pairs = [
        [body(UNIT, true, Vec3::Y * 5.0), body(Form::Ball(0.5), true, Vec3::new(0.95, 5.0, 0.0))],
        [body(Form::Ball(0.5), true, Vec3::Y * 5.0), body(UNIT, true, Vec3::new(0.95, 5.0, 0.0))],
        [body(Form::Ball(0.5), true, Vec3::Y * 5.0), body(Form::Ball(0.5), true, Vec3::new(0.95, 5.0, 0.0))],
    ];
    for pair in pairs {
        let scene = on_ground(&pair);
        let found = measure(&scene, &start(&scene))?;
        assert!((found.max - 5.0).abs() < 0.01 && found.overlapping == 1, "{pair:?}: {found:?}");
    }
    let apart = on_ground(&[body(UNIT, true, Vec3::Y * 0.53), body(UNIT, true, Vec3::Y * 9.0)]);
    assert_eq!(measure(&apart, &start(&apart))?, Overlap::default());
    let sunk = on_ground(&[body(UNIT, true, Vec3::Y * -3.0)]);
    assert_eq!(measure(&sunk, &start(&sunk))?.escaped, 1);
    Ok(())
}

#[test]
fn scenes_start_without_overlap_and_unknown_ones_are_refused() -> Result<()> {
    for name in ["falling", "pit", "mixed"] {
        for n in [1, 7, 200] {
            let scene = Scene::new(name, n, 1)?;
            assert_eq!(scene.dynamic_count(), n, "{name}");
            let found = measure(&scene, &start(&scene))?;
            assert_eq!((found.overlapping, found.escaped), (0, 0), "{name} {n}: {found:?}");
        }
    }
    let error = Scene::new("lawn", 10, 1).unwrap_err().to_string();
    assert!(error.contains("`lawn`") && error.contains("falling, pit, mixed"), "{error}");
    Ok(())
}

#[test]
fn a_small_pit_goes_through_its_phases() -> Result<()> {
    let frames = Frames { falling: 55, settling: 240, packed: 10, dozing: 600, asleep: 5 };
    for name in ["pit", "mixed"] {
        for result in run_cell(&engines(), &Scene::new(name, 60, 1)?, 1, &frames)? {
            let names: Vec<&str> = result.phases.iter().map(|phase| phase.phase).collect();
            assert_eq!(names[..3], ["falling", "settling", "packed"], "{}", result.engine);
            let [falling, packed] = [&result.phases[0], &result.phases[2]];
            assert_eq!((falling.counts.manifolds, falling.overlap.overlapping), (0, 0), "{}", result.engine);
            assert!((falling.speed - 9.3).abs() < 0.3, "{}: {}", result.engine, falling.speed);
            assert_eq!((packed.awake, packed.overlap.escaped), (60, 0), "{}", result.engine);
            assert!(packed.counts.manifolds >= 60 && packed.overlap.touching >= 60, "{}", result.engine);
            assert!(packed.overlap.max < 25.0 && packed.speed < 0.5, "{}: {packed:?}", result.engine);
        }
    }
    Ok(())
}
