//! The state hash: that of the settings and of all bodies in ascending order of ids.
//!
//! A body's hash covers what belongs to it: its make, motion, rest, box and user data, and the contacts in which its id is
//! the lower one. So a hash that differs can be traced to a body.

use crate::contact::Contact;
use crate::hash::{Hasher, StateHash};
use crate::state::rules;
use crate::world::store::Store;
use crate::{BodyId, Velocity, World};

/// Bodies handed out to a thread at a time.
const TASK: usize = 512;

impl World {
    /// A hash of everything a step or its events read, as of the latest step: equal for equal states, whatever the thread
    /// count, finder, order of insertion and history. The number of the frame and commands that wait are not part of it.
    pub fn state_hash(&self) -> StateHash {
        self.combine_hashes(&self.body_hashes())
    }

    /// The state hash, from those of all bodies in ascending order of ids.
    pub(crate) fn combine_hashes(&self, bodies: &[u64]) -> StateHash {
        let mut hasher = Hasher::default();
        hasher.write(&rules::to_words(&self.settings));
        hasher.write_u64(bodies.len() as u64);
        bodies.iter().for_each(|&hash| hasher.write_u64(hash));
        StateHash(hasher.finish())
    }

    /// A hash of one body and of its contacts with bodies of higher ids: to find the first body that differs where
    /// [`World::state_hash`] does.
    pub fn body_hash(&self, id: BodyId) -> Option<StateHash> {
        let slot = self.store.slot_of(id.0)?;
        let mut contacts = Contacts::from(id.0, &self.contacts, &self.resting);
        Some(StateHash(hash_body(&self.store, slot, &mut contacts)))
    }

    /// The hashes of all bodies, in ascending order of ids.
    pub(crate) fn body_hashes(&self) -> Vec<u64> {
        let slots = self.store.slots_by_id();
        let mut hashes = vec![0; slots.len()];
        let (store, contacts, resting) = (&self.store, &self.contacts, &self.resting);
        let mut tasks: Vec<_> = slots.chunks(TASK).zip(hashes.chunks_mut(TASK)).collect();
        self.find_settings.executor.for_each(&mut tasks, |_, (slots, hashes)| {
            let mut contacts = Contacts::from(store.id(slots[0] as usize), contacts, resting);
            for (&slot, hash) in slots.iter().zip(hashes.iter_mut()) {
                *hash = hash_body(store, slot as usize, &mut contacts);
            }
        });
        hashes
    }
}

/// Contacts not yet looked at, of both lists.
struct Contacts<'a> {
    moving: &'a [Contact],
    resting: &'a [Contact],
}

impl<'a> Contacts<'a> {
    /// Those of bodies from an id on.
    fn from(id: u32, moving: &'a [Contact], resting: &'a [Contact]) -> Self {
        let from = |list: &'a [Contact]| &list[list.partition_point(|contact| contact.key.low < id)..];
        Self { moving: from(moving), resting: from(resting) }
    }

    fn hash(&mut self, id: u32, hasher: &mut Hasher) {
        for (list, resting) in [(&mut self.moving, false), (&mut self.resting, true)] {
            while let Some((contact, rest)) = list.split_first().filter(|(contact, _)| contact.key.low == id)
            {
                hasher.write_u64(hash_contact(contact, resting));
                *list = rest;
            }
        }
    }
}

fn hash_body(store: &Store, slot: usize, contacts: &mut Contacts<'_>) -> u64 {
    let id = store.id(slot);
    let (motion, rest) = (&store.motions[slot], &store.rests[slot]);
    let Velocity { linear, angular } = motion.velocity;
    let aabb = store.boxes.aabb(slot as u32);
    let mut hasher = Hasher::default();
    hasher.write(&[id, u32::from(rest.asleep) | u32::from(rest.frozen) << 1]);
    hasher.write_u64(store.contents[slot]);
    hasher.write_u64(store.descriptions[slot].user_data);
    let [x, y, z] = motion.center.to_array();
    let [i, j, k, w] = motion.rotation.to_array();
    hasher.write(&[x, y, z, i, j, k, w, rest.slow_for].map(f32::to_bits));
    for vector in [linear, angular, aabb.min, aabb.max] {
        let [x, y, z] = vector.to_array().map(f32::to_bits);
        hasher.write(&[x, y]);
        hasher.write(&[z, 0]);
    }
    contacts.hash(id, &mut hasher);
    hasher.finish()
}

/// Each contact by itself: processors work on several such chains at a time.
fn hash_contact(contact: &Contact, resting: bool) -> u64 {
    let mut hasher = Hasher::default();
    let [resting, touching, sensor, governed] =
        [resting, contact.touching, contact.sensor, contact.governed].map(u32::from);
    let flags = resting | touching << 1 | sensor << 2 | contact.manifold.count << 3 | governed << 6;
    hasher.write(&[contact.key.high, flags]);
    hasher.write_u64(contact.key.pieces);
    // Where points are decides who inherits what in the next frame.
    let [x, y, z] = contact.manifold.normal.to_array().map(f32::to_bits);
    hasher.write(&[x, y, z]);
    for (point, impulse) in contact.manifold.points().iter().zip(&contact.impulses) {
        let [normal, tangent, other] = impulse.map(f32::to_bits);
        let [x, y, z] = point.position.to_array().map(f32::to_bits);
        hasher.write(&[point.feature, normal, tangent, other, x, y, z]);
    }
    hasher.finish()
}
