//! Force laws of the user's own: what they keep is theirs, and what they break stays where it is.

use jostle::glam::Vec3;
use jostle::{Body, BodyId, EventKind, ForceLaw, Shape, Snapshot, Touch, World, WorldSettings};

const DT: f32 = 1.0 / 60.0;

fn ball() -> Body {
    Body::dynamic(Shape::ball(0.5).unwrap()).mass(1.0)
}

fn weightless() -> World {
    World::new(WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() }).unwrap()
}

/// Keeps large numbers and does nothing else.
struct Keeps;

impl ForceLaw for Keeps {
    fn force(&self, touch: &mut Touch<'_>) -> Vec3 {
        *touch.memory = [touch.memory[0] + 1e6, 2e6, -3e6];
        Vec3::ZERO
    }
}

#[test]
fn what_a_law_keeps_is_no_contact() {
    let mut world = weightless();
    world.set_force_law(Keeps);
    world.add(BodyId(1), ball()).unwrap();
    // Nearer than the margin, and never touching.
    world.add(BodyId(2), ball().at(Vec3::X * 1.005)).unwrap();
    for _ in 0..5 {
        world.step(DT).unwrap();
        assert_eq!(world.contact_manifolds().count(), 1, "the law was asked");
        assert_eq!(world.events().contacts(), []);
    }
}

#[test]
fn what_a_law_keeps_is_no_impulse_and_impulses_are_nothing_to_a_law() {
    /// Says whether it ever saw a number that it had not put there.
    struct Watches;
    impl ForceLaw for Watches {
        fn force(&self, touch: &mut Touch<'_>) -> Vec3 {
            assert!(touch.memory == &[0.0; 3] || touch.memory[0] >= 1.0, "{:?}", touch.memory);
            touch.memory[0] += 1.0;
            Vec3::ZERO
        }
    }
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world.add(BodyId(1), ball().mass(0.01).at(Vec3::Y * 0.5)).unwrap();
    world.set_force_law(Keeps);
    world.step(DT).unwrap();
    assert!(world.contact_manifolds().all(|contact| contact.impulses == [[0.0; 3]]));
    world.clear_force_law();
    for _ in 0..30 {
        world.step(DT).unwrap();
        let speed = world.velocity(BodyId(1)).unwrap().linear.length();
        assert!(speed < 0.5, "a million newton seconds would have thrown it away: {speed}");
    }
    // The ball rests now, held by an impulse well below 1.
    assert!(world.contact_manifolds().any(|contact| contact.impulses[0][0] > 0.0));
    world.set_force_law(Watches);
    world.step(DT).unwrap();
}

#[test]
fn what_a_law_keeps_is_part_of_the_state() {
    let mut world = weightless();
    world.set_force_law(Keeps);
    world.add(BodyId(1), ball()).unwrap();
    world.add(BodyId(2), ball().at(Vec3::X * 0.9)).unwrap();
    world.step(DT).unwrap();
    let sent = Snapshot::from_bytes(&world.snapshot().to_bytes()).unwrap();
    let mut other = weightless();
    other.set_force_law(Keeps);
    other.register_shape(Shape::ball(0.5).unwrap());
    other.restore(&sent).unwrap();
    for _ in 0..3 {
        assert_eq!(world.state_hash(), other.state_hash());
        world.step(DT).unwrap();
        other.step(DT).unwrap();
    }
}

/// Gives one pair a force that is none; others have the ordinary response.
struct Breaks(Vec3);

impl ForceLaw for Breaks {
    fn governs(&self, first: BodyId, second: BodyId) -> bool {
        (first, second) == (BodyId(1), BodyId(2))
    }

    fn force(&self, _: &mut Touch<'_>) -> Vec3 {
        self.0
    }
}

#[test]
fn what_a_law_breaks_is_frozen_and_what_touches_it_goes_on() {
    for force in [Vec3::splat(f32::NAN), Vec3::X * f32::INFINITY, Vec3::splat(f32::MAX)] {
        let mut world = weightless();
        world.set_force_law(Breaks(force));
        // In a row, each pressed a little into the next.
        for id in 1..=4 {
            world.add(BodyId(id), ball().mass(1e-3).at(Vec3::X * (0.98 * id as f32))).unwrap();
        }
        let report = world.step(DT).unwrap();
        assert_eq!(report.frozen, [BodyId(1), BodyId(2)], "{force}");
        for _ in 0..10 {
            assert_eq!(world.step(DT).unwrap().frozen, []);
        }
        for id in [3, 4] {
            let body = world.body(BodyId(id)).unwrap();
            assert!(!body.frozen && body.velocity.linear.is_finite());
            assert!((body.pose.position.x - 0.98 * id as f32).abs() < 1.0, "{id}: {}", body.pose.position);
        }
        assert!(world.pose(BodyId(4)).unwrap().position.x > 0.98 * 4.0, "they were pushed apart");
    }
}

#[test]
fn a_driven_body_goes_on_whatever_a_law_does_to_it() {
    let mut world = weightless();
    world.set_force_law(Breaks(Vec3::splat(f32::NAN)));
    world.add(BodyId(1), Body::kinematic(Shape::ball(0.5).unwrap()).moving(Vec3::Y)).unwrap();
    world.add(BodyId(2), ball().at(Vec3::X * 0.98)).unwrap();
    assert_eq!(world.step(DT).unwrap().frozen, [BodyId(2)]);
    assert!((world.pose(BodyId(1)).unwrap().position.y - DT).abs() < 1e-5);
}

#[test]
fn a_glancing_hit_in_the_middle_of_a_frame_is_reported() {
    let mut world = weightless();
    world.add(BodyId(1), Body::fixed(Shape::ball(0.5).unwrap())).unwrap();
    world.add(BodyId(2), ball().at(Vec3::new(-0.6, 0.95, 0.0)).moving(Vec3::X * 60.0)).unwrap();
    world.step(DT).unwrap();
    let (began, after) = (world.events().contacts().to_vec(), world.body(BodyId(2)).unwrap());
    assert!(after.velocity.linear.y > 1.0, "it was thrown off: {}", after.velocity.linear);
    assert!(after.pose.position.length() > 1.0, "and is away: {}", after.pose.position);
    assert_eq!(began.len(), 1);
    assert_eq!(began[0].kind, EventKind::ContactBegan);
    world.step(DT).unwrap();
    assert_eq!(world.events().contacts()[0].kind, EventKind::ContactEnded);
}
