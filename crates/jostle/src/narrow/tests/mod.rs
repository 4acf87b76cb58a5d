//! The narrow phase held to parry, to plain geometry in double precision, and to itself.

mod balls;
mod boxes;
mod general;
mod lanes;
mod resting;
mod speed;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;

use super::{Collider, Manifold, PieceManifold};
use crate::{Geometry, Pose, Shape};

/// Collides one pair of convex shapes.
fn collide(first: (&Shape, &Pose), second: (&Shape, &Pose), prediction: f32) -> Manifold {
    let mut out = Vec::new();
    Collider::default().collide(first, second, prediction, &mut out);
    assert!(out.len() <= 1, "one manifold of two convex shapes");
    let manifold = out.first().map_or(Manifold::NONE, |piece: &PieceManifold| piece.manifold);
    check_form(&manifold, prediction);
    manifold
}

/// What is true of every manifold.
fn check_form(manifold: &Manifold, prediction: f32) {
    if manifold.count == 0 {
        assert_eq!(*manifold, Manifold::NONE);
        return;
    }
    assert!((manifold.normal.length() - 1.0).abs() < 1e-4, "{manifold:?}");
    for (place, point) in manifold.points().iter().enumerate() {
        assert!(point.position.is_finite() && point.separation <= prediction, "{manifold:?}");
        let earlier = &manifold.points()[..place];
        assert!(earlier.iter().all(|other| other.feature < point.feature), "features ascend: {manifold:?}");
    }
}

fn deepest(manifold: &Manifold) -> f32 {
    manifold.points().iter().map(|point| point.separation).fold(f32::INFINITY, f32::min)
}

/// Numbers of a range. Not a range itself: proptest's sampler of those fails an assertion of its own once in millions.
fn between(low: f32, high: f32) -> impl Strategy<Value = f32> + Clone {
    (0..=1_u32 << 23).prop_map(move |step| low + (high - low) * (step as f32 / (1 << 23) as f32))
}

fn rotations() -> impl Strategy<Value = Quat> {
    let any = prop::array::uniform4(between(-1.0, 1.0)).prop_filter_map("too short", |numbers| {
        let quat = Quat::from_array(numbers);
        (quat.length() > 0.1).then(|| quat.normalize())
    });
    // Turned by multiples of 45 degrees about an axis, and almost so.
    let special = (0..3_usize, 0..8_u8, prop_oneof![Just(0.0_f32), between(-1e-3, 1e-3)]).prop_map(
        |(axis, eighths, more)| {
            let mut along = Vec3::ZERO;
            along[axis] = 1.0;
            Quat::from_axis_angle(along, f32::from(eighths) * std::f32::consts::FRAC_PI_4 + more)
        },
    );
    prop_oneof![2 => any, 1 => special]
}

fn poses(reach: f32) -> impl Strategy<Value = Pose> {
    let coordinate = prop_oneof![
        4 => between(-reach, reach).boxed(),
        1 => (-4..5_i8).prop_map(move |eighth| f32::from(eighth) * 0.25 * reach).boxed()
    ];
    (prop::array::uniform3(coordinate), rotations())
        .prop_map(|(position, rotation)| Pose::new(Vec3::from_array(position), rotation))
}

fn halves() -> impl Strategy<Value = Vec3> {
    prop_oneof![
        2 => prop::array::uniform3(between(0.1, 1.5)).prop_map(Vec3::from_array),
        1 => Just(Vec3::splat(0.5)),
        1 => Just(Vec3::new(1.0, 0.5, 0.25)),
        1 => Just(Vec3::new(2.0, 1.0, 0.02)),
    ]
}

fn to_parry(pose: &Pose) -> parry3d::math::Pose {
    let [x, y, z, w] = pose.rotation.to_array();
    let rotation = parry3d::math::Rotation::from_xyzw(x, y, z, w);
    parry3d::math::Pose::from_parts(pose.position.to_array().into(), rotation)
}

/// Distance of the surfaces along the best direction, and that direction from the first to the second, by parry.
fn parry_contact(first: (&Shape, &Pose), second: (&Shape, &Pose), prediction: f32) -> Option<(f32, Vec3)> {
    if matches!(second.0.geometry(), Geometry::HalfSpace(_)) {
        // With the half-space second, parry 0.31 takes the inverse of their relative pose.
        return parry_contact(second, first, prediction).map(|(distance, toward)| (distance, -toward));
    }
    let poses = (to_parry(first.1), to_parry(second.1));
    let (a, b) = (&**first.0.parry(), &**second.0.parry());
    let contact = parry3d::query::contact(&poses.0, a, &poses.1, b, prediction).expect("known shapes");
    contact.map(|contact| (contact.dist, Vec3::from_array(contact.normal1.to_array())))
}

/// A box in double precision.
struct ExactBox {
    center: DVec3,
    axes: DMat3,
    half: DVec3,
}

impl ExactBox {
    fn new(shape: &Shape, pose: &Pose) -> Self {
        let Geometry::Cuboid(half) = shape.geometry() else { panic!("not a box: {shape:?}") };
        let rotation = DQuat::from_array(pose.rotation.to_array().map(f64::from)).normalize();
        Self { center: pose.position.as_dvec3(), axes: DMat3::from_quat(rotation), half: half.as_dvec3() }
    }

    /// How far it reaches from its centre.
    fn reach(&self, axis: DVec3) -> f64 {
        (0..3).map(|i| self.half[i] * self.axes.col(i).dot(axis).abs()).sum()
    }

    /// How far a point is outside, 0 if inside.
    fn outside(&self, point: Vec3) -> f64 {
        let local = self.axes.transpose() * (point.as_dvec3() - self.center);
        (local.abs() - self.half).max(DVec3::ZERO).length()
    }
}

/// The separation of two boxes along an axis of length 1.
fn separation(a: &ExactBox, b: &ExactBox, axis: DVec3) -> f64 {
    (b.center - a.center).dot(axis).abs() - a.reach(axis) - b.reach(axis)
}

/// The largest separation over all fifteen axes.
fn largest_separation(a: &ExactBox, b: &ExactBox) -> f64 {
    let mut axes = Vec::new();
    for i in 0..3 {
        axes.extend([a.axes.col(i), b.axes.col(i)]);
        for j in 0..3 {
            let cross = a.axes.col(i).cross(b.axes.col(j));
            if cross.length() > 1e-2 {
                axes.push(cross.normalize());
            }
        }
    }
    axes.into_iter().map(|axis| separation(a, b, axis)).fold(f64::NEG_INFINITY, f64::max)
}
