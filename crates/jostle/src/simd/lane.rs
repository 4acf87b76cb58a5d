//! What a kernel may ask of a vector register.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// The most lanes a register has.
pub(super) const MOST_LANES: usize = 16;

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

    /// The numbers of an array from `at` on, which is a multiple of the width.
    fn load(token: Self::Token, from: &[f32; MOST_LANES], at: usize) -> Self;

    /// Writes the numbers of an array from `at` on, which is a multiple of the width.
    fn store(self, to: &mut [f32; MOST_LANES], at: usize);

    /// For each lane a row of numbers, four times some of them: lane `i` gets `rows[indices[at + i]]`.
    fn load_rows<const N: usize>(
        token: Self::Token,
        rows: &[[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    ) -> [Self; N];

    /// Writes for each lane a row of numbers, four times some of them: lane `i` goes to `rows[indices[at + i]]`. Indices
    /// of lanes that go to the same row leave one of them there.
    fn store_rows<const N: usize>(
        numbers: &[Self; N],
        rows: &mut [[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    );

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

    /// `yes` in lanes where `self > other`, `no` in the others.
    #[inline(always)]
    fn if_greater(self, other: Self, yes: Self, no: Self) -> Self {
        Self::select(other.lt(self), yes, no)
    }
}
