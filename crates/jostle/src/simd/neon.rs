//! Four lanes of NEON.

use std::arch::aarch64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::lane::{Lane, MOST_LANES};

/// The proof that the machine has NEON.
#[derive(Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// # Safety
    /// The machine must have NEON.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

/// A value of it is made with a [`Token`] or from other values: where there is one, there is NEON.
#[derive(Clone, Copy)]
pub(super) struct Neon(float32x4_t);

#[derive(Clone, Copy)]
pub(super) struct Mask(uint32x4_t);

macro_rules! operator {
    ($type:ty, $trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: where there is a value, there is NEON.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Neon, Add, add, vaddq_f32);
operator!(Neon, Sub, sub, vsubq_f32);
operator!(Neon, Mul, mul, vmulq_f32);
operator!(Neon, Div, div, vdivq_f32);
operator!(Mask, BitAnd, bitand, vandq_u32);
operator!(Mask, BitOr, bitor, vorrq_u32);

impl Neg for Neon {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vnegq_f32(self.0) })
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vmvnq_u32(self.0) })
    }
}

impl Lane for Neon {
    const WIDTH: usize = 4;

    type Token = Token;
    type Mask = Mask;

    #[inline(always)]
    fn splat(_: Token, value: f32) -> Self {
        // SAFETY: where there is a token, there is NEON.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    fn load(_: Token, from: &[f32; MOST_LANES], at: usize) -> Self {
        let from = &from[at..at + 4];
        // SAFETY: where there is a token, there is NEON; the slice holds as many numbers.
        Self(unsafe { vld1q_f32(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; MOST_LANES], at: usize) {
        let to = &mut to[at..at + 4];
        // SAFETY: where there is a value, there is NEON; the slice holds as many numbers.
        unsafe { vst1q_f32(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn load_rows<const N: usize>(
        token: Token,
        rows: &[[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    ) -> [Self; N] {
        const { assert!(N.is_multiple_of(4)) };
        let mut numbers = [Self::splat(token, 0.0); N];
        let mut from = [std::ptr::null::<f32>(); 4];
        for (from, &index) in from.iter_mut().zip(&indices[at..at + 4]) {
            *from = rows[index as usize].as_ptr();
        }
        for part in 0..N / 4 {
            let mut four = [Self::splat(token, 0.0); 4];
            for (row, to) in four.iter_mut().enumerate() {
                // SAFETY: where there is a token, there is NEON; each row has four numbers from this part on.
                *to = Self(unsafe { vld1q_f32(from[row].add(4 * part)) });
            }
            let four = transposed(four);
            for column in 0..4 {
                numbers[4 * part + column] = four[column];
            }
        }
        numbers
    }

    #[inline(always)]
    fn store_rows<const N: usize>(
        numbers: &[Self; N],
        rows: &mut [[f32; N]],
        indices: &[u32; MOST_LANES],
        at: usize,
    ) {
        const { assert!(N.is_multiple_of(4)) };
        let mut to = [std::ptr::null_mut::<f32>(); 4];
        for (to, &index) in to.iter_mut().zip(&indices[at..at + 4]) {
            *to = (&raw mut rows[index as usize]).cast();
        }
        for part in 0..N / 4 {
            let at = 4 * part;
            let four = transposed([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]);
            for row in 0..4 {
                // SAFETY: where there is a value, there is NEON; the pointers lead to rows of `N` numbers, and nothing
                // else refers to them meanwhile.
                unsafe { vst1q_f32(to[row].add(at), four[row].0) };
            }
        }
    }

    // The instructions for the smaller and the larger of two treat zeros of different signs unlike all others.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vabsq_f32(self.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vsqrtq_f32(self.0) })
    }

    #[inline(always)]
    fn to_integer_bits(self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vreinterpretq_f32_s32(vcvtq_s32_f32(self.0)) })
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is NEON.
        Mask(unsafe { vcltq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is NEON.
        Mask(unsafe { vcleq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is NEON.
        Mask(unsafe { vceqq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        // SAFETY: where there is a value, there is NEON.
        Self(unsafe { vbslq_f32(mask.0, yes.0, no.0) })
    }
}

/// Rows and columns of four by four numbers exchanged.
#[inline(always)]
fn transposed([a, b, c, d]: [Neon; 4]) -> [Neon; 4] {
    // SAFETY: where there is a value, there is NEON.
    unsafe {
        let (ac_low, ac_high) = (vzip1q_f32(a.0, c.0), vzip2q_f32(a.0, c.0));
        let (bd_low, bd_high) = (vzip1q_f32(b.0, d.0), vzip2q_f32(b.0, d.0));
        [
            Neon(vzip1q_f32(ac_low, bd_low)),
            Neon(vzip2q_f32(ac_low, bd_low)),
            Neon(vzip1q_f32(ac_high, bd_high)),
            Neon(vzip2q_f32(ac_high, bd_high)),
        ]
    }
}
