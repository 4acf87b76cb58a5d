//! A face of a box (the reference face) against the face of another that looks at it most (the incident face).
//!
//! Everything happens in the frame of the reference box, its axes in such an order and with such a sign that the
//! reference face is at `z = +half`. The incident face seen from there is a parallelogram, the reference face a
//! rectangle; the corners of what they have in common are the candidates for points: at most eight, found as the
//! beginnings and ends of the four incident edges inside the rectangle, and the corners of the rectangle inside the
//! parallelogram.
//!
//! Features name what meets, not who was the reference: a vertex on a face, or an edge on an edge. So they stay the
//! same when the other box becomes the reference.

use super::box_edges::EDGE_FEATURES;
use super::candidates::{Candidates, Point};
use super::frame::{Axis, Features, Frame, add_scaled, scale, smallest};
use super::job::{Block, Job, Solid, Solids};
use crate::simd::lane::Lane;
use crate::{MOST_POINTS, Manifold};

/// The rectangle is larger than the face by this share of the smallest half extent, and the parallelogram smaller when
/// corners of the rectangle are looked for: where vertices of both meet, as in a stack of equal boxes, the incident one
/// is taken whatever the rounding.
pub(super) const RIM: f32 = 0.005;

/// A component of an edge smaller than this counts as this much: nothing divides by zero.
const FLAT: f32 = 1e-20;

/// First feature of vertices of the second body on faces of the first.
const SECOND_VERTEX_FEATURES: f32 = 64.0;

/// The reference face.
struct Rectangle<L> {
    /// Half extents along x and y, with the rim.
    reach: [L; 2],
    /// Half extents along x and y, without it.
    half: [L; 2],
    /// Of the reference plane.
    height: L,
    /// Features of the edges at -x, +x, -y and +y.
    sides: [[L; 2]; 2],
}

/// The incident face.
struct Parallelogram<L> {
    center: [L; 3],
    /// From the centre to the middle of two edges.
    ways: [[L; 3]; 2],
    /// How far from the centre, of 1, corners of the rectangle count.
    inner: [L; 2],
    /// Features of the edges along each way: the ones on the negative side of the other way, and what the positive side
    /// adds.
    edges: [[L; 2]; 2],
}

#[inline(always)]
pub(in crate::simd) fn box_faces<L: Lane>(
    token: L::Token,
    solids: &[Solid],
    jobs: &[Job],
    out: &mut [Manifold],
) {
    for jobs in jobs.chunks(L::WIDTH) {
        face_block::<L>(token, solids, &Block::new(jobs, L::WIDTH), out);
    }
}

