//! What a kernel may ask of a vector register.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::job::Solid;
use crate::Manifold;

/// The most lanes a register has.
pub(super) const MOST_LANES: usize = 16;

/// Numbers of a manifold: three of the normal, the count, and five for each of four points.
pub(super) const MANIFOLD_NUMBERS: usize = 24;

/// A register of numbers. Nothing in it is fused, approximated or moved from lane to lane.
///
/// A value exists only where the instructions do: it is made from others, or with a token whose making is unsafe.
pub(super) trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// How many numbers there are, at most [`MOST_LANES`].
    const WIDTH: usize;

    /// The proof that the machine has the instructions.
    type Token: Copy;

    /// One truth value a lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// The same number in every lane.
    fn splat(token: Self::Token, value: f32) -> Self;

    /// The first numbers of an array.
    fn load(token: Self::Token, from: &[f32; MOST_LANES]) -> Self;

    /// Writes the first numbers of an array.
    fn store(self, to: &mut [f32; MOST_LANES]);

    /// For each lane the twelve numbers of the solid at an index.
    fn load_solids(
        token: Self::Token,
        solids: &[Solid],
        indices: &[u32; MOST_LANES],
    ) -> [Self; Solid::NUMBERS];

    /// Writes for each lane the numbers of a manifold, as they lie in memory, to a place in `out`.
    fn store_manifolds(numbers: &[Self; MANIFOLD_NUMBERS], out: &mut [Manifold], places: &[u32; MOST_LANES]);

    /// The smaller one, and `other` if they are equal.
    fn min(self, other: Self) -> Self;

    /// The larger one, and `other` if they are equal.
    fn max(self, other: Self) -> Self;

    /// Without the sign.
    fn abs(self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The bits of whole numbers, which these must be, from 0 to 2^24.
    fn to_integer_bits(self) -> Self;

    /// Lanes in which `self < other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// Lanes in which `self <= other`.
    fn le(self, other: Self) -> Self::Mask;

    /// Lanes in which they are equal.
    fn eq(self, other: Self) -> Self::Mask;

    /// `yes` in the lanes of the mask, `no` in the others.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}
