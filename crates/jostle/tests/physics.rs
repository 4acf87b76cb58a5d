//! What the response must show, with its numbers. The settings are the defaults users get.

use jostle::glam::{Quat, Vec3};
use jostle::{Body, BodyId, Material, Shape, World, WorldSettings};

const DT: f32 = 1.0 / 60.0;

fn unit_box() -> Shape {
    Shape::cuboid(Vec3::splat(0.5)).unwrap()
}

fn world_with_ground() -> World {
    let mut world = World::default();
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    world
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

fn position(world: &World, id: u32) -> Vec3 {
    world.pose(BodyId(id)).unwrap().position
}

/// Numbers from -0.5 to 0.5, the same in every run.
fn numbers(mut seed: u64) -> impl FnMut() -> f32 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / 16_777_216.0 - 0.5
    }
}

#[test]
fn a_box_dropped_on_the_ground_comes_to_rest_and_stays() {
    let mut world = world_with_ground();
    let turned = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    world.add(BodyId(1), Body::dynamic(unit_box()).at(Vec3::Y * 3.0).rotated(turned)).unwrap();
    run(&mut world, 5.0);
    let rested = position(&world, 1);
    assert!((rested.y - 0.5).abs() < 0.01, "it lies on a face: {rested}");
    assert!(world.body(BodyId(1)).unwrap().asleep);
    run(&mut world, 5.0);
    assert_eq!(position(&world, 1), rested);
}

/// Boxes one above the other; returns how far the highest one moved sideways, and how far it sank.
fn stand_stack(height: u32, seconds: f32) -> (f32, f32) {
    let mut world = world_with_ground();
    for level in 0..height {
        world.add(BodyId(level + 1), Body::dynamic(unit_box()).at(Vec3::Y * (0.5 + level as f32))).unwrap();
    }
    run(&mut world, seconds);
    let top = position(&world, height);
    (Vec3::new(top.x, 0.0, top.z).length(), height as f32 - 0.5 - top.y)
}

#[test]
fn a_stack_of_ten_boxes_stands_for_twenty_seconds() {
    let (sideways, sunk) = stand_stack(10, 20.0);
    assert!(sideways < 0.02, "{sideways} m sideways");
    assert!(sunk < 0.01 * 10.0, "{sunk} m lower");
}

#[test]
fn a_tower_of_twenty_boxes_stands_for_ten_seconds() {
    let (sideways, sunk) = stand_stack(20, 10.0);
    assert!(sideways < 0.1, "{sideways} m sideways");
    assert!(sunk < 0.01 * 20.0, "{sunk} m lower");
}

#[test]
fn a_pyramid_of_twenty_rows_stands_for_ten_seconds() {
    let mut world = world_with_ground();
    let mut start = vec![];
    for row in 0..20 {
        for column in 0..20 - row {
            let at = Vec3::new(column as f32 * 1.1 + row as f32 * 0.55, 0.5 + row as f32, 0.0);
            start.push(at);
            world.add(BodyId(start.len() as u32), Body::dynamic(unit_box()).at(at)).unwrap();
        }
    }
    run(&mut world, 10.0);
    for (index, at) in start.iter().enumerate() {
        let moved = position(&world, index as u32 + 1).distance(*at);
        assert!(moved < 0.25, "box {index} at {at} moved {moved} m");
    }
}

#[test]
fn a_ball_rebounds_to_the_square_of_its_restitution() {
    for restitution in [0.3, 0.5, 0.8, 1.0] {
        let mut world = world_with_ground();
        let material = Material::default().with_restitution(restitution);
        let (radius, height) = (0.25, 4.0);
        let ball =
            Body::dynamic(Shape::ball(radius).unwrap()).at(Vec3::Y * (height + radius)).material(material);
        world.add(BodyId(1), ball).unwrap();
        let mut highest: f32 = 0.0;
        let mut bounced = false;
        for _ in 0..240 {
            world.step(DT).unwrap();
            let up = world.velocity(BodyId(1)).unwrap().linear.y;
            bounced |= up > 0.0;
            if bounced {
                highest = highest.max(position(&world, 1).y - radius);
                if up < 0.0 {
                    break;
                }
            }
        }
        let expected = restitution * restitution * height;
        assert!((highest / expected - 1.0).abs() < 0.05, "{restitution}: {highest} instead of {expected}");
    }
}

