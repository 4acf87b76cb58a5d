//! Sixteen lanes of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use super::vector::Vector;
use crate::solve::layout::{BodyRow, Impulse, UNITS};

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

impl Add for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where there is AVX-512F.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }
}

impl Sub for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
}

impl Mul for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
}

impl Neg for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let sign = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(self.0), sign))
        })
    }
}

// SAFETY: the constructors are AVX-512F and demand it of their callers.
unsafe impl Vector for Avx512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX-512F.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; UNITS], at: usize) -> Self {
        debug_assert_eq!(at, 0);
        // SAFETY: the caller has AVX-512F; sixteen numbers are there.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; UNITS], at: usize) {
        debug_assert_eq!(at, 0);
        // SAFETY: a value exists, so there is AVX-512F; there is room for sixteen numbers.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn if_greater(self, other: Self, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let greater = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0);
            _mm512_mask_blend_ps(greater, no.0, yes.0)
        })
    }

    #[inline(always)]
    unsafe fn load_rows(rows: &[BodyRow], indices: &[u32; UNITS], _at: usize) -> [Self; BodyRow::NUMBERS] {
        // SAFETY: the caller has AVX-512F; a row has 32 numbers.
        unsafe {
            // Loops, not closures: those would be compiled without the instructions.
            let mut halves = [[_mm512_setzero_ps(); 16]; 2];
            for lane in 0..16 {
                let numbers = rows[indices[lane] as usize].numbers().as_ptr();
                halves[0][lane] = _mm512_loadu_ps(numbers);
                halves[1][lane] = _mm512_loadu_ps(numbers.add(16));
            }
            let columns = [transposed(halves[0]), transposed(halves[1])];
            let mut out = [Self(_mm512_setzero_ps()); BodyRow::NUMBERS];
            for number in 0..BodyRow::NUMBERS {
                out[number] = Self(columns[number / 16][number % 16]);
            }
            out
        }
    }

    #[inline(always)]
    fn store_impulses(numbers: [Self; 6], to: &mut [Impulse; UNITS], _at: usize) {
        // SAFETY: values exist, so there is AVX-512F (and AVX); an impulse has room for eight numbers.
        unsafe {
            let zero = _mm512_setzero_ps();
            let [Self(x), Self(y), Self(z), Self(u), Self(v), Self(w)] = numbers;
            let linear = quads([x, y, z, zero]);
            let angular = quads([u, v, w, zero]);
            // Quad c holds, in its quarter q, the numbers of lane 4 q + c.
            for lane in 0..4 {
                store_quarters(linear[lane], angular[lane], lane, to);
            }
        }
    }
}

/// Writes lanes `lane`, `lane + 4`, `lane + 8` and `lane + 12` of impulses.
#[inline(always)]
unsafe fn store_quarters(linear: __m512, angular: __m512, lane: usize, to: &mut [Impulse; UNITS]) {
    // SAFETY: the caller has AVX-512F; an impulse has room for two quads.
    unsafe {
        let linear = [
            _mm512_extractf32x4_ps::<0>(linear),
            _mm512_extractf32x4_ps::<1>(linear),
            _mm512_extractf32x4_ps::<2>(linear),
            _mm512_extractf32x4_ps::<3>(linear),
        ];
        let angular = [
            _mm512_extractf32x4_ps::<0>(angular),
            _mm512_extractf32x4_ps::<1>(angular),
            _mm512_extractf32x4_ps::<2>(angular),
            _mm512_extractf32x4_ps::<3>(angular),
        ];
        for quarter in 0..4 {
            let to = to[lane + 4 * quarter].0.as_mut_ptr();
            _mm_storeu_ps(to, linear[quarter]);
            _mm_storeu_ps(to.add(4), angular[quarter]);
        }
    }
}

/// Sixteen rows of sixteen numbers as sixteen columns.
#[inline(always)]
unsafe fn transposed(rows: [__m512; 16]) -> [__m512; 16] {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        let mut groups = [[_mm512_setzero_ps(); 4]; 4];
        for group in 0..4 {
            groups[group] =
                quads([rows[4 * group], rows[4 * group + 1], rows[4 * group + 2], rows[4 * group + 3]]);
        }
        // groups[g][c] holds, in its quarter q, column 4 q + c of rows 4 g to 4 g + 3.
        let mut columns = [_mm512_setzero_ps(); 16];
        for column in 0..4 {
            let [a, b, c, d] = [groups[0][column], groups[1][column], groups[2][column], groups[3][column]];
            let ab_even = _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b);
            let ab_odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b);
            let cd_even = _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d);
            let cd_odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d);
            columns[column] = _mm512_shuffle_f32x4::<0b10_00_10_00>(ab_even, cd_even);
            columns[column + 4] = _mm512_shuffle_f32x4::<0b10_00_10_00>(ab_odd, cd_odd);
            columns[column + 8] = _mm512_shuffle_f32x4::<0b11_01_11_01>(ab_even, cd_even);
            columns[column + 12] = _mm512_shuffle_f32x4::<0b11_01_11_01>(ab_odd, cd_odd);
        }
        columns
    }
}

/// Four rows as four columns, in each quarter of the registers.
#[inline(always)]
unsafe fn quads(rows: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        let low = [_mm512_unpacklo_ps(rows[0], rows[1]), _mm512_unpacklo_ps(rows[2], rows[3])];
        let high = [_mm512_unpackhi_ps(rows[0], rows[1]), _mm512_unpackhi_ps(rows[2], rows[3])];
        [
            _mm512_shuffle_ps::<0b01_00_01_00>(low[0], low[1]),
            _mm512_shuffle_ps::<0b11_10_11_10>(low[0], low[1]),
            _mm512_shuffle_ps::<0b01_00_01_00>(high[0], high[1]),
            _mm512_shuffle_ps::<0b11_10_11_10>(high[0], high[1]),
        ]
    }
}
