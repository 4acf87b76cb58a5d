//! `update_bounds`: the boxes of moving bodies, swept over the whole frame.
//!
//! Pairs and manifolds are found once a frame, so that a box covers what its body can reach in it by its own motion.
//! Bodies that do not move keep the box they have.

use glam::Vec3;
use jostle_broad::{Aabb, Executor};

use crate::WorldSettings;
use crate::world::store::Store;

/// Boxes handed out to a thread at a time.
const TASK: usize = 512;

/// Scratch, kept between frames.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    boxes: Vec<(u32, Aabb)>,
}

pub(crate) fn run(
    store: &mut Store,
    settings: &WorldSettings,
    dt: f32,
    executor: &Executor,
    scratch: &mut Scratch,
) {
    scratch.boxes.clear();
    let active = store.live_slots().filter(|&slot| store.is_active(slot));
    scratch.boxes.extend(active.map(|slot| (slot as u32, Aabb::NOWHERE)));
    let shared = &*store;
    let mut tasks: Vec<_> = scratch.boxes.chunks_mut(TASK).collect();
    executor.for_each(&mut tasks, |_, task| {
        for (slot, aabb) in task.iter_mut() {
            *aabb = swept_box(shared, *slot as usize, settings, dt);
        }
    });
    for &(slot, aabb) in &scratch.boxes {
        let id = store.id(slot as usize);
        // A body far out or about to overflow has no box; it keeps the one it has, and `integrate` deals with it.
        if aabb.is_finite() && aabb.min.cmple(aabb.max).all() {
            store.boxes.set(id, aabb).expect("a finite box of a body that is there");
        }
    }
}

/// Where a body can be in this frame: its box now and where its velocity takes it, with room for turning and the margin.
pub(crate) fn swept_box(store: &Store, slot: usize, settings: &WorldSettings, dt: f32) -> Aabb {
    let motion = &store.motions[slot];
    let properties = &store.properties[slot];
    let tight = store.box_of(slot);
    let falling = settings.gravity * (properties.gravity_scale * dt * dt);
    let travel =
        motion.velocity.linear * dt + if properties.inverse_mass > 0.0 { falling } else { Vec3::ZERO };
    let turning = motion.velocity.angular.length();
    // No point moves farther by turning than to the other side.
    let turn = if turning > 0.0 { (turning * dt).min(2.0) * properties.radius } else { 0.0 };
    let room = Vec3::splat(turn + 0.5 * settings.margin);
    Aabb::new(tight.min + travel.min(Vec3::ZERO) - room, tight.max + travel.max(Vec3::ZERO) + room)
}
