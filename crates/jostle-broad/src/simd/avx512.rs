//! Sixteen lanes of AVX-512.

use std::arch::x86_64::*;

use super::lanes::Vector;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

// SAFETY: every method is AVX-512F; loads stay inside the slice, as the trait demands of callers.
unsafe impl Vector for Avx512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX-512F.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the caller has AVX-512F and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: the caller has AVX-512F.
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)) }
    }
}
