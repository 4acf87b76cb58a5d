//! `sleep`: who falls asleep, and who wakes.
//!
//! Both are decided by a body and those it touches, never by a whole pile: a body falls asleep when it and all it touches
//! have been slow for long enough; it wakes, before the response of the same frame, when a touching body exceeds the wake
//! speed, when one it touches leaves or is put elsewhere, or by command; and with the next frame when a contact has ended.

use crate::contact::Contact;
use crate::world::store::Store;
use crate::{BodyKind, Velocity, World};

/// Slots and contacts handed out to a thread at a time.
const SLOTS: usize = 1024;
const CONTACTS: usize = 512;

/// Scratch, kept between frames.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Per slot: is it tired, and is all it touches?
    tired: Vec<bool>,
    /// Slots that a neighbour keeps up, some contacts a list.
    kept_up: Vec<Vec<usize>>,
    moved: Vec<Contact>,
}

/// After the response: timers, then sleep.
pub(crate) fn run(world: &mut World, dt: f32) {
    if !world.settings.sleep.enabled || !run_timers(world, dt) {
        return;
    }
    keep_up(world);
    for (slot, &tired) in world.scratch.sleep.tired.iter().enumerate() {
        if tired {
            world.store.rests[slot].asleep = true;
            world.store.motions[slot].velocity = Velocity::ZERO;
            world.scratch.fell_asleep += 1;
            world.scratch.changed_sleep = true;
            // It moved in this frame for the last time: the narrow phase has to look where it came to rest.
            world.scratch.changed_bodies = true;
        }
    }
}

/// Who has been slow for long enough? Returns whether anybody has.
fn run_timers(world: &mut World, dt: f32) -> bool {
    let settings = world.settings.sleep;
    let tired = &mut world.scratch.sleep.tired;
    tired.clear();
    tired.resize(world.store.motions.len(), false);
    let mut rests = std::mem::take(&mut world.store.rests);
    let store = &world.store;
    let mut tasks: Vec<_> = tired
        .chunks_mut(SLOTS)
        .zip(rests.chunks_mut(SLOTS))
        .map(|(tired, rests)| (tired, rests, false))
        .collect();
    world.find_settings.executor.for_each(&mut tasks, |index, (tired, rests, any)| {
        for ((slot, rest), tired) in (index * SLOTS..).zip(rests.iter_mut()).zip(tired.iter_mut()) {
            let properties = &store.properties[slot];
            let is_up = properties.kind == BodyKind::Dynamic && !rest.asleep && !rest.frozen;
            if !is_up || !store.boxes.is_live(slot as u32) {
                continue;
            }
            let speed = store.motions[slot].speed(properties.radius);
            // A body jammed among others trembles now and then: that takes back a little of its rest, not all.
            rest.slow_for = if speed <= settings.slow_speed {
                (rest.slow_for + dt).min(2.0 * settings.after)
            } else if speed <= settings.wake_speed {
                (rest.slow_for - dt).max(0.0)
            } else {
                0.0
            };
            *tired = properties.can_sleep && rest.slow_for >= settings.after;
            *any |= *tired;
        }
    });
    let any = tasks.iter().any(|(.., any)| *any);
    world.store.rests = rests;
    any
}

/// A neighbour that is up keeps up; all are judged by the timers, so that no order shows.
fn keep_up(world: &mut World) {
    let slack = 0.5 * world.settings.margin;
    let (store, contacts) = (&world.store, &world.contacts);
    let Scratch { tired, kept_up, .. } = &mut world.scratch.sleep;
    let count = contacts.len().div_ceil(CONTACTS);
    kept_up.resize_with(count.max(kept_up.len()), Vec::new);
    let is_tired = &tired[..];
    world.find_settings.executor.for_each(&mut kept_up[..count], |index, kept_up| {
        kept_up.clear();
        let to = ((index + 1) * CONTACTS).min(contacts.len());
        for contact in &contacts[index * CONTACTS..to] {
            let [a, b] = contact.slots.map(|slot| slot as usize);
            let lively = [a, b].map(|slot| store.is_active(slot) && !is_tired[slot]);
            let kept = [lively[1] && is_tired[a], lively[0] && is_tired[b]];
            if kept == [false, false] || contact.sensor || !contact.meets(slack) {
                continue;
            }
            kept_up.extend([a, b].into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(slot, _)| slot));
        }
    });
    for &slot in kept_up[..count].iter().flatten() {
        tired[slot] = false;
    }
}

