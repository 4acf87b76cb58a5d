//! Box3D's broad phase as its world step has it: its own world with its bodies, shapes, proxies and contacts, through `shim/box3d.c`.
//! Its list of pairs is its array of contacts.

use anyhow::{Result, ensure};
use jostle_broad::Aabb;

use super::box3d_packed::{MARGIN, SIZE_LIMIT, VERSION};
use super::shim::{Handle, Shim, Shimmed};
use crate::rival::{Contestant, Delivers, Rival};

pub(super) const RIVALS: [Rival; 1] = [Rival {
    name: "box3d",
    version: VERSION,
    delivers: Delivers::Set,
    margin: MARGIN,
    parallel: true,
    size_limit: Some(SIZE_LIMIT),
    make,
}];

unsafe extern "C" {
    fn rivals_box3d_new(boxes: *const Aabb, count: u32, threads: u32) -> *mut Handle;
    fn rivals_box3d_delete(world: *mut Handle);
    fn rivals_box3d_update(world: *mut Handle, boxes: *const Aabb, moved: *const u32, count: u32);
    fn rivals_box3d_pair_count(world: *const Handle) -> u32;
    fn rivals_box3d_pairs(world: *const Handle, ids: *mut u32);
}

static SHIM: Shim = Shim {
    delete: rivals_box3d_delete,
    update: rivals_box3d_update,
    pair_count: rivals_box3d_pair_count,
    pairs: rivals_box3d_pairs,
};

fn make(boxes: &[Aabb], threads: usize) -> Result<Box<dyn Contestant>> {
    ensure!(threads <= 32, "Box3D has at most 32 workers; choose fewer threads");
    // SAFETY: the shim reads `boxes.len()` boxes, whose layout is six floats, and keeps no pointer to them.
    let handle = unsafe { rivals_box3d_new(boxes.as_ptr(), boxes.len() as u32, threads as u32) };
    ensure!(!handle.is_null(), "Box3D made no world: 128 at a time is its limit");
    // SAFETY: it was just made, for these boxes.
    Ok(Box::new(unsafe { Shimmed::new(&SHIM, handle, boxes.len()) }))
}
