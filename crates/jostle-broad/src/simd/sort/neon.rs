//! Four endpoints in two registers of NEON, and four keys in one.

use std::arch::aarch64::*;

use super::keys::KeyVector;
use super::{EndpointVector, Sorting, SortingNetwork};
use crate::simd::neon::Neon;

#[derive(Clone, Copy)]
pub(in crate::simd) struct NeonEndpoints(float32x4_t, uint32x4_t);

impl Sorting for Neon {
    type Endpoints = NeonEndpoints;
    type Keys = NeonKeys;
}

impl NeonEndpoints {
    /// All bits of the lanes that come after the other's.
    #[inline(always)]
    unsafe fn after(self, other: Self) -> uint32x4_t {
        // SAFETY: the caller has NEON.
        unsafe {
            let greater_tag = vcgtq_s32(vreinterpretq_s32_u32(self.1), vreinterpretq_s32_u32(other.1));
            vorrq_u32(vcgtq_f32(self.0, other.0), vandq_u32(vceqq_f32(self.0, other.0), greater_tag))
        }
    }

    /// The other's lanes where the mask is set.
    #[inline(always)]
    unsafe fn select(self, other: Self, mask: uint32x4_t) -> Self {
        // SAFETY: the caller has NEON.
        unsafe { Self(vbslq_f32(mask, other.0, self.0), vbslq_u32(mask, other.1, self.1)) }
    }

    /// Lane `i` gets lane `i ^ FLIP`.
    #[inline(always)]
    unsafe fn flip<const FLIP: usize>(self) -> Self {
        let mut flipped = self;
        // SAFETY: the caller has NEON.
        unsafe {
            if FLIP & 1 != 0 {
                flipped = Self(vrev64q_f32(flipped.0), vrev64q_u32(flipped.1));
            }
            if FLIP & 2 != 0 {
                flipped = Self(vextq_f32::<2>(flipped.0, flipped.0), vextq_u32::<2>(flipped.1, flipped.1));
            }
        }
        flipped
    }
}

// SAFETY: every method is NEON.
unsafe impl SortingNetwork for NeonEndpoints {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has NEON.
        unsafe {
            let after = self.after(other);
            (self.select(other, after), other.select(self, after))
        }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has NEON.
        unsafe { self.flip::<3>() }
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        const LANES: [u32; 4] = [0, 1, 2, 3];
        // SAFETY: the caller has NEON; the constant holds four numbers.
        unsafe {
            let partner = self.flip::<FLIP>();
            // Upper lanes take their partner where they come not after, but before it.
            let upper = vtstq_u32(vld1q_u32(LANES.as_ptr()), vdupq_n_u32(1 << FLIP.ilog2()));
            self.select(partner, veorq_u32(self.after(partner), upper))
        }
    }
}

// SAFETY: every method is NEON; loads and stores stay inside the slices, as the trait demands of callers.
unsafe impl EndpointVector for NeonEndpoints {
    #[inline(always)]
    unsafe fn load(values: &[f32], tags: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has NEON and leaves room for whole registers.
        unsafe { Self(vld1q_f32(values.as_ptr().add(at)), vld1q_u32(tags.as_ptr().add(at))) }
    }

    #[inline(always)]
    unsafe fn store(self, values: &mut [f32], tags: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= values.len() && at + Self::WIDTH <= tags.len());
        // SAFETY: the caller has NEON and leaves room for whole registers.
        unsafe {
            vst1q_f32(values.as_mut_ptr().add(at), self.0);
            vst1q_u32(tags.as_mut_ptr().add(at), self.1);
        }
    }

    #[inline(always)]
    unsafe fn any_after(self, other: Self) -> bool {
        // SAFETY: the caller has NEON.
        unsafe { vmaxvq_u32(self.after(other)) != 0 }
    }
}

/// Four keys.
#[derive(Clone, Copy)]
pub(in crate::simd) struct NeonKeys(uint32x4_t);

// SAFETY: every method is NEON.
unsafe impl SortingNetwork for NeonKeys {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller has NEON.
        unsafe { (Self(vminq_u32(self.0, other.0)), Self(vmaxq_u32(self.0, other.0))) }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        // SAFETY: the caller has NEON.
        Self(unsafe { flipped::<3>(self.0) })
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        const LANES: [u32; 4] = [0, 1, 2, 3];
        // SAFETY: the caller has NEON; the constant holds four numbers.
        unsafe {
            let (lower, upper) = self.split(Self(flipped::<FLIP>(self.0)));
            let are_upper = vtstq_u32(vld1q_u32(LANES.as_ptr()), vdupq_n_u32(1 << FLIP.ilog2()));
            Self(vbslq_u32(are_upper, upper.0, lower.0))
        }
    }
}

// SAFETY: every method is NEON; loads and stores stay inside the slice, as the trait demands of callers.
unsafe impl KeyVector for NeonKeys {
    #[inline(always)]
    unsafe fn load(keys: &[u32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has NEON and leaves room for a whole register.
        Self(unsafe { vld1q_u32(keys.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, keys: &mut [u32], at: usize) {
        debug_assert!(at + Self::WIDTH <= keys.len());
        // SAFETY: the caller has NEON and leaves room for a whole register.
        unsafe { vst1q_u32(keys.as_mut_ptr().add(at), self.0) };
    }
}

/// Lane `i` gets lane `i ^ FLIP`.
///
/// # Safety
/// The machine must have NEON.
#[inline(always)]
unsafe fn flipped<const FLIP: usize>(mut all: uint32x4_t) -> uint32x4_t {
    // SAFETY: the caller has NEON.
    unsafe {
        if FLIP & 1 != 0 {
            all = vrev64q_u32(all);
        }
        if FLIP & 2 != 0 {
            all = vextq_u32::<2>(all, all);
        }
    }
    all
}
