//! Rows 1 to 7 of what must exist for Woulfe's framework to count as built.

use jostle_broad::Aabb;
use jostle_broad::verify::true_pairs;

use super::*;
use crate::experiment::Watch;
use crate::scene::Rules;
use crate::scenes::{Baked, SceneSpec};

fn room(objects: usize) -> Room {
    Room { objects, ..Room::default() }
}

fn bake(room: Room) -> Baked {
    SceneSpec::from(room).bake(1, &Watch::alone(&|_| {}, &|| false)).unwrap()
}

#[test]
fn row_1_the_side_of_the_cube() {
    for (objects, side) in [(1, 85.499), (10, 184.20), (500, 678.60), (1000, 854.99)] {
        assert!((room(objects).side() - side).abs() < 0.01, "{objects}: {}", room(objects).side());
        let small = Room { size: Distribution::constant(1.0), ..room(objects) };
        assert_eq!(small.side(), room(objects).side(), "whatever the size");
    }
    let scene = room(10).scene().unwrap();
    let inner = 0.5 * room(10).side() as f32;
    assert_eq!(scene.bodies.len(), 16);
    let boxes: Vec<_> =
        scene.bodies[..6].iter().map(|(_, body)| body.parts[0].shape.aabb(&body.pose)).collect();
    for axis in 0..3 {
        let (low, high) = (&boxes[2 * axis], &boxes[2 * axis + 1]);
        assert!((low.max[axis] + inner).abs() < 1e-3 && (high.min[axis] - inner).abs() < 1e-3);
        for wall in [low, high] {
            let across = [(axis + 1) % 3, (axis + 2) % 3];
            assert!(across.iter().all(|&other| wall.min[other] < -inner && wall.max[other] > inner));
        }
    }
}

#[test]
fn row_2_the_defaults() {
    let room = Room::default();
    assert_eq!((room.cycles, room.objects), (1000, 10));
    assert_eq!((room.kind, room.location), (ObjectType::Spheres, Location::Constant));
    let (acceleration, objects) = room.start().unwrap();
    assert_eq!(acceleration, Vec3::new(0.0, -9.8, 0.0));
    assert_eq!(objects.len(), 10);
    for object in objects {
        assert_eq!((object.kind, object.extents, object.mass), (ObjectType::Spheres, Vec3::splat(50.0), 1.0));
        assert_eq!((object.linear_velocity, object.angular_velocity), (Vec3::ZERO, Vec3::ZERO));
    }
    assert_eq!(room.scene().unwrap().dt, 1.0 / 60.0);
}

#[test]
fn row_3_a_uniform_mix_has_all_six_types() {
    let (_, objects) = Room { kind: ObjectType::Uniform, ..room(6000) }.start().unwrap();
    for kind in ObjectType::SOLID {
        let count = objects.iter().filter(|object| object.kind == kind).count();
        assert!((900..=1100).contains(&count), "{kind:?}: {count}");
    }
}

/// The draws themselves are looked at in `draw.rs`.
#[test]
fn row_4_acceleration_is_drawn_once_and_velocities_for_each_object() {
    let room = Room {
        size: Distribution::normal(1.0, 10.0),
        mass: Distribution::uniform(10.0, 100.0),
        acceleration: Distribution::uniform(-2.5, 2.5),
        linear_velocity: Distribution::uniform(-25.0, 25.0),
        angular_velocity: Distribution::normal(0.0, 1.0),
        ..room(1000)
    };
    let (acceleration, objects) = room.start().unwrap();
    assert!(acceleration != Vec3::ZERO && acceleration.abs().max_element() <= 2.5);
    assert!(objects.iter().all(|object| object.extents.min_element() > 0.0));
    assert!(objects.iter().all(|object| object.linear_velocity.abs().max_element() <= 25.0));
    assert!(objects.iter().all(|object| (10.0..=100.0).contains(&object.mass)));
    for pair in objects.windows(2) {
        assert_ne!(pair[0].linear_velocity, pair[1].linear_velocity);
        assert_ne!(pair[0].angular_velocity, pair[1].angular_velocity);
    }
    let scene = room.scene().unwrap();
    assert_eq!(scene.settings.gravity, acceleration);
}

