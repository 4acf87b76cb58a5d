//! One lane: the reference for all others.

use std::ops::{Add, Mul, Neg, Sub};

use super::vector::Vector;
use crate::solve::layout::{BodyRow, Impulse, UNITS};

#[derive(Clone, Copy)]
pub(super) struct Scalar(f32);

impl Add for Scalar {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Scalar {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for Scalar {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Neg for Scalar {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

// SAFETY: every machine has these.
unsafe impl Vector for Scalar {
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; UNITS], at: usize) -> Self {
        Self(from[at])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; UNITS], at: usize) {
        to[at] = self.0;
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(if self.0 > other.0 { self.0 } else { other.0 })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn if_greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.0 > other.0 { yes } else { no }
    }

    #[inline(always)]
    unsafe fn load_rows(rows: &[BodyRow], indices: &[u32; UNITS], at: usize) -> [Self; BodyRow::NUMBERS] {
        let row = &rows[indices[at] as usize];
        std::array::from_fn(|number| Self(row.number(number)))
    }

    #[inline(always)]
    fn store_impulses(numbers: [Self; 6], to: &mut [Impulse; UNITS], at: usize) {
        let [x, y, z, u, v, w] = numbers.map(|number| number.0);
        to[at] = Impulse([x, y, z, 0.0, u, v, w, 0.0]);
    }
}
