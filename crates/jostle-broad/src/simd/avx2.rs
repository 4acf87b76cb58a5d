//! Eight lanes of AVX2.

use std::arch::x86_64::*;

use super::cells::CellGrid;
use super::deal::Dealing;
use super::lanes::Vector;
use super::past::LINE;
use super::records::{FIRST_BIN, HOME, LAST_BIN, Record};
use crate::Aabb;

#[derive(Clone, Copy)]
pub(super) struct Avx2(pub(super) __m256);

/// The three ends of two times four: x y x y, then z z, then x y z with x y z. A macro, because closures do not get the
/// instructions of the function around them.
macro_rules! ends {
    ($further:ident, $three:expr) => {{
        let [x, y, z] = $three;
        let x = $further(_mm256_castps256_ps128(x.0), _mm256_extractf128_ps::<1>(x.0));
        let y = $further(_mm256_castps256_ps128(y.0), _mm256_extractf128_ps::<1>(y.0));
        let z = $further(_mm256_castps256_ps128(z.0), _mm256_extractf128_ps::<1>(z.0));
        let xy = $further(_mm_unpacklo_ps(x, y), _mm_unpackhi_ps(x, y));
        let z = $further(z, _mm_movehl_ps(z, z));
        $further(_mm_movelh_ps(xy, z), _mm_shuffle_ps::<0b01_01_11_10>(xy, z))
    }};
}

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
    unsafe fn lesser(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2. Where one number is NaN, the second operand counts.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn greater(self, other: Self) -> Self {
        // SAFETY: as for `lesser`.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn span(least: [Self; 3], most: [Self; 3]) -> Aabb {
        // SAFETY: the caller has AVX2.
        unsafe {
            let (min, max) = (ends!(_mm_min_ps, least), ends!(_mm_max_ps, most));
            let ([ax, ay, az, _], [bx, by, bz, _]): ([f32; 4], [f32; 4]) =
                (bytemuck::cast(min), bytemuck::cast(max));
            bytemuck::cast([ax, ay, az, bx, by, bz])
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
    unsafe fn prefetch(from: *const Aabb) {
        // SAFETY: prefetching never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) };
    }

    #[inline(always)]
    unsafe fn prefetch_once(from: *const Aabb) {
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_NTA>(from.cast()) };
    }

    #[inline(always)]
    unsafe fn write_line(line: &[f32; LINE], to: &mut [f32; LINE]) {
        // SAFETY: the caller has AVX2; a line is two registers, and begins at a multiple of either.
        unsafe {
            _mm256_stream_ps(to.as_mut_ptr(), _mm256_loadu_ps(line.as_ptr()));
            _mm256_stream_ps(to.as_mut_ptr().add(8), _mm256_loadu_ps(line.as_ptr().add(8)));
        }
    }

    #[inline(always)]
    unsafe fn end_lines() {
        // SAFETY: every machine with AVX2 has it.
        unsafe { _mm_sfence() };
    }

    #[inline(always)]
    unsafe fn unequal(a: &[u64; 8], b: &[u64; 8]) -> u32 {
        // SAFETY: the caller has AVX2; there are two registers of words.
        unsafe {
            let (a, b) = (a.as_ptr().cast(), b.as_ptr().cast());
            let low = _mm256_cmpeq_epi64(_mm256_loadu_si256(a), _mm256_loadu_si256(b));
            let high = _mm256_cmpeq_epi64(_mm256_loadu_si256(a.add(1)), _mm256_loadu_si256(b.add(1)));
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(low));
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(high));
            (low | high << 4) as u32 ^ 0xff
        }
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
    unsafe fn load_boxes(numbers: &[f32], at: usize, stride: usize) -> [Self; 6] {
        debug_assert!(at + 7 * stride + 8 <= numbers.len());
        // SAFETY: the caller has AVX2, and eight boxes.
        let c = unsafe { transposed(strided(numbers.as_ptr().add(at), stride)) };
        [Self(c[0]), Self(c[1]), Self(c[2]), Self(c[3]), Self(c[4]), Self(c[5])]
    }

    #[inline(always)]
    unsafe fn load_boxes_of(numbers: &[f32], slots: &[u32]) -> [Self; 6] {
        // SAFETY: the caller has AVX2, and a box that is not the last one for each of eight slots.
        let c = unsafe { transposed(listed(numbers, slots)) };
        [Self(c[0]), Self(c[1]), Self(c[2]), Self(c[3]), Self(c[4]), Self(c[5])]
    }

    #[inline(always)]
    unsafe fn locate(
        block: &[Self; 6],
        dealing: &Dealing<'_>,
        buckets: *mut u32,
        tails: *mut u32,
    ) -> [u32; 3] {
        let Dealing { grid, steps, across: [a, b], along, .. } = *dealing;
        // SAFETY: the caller has AVX2, and room for a register in both lists.
        unsafe {
            let (min_a, max_a) = (cells(block, a, a, grid), cells(block, a + 3, a, grid));
            let (min_b, max_b) = (cells(block, b, b, grid), cells(block, b + 3, b, grid));
            let (first, last) = (cells(block, along, along, grid), cells(block, along + 3, along, grid));
            let one = _mm256_set1_epi32(1);
            let further_a = _mm256_sub_epi32(max_a, min_a);
            let further_b = _mm256_sub_epi32(max_b, min_b);
            let far = _mm256_cmpgt_epi32(_mm256_or_si256(further_a, further_b), one);
            let free = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(block[0].0, block[0].0));
            let all = _mm256_set1_epi32(if dealing.all_wide { -1 } else { 0 });
            let wide = _mm256_or_si256(_mm256_or_si256(far, free), all);
            let by_a = _mm256_mullo_epi32(min_a, _mm256_set1_epi32(steps.a as i32));
            let by_b = _mm256_mullo_epi32(min_b, _mm256_set1_epi32(steps.b as i32));
            let by_bin = _mm256_mullo_epi32(first, _mm256_set1_epi32(steps.bin as i32));
            let bucket = _mm256_add_epi32(_mm256_add_epi32(by_a, by_b), by_bin);
            let bucket = _mm256_blendv_epi8(bucket, _mm256_set1_epi32(steps.buckets as i32), wide);
            _mm256_storeu_si256(buckets.cast(), bucket);
            let bins = _mm256_or_si256(
                _mm256_slli_epi32::<{ LAST_BIN as i32 }>(last),
                _mm256_slli_epi32::<{ FIRST_BIN as i32 }>(first),
            );
            _mm256_storeu_si256(tails.cast(), _mm256_or_si256(bins, _mm256_set1_epi32(HOME as i32)));
            let in_a = _mm256_andnot_si256(wide, _mm256_cmpeq_epi32(further_a, one));
            let in_b = _mm256_andnot_si256(wide, _mm256_cmpeq_epi32(further_b, one));
            [
                Self::bits(_mm256_castsi256_ps(in_a)),
                Self::bits(_mm256_castsi256_ps(in_b)),
                Self::bits(_mm256_castsi256_ps(wide)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record) {
        // SAFETY: as for `box_record`.
        unsafe { box_record(numbers, at, key, tail, to) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> ([Self; 6], [u32; 2]) {
        debug_assert!(at + 8 <= records.len());
        // SAFETY: the caller has AVX2, and eight records of eight numbers.
        unsafe {
            let c = transposed(strided(records.as_ptr().add(at).cast(), 8));
            let tails = _mm256_castps_si256(c[6]);
            // Being at home is bit 0 and bit 1 of a tail; the mask is made of the highest ones.
            let home_a = Self::bits(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(tails)));
            let home_b = Self::bits(_mm256_castsi256_ps(_mm256_slli_epi32::<30>(tails)));
            ([Self(c[0]), Self(c[1]), Self(c[2]), Self(c[3]), Self(c[4]), Self(c[5])], [home_a, home_b])
        }
    }
}

/// Where eight boxes begin, each `stride` numbers after the one before.
///
/// # Safety
/// All of them must be in one array.
#[inline(always)]
pub(super) unsafe fn strided(from: *const f32, stride: usize) -> [*const f32; 8] {
    // SAFETY: the caller has them in one array.
    [0, 1, 2, 3, 4, 5, 6, 7].map(|row| unsafe { from.add(stride * row) })
}

/// Where the boxes of the first eight slots begin.
///
/// # Safety
/// There must be eight slots, and eight numbers from where the box of each of them begins.
#[inline(always)]
pub(super) unsafe fn listed(numbers: &[f32], slots: &[u32]) -> [*const f32; 8] {
    debug_assert!(slots[..8].iter().all(|&slot| 6 * slot as usize + 8 <= numbers.len()));
    // SAFETY: the caller has the slots and the numbers.
    [0, 1, 2, 3, 4, 5, 6, 7]
        .map(|row| unsafe { numbers.as_ptr().add(6 * *slots.get_unchecked(row) as usize) })
}

/// The six numbers of eight boxes, as columns, and their tails where they are records: an 8 x 8 transposition without
/// the keys.
///
/// # Safety
/// The machine must have AVX2, and each box be followed by two more numbers.
#[inline(always)]
pub(super) unsafe fn transposed(boxes: [*const f32; 8]) -> [__m256; 7] {
    // SAFETY: the caller has AVX2 and eight numbers for each of eight boxes.
    unsafe {
        // Two boxes a register, number by number: rows r and r + 4 in its halves.
        let r0 = halves(boxes[0], boxes[4]);
        let r1 = halves(boxes[1], boxes[5]);
        let r2 = halves(boxes[2], boxes[6]);
        let r3 = halves(boxes[3], boxes[7]);
        // Numbers 0 to 3 of the eight boxes, then numbers 4 and 5, then keys and tails.
        let (a0, a1) = (_mm256_unpacklo_ps(r0.0, r1.0), _mm256_unpackhi_ps(r0.0, r1.0));
        let (a2, a3) = (_mm256_unpacklo_ps(r2.0, r3.0), _mm256_unpackhi_ps(r2.0, r3.0));
        let b0 = _mm256_unpacklo_ps(r0.1, r1.1);
        let b1 = _mm256_unpacklo_ps(r2.1, r3.1);
        let (c0, c1) = (_mm256_unpackhi_ps(r0.1, r1.1), _mm256_unpackhi_ps(r2.1, r3.1));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(a0, a2),
            _mm256_shuffle_ps::<0b11_10_11_10>(a0, a2),
            _mm256_shuffle_ps::<0b01_00_01_00>(a1, a3),
            _mm256_shuffle_ps::<0b11_10_11_10>(a1, a3),
            _mm256_shuffle_ps::<0b01_00_01_00>(b0, b1),
            _mm256_shuffle_ps::<0b11_10_11_10>(b0, b1),
            _mm256_shuffle_ps::<0b11_10_11_10>(c0, c1),
        ]
    }
}

/// Numbers 0 to 3 and numbers 4 to 7 of two boxes, each pair of fours in the halves of a register.
#[inline(always)]
unsafe fn halves(low: *const f32, high: *const f32) -> (__m256, __m256) {
    // SAFETY: the caller has AVX2 and eight numbers for each of the boxes.
    unsafe {
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
pub(super) unsafe fn box_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record) {
    debug_assert!(at + 8 <= numbers.len());
    // SAFETY: the caller has AVX2, eight numbers and the room; a record is 32 bytes.
    unsafe {
        let numbers = _mm256_castps_si256(_mm256_loadu_ps(numbers.as_ptr().add(at)));
        let record = _mm256_blend_epi32::<0b1100_0000>(
            numbers,
            _mm256_set1_epi64x((u64::from(tail) << 32 | u64::from(key)) as i64),
        );
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

/// The cells of one number of eight boxes: the same steps as [`CellGrid::cell`], lane by lane.
///
/// # Safety
/// The machine must have AVX2.
#[inline(always)]
unsafe fn cells(block: &[Avx2; 6], number: usize, axis: usize, grid: &CellGrid) -> __m256i {
    // SAFETY: the caller has AVX2. `max` and `min` with the number first give the second operand for NaN, so NaN becomes
    // 0, as in the scalar steps.
    unsafe {
        let from_origin = _mm256_sub_ps(block[number].0, _mm256_set1_ps(grid.origin[axis]));
        let scaled = _mm256_mul_ps(from_origin, _mm256_set1_ps(grid.scale[axis]));
        let above = _mm256_max_ps(scaled, _mm256_setzero_ps());
        _mm256_cvttps_epi32(_mm256_min_ps(above, _mm256_set1_ps(grid.last[axis])))
    }
}
