//! parry's `Bvh`, the tree under rapier, in three ways.
//!
//! `parry-bvh` keeps the tree as rapier does (leaves fattened by 0.04, incremental optimisation, refit) and lists all
//! pairs of overlapping leaves. `parry-changed` does the same but visits only leaves that left their margin, which is
//! what rapier asks of it before it does its own bookkeeping. `parry-rebuild` builds the tree anew every frame.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};
use rayon::ThreadPool;

use crate::rival::{Contestant, Delivers, Ledger, Rival};

const VERSION: &str = "parry3d 0.31.1";
/// What rapier's broad phase fattens leaves by: `CHANGE_DETECTION_FACTOR`.
const MARGIN: f32 = 0.04;

pub(super) const RIVALS: [Rival; 3] = [
    Rival {
        name: "parry-bvh",
        version: VERSION,
        delivers: Delivers::Set,
        margin: "0.04",
        parallel: true,
        size_limit: None,
        make: |boxes, threads| Ok(Box::new(Incremental::<false>::new(boxes, threads)?)),
    },
    Rival {
        name: "parry-changed",
        version: VERSION,
        delivers: Delivers::Part,
        margin: "0.04",
        parallel: true,
        size_limit: None,
        make: |boxes, threads| Ok(Box::new(Incremental::<true>::new(boxes, threads)?)),
    },
    Rival {
        name: "parry-rebuild",
        version: VERSION,
        delivers: Delivers::Set,
        margin: "none",
        parallel: true,
        size_limit: None,
        make: |boxes, threads| Ok(Box::new(Rebuild::new(boxes, threads)?)),
    },
];

type ParryAabb = parry3d::bounding_volume::Aabb;

pub(super) fn parry_aabb(aabb: &Aabb) -> ParryAabb {
    ParryAabb::new(Vector::from(aabb.min.to_array()), Vector::from(aabb.max.to_array()))
}

/// A pool of its own for more than one thread, so that one thread means the caller's.
pub(super) fn pool(threads: usize) -> Result<Option<ThreadPool>> {
    Ok(match threads {
        1 => None,
        _ => Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?),
    })
}

/// The tree kept from frame to frame.
struct Incremental<const ONLY_CHANGED: bool> {
    tree: Bvh,
    workspace: BvhWorkspace,
    pool: Option<ThreadPool>,
    updates: Vec<(ParryAabb, u32, f32)>,
    statuses: Vec<BvhLeafUpdateStatus>,
    /// Leaves that left their margin.
    changed: Vec<u32>,
    found: Vec<(u32, u32)>,
    /// Outside the clock.
    is_changed: Vec<bool>,
    ledger: Ledger,
}

impl<const ONLY_CHANGED: bool> Incremental<ONLY_CHANGED> {
    fn new(boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut made = Self {
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            pool: pool(threads)?,
            updates: Vec::new(),
            statuses: Vec::new(),
            changed: Vec::new(),
            found: Vec::new(),
            is_changed: Vec::new(),
            ledger: Ledger::default(),
        };
        let ids: Vec<u32> = (0..boxes.len() as u32).collect();
        made.update(boxes, &ids)?;
        Ok(made)
    }

    fn update_serial(&mut self, boxes: &[Aabb], moved: &[u32]) {
        for &id in moved {
            let aabb = parry_aabb(&boxes[id as usize]);
            match self.tree.insert_or_update_partially(aabb, id, MARGIN) {
                BvhLeafUpdateStatus::Unchanged => {}
                BvhLeafUpdateStatus::UpdatedInPlace | BvhLeafUpdateStatus::Inserted => self.changed.push(id),
            }
        }
        self.tree.optimize_incremental(&mut self.workspace);
        self.tree.refit(&mut self.workspace);
        self.found.clear();
        let found = &mut self.found;
        self.tree.traverse_bvtt_single_tree::<ONLY_CHANGED>(&mut self.workspace, &mut |a, b| {
            found.push((a, b));
        });
    }

    fn update_parallel(&mut self, boxes: &[Aabb], moved: &[u32]) {
        self.updates.clear();
        self.updates.extend(moved.iter().map(|&id| (parry_aabb(&boxes[id as usize]), id, MARGIN)));
        self.tree.insert_or_update_batch_partially_parallel(&self.updates, &mut self.statuses);
        for (&id, status) in moved.iter().zip(&self.statuses) {
            if *status != BvhLeafUpdateStatus::Unchanged {
                self.changed.push(id);
            }
        }
        self.tree.optimize_incremental(&mut self.workspace);
        self.tree.refit_parallel(&mut self.workspace);
        self.found = self.tree.traverse_bvtt_single_tree_parallel::<ONLY_CHANGED>();
    }
}

impl<const ONLY_CHANGED: bool> Contestant for Incremental<ONLY_CHANGED> {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        self.changed.clear();
        match self.pool.take() {
            Some(pool) => {
                pool.install(|| self.update_parallel(boxes, moved));
                self.pool = Some(pool);
            }
            None => self.update_serial(boxes, moved),
        }
        Ok(())
    }

    fn note(&mut self) {
        if !ONLY_CHANGED {
            return;
        }
        for &id in &self.changed {
            if self.is_changed.len() <= id as usize {
                self.is_changed.resize(id as usize + 1, false);
            }
            self.is_changed[id as usize] = true;
        }
        let is_changed = |id: u32| self.is_changed.get(id as usize) == Some(&true);
        self.ledger.retain(|pair| !is_changed(pair.low) && !is_changed(pair.high));
        for &(a, b) in &self.found {
            self.ledger.add(a, b);
        }
        for &id in &self.changed {
            self.is_changed[id as usize] = false;
        }
    }

    fn pairs(&self) -> Vec<Pair> {
        if ONLY_CHANGED {
            return self.ledger.pairs();
        }
        self.found.iter().map(|&(a, b)| Pair::new(a, b)).collect()
    }
}

/// The tree built anew, by binned surface area.
struct Rebuild {
    workspace: BvhWorkspace,
    tree: Bvh,
    pool: Option<ThreadPool>,
    found: Vec<(u32, u32)>,
}

impl Rebuild {
    fn new(boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut made = Self {
            workspace: BvhWorkspace::default(),
            tree: Bvh::new(),
            pool: pool(threads)?,
            found: Vec::new(),
        };
        made.update(boxes, &[])?;
        Ok(made)
    }
}

impl Contestant for Rebuild {
    fn update(&mut self, boxes: &[Aabb], _moved: &[u32]) -> Result<()> {
        let leaves = boxes.iter().map(parry_aabb).enumerate();
        self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        match &self.pool {
            Some(pool) => {
                self.found = pool.install(|| self.tree.traverse_bvtt_single_tree_parallel::<false>());
            }
            None => {
                self.found.clear();
                let found = &mut self.found;
                self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                    found.push((a, b));
                });
            }
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        self.found.iter().map(|&(a, b)| Pair::new(a, b)).collect()
    }
}
