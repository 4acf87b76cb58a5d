//! A rival behind a C face: all shims have the same four functions, and one of their own that makes it.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};

use crate::rival::Contestant;

/// What a shim gives out.
#[repr(C)]
pub(super) struct Handle {
    _private: [u8; 0],
}

/// The functions of a shim. They take a handle of their own, boxes as six floats in id order, and ids of these.
pub(super) struct Shim {
    pub(super) delete: unsafe extern "C" fn(*mut Handle),
    pub(super) update: unsafe extern "C" fn(*mut Handle, *const Aabb, *const u32, u32),
    pub(super) pair_count: unsafe extern "C" fn(*const Handle) -> u32,
    /// Two ids for each pair that is counted.
    pub(super) pairs: unsafe extern "C" fn(*const Handle, *mut u32),
}

/// A rival at work behind a shim.
pub(super) struct Shimmed {
    shim: &'static Shim,
    handle: *mut Handle,
    boxes: usize,
    /// Above so many boxes its memory is left to the end of the process, because giving it back would take minutes.
    pub(super) deleted_up_to: usize,
}

impl Shimmed {
    /// # Safety
    /// The handle was made by that shim for so many boxes, and nobody else has it.
    pub(super) unsafe fn new(shim: &'static Shim, handle: *mut Handle, boxes: usize) -> Self {
        Self { shim, handle, boxes, deleted_up_to: usize::MAX }
    }
}

impl Contestant for Shimmed {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        assert_eq!(boxes.len(), self.boxes);
        // Ascending, so that the last one tells.
        debug_assert!(moved.is_sorted());
        assert!(moved.last().is_none_or(|&id| (id as usize) < self.boxes));
        // SAFETY: the handle is alive, and every moved id is that of a box, as was just made sure.
        unsafe { (self.shim.update)(self.handle, boxes.as_ptr(), moved.as_ptr(), moved.len() as u32) };
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        // SAFETY: the handle is alive; the shim writes two ids for each pair it counts.
        let ids = unsafe {
            let mut ids = vec![0; 2 * (self.shim.pair_count)(self.handle) as usize];
            (self.shim.pairs)(self.handle, ids.as_mut_ptr());
            ids
        };
        ids.chunks_exact(2).map(|two| Pair::new(two[0], two[1])).collect()
    }
}

impl Drop for Shimmed {
    fn drop(&mut self) {
        if self.boxes <= self.deleted_up_to {
            // SAFETY: made by the shim, deleted once.
            unsafe { (self.shim.delete)(self.handle) }
        }
    }
}
