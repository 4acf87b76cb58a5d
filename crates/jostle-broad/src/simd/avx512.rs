//! Sixteen lanes of AVX-512.

use std::arch::x86_64::*;

use super::avx2::{Avx2, listed, strided, transposed};
use super::cells::CellGrid;
use super::deal::Dealing;
use super::lanes::Vector;
use super::past::LINE;
use super::records::{FIRST_BIN, HOME, HOME_A, HOME_B, LAST_BIN, Record};
use crate::Aabb;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);

// SAFETY: every method is AVX-512F; loads stay inside the slice, as the trait demands of callers.
unsafe impl Vector for Avx512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX-512F.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= from.len());
        // SAFETY: the caller has AVX-512F and leaves room for a whole register; the load needs no alignment.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr().add(at)) })
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        debug_assert!(at + Self::WIDTH <= to.len());
        // SAFETY: the caller has AVX-512F and leaves room for a whole register.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    unsafe fn lesser(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512F. Where one number is NaN, the second operand counts.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn greater(self, other: Self) -> Self {
        // SAFETY: as for `lesser`.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn span(least: [Self; 3], most: [Self; 3]) -> Aabb {
        // SAFETY: the caller has AVX-512F, and AVX2, too.
        unsafe {
            let [x, y, z] = least;
            let least = [
                low_half(x).lesser(high_half(x)),
                low_half(y).lesser(high_half(y)),
                low_half(z).lesser(high_half(z)),
            ];
            let [x, y, z] = most;
            let most = [
                low_half(x).greater(high_half(x)),
                low_half(y).greater(high_half(y)),
                low_half(z).greater(high_half(z)),
            ];
            Avx2::span(least, most)
        }
    }

    type Mask = __mmask16;

    #[inline(always)]
    unsafe fn le(self, other: Self) -> __mmask16 {
        // SAFETY: the caller has AVX-512F.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn both(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    unsafe fn bits(mask: __mmask16) -> u32 {
        u32::from(mask)
    }

    #[inline(always)]
    unsafe fn prefetch(from: *const Aabb) {
        // SAFETY: the machine has AVX2, too.
        unsafe { super::avx2::Avx2::prefetch(from) };
    }

    #[inline(always)]
    unsafe fn prefetch_once(from: *const Aabb) {
        // SAFETY: as above.
        unsafe { super::avx2::Avx2::prefetch_once(from) };
    }

    #[inline(always)]
    unsafe fn write_line(line: &[f32; LINE], to: &mut [f32; LINE]) {
        // SAFETY: the caller has AVX-512F; a line is one register, and begins at a multiple of it.
        unsafe { _mm512_stream_ps(to.as_mut_ptr(), _mm512_loadu_ps(line.as_ptr())) };
    }

    #[inline(always)]
    unsafe fn end_lines() {
        // SAFETY: the machine has AVX2, too.
        unsafe { super::avx2::Avx2::end_lines() };
    }

    #[inline(always)]
    unsafe fn unequal(a: &[u64; 8], b: &[u64; 8]) -> u32 {
        // SAFETY: the caller has AVX-512F; there is a register of words.
        unsafe {
            let (a, b) = (a.as_ptr().cast(), b.as_ptr().cast());
            u32::from(_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b)))
        }
    }

    #[inline(always)]
    unsafe fn store_positions(base: u32, mask: u32, to: *mut u32) {
        // SAFETY: the caller has AVX-512F and room for a whole register. Compressing in a register and storing all of
        // it is far cheaper than a compressing store on some processors.
        unsafe {
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let positions = _mm512_add_epi32(_mm512_set1_epi32(base as i32), lanes);
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(mask as u16, positions));
        }
    }

    #[inline(always)]
    unsafe fn load_boxes(numbers: &[f32], at: usize, stride: usize) -> [Self; 6] {
        debug_assert!(at + 15 * stride + 8 <= numbers.len());
        // SAFETY: the caller has AVX-512F, and sixteen boxes.
        unsafe {
            let from = numbers.as_ptr().add(at);
            join_all(transposed(strided(from, stride)), transposed(strided(from.add(8 * stride), stride)))
        }
    }

    #[inline(always)]
    unsafe fn load_boxes_of(numbers: &[f32], slots: &[u32]) -> [Self; 6] {
        // SAFETY: the caller has AVX-512F, and a box that is not the last one for each of sixteen slots.
        unsafe { join_all(transposed(listed(numbers, slots)), transposed(listed(numbers, &slots[8..]))) }
    }

    #[inline(always)]
    unsafe fn locate(
        block: &[Self; 6],
        dealing: &Dealing<'_>,
        buckets: *mut u32,
        tails: *mut u32,
    ) -> [u32; 3] {
        let Dealing { grid, steps, across: [a, b], along, .. } = *dealing;
        // SAFETY: the caller has AVX-512F, and room for a register in both lists.
        unsafe {
            let (min_a, max_a) = (cells(block, a, a, grid), cells(block, a + 3, a, grid));
            let (min_b, max_b) = (cells(block, b, b, grid), cells(block, b + 3, b, grid));
            let (first, last) = (cells(block, along, along, grid), cells(block, along + 3, along, grid));
            let one = _mm512_set1_epi32(1);
            let further_a = _mm512_sub_epi32(max_a, min_a);
            let further_b = _mm512_sub_epi32(max_b, min_b);
            let far = _mm512_cmpgt_epi32_mask(_mm512_or_si512(further_a, further_b), one);
            let free = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(block[0].0, block[0].0);
            let wide = far | free | if dealing.all_wide { u16::MAX } else { 0 };
            let by_a = _mm512_mullo_epi32(min_a, _mm512_set1_epi32(steps.a as i32));
            let by_b = _mm512_mullo_epi32(min_b, _mm512_set1_epi32(steps.b as i32));
            let by_bin = _mm512_mullo_epi32(first, _mm512_set1_epi32(steps.bin as i32));
            let bucket = _mm512_add_epi32(_mm512_add_epi32(by_a, by_b), by_bin);
            let bucket = _mm512_mask_mov_epi32(bucket, wide, _mm512_set1_epi32(steps.buckets as i32));
            _mm512_storeu_si512(buckets.cast(), bucket);
            let bins =
                _mm512_or_si512(_mm512_slli_epi32::<LAST_BIN>(last), _mm512_slli_epi32::<FIRST_BIN>(first));
            _mm512_storeu_si512(tails.cast(), _mm512_or_si512(bins, _mm512_set1_epi32(HOME as i32)));
            let in_a = _mm512_cmpeq_epi32_mask(further_a, one) & !wide;
            let in_b = _mm512_cmpeq_epi32_mask(further_b, one) & !wide;
            [u32::from(in_a), u32::from(in_b), u32::from(wide)]
        }
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record) {
        // SAFETY: as for `box_record`.
        unsafe { super::avx2::box_record(numbers, at, key, tail, to) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> ([Self; 6], [u32; 2]) {
        debug_assert!(at + 16 <= records.len());
        // SAFETY: the caller has AVX-512F, and sixteen records of eight numbers.
        unsafe {
            let from: *const f32 = records.as_ptr().add(at).cast();
            let (low, high) = (transposed(strided(from, 8)), transposed(strided(from.add(64), 8)));
            let tails = _mm512_castps_si512(join(low[6], high[6]).0);
            let home_a = _mm512_test_epi32_mask(tails, _mm512_set1_epi32(HOME_A as i32));
            let home_b = _mm512_test_epi32_mask(tails, _mm512_set1_epi32(HOME_B as i32));
            (join_all(low, high), [u32::from(home_a), u32::from(home_b)])
        }
    }

    #[inline(always)]
    unsafe fn overlaps(block: &[Self; 6], aabb: &Aabb) -> u32 {
        // Along an axis two boxes overlap when the later beginning is not behind the earlier end: one comparison instead of two.
        // Comparisons are what takes longest. Where one number is none, the second one is taken: so that empty lanes, and
        // empty queries, come to be in the comparison, they stand second there once each. ([`Aabb::EMPTY`], which bounds a block
        // without boxes, meets nothing here, and infinite boxes elsewhere: that shows in how many tests are counted, and what that decides, never in pairs.)
        //
        // SAFETY: the caller has AVX-512F. Each comparison is made only where the ones before held, which saves joining
        // their results.
        unsafe {
            let begin = _mm512_max_ps(_mm512_set1_ps(aabb.min.x), block[0].0);
            let end = _mm512_min_ps(block[3].0, _mm512_set1_ps(aabb.max.x));
            let mask = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(begin, end);
            let begin = _mm512_max_ps(_mm512_set1_ps(aabb.min.y), block[1].0);
            let end = _mm512_min_ps(block[4].0, _mm512_set1_ps(aabb.max.y));
            let mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, begin, end);
            let begin = _mm512_max_ps(_mm512_set1_ps(aabb.min.z), block[2].0);
            let end = _mm512_min_ps(block[5].0, _mm512_set1_ps(aabb.max.z));
            let mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, begin, end);
            u32::from(mask)
        }
    }
}

