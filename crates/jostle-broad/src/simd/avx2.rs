//! Eight lanes of AVX2.

use std::arch::x86_64::*;

use super::cells::{CellGrid, Cells};
use super::lanes::Vector;
use super::records::Record;
use crate::Aabb;

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

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        debug_assert!(at + Self::WIDTH <= to.len());
        // SAFETY: the caller has AVX2 and leaves room for a whole register.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    unsafe fn gather(from: &[f32], indices: &[u32], number: usize) -> Self {
        debug_assert!(indices[..8].iter().all(|&index| 6 * index as usize + number < from.len()));
        // SAFETY: the caller has AVX2, and indices that lead to numbers of the slice.
        unsafe {
            let indices = _mm256_loadu_si256(indices.as_ptr().cast());
            let sixfold = _mm256_mullo_epi32(indices, _mm256_set1_epi32(6));
            Self(_mm256_i32gather_ps::<4>(from.as_ptr().add(number), sixfold))
        }
    }

    #[inline(always)]
    unsafe fn least(numbers: &[f32; 16]) -> f32 {
        // SAFETY: the caller has AVX2; there are sixteen numbers. Where one number is NaN, the second operand counts.
        unsafe {
            let infinite = _mm256_set1_ps(f32::INFINITY);
            let low = _mm256_min_ps(_mm256_loadu_ps(numbers.as_ptr()), infinite);
            let all = _mm256_min_ps(_mm256_loadu_ps(numbers.as_ptr().add(8)), low);
            let four = _mm_min_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all));
            let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)))
        }
    }

    #[inline(always)]
    unsafe fn most(numbers: &[f32; 16]) -> f32 {
        // SAFETY: as for `least`.
        unsafe {
            let infinite = _mm256_set1_ps(f32::NEG_INFINITY);
            let low = _mm256_max_ps(_mm256_loadu_ps(numbers.as_ptr()), infinite);
            let all = _mm256_max_ps(_mm256_loadu_ps(numbers.as_ptr().add(8)), low);
            let four = _mm_max_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        }
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

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> [Self; 6] {
        // SAFETY: as for `transposed_records`.
        let c = unsafe { transposed_records(records, at) };
        [Self(c[0]), Self(c[1]), Self(c[2]), Self(c[3]), Self(c[4]), Self(c[5])]
    }

    #[inline(always)]
    unsafe fn prefetch(from: *const Aabb) {
        // SAFETY: prefetching never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) };
    }
}

/// The six numbers of eight boxes, as columns: an 8 x 8 transposition of which the last two columns are not needed.
///
/// # Safety
/// The machine must have AVX2, and the slice eight records from `at` on.
#[inline(always)]
pub(super) unsafe fn transposed_records(records: &[Record], at: usize) -> [__m256; 6] {
    debug_assert!(at + 8 <= records.len());
    // SAFETY: the caller has AVX2 and eight records of eight numbers each.
    unsafe {
        let from: *const f32 = records.as_ptr().add(at).cast();
        // Two boxes a register, number by number: rows r and r + 4 in its halves.
        let r0 = halves(from, 0);
        let r1 = halves(from, 1);
        let r2 = halves(from, 2);
        let r3 = halves(from, 3);
        // Numbers 0 to 3 of the eight boxes, then numbers 4 and 5.
        let (a0, a1) = (_mm256_unpacklo_ps(r0.0, r1.0), _mm256_unpackhi_ps(r0.0, r1.0));
        let (a2, a3) = (_mm256_unpacklo_ps(r2.0, r3.0), _mm256_unpackhi_ps(r2.0, r3.0));
        let b0 = _mm256_unpacklo_ps(r0.1, r1.1);
        let b1 = _mm256_unpacklo_ps(r2.1, r3.1);
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(a0, a2),
            _mm256_shuffle_ps::<0b11_10_11_10>(a0, a2),
            _mm256_shuffle_ps::<0b01_00_01_00>(a1, a3),
            _mm256_shuffle_ps::<0b11_10_11_10>(a1, a3),
            _mm256_shuffle_ps::<0b01_00_01_00>(b0, b1),
            _mm256_shuffle_ps::<0b11_10_11_10>(b0, b1),
        ]
    }
}

/// Numbers 0 to 3 and numbers 4 to 7 of boxes `row` and `row + 4`, each pair of boxes in the halves of a register.
#[inline(always)]
unsafe fn halves(from: *const f32, row: usize) -> (__m256, __m256) {
    // SAFETY: the caller has AVX2 and eight boxes of eight numbers.
    unsafe {
        let (low, high) = (from.add(8 * row), from.add(8 * (row + 4)));
        let first = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high));
        let (low, high) = (low.add(4), high.add(4));
        let second = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high));
        (first, second)
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
