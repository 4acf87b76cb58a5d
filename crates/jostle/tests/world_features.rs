//! What users of a world expect, each thing once.

use jostle::glam::{Quat, Vec3};
use jostle::{
    AxisLocks, Body, BodyId, Event, EventKind, ForceLaw, Material, Part, Pose, Shape, Touch, Velocity, World,
    WorldSettings,
};

const DT: f32 = 1.0 / 60.0;

fn weightless() -> World {
    World::new(WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() }).unwrap()
}

fn ball() -> Body {
    Body::dynamic(Shape::ball(0.5).unwrap())
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step(DT).unwrap();
    }
}

fn velocity(world: &World, id: u32) -> Velocity {
    world.velocity(BodyId(id)).unwrap()
}

fn position(world: &World, id: u32) -> Vec3 {
    world.pose(BodyId(id)).unwrap().position
}

#[test]
fn forces_and_impulses_follow_newton() {
    let mut world = weightless();
    world.add(BodyId(1), ball().mass(2.0)).unwrap();
    world.add(BodyId(2), ball().mass(2.0).at(Vec3::X * 5.0)).unwrap();
    world.step(DT).unwrap();
    world.apply_impulse(BodyId(1), Vec3::X * 6.0).unwrap();
    world.apply_angular_impulse(BodyId(1), Vec3::Y * 0.4).unwrap();
    world.step(DT).unwrap();
    assert!((velocity(&world, 1).linear - Vec3::X * 3.0).length() < 1e-5);
    // Inertia of the ball: 2/5 m r^2 = 0.2.
    assert!((velocity(&world, 1).angular - Vec3::Y * 2.0).length() < 1e-4);
    for _ in 0..60 {
        world.apply_force_at(BodyId(2), Vec3::Z * 4.0, position(&world, 2) + Vec3::X * 0.5).unwrap();
        world.step(DT).unwrap();
    }
    assert!((velocity(&world, 2).linear - Vec3::Z * 2.0).length() < 1e-3);
    assert!((velocity(&world, 2).angular.y + 10.0).abs() < 0.05, "{}", velocity(&world, 2).angular);
    world.step(DT).unwrap();
    assert!((velocity(&world, 2).linear - Vec3::Z * 2.0).length() < 1e-3, "a force lasts one step");
}

#[test]
fn locked_axes_stay_locked() {
    let mut world = World::default();
    let locks = AxisLocks::NONE.lock_motion([false, true, false]).lock_rotation([true, false, true]);
    world.add(BodyId(1), ball().lock(locks).moving(Vec3::X).at(Vec3::Y * 3.0)).unwrap();
    world.add(BodyId(2), ball().at(Vec3::new(1.2, 3.3, 0.0)).moving(Vec3::new(-3.0, 0.0, 0.0))).unwrap();
    run(&mut world, 60);
    assert_eq!(position(&world, 1).y, 3.0, "neither gravity nor a hit moves it up or down");
    let angular = velocity(&world, 1).angular;
    assert_eq!((angular.x, angular.z), (0.0, 0.0));
    assert!(velocity(&world, 1).linear.x < 0.9, "the hit slowed it down");
}

#[test]
fn a_velocity_along_a_locked_axis_is_not_taken() {
    let mut world = weightless();
    let locks = AxisLocks::NONE.lock_motion([true, false, false]).lock_rotation([false, true, false]);
    world.add(BodyId(1), ball().lock(locks).moving(Vec3::ONE).spinning(Vec3::ONE)).unwrap();
    world.step(DT).unwrap();
    let expected = Velocity { linear: Vec3::new(0.0, 1.0, 1.0), angular: Vec3::new(1.0, 0.0, 1.0) };
    assert_eq!(velocity(&world, 1), expected);
    world.set_velocity(BodyId(1), Velocity { linear: Vec3::X * 5.0, angular: Vec3::Y }).unwrap();
    world.step(DT).unwrap();
    assert_eq!(velocity(&world, 1), Velocity::ZERO);
}

