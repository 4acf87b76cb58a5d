//! Where boxes go: places in spatial order, so that neighbours in the world are neighbours in memory.
//!
//! The boxes are cut in two across the axis along which they lie furthest apart, and again and again, down to blocks;
//! how many go where is chosen so that the first part fills whole blocks of blocks. Huge boxes go with huge boxes: one of
//! them would otherwise widen the bounds of its whole block. Any order gives the same pairs.

use crate::round::{from_ordered, ordered};
use crate::simd::BLOCK;
use crate::{Aabb, Boxes, Executor};

/// A box to be placed: its middle, as integers in the order of the coordinates, and its slot.
#[derive(Clone, Copy, Debug)]
struct Item {
    middle: [u32; 3],
    slot: u32,
}

impl Item {
    fn new(aabb: &Aabb, slot: u32) -> Self {
        // Some infinite boxes have no middle; NaN is as good a place for them as any.
        let center = aabb.center();
        Self { middle: [ordered(center.x), ordered(center.y), ordered(center.z)], slot }
    }

    /// What items are cut by. The slot decides where middles are equal: which block a box is in must not depend on how
    /// it is found.
    #[inline]
    fn key(&self, axis: usize) -> u64 {
        u64::from(self.middle[axis]) << 32 | u64::from(self.slot)
    }
}

/// No box: fills up the last block of a size.
pub(super) const NO_SLOT: u32 = u32::MAX;
/// Classes of sizes, and the one that typical boxes are in.
const CLASSES: usize = 4;
const TYPICAL_CLASS: usize = 2;
/// A box up to so many times larger, or smaller, than typical ones is in that class.
const TYPICAL: f32 = 16.0;
/// As many boxes tell what is typical.
const SAMPLE: usize = 1 << 14;
/// Of more boxes than this the bounds are taken from what was cut: looking at all of them takes as long as half a cut.
const MANY: usize = 1 << 8;
/// Fewer boxes than this are not worth a thread of their own.
const TASK_ITEMS: usize = 8 * 1024;

/// The slots in use, in spatial order, with [`NO_SLOT`] between sizes.
pub(super) fn spatial_order(boxes: &Boxes, executor: &Executor) -> Vec<u32> {
    let typical_side = typical_side(boxes);
    let (least, most) = (typical_side / TYPICAL, typical_side * TYPICAL);
    let mut classes: [Vec<Item>; CLASSES] = Default::default();
    // Most boxes are of like size.
    let mut typical = Vec::with_capacity(boxes.len());
    for (slot, aabb) in (0..).zip(boxes.aabbs()) {
        let side = aabb.longest_side();
        if least <= side && side < most {
            typical.push(Item::new(aabb, slot));
        } else if !aabb.min.x.is_nan() {
            classes[class(side, typical_side)].push(Item::new(aabb, slot));
        }
    }
    // On the border it may be said either way.
    typical.append(&mut classes[TYPICAL_CLASS]);
    classes[TYPICAL_CLASS] = typical;
    let mut slots = Vec::with_capacity(boxes.len() + CLASSES * BLOCK);
    for class in &mut classes {
        cut(class, None, executor);
        slots.extend(class.iter().map(|item| item.slot));
        slots.resize(slots.len().next_multiple_of(BLOCK), NO_SLOT);
    }
    slots
}

/// The mean of the longest sides of some boxes, without infinite ones.
fn typical_side(boxes: &Boxes) -> f32 {
    let (mut sum, mut count) = (0.0f64, 0u32);
    for aabb in boxes.aabbs().iter().step_by(boxes.slots() / SAMPLE + 1) {
        let side = aabb.longest_side();
        if side.is_finite() {
            sum += f64::from(side);
            count += 1;
        }
    }
    if count > 0 { (sum / f64::from(count)) as f32 } else { 0.0 }
}

/// Like sizes are those within a factor of 256, with the typical one in the middle. (Told apart by factors of 2, 4 or 16,
/// sizes of 1 to 100 take up to three times the tests: the blocks of one size lie among those of all others.)
fn class(side: f32, typical_side: f32) -> usize {
    let ratio = side / typical_side;
    let exponent = (ratio.to_bits() >> 23) as i32 - 127;
    (exponent + 4 + 4 * CLASSES as i32).clamp(0, 8 * CLASSES as i32 - 1) as usize / 8
}

