//! The kernels of blocks of sixteen boxes: filling them, searching them, crossing them.

use super::block::{BLOCK, Block};
use super::lanes::Vector;
use super::meetings::{Meeting, OwnBlock};
use super::near_blocks::NearBlocks;
use crate::Aabb;

/// How many blocks ahead memory is asked for: boxes lie in the order of their slots, not of their places.
const AHEAD: usize = 4;
/// So many boxes are in a near cache, and need not be asked for.
pub(super) const CACHED: usize = 1 << 15;
/// Bytes that memory is fetched by.
pub(super) const LINE_BYTES: usize = 64;

/// See [`crate::Lanes::fetch`].
#[inline(always)]
pub(super) fn fetch<V: Vector>(aabbs: &[Aabb], slots: &[u32], blocks: &mut [Block], all_bounds: &mut [Aabb]) {
    let (slots, rest) = slots.as_chunks::<BLOCK>();
    assert!(slots.len() == blocks.len() && rest.is_empty() && all_bounds.len() == blocks.len());
    let numbers: &[f32] = bytemuck::cast_slice(aabbs);
    // The last box may not be read in a register: two numbers more are read than a box has.
    let is_plain = |slot: &u32| (*slot as usize) < aabbs.len().saturating_sub(1);
    let are_plain = slots.as_flattened().iter().fold(true, |all, slot| all & is_plain(slot));
    slots.iter().take(AHEAD).for_each(|slots| ask_for::<V>(aabbs, slots));
    for (index, (block, bounds_of)) in blocks.iter_mut().zip(all_bounds).enumerate() {
        if let Some(soon) = slots.get(index + AHEAD) {
            ask_for::<V>(aabbs, soon);
        }
        let slots = &slots[index];
        if are_plain || slots.iter().all(is_plain) {
            let mut reach = Reach::<V>::nothing();
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: the dispatcher runs this instantiation only where its instructions exist; all slots are those of boxes that another one follows, and a block has whole
                // registers.
                unsafe {
                    let boxes = V::load_boxes_of(numbers, &slots[lane..]);
                    for (column, numbers) in block.0.iter_mut().zip(boxes) {
                        numbers.store(column, lane);
                    }
                    reach.take(&boxes);
                }
                lane += V::WIDTH;
            }
            *bounds_of = reach.bounds();
        } else {
            for (lane, &slot) in slots.iter().enumerate() {
                block.set(lane, aabbs.get(slot as usize).unwrap_or(&Aabb::NOWHERE));
            }
            *bounds_of = bounds::<V>(block);
        }
    }
}

/// Asks for the boxes of a block that will be read soon.
#[inline(always)]
fn ask_for<V: Vector>(aabbs: &[Aabb], slots: &[u32; BLOCK]) {
    for &slot in slots {
        ask_for_box::<V>(aabbs, slot);
    }
}

/// Asks for a box that will be read soon. The slot need not be that of one.
#[inline(always)]
pub(super) fn ask_for_box<V: Vector>(aabbs: &[Aabb], slot: u32) {
    let aabb = aabbs.as_ptr().wrapping_add(slot as usize);
    // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
    unsafe {
        V::prefetch(aabb);
        // One box in four lies in two lines.
        V::prefetch(aabb.wrapping_byte_add(size_of::<Aabb>() - 1));
    }
}

/// Asks for a block that will be read soon.
#[inline(always)]
pub(super) fn ask_for_block<V: Vector>(block: &Block) {
    let block: *const Aabb = (&raw const *block).cast();
    for line in 0..size_of::<Block>() / LINE_BYTES {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
        unsafe { V::prefetch(block.wrapping_byte_add(line * LINE_BYTES)) };
    }
}

/// See [`crate::Lanes::ask_for_bytes`].
#[inline(always)]
pub(super) fn ask_for_bytes<V: Vector>(bytes: &[u8]) {
    for at in (0..bytes.len()).step_by(LINE_BYTES) {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
        unsafe { V::prefetch(bytes.as_ptr().wrapping_add(at).cast()) };
    }
}

