//! The kernels of blocks of sixteen boxes: filling them, searching them, crossing them.

use super::block::{BLOCK, Block};
use super::lanes::Vector;
use crate::Aabb;

/// How many places ahead memory is asked for: boxes lie in the order of their slots, not of their places.
const AHEAD: usize = 2 * BLOCK;

/// See [`crate::Lanes::fetch`].
#[inline(always)]
pub(super) fn fetch<V: Vector>(aabbs: &[Aabb], slots: &[u32], blocks: &mut [Block], all_bounds: &mut [Aabb]) {
    assert!(slots.len() == blocks.len() * BLOCK && all_bounds.len() == blocks.len());
    for (index, (block, bounds_of)) in blocks.iter_mut().zip(all_bounds).enumerate() {
        let slots_after = &slots[index * BLOCK..];
        for &soon in slots_after.iter().skip(AHEAD).take(BLOCK) {
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
            unsafe { V::prefetch(aabbs.as_ptr().wrapping_add(soon as usize)) };
        }
        let mut highest = 0;
        for &slot in &slots_after[..BLOCK] {
            highest = highest.max(slot);
        }
        if (highest as usize) < aabbs.len().min(i32::MAX as usize / 6) {
            let numbers: &[f32] = bytemuck::cast_slice(aabbs);
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: as above; all slots are below the number of boxes, each of which is six numbers, and a block
                // has whole registers.
                unsafe {
                    for (number, column) in block.0.iter_mut().enumerate() {
                        V::gather(numbers, &slots_after[lane..], number).store(column, lane);
                    }
                }
                lane += V::WIDTH;
            }
        } else {
            for (lane, &slot) in slots_after[..BLOCK].iter().enumerate() {
                block.set(lane, aabbs.get(slot as usize).unwrap_or(&Aabb::NOWHERE));
            }
        }
        *bounds_of = bounds::<V>(block);
    }
}

/// See [`crate::Lanes::bounds`].
#[inline(always)]
pub(super) fn bounds<V: Vector>(block: &Block) -> Aabb {
    // SAFETY: the dispatcher runs this instantiation only where its instructions exist; a block has whole registers.
    let ends = unsafe {
        [
            V::least(&block.0[0]),
            V::least(&block.0[1]),
            V::least(&block.0[2]),
            V::most(&block.0[3]),
            V::most(&block.0[4]),
            V::most(&block.0[5]),
        ]
    };
    bytemuck::cast(ends)
}

/// See [`crate::Lanes::search`].
#[inline(always)]
pub(super) fn search<V: Vector>(
    levels: &[Vec<Block>],
    query: &Aabb,
    from: u32,
    hits: &mut Vec<u32>,
    spare: &mut Vec<u32>,
) -> usize {
    hits.clear();
    hits.push(0);
    let mut visited = 0;
    for (level, blocks) in levels.iter().enumerate().rev() {
        std::mem::swap(hits, spare);
        hits.clear();
        visited += spare.len();
        // The ancestor of the first place that counts.
        let first = (u64::from(from) >> (4 * level as u32)) as u32;
        hits.reserve((spare.len() + 1) * BLOCK);
        let mut found = 0;
        for &index in spare.iter() {
            let Some(block) = blocks.get(index as usize) else { continue };
            let base = index * BLOCK as u32;
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: the dispatcher runs this instantiation only where its instructions exist; a block has whole
                // registers.
                let mut mask = unsafe { meets::<V>(block, lane, query) };
                let begin = base + lane as u32;
                if begin < first {
                    mask &= u32::MAX.checked_shl(first - begin).unwrap_or(0);
                }
                // SAFETY: as above; there is room for a whole block and a register more.
                unsafe { V::store_positions(begin, mask, hits.as_mut_ptr().add(found)) };
                found += mask.count_ones() as usize;
                lane += V::WIDTH;
            }
        }
        // SAFETY: that many were written, and room was made for them.
        unsafe { hits.set_len(found) };
    }
    visited
}

/// See [`crate::Lanes::cross`].
///
/// In two passes, because most boxes of a block meet none of another: first which boxes meet the bounds of which block,
/// then those against the boxes of that block. Neither has a branch that depends on the boxes.
#[inline(always)]
pub(super) fn cross<V: Vector>(
    blocks: &[Block],
    bounds: &[Aabb],
    own: u32,
    others: &[u32],
    near: &mut Vec<u32>,
    hits: &mut Vec<u32>,
) {
    let mine = &blocks[own as usize];
    near.clear();
    near.reserve((others.len() + 1) * BLOCK);
    let mut count = 0;
    for &other in others {
        let bounds = &bounds[other as usize];
        let mut lane = 0;
        while lane < BLOCK {
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist; a block has whole
            // registers, and there is room for all boxes with every block and a register more.
            unsafe {
                let mask = meets::<V>(mine, lane, bounds);
                V::store_positions(other << 4 | lane as u32, mask, near.as_mut_ptr().add(count));
                count += mask.count_ones() as usize;
            }
            lane += V::WIDTH;
        }
    }
    // SAFETY: that many were written.
    unsafe { near.set_len(count) };
    hits.reserve((near.len() + 1) * BLOCK);
    let mut found = hits.len();
    for &near in near.iter() {
        let (other, place) = (near >> 4, near & 15);
        let theirs = &blocks[other as usize];
        let query = mine.get(place as usize);
        // In the own block, each pair once, and none with itself.
        let counts = if other == own { !1 << place } else { u32::MAX };
        let mut lane = 0;
        while lane < BLOCK {
            // SAFETY: as above; there is room for a whole block of hits and a register more.
            unsafe {
                let boxes = load_block::<V>(theirs, lane);
                let mask = V::overlaps(&boxes, &query) & (counts >> lane);
                V::store_positions(near << 4 | lane as u32, mask, hits.as_mut_ptr().add(found));
                found += mask.count_ones() as usize;
            }
            lane += V::WIDTH;
        }
    }
    // SAFETY: that many were written.
    unsafe { hits.set_len(found) };
}

/// One register for each of the six numbers of the boxes from `lane` on.
#[inline(always)]
unsafe fn load_block<V: Vector>(block: &Block, lane: usize) -> [V; 6] {
    let [ax, ay, az, bx, by, bz] = &block.0;
    // SAFETY: the caller has the instructions, and `lane` leaves a whole register.
    unsafe {
        [
            V::load(ax, lane),
            V::load(ay, lane),
            V::load(az, lane),
            V::load(bx, lane),
            V::load(by, lane),
            V::load(bz, lane),
        ]
    }
}

/// Which boxes of a block overlap the query, from `lane` on.
#[inline(always)]
unsafe fn meets<V: Vector>(block: &Block, lane: usize, query: &Aabb) -> u32 {
    // SAFETY: the caller has the instructions, and `lane` leaves a whole register.
    unsafe { V::overlaps(&load_block::<V>(block, lane), query) }
}
