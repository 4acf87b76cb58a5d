//! The reference: one lane, no vector instructions.

use super::deal::Dealing;
use super::lanes::Vector;
use super::past::LINE;
use super::records::{HOME_A, HOME_B, Record};
use crate::Aabb;

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
    unsafe fn store(self, to: &mut [f32], at: usize) {
        to[at] = self.0;
    }

    #[inline(always)]
    unsafe fn lesser(self, other: Self) -> Self {
        Self(if self.0 < other.0 { self.0 } else { other.0 })
    }

    #[inline(always)]
    unsafe fn greater(self, other: Self) -> Self {
        Self(if self.0 > other.0 { self.0 } else { other.0 })
    }

    #[inline(always)]
    unsafe fn span(least: [Self; 3], most: [Self; 3]) -> Aabb {
        bytemuck::cast([least, most].map(|three| three.map(|one| one.0)))
    }

    type Mask = bool;

    #[inline(always)]
    unsafe fn le(self, other: Self) -> bool {
        self.0 <= other.0
    }

    #[inline(always)]
    unsafe fn both(a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    unsafe fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }

    #[inline(always)]
    unsafe fn unequal(a: &[u64; 8], b: &[u64; 8]) -> u32 {
        (0..8).fold(0, |bits, i| bits | u32::from(a[i] != b[i]) << i)
    }

    #[inline(always)]
    unsafe fn store_positions(base: u32, _mask: u32, to: *mut u32) {
        // SAFETY: the caller has room for one number.
        unsafe { to.write(base) };
    }

    #[inline(always)]
    unsafe fn load_boxes(numbers: &[f32], at: usize, _stride: usize) -> [Self; 6] {
        let six: &[f32; 6] = numbers[at..].first_chunk().expect("a box has six numbers");
        six.map(Self)
    }

    #[inline(always)]
    unsafe fn load_boxes_of(numbers: &[f32], slots: &[u32]) -> [Self; 6] {
        // SAFETY: needs no instructions.
        unsafe { Self::load_boxes(numbers, 6 * slots[0] as usize, 6) }
    }

    #[inline(always)]
    unsafe fn locate(
        block: &[Self; 6],
        dealing: &Dealing<'_>,
        buckets: *mut u32,
        tails: *mut u32,
    ) -> [u32; 3] {
        let Dealing { grid, steps, across: [a, b], along, .. } = *dealing;
        let min = [a, b, along].map(|axis| grid.cell(axis, block[axis].0));
        let max = [a, b, along].map(|axis| grid.cell(axis, block[axis + 3].0));
        let (further_a, further_b) = (max[0] - min[0], max[1] - min[1]);
        let wide = further_a > 1 || further_b > 1 || block[0].0.is_nan() || dealing.all_wide;
        let bucket =
            if wide { steps.buckets } else { min[0] * steps.a + min[1] * steps.b + min[2] * steps.bin };
        // SAFETY: the caller has room for a number in both.
        unsafe {
            buckets.write(bucket);
            tails.write(Record::tail(min[2], max[2]));
        }
        let narrow = u32::from(!wide);
        [further_a & narrow, further_b & narrow, 1 - narrow]
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record) {
        let aabb = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&numbers[at..at + 6]));
        // SAFETY: the caller has room for a record.
        unsafe { to.write(Record { aabb, key, tail }) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> ([Self; 6], [u32; 2]) {
        let Record { aabb, tail, .. } = records[at];
        let numbers: [f32; 6] = bytemuck::cast(aabb);
        (numbers.map(Self), [HOME_A, HOME_B].map(|home| u32::from(tail & home != 0)))
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