#[test]
fn a_bounce_elsewhere_changes_no_bits_here() {
    let run = |bounces: bool| {
        let mut world = World::default();
        world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
        let turned = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
        let cube = Body::dynamic(Shape::cuboid(Vec3::splat(0.5)).unwrap());
        world.add(BodyId(1), cube.at(Vec3::Y * 3.0).rotated(turned)).unwrap();
        let material = Material::default().with_restitution(if bounces { 0.9 } else { 0.0 });
        world.add(BodyId(2), ball().at(Vec3::new(100.0, 3.0, 0.0)).material(material)).unwrap();
        (0..120)
            .map(|_| {
                world.step(DT).unwrap();
                world.body_hash(BodyId(1))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn damping_takes_its_share() {
    let mut world = weightless();
    world.add(BodyId(1), ball().moving(Vec3::X).spinning(Vec3::Y).damping(1.0, 2.0)).unwrap();
    run(&mut world, 60);
    let Velocity { linear, angular } = velocity(&world, 1);
    assert!((linear.x - (-1.0_f32).exp()).abs() < 0.01, "{linear}");
    assert!((angular.y - (-2.0_f32).exp()).abs() < 0.01, "{angular}");
}

#[test]
fn groups_masks_and_filters_keep_bodies_apart() {
    let falls = |prepare: fn(&mut World, Body)| {
        let mut world = World::default();
        world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap()).groups(1, 1)).unwrap();
        prepare(&mut world, ball().at(Vec3::Y * 0.5));
        run(&mut world, 60);
        position(&world, 1).y < -1.0
    };
    assert!(!falls(|world, body| world.add(BodyId(1), body).unwrap()));
    assert!(falls(|world, body| world.add(BodyId(1), body.groups(2, 2)).unwrap()));
    assert!(falls(|world, body| {
        world.add(BodyId(1), body).unwrap();
        world.set_contact_filter(|first, second, manifold| {
            assert!(first < second && manifold.count > 0);
            (first, second) != (BodyId(0), BodyId(1))
        });
    }));
    assert!(!falls(|world, body| {
        world.add(BodyId(1), body).unwrap();
        world.set_contact_filter(|_, _, _| false);
        world.clear_contact_filter();
    }));
}

#[test]
fn sensors_report_and_do_not_push() {
    let mut world = weightless();
    world.add(BodyId(1), ball().at(Vec3::X * -2.0).moving(Vec3::X * 4.0)).unwrap();
    world.add(BodyId(2), Body::sensor(Shape::cuboid(Vec3::splat(0.5)).unwrap())).unwrap();
    let mut seen = vec![];
    for _ in 0..60 {
        world.step(DT).unwrap();
        seen.extend_from_slice(world.events().contacts());
    }
    let event = |kind| Event { first: BodyId(1), second: BodyId(2), kind };
    assert_eq!(seen, [event(EventKind::SensorEntered), event(EventKind::SensorLeft)]);
    assert_eq!(velocity(&world, 1).linear, Vec3::X * 4.0);
}

#[test]
fn contacts_begin_persist_and_end() {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    let bouncy = Material::default().with_restitution(0.8);
    world.add(BodyId(1), ball().at(Vec3::Y * 2.0).material(bouncy)).unwrap();
    let mut kinds = vec![];
    for _ in 0..600 {
        world.step(DT).unwrap();
        kinds.extend(world.events().contacts().iter().map(|event| event.kind));
    }
    kinds.dedup();
    let bounces = kinds.iter().filter(|&&kind| kind == EventKind::ContactEnded).count();
    assert!(bounces >= 3, "{kinds:?}");
    assert_eq!(kinds[0], EventKind::ContactBegan);
    assert_eq!(kinds.last(), Some(&EventKind::ContactPersists));
    for pair in kinds.windows(2) {
        assert!(pair[0] != EventKind::ContactEnded || pair[1] == EventKind::ContactBegan, "{kinds:?}");
    }
}

#[test]
fn a_body_of_several_shapes_balances_about_their_common_centre() {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    let cube = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let heavy = Part {
        shape: cube.clone(),
        local: Pose::at(Vec3::X * 2.0),
        material: Material::default().with_density(3000.0),
    };
    let body = Body::dynamic(cube).with_part(heavy).at(Vec3::Y * 2.0).spinning(Vec3::Z * 1.0);
    world.add(BodyId(1), body).unwrap();
    world.step(DT).unwrap();
    // The common centre of 1 and 3 parts is 1.5 to the right: the origin turns about it.
    let expected = Vec3::new(0.0, -1.5, 0.0) * DT;
    assert!((position(&world, 1) - Vec3::Y * 2.0 - expected).length() < 0.004, "{}", position(&world, 1));
    run(&mut world, 300);
    assert!((position(&world, 1).y - 0.5).abs() < 0.02, "lies flat: {}", position(&world, 1));
}

#[test]
fn ids_are_assigned_on_request_and_user_data_is_kept() {
    let mut world = World::default();
    world.add(BodyId(5), ball().user_data(55)).unwrap();
    assert_eq!(world.add_next(ball().at(Vec3::X * 3.0)).unwrap(), BodyId(6));
    assert_eq!(world.user_data(BodyId(5)), Some(55));
    world.step(DT).unwrap();
    assert_eq!(world.add_next(ball().at(Vec3::X * 6.0)).unwrap(), BodyId(7));
    world.set_user_data(BodyId(6), 66).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.user_data(BodyId(6)), Some(66));
    assert_eq!(world.ids(), [BodyId(5), BodyId(6), BodyId(7)]);
}

#[test]
fn teleporting_moves_at_once_and_a_pose_read_can_be_given_back() {
    let mut world = weightless();
    world.add(BodyId(1), ball().spinning(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    run(&mut world, 30);
    let pose = world.pose(BodyId(1)).unwrap();
    let hash = world.state_hash();
    world.set_velocity(BodyId(1), Velocity::ZERO).unwrap();
    world.teleport(BodyId(1), pose).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.pose(BodyId(1)).unwrap(), pose);
    assert_ne!(world.state_hash(), hash);
    let elsewhere = Pose::new(Vec3::splat(7.0), Quat::IDENTITY);
    world.teleport(BodyId(1), elsewhere).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.pose(BodyId(1)).unwrap(), elsewhere);
}

/// A spring and a damper along the normal, as grains have them.
struct Grains;

impl ForceLaw for Grains {
    fn governs(&self, first: BodyId, _: BodyId) -> bool {
        first != BodyId(0)
    }

    fn force(&self, touch: &mut Touch<'_>) -> Vec3 {
        if touch.overlap <= 0.0 {
            return Vec3::ZERO;
        }
        touch.memory[0] += touch.dt;
        touch.normal * (2000.0 * touch.overlap)
    }
}

#[test]
fn a_force_law_of_the_users_own_takes_the_place_of_the_response() {
    let mut world = weightless();
    world.set_force_law(Grains);
    world.add(BodyId(1), ball().mass(1.0).at(Vec3::X * -1.0).moving(Vec3::X * 2.0)).unwrap();
    world.add(BodyId(2), ball().mass(1.0).at(Vec3::X * 1.0)).unwrap();
    let mut deepest: f32 = 0.0;
    for _ in 0..90 {
        world.step(DT).unwrap();
        deepest = deepest.max(1.0 - (position(&world, 2) - position(&world, 1)).x);
    }
    // An elastic hit of equal masses: they exchange velocities. Depth: v sqrt(m_eff / k).
    assert!(velocity(&world, 1).linear.length() < 0.05, "{:?}", velocity(&world, 1));
    assert!((velocity(&world, 2).linear.x - 2.0).abs() < 0.05, "{:?}", velocity(&world, 2));
    let expected = 2.0 * (0.5_f32 / 2000.0).sqrt();
    assert!((deepest / expected - 1.0).abs() < 0.3, "{deepest} instead of {expected}");
}

#[test]
fn nothing_is_faster_than_the_highest_speed_and_it_is_counted() {
    let mut world = World::new(WorldSettings { max_speed: 10.0, ..WorldSettings::default() }).unwrap();
    world.add(BodyId(1), ball().moving(Vec3::X * 50.0)).unwrap();
    let report = world.step(DT).unwrap();
    assert!(report.clamped > 0);
    assert!(velocity(&world, 1).linear.length() <= 10.001);
}
