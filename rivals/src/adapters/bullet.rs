//! Bullet's dynamic trees and its three-axis sweep, through `shim/bullet.cpp`. Both keep a cache of all pairs.

use anyhow::Result;
use jostle_broad::Aabb;

use super::shim::{Handle, Shim, Shimmed};
use super::world;
use crate::rival::{Contestant, Delivers, Rival};

const VERSION: &str = "Bullet 3.24 (Debian)";

pub(super) const RIVALS: [Rival; 2] = [
    Rival {
        name: "bullet-dbvt",
        version: VERSION,
        delivers: Delivers::Set,
        margin: "0.05",
        parallel: false,
        size_limit: None,
        make: |boxes, _| make(false, boxes),
    },
    Rival {
        name: "bullet-sweep",
        version: VERSION,
        delivers: Delivers::Set,
        margin: "rounding to its grid",
        parallel: false,
        // It fills its lists by insertion: seconds beyond this.
        size_limit: Some(10_000),
        make: |boxes, _| make(true, boxes),
    },
];

unsafe extern "C" {
    fn rivals_bullet_new(axis_sweep: bool, world: *const Aabb, boxes: *const Aabb, count: u32)
    -> *mut Handle;
    fn rivals_bullet_delete(handle: *mut Handle);
    fn rivals_bullet_update(handle: *mut Handle, boxes: *const Aabb, moved: *const u32, count: u32);
    fn rivals_bullet_pair_count(handle: *const Handle) -> u32;
    fn rivals_bullet_pairs(handle: *const Handle, ids: *mut u32);
}

static SHIM: Shim = Shim {
    delete: rivals_bullet_delete,
    update: rivals_bullet_update,
    pair_count: rivals_bullet_pair_count,
    pairs: rivals_bullet_pairs,
};

fn make(axis_sweep: bool, boxes: &[Aabb]) -> Result<Box<dyn Contestant>> {
    let world = world(boxes);
    // SAFETY: the shim reads `boxes.len()` boxes, whose layout is six floats, and keeps no pointer to them.
    let handle = unsafe { rivals_bullet_new(axis_sweep, &world, boxes.as_ptr(), boxes.len() as u32) };
    // SAFETY: it was just made, for these boxes.
    let mut made = unsafe { Shimmed::new(&SHIM, handle, boxes.len()) };
    // Taking its boxes out one by one, Bullet looks through all pairs for each.
    made.deleted_up_to = 200_000;
    Ok(Box::new(made))
}