/// The lanes of a mask, ascending.
#[inline(always)]
pub(super) fn lanes_of(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        let is_one = mask != 0;
        mask &= mask.wrapping_sub(1);
        is_one.then_some(lane)
    })
}

/// See [`crate::Lanes::bounds`].
#[inline(always)]
pub(super) fn bounds<V: Vector>(block: &Block) -> Aabb {
    let mut reach = Reach::<V>::nothing();
    let mut lane = 0;
    while lane < BLOCK {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; a block has whole registers.
        let boxes = unsafe { load_block(block, lane) };
        reach.take(&boxes);
        lane += V::WIDTH;
    }
    reach.bounds()
}

/// What bounds boxes, lane by lane. Lanes without a box count for nothing. Lives only inside of kernels.
struct Reach<V> {
    least: [V; 3],
    most: [V; 3],
}

impl<V: Vector> Reach<V> {
    #[inline(always)]
    fn nothing() -> Self {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
        unsafe { Self { least: [V::splat(f32::INFINITY); 3], most: [V::splat(f32::NEG_INFINITY); 3] } }
    }

    #[inline(always)]
    fn take(&mut self, boxes: &[V; 6]) {
        for axis in 0..3 {
            // SAFETY: as above.
            unsafe {
                self.least[axis] = boxes[axis].lesser(self.least[axis]);
                self.most[axis] = boxes[axis + 3].greater(self.most[axis]);
            }
        }
    }

    #[inline(always)]
    fn bounds(self) -> Aabb {
        // SAFETY: as above.
        unsafe { V::span(self.least, self.most) }
    }
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
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist; there is room for a
            // block each, and one more.
            found += unsafe { store_hits::<V>(block, query, base, first, hits.as_mut_ptr().add(found)) };
        }
        // SAFETY: that many were written, and room was made for them.
        unsafe { hits.set_len(found) };
    }
    visited
}

/// See [`crate::Lanes::search_near`].
#[inline(always)]
pub(super) fn search_near<V: Vector>(
    near: &NearBlocks,
    blocks: &[Block],
    query: &Aabb,
    from: u32,
    hits: &mut Vec<u32>,
    spare: &mut Vec<u32>,
) -> usize {
    spare.clear();
    spare.reserve((near.bounds.len() + 1) * BLOCK);
    let mut count = 0;
    for (index, bounds) in near.bounds.iter().enumerate() {
        let base = (index * BLOCK) as u32;
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; there is room for a block
        // each, and one more.
        count += unsafe { store_hits::<V>(bounds, query, base, 0, spare.as_mut_ptr().add(count)) };
    }
    // SAFETY: that many were written.
    unsafe { spare.set_len(count) };
    hits.clear();
    hits.reserve((spare.len() + 1) * BLOCK);
    let mut count = 0;
    for &at in spare.iter() {
        let parent = near.places[at as usize];
        let (block, base) = (&blocks[parent as usize], parent * BLOCK as u32);
        // SAFETY: as above.
        count += unsafe { store_hits::<V>(block, query, base, from, hits.as_mut_ptr().add(count)) };
    }
    // SAFETY: that many were written.
    unsafe { hits.set_len(count) };
    near.bounds.len() + spare.len()
}

/// Writes `base + lane`, where that is at least `from`, for every box of a block that overlaps the query, side by side.
/// Returns how many these are.
///
/// # Safety
/// The machine must have the instructions, and there must be room for a block and a register more.
#[inline(always)]
pub(super) unsafe fn store_hits<V: Vector>(
    block: &Block,
    query: &Aabb,
    base: u32,
    from: u32,
    to: *mut u32,
) -> usize {
    let (mut lane, mut count) = (0, 0);
    while lane < BLOCK {
        let begin = base + lane as u32;
        // SAFETY: the caller has the instructions, and the room; a block has whole registers.
        unsafe {
            let mut mask = meets::<V>(block, lane, query);
            if begin < from {
                mask &= u32::MAX.checked_shl(from - begin).unwrap_or(0);
            }
            V::store_positions(begin, mask, to.add(count));
            count += mask.count_ones() as usize;
        }
        lane += V::WIDTH;
    }
    count
}