/// Must a sleeper wake because of a contact? If the other body is fast, and near enough to reach it in this frame: the
/// response would stop it at the surface. If it is driven, at any speed: nothing stops that. If it was just put there.
pub(crate) fn wakes(
    store: &Store,
    contact: &Contact,
    wake_speed: f32,
    dt: f32,
    is_stirred: impl Fn(usize) -> bool,
) -> Option<usize> {
    if contact.sensor {
        return None;
    }
    let slots = contact.slots.map(|slot| slot as usize);
    for (sleeper, other) in [(slots[0], slots[1]), (slots[1], slots[0])] {
        let asleep = store.properties[sleeper].kind == BodyKind::Dynamic && store.rests[sleeper].asleep;
        let is_new = is_stirred(other);
        if !asleep || !(store.is_active(other) || is_new) {
            continue;
        }
        let speed = store.motions[other].speed(store.properties[other].radius);
        let enough = is_new || speed > wake_speed || store.properties[other].kind == BodyKind::Kinematic;
        let reaches = contact.manifold.points().iter().any(|point| point.separation <= speed * dt);
        if enough && reaches {
            return Some(sleeper);
        }
    }
    None
}

impl World {
    /// Wakes a body and starts its timer afresh.
    pub(crate) fn wake_slot(&mut self, slot: usize) {
        let rest = &mut self.store.rests[slot];
        rest.slow_for = 0.0;
        if rest.asleep {
            rest.asleep = false;
            self.scratch.woke += 1;
            self.scratch.changed_sleep = true;
        }
    }

    /// Wakes everybody.
    pub(crate) fn wake_all(&mut self) {
        let sleepers: Vec<_> =
            self.store.live_slots().filter(|&slot| self.store.rests[slot].asleep).collect();
        sleepers.into_iter().for_each(|slot| self.wake_slot(slot));
    }

    /// Wakes all that touch one of these bodies.
    pub(crate) fn wake_neighbours(&mut self, ids: &[u32]) {
        let is_listed = |id: u32| ids.binary_search(&id).is_ok();
        let touched = self.contacts.iter().chain(&self.resting).filter(|contact| {
            contact.touching && (is_listed(contact.key.low) || is_listed(contact.key.high))
        });
        let neighbours: Vec<_> = touched.flat_map(|contact| [contact.key.low, contact.key.high]).collect();
        for id in neighbours {
            if let Some(slot) = self.store.slot_of(id) {
                self.wake_slot(slot);
            }
        }
    }

    /// Sorts contacts into those of bodies at rest and those of which one body moves.
    pub(crate) fn sort_out_resting(&mut self) {
        if !std::mem::take(&mut self.scratch.changed_sleep) {
            return;
        }
        let (store, stirred) = (&self.store, &self.scratch.stirred);
        let moves = |contact: &Contact| {
            // A body that is gone: the contact has to end.
            [contact.key.low, contact.key.high].into_iter().any(|id| {
                let is_up = |slot| store.is_active(slot) || stirred.binary_search(&(slot as u32)).is_ok();
                store.slot_of(id).is_none_or(is_up)
            })
        };
        // Few of them change sides in a frame, and lists that are in order but for a tail are quickly sorted.
        let moved = &mut self.scratch.sleep.moved;
        moved.clear();
        let rests = |contact: &mut Contact| !moves(contact);
        moved.extend(self.contacts.extract_if(.., rests));
        let at_rest = moved.len();
        moved.extend(self.resting.extract_if(.., |contact| moves(contact)));
        let back = moved.split_off(at_rest);
        for (list, more) in [(&mut self.resting, moved), (&mut self.contacts, &mut { back })] {
            if !more.is_empty() {
                list.append(more);
                list.sort_by_key(|contact| contact.key);
            }
        }
    }
}
