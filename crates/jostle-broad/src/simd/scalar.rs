//! The reference: one lane, no vector instructions.

use super::cells::{CellGrid, Cells};
use super::lanes::Vector;
use super::records::Record;
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
    unsafe fn gather(from: &[f32], indices: &[u32], number: usize) -> Self {
        Self(from[6 * indices[0] as usize + number])
    }

    #[inline(always)]
    unsafe fn least(numbers: &[f32; 16]) -> f32 {
        numbers.iter().fold(f32::INFINITY, |least, number| least.min(*number))
    }

    #[inline(always)]
    unsafe fn most(numbers: &[f32; 16]) -> f32 {
        numbers.iter().fold(f32::NEG_INFINITY, |most, number| most.max(*number))
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
    unsafe fn store_positions(base: u32, _mask: u32, to: *mut u32) {
        // SAFETY: the caller has room for one number.
        unsafe { to.write(base) };
    }

    #[inline(always)]
    unsafe fn store_repeated(number: u32, to: *mut u32) {
        // SAFETY: the caller has room for one number.
        unsafe { to.write(number) };
    }

    #[inline(always)]
    unsafe fn cells(numbers: &[f32], at: usize, grid: &CellGrid) -> Cells {
        let mut cells = [0; 8];
        for lane in 0..6 {
            let number = numbers[at + lane];
            let cell = ((number - grid.origin[lane]) * grid.scale[lane]).max(0.0).min(grid.last[lane]);
            cells[lane] = cell as u16;
        }
        Cells(cells)
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, tail: u64, to: *mut Record) {
        let aabb = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&numbers[at..at + 6]));
        let bins = [(tail >> 32) as u16, (tail >> 48) as u16];
        // SAFETY: the caller has room for a record.
        unsafe { to.write(Record { aabb, key: tail as u32, bins }) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> [Self; 6] {
        let numbers: [f32; 6] = bytemuck::cast(records[at].aabb);
        numbers.map(Self)
    }

    #[inline(always)]
    unsafe fn prefetch(_from: *const Aabb) {}
}
