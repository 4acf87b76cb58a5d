//! Sixteen endpoints in two registers of AVX-512, and sixteen keys in one.

use std::arch::x86_64::*;

use super::keys::KeyVector;
use super::{EndpointVector, Sorting, SortingNetwork, Unpacking};
use crate::Pair;
use crate::simd::avx512::Avx512;

#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx512Endpoints(__m512, __m512i);

impl Sorting for Avx512 {
    type Endpoints = Avx512Endpoints;
    type Keys = Avx512Keys;
}

/// The lanes whose number has the highest bit of `flip`: the upper ones of each exchange.
const fn upper_lanes(flip: usize) -> u16 {
    let (mut lanes, mut lane) = (0, 0);
    while lane < 16 {
        lanes |= ((lane >> flip.ilog2() & 1) as u16) << lane;
        lane += 1;
    }
    lanes
}

impl Avx512Endpoints {
    /// The lanes that come after the other's.
    #[inline(always)]
    unsafe fn after(self, other: Self) -> u16 {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let greater = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0);
            let equal = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, other.0);
            greater | _mm512_mask_cmpgt_epi32_mask(equal, self.1, other.1)
        }
    }

    /// The other's lanes where the mask is set.
    #[inline(always)]
    unsafe fn select(self, other: Self, mask: u16) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            Self(_mm512_mask_blend_ps(mask, self.0, other.0), _mm512_mask_blend_epi32(mask, self.1, other.1))
        }
    }

    /// Lane `i` gets lane `i ^ FLIP`.
    #[inline(always)]
    unsafe fn flip<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let from = _mm512_xor_si512(lanes, _mm512_set1_epi32(FLIP as i32));
            Self(_mm512_permutexvar_ps(from, self.0), _mm512_permutexvar_epi32(from, self.1))
        }
    }
}

// SAFETY: every method is AVX-512F.
unsafe impl SortingNetwork for Avx512Endpoints {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let after = self.after(other);
            (self.select(other, after), other.select(self, after))
        }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { self.flip::<15>() }
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let partner = self.flip::<FLIP>();
            // Upper lanes take their partner where they come not after, but before it.
            self.select(partner, self.after(partner) ^ const { upper_lanes(FLIP) })
        }
    }
}

// SAFETY: every method is AVX-512F; loads and stores stay inside the slices, as the trait demands of callers.
unsafe impl EndpointVector for Avx512Endpoints {
    #[inline(always)]
    unsafe fn load(values: &[f32], tags: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has AVX-512F and leaves room for whole registers; the loads need no alignment.
        unsafe {
            Self(_mm512_loadu_ps(values.as_ptr().add(at)), _mm512_loadu_si512(tags.as_ptr().add(at).cast()))
        }
    }

    #[inline(always)]
    unsafe fn store(self, values: &mut [f32], tags: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has AVX-512F and leaves room for whole registers; the stores need no alignment.
        unsafe {
            _mm512_storeu_ps(values.as_mut_ptr().add(at), self.0);
            _mm512_storeu_si512(tags.as_mut_ptr().add(at).cast(), self.1);
        }
    }

    #[inline(always)]
    unsafe fn any_after(self, other: Self) -> bool {
        // SAFETY: the caller has AVX-512F.
        unsafe { self.after(other) != 0 }
    }
}

/// Sixteen keys.
#[derive(Clone, Copy)]
pub(in crate::simd) struct Avx512Keys(__m512i);

// SAFETY: every method is AVX-512F.
unsafe impl SortingNetwork for Avx512Keys {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe { (Self(_mm512_min_epu32(self.0, other.0)), Self(_mm512_max_epu32(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        Self(unsafe { flipped::<15>(self.0) })
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let partner = flipped::<FLIP>(self.0);
            let lower = _mm512_min_epu32(self.0, partner);
            Self(_mm512_mask_max_epu32(lower, const { upper_lanes(FLIP) }, self.0, partner))
        }
    }
}

// SAFETY: every method is AVX-512F; loads and stores stay inside the slice, as the trait demands of callers.
unsafe impl KeyVector for Avx512Keys {
    #[inline(always)]
    unsafe fn load(keys: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has AVX-512F and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm512_loadu_si512(keys.as_ptr().add(at).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, keys: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has AVX-512F and leaves room for a whole register; the store needs no alignment.
        unsafe { _mm512_storeu_si512(keys.as_mut_ptr().add(at).cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn load_some(keys: &[u32], at: usize) -> Self {
        let lanes = first_lanes(keys.len().saturating_sub(at));
        // SAFETY: the caller has AVX-512F; only lanes are read for which there are keys.
        unsafe {
            let last = _mm512_set1_epi32(-1);
            Self(_mm512_mask_loadu_epi32(last, lanes, keys.as_ptr().wrapping_add(at).cast()))
        }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, unpacking: &Unpacking, out: &mut [Pair], at: usize) {
        debug_assert!(at <= out.len());
        let lanes = first_lanes(out.len() - at);
        // SAFETY: the caller has AVX-512F; only lanes are written for which there is room.
        unsafe {
            let shift = _mm_cvtsi32_si128(unpacking.high_bits as i32);
            let low = _mm512_and_si512(
                _mm512_srl_epi32(self.0, shift),
                _mm512_set1_epi32(unpacking.low_mask as i32),
            );
            let low = _mm512_or_si512(low, _mm512_set1_epi32(unpacking.common.low as i32));
            let high = _mm512_and_si512(self.0, _mm512_set1_epi32(unpacking.high_mask as i32));
            let high = _mm512_or_si512(high, _mm512_set1_epi32(unpacking.common.high as i32));
            let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            let to = out.as_mut_ptr().add(at).cast::<i64>();
            _mm512_mask_storeu_epi64(to, lanes as u8, _mm512_permutex2var_epi32(low, first, high));
            let to = to.wrapping_add(8);
            _mm512_mask_storeu_epi64(to, (lanes >> 8) as u8, _mm512_permutex2var_epi32(low, second, high));
        }
    }
}

/// As many lanes as there are of so many.
#[inline(always)]
fn first_lanes(count: usize) -> u16 {
    if count < 16 { (1 << count) - 1 } else { u16::MAX }
}

/// Lane `i` gets lane `i ^ FLIP`.
///
/// # Safety
/// The machine must have AVX-512F.
#[inline(always)]
unsafe fn flipped<const FLIP: usize>(all: __m512i) -> __m512i {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        match FLIP {
            // Within four lanes there is a cheaper instruction.
            1 => _mm512_shuffle_epi32::<0b10_11_00_01>(all),
            2 => _mm512_shuffle_epi32::<0b01_00_11_10>(all),
            3 => _mm512_shuffle_epi32::<0b00_01_10_11>(all),
            _ => {
                let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                _mm512_permutexvar_epi32(_mm512_xor_si512(lanes, _mm512_set1_epi32(FLIP as i32)), all)
            }
        }
    }
}