#[inline(always)]
fn face_block<L: Lane>(token: L::Token, solids: &[Solid], block: &Block, out: &mut [Manifold]) {
    let number = |value| L::splat(token, value);
    let (zero, one) = (number(0.0), number(1.0));
    let reference = Solids::<L>::load(token, solids, &block.first);
    let incident = Solids::<L>::load(token, solids, &block.second);
    let frame = Frame::new(token, &reference, &incident);
    let rim = number(RIM) * smallest(reference.half).min(smallest(incident.half));

    // The reference box with the axis of the face last, on the side where the other box is.
    let code = L::load(token, &block.code, 0);
    let reference_is_second = number(3.5).lt(code);
    let axis = Axis::new(token, L::select(reference_is_second, code - number(4.0), code));
    let half = axis.to_last(reference.half);
    let center = axis.to_last(frame.center);
    let is_upper = zero.le(center[2]);
    let mut axes = frame.axes;
    let mut turn = frame.turn;
    for i in 0..3 {
        let column = axis.to_last([frame.axes[0][i], frame.axes[1][i], frame.axes[2][i]]);
        let row = axis.to_last([frame.turn[0][i], frame.turn[1][i], frame.turn[2][i]]);
        for j in 0..2 {
            axes[j][i] = column[j];
            turn[j][i] = row[j];
        }
        axes[2][i] = L::select(is_upper, column[2], -column[2]);
        turn[2][i] = L::select(is_upper, row[2], -row[2]);
    }
    let center = [center[0], center[1], center[2].abs()];

    // The incident box with the axis of its face last.
    let looks = Axis::of_largest([turn[2][0].abs(), turn[2][1].abs(), turn[2][2].abs()]);
    let incident_half = looks.to_last(incident.half);
    let rows = [looks.to_last(turn[0]), looks.to_last(turn[1]), looks.to_last(turn[2])];
    let incident_is_upper = rows[2][2].lt(zero);
    let to_face = L::select(incident_is_upper, incident_half[2], -incident_half[2]);
    let center = add_scaled(center, [rows[0][2], rows[1][2], rows[2][2]], to_face);
    let ways = [
        scale([rows[0][0], rows[1][0], rows[2][0]], incident_half[0]),
        scale([rows[0][1], rows[1][1], rows[2][1]], incident_half[1]),
    ];

    // Names.
    let names = Features::new(token, axis);
    let incident_names = Features::new(token, looks);
    let four = number(4.0);
    let upper = L::select(is_upper, one, zero);
    let incident_upper = L::select(incident_is_upper, one, zero);
    let own_weight = L::select(reference_is_second, one, number(16.0));
    let incident_weight = L::select(reference_is_second, number(16.0), one);
    let at_x = (four * names.axis[1] + upper) * own_weight;
    let at_y = (four * names.axis[0] + (upper + upper)) * own_weight;
    let rectangle = Rectangle {
        reach: [half[0] + rim, half[1] + rim],
        half: [half[0], half[1]],
        height: half[2],
        sides: [[at_x, at_x + (own_weight + own_weight)], [at_y, at_y + own_weight]],
    };
    let edge_features = number(EDGE_FEATURES);
    let parallelogram = Parallelogram {
        center,
        ways,
        inner: [one - rim / incident_half[0], one - rim / incident_half[1]],
        edges: [
            [
                edge_features
                    + (four * incident_names.axis[0] + (incident_upper + incident_upper)) * incident_weight,
                incident_weight,
            ],
            [
                edge_features + (four * incident_names.axis[1] + incident_upper) * incident_weight,
                incident_weight + incident_weight,
            ],
        ],
    };
    let of_second = number(SECOND_VERTEX_FEATURES);
    let eight = number(8.0);
    // Of incident vertices on the reference face, and of vertices of that on the incident face: the base and what each
    // positive side adds.
    let incident_vertex = L::select(reference_is_second, zero, of_second)
        + (names.axis[2] + names.axis[2] + upper)
        + eight * L::select(incident_is_upper, incident_names.bit[2], zero);
    let incident_bits = [eight * incident_names.bit[0], eight * incident_names.bit[1]];
    let own_vertex = L::select(reference_is_second, of_second, zero)
        + (incident_names.axis[2] + incident_names.axis[2] + incident_upper)
        + eight * L::select(is_upper, names.bit[2], zero);
    let own_bits = [eight * names.bit[0], eight * names.bit[1]];

    let mut candidates = Candidates::new(token, L::load(token, &block.prediction, 0));
    clip_edges(token, &rectangle, &parallelogram, incident_vertex, incident_bits, &mut candidates);
    add_corners(token, &rectangle, &parallelogram, own_vertex, own_bits, &mut candidates);
    candidates.fall_back(deepest_vertex(token, &rectangle, &parallelogram, incident_vertex, incident_bits));
    let points = candidates.four();

    // To the world.
    let any = points[0].1;
    let mut numbers = [zero; Manifold::NUMBERS];
    let mut count = zero;
    for i in 0..3 {
        let normal = L::select(reference_is_second, axes[2][i], -axes[2][i]);
        numbers[i] = L::select(any, normal, zero);
    }
    for place in 0..MOST_POINTS {
        let (point, is_there) = points[place];
        let height = half[2] + number(0.5) * point.separation;
        for i in 0..3 {
            let position =
                reference.position[i] + (axes[0][i] * point.x + axes[1][i] * point.y + axes[2][i] * height);
            numbers[4 + 5 * place + i] = L::select(is_there, position, zero);
        }
        numbers[7 + 5 * place] = L::select(is_there, point.separation, zero);
        numbers[8 + 5 * place] = L::select(is_there, point.feature, zero).to_integer_bits();
        count = count + L::select(is_there, one, zero);
    }
    numbers[3] = count.to_integer_bits();
    L::store_rows(&numbers, bytemuck::cast_slice_mut(out), &block.to, 0);
}

