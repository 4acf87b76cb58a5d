//! Queries against brute force over all bodies with parry alone.

mod bad_input;
mod height_field;
mod pair;
mod scene;
mod threads;

use glam::{Quat, Vec3};
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::shape::{SharedShape, Triangle};
use proptest::prelude::*;

use crate::{Body, BodyId, BodyKind, Pose, Shape, World, WorldSettings};

fn parry(vector: Vec3) -> Vector {
    vector.to_array().into()
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let [x, y, z, w] = pose.rotation.to_array();
    ParryPose::from_parts(parry(pose.position), Rotation::from_xyzw(x, y, z, w))
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from_array)
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0f32..1.0).prop_map(|[x, y, z, w]| {
        let rotation = Quat::from_xyzw(x, y, z, w);
        if rotation.length() > 0.1 { rotation.normalize() } else { Quat::IDENTITY }
    })
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(8.0), rotation()).prop_map(|(position, rotation)| Pose { position, rotation })
}

/// Any shape with a volume.
fn shape() -> impl Strategy<Value = Shape> {
    let round = (0.1f32..1.2, 0.2f32..1.2);
    prop_oneof![
        2 => (0.2f32..1.5).prop_map(|radius| Shape::ball(radius).unwrap()),
        2 => prop::array::uniform3(0.1f32..1.5)
            .prop_map(|half| Shape::cuboid(Vec3::from_array(half)).unwrap()),
        1 => round.clone().prop_map(|(half_height, radius)| Shape::capsule(half_height, radius).unwrap()),
        1 => round.clone().prop_map(|(half_height, radius)| Shape::cylinder(half_height, radius).unwrap()),
        1 => round.prop_map(|(half_height, radius)| Shape::cone(half_height, radius).unwrap()),
        1 => prop::collection::vec(vector(1.2), 8..16)
            .prop_filter_map("a hull", |points| Shape::convex_hull(&points).ok()),
    ]
}

/// A shape of triangles.
fn surface() -> impl Strategy<Value = Shape> {
    let heights = prop::collection::vec(-1.0f32..1.0, 6 * 5);
    let field =
        heights.prop_map(|heights| Shape::height_field(6, 5, &heights, Vec3::new(8.0, 1.5, 10.0)).unwrap());
    let tetrahedron = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    let mesh = prop::collection::vec(vector(3.0), 4)
        .prop_filter_map("a mesh", move |vertices| Shape::triangle_mesh(&vertices, &tetrahedron).ok());
    prop_oneof![field, mesh]
}

/// Bodies of all kinds, of one or two shapes, some half-spaces far down.
fn body() -> impl Strategy<Value = Body> {
    let plane = vector(1.0).prop_map(|tilt| {
        let shape = Shape::half_space(Vec3::Y + 0.3 * tilt).unwrap();
        Body::fixed(shape).at(Vec3::Y * -7.0)
    });
    let kind = prop_oneof![
        Just(BodyKind::Fixed),
        Just(BodyKind::Kinematic),
        Just(BodyKind::Dynamic),
        Just(BodyKind::Sensor)
    ];
    let solid = (kind, shape(), prop::option::of((shape(), pose())), pose(), vector(3.0), 1u32..4);
    let solid = solid.prop_map(|(kind, first, second, pose, velocity, group)| {
        let mut body = Body::new(kind).with_shape(first).groups(group, u32::MAX);
        if let Some((shape, local)) = second {
            let local = Pose { position: local.position * 0.2, ..local };
            body = body.with_shape_at(shape, local);
        }
        body.pose = pose;
        if kind != BodyKind::Fixed {
            body.velocity.linear = velocity;
        }
        body
    });
    let ground = (surface(), pose()).prop_map(|(shape, pose)| {
        let mut body = Body::fixed(shape);
        body.pose = pose;
        body
    });
    prop_oneof![1 => plane, 1 => ground, 12 => solid]
}

/// A world after one step. Ids have gaps.
fn world_of(bodies: &[Body]) -> World {
    let mut world = World::new(WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() }).unwrap();
    for (index, body) in bodies.iter().enumerate() {
        world.add(BodyId(3 * index as u32 + 1), body.clone()).unwrap();
    }
    world.step(1.0 / 16.0).unwrap();
    world
}

/// The shapes of a body, where they are now.
fn parts(world: &World, id: BodyId) -> Vec<(Shape, Pose)> {
    let pose = world.pose(id).unwrap();
    let body = world.description(id).unwrap();
    body.parts.iter().map(|part| (part.shape.clone(), pose.then(&part.local))).collect()
}

/// The same, cut into triangles where a shape is made of them.
fn pieces(world: &World, id: BodyId) -> Vec<(SharedShape, ParryPose)> {
    let mut pieces = Vec::new();
    for (shape, pose) in parts(world, id) {
        let triangles: Vec<Triangle> = match (shape.parry().as_heightfield(), shape.parry().as_trimesh()) {
            (Some(field), _) => field.triangles().collect(),
            (_, Some(mesh)) => mesh.triangles().collect(),
            _ => Vec::new(),
        };
        let pose = parry_pose(&pose);
        if triangles.is_empty() {
            pieces.push((shape.parry().clone(), pose));
        }
        pieces.extend(triangles.into_iter().map(|triangle| (SharedShape::new(triangle), pose)));
    }
    pieces
}
