//! Small linear algebra in lanes, and one box seen from another.

use super::job::Solids;
use crate::simd::lane::Lane;

/// The sum of products, first to last.
#[inline(always)]
pub(super) fn dot<L: Lane>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The difference.
#[inline(always)]
pub(super) fn sub<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// All three by one factor.
#[inline(always)]
pub(super) fn scale<L: Lane>(a: [L; 3], by: L) -> [L; 3] {
    [a[0] * by, a[1] * by, a[2] * by]
}

/// `a` plus `b` by a factor.
#[inline(always)]
pub(super) fn add_scaled<L: Lane>(a: [L; 3], b: [L; 3], by: L) -> [L; 3] {
    [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by]
}

/// The smallest of three.
#[inline(always)]
pub(super) fn smallest<L: Lane>(a: [L; 3]) -> L {
    a[0].min(a[1]).min(a[2])
}

/// The three axes of a body, in world coordinates.
#[inline(always)]
pub(super) fn axes<L: Lane>(token: L::Token, [x, y, z, w]: [L; 4]) -> [[L; 3]; 3] {
    let one = L::splat(token, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        [one - (yy + zz), xy + wz, xz - wy],
        [xy - wz, one - (xx + zz), yz + wx],
        [xz + wy, yz - wx, one - (xx + yy)],
    ]
}

/// A second body in the frame of a first one.
pub(super) struct Frame<L> {
    /// The axes of the first, in world coordinates.
    pub(super) axes: [[L; 3]; 3],
    /// The centre of the second.
    pub(super) center: [L; 3],
    /// `turn[i][j]`: axis `j` of the second along axis `i` of the first.
    pub(super) turn: [[L; 3]; 3],
}

impl<L: Lane> Frame<L> {
    #[inline(always)]
    pub(super) fn new(token: L::Token, first: &Solids<L>, second: &Solids<L>) -> Self {
        let own = axes(token, first.rotation);
        let other = axes(token, second.rotation);
        let way = sub(second.position, first.position);
        let mut center = way;
        let mut turn = own;
        for i in 0..3 {
            center[i] = dot(own[i], way);
            for j in 0..3 {
                turn[i][j] = dot(own[i], other[j]);
            }
        }
        Self { axes: own, center, turn }
    }
}

/// Which of three axes is meant, lane by lane.
#[derive(Clone, Copy)]
pub(super) struct Axis<L: Lane> {
    is_0: L::Mask,
    is_1: L::Mask,
}

impl<L: Lane> Axis<L> {
    /// From a number 0, 1 or 2.
    #[inline(always)]
    pub(super) fn new(token: L::Token, number: L) -> Self {
        Self {
            is_0: number.lt(L::splat(token, 0.5)),
            is_1: number.lt(L::splat(token, 1.5)) & !number.lt(L::splat(token, 0.5)),
        }
    }

    /// The one of the largest number, and the earliest if several are.
    #[inline(always)]
    pub(super) fn of_largest(of: [L; 3]) -> Self {
        let is_0 = of[1].le(of[0]) & of[2].le(of[0]);
        Self { is_0, is_1: !is_0 & of[2].le(of[1]) }
    }

    /// Moved so that the axis meant comes last, and the two that follow it in a circle first.
    #[inline(always)]
    pub(super) fn to_last(self, [a, b, c]: [L; 3]) -> [L; 3] {
        [
            L::select(self.is_0, b, L::select(self.is_1, c, a)),
            L::select(self.is_0, c, L::select(self.is_1, a, b)),
            L::select(self.is_0, a, L::select(self.is_1, b, c)),
        ]
    }
}

/// Numbers of the features of a box as the manifold's features are made of. A vertex: bit `axis` says on which side. A
/// face: twice its axis, plus 1 on the positive side. An edge: four times its axis, plus 1 and 2 for the positive sides
/// of the two axes that follow in a circle.
pub(super) struct Features<L> {
    /// The axes by number, the meant one last.
    pub(super) axis: [L; 3],
    /// The bits of a vertex for these axes.
    pub(super) bit: [L; 3],
}

impl<L: Lane> Features<L> {
    #[inline(always)]
    pub(super) fn new(token: L::Token, last: Axis<L>) -> Self {
        Self {
            axis: last.to_last([L::splat(token, 0.0), L::splat(token, 1.0), L::splat(token, 2.0)]),
            bit: last.to_last([L::splat(token, 1.0), L::splat(token, 2.0), L::splat(token, 4.0)]),
        }
    }
}