/// See [`crate::Lanes::cross`].
///
/// In two passes, because most boxes of a block meet none of another: first which boxes meet the bounds of which block,
/// then those against the boxes of that block. Neither has a branch that depends on the boxes.
#[inline(always)]
pub(super) fn cross<V: Vector>(
    blocks: &[Block],
    bounds: &[Aabb],
    own: OwnBlock,
    others: &[u32],
    near: &mut Vec<u32>,
    meetings: &mut Vec<Meeting>,
) {
    near_others::<V, false>(blocks, bounds, own.block, others, near);
    meet_itself::<V>(blocks, own, meetings);
    meet_near::<V>(blocks, own, near, meetings);
}

/// See [`crate::Lanes::list_near`].
#[inline(always)]
pub(super) fn list_near<V: Vector>(
    blocks: &[Block],
    bounds: &[Aabb],
    own: u32,
    others: &[u32],
    near: &mut Vec<u32>,
) {
    near_others::<V, true>(blocks, bounds, own, others, near);
}

#[inline(always)]
fn near_others<V: Vector, const ARE_FAR: bool>(
    blocks: &[Block],
    bounds: &[Aabb],
    own: u32,
    others: &[u32],
    near: &mut Vec<u32>,
) {
    let mine = &blocks[own as usize];
    let others = if others.first() == Some(&own) { &others[1..] } else { others };
    debug_assert!(others.iter().all(|&other| other > own), "others come after a block");
    near.clear();
    near.reserve((others.len() + 1) * BLOCK);
    let mut count = 0;
    for &other in others {
        if ARE_FAR {
            ask_for_block::<V>(&blocks[other as usize]);
        }
        let bounds = &bounds[other as usize];
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; there is room for all boxes
        // with every block, and for a block more.
        count += unsafe { store_hits::<V>(mine, bounds, other << 4, 0, near.as_mut_ptr().add(count)) };
    }
    // SAFETY: that many were written.
    unsafe { near.set_len(count) };
}

/// See [`crate::Lanes::meet_near`].
#[inline(always)]
pub(super) fn meet_near<V: Vector>(
    blocks: &[Block],
    own: OwnBlock,
    near: &[u32],
    meetings: &mut Vec<Meeting>,
) {
    let mine = &blocks[own.block as usize];
    meetings.reserve(near.len() + 1);
    let mut found = meetings.len();
    let to = meetings.as_mut_ptr();
    for &near in near {
        let (other, lane) = (near >> 4, near & 15);
        let mask = overlaps::<V>(&blocks[other as usize], &mine.get(lane as usize));
        // SAFETY: there is room for all that are near.
        unsafe { to.add(found).write(Meeting::new(own.in_stretch, other, lane, mask)) };
        found += usize::from(mask != 0);
    }
    // SAFETY: that many were written.
    unsafe { meetings.set_len(found) };
}

/// See [`crate::Lanes::meet_itself`].
#[inline(always)]
pub(super) fn meet_itself<V: Vector>(blocks: &[Block], own: OwnBlock, meetings: &mut Vec<Meeting>) {
    let mine = &blocks[own.block as usize];
    meetings.reserve(BLOCK);
    let mut found = meetings.len();
    let to = meetings.as_mut_ptr();
    for lane in 0..BLOCK as u32 {
        // Each pair once, and none of a box with itself.
        let mask = overlaps::<V>(mine, &mine.get(lane as usize)) & !1 << lane;
        // SAFETY: there is room for all boxes of the block.
        unsafe { to.add(found).write(Meeting::new(own.in_stretch, own.block, lane, mask)) };
        found += usize::from(mask != 0);
    }
    // SAFETY: that many were written.
    unsafe { meetings.set_len(found) };
}

/// Which boxes of a block overlap the query.
#[inline(always)]
pub(super) fn overlaps<V: Vector>(block: &Block, query: &Aabb) -> u32 {
    let (mut all, mut lane) = (0, 0);
    while lane < BLOCK {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; a block has whole registers.
        all |= unsafe { meets::<V>(block, lane, query) } << lane;
        lane += V::WIDTH;
    }
    all
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
