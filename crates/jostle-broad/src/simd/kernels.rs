//! The kernels, each written once for all instruction sets.

pub(super) use super::blocks::{cross, fetch, search};
use super::cells::{CellGrid, Cells};
use super::hits::Hits;
use super::lanes::Vector;
use super::records::{BinnedRecords, Dealing, PADDING, Record};
use super::scalar::Scalar;
pub(super) use super::sort::insertion_sort;
use crate::Aabb;
use crate::arrays::BoxArrays;

/// See [`crate::Lanes::scan`].
#[inline(always)]
pub(super) fn scan<V: Vector>(arrays: &BoxArrays, from: usize, to: usize, query: &Aabb, hits: &mut Vec<u32>) {
    const { assert!(V::WIDTH <= BoxArrays::PADDING) };
    let columns = arrays.padded();
    assert!(to <= arrays.len());
    // SAFETY: as below; nothing is read.
    let query: [V; 6] = unsafe { splat_box(bytemuck::cast(*query)) };
    let mut at = from;
    while at < to {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length
        // and every array is padded by a whole register.
        let mask = unsafe { V::bits(overlap(&query, columns, at)) };
        push_positions(mask, at, to, hits);
        at += V::WIDTH;
    }
}

/// Appends the positions of a mask that begins at `at`, up to `to`.
#[inline(always)]
fn push_positions(mut mask: u32, at: usize, to: usize, hits: &mut Vec<u32>) {
    if to - at < u32::BITS as usize {
        mask &= (1 << (to - at)) - 1;
    }
    while mask != 0 {
        hits.push(at as u32 + mask.trailing_zeros());
        mask &= mask - 1;
    }
}

/// See [`crate::Lanes::sweep`].
///
/// A register of boxes at a time meets the boxes behind it one by one. (A box at a time meeting registers of others
/// takes as many comparisons, but four times the instructions around them.)
#[inline(always)]
pub(super) fn sweep<V: Vector>(
    records: &BinnedRecords,
    from: usize,
    across: [usize; 2],
    floor: [f32; 2],
    hits: &mut Hits,
) -> usize {
    const { assert!(V::WIDTH <= PADDING) };
    let len = records.len();
    let all = records.padded();
    hits.clear();
    let mut found = 0;
    let mut base = from;
    while base < len && found < MOST_HITS {
        let next = (base + V::WIDTH).min(len);
        let end = records.end_of(base..next).max(next).min(len);
        // SAFETY: the first `found` numbers of both lists were written.
        unsafe { hits.make_room(found, (end - base) * V::WIDTH + V::WIDTH) };
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; positions are below the
        // length, the records are padded by a whole register, and there is room for a hit of every lane with every `j`.
        unsafe {
            let block = V::load_records(all, base);
            // Boxes that begin at or above the floor: with these, any other may pair.
            let home_a = V::bits(V::splat(floor[0]).le(block[across[0]]));
            let home_b = V::bits(V::splat(floor[1]).le(block[across[1]]));
            let begins = |j: usize| -> u32 {
                let min = all.get_unchecked(j).aabb.min;
                let any_a = u32::from(min[across[0]] >= floor[0]).wrapping_neg();
                let any_b = u32::from(min[across[1]] >= floor[1]).wrapping_neg();
                (home_a | any_a) & (home_b | any_b)
            };
            for j in base + 1..next {
                // Only boxes before j: each pair once, and none with itself.
                let mask = V::bits(meets(&block, all, j)) & begins(j) & ((1 << (j - base)) - 1);
                found = hits.write::<V>(found, base, mask, j);
            }
            for j in next..end {
                let mask = V::bits(meets(&block, all, j)) & begins(j);
                found = hits.write::<V>(found, base, mask, j);
            }
        }
        base += V::WIDTH;
    }
    // SAFETY: the first `found` numbers of both lists were written.
    unsafe { hits.set_len(found) };
    base.min(len)
}

/// After so many hits a sweep pauses, so that they can be taken away: where everything overlaps everything, all of them
/// at once would need memory that the limit on pairs was set to save.
const MOST_HITS: usize = 16 * 1024;

/// See [`crate::Lanes::scan_records`].
#[inline(always)]
pub(super) fn scan_records<V: Vector>(
    records: &BinnedRecords,
    from: usize,
    to: usize,
    query: &Aabb,
    hits: &mut Vec<u32>,
) {
    assert!(to <= records.len());
    let all = records.padded();
    let mut at = from;
    while at < to {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length
        // and the records are padded by a whole register.
        let mask = unsafe { V::bits(meets_box(&V::load_records(all, at), query)) };
        push_positions(mask, at, to, hits);
        at += V::WIDTH;
    }
}