/// One of the two ways along incident edges, with what the edges along it share.
struct Way<L> {
    way: [L; 3],
    /// One over its x and y.
    inverse: [L; 2],
    /// How much of it the rectangle reaches from its middle, along x and y.
    reach: [L; 2],
    /// Features of the sides of the rectangle that are passed when going along: entered and left by, along x and y.
    entered: [L; 2],
    left: [L; 2],
}

impl<L: Lane> Way<L> {
    #[inline(always)]
    fn new(token: L::Token, way: [L; 3], rectangle: &Rectangle<L>) -> Self {
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let (mut inverse, mut reach) = ([zero; 2], [zero; 2]);
        let (mut entered, mut left) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            let is_negative = way[i].lt(zero);
            let inverse_size = one / way[i].abs().max(L::splat(token, FLAT));
            inverse[i] = L::select(is_negative, -inverse_size, inverse_size);
            reach[i] = rectangle.reach[i] * inverse_size;
            let [low, high] = rectangle.sides[i];
            entered[i] = L::select(is_negative, high, low);
            left[i] = L::select(is_negative, low, high);
        }
        Self { way, inverse, reach, entered, left }
    }
}

/// Adds the beginning and, if it is not the beginning of the next one, the end of the part of each incident edge that is
/// inside the rectangle. The edges go round: along the first way on its negative side, against it on the positive one,
/// and the other way round for the second way. Beginnings are vertices, or where the edge enters.
#[inline(always)]
fn clip_edges<L: Lane>(
    token: L::Token,
    rectangle: &Rectangle<L>,
    parallelogram: &Parallelogram<L>,
    vertex: L,
    bits: [L; 2],
    candidates: &mut Candidates<L>,
) {
    let [u, v] = parallelogram.ways;
    let center = parallelogram.center;
    let one = L::splat(token, 1.0);
    let height = rectangle.height;
    let way = Way::new(token, u, rectangle);
    let [edge, positive_side] = parallelogram.edges[0];
    let middle = add_scaled(center, v, -one);
    clip_edge::<L, true>(token, &way, middle, height, vertex, edge, candidates, 0);
    let middle = add_scaled(center, v, one);
    let start = vertex + (bits[0] + bits[1]);
    clip_edge::<L, false>(token, &way, middle, height, start, edge + positive_side, candidates, 2);

    let way = Way::new(token, v, rectangle);
    let [edge, positive_side] = parallelogram.edges[1];
    let middle = add_scaled(center, u, one);
    clip_edge::<L, true>(token, &way, middle, height, vertex + bits[0], edge + positive_side, candidates, 4);
    let middle = add_scaled(center, u, -one);
    clip_edge::<L, false>(token, &way, middle, height, vertex + bits[1], edge, candidates, 6);
}

