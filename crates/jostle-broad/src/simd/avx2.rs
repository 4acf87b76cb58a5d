//! Eight lanes of AVX2.

use std::arch::x86_64::*;

use super::cells::{CellGrid, Cells};
use super::lanes::Vector;
use super::records::Record;

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256);

// SAFETY: every method is AVX2; loads stay inside the slice, as the trait demands of callers.
unsafe impl Vector for Avx2 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX2.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the caller has AVX2 and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr().add(at)) })
    }

    type Mask = __m256;

    #[inline(always)]
    unsafe fn le(self, other: Self) -> __m256 {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn both(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_and_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn bits(mask: __m256) -> u32 {
        // SAFETY: the caller has AVX2.
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }

    #[inline(always)]
    unsafe fn store_positions(base: u32, mask: u32, to: *mut u32) {
        // SAFETY: the caller has AVX2 and room for a whole register; the table has an entry for every mask of 8 bits.
        unsafe {
            let lanes = _mm_loadl_epi64(LANES_OF_MASK.as_ptr().add(mask as usize & 0xff).cast());
            let positions = _mm256_add_epi32(_mm256_set1_epi32(base as i32), _mm256_cvtepu8_epi32(lanes));
            _mm256_storeu_si256(to.cast(), positions);
        }
    }

    #[inline(always)]
    unsafe fn store_repeated(number: u32, to: *mut u32) {
        // SAFETY: the caller has AVX2 and room for a whole register.
        unsafe { _mm256_storeu_si256(to.cast(), _mm256_set1_epi32(number as i32)) };
    }

    #[inline(always)]
    unsafe fn cells(numbers: &[f32], at: usize, grid: &CellGrid) -> Cells {
        // SAFETY: as for `box_cells`.
        unsafe { box_cells(numbers, at, grid) }
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, tail: u64, to: *mut Record) {
        // SAFETY: as for `box_record`.
        unsafe { box_record(numbers, at, tail, to) };
    }
}

/// The record of a box in one register and one store: pieced together in memory, it would have to wait for the pieces.
///
/// # Safety
/// The machine must have AVX2, the slice eight numbers from `at` on, and `to` room for a record.
#[inline(always)]
pub(super) unsafe fn box_record(numbers: &[f32], at: usize, tail: u64, to: *mut Record) {
    debug_assert!(at + 8 <= numbers.len());
    // SAFETY: the caller has AVX2, eight numbers and the room; a record is 32 bytes.
    unsafe {
        let numbers = _mm256_castps_si256(_mm256_loadu_ps(numbers.as_ptr().add(at)));
        let record = _mm256_blend_epi32::<0b1100_0000>(numbers, _mm256_set1_epi64x(tail as i64));
        _mm256_storeu_si256(to.cast(), record);
    }
}

/// For every mask, the numbers of its set bits, ascending.
static LANES_OF_MASK: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The six numbers of a box in one register: the same steps as [`CellGrid::cell`], lane by lane.
///
/// # Safety
/// The machine must have AVX2, and the slice eight numbers from `at` on.
#[inline(always)]
pub(super) unsafe fn box_cells(numbers: &[f32], at: usize, grid: &CellGrid) -> Cells {
    debug_assert!(at + 8 <= numbers.len());
    // SAFETY: the caller has AVX2 and leaves eight numbers; the arrays of the grid hold eight each. `max` and `min` with
    // the number first give the second operand for NaN, so NaN becomes 0, as in the scalar steps.
    unsafe {
        let coordinates = _mm256_loadu_ps(numbers.as_ptr().add(at));
        let from_origin = _mm256_sub_ps(coordinates, _mm256_loadu_ps(grid.origin.as_ptr()));
        let scaled = _mm256_mul_ps(from_origin, _mm256_loadu_ps(grid.scale.as_ptr()));
        let above = _mm256_max_ps(scaled, _mm256_setzero_ps());
        let cells = _mm256_cvttps_epi32(_mm256_min_ps(above, _mm256_loadu_ps(grid.last.as_ptr())));
        let packed = _mm_packus_epi32(_mm256_castsi256_si128(cells), _mm256_extracti128_si256::<1>(cells));
        // Without what was read past the box.
        let six = _mm_blend_epi16::<0b1100_0000>(packed, _mm_setzero_si128());
        let mut out = Cells([0; 8]);
        _mm_store_si128((&raw mut out).cast(), six);
        out
    }
}
