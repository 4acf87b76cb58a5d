//! Bad input: an error that says what is wrong, and a world as it was.

use jostle::glam::{Quat, Vec3};
use jostle::{
    Body, BodyId, BodyKind, Command, Execution, Material, Pose, Shape, Velocity, World, WorldSettings,
};

const NAN: f32 = f32::NAN;
const INFINITE: f32 = f32::INFINITY;

fn ball() -> Body {
    Body::dynamic(Shape::ball(0.5).unwrap())
}

fn world() -> World {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world.add(BodyId(1), ball().at(Vec3::Y * 2.0)).unwrap();
    world.add(BodyId(2), Body::kinematic(Shape::ball(0.5).unwrap()).at(Vec3::X * 5.0)).unwrap();
    world.step(1.0 / 60.0).unwrap();
    world
}

#[test]
fn bodies_that_cannot_be_are_refused_and_nothing_changes() {
    let material = Material::default();
    let cases = [
        ("position is", ball().at(Vec3::new(NAN, 0.0, 0.0))),
        ("position is", ball().at(Vec3::new(0.0, INFINITE, 0.0))),
        ("rotation is", ball().rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0))),
        ("rotation is", ball().rotated(Quat::from_xyzw(NAN, 0.0, 0.0, 1.0))),
        ("rotation is", ball().rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0))),
        ("velocity is", ball().moving(Vec3::splat(NAN))),
        ("velocity is", ball().spinning(Vec3::splat(-INFINITE))),
        ("mass is 0", ball().mass(0.0)),
        ("mass is -1", ball().mass(-1.0)),
        ("mass is NaN", ball().mass(NAN)),
        ("friction is", ball().material(material.with_friction(-0.1))),
        ("friction is", ball().material(material.with_friction(NAN))),
        ("restitution is", ball().material(material.with_restitution(1.5))),
        ("restitution is", ball().material(material.with_restitution(NAN))),
        ("density is", ball().material(material.with_density(0.0))),
        ("linear damping is", ball().damping(-1.0, 0.0)),
        ("angular damping is", ball().damping(0.0, NAN)),
        ("gravity scale is", ball().gravity_scale(INFINITE)),
        ("size is", Body::fixed(Shape::ball(1.0).unwrap()).material(material.with_density(f32::MAX))),
        ("size is", {
            let far = Pose::at(Vec3::X * 3e38);
            Body::new(BodyKind::Fixed).with_shape_at(Shape::ball(1.0).unwrap(), far).at(Vec3::X * 3e38)
        }),
        ("number of shapes is", {
            let shape = Shape::ball(1.0).unwrap();
            (0..1025).fold(Body::new(BodyKind::Fixed), |body, _| body.with_shape(shape.clone()))
        }),
        ("has no shape", Body::new(BodyKind::Dynamic)),
        ("has no mass", Body::dynamic(Shape::half_space(Vec3::Y).unwrap())),
        ("a fixed body has none", Body::fixed(Shape::ball(1.0).unwrap()).moving(Vec3::X)),
    ];
    let mut world = world();
    let before = world.state_hash();
    for (expected, body) in cases {
        let message = world.add(BodyId(7), body).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("body 7"), "{expected:?}: {message}");
        assert!(world.body(BodyId(7)).is_none());
        assert_eq!(world.state_hash(), before);
    }
    let message = world.add(BodyId(1), ball()).unwrap_err().to_string();
    assert!(message.contains("there is a body 1 already"), "{message}");
    world.add(BodyId(8), ball()).unwrap();
    let message = world.add(BodyId(8), ball()).unwrap_err().to_string();
    assert!(message.contains("there is a body 8 already"), "{message}");
}

#[test]
fn commands_that_cannot_be_are_refused_and_nothing_changes() {
    let cases = [
        (9, "there is no body 9", Command::Remove),
        (9, "there is no body 9", Command::Wake),
        (1, "position is", Command::Teleport(Pose::at(Vec3::splat(NAN)))),
        (1, "rotation is", Command::Teleport(Pose::new(Vec3::ZERO, Quat::from_xyzw(1.0, 1.0, 1.0, 1.0)))),
        (1, "velocity is", Command::SetVelocity(Velocity { linear: Vec3::splat(NAN), angular: Vec3::ZERO })),
        (1, "push is", Command::Impulse { impulse: Vec3::splat(INFINITE), point: None }),
        (1, "point is", Command::Force { force: Vec3::X, point: Some(Vec3::splat(NAN)) }),
        (1, "torque is", Command::Torque(Vec3::splat(NAN))),
        (0, "works on", Command::SetVelocity(Velocity::ZERO)),
        (2, "dynamic", Command::Impulse { impulse: Vec3::X, point: None }),
        (0, "dynamic", Command::Wake),
    ];
    let mut world = world();
    for (id, expected, command) in cases {
        let message = world.command(BodyId(id), command).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains(&id.to_string()), "{expected:?}: {message}");
    }
    let mut other = self::world();
    assert_eq!(world.state_hash(), other.state_hash());
    world.step(0.01).unwrap();
    other.step(0.01).unwrap();
    assert_eq!(world.state_hash(), other.state_hash(), "no refused command has an effect");
}

