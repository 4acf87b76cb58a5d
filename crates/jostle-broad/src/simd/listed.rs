//! The kernels of storing some boxes of many: they lie far apart, so that memory is asked for ahead.

use super::blocks::CACHED;
use super::lanes::Vector;
use crate::Aabb;

/// So many boxes before they are needed, they are asked for.
const AHEAD: usize = 16;

/// See [`crate::Lanes::are_listed_boxes`].
#[inline(always)]
pub(super) fn are_listed_boxes<V: Vector>(aabbs: &[Aabb], ids: &[u32]) -> bool {
    let mut good = true;
    for (at, &id) in ids.iter().enumerate() {
        if aabbs.len() > CACHED {
            ask_ahead::<V>(aabbs, 0, ids, at);
        }
        good &= aabbs[id as usize].is_box();
    }
    good
}

/// See [`crate::Lanes::store_listed`].
#[inline(always)]
pub(super) fn store_listed<V: Vector>(
    aabbs: &[Aabb],
    ids: &[u32],
    first: u32,
    stored: &mut [Aabb],
    changed: &mut Vec<u32>,
) {
    changed.reserve(ids.len());
    for (at, &id) in ids.iter().enumerate() {
        if aabbs.len() > CACHED {
            ask_ahead::<V>(aabbs, 0, ids, at);
            ask_ahead::<V>(stored, first, ids, at);
        }
        let aabb = aabbs[id as usize].with_plain_zeros();
        let there = &mut stored[(id - first) as usize];
        if !aabb.equals(there) {
            *there = aabb;
            changed.push(id);
        }
    }
}

/// Asks for one of the boxes to come, of which the first has this id. It may lie in two lines of memory.
#[inline(always)]
fn ask_ahead<V: Vector>(aabbs: &[Aabb], first: u32, ids: &[u32], at: usize) {
    if let Some(&soon) = ids.get(at + AHEAD) {
        let aabb = aabbs.as_ptr().wrapping_add((soon - first) as usize);
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
        unsafe {
            V::prefetch(aabb);
            V::prefetch(aabb.wrapping_byte_add(size_of::<Aabb>() - 1));
        }
    }
}
