//! Eight lanes of AVX2.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::lane::{Lane, MOST_LANES};

/// The proof that the machine has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// # Safety
    /// The machine must have AVX2.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

/// A value of it is made with a [`Token`] or from other values: where there is one, there is AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

#[derive(Clone, Copy)]
pub(super) struct Mask(__m256);

macro_rules! operator {
    ($type:ty, $trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: where there is a value, there is AVX2.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Avx2, Add, add, _mm256_add_ps);
operator!(Avx2, Sub, sub, _mm256_sub_ps);
operator!(Avx2, Mul, mul, _mm256_mul_ps);
operator!(Avx2, Div, div, _mm256_div_ps);
operator!(Mask, BitAnd, bitand, _mm256_and_ps);
operator!(Mask, BitOr, bitor, _mm256_or_ps);

impl Neg for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) })
    }
}

impl Lane for Avx2 {
    const WIDTH: usize = 8;

    type Token = Token;
    type Mask = Mask;

    #[inline(always)]
    fn splat(_: Token, value: f32) -> Self {
        // SAFETY: where there is a token, there is AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(_: Token, from: &[f32; MOST_LANES], at: usize) -> Self {
        let from = &from[at..at + 8];
        // SAFETY: where there is a token, there is AVX2; the slice holds as many numbers.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; MOST_LANES], at: usize) {
        let to = &mut to[at..at + 8];
        // SAFETY: where there is a value, there is AVX2; the slice holds as many numbers.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
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
        let mut from = [std::ptr::null::<f32>(); 8];
        for (from, &index) in from.iter_mut().zip(&indices[at..at + 8]) {
            *from = rows[index as usize].as_ptr();
        }
        for part in 0..N / 4 {
            let mut four = [Self::splat(token, 0.0); 4];
            for (row, to) in four.iter_mut().enumerate() {
                // SAFETY: where there is a token, there is AVX2; each row has four numbers from this part on.
                unsafe {
                    let low = _mm_loadu_ps(from[row].add(4 * part));
                    let high = _mm_loadu_ps(from[row + 4].add(4 * part));
                    *to = Self(_mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high));
                }
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
        let mut to = [std::ptr::null_mut::<f32>(); 8];
        for (to, &index) in to.iter_mut().zip(&indices[at..at + 8]) {
            *to = (&raw mut rows[index as usize]).cast();
        }
        for part in 0..N / 4 {
            let at = 4 * part;
            let four = transposed([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]);
            for row in 0..4 {
                // SAFETY: where there is a value, there is AVX2; the pointers lead to rows of `N` numbers, and nothing
                // else refers to them meanwhile.
                unsafe {
                    _mm_storeu_ps(to[row].add(at), _mm256_castps256_ps128(four[row].0));
                    _mm_storeu_ps(to[row + 4].add(at), _mm256_extractf128_ps::<1>(four[row].0));
                }
            }
        }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn to_integer_bits(self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_castsi256_ps(_mm256_cvttps_epi32(self.0)) })
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX2.
        Mask(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX2.
        Mask(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX2.
        Mask(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        // SAFETY: where there is a value, there is AVX2.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask.0) })
    }
}

/// Rows and columns of four by four numbers exchanged, in each half.
#[inline(always)]
fn transposed([a, b, c, d]: [Avx2; 4]) -> [Avx2; 4] {
    // SAFETY: where there is a value, there is AVX2.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
        [
            Avx2(_mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low)),
            Avx2(_mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low)),
            Avx2(_mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high)),
            Avx2(_mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high)),
        ]
    }
}
