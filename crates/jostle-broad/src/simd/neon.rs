//! Four lanes of NEON.

use std::arch::aarch64::*;

use super::deal::Dealing;
use super::lanes::Vector;
use super::past::LINE;
use super::records::{HOME_A, HOME_B, Record};
use super::scalar::Scalar;
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
    unsafe fn lesser(self, other: Self) -> Self {
        // SAFETY: the caller has NEON. This one prefers the number where one of both is NaN.
        Self(unsafe { vminnmq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn greater(self, other: Self) -> Self {
        // SAFETY: as for `lesser`.
        Self(unsafe { vmaxnmq_f32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn span(least: [Self; 3], most: [Self; 3]) -> Aabb {
        // SAFETY: the caller has NEON.
        unsafe { bytemuck::cast([least.map(|four| vminvq_f32(four.0)), most.map(|four| vmaxvq_f32(four.0))]) }
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
    unsafe fn unequal(a: &[u64; 8], b: &[u64; 8]) -> u32 {
        // SAFETY: nothing but plain comparisons in there.
        unsafe { Scalar::unequal(a, b) }
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
    unsafe fn load_boxes(numbers: &[f32], at: usize, stride: usize) -> [Self; 6] {
        // SAFETY: the caller has NEON.
        unsafe { load_from(numbers, [0, 1, 2, 3].map(|lane| at + lane * stride)) }
    }

    #[inline(always)]
    unsafe fn load_boxes_of(numbers: &[f32], slots: &[u32]) -> [Self; 6] {
        // SAFETY: the caller has NEON.
        unsafe { load_from(numbers, [0, 1, 2, 3].map(|lane| 6 * slots[lane] as usize)) }
    }

    #[inline(always)]
    unsafe fn locate(
        block: &[Self; 6],
        dealing: &Dealing<'_>,
        buckets: *mut u32,
        tails: *mut u32,
    ) -> [u32; 3] {
        let mut columns = [[0.0; 4]; 6];
        for (column, register) in columns.iter_mut().zip(block) {
            // SAFETY: the caller has NEON; a column holds four numbers.
            unsafe { vst1q_f32(column.as_mut_ptr(), register.0) };
        }
        let mut sets = [0; 3];
        for lane in 0..4 {
            let numbers = columns.map(|column| column[lane]);
            // SAFETY: needs no instructions; the caller has room for four numbers.
            let one = unsafe {
                let six = Scalar::load_boxes(&numbers, 0, 6);
                Scalar::locate(&six, dealing, buckets.add(lane), tails.add(lane))
            };
            for (set, one) in sets.iter_mut().zip(one) {
                *set |= one << lane;
            }
        }
        sets
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record) {
        // SAFETY: the caller has room for a record.
        unsafe { Scalar::write_record(numbers, at, key, tail, to) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> ([Self; 6], [u32; 2]) {
        let mut numbers = [[0.0; 4]; 6];
        let mut homes = [0; 2];
        for (lane, record) in records[at..at + 4].iter().enumerate() {
            let six: [f32; 6] = bytemuck::cast(record.aabb);
            for (column, number) in numbers.iter_mut().zip(six) {
                column[lane] = number;
            }
            for (home, axis) in homes.iter_mut().zip([HOME_A, HOME_B]) {
                *home |= u32::from(record.tail & axis != 0) << lane;
            }
        }
        // SAFETY: the caller has NEON; each column holds four numbers.
        (numbers.map(|column| Self(unsafe { vld1q_f32(column.as_ptr()) })), homes)
    }

    #[inline(always)]
    unsafe fn prefetch(_from: *const Aabb) {}

    #[inline(always)]
    unsafe fn prefetch_once(_from: *const Aabb) {}

    #[inline(always)]
    unsafe fn write_line(line: &[f32; LINE], to: &mut [f32; LINE]) {
        *to = *line;
    }

    #[inline(always)]
    unsafe fn end_lines() {}
}

/// Four boxes by where they begin, one register for each of their six numbers.
///
/// # Safety
/// The machine must have NEON.
#[inline(always)]
unsafe fn load_from(numbers: &[f32], begins: [usize; 4]) -> [Neon; 6] {
    let mut columns = [[0.0; 4]; 6];
    for (lane, begin) in begins.into_iter().enumerate() {
        for (number, column) in columns.iter_mut().enumerate() {
            column[lane] = numbers[begin + number];
        }
    }
    // SAFETY: the caller has NEON; each column holds four numbers.
    columns.map(|column| Neon(unsafe { vld1q_f32(column.as_ptr()) }))
}
