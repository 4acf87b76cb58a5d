//! PhysX's four broad phases for the CPU, stand-alone: `PxCreateBroadPhase` under a `PxAABBManager`.

use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use jostle_broad::{Aabb, Pair};
use physx_sys::*;

use super::world;
use crate::rival::{Contestant, Delivers, Ledger, Make, Rival};

const VERSION: &str = "PhysX 5.1.3 (physx-sys 0.11.5)";

const fn rival(name: &'static str, parallel: bool, size_limit: Option<usize>, make: Make) -> Rival {
    Rival { name, version: VERSION, delivers: Delivers::Events, margin: "none", parallel, size_limit, make }
}

pub(super) const RIVALS: [Rival; 4] = [
    rival("physx-abp", false, None, |boxes, threads| {
        Ok(Box::new(PhysX::new(PxBroadPhaseType::Abp, boxes, threads)?))
    }),
    rival("physx-pabp", true, None, |boxes, threads| {
        Ok(Box::new(PhysX::new(PxBroadPhaseType::Pabp, boxes, threads)?))
    }),
    rival("physx-mbp", false, None, |boxes, threads| {
        Ok(Box::new(PhysX::new(PxBroadPhaseType::Mbp, boxes, threads)?))
    }),
    rival("physx-sap", false, Some(100_000), |boxes, threads| {
        Ok(Box::new(PhysX::new(PxBroadPhaseType::Sap, boxes, threads)?))
    }),
];

unsafe extern "C" {
    fn rivals_physx_update(manager: *mut PxAABBManager, tasks: *mut PxTaskManager);
}

/// There can be one foundation in a process; it is never released.
struct Foundation(*mut PxFoundation);

// SAFETY: the foundation is made once and is safe to use from any thread.
unsafe impl Send for Foundation {}
// SAFETY: as above.
unsafe impl Sync for Foundation {}

fn foundation() -> Result<()> {
    static FOUNDATION: OnceLock<Foundation> = OnceLock::new();
    // SAFETY: called once.
    let foundation = FOUNDATION.get_or_init(|| Foundation(unsafe { physx_create_foundation() }));
    ensure!(!foundation.0.is_null(), "PhysX gave no foundation");
    Ok(())
}

/// Workers, and who hands them their tasks.
struct Workers {
    dispatcher: *mut PxDefaultCpuDispatcher,
    tasks: *mut PxTaskManager,
}

impl Workers {
    fn new(threads: usize) -> Self {
        // SAFETY: no affinity masks; the error callback lives as long as the process.
        unsafe {
            let dispatcher = phys_PxDefaultCpuDispatcherCreate(
                threads as u32,
                std::ptr::null_mut(),
                PxDefaultCpuDispatcherWaitForWorkMode::WaitForWork,
                0,
            );
            let errors = get_default_error_callback().cast();
            Self { dispatcher, tasks: PxTaskManager_createTaskManager(errors, dispatcher.cast()) }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // SAFETY: both were made in `new`, and no update is running.
        unsafe {
            PxTaskManager_release_mut(self.tasks);
            PxDefaultCpuDispatcher_release_mut(self.dispatcher);
        }
    }
}

struct PhysX {
    broad_phase: *mut PxBroadPhase,
    manager: *mut PxAABBManager,
    workers: Option<Workers>,
    results: PxBroadPhaseResults,
    boxes: usize,
    ledger: Ledger,
}

impl PhysX {
    fn new(kind: PxBroadPhaseType, boxes: &[Aabb], threads: usize) -> Result<Self> {
        foundation()?;
        // SAFETY: the descriptor is valid; results are null-checked; bounds have the layout of `Aabb`, six floats, and
        // are copied by `addObject`.
        unsafe {
            let descriptor = PxBroadPhaseDesc_new(kind);
            let broad_phase = phys_PxCreateBroadPhase(&descriptor);
            ensure!(!broad_phase.is_null(), "PhysX gave no broad phase");
            if kind == PxBroadPhaseType::Mbp {
                add_regions(broad_phase, boxes)?;
            }
            let manager = phys_PxCreateAABBManager(broad_phase);
            ensure!(!manager.is_null(), "PhysX gave no AABB manager");
            let mut made = Self {
                broad_phase,
                manager,
                workers: (threads > 1).then(|| Workers::new(threads)),
                results: PxBroadPhaseResults_new(),
                boxes: boxes.len(),
                ledger: Ledger::default(),
            };
            for (id, aabb) in boxes.iter().enumerate() {
                let group = phys_PxGetBroadPhaseDynamicFilterGroup(id as u32);
                PxAABBManager_addObject_mut(manager, id as u32, bounds(aabb), group, 0.0);
            }
            made.run();
            Ok(made)
        }
    }

