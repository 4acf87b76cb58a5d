//! The reference: one lane, no vector instructions.

use super::lanes::Vector;

#[derive(Clone, Copy)]
pub(super) struct Scalar(f32);

// SAFETY: plain Rust, no instruction set needed; loads are bounds-checked.
unsafe impl Vector for Scalar {
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        Self(from[at])
    }

    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        u32::from(self.0 <= other.0)
    }
}
