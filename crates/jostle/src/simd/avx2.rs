//! Eight lanes of AVX.

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use super::vector::Vector;
use crate::solve::layout::{BodyRow, Impulse, UNITS};

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

impl Add for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where there is AVX2.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }
}

impl Sub for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
}

impl Mul for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
}

impl Neg for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

// SAFETY: the constructors are AVX2 and demand it of their callers.
unsafe impl Vector for Avx2 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; UNITS], at: usize) -> Self {
        // SAFETY: the caller has AVX2; the slice has as many numbers.
        Self(unsafe { _mm256_loadu_ps(from[at..at + 8].as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; UNITS], at: usize) {
        // SAFETY: a value exists, so there is AVX2; the slice has as many numbers.
        unsafe { _mm256_storeu_ps(to[at..at + 8].as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn if_greater(self, other: Self, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let greater = _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0);
            _mm256_blendv_ps(no.0, yes.0, greater)
        })
    }

    #[inline(always)]
    unsafe fn load_rows(rows: &[BodyRow], indices: &[u32; UNITS], at: usize) -> [Self; BodyRow::NUMBERS] {
        // SAFETY: the caller has AVX2; a row has 32 numbers.
        unsafe {
            // Loops, not closures: those would be compiled without the instructions.
            let mut parts = [[_mm256_setzero_ps(); 8]; 4];
            for (index, part) in parts.iter_mut().enumerate() {
                for lane in 0..8 {
                    let numbers = rows[indices[at + lane] as usize].numbers().as_ptr();
                    part[lane] = _mm256_loadu_ps(numbers.add(8 * index));
                }
                *part = transposed(*part);
            }
            let mut out = [Self(_mm256_setzero_ps()); BodyRow::NUMBERS];
            for number in 0..BodyRow::NUMBERS {
                out[number] = Self(parts[number / 8][number % 8]);
            }
            out
        }
    }

    #[inline(always)]
    fn store_impulses(numbers: [Self; 6], to: &mut [Impulse; UNITS], at: usize) {
        // SAFETY: values exist, so there is AVX2; an impulse has room for eight numbers.
        unsafe {
            let zero = _mm256_setzero_ps();
            let [Self(x), Self(y), Self(z), Self(u), Self(v), Self(w)] = numbers;
            let rows = transposed([x, y, z, zero, u, v, w, zero]);
            for (lane, row) in rows.into_iter().enumerate() {
                _mm256_storeu_ps(to[at + lane].0.as_mut_ptr(), row);
            }
        }
    }
}

/// Eight rows of eight numbers as eight columns.
#[inline(always)]
unsafe fn transposed(rows: [__m256; 8]) -> [__m256; 8] {
    // SAFETY: the caller has AVX2.
    unsafe {
        let mut quads = [_mm256_setzero_ps(); 8];
        for four in 0..2 {
            let [a, b, c, d] = [rows[4 * four], rows[4 * four + 1], rows[4 * four + 2], rows[4 * four + 3]];
            let low = [_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)];
            let high = [_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)];
            quads[4 * four] = _mm256_shuffle_ps::<0b01_00_01_00>(low[0], low[1]);
            quads[4 * four + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(low[0], low[1]);
            quads[4 * four + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(high[0], high[1]);
            quads[4 * four + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(high[0], high[1]);
        }
        // quads[4 g + c] holds, in its half h, column 4 h + c of rows 4 g to 4 g + 3.
        let mut columns = [_mm256_setzero_ps(); 8];
        for column in 0..4 {
            columns[column] = _mm256_permute2f128_ps::<0x20>(quads[column], quads[4 + column]);
            columns[column + 4] = _mm256_permute2f128_ps::<0x31>(quads[column], quads[4 + column]);
        }
        columns
    }
}