#[test]
fn commands_that_contradict_each_other_are_refused() {
    let here = Command::Teleport(Pose::at(Vec3::X));
    let there = Command::Teleport(Pose::at(Vec3::Y));
    let push = Command::Impulse { impulse: Vec3::X, point: None };
    let fast = Command::SetVelocity(Velocity { linear: Vec3::X, angular: Vec3::ZERO });
    let cases = [
        (here.clone(), there, false),
        (here.clone(), here.clone(), true),
        (Command::Remove, push.clone(), false),
        (push.clone(), Command::Remove, false),
        (push.clone(), push.clone(), true),
        (fast.clone(), Command::SetVelocity(Velocity::ZERO), false),
        (fast, push.clone(), true),
        (Command::Sleep, push, false),
        (Command::Sleep, here, true),
    ];
    for (first, second, fits) in cases {
        let mut world = world();
        world.command(BodyId(1), first.clone()).unwrap();
        let result = world.command(BodyId(1), second.clone());
        assert_eq!(result.is_ok(), fits, "{first:?} then {second:?}: {result:?}");
    }
}

#[test]
fn time_steps_and_settings_that_make_no_sense_are_refused() {
    let mut world = world();
    let before = world.state_hash();
    for dt in [0.0, -1.0, NAN, INFINITE] {
        let message = world.step(dt).unwrap_err().to_string();
        assert!(message.contains("time step"), "{message}");
        assert_eq!(world.state_hash(), before);
    }
    let change = |change: fn(&mut WorldSettings)| {
        let mut settings = WorldSettings::default();
        change(&mut settings);
        World::new(settings).unwrap_err().to_string()
    };
    let messages = [
        ("gravity", change(|settings| settings.gravity = Vec3::splat(NAN))),
        ("max_speed", change(|settings| settings.max_speed = 0.0)),
        ("margin", change(|settings| settings.margin = -1.0)),
        ("response.substeps", change(|settings| settings.response.substeps = 0)),
        ("response.stiffness", change(|settings| settings.response.stiffness = NAN)),
        ("response.push_out", change(|settings| settings.response.push_out = 0.0)),
        ("sleep.after", change(|settings| settings.sleep.after = -1.0)),
    ];
    for (name, message) in messages {
        assert!(message.contains(name), "{message}");
    }
    let unknown = Execution { finder: "magic".to_string(), ..Execution::default() };
    let message = World::with_execution(WorldSettings::default(), &unknown).unwrap_err().to_string();
    assert!(message.contains("magic") && message.contains("auto"), "{message}");
    let none = Execution { threads: 0, ..Execution::default() };
    assert!(World::with_execution(WorldSettings::default(), &none).is_err());
}

#[test]
fn a_body_that_becomes_no_number_is_frozen_and_the_rest_goes_on() {
    let mut world = world();
    world.add(BodyId(3), ball().at(Vec3::new(20.0, 0.5, 0.0)).mass(1e-3)).unwrap();
    world.add(BodyId(4), ball().at(Vec3::new(-20.0, 3.0, 0.0))).unwrap();
    world.step(1.0 / 60.0).unwrap();
    world.apply_impulse(BodyId(3), Vec3::new(3e38, 3e38, 0.0)).unwrap();
    world.apply_impulse(BodyId(3), Vec3::new(3e38, 3e38, 0.0)).unwrap();
    let report = world.step(1.0 / 60.0).unwrap();
    assert_eq!(report.frozen, [BodyId(3)]);
    let frozen = world.body(BodyId(3)).unwrap();
    assert!(frozen.frozen && frozen.pose.is_finite() && frozen.velocity == Velocity::ZERO, "{frozen:?}");
    let before = world.pose(BodyId(4)).unwrap().position;
    let report = world.step(1.0 / 60.0).unwrap();
    assert!(report.frozen.is_empty());
    assert!(world.pose(BodyId(4)).unwrap().position.y < before.y, "the other one falls on");
    assert_eq!(world.body(BodyId(3)).unwrap(), frozen);
    world.remove(BodyId(3)).unwrap();
    world.step(1.0 / 60.0).unwrap();
    assert!(world.body(BodyId(3)).is_none());
}

#[test]
fn a_surface_too_fine_to_name_its_triangles_beside_other_shapes_is_refused() {
    const SIDE: usize = 1449;
    let fine = Shape::height_field(SIDE, SIDE, &vec![0.0; SIDE * SIDE], Vec3::ONE).unwrap();
    let mut world = world();
    world.add(BodyId(7), Body::fixed(fine.clone())).unwrap();
    let two = Body::fixed(fine).with_shape(Shape::ball(1.0).unwrap());
    let message = world.add(BodyId(8), two).unwrap_err().to_string();
    for expected in ["body 8", "triangles", "4194304", "a body of its own"] {
        assert!(message.contains(expected), "{message}");
    }
}
