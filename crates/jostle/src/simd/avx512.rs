//! Sixteen lanes of AVX-512F.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::lane::{Lane, MOST_LANES};

/// The proof that the machine has AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct Token(());

impl Token {
    /// # Safety
    /// The machine must have AVX-512F.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }
}

/// A value of it is made with a [`Token`] or from other values: where there is one, there is AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

#[derive(Clone, Copy)]
pub(super) struct Mask(__mmask16);

macro_rules! operator {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Avx512 {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: where there is a value, there is AVX-512F.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, _mm512_add_ps);
operator!(Sub, sub, _mm512_sub_ps);
operator!(Mul, mul, _mm512_mul_ps);
operator!(Div, div, _mm512_div_ps);

impl Neg for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        unsafe {
            let flipped = _mm512_xor_si512(_mm512_castps_si512(self.0), _mm512_set1_epi32(i32::MIN));
            Self(_mm512_castsi512_ps(flipped))
        }
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Lane for Avx512 {
    const WIDTH: usize = 16;

    type Token = Token;
    type Mask = Mask;

    #[inline(always)]
    fn splat(_: Token, value: f32) -> Self {
        // SAFETY: where there is a token, there is AVX-512F.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(_: Token, from: &[f32; MOST_LANES], at: usize) -> Self {
        let from = &from[at..at + 16];
        // SAFETY: where there is a token, there is AVX-512F; the slice holds as many numbers.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; MOST_LANES], at: usize) {
        let to = &mut to[at..at + 16];
        // SAFETY: where there is a value, there is AVX-512F; the slice holds as many numbers.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) };
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
        let mut from = [std::ptr::null::<f32>(); 16];
        for (from, &index) in from.iter_mut().zip(&indices[at..at + 16]) {
            *from = rows[index as usize].as_ptr();
        }
        for part in 0..N / 4 {
            let mut four = [Self::splat(token, 0.0); 4];
            for (row, to) in four.iter_mut().enumerate() {
                // SAFETY: where there is a token, there is AVX-512F; each row has four numbers from this part on.
                unsafe {
                    let a = _mm_loadu_ps(from[row].add(4 * part));
                    let b = _mm_loadu_ps(from[row + 4].add(4 * part));
                    let c = _mm_loadu_ps(from[row + 8].add(4 * part));
                    let d = _mm_loadu_ps(from[row + 12].add(4 * part));
                    let ab = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(a), b);
                    *to = Self(_mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(ab, c), d));
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
        let mut to = [std::ptr::null_mut::<f32>(); 16];
        for (to, &index) in to.iter_mut().zip(&indices[at..at + 16]) {
            *to = (&raw mut rows[index as usize]).cast();
        }
        for part in 0..N / 4 {
            let at = 4 * part;
            let four = transposed([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]);
            for row in 0..4 {
                // SAFETY: where there is a value, there is AVX-512F; the pointers lead to rows of `N` numbers, and nothing
                // else refers to them meanwhile.
                unsafe {
                    let rows = four[row].0;
                    _mm_storeu_ps(to[row].add(at), _mm512_castps512_ps128(rows));
                    _mm_storeu_ps(to[row + 4].add(at), _mm512_extractf32x4_ps::<1>(rows));
                    _mm_storeu_ps(to[row + 8].add(at), _mm512_extractf32x4_ps::<2>(rows));
                    _mm_storeu_ps(to[row + 12].add(at), _mm512_extractf32x4_ps::<3>(rows));
                }
            }
        }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn to_integer_bits(self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_castsi512_ps(_mm512_cvttps_epi32(self.0)) })
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX-512F.
        Mask(unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX-512F.
        Mask(unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Mask {
        // SAFETY: where there is a value, there is AVX-512F.
        Mask(unsafe { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        // SAFETY: where there is a value, there is AVX-512F.
        Self(unsafe { _mm512_mask_blend_ps(mask.0, no.0, yes.0) })
    }
}

/// Rows and columns of four by four numbers exchanged, in each quarter.
#[inline(always)]
fn transposed([a, b, c, d]: [Avx512; 4]) -> [Avx512; 4] {
    // SAFETY: where there is a value, there is AVX-512F.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a.0, b.0), _mm512_unpackhi_ps(a.0, b.0));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c.0, d.0), _mm512_unpackhi_ps(c.0, d.0));
        [
            Avx512(_mm512_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low)),
            Avx512(_mm512_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low)),
            Avx512(_mm512_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high)),
            Avx512(_mm512_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high)),
        ]
    }
}
