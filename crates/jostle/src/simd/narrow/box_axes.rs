//! The separating axis test of two boxes: six face normals and nine crosses of edges.
//!
//! Of the axes, the one of the largest separation says how the boxes touch. A face is preferred to a cross of edges, and
//! a face of the first box to one of the second, unless the other is better by more than [`slack`]: so that resting
//! boxes, whose axes differ by rounding only, touch in the same way from frame to frame.

use super::frame::{Frame, smallest};
use super::job::{Block, Job, Solid, Solids};
use crate::Manifold;
use crate::simd::lane::{Lane, MOST_LANES};

/// Edges whose cross has a smaller square than this are parallel: faces tell as much.
const PARALLEL: f32 = 1e-6;

/// Code of an axis: 0 to 2 a face of the first, 3 to 5 one of the second, from 6 on edges.
const FIRST_EDGE_CODE: f32 = 6.0;
/// The boxes are farther apart than the prediction.
const APART: f32 = 99.0;

/// How much better another axis must be than the preferred one: 5 % of the depth and 1 % of the smallest half extent.
#[inline(always)]
fn slack<L: Lane>(token: L::Token, separation: L, smallest: L) -> L {
    L::splat(token, 0.05) * separation.abs() + L::splat(token, 0.01) * smallest
}

#[inline(always)]
pub(in crate::simd) fn box_axes<L: Lane>(
    token: L::Token,
    solids: &[Solid],
    jobs: &[Job],
    faces: &mut Vec<Job>,
    edges: &mut Vec<Job>,
    out: &mut [Manifold],
) {
    for jobs in jobs.chunks(L::WIDTH) {
        let block = Block::new(jobs, L::WIDTH);
        let first = Solids::<L>::load(token, solids, &block.first);
        let second = Solids::<L>::load(token, solids, &block.second);
        let prediction = L::load(token, &block.prediction, 0);
        let mut codes = [0.0; MOST_LANES];
        best_axis(token, &first, &second, prediction).store(&mut codes, 0);
        for (job, code) in jobs.iter().zip(codes) {
            let code = code as u32;
            match code {
                0..3 => faces.push(Job { code, ..*job }),
                3..6 => {
                    faces.push(Job { code: code - 3 + 4, first: job.second, second: job.first, ..*job });
                }
                6..15 => edges.push(Job { code: code - FIRST_EDGE_CODE as u32, ..*job }),
                _ => out[job.to as usize] = Manifold::NONE,
            }
        }
    }
}

/// The code of the axis to use.
#[inline(always)]
fn best_axis<L: Lane>(token: L::Token, first: &Solids<L>, second: &Solids<L>, prediction: L) -> L {
    let number = |value| L::splat(token, value);
    let frame = Frame::new(token, first, second);
    let (center, turn) = (frame.center, frame.turn);
    let mut size = turn;
    for row in &mut size {
        for entry in row {
            *entry = entry.abs();
        }
    }
    let (own, other) = (first.half, second.half);

    let mut of_first = (number(f32::NEG_INFINITY), number(0.0));
    let mut of_second = (number(f32::NEG_INFINITY), number(0.0));
    for axis in 0..3 {
        let reach = other[0] * size[axis][0] + other[1] * size[axis][1] + other[2] * size[axis][2];
        let separation = center[axis].abs() - (own[axis] + reach);
        of_first = better(of_first, (separation, number(axis as f32)));

        let along = center[0] * turn[0][axis] + center[1] * turn[1][axis] + center[2] * turn[2][axis];
        let reach = own[0] * size[0][axis] + own[1] * size[1][axis] + own[2] * size[2][axis];
        let separation = along.abs() - (other[axis] + reach);
        of_second = better(of_second, (separation, number(3.0 + axis as f32)));
    }

    // The best of separation / length, told by separation * |separation| / length^2 kept as a fraction: one division and
    // one root in the end instead of nine.
    let mut edge = number(FIRST_EDGE_CODE);
    let (mut above, mut below) = (number(-1.0), number(0.0));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let along = (center[i2] * turn[i1][j] - center[i1] * turn[i2][j]).abs();
            let reach = own[i1] * size[i2][j] + own[i2] * size[i1][j];
            let other_reach = other[j1] * size[i][j2] + other[j2] * size[i][j1];
            let separation = along - (reach + other_reach);
            let square = turn[i1][j] * turn[i1][j] + turn[i2][j] * turn[i2][j];
            let signed = separation * separation.abs();
            let wins = number(PARALLEL).lt(square) & (above * square).lt(signed * below);
            above = L::select(wins, signed, above);
            below = L::select(wins, square, below);
            edge = L::select(wins, number(FIRST_EDGE_CODE + (3 * i + j) as f32), edge);
        }
    }
    let root = (above.abs() / below).sqrt();
    let of_edges = L::select(above.lt(number(0.0)), -root, root);

    let smallest = smallest(own).min(smallest(other));
    let second_wins = (of_first.0 + slack(token, of_first.0, smallest)).lt(of_second.0);
    let face = L::select(second_wins, of_second.0, of_first.0);
    let code = L::select(second_wins, of_second.1, of_first.1);
    let edge_wins = (face + slack(token, face, smallest)).lt(of_edges);
    let code = L::select(edge_wins, edge, code);
    let largest = of_first.0.max(of_second.0).max(of_edges);
    L::select(prediction.lt(largest), number(APART), code)
}

/// The one of larger separation, and the earlier if they are equal.
#[inline(always)]
fn better<L: Lane>(a: (L, L), b: (L, L)) -> (L, L) {
    let wins = a.0.lt(b.0);
    (L::select(wins, b.0, a.0), L::select(wins, b.1, a.1))
}
