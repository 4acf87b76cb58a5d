//! The kernels, each written once for all instruction sets.

use super::cells::{CellGrid, Cells};
use super::hits::Hits;
use super::lanes::Vector;
use super::records::{Dealing, Record};
use super::scalar::Scalar;
pub(super) use super::sort::insertion_sort;
use crate::Aabb;
use crate::arrays::BoxArrays;

/// See [`crate::Lanes::scan`].
#[inline(always)]
pub(super) fn scan<V: Vector>(arrays: &BoxArrays, from: usize, to: usize, query: &Aabb, hits: &mut Vec<u32>) {
    let columns = arrays.padded();
    assert!(to <= arrays.len());
    // SAFETY: as below; nothing is read.
    let query: [V; 6] = unsafe { splat_box(bytemuck::cast(*query)) };
    let mut at = from;
    while at < to {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length
        // and every array is padded by a whole register.
        let mut mask = unsafe { V::bits(overlap(&query, columns, at)) };
        let valid = to - at;
        if valid < V::WIDTH {
            mask &= (1 << valid) - 1;
        }
        while mask != 0 {
            hits.push(at as u32 + mask.trailing_zeros());
            mask &= mask - 1;
        }
        at += V::WIDTH;
    }
}

/// See [`crate::Lanes::sweep`].
#[inline(always)]
pub(super) fn sweep<V: Vector>(
    arrays: &BoxArrays,
    ends: &[u32],
    across: [usize; 2],
    floor: [f32; 2],
    hits: &mut Hits,
) {
    let columns = arrays.padded();
    let [min_a, min_b] = across.map(|axis| columns[axis]);
    hits.first.clear();
    hits.second.clear();
    let mut found = 0;
    for (i, &end) in ends.iter().enumerate() {
        let end = (end as usize).min(arrays.len());
        let mut at = i + 1;
        // Where box i begins at or above the floor, any other may; else the other must.
        let floor_a = if min_a[i] >= floor[0] { f32::NEG_INFINITY } else { floor[0] };
        let floor_b = if min_b[i] >= floor[1] { f32::NEG_INFINITY } else { floor[1] };
        // Room for a hit in every lane of every register of this row.
        let room = found + (end.saturating_sub(at)) + 2 * V::WIDTH;
        if room > hits.first.capacity() || room > hits.second.capacity() {
            // SAFETY: the first `found` numbers of both lists were written.
            unsafe {
                hits.first.set_len(found);
                hits.second.set_len(found);
            }
            hits.first.reserve(room - found + 1024);
            hits.second.reserve(room - found + 1024);
        }
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length,
        // every array is padded by a whole register, and both lists have room for the row.
        unsafe {
            let (first, second) = (hits.first.as_mut_ptr(), hits.second.as_mut_ptr());
            let query: [V; 6] = splat_box([
                columns[0][i],
                columns[1][i],
                columns[2][i],
                columns[3][i],
                columns[4][i],
                columns[5][i],
            ]);
            let (floor_a, floor_b) = (V::splat(floor_a), V::splat(floor_b));
            while at < end {
                let begins = V::both(floor_a.le(V::load(min_a, at)), floor_b.le(V::load(min_b, at)));
                let mut mask = V::bits(V::both(overlap(&query, columns, at), begins));
                let valid = end - at;
                if valid < V::WIDTH {
                    mask &= (1 << valid) - 1;
                }
                // Written whether there are hits or not: a branch here would be guessed wrong every other time.
                V::store_repeated(i as u32, first.add(found));
                V::store_positions(at as u32, mask, second.add(found));
                found += mask.count_ones() as usize;
                at += V::WIDTH;
            }
        }
    }
    // SAFETY: the first `found` numbers of both lists were written.
    unsafe {
        hits.first.set_len(found);
        hits.second.set_len(found);
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

/// See [`crate::Lanes::sort_into_bins`].
#[inline(always)]
pub(super) fn sort_into_bins<V: Vector>(
    records: &[Record],
    bins: &mut [u32],
    arrays: &mut BoxArrays,
    keys: &mut [u32],
    ends: &mut [u32],
) {
    let len = arrays.len().min(keys.len()).min(ends.len());
    let columns = arrays.columns_mut();
    for record in records {
        let bin = &mut bins[usize::from(record.bins[0])];
        let position = *bin as usize;
        *bin += 1;
        assert!(position < len);
        let numbers: [f32; 6] = bytemuck::cast(record.aabb);
        for (column, number) in columns.iter().zip(numbers) {
            // SAFETY: every column is at least as long as `len`.
            unsafe { column.add(position).write(number) };
        }
        keys[position] = record.key;
        ends[position] = u32::from(record.bins[1]);
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
