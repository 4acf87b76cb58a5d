//! Half-space against ball and box. Manifolds as seen with the half-space second: normals point out of it.

use glam::{Mat3, Vec3};

use super::{ContactPoint, Manifold};
use crate::Pose;

/// A ball: one point, feature 0.
pub(super) fn half_space_ball(
    plane: &Pose,
    normal: Vec3,
    ball: &Pose,
    radius: f32,
    prediction: f32,
) -> Manifold {
    let normal = plane.rotation * normal;
    let height = normal.dot(ball.position - plane.position);
    let mut manifold = Manifold { normal, ..Manifold::NONE };
    let separation = height - radius;
    add(&mut manifold, ball.position - normal * radius, separation, 0, prediction);
    manifold_or_none(manifold)
}

/// A box: vertices of the face that looks most at the plane. The feature of a vertex says with bit `axis` on which side
/// it is, and so is the same whichever face it was taken from.
pub(super) fn half_space_cuboid(
    plane: &Pose,
    normal: Vec3,
    cuboid: &Pose,
    half: Vec3,
    prediction: f32,
) -> Manifold {
    let normal = plane.rotation * normal;
    let axes = Mat3::from_quat(cuboid.rotation);
    let along = [normal.dot(axes.x_axis), normal.dot(axes.y_axis), normal.dot(axes.z_axis)];
    let size = along.map(f32::abs);
    let face = if size[1] <= size[0] && size[2] <= size[0] {
        0
    } else if size[2] <= size[1] {
        1
    } else {
        2
    };
    let mut manifold = Manifold { normal, ..Manifold::NONE };
    for vertex in 0..8_u32 {
        let side = |axis: usize| if vertex >> axis & 1 == 1 { 1.0 } else { -1.0 };
        if (side(face) > 0.0) == (along[face] < 0.0) {
            let corner = half * Vec3::new(side(0), side(1), side(2));
            let position = cuboid.position + axes * corner;
            let separation = normal.dot(position - plane.position);
            add(&mut manifold, position, separation, vertex, prediction);
        }
    }
    manifold_or_none(manifold)
}

/// A point given by where it is on the ball or box.
fn add(manifold: &mut Manifold, surface: Vec3, separation: f32, feature: u32, prediction: f32) {
    if separation <= prediction {
        let position = surface - manifold.normal * (0.5 * separation);
        manifold.points[manifold.count as usize] = ContactPoint { position, separation, feature };
        manifold.count += 1;
    }
}

fn manifold_or_none(manifold: Manifold) -> Manifold {
    if manifold.count > 0 { manifold } else { Manifold::NONE }
}
