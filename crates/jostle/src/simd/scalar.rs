//! One lane: the reference.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::lane::{Lane, MOST_LANES};

#[derive(Clone, Copy)]
pub(super) struct Scalar(f32);

#[derive(Clone, Copy)]
pub(super) struct Truth(bool);

macro_rules! operator {
    ($type:ty, $trait:ident, $name:ident, $operation:tt) => {
        impl $trait for $type {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(self.0 $operation other.0)
            }
        }
    };
}

operator!(Scalar, Add, add, +);
operator!(Scalar, Sub, sub, -);
operator!(Scalar, Mul, mul, *);
operator!(Scalar, Div, div, /);
operator!(Truth, BitAnd, bitand, &);
operator!(Truth, BitOr, bitor, |);

impl Neg for Scalar {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Not for Truth {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Lane for Scalar {
    const WIDTH: usize = 1;

    type Token = ();
    type Mask = Truth;

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn load((): (), from: &[f32; MOST_LANES], at: usize) -> Self {
        Self(from[at])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; MOST_LANES], at: usize) {
        to[at] = self.0;
    }

    #[inline(always)]
    fn load_rows<const N: usize>(
        (): (),
        rows: &[[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    ) -> [Self; N] {
        rows[indices[at] as usize].map(Self)
    }

    #[inline(always)]
    fn store_rows<const N: usize>(
        numbers: &[Self; N],
        rows: &mut [[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    ) {
        rows[indices[at] as usize] = numbers.map(|number| number.0);
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.0 < other.0 { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn to_integer_bits(self) -> Self {
        Self(f32::from_bits(self.0 as u32))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Truth {
        Truth(self.0 < other.0)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Truth {
        Truth(self.0 <= other.0)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Truth {
        Truth(self.0 == other.0)
    }

    #[inline(always)]
    fn select(mask: Truth, yes: Self, no: Self) -> Self {
        if mask.0 { yes } else { no }
    }
}