#[test]
fn row_5_objects_begin_free_of_each_other_and_of_the_walls() {
    for location in [Location::Uniform, Location::Normal] {
        for size in [Distribution::constant(50.0), Distribution::uniform(25.0, 50.0)] {
            let room = Room { location, size, kind: ObjectType::Uniform, ..room(1000) };
            let (_, objects) = room.start().unwrap();
            let boxes: Vec<_> = objects
                .iter()
                // Objects are not turned at the start.
                .map(|object| Aabb::from_center(object.position, object.extents * 0.5))
                .collect();
            assert_eq!(true_pairs(&Rules::default().store(&boxes).unwrap()), [], "{location:?}");
            let inner = 0.5 * room.side() as f32;
            assert!(
                boxes.iter().all(|aabb| aabb.min.min_element() > -inner && aabb.max.max_element() < inner)
            );
        }
    }
}

#[test]
fn row_5_spacing_of_the_constant_grid() {
    let sizes = [
        (Distribution::constant(50.0), 55.0),
        (Distribution::uniform(25.0, 75.0), 100.0),
        (Distribution::normal(50.0, 10.0), 60.0),
    ];
    for (size, spacing) in sizes {
        let (_, objects) = Room { size, ..room(1000) }.start().unwrap();
        for (a, b) in [(0, 1), (0, 10), (0, 100), (998, 999)] {
            let apart = (objects[a].position - objects[b].position).length();
            assert!((apart - spacing).abs() < 1e-3, "{a} and {b}: {apart}");
        }
        let middle = objects.iter().map(|object| object.position).sum::<Vec3>() / 1000.0;
        assert!(middle.length() < 1e-2, "{middle}");
    }
}

#[test]
fn row_5_a_room_that_is_too_full_says_so() {
    let full =
        Room { size: Distribution::constant(86.0), location: Location::Uniform, tries: 1000, ..room(10) };
    let said = full.start().unwrap_err().to_string();
    for fragment in
        ["found no free place in 1,000 tries", "world of 184.2 x 184.2 x 184.2 m", "choose a smaller `size`"]
    {
        assert!(said.contains(fragment), "{said}");
    }
}

#[test]
fn row_6_aspect_ratios() {
    let aspect = Distribution::Constant([2.0, 3.0]);
    for kind in ObjectType::SOLID {
        let (_, objects) = Room { kind, aspect, ..room(2) }.start().unwrap();
        let expected = match kind {
            ObjectType::Spheres => Vec3::splat(50.0),
            ObjectType::Cones => Vec3::new(50.0, 100.0, 50.0),
            _ => Vec3::new(50.0, 100.0, 150.0),
        };
        assert_eq!(objects[1].extents, expected, "{kind:?}");
    }
}

#[test]
fn row_7_two_runs_are_the_same() {
    let room = Room { cycles: 40, ..Room::standard(60) };
    assert_eq!(room.start().unwrap(), room.start().unwrap());
    let (one, two) = (
        bake(room.clone()),
        SceneSpec::from(room.clone()).bake(2, &Watch::alone(&|_| {}, &|| false)).unwrap(),
    );
    assert_eq!((one.bodies, one.walls, one.frames), (60, 6, 40));
    assert_eq!(one.contacts, two.contacts);
    let scene = room.scene().unwrap();
    let mut world = scene.build(&jostle::Execution::default()).unwrap();
    let (mut first, mut second) = (one.play().unwrap(), two.play().unwrap());
    let mut met = 0;
    for frame in 0..40 {
        if frame > 0 {
            first.advance().unwrap();
            second.advance().unwrap();
        }
        assert_eq!(first.boxes(), second.boxes(), "frame {frame}");
        let pairs = true_pairs(&first.store().unwrap());
        let seen = scene.step(&mut world).unwrap().pairs;
        assert_eq!(pairs.len(), seen, "the pairs are those the world saw");
        met += pairs.len();
    }
    assert!(met > 0, "the room is not empty of pairs");
    let other = bake(Room { seed: 1, ..room });
    assert_ne!(other.play().unwrap().boxes(), one.play().unwrap().boxes(), "another seed is another room");
}

#[test]
fn a_room_can_be_stopped() {
    let stopped = Watch::alone(&|_| {}, &|| true);
    let said = SceneSpec::from(Room::default()).bake(1, &stopped).unwrap_err().to_string();
    assert!(said.contains("stopped by Ctrl-C while the object paths of room were made"), "{said}");
}