#[test]
fn a_block_slides_exactly_when_the_slope_exceeds_its_friction() {
    for (friction, slope) in [(0.5, 0.45), (0.5, 0.55), (0.3, 0.28), (0.3, 0.33)] {
        let mut world = World::default();
        let normal = Vec3::new(slope, 1.0, 0.0).normalize();
        let material = Material::default().with_friction(friction);
        world.add(BodyId(0), Body::fixed(Shape::half_space(normal).unwrap()).material(material)).unwrap();
        let lean = Quat::from_rotation_arc(Vec3::Y, normal);
        let block = Body::dynamic(Shape::cuboid(Vec3::new(0.5, 0.1, 0.5)).unwrap()).material(material);
        world.add(BodyId(1), block.at(normal * 0.1).rotated(lean)).unwrap();
        run(&mut world, 3.0);
        let moved = position(&world, 1).distance(normal * 0.1);
        if slope > friction {
            // Acceleration g (sin - friction cos), for 3 s.
            let expected = 4.5 * 9.81 * (slope - friction) / (1.0 + slope * slope).sqrt();
            assert!((moved / expected - 1.0).abs() < 0.1, "{friction}, {slope}: {moved} m, not {expected}");
        } else {
            assert!(moved < 0.01, "friction {friction}, slope {slope}: slid {moved} m");
        }
    }
}

/// Linear and angular momentum about the origin, of boxes: id, mass, half extents.
fn momentum(world: &World, bodies: &[(u32, f32, Vec3)]) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for &(id, mass, half) in bodies {
        let state = world.body(BodyId(id)).unwrap();
        let square = half * half;
        let inertia = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
        let turn = state.pose.rotation;
        let spin = turn * (inertia * (turn.conjugate() * state.velocity.angular));
        linear += state.velocity.linear * mass;
        angular += spin + state.pose.position.cross(state.velocity.linear * mass);
    }
    (linear, angular)
}

#[test]
fn two_free_bodies_conserve_momentum() {
    let settings = WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() };
    let bodies = [(1, 3.0, Vec3::new(0.5, 0.3, 0.4)), (2, 2.0, Vec3::new(0.2, 0.6, 0.3))];
    for offset in [0.0, 0.2, 0.4] {
        let mut world = World::new(settings).unwrap();
        let starts = [Vec3::new(-2.0, offset, 0.1), Vec3::new(2.0, 0.0, 0.0)];
        let speeds = [Vec3::new(4.0, 0.2, 0.0), Vec3::new(-3.0, 0.0, 0.3)];
        for (index, (id, mass, half)) in bodies.into_iter().enumerate() {
            let body = Body::dynamic(Shape::cuboid(half).unwrap()).mass(mass).at(starts[index]);
            let body = body.moving(speeds[index]).spinning(Vec3::new(0.5, 1.0, -0.7)).sleepless();
            world.add(BodyId(id), body).unwrap();
        }
        let mut collided = false;
        let mut before = None;
        for _ in 0..180 {
            world.step(DT).unwrap();
            collided |= !world.events().contacts().is_empty();
            let now = momentum(&world, &bodies);
            let (linear, angular) = *before.get_or_insert(now);
            let off =
                [(now.0 - linear).length() / linear.length(), (now.1 - angular).length() / angular.length()];
            assert!(off[0] < 1e-4 && off[1] < 1e-4, "offset {offset}: off by {off:?}");
        }
        assert!(collided, "offset {offset}: they missed each other");
    }
}

#[test]
fn a_free_plate_keeps_its_energy() {
    let settings = WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let half = Vec3::new(1.0, 0.05, 0.6);
    let plate =
        Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).spinning(Vec3::new(3.0, 4.0, 1.0)).sleepless();
    world.add(BodyId(1), plate).unwrap();
    world.step(DT).unwrap();
    let energy =
        |world: &World| world.velocity(BodyId(1)).unwrap().angular.dot(momentum(world, &[(1, 1.0, half)]).1);
    let first = energy(&world);
    run(&mut world, 10.0);
    let ratio = energy(&world) / first;
    assert!((ratio - 1.0).abs() < 0.02, "energy {ratio} of what it was");
}

