//! Box3D rearranged: its dynamic tree and its set of pairs, with arrays of ours in place of its shapes and contacts.
//!
//! What its step does, in the same order: a box that leaves its fat box is fattened anew and the tree enlarged; every such
//! box is looked up in the tree, and pairs not in the set are new; the tree is rebuilt where it was enlarged; pairs whose fat boxes
//! parted leave the set. But fat boxes lie side by side here, 24 bytes each, where Box3D keeps them in its shapes, and a pair takes 8
//! bytes where Box3D has a contact. Where no box leaves its fat box nothing of Box3D runs but the rebuild of a tree that did not change: nobody who uses Box3D has these times,
//! so it is shown and not counted. `box3d.rs` is Box3D.

use std::ffi::c_void;

use anyhow::Result;
use box3d_sys::*;
use jostle_broad::{Aabb, Pair};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::parry::pool;
use crate::rival::{Contestant, Delivers, Rival};

pub(super) const VERSION: &str = "Box3D 0.1.0 (box3d-sys 0.1.16)";
pub(super) const MARGIN: &str = "1/8 of the half diagonal, 0.05 at most";
/// Its ids of shapes have 22 bits.
pub(super) const SIZE_LIMIT: usize = 1 << 22;

pub(super) const RIVALS: [Rival; 1] = [Rival {
    name: "box3d-packed",
    version: VERSION,
    delivers: Delivers::Rearranged,
    margin: MARGIN,
    parallel: true,
    size_limit: Some(SIZE_LIMIT),
    make: |boxes, threads| Ok(Box::new(Box3d::new(boxes, threads)?)),
}];

/// `b3HashSet` of Box3D's `table.h`, which its public headers leave out.
#[repr(C)]
struct HashSet {
    items: *mut c_void,
    capacity: u32,
    count: u32,
}

unsafe extern "C" {
    fn b3CreateSet(capacity: i32) -> HashSet;
    fn b3DestroySet(set: *mut HashSet);
    fn b3AddKey(set: *mut HashSet, key: u64) -> bool;
    fn b3RemoveKey(set: *mut HashSet, key: u64) -> bool;
    fn b3ContainsKey(set: *const HashSet, key: u64) -> bool;
}

/// Moved boxes that one task looks up, as many as in Box3D.
const TASK: usize = 64;

struct Box3d {
    state: State,
    pool: Option<ThreadPool>,
}

struct State {
    tree: b3DynamicTree,
    set: HashSet,
    proxies: Vec<i32>,
    margins: Vec<f32>,
    fat: Vec<Aabb>,
    /// Boxes that left their fat box, as a list and as marks.
    left: Vec<u32>,
    has_left: Vec<bool>,
    new: Vec<Vec<Pair>>,
    pairs: Vec<Pair>,
    parted: Vec<bool>,
}

// SAFETY: the tree and the set are only read while several threads hold them.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

fn key(pair: Pair) -> u64 {
    u64::from(pair.low) << 42 | u64::from(pair.high) << 20
}

fn bounds(aabb: &Aabb) -> b3AABB {
    let vector = |v: [f32; 3]| b3Vec3 { x: v[0], y: v[1], z: v[2] };
    b3AABB { lowerBound: vector(aabb.min.to_array()), upperBound: vector(aabb.max.to_array()) }
}

/// What a query needs to know, and what it finds.
struct Query<'a> {
    state: &'a State,
    id: u32,
    found: &'a mut Vec<Pair>,
}

