//! The kernels, each written once for all instruction sets.

pub(super) use super::blocks::{
    ask_for_bytes, bounds, cross, fetch, list_near, meet_itself, meet_near, search, search_near,
};
pub(super) use super::deal::{copy_bins, count, count_bins, deal};
use super::hits::{Hit, Hits};
pub(super) use super::homes::{flip, list_doubtful, list_strays, retain_close, widen};
use super::lanes::Vector;
pub(super) use super::listed::{are_listed_boxes, store_listed};
pub(super) use super::meetings::compare;
pub(super) use super::movers::{list_movers, meet_before, meet_now, settle};
pub(super) use super::past::store_past_caches;
use super::records::{Binned, HOME, PADDING, STEP};
pub(super) use super::sort::{deal_keys, insertion_sort, sort_buckets, sort_into_pairs, sort_keys};
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

/// See [`crate::Lanes::are_boxes`].
#[inline(always)]
pub(super) fn are_boxes<V: Vector>(aabbs: &[Aabb]) -> bool {
    are_all::<false>(aabbs)
}

/// See [`crate::Lanes::are_plain_boxes`].
#[inline(always)]
pub(super) fn are_plain_boxes<V: Vector>(aabbs: &[Aabb]) -> bool {
    are_all::<true>(aabbs)
}

/// Are they all boxes, and none of their numbers -0.0 where they are to be plain?
#[inline(always)]
fn are_all<const PLAIN: bool>(aabbs: &[Aabb]) -> bool {
    /// So many boxes at a time: their numbers fill whole registers of every width.
    const TOGETHER: usize = 8;
    // Three numbers after each minimum there is its maximum. Three numbers after that is nothing of meaning.
    const IS_MINIMUM: [u32; 6 * TOGETHER] = {
        let mut all = [0; 6 * TOGETHER];
        let mut at = 0;
        while at < all.len() {
            all[at] = if at % 6 < 3 { u32::MAX } else { 0 };
            at += 1;
        }
        all
    };
    const MINUS_ZERO: u32 = 1 << 31;
    let mut bad = [0u32; 6 * TOGETHER];
    let numbers: &[f32] = bytemuck::cast_slice(aabbs);
    let mut at = 0;
    // Plain loops, which the compiler turns into whatever registers there are.
    while let Some(next) = numbers.get(at..at + 6 * TOGETHER + 3) {
        for i in 0..6 * TOGETHER {
            bad[i] |= if next[i + 3] - next[i] >= 0.0 { 0 } else { IS_MINIMUM[i] };
            if PLAIN {
                bad[i] |= if next[i].to_bits() == MINUS_ZERO { u32::MAX } else { 0 };
            }
        }
        at += 6 * TOGETHER;
    }
    let is_plain =
        |aabb: &Aabb| bytemuck::cast_ref::<Aabb, [u32; 6]>(aabb).iter().all(|&bits| bits != MINUS_ZERO);
    bad.iter().all(|&bad| bad == 0)
        && aabbs[at / 6..].iter().all(|aabb| aabb.is_box() && (!PLAIN || is_plain(aabb)))
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

/// See [`crate::Lanes::windows`].
#[inline(always)]
pub(super) fn windows<V: Vector>(binned: &Binned<'_>, windows: &mut Vec<u32>) -> u64 {
    const { assert!(STEP == 8) };
    windows.clear();
    windows.reserve(binned.len().div_ceil(STEP));
    let mut tests = 0;
    let (steps, rest) = binned.records().as_chunks::<STEP>();
    let mut base = 0;
    for step in steps {
        // The highest bits of a tail are its last bin. Two by two: one after another, the compiler would branch.
        let two = [
            step[0].tail.max(step[1].tail),
            step[2].tail.max(step[3].tail),
            step[4].tail.max(step[5].tail),
            step[6].tail.max(step[7].tail),
        ];
        let end = binned.end_of(two[0].max(two[1]).max(two[2].max(two[3])));
        windows.push(end);
        tests += tests_of(base, STEP, end);
        base += STEP;
    }
    if !rest.is_empty() {
        let end = binned.end_of(rest.iter().fold(0, |last, record| last.max(record.tail)));
        windows.push(end);
        tests += tests_of(base, rest.len(), end);
    }
    tests
}

/// How many tests a sweep makes for so many records from a position on, whose window ends at `end`.
#[inline(always)]
fn tests_of(base: usize, count: usize, end: u32) -> u64 {
    (u64::from(end) - base as u64) * count as u64 - (count * count / 2) as u64
}

/// See [`crate::Lanes::sweep`].
///
/// A register of boxes at a time meets the boxes behind it one by one. (A box at a time meeting registers of others
/// takes as many comparisons, but four times the instructions around them.) What was found is written whether it is
/// anything or not: a branch would be guessed wrong every third time.
#[inline(always)]
pub(super) fn sweep<V: Vector>(binned: &Binned<'_>, windows: &[u32], from: usize, hits: &mut Hits) -> usize {
    const { assert!(V::WIDTH <= PADDING) };
    let len = binned.len();
    let all = binned.padded();
    hits.list.clear();
    let mut found = 0;
    let mut base = from;
    while base < len && found < MOST_HITS {
        let next = (base + V::WIDTH).min(len);
        let steps = &windows[base / STEP..=(next - 1) / STEP];
        let end = steps.iter().fold(next, |end, &step| end.max(step as usize)).min(len);
        // SAFETY: the first `found` hits were written.
        unsafe { hits.make_room(found, end - base) };
        let list = hits.list.as_mut_ptr();
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; positions are below the
        // length, the records are padded by a whole register, and there is room for a hit of every `j`.
        unsafe {
            let (block, [home_a, home_b]) = V::load_records(all, base);
            let there = (1 << (next - base)) - 1;
            // By where box j is at home, the boxes it may pair with.
            let partners = [home_a & home_b & there, home_b & there, home_a & there, there];
            // Only boxes before j: each pair once, and none with itself.
            let mut before = 0u32;
            for j in base + 1..end {
                before = before << 1 | 1;
                let record = all.get_unchecked(j);
                let home = (record.tail & HOME) as usize;
                let mask = V::overlaps(&block, &record.aabb) & partners[home] & before;
                list.add(found).write(Hit { base: base as u32, second: j as u32, mask });
                found += usize::from(mask != 0);
            }
        }
        base += V::WIDTH;
    }
    // SAFETY: the first `found` hits were written.
    unsafe { hits.list.set_len(found) };
    hits.find_keys(binned);
    base.min(len)
}

/// After so many hits a sweep pauses, so that they can be taken away: where everything overlaps everything, all of them
/// at once would need memory that the limit on pairs was set to save.
const MOST_HITS: usize = 4 * 1024;

/// See [`crate::Lanes::scan_records`].
#[inline(always)]
pub(super) fn scan_records<V: Vector>(
    binned: &Binned<'_>,
    from: usize,
    to: usize,
    query: &Aabb,
    hits: &mut Vec<u32>,
) {
    assert!(to <= binned.len());
    let all = binned.padded();
    let mut at = from;
    while at < to {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length
        // and the records are padded by a whole register.
        let mask = unsafe { V::overlaps(&V::load_records(all, at).0, query) };
        push_positions(mask, at, to, hits);
        at += V::WIDTH;
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
