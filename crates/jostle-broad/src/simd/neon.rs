//! Four lanes of NEON.

use std::arch::aarch64::*;

use super::cells::{CellGrid, Cells};
use super::lanes::Vector;
use super::records::Record;
use crate::Aabb;

#[derive(Clone, Copy)]
pub(super) struct Neon(float32x4_t);

// SAFETY: every method is NEON; loads stay inside the slice, as the trait demands of callers.
unsafe impl Vector for Neon {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has NEON.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the caller has NEON and leaves room for a whole register.
        Self(unsafe { vld1q_f32(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        let to = &mut to[at..at + Self::WIDTH];
        // SAFETY: the caller has NEON; the slice holds four numbers.
        unsafe { vst1q_f32(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    unsafe fn gather(from: &[f32], indices: &[u32], number: usize) -> Self {
        let mut four = [0.0; 4];
        for (lane, to) in four.iter_mut().enumerate() {
            *to = from[6 * indices[lane] as usize + number];
        }
        // SAFETY: the caller has NEON; there are four numbers.
        Self(unsafe { vld1q_f32(four.as_ptr()) })
    }

    #[inline(always)]
    unsafe fn least(numbers: &[f32; 16]) -> f32 {
        // SAFETY: nothing but plain comparisons in there.
        unsafe { super::scalar::Scalar::least(numbers) }
    }

    #[inline(always)]
    unsafe fn most(numbers: &[f32; 16]) -> f32 {
        // SAFETY: nothing but plain comparisons in there.
        unsafe { super::scalar::Scalar::most(numbers) }
    }

    type Mask = uint32x4_t;

    #[inline(always)]
    unsafe fn le(self, other: Self) -> uint32x4_t {
        // SAFETY: the caller has NEON.
        unsafe { vcleq_f32(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn both(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: the caller has NEON.
        unsafe { vandq_u32(a, b) }
    }

    #[inline(always)]
    unsafe fn bits(mask: uint32x4_t) -> u32 {
        const BITS: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: the caller has NEON; the constant holds four numbers.
        unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32(BITS.as_ptr()))) }
    }

    #[inline(always)]
    unsafe fn store_positions(base: u32, mask: u32, to: *mut u32) {
        let mut count = 0;
        for lane in 0..4 {
            // SAFETY: the caller has room for four numbers, and no more than four are written.
            unsafe { to.add(count).write(base + lane) };
            count += (mask >> lane & 1) as usize;
        }
    }

    #[inline(always)]
    unsafe fn store_repeated(number: u32, to: *mut u32) {
        // SAFETY: the caller has NEON and room for a whole register.
        unsafe { vst1q_u32(to, vdupq_n_u32(number)) };
    }

    #[inline(always)]
    unsafe fn cells(numbers: &[f32], at: usize, grid: &CellGrid) -> Cells {
        // SAFETY: nothing but bounds-checked reads in there.
        unsafe { super::scalar::Scalar::cells(numbers, at, grid) }
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, tail: u64, to: *mut Record) {
        // SAFETY: the caller has room for a record.
        unsafe { super::scalar::Scalar::write_record(numbers, at, tail, to) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> [Self; 6] {
        let mut numbers = [[0.0; 4]; 6];
        for (lane, record) in records[at..at + 4].iter().enumerate() {
            let six: [f32; 6] = bytemuck::cast(record.aabb);
            for (column, number) in numbers.iter_mut().zip(six) {
                column[lane] = number;
            }
        }
        // SAFETY: the caller has NEON; each column holds four numbers.
        numbers.map(|column| Self(unsafe { vld1q_f32(column.as_ptr()) }))
    }

    #[inline(always)]
    unsafe fn prefetch(_from: *const Aabb) {}
}
