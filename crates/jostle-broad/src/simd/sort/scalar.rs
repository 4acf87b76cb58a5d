//! One endpoint at a time, which is the plain insertion sort, or one key.

use super::keys::KeyVector;
use super::{EndpointVector, Sorting, SortingNetwork};
use crate::simd::scalar::Scalar;

#[derive(Clone, Copy)]
pub(in crate::simd) struct ScalarEndpoint(f32, u32);

impl Sorting for Scalar {
    type Endpoints = ScalarEndpoint;
    type Keys = ScalarKey;
}

impl ScalarEndpoint {
    #[inline(always)]
    fn is_after(self, other: Self) -> bool {
        self.0 > other.0 || self.0 == other.0 && self.1.cast_signed() > other.1.cast_signed()
    }
}

// SAFETY: plain Rust, no instruction set needed; loads and stores are bounds-checked.
unsafe impl SortingNetwork for ScalarEndpoint {
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        if self.is_after(other) { (other, self) } else { (self, other) }
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        self
    }
}

// SAFETY: plain Rust, no instruction set needed; loads and stores are bounds-checked.
unsafe impl EndpointVector for ScalarEndpoint {
    #[inline(always)]
    unsafe fn load(values: &[f32], tags: &[u32], at: usize) -> Self {
        Self(values[at], tags[at])
    }

    #[inline(always)]
    unsafe fn store(self, values: &mut [f32], tags: &mut [u32], at: usize) {
        (values[at], tags[at]) = (self.0, self.1);
    }

    #[inline(always)]
    unsafe fn any_after(self, other: Self) -> bool {
        self.is_after(other)
    }
}

/// One key.
#[derive(Clone, Copy)]
pub(in crate::simd) struct ScalarKey(u32);

// SAFETY: plain Rust, no instruction set needed.
unsafe impl SortingNetwork for ScalarKey {
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn split(self, other: Self) -> (Self, Self) {
        (Self(self.0.min(other.0)), Self(self.0.max(other.0)))
    }

    #[inline(always)]
    unsafe fn reverse(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(self) -> Self {
        self
    }
}

// SAFETY: plain Rust, no instruction set needed; loads and stores are bounds-checked.
unsafe impl KeyVector for ScalarKey {
    #[inline(always)]
    unsafe fn load(keys: &[u32], at: usize) -> Self {
        Self(keys[at])
    }

    #[inline(always)]
    unsafe fn store(self, keys: &mut [u32], at: usize) {
        keys[at] = self.0;
    }
}
