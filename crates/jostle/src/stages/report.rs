//! `report`: what happened, in canonical order.

use crate::contact::Contact;
use crate::{BodyId, Event, EventKind, World};

pub(crate) fn run(world: &mut World) {
    for contact in &mut world.contacts {
        contact.touching = contact.meets(0.5 * world.settings.margin);
    }
    report_contacts(world);
    wake_left_alone(world);
    let pairs = world.finder.pairs();
    let events = &mut world.events;
    events.began_overlapping.clear();
    events.began_overlapping.extend_from_slice(pairs.added());
    events.ended_overlapping.clear();
    events.ended_overlapping.extend_from_slice(pairs.removed());
    world.scratch.before.clear();
    world.sort_out_resting();
}

/// A contact that has ended wakes a sleeper that may have leaned on it: from the next frame on it moves.
fn wake_left_alone(world: &mut World) {
    let ended = world.events.contacts.iter().filter(|event| event.kind == EventKind::ContactEnded);
    let left: Vec<_> = ended
        .flat_map(|event| [event.first.0, event.second.0])
        .filter_map(|id| world.store.slot_of(id))
        .filter(|&slot| world.store.rests[slot].asleep)
        .collect();
    for slot in left {
        world.wake_slot(slot);
    }
}

/// Touching pairs of the frame before against those of this one, both in canonical order.
fn report_contacts(world: &mut World) {
    let store = &world.store;
    let events = &mut world.events;
    events.contacts.clear();
    let mut before = touching(&world.scratch.before).peekable();
    let mut now = touching(&world.contacts).peekable();
    loop {
        let (pair, sensor, was, is) = match (before.peek().copied(), now.peek().copied()) {
            (None, None) => break,
            (Some((old, sensor)), None) => (old, sensor, true, false),
            (None, Some((new, sensor))) => (new, sensor, false, true),
            (Some((old, old_sensor)), Some((new, sensor))) => match old.cmp(&new) {
                std::cmp::Ordering::Less => (old, old_sensor, true, false),
                std::cmp::Ordering::Equal => (new, sensor, true, true),
                std::cmp::Ordering::Greater => (new, sensor, false, true),
            },
        };
        if was {
            before.next();
        }
        if is {
            now.next();
        }
        let kind = match (sensor, was, is) {
            (false, false, _) => EventKind::ContactBegan,
            (false, true, false) => EventKind::ContactEnded,
            (true, false, _) => EventKind::SensorEntered,
            (true, true, false) => EventKind::SensorLeft,
            (true, true, true) => continue,
            (false, true, true) => {
                // Two sleepers have nothing to say.
                let moves = |id| store.slot_of(id).is_some_and(|slot| store.is_active(slot));
                if !moves(pair.0) && !moves(pair.1) {
                    continue;
                }
                EventKind::ContactPersists
            }
        };
        events.contacts.push(Event { first: BodyId(pair.0), second: BodyId(pair.1), kind });
    }
}

/// Pairs that touch, each once, in canonical order, and whether one is a sensor.
fn touching(contacts: &[Contact]) -> impl Iterator<Item = ((u32, u32), bool)> + '_ {
    let mut last = None;
    contacts.iter().filter(|contact| contact.touching).filter_map(move |contact| {
        let pair = contact.key.pair();
        (last.replace(pair) != Some(pair)).then_some((pair, contact.sensor))
    })
}