unsafe extern "C" fn take_hit(_proxy: i32, user: u64, context: *mut c_void) -> bool {
    // SAFETY: `State::look_up` passes a query that outlives the call.
    let query = unsafe { &mut *context.cast::<Query<'_>>() };
    let other = user as u32;
    // Of two boxes that left, the lower one reports.
    if other == query.id || (other < query.id && query.state.has_left[other as usize]) {
        return true;
    }
    let pair = Pair::new(query.id, other);
    // SAFETY: the set is alive and not written to during the queries.
    if !unsafe { b3ContainsKey(&query.state.set, key(pair)) } {
        query.found.push(pair);
    }
    true
}

impl State {
    fn new(boxes: &[Aabb]) -> Self {
        // SAFETY: plain constructors.
        let (tree, set) = unsafe { (b3DynamicTree_Create(boxes.len().max(16) as i32), b3CreateSet(32)) };
        let margins: Vec<f32> =
            boxes.iter().map(|aabb| (0.125 * 0.5 * aabb.extents().length()).min(0.05)).collect();
        let mut state = Self {
            tree,
            set,
            proxies: Vec::new(),
            fat: boxes.iter().zip(&margins).map(|(aabb, margin)| aabb.inflate(*margin)).collect(),
            margins,
            left: (0..boxes.len() as u32).collect(),
            has_left: vec![true; boxes.len()],
            new: Vec::new(),
            pairs: Vec::new(),
            parted: Vec::new(),
        };
        for (id, fat) in state.fat.iter().enumerate() {
            // SAFETY: the tree is alive.
            let proxy = unsafe { b3DynamicTree_CreateProxy(&mut state.tree, bounds(fat), 1, id as u64) };
            state.proxies.push(proxy);
        }
        state
    }

    fn enlarge(&mut self, boxes: &[Aabb], moved: &[u32]) {
        for &id in moved {
            let index = id as usize;
            if self.fat[index].contains(&boxes[index]) {
                continue;
            }
            self.fat[index] = boxes[index].inflate(self.margins[index]);
            // SAFETY: the tree is alive, and the proxy is one of its own.
            unsafe {
                b3DynamicTree_EnlargeProxy(&mut self.tree, self.proxies[index], bounds(&self.fat[index]));
            }
            self.left.push(id);
            self.has_left[index] = true;
        }
    }

    fn look_up(&self, ids: &[u32], found: &mut Vec<Pair>) {
        found.clear();
        for &id in ids {
            let mut query = Query { state: self, id, found };
            // SAFETY: the tree is alive and not written to; the context is what `take_hit` expects.
            unsafe {
                b3DynamicTree_Query(
                    &self.tree,
                    bounds(&self.fat[id as usize]),
                    u64::MAX,
                    false,
                    Some(take_hit),
                    std::ptr::from_mut(&mut query).cast(),
                );
            }
        }
    }

    fn find_pairs(&mut self, parallel: bool) {
        let mut new = std::mem::take(&mut self.new);
        new.resize_with(self.left.len().div_ceil(TASK), Vec::new);
        if parallel {
            self.left.par_chunks(TASK).zip(&mut new).for_each(|(ids, found)| self.look_up(ids, found));
        } else {
            self.left.chunks(TASK).zip(&mut new).for_each(|(ids, found)| self.look_up(ids, found));
        }
        for pair in new.iter().flatten() {
            // SAFETY: the set is alive.
            unsafe { b3AddKey(&mut self.set, key(*pair)) };
            self.pairs.push(*pair);
        }
        self.new = new;
        // SAFETY: the tree is alive.
        unsafe { b3DynamicTree_Rebuild(&mut self.tree, false) };
        for &id in &self.left {
            self.has_left[id as usize] = false;
        }
        self.left.clear();
    }

    fn part_pairs(&mut self, parallel: bool) {
        let fat = &self.fat;
        let parted = |pair: &Pair| !fat[pair.low as usize].overlaps(&fat[pair.high as usize]);
        if parallel {
            self.pairs.par_iter().with_min_len(TASK).map(parted).collect_into_vec(&mut self.parted);
        } else {
            self.parted.clear();
            self.parted.extend(self.pairs.iter().map(parted));
        }
        let mut parted = self.parted.iter();
        let set = &mut self.set;
        self.pairs.retain(|pair| {
            let stays = parted.next() == Some(&false);
            if !stays {
                // SAFETY: the set is alive.
                unsafe { b3RemoveKey(set, key(*pair)) };
            }
            stays
        });
    }

    fn step(&mut self, boxes: &[Aabb], moved: &[u32], parallel: bool) {
        self.enlarge(boxes, moved);
        self.find_pairs(parallel);
        self.part_pairs(parallel);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: both were made in `new`, and are destroyed once.
        unsafe {
            b3DynamicTree_Destroy(&mut self.tree);
            b3DestroySet(&mut self.set);
        }
    }
}

impl Box3d {
    fn new(boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut made = Self { state: State::new(boxes), pool: pool(threads)? };
        made.update(boxes, &[])?;
        Ok(made)
    }
}

impl Contestant for Box3d {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        let state = &mut self.state;
        match &self.pool {
            Some(pool) => pool.install(|| state.step(boxes, moved, true)),
            None => state.step(boxes, moved, false),
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        self.state.pairs.clone()
    }
}