/// See [`crate::Lanes::cells`].
#[inline(always)]
pub(super) fn cells<V: Vector>(numbers: &[f32], stride: usize, grid: &CellGrid, out: &mut Vec<Cells>) {
    assert!(stride >= 6);
    let count = numbers.len() / stride;
    out.clear();
    out.reserve(count);
    for index in 0..count {
        let at = index * stride;
        let cells = if at + 8 <= numbers.len() {
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist; eight numbers are there.
            unsafe { V::cells(numbers, at, grid) }
        } else {
            // SAFETY: needs no instructions; checks its bounds.
            unsafe { Scalar::cells(numbers, at, grid) }
        };
        out.push(cells);
    }
}

/// See [`crate::Lanes::deal`].
#[inline(always)]
pub(super) fn deal<V: Vector>(dealing: &Dealing<'_>, ends: &mut [u32], records: &mut [Record]) {
    let Dealing { numbers, stride, cells, keys, along, width, .. } = *dealing;
    assert!(keys.len() >= cells.len() && numbers.len() >= cells.len() * stride);
    for (index, (cells, &key)) in cells.iter().zip(keys).enumerate() {
        let span = dealing.span(index);
        let copies = span.copies();
        if copies == 0 || copies > dealing.most_copies {
            continue;
        }
        let bins = u32::from(cells.min(along)) | u32::from(cells.max(along)) << 16;
        let tail = u64::from(key) | u64::from(bins) << 32;
        let at = index * stride;
        if copies == 1 {
            // The common case, without loops.
            put::<V>(numbers, at, tail, span.first(width), ends, records);
        } else {
            // Not `for_each`: its closure would be compiled without the vector instructions.
            for a in span.a[0]..=span.a[1] {
                for b in span.b[0]..=span.b[1] {
                    put::<V>(numbers, at, tail, (a * width + b) as usize, ends, records);
                }
            }
        }
    }
}

#[inline(always)]
fn put<V: Vector>(
    numbers: &[f32],
    at: usize,
    tail: u64,
    column: usize,
    ends: &mut [u32],
    records: &mut [Record],
) {
    let end = &mut ends[column];
    let record: *mut Record = &mut records[*end as usize];
    *end += 1;
    if at + 8 <= numbers.len() {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; eight numbers are there.
        unsafe { V::write_record(numbers, at, tail, record) };
    } else {
        // SAFETY: needs no instructions, and checks its bounds.
        unsafe { Scalar::write_record(numbers, at, tail, record) };
    }
}

/// Which boxes of a register overlap the box at position `at`.
#[inline(always)]
unsafe fn meets<V: Vector>(block: &[V; 6], records: &[Record], at: usize) -> V::Mask {
    // SAFETY: the caller has the instructions, and `at` is a position.
    unsafe { meets_box(block, &records.get_unchecked(at).aabb) }
}

/// Which boxes of a register overlap a box.
#[inline(always)]
unsafe fn meets_box<V: Vector>(block: &[V; 6], aabb: &Aabb) -> V::Mask {
    // SAFETY: the caller has the instructions.
    unsafe {
        let x = V::both(block[0].le(V::splat(aabb.max.x)), V::splat(aabb.min.x).le(block[3]));
        let y = V::both(block[1].le(V::splat(aabb.max.y)), V::splat(aabb.min.y).le(block[4]));
        let z = V::both(block[2].le(V::splat(aabb.max.z)), V::splat(aabb.min.z).le(block[5]));
        V::both(x, V::both(y, z))
    }
}

/// A box in registers: each of its six numbers in every lane.
//
// Here and below everything is written out: a closure would be compiled without the vector instructions.
#[inline(always)]
unsafe fn splat_box<V: Vector>(n: [f32; 6]) -> [V; 6] {
    // SAFETY: the caller has the instructions.
    unsafe {
        [V::splat(n[0]), V::splat(n[1]), V::splat(n[2]), V::splat(n[3]), V::splat(n[4]), V::splat(n[5])]
    }
}

/// Which of the boxes from position `at` on overlap the query. The six columns must reach a whole register beyond `at`.
#[inline(always)]
unsafe fn overlap<V: Vector>(query: &[V; 6], columns: [&[f32]; 6], at: usize) -> V::Mask {
    // SAFETY: the caller has the instructions, and the columns are long enough.
    unsafe {
        let x = V::both(V::load(columns[0], at).le(query[3]), query[0].le(V::load(columns[3], at)));
        let y = V::both(V::load(columns[1], at).le(query[4]), query[1].le(V::load(columns[4], at)));
        let z = V::both(V::load(columns[2], at).le(query[5]), query[2].le(V::load(columns[5], at)));
        V::both(x, V::both(y, z))
    }
}
