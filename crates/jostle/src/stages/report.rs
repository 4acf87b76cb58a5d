//! `report`: what happened, in canonical order.

use crate::contact::Contact;
use crate::world::store::Store;
use crate::{BodyId, Event, EventKind, World};

/// Contacts handed out to a thread at a time, some more where the pieces of one pair go on.
const TASK: usize = 512;

/// Events of some pairs; kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    events: Vec<Vec<Event>>,
}

pub(crate) fn run(world: &mut World) {
    report_contacts(world);
    wake_left_alone(world);
    let pairs = world.finder.pairs();
    let events = &mut world.events;
    events.began_overlapping.clear();
    events.began_overlapping.extend_from_slice(pairs.added());
    events.ended_overlapping.clear();
    events.ended_overlapping.extend_from_slice(pairs.removed());
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

/// The contacts of some pairs, in this frame and the one before, and where their events go.
struct Task<'a> {
    now: &'a mut [Contact],
    before: &'a [Contact],
    events: &'a mut Vec<Event>,
}

/// Touching pairs of the frame before against those of this one, both in canonical order.
fn report_contacts(world: &mut World) {
    let store = &world.store;
    let slack = 0.5 * world.settings.margin;
    let mut now = &mut world.contacts[..];
    let mut before = &world.scratch.before[..];
    let lists = &mut world.scratch.report.events;
    let most = now.len().div_ceil(TASK).max(1);
    lists.resize_with(most.max(lists.len()), Vec::new);
    lists.iter_mut().for_each(Vec::clear);
    let mut tasks = Vec::with_capacity(most);
    for events in &mut lists[..most] {
        // A pair is never cut, and the last task takes all that is left of the frame before.
        let next = now.get(TASK).map(|contact| contact.key.pair());
        let end = match next {
            Some(next) => TASK + now[TASK..].partition_point(|contact| contact.key.pair() <= next),
            None => now.len(),
        };
        let (mine, rest) = std::mem::take(&mut now).split_at_mut(end);
        let old_end = match rest.first() {
            Some(next) => before.partition_point(|contact| contact.key.pair() < next.key.pair()),
            None => before.len(),
        };
        let (old, old_rest) = before.split_at(old_end);
        (now, before) = (rest, old_rest);
        tasks.push(Task { now: mine, before: old, events });
    }
    world.find_settings.executor.for_each(&mut tasks, |_, task| {
        for contact in task.now.iter_mut() {
            contact.touching = contact.meets(slack);
        }
        compare(store, task.before, task.now, task.events);
    });
    world.events.contacts.clear();
    for events in &lists[..most] {
        world.events.contacts.extend_from_slice(events);
    }
}

/// The events of some pairs.
fn compare(store: &Store, before: &[Contact], now: &[Contact], events: &mut Vec<Event>) {
    let mut before = touching(before).peekable();
    let mut now = touching(now).peekable();
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
        events.push(Event { first: BodyId(pair.0), second: BodyId(pair.1), kind });
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
