//! Tests of shapes: boxes contain them, masses agree with closed forms and with parry, bytes come back the same, and bad
//! input is named.

mod bad_input;
mod bounds;
mod bytes;
mod concave;
mod decompose;
mod hull;
mod mass;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::Shape;
use crate::Pose;

/// A measure of some size.
fn measure() -> impl Strategy<Value = f32> {
    0.01f32..20.0
}

fn vector(reach: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-reach..reach).prop_map(Vec3::from_array)
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0f32..1.0).prop_filter_map("no direction", |numbers| {
        let quat = Quat::from_array(numbers);
        (quat.length() > 0.1).then(|| quat.normalize())
    })
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(50.0), prop_oneof![Just(Quat::IDENTITY), rotation()])
        .prop_map(|(position, rotation)| Pose { position, rotation })
}

/// A solid of any kind.
fn solid() -> impl Strategy<Value = Shape> {
    prop_oneof![
        measure().prop_map(|radius| Shape::ball(radius).unwrap()),
        [measure(), measure(), measure()].prop_map(|half| Shape::cuboid(Vec3::from_array(half)).unwrap()),
        (measure(), measure()).prop_map(|(height, radius)| Shape::capsule(height, radius).unwrap()),
        (measure(), measure()).prop_map(|(height, radius)| Shape::cylinder(height, radius).unwrap()),
        (measure(), measure()).prop_map(|(height, radius)| Shape::cone(height, radius).unwrap()),
        convex_hull(),
    ]
}

fn convex_hull() -> impl Strategy<Value = Shape> {
    (prop::collection::vec(vector(1.0), 4..30), measure(), vector(3.0)).prop_filter_map(
        "flat",
        |(points, size, middle)| {
            let points: Vec<Vec3> = points.iter().map(|point| *point * size + middle).collect();
            Shape::convex_hull(&points).ok()
        },
    )
}

fn triangle_mesh() -> impl Strategy<Value = Shape> {
    let triangle = prop::array::uniform3(0u32..12);
    (prop::collection::vec(vector(5.0), 12), prop::collection::vec(triangle, 1..20))
        .prop_filter_map("a sliver", |(vertices, triangles)| Shape::triangle_mesh(&vertices, &triangles).ok())
}

fn height_field() -> impl Strategy<Value = Shape> {
    (2usize..6, 2usize..6, prop::collection::vec(-2.0f32..2.0, 25), [measure(), measure(), measure()])
        .prop_map(|(rows, columns, heights, scale)| {
            Shape::height_field(rows, columns, &heights[..rows * columns], Vec3::from_array(scale)).unwrap()
        })
}

/// A shape of any kind.
fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        6 => solid(),
        1 => triangle_mesh(),
        1 => height_field(),
        1 => rotation().prop_map(|turn| Shape::half_space(turn * Vec3::Y).unwrap()),
    ]
}
