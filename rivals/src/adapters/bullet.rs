//! Bullet's dynamic trees and its three-axis sweep, through `shim/bullet.cpp`. Both keep a cache of all pairs.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};

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
        make: |boxes, _| Ok(Box::new(Bullet::new(false, boxes))),
    },
    Rival {
        name: "bullet-sweep",
        version: VERSION,
        delivers: Delivers::Set,
        margin: "rounding to its grid",
        parallel: false,
        // It fills its lists by insertion: seconds beyond this.
        size_limit: Some(10_000),
        make: |boxes, _| Ok(Box::new(Bullet::new(true, boxes))),
    },
];

#[repr(C)]
struct Handle {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn rivals_bullet_new(axis_sweep: bool, world: *const Aabb, boxes: *const Aabb, count: u32)
    -> *mut Handle;
    fn rivals_bullet_delete(handle: *mut Handle);
    fn rivals_bullet_update(handle: *mut Handle, boxes: *const Aabb, moved: *const u32, count: u32);
    fn rivals_bullet_pair_count(handle: *const Handle) -> u32;
    fn rivals_bullet_pairs(handle: *mut Handle, ids: *mut u32);
}

struct Bullet {
    handle: *mut Handle,
    boxes: usize,
}

impl Bullet {
    fn new(axis_sweep: bool, boxes: &[Aabb]) -> Self {
        let world = world(boxes);
        // SAFETY: the shim reads `boxes.len()` boxes, whose layout is six floats, and keeps no pointer to them.
        let handle = unsafe { rivals_bullet_new(axis_sweep, &world, boxes.as_ptr(), boxes.len() as u32) };
        Self { handle, boxes: boxes.len() }
    }
}

impl Contestant for Bullet {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        assert_eq!(boxes.len(), self.boxes);
        assert!(moved.iter().all(|&id| (id as usize) < self.boxes));
        // SAFETY: the handle is alive, and every moved id is that of a box, as was just made sure.
        unsafe {
            rivals_bullet_update(self.handle, boxes.as_ptr(), moved.as_ptr(), moved.len() as u32);
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        // SAFETY: the handle is alive; the shim writes two ids for each pair it counts.
        let ids = unsafe {
            let mut ids = vec![0; 2 * rivals_bullet_pair_count(self.handle) as usize];
            rivals_bullet_pairs(self.handle, ids.as_mut_ptr());
            ids
        };
        ids.chunks_exact(2).map(|two| Pair::new(two[0], two[1])).collect()
    }
}

impl Drop for Bullet {
    fn drop(&mut self) {
        // Taking its boxes out one by one, Bullet looks through all pairs for each. A million of them take minutes: the
        // memory is left to the end of the process.
        if self.boxes <= 200_000 {
            // SAFETY: made by `rivals_bullet_new`, deleted once.
            unsafe { rivals_bullet_delete(self.handle) }
        }
    }
}
