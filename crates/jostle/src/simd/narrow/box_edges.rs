//! An edge of a box against an edge of another: one point, where they pass each other.

use super::balls::store_feature_point;
use super::box_faces::RIM;
use super::frame::{Axis, Features, Frame, add_scaled, dot, smallest, sub};
use super::job::{Block, Job, Solid, Solids};
use crate::Manifold;
use crate::simd::lane::Lane;

/// First feature of two edges; below are those of vertices on faces.
pub(super) const EDGE_FEATURES: f32 = 128.0;

#[inline(always)]
pub(in crate::simd) fn box_edges<L: Lane>(
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
        let frame = Frame::new(token, &first, &second);

        // Both boxes with the axis of their edge last.
        let code = L::load(token, &block.code, 0);
        let row = L::select(code.lt(number(2.5)), number(0.0), number(1.0));
        let row = L::select(code.lt(number(5.5)), row, number(2.0));
        let own_axis = Axis::new(token, row);
        let other_axis = Axis::new(token, code - number(3.0) * row);
        let center = own_axis.to_last(frame.center);
        let own_half = own_axis.to_last(first.half);
        let other_half = other_axis.to_last(second.half);
        let mut axes = frame.axes;
        let mut other = frame.turn;
        for i in 0..3 {
            let column = own_axis.to_last([frame.axes[0][i], frame.axes[1][i], frame.axes[2][i]]);
            let turn = own_axis.to_last([frame.turn[0][i], frame.turn[1][i], frame.turn[2][i]]);
            for j in 0..3 {
                axes[j][i] = column[j];
                // Axis i of the other box, as a vector in the frame of this one.
                other[i][j] = turn[j];
            }
        }
        let mut turned = other;
        for j in 0..3 {
            let column = other_axis.to_last([other[0][j], other[1][j], other[2][j]]);
            for i in 0..3 {
                turned[i][j] = column[i];
            }
        }
        let other = turned;
        let edge = other[2];

        // The cross of (0, 0, 1) and the other edge, from this box to the other.
        let square = edge[0] * edge[0] + edge[1] * edge[1];
        let length = square.sqrt();
        let along = center[1] * edge[0] - center[0] * edge[1];
        let sign = L::select(along.lt(number(0.0)), number(-1.0), number(1.0)) / length;
        let normal = [-edge[1] * sign, edge[0] * sign, number(0.0)];

        // Points in the middle of the edges.
        let zero = number(0.0);
        let own_side = [zero.le(normal[0]), zero.le(normal[1])];
        let own_middle = [
            L::select(own_side[0], own_half[0], -own_half[0]),
            L::select(own_side[1], own_half[1], -own_half[1]),
            zero,
        ];
        let other_side = [dot(normal, other[0]).le(zero), dot(normal, other[1]).le(zero)];
        let mut other_middle = center;
        for axis in 0..2 {
            let way = L::select(other_side[axis], other_half[axis], -other_half[axis]);
            other_middle = add_scaled(other_middle, other[axis], way);
        }

        // Where the lines pass each other.
        let way = sub(other_middle, own_middle);
        let along_own = way[2];
        let along_other = dot(way, edge);
        let own_place = (along_own - edge[2] * along_other) / square;
        let other_place = (edge[2] * along_own - along_other) / square;
        let own_kept = own_place.max(-own_half[2]).min(own_half[2]);
        let other_kept = other_place.max(-other_half[2]).min(other_half[2]);
        let own_point = [own_middle[0], own_middle[1], own_kept];
        let other_point = add_scaled(other_middle, edge, other_kept);
        let separation = dot(way, normal);

        // Boxes apart whose edges do not pass each other are nearest elsewhere, and farther than this axis says.
        let rim = number(RIM) * smallest(first.half).min(smallest(second.half));
        let missed = (own_half[2] + rim).lt(own_place.abs()) | (other_half[2] + rim).lt(other_place.abs());
        let nothing = zero.lt(separation) & missed;
        let separation = L::select(nothing, number(f32::INFINITY), separation);

        let mut position = first.position;
        let mut world_normal = [zero; 3];
        for axis in 0..3 {
            let middle = number(0.5) * (own_point[axis] + other_point[axis]);
            position = add_scaled(position, axes[axis], middle);
            world_normal = add_scaled(world_normal, axes[axis], -normal[axis]);
        }

        let one = number(1.0);
        let own_names = Features::new(token, own_axis);
        let other_names = Features::new(token, other_axis);
        let own_edge = number(4.0) * own_names.axis[2]
            + L::select(own_side[0], one, zero)
            + L::select(own_side[1], number(2.0), zero);
        let other_edge = number(4.0) * other_names.axis[2]
            + L::select(other_side[0], one, zero)
            + L::select(other_side[1], number(2.0), zero);
        let feature = number(EDGE_FEATURES) + number(16.0) * own_edge + other_edge;
        store_feature_point(token, &block, world_normal, position, separation, feature, out);
    }
}
