//! Ball against ball and ball against box: one point at most, feature 0.

use super::frame::{add_scaled, axes, dot, sub};
use super::job::{Block, Job, Solid, Solids};
use crate::Manifold;
use crate::simd::lane::Lane;

/// Centres whose distance is this share of the radii, squared, have no direction from one to the other.
const COINCIDENT: f32 = 1e-12;

/// Two balls. Balls with one centre meet along +y.
#[inline(always)]
pub(in crate::simd) fn ball_ball<L: Lane>(
    token: L::Token,
    solids: &[Solid],
    jobs: &[Job],
    out: &mut [Manifold],
) {
    let number = |value| L::splat(token, value);
    for jobs in jobs.chunks(L::WIDTH) {
        let block = Block::new(jobs, L::WIDTH);
        let first = Solids::<L>::load(token, solids, &block.first);
        let second = Solids::<L>::load(token, solids, &block.second);
        let way = sub(first.position, second.position);
        let radii = first.radius + second.radius;
        let square = dot(way, way);
        let apart = (radii * radii * number(COINCIDENT)).lt(square);
        let length = L::select(apart, square.sqrt(), number(0.0));
        let divisor = L::select(apart, length, number(1.0));
        let normal = [
            L::select(apart, way[0] / divisor, number(0.0)),
            L::select(apart, way[1] / divisor, number(1.0)),
            L::select(apart, way[2] / divisor, number(0.0)),
        ];
        let separation = length - radii;
        // From the centre of the second to its surface, then half the separation on.
        let position = add_scaled(second.position, normal, second.radius + number(0.5) * separation);
        store_one_point(token, &block, normal, position, separation, out);
    }
}

/// A ball and a box. A centre inside the box leaves by the nearest face.
#[inline(always)]
pub(in crate::simd) fn ball_box<L: Lane>(
    token: L::Token,
    solids: &[Solid],
    jobs: &[Job],
    out: &mut [Manifold],
) {
    let number = |value| L::splat(token, value);
    for jobs in jobs.chunks(L::WIDTH) {
        let block = Block::new(jobs, L::WIDTH);
        let ball = Solids::<L>::load(token, solids, &block.first);
        let cuboid = Solids::<L>::load(token, solids, &block.second);
        let axes = axes(token, cuboid.rotation);
        let way = sub(ball.position, cuboid.position);
        let center = [dot(axes[0], way), dot(axes[1], way), dot(axes[2], way)];
        let half = cuboid.half;
        let mut nearest = center;
        let mut beside = center;
        let mut room = center;
        for axis in 0..3 {
            nearest[axis] = center[axis].max(-half[axis]).min(half[axis]);
            beside[axis] = center[axis] - nearest[axis];
            room[axis] = half[axis] - center[axis].abs();
        }
        let square = dot(beside, beside);
        let outside = (ball.radius * ball.radius * number(COINCIDENT)).lt(square);
        let length = L::select(outside, square.sqrt(), number(1.0));
        // Inside: the face with the least room, earlier axes first.
        let is_0 = room[0].le(room[1]) & room[0].le(room[2]);
        let is_1 = !is_0 & room[1].le(room[2]);
        let is_2 = !is_0 & !is_1;
        let mut normal = center;
        let mut surface = center;
        for (axis, is_face) in [is_0, is_1, is_2].into_iter().enumerate() {
            let side = L::select(center[axis].lt(number(0.0)), number(-1.0), number(1.0));
            let through_face = L::select(is_face, side, number(0.0));
            normal[axis] = L::select(outside, beside[axis] / length, through_face);
            let on_face = L::select(is_face, side * half[axis], center[axis]);
            surface[axis] = L::select(outside, nearest[axis], on_face);
        }
        let least_room = room[0].min(room[1]).min(room[2]);
        let separation = L::select(outside, length, -least_room) - ball.radius;
        let mut local = surface;
        let middle = number(0.5) * separation;
        for axis in 0..3 {
            local[axis] = surface[axis] + normal[axis] * middle;
        }
        let mut position = cuboid.position;
        let mut world_normal = [number(0.0); 3];
        for axis in 0..3 {
            position = add_scaled(position, axes[axis], local[axis]);
            world_normal = add_scaled(world_normal, axes[axis], normal[axis]);
        }
        let box_first = number(0.5).lt(L::load(token, &block.code, 0));
        for component in &mut world_normal {
            *component = L::select(box_first, -*component, *component);
        }
        store_one_point(token, &block, world_normal, position, separation, out);
    }
}

/// Writes manifolds of one point, or of none where the separation is beyond the prediction.
#[inline(always)]
pub(super) fn store_one_point<L: Lane>(
    token: L::Token,
    block: &Block,
    normal: [L; 3],
    position: [L; 3],
    separation: L,
    out: &mut [Manifold],
) {
    store_feature_point(token, block, normal, position, separation, L::splat(token, 0.0), out);
}

/// The same with a feature.
#[inline(always)]
pub(super) fn store_feature_point<L: Lane>(
    token: L::Token,
    block: &Block,
    normal: [L; 3],
    position: [L; 3],
    separation: L,
    feature: L,
    out: &mut [Manifold],
) {
    let zero = L::splat(token, 0.0);
    let near = separation.le(L::load(token, &block.prediction, 0));
    let mut numbers = [zero; Manifold::NUMBERS];
    for axis in 0..3 {
        numbers[axis] = L::select(near, normal[axis], zero);
        numbers[4 + axis] = L::select(near, position[axis], zero);
    }
    numbers[3] = L::select(near, L::splat(token, 1.0), zero).to_integer_bits();
    numbers[7] = L::select(near, separation, zero);
    numbers[8] = L::select(near, feature, zero).to_integer_bits();
    L::store_rows(&numbers, bytemuck::cast_slice_mut(out), &block.to, 0);
}