    fn run(&mut self) {
        // SAFETY: the manager is alive. The results point into it and are read before the next update.
        unsafe {
            match &self.workers {
                Some(workers) => rivals_physx_update(self.manager, workers.tasks),
                None => PxAABBManager_update_mut(self.manager, std::ptr::null_mut()),
            }
            PxAABBManager_fetchResults_mut(self.manager, &mut self.results);
        }
    }
}

fn bounds(aabb: &Aabb) -> *const PxBounds3 {
    std::ptr::from_ref(aabb).cast()
}

/// PhysX's own advice is to cut the world into 4 x 4 regions; with many boxes it needs more, or it loses some.
unsafe fn add_regions(broad_phase: *mut PxBroadPhase, boxes: &[Aabb]) -> Result<()> {
    let side: u32 = if boxes.len() > 250_000 { 8 } else { 4 };
    let world = world(boxes);
    // The bounds of a region: a box like ours.
    let mut regions = vec![world; (side * side) as usize];
    // SAFETY: there is room for `side` times `side` bounds, and a broad phase of this kind has regions.
    unsafe {
        let count = PxBroadPhaseExt_createRegionsFromWorldBounds(
            regions.as_mut_ptr().cast::<PxBounds3>(),
            bounds(&world),
            side,
            1,
        );
        let target = PxBroadPhase_getRegions_mut(broad_phase);
        ensure!(!target.is_null(), "PhysX gave no regions");
        for region in &regions[..count as usize] {
            let region =
                PxBroadPhaseRegion { mBounds: bounds(region).read(), mUserData: std::ptr::null_mut() };
            let handle =
                PxBroadPhaseRegions_addRegion_mut(target, &region, false, std::ptr::null(), std::ptr::null());
            (handle != u32::MAX).then_some(()).context("PhysX refused a region")?;
        }
    }
    Ok(())
}

impl Contestant for PhysX {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        assert_eq!(boxes.len(), self.boxes);
        for &id in moved {
            let aabb = bounds(&boxes[id as usize]);
            // SAFETY: the object of this id was added in `new`; no new distance is given.
            unsafe { PxAABBManager_updateObject_mut(self.manager, id, aabb, std::ptr::null()) };
        }
        self.run();
        Ok(())
    }

    fn note(&mut self) {
        let listed = |pairs: *const PxBroadPhasePair, count: u32| match count {
            0 => &[],
            // SAFETY: as many pairs as counted lie there until the next update.
            _ => unsafe { std::slice::from_raw_parts(pairs, count as usize) },
        };
        for pair in listed(self.results.mDeletedPairs, self.results.mNbDeletedPairs) {
            self.ledger.remove(pair.mID0, pair.mID1);
        }
        for pair in listed(self.results.mCreatedPairs, self.results.mNbCreatedPairs) {
            self.ledger.add(pair.mID0, pair.mID1);
        }
    }

    fn pairs(&self) -> Vec<Pair> {
        self.ledger.pairs()
    }
}

impl Drop for PhysX {
    fn drop(&mut self) {
        // SAFETY: both were made in `new`; nothing uses them any more.
        unsafe {
            PxAABBManager_release_mut(self.manager);
            PxBroadPhase_release_mut(self.broad_phase);
        }
    }
}
