//! Sixteen lanes of AVX-512.

use std::arch::x86_64::*;

use super::cells::{CellGrid, Cells};
use super::lanes::Vector;
use super::records::Record;
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
    unsafe fn gather(from: &[f32], indices: &[u32], number: usize) -> Self {
        debug_assert!(indices[..16].iter().all(|&index| 6 * index as usize + number < from.len()));
        // SAFETY: the caller has AVX-512F, and indices that lead to numbers of the slice.
        unsafe {
            let indices = _mm512_loadu_si512(indices.as_ptr().cast());
            let sixfold = _mm512_mullo_epi32(indices, _mm512_set1_epi32(6));
            Self(_mm512_i32gather_ps::<4>(sixfold, from.as_ptr().add(number).cast()))
        }
    }

    #[inline(always)]
    unsafe fn least(numbers: &[f32; 16]) -> f32 {
        // SAFETY: the machine has AVX2, too.
        unsafe { super::avx2::Avx2::least(numbers) }
    }

    #[inline(always)]
    unsafe fn most(numbers: &[f32; 16]) -> f32 {
        // SAFETY: the machine has AVX2, too.
        unsafe { super::avx2::Avx2::most(numbers) }
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
    unsafe fn store_repeated(number: u32, to: *mut u32) {
        // SAFETY: the caller has AVX-512F and room for a whole register.
        unsafe { _mm512_storeu_si512(to.cast(), _mm512_set1_epi32(number as i32)) };
    }

    #[inline(always)]
    unsafe fn cells(numbers: &[f32], at: usize, grid: &CellGrid) -> Cells {
        // SAFETY: as for `box_cells`.
        unsafe { super::avx2::box_cells(numbers, at, grid) }
    }

    #[inline(always)]
    unsafe fn write_record(numbers: &[f32], at: usize, tail: u64, to: *mut Record) {
        // SAFETY: as for `box_record`.
        unsafe { super::avx2::box_record(numbers, at, tail, to) };
    }

    #[inline(always)]
    unsafe fn load_records(records: &[Record], at: usize) -> [Self; 6] {
        // SAFETY: as for `transposed_records`, twice; the caller has sixteen records.
        let (a, b) = unsafe {
            (super::avx2::transposed_records(records, at), super::avx2::transposed_records(records, at + 8))
        };
        // SAFETY: the caller has AVX-512F.
        unsafe {
            [
                join(a[0], b[0]),
                join(a[1], b[1]),
                join(a[2], b[2]),
                join(a[3], b[3]),
                join(a[4], b[4]),
                join(a[5], b[5]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn prefetch(from: *const Aabb) {
        // SAFETY: prefetching never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) };
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