/// One edge of a given middle, along its way (`FORWARD`) or against it, from the vertex of a feature on.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "numbers in registers, not an interface")]
fn clip_edge<L: Lane, const FORWARD: bool>(
    token: L::Token,
    way: &Way<L>,
    middle: [L; 3],
    height: L,
    vertex: L,
    edge: L,
    candidates: &mut Candidates<L>,
    place: usize,
) {
    let one = L::splat(token, 1.0);
    let (x, y) = (-(middle[0] * way.inverse[0]), -(middle[1] * way.inverse[1]));
    let (from_x, from_y) = (x - way.reach[0], y - way.reach[1]);
    let (to_x, to_y) = (x + way.reach[0], y + way.reach[1]);
    let from = from_x.max(from_y);
    let to = to_x.min(to_y);
    let inside = from.le(to) & from.lt(one) & (-one).lt(to);
    let enters = edge + L::select(from_y.lt(from_x), way.entered[0], way.entered[1]);
    let leaves = edge + L::select(to_x.lt(to_y), way.left[0], way.left[1]);
    let (enters_late, leaves_early) = ((-one).lt(from), to.lt(one));
    let (start, start_feature, end, end_feature, has_end) = if FORWARD {
        (from.max(-one), L::select(enters_late, enters, vertex), to, leaves, leaves_early)
    } else {
        (to.min(one), L::select(leaves_early, leaves, vertex), from, enters, enters_late)
    };
    let start = add_scaled(middle, way.way, start);
    let end = add_scaled(middle, way.way, end);
    let start = Point { x: start[0], y: start[1], separation: start[2] - height, feature: start_feature };
    let end = Point { x: end[0], y: end[1], separation: end[2] - height, feature: end_feature };
    candidates.set(place, start, inside);
    candidates.set(place + 1, end, inside & has_end);
}

/// Adds the corners of the rectangle that lie inside the parallelogram.
#[inline(always)]
fn add_corners<L: Lane>(
    token: L::Token,
    rectangle: &Rectangle<L>,
    parallelogram: &Parallelogram<L>,
    vertex: L,
    bits: [L; 2],
    candidates: &mut Candidates<L>,
) {
    let [u, v] = parallelogram.ways;
    let center = parallelogram.center;
    // Not near zero: of its three axes the incident box looks at the reference with the one that does so most.
    let inverse = L::splat(token, 1.0) / (u[0] * v[1] - u[1] * v[0]);
    for corner in 0..4 {
        let mut place = [center[0], center[1]];
        let mut feature = vertex;
        for i in 0..2 {
            place[i] = rectangle.half[i];
            if corner >> i & 1 == 1 {
                feature = feature + bits[i];
            } else {
                place[i] = -place[i];
            }
        }
        let (x, y) = (place[0] - center[0], place[1] - center[1]);
        let along_u = (x * v[1] - y * v[0]) * inverse;
        let along_v = (u[0] * y - u[1] * x) * inverse;
        let inside = along_u.abs().lt(parallelogram.inner[0]) & along_v.abs().lt(parallelogram.inner[1]);
        let separation = (center[2] + (along_u * u[2] + along_v * v[2])) - rectangle.height;
        candidates.set(8 + corner, Point { x: place[0], y: place[1], separation, feature }, inside);
    }
}

/// The deepest vertex of the incident face, moved into the rectangle; and whether it is below the reference face.
#[inline(always)]
fn deepest_vertex<L: Lane>(
    token: L::Token,
    rectangle: &Rectangle<L>,
    parallelogram: &Parallelogram<L>,
    vertex: L,
    bits: [L; 2],
) -> (Point<L>, L::Mask) {
    let zero = L::splat(token, 0.0);
    let mut point = parallelogram.center;
    let mut feature = vertex;
    for along in 0..2 {
        let way = parallelogram.ways[along];
        let is_positive = way[2].lt(zero);
        let sign = L::select(is_positive, L::splat(token, 1.0), L::splat(token, -1.0));
        point = add_scaled(point, way, sign);
        feature = feature + L::select(is_positive, bits[along], zero);
    }
    let separation = point[2] - rectangle.height;
    let [reach_x, reach_y] = rectangle.half;
    let (x, y) = (point[0].max(-reach_x).min(reach_x), point[1].max(-reach_y).min(reach_y));
    (Point { x, y, separation, feature }, separation.le(zero))
}