/// The lowest and highest middles on each axis.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: [u32; 3],
    high: [u32; 3],
}

impl Bounds {
    fn of(items: &[Item]) -> Self {
        let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
        for item in items {
            for axis in 0..3 {
                low[axis] = low[axis].min(item.middle[axis]);
                high[axis] = high[axis].max(item.middle[axis]);
            }
        }
        Self { low, high }
    }

    /// The axis of the largest extent. One with infinite boxes has none, and tells nothing.
    fn longest(&self) -> usize {
        let extent = [0, 1, 2].map(|axis| {
            let extent = from_ordered(self.high[axis]) - from_ordered(self.low[axis]);
            if extent.is_nan() { -1.0 } else { extent }
        });
        (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).expect("there are three")
    }

    /// What is left of it on either side of a cut.
    fn cut(self, axis: usize, at: u32) -> [Self; 2] {
        let (mut first, mut second) = (self, self);
        (first.high[axis], second.low[axis]) = (at, at);
        [first, second]
    }
}

/// Cuts down to blocks. What bounds the items may be known already.
fn cut(items: &mut [Item], known: Option<Bounds>, executor: &Executor) {
    if items.len() <= BLOCK {
        return;
    }
    let bounds = known.filter(|_| items.len() > MANY).unwrap_or_else(|| Bounds::of(items));
    let axis = bounds.longest();
    // The largest part that is full whatever comes after it: blocks, times a power of two.
    let first = BLOCK << ((items.len() - 1) / BLOCK).ilog2();
    let (_, middle, _) = match axis {
        // One by one, so that the axis is known where it is compared.
        0 => items.select_nth_unstable_by_key(first, |item| item.key(0)),
        1 => items.select_nth_unstable_by_key(first, |item| item.key(1)),
        _ => items.select_nth_unstable_by_key(first, |item| item.key(2)),
    };
    let [bounds_a, bounds_b] = bounds.cut(axis, middle.middle[axis]);
    let (a, b) = items.split_at_mut(first);
    if a.len().min(b.len()) > TASK_ITEMS {
        executor.join(|| cut(a, Some(bounds_a), executor), || cut(b, Some(bounds_b), executor));
    } else {
        cut(a, Some(bounds_a), executor);
        cut(b, Some(bounds_b), executor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BoxStream, StreamKind};
    use glam::Vec3;

    #[test]
    fn every_slot_has_one_place_and_neighbours_are_near() {
        for n in [0, 1, 100, 5000] {
            let stream = BoxStream::new(StreamKind::Brownian, n, 1);
            let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            if n > 2 {
                boxes.remove(1).unwrap();
            }
            let mut slots = spatial_order(&boxes, &Executor::serial());
            slots.retain(|&slot| slot != NO_SLOT);
            let mut sorted = slots.clone();
            sorted.sort();
            assert!(sorted.iter().copied().eq(boxes.live_slots()));
            let spread = |slots: &[u32]| -> f32 {
                let bounds = |block: &[u32]| {
                    block.iter().fold(Aabb::EMPTY, |bounds, &slot| bounds.union(boxes.aabb(slot)))
                };
                slots.chunks(BLOCK).map(|block| bounds(block).longest_side()).sum()
            };
            assert!(n < 1000 || spread(&slots) < 0.5 * spread(&sorted));
        }
    }

    #[test]
    fn huge_boxes_have_blocks_of_their_own() {
        let mut boxes = Boxes::default();
        for id in 0..100 {
            let side = if id % 50 == 0 { 1e4 } else { 1.0 };
            let corner = Vec3::splat(id as f32);
            boxes.insert(id, Aabb::new(corner, corner + side), Default::default()).unwrap();
        }
        let slots = spatial_order(&boxes, &Executor::serial());
        for block in slots.chunks(BLOCK) {
            let large = block.iter().filter(|&&slot| slot != NO_SLOT && slot % 50 == 0).count();
            let small = block.iter().filter(|&&slot| slot != NO_SLOT && slot % 50 != 0).count();
            assert!(large == 0 || small == 0, "{block:?}");
        }
    }
}