/// The cells of one number of sixteen boxes: the same steps as [`CellGrid::cell`], lane by lane.
///
/// # Safety
/// The machine must have AVX-512F.
#[inline(always)]
unsafe fn cells(block: &[Avx512; 6], number: usize, axis: usize, grid: &CellGrid) -> __m512i {
    // SAFETY: the caller has AVX-512F. `max` and `min` with the number first give the second operand for NaN, so NaN
    // becomes 0, as in the scalar steps.
    unsafe {
        let from_origin = _mm512_sub_ps(block[number].0, _mm512_set1_ps(grid.origin[axis]));
        let scaled = _mm512_mul_ps(from_origin, _mm512_set1_ps(grid.scale[axis]));
        let above = _mm512_max_ps(scaled, _mm512_setzero_ps());
        _mm512_cvttps_epi32(_mm512_min_ps(above, _mm512_set1_ps(grid.last[axis])))
    }
}

/// The first eight numbers.
#[inline(always)]
unsafe fn low_half(all: Avx512) -> Avx2 {
    // SAFETY: the caller has AVX-512F.
    Avx2(unsafe { _mm512_castps512_ps256(all.0) })
}

/// The last eight numbers.
#[inline(always)]
unsafe fn high_half(all: Avx512) -> Avx2 {
    // SAFETY: the caller has AVX-512F.
    Avx2(unsafe { _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(all.0))) })
}

/// Two halves of each of the first six registers.
#[inline(always)]
unsafe fn join_all(low: [__m256; 7], high: [__m256; 7]) -> [Avx512; 6] {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        [
            join(low[0], high[0]),
            join(low[1], high[1]),
            join(low[2], high[2]),
            join(low[3], high[3]),
            join(low[4], high[4]),
            join(low[5], high[5]),
        ]
    }
}

/// Two halves of a register.
#[inline(always)]
unsafe fn join(low: __m256, high: __m256) -> Avx512 {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        let low = _mm512_castpd256_pd512(_mm256_castps_pd(low));
        Avx512(_mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high))))
    }
}