/// A pit of walls around the origin, and boxes in turned orientations above each other in it.
fn pit(count: u32) -> World {
    let mut world = world_with_ground();
    let side = (count as f32).cbrt().ceil() as u32;
    for (index, normal) in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].into_iter().enumerate() {
        let wall = Body::fixed(Shape::half_space(normal).unwrap()).at(normal * (side as f32 * -0.95));
        world.add(BodyId(1 + index as u32), wall).unwrap();
    }
    let mut random = numbers(7);
    for index in 0..count {
        let cell = [index % side, index / (side * side), index / side % side].map(|cell| cell as f32);
        let middle = (side as f32 - 1.0) * 0.5;
        let at = Vec3::new(cell[0] - middle, cell[1] + 0.6, cell[2] - middle) * 1.8;
        let turned = Quat::from_xyzw(random(), random(), random(), random() + 1.0).normalize();
        world.add(BodyId(100 + index), Body::dynamic(unit_box()).at(at).rotated(turned)).unwrap();
    }
    world
}

#[test]
fn a_thousand_boxes_in_a_pit_come_to_rest_without_deep_overlap_or_energy_gain() {
    let count = 1000;
    let mut world = pit(count);
    // Of unit masses; the inertia of a unit box is one sixth.
    let energy = |world: &World| -> f64 {
        let of_each = (0..count).map(|index| {
            let state = world.body(BodyId(100 + index)).unwrap();
            let turning = state.velocity.angular.length_squared() / 6.0;
            let energy =
                0.5 * (state.velocity.linear.length_squared() + turning) + 9.81 * state.pose.position.y;
            f64::from(energy)
        });
        of_each.sum()
    };
    let mut last = energy(&world);
    for second in 1..=15 {
        run(&mut world, 1.0);
        let now = energy(&world);
        assert!(now <= last * 1.0001, "second {second}: energy {last} became {now}");
        last = now;
    }
    let speeds = (0..count).map(|index| world.velocity(BodyId(100 + index)).unwrap().linear.length());
    let fastest = speeds.fold(0.0, f32::max);
    assert!(fastest < 0.1, "still moving at {fastest} m/s");
    let deepest = world.contact_manifolds().map(|contact| contact.depth()).fold(0.0, f32::max);
    assert!(deepest < 0.07, "overlap of {deepest} of a box");
    assert!(deepest < 0.03, "overlap of {deepest} of a box: within the bar of 0.07, not within the aim");
}

#[test]
fn no_body_ever_leaves_a_closed_room() {
    let mut world = World::default();
    let half = 3.0;
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    for (index, normal) in walls.into_iter().enumerate() {
        let slab = Vec3::splat(half + 0.4) + normal.abs() * (0.2 - half - 0.4);
        let wall = Body::fixed(Shape::cuboid(slab).unwrap()).at(normal * -(half + 0.2));
        world.add(BodyId(index as u32), wall).unwrap();
    }
    let mut random = numbers(3);
    let count = 125;
    for index in 0..count {
        let at = Vec3::new((index % 5) as f32, (index / 25) as f32, (index / 5 % 5) as f32) - 2.0;
        let shape = if index % 2 == 0 { Shape::ball(0.3) } else { Shape::cuboid(Vec3::splat(0.25)) };
        let velocity = Vec3::new(random(), random(), random()) * 80.0;
        let material = Material::default().with_restitution(0.9);
        let body = Body::dynamic(shape.unwrap()).at(at).moving(velocity).material(material);
        world.add(BodyId(100 + index), body).unwrap();
    }
    for frame in 0..600 {
        world.step(DT).unwrap();
        for index in 0..count {
            let at = position(&world, 100 + index).abs().max_element();
            assert!(at < half, "frame {frame}: body {index} is at {at}");
        }
    }
}
