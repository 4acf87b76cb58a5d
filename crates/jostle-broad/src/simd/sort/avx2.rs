//! Eight endpoints in two registers of AVX2, and eight keys in one.

use std::arch::x86_64::*;

use super::keys::KeyVector;
use super::{EndpointVector, Sorting, SortingNetwork};
use crate::simd::avx2::Avx2;

#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx2Endpoints(__m256, __m256i);

impl Sorting for Avx2 {
    type Endpoints = Avx2Endpoints;
    type Keys = Avx2Keys;
}

impl Avx2Endpoints {
    /// All bits of the lanes that come after the other's.
    #[inline(always)]
    unsafe fn after(self, other: Self) -> __m256 {
        // SAFETY: the caller has AVX2.
        unsafe {
            let greater = _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0);
            let equal = _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0);
            let greater_tag = _mm256_castsi256_ps(_mm256_cmpgt_epi32(self.1, other.1));
            _mm256_or_ps(greater, _mm256_and_ps(equal, greater_tag))
        }
    }

    /// The other's lanes where the mask is set.
    #[inline(always)]
    unsafe fn select(self, other: Self, mask: __m256) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            Self(
                _mm256_blendv_ps(self.0, other.0, mask),
                _mm256_blendv_epi8(self.1, other.1, _mm256_castps_si256(mask)),
            )
        }
    }

    /// Lane `i` gets lane `i ^ FLIP`.
    #[inline(always)]
    unsafe fn flip<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let from =
                _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(FLIP as i32));
            Self(_mm256_permutevar8x32_ps(self.0, from), _mm256_permutevar8x32_epi32(self.1, from))
        }
    }
}

// SAFETY: every method is AVX2.
unsafe impl SortingNetwork for Avx2Endpoints {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX2.
        unsafe {
            let after = self.after(other);
            (self.select(other, after), other.select(self, after))
        }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { self.flip::<7>() }
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let partner = self.flip::<FLIP>();
            // Upper lanes take their partner where they come not after, but before it.
            let upper_bit = _mm256_set1_epi32(1 << FLIP.ilog2());
            let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let upper = _mm256_cmpeq_epi32(_mm256_and_si256(lane, upper_bit), upper_bit);
            self.select(partner, _mm256_xor_ps(self.after(partner), _mm256_castsi256_ps(upper)))
        }
    }
}

// SAFETY: every method is AVX2; loads and stores stay inside the slices, as the trait demands of callers.
unsafe impl EndpointVector for Avx2Endpoints {
    #[inline(always)]
    unsafe fn load(values: &[f32], tags: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has AVX2 and leaves room for whole registers; the loads need no alignment.
        unsafe {
            Self(_mm256_loadu_ps(values.as_ptr().add(at)), _mm256_loadu_si256(tags.as_ptr().add(at).cast()))
        }
    }

    #[inline(always)]
    unsafe fn store(self, values: &mut [f32], tags: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has AVX2 and leaves room for whole registers; the stores need no alignment.
        unsafe {
            _mm256_storeu_ps(values.as_mut_ptr().add(at), self.0);
            _mm256_storeu_si256(tags.as_mut_ptr().add(at).cast(), self.1);
        }
    }

    #[inline(always)]
    unsafe fn any_after(self, other: Self) -> bool {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_movemask_ps(self.after(other)) != 0 }
    }
}

/// Eight keys.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx2Keys(__m256i);

// SAFETY: every method is AVX2.
unsafe impl SortingNetwork for Avx2Keys {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX2.
        unsafe { (Self(_mm256_min_epu32(self.0, other.0)), Self(_mm256_max_epu32(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has AVX2.
        Self(unsafe { flipped::<7>(self.0) })
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let (lower, upper) = self.split(Self(flipped::<FLIP>(self.0)));
            // The lanes whose number has the highest bit of `FLIP` are the upper ones of each exchange.
            Self(match FLIP.ilog2() {
                0 => _mm256_blend_epi32::<0b1010_1010>(lower.0, upper.0),
                1 => _mm256_blend_epi32::<0b1100_1100>(lower.0, upper.0),
                _ => _mm256_blend_epi32::<0b1111_0000>(lower.0, upper.0),
            })
        }
    }
}

// SAFETY: every method is AVX2; loads and stores stay inside the slice, as the trait demands of callers.
unsafe impl KeyVector for Avx2Keys {
    #[inline(always)]
    unsafe fn load(keys: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has AVX2 and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm256_loadu_si256(keys.as_ptr().add(at).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, keys: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has AVX2 and leaves room for a whole register; the store needs no alignment.
        unsafe { _mm256_storeu_si256(keys.as_mut_ptr().add(at).cast(), self.0) };
    }
}

/// Lane `i` gets lane `i ^ FLIP`.
///
/// # Safety
/// The machine must have AVX2.
#[inline(always)]
unsafe fn flipped<const FLIP: usize>(all: __m256i) -> __m256i {
    // SAFETY: the caller has AVX2.
    unsafe {
        match FLIP {
            // Within four lanes there is a cheaper instruction.
            1 => _mm256_shuffle_epi32::<0b10_11_00_01>(all),
            2 => _mm256_shuffle_epi32::<0b01_00_11_10>(all),
            3 => _mm256_shuffle_epi32::<0b00_01_10_11>(all),
            _ => {
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                _mm256_permutevar8x32_epi32(all, _mm256_xor_si256(lanes, _mm256_set1_epi32(FLIP as i32)))
            }
        }
    }
}
