//! Jolt's broad phase, a quad tree for each layer of bodies, through `shim/jolt.cpp`: one layer, all bodies awake. It keeps no pairs
//! from frame to frame and finds all of them anew.

use anyhow::Result;
// Only linked: the shim calls it.
use joltc_sys as _;
use jostle_broad::Aabb;

use super::shim::{Handle, Shim, Shimmed};
use crate::rival::{Contestant, Delivers, Rival};

pub(super) const RIVALS: [Rival; 1] = [Rival {
    name: "jolt",
    version: "Jolt 5.0.0 (joltc-sys 0.3.1)",
    delivers: Delivers::Set,
    margin: "0.02",
    parallel: true,
    // Its ids of bodies have 23 bits.
    size_limit: Some((1 << 23) - 1),
    make,
}];

unsafe extern "C" {
    fn rivals_jolt_new(boxes: *const Aabb, count: u32, threads: u32) -> *mut Handle;
    fn rivals_jolt_delete(jolt: *mut Handle);
    fn rivals_jolt_update(jolt: *mut Handle, boxes: *const Aabb, moved: *const u32, count: u32);
    fn rivals_jolt_pair_count(jolt: *const Handle) -> u32;
    fn rivals_jolt_pairs(jolt: *const Handle, ids: *mut u32);
}

static SHIM: Shim = Shim {
    delete: rivals_jolt_delete,
    update: rivals_jolt_update,
    pair_count: rivals_jolt_pair_count,
    pairs: rivals_jolt_pairs,
};

fn make(boxes: &[Aabb], threads: usize) -> Result<Box<dyn Contestant>> {
    // SAFETY: the shim reads `boxes.len()` boxes, whose layout is six floats, and keeps no pointer to them.
    let handle = unsafe { rivals_jolt_new(boxes.as_ptr(), boxes.len() as u32, threads as u32) };
    // SAFETY: it was just made, for these boxes.
    Ok(Box::new(unsafe { Shimmed::new(&SHIM, handle, boxes.len()) }))
}
