//! Eight lanes of AVX2.

use std::arch::x86_64::*;

use super::lanes::Vector;

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

// SAFETY: every method is AVX2; loads stay inside the slice, as the trait demands of callers.
unsafe impl Vector for Avx2 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the caller has AVX2 and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)) as u32 }
    }
}
