//! rapier's `BroadPhaseBvh`: parry's tree, a map of pairs on top, and events of what came and went.
//!
//! Colliders have no bodies and may all collide, which spares rapier the look at two bodies for every new pair. In the
//! engine, `update` computes boxes from shapes; here they come through `set_aabb`, which is cheaper.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};
use rapier3d::prelude::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderSet,
    IntegrationParameters, RigidBodySet,
};
use rayon::ThreadPool;

use super::parry::parry_aabb;
use crate::rival::{Contestant, Delivers, Ledger, Rival};

pub(super) const RIVALS: [Rival; 1] = [Rival {
    name: "rapier",
    version: "rapier3d 0.36.1",
    delivers: Delivers::Events,
    margin: "0.04",
    parallel: true,
    size_limit: None,
    make: |boxes, threads| Ok(Box::new(Rapier::new(boxes, threads)?)),
}];

struct Rapier {
    broad_phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    /// The parallel build has no serial way: on a pool of one thread it does the same work in order.
    pool: ThreadPool,
    ledger: Ledger,
}

impl Rapier {
    fn new(boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut colliders = ColliderSet::new();
        let shape = ColliderBuilder::ball(0.5).active_collision_types(ActiveCollisionTypes::all()).build();
        let handles: Vec<ColliderHandle> = boxes.iter().map(|_| colliders.insert(shape.clone())).collect();
        let mut made = Self {
            broad_phase: BroadPhaseBvh::new(),
            parameters: IntegrationParameters::default(),
            bodies: RigidBodySet::new(),
            colliders,
            handles,
            events: Vec::new(),
            pool: rayon::ThreadPoolBuilder::new().num_threads(threads).build()?,
            ledger: Ledger::default(),
        };
        let ids: Vec<u32> = (0..boxes.len() as u32).collect();
        made.update(boxes, &ids)?;
        Ok(made)
    }
}

fn id(handle: ColliderHandle) -> u32 {
    handle.into_raw_parts().0
}

impl Contestant for Rapier {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        self.events.clear();
        let Self { broad_phase, parameters, bodies, colliders, handles, events, .. } = self;
        self.pool.install(|| {
            for &moved_id in moved {
                let aabb = parry_aabb(&boxes[moved_id as usize]);
                broad_phase.set_aabb(parameters, handles[moved_id as usize], aabb);
            }
            broad_phase.update(parameters, colliders, bodies, &[], &[], events);
        });
        Ok(())
    }

    fn note(&mut self) {
        for event in &self.events {
            match event {
                BroadPhasePairEvent::AddPair(pair) => self.ledger.add(id(pair.collider1), id(pair.collider2)),
                BroadPhasePairEvent::DeletePair(pair) => {
                    self.ledger.remove(id(pair.collider1), id(pair.collider2));
                }
            }
        }
    }

    fn pairs(&self) -> Vec<Pair> {
        self.ledger.pairs()
    }
}
