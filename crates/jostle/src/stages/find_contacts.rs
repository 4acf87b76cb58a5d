//! `find_contacts`: of each pair of boxes in which something moves, where the shapes touch or are about to.
//!
//! One task takes a run of pairs and writes into a list of its own; the lists, one after the other, are in canonical order
//! because the pairs are. Manifolds are computed afresh; only the impulses of points with the same features are taken over
//! from the frame before.

use jostle_broad::{Aabb, Executor, Lanes, Pair};

use crate::contact::{Contact, ContactKey};
use crate::narrow::{Batch, Collider, Manifold, PieceManifold, SolidPair};
use crate::simd::Solid;
use crate::solve::ForceLaw;
use crate::stages::sleep::wakes;
use crate::world::ContactFilter;
use crate::world::store::Store;
use crate::{BodyId, BodyKind, Material, World, WorldSettings};

/// Pairs handed out to a thread at a time.
const TASK: usize = 256;

/// Pairs and bodies looked at by a thread at a time.
const PAIRS: usize = 2048;
const SLOTS: usize = 1024;

/// Scratch, kept between frames.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Per slot: the body as one ball or box, if that is all it is.
    solids: Vec<Solid>,
    is_solid: Vec<bool>,
    tasks: Vec<Task>,
    /// Per slot: does the body move, or was it put elsewhere? There are far more pairs than bodies to be asked this.
    stirs: Vec<bool>,
    chosen: Vec<Vec<Pair>>,
}

#[derive(Default)]
struct Task {
    found: Vec<Contact>,
    collider: Collider,
    batch: Batch,
    /// Pairs of two solids, and their manifolds.
    pairs: Vec<SolidPair>,
    manifolds: Vec<Manifold>,
    pieces: Vec<PieceManifold>,
    part_boxes: Vec<Aabb>,
}

/// What the stage reads.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) store: &'a Store,
    pub(crate) settings: &'a WorldSettings,
    /// Pairs with at least one body that moves, in canonical order.
    pub(crate) pairs: &'a [Pair],
    /// Contacts of the frame before, in canonical order.
    pub(crate) before: &'a [Contact],
    pub(crate) filter: Option<&'a ContactFilter>,
    pub(crate) law: Option<&'a dyn ForceLaw>,
    pub(crate) dt: f32,
}

/// Puts the contacts of the pairs into `found` after the first `from`, in place of what is there.
pub(crate) fn run(
    input: Input<'_>,
    executor: &Executor,
    lanes: Lanes,
    scratch: &mut Scratch,
    (found, from): (&mut Vec<Contact>, usize),
) {
    let count = input.pairs.len().div_ceil(TASK);
    while scratch.tasks.len() < count {
        scratch.tasks.push(Task { batch: Batch::new(lanes), ..Task::default() });
    }
    let Scratch { solids, is_solid, tasks, .. } = scratch;
    let (solids, is_solid) = (&solids[..], &is_solid[..]);
    executor.for_each(&mut tasks[..count], |index, task| {
        let from = index * TASK;
        let to = (from + TASK).min(input.pairs.len());
        task.run(&input, solids, is_solid, &input.pairs[from..to]);
    });
    // Copied by all threads into memory of an earlier frame.
    let total: usize = tasks[..count].iter().map(|task| task.found.len()).sum();
    found.resize_with(from + total, Contact::default);
    let mut rest = &mut found[from..];
    let mut copies = Vec::with_capacity(count);
    for task in &tasks[..count] {
        let (mine, others) = std::mem::take(&mut rest).split_at_mut(task.found.len());
        copies.push((mine, &task.found[..]));
        rest = others;
    }
    executor.for_each(&mut copies, |_, (to, from)| to.clone_from_slice(from));
}

impl Scratch {
    fn ask_who_stirs(&mut self, store: &Store, stirred: &[u32], executor: &Executor) {
        self.stirs.resize(store.motions.len(), false);
        let mut tasks: Vec<_> = self.stirs.chunks_mut(SLOTS).collect();
        executor.for_each(&mut tasks, |index, stirs| {
            for (slot, stirs) in (index * SLOTS..).zip(stirs.iter_mut()) {
                *stirs = store.boxes.is_live(slot as u32) && store.is_active(slot);
            }
        });
        stirred.iter().for_each(|&slot| self.stirs[slot as usize] = true);
    }

    /// Appends those of the pairs in which something stirs and of which something can come.
    fn choose(&mut self, pairs: &[Pair], store: &Store, executor: &Executor, chosen: &mut Vec<Pair>) {
        let stirs = &self.stirs;
        let moves = |id: u32| store.slot_of(id).is_some_and(|slot| stirs[slot]);
        let concerns = |pair: &&Pair| (moves(pair.low) || moves(pair.high)) && matters(store, pair);
        let count = pairs.len().div_ceil(PAIRS);
        self.chosen.resize_with(count.max(self.chosen.len()), Vec::new);
        executor.for_each(&mut self.chosen[..count], |index, chosen| {
            let to = ((index + 1) * PAIRS).min(pairs.len());
            chosen.clear();
            chosen.extend(pairs[index * PAIRS..to].iter().filter(concerns));
        });
        self.chosen[..count].iter().for_each(|list| chosen.extend_from_slice(list));
    }

    /// Balls and boxes where they are now: all of them, or those that move if no other has changed.
    fn update_solids(&mut self, store: &Store, all: bool, executor: &Executor) {
        self.solids.resize(store.motions.len(), Solid::default());
        self.is_solid.resize(store.motions.len(), false);
        let mut tasks: Vec<_> = self.solids.chunks_mut(SLOTS).zip(self.is_solid.chunks_mut(SLOTS)).collect();
        executor.for_each(&mut tasks, |index, (solids, is_solid)| {
            for (at, (solid, is_solid)) in solids.iter_mut().zip(is_solid.iter_mut()).enumerate() {
                let slot = index * SLOTS + at;
                if !store.boxes.is_live(slot as u32) || !(all || store.is_active(slot)) {
                    continue;
                }
                let pose = store.pose(slot);
                let found = match store.properties[slot].solid {
                    Some(geometry) => Solid::new(geometry, &pose),
                    None => match &store.descriptions[slot].parts[..] {
                        [part] => Solid::new(part.shape.geometry(), &pose.then(&part.local)),
                        _ => None,
                    },
                };
                *is_solid = found.is_some();
                *solid = found.unwrap_or_default();
            }
        });
    }
}

impl Task {
    fn run(&mut self, input: &Input<'_>, solids: &[Solid], is_solid: &[bool], pairs: &[Pair]) {
        self.found.clear();
        let Some(first) = pairs.first() else { return };
        let slots_of = |pair: &Pair| {
            [pair.low, pair.high]
                .map(|id| input.store.slot_of(id).expect("pairs are of bodies that are there"))
        };
        self.pairs.clear();
        for pair in pairs {
            let slots = slots_of(pair);
            if is_solid[slots[0]] && is_solid[slots[1]] {
                let prediction = prediction(input, slots);
                self.pairs.push(SolidPair { first: slots[0] as u32, second: slots[1] as u32, prediction });
            }
        }
        self.manifolds.clear();
        self.manifolds.resize(self.pairs.len(), Manifold::NONE);
        self.batch.collide(solids, &self.pairs, &mut self.manifolds);

        let start = ContactKey::first_of(first.low, first.high);
        let mut before = input.before.partition_point(|old| old.key < start);
        let mut solid = 0;
        for pair in pairs {
            let from = self.found.len();
            let slots = slots_of(pair);
            if is_solid[slots[0]] && is_solid[slots[1]] {
                self.take_solid(input, pair, slots, solid);
                solid += 1;
            } else {
                self.collide(input, pair, slots);
            }
            if let Some(filter) = input.filter {
                let mut index = from;
                while let Some(contact) = self.found.get(index) {
                    if filter(BodyId(pair.low), BodyId(pair.high), &contact.manifold) {
                        index += 1;
                    } else {
                        self.found.remove(index);
                    }
                }
            }
            let governed = input.law.is_some_and(|law| law.governs(BodyId(pair.low), BodyId(pair.high)));
            for contact in &mut self.found[from..] {
                contact.governed = governed && !contact.sensor;
                while input.before.get(before).is_some_and(|old| old.key < contact.key) {
                    before += 1;
                }
                if let Some(old) = input.before.get(before).filter(|old| old.key == contact.key) {
                    contact.inherit(old);
                }
            }
        }
    }

    /// The contact of two bodies of one ball or box each, if there is one.
    fn take_solid(&mut self, input: &Input<'_>, pair: &Pair, slots: [usize; 2], index: usize) {
        let manifold = self.manifolds[index];
        if manifold.count == 0 {
            return;
        }
        let [low, high] = slots.map(|slot| &input.store.properties[slot]);
        let (friction, restitution) = surface(&low.material, &high.material);
        self.found.push(Contact {
            key: ContactKey::first_of(pair.low, pair.high),
            slots: slots.map(|slot| slot as u32),
            manifold,
            friction,
            restitution,
            sensor: low.kind == BodyKind::Sensor || high.kind == BodyKind::Sensor,
            ..Contact::default()
        });
    }

    /// The contacts of any other pair, in the order of their pieces.
    fn collide(&mut self, input: &Input<'_>, pair: &Pair, slots: [usize; 2]) {
        let store = input.store;
        let prediction = prediction(input, slots);
        let [low, high] = slots.map(|slot| &store.descriptions[slot]);
        let poses = slots.map(|slot| store.pose(slot));
        let sensor = low.kind == BodyKind::Sensor || high.kind == BodyKind::Sensor;
        // Of bodies with many parts only those near each other are looked at.
        let many = low.parts.len() * high.parts.len() > 1;
        self.part_boxes.clear();
        if many {
            self.part_boxes
                .extend(high.parts.iter().map(|part| part.shape.aabb(&poses[1].then(&part.local))));
        }
        for (low_part, part) in low.parts.iter().enumerate() {
            let pose = poses[0].then(&part.local);
            let near = if many { part.shape.aabb(&pose).inflate(prediction) } else { Aabb::NOWHERE };
            for (high_part, other) in high.parts.iter().enumerate() {
                if many && !near.overlaps(&self.part_boxes[high_part]) {
                    continue;
                }
                self.pieces.clear();
                let other_pose = poses[1].then(&other.local);
                let (first, second) = ((&part.shape, &pose), (&other.shape, &other_pose));
                self.collider.collide(first, second, prediction, &mut self.pieces);
                let (friction, restitution) = surface(&part.material, &other.material);
                for found in &self.pieces {
                    let side = |part: usize, piece: u32| (part as u64) << 22 | u64::from(piece);
                    let pieces = side(low_part, found.piece.0) << 32 | side(high_part, found.piece.1);
                    self.found.push(Contact {
                        key: ContactKey { low: pair.low, high: pair.high, pieces },
                        slots: slots.map(|slot| slot as u32),
                        manifold: found.manifold,
                        friction,
                        restitution,
                        sensor,
                        ..Contact::default()
                    });
                }
            }
        }
    }
}

/// How far ahead of touching a manifold must see: what the two can approach in a frame by their own motion, gravity and
/// forces, and the margin.
fn prediction(input: &Input<'_>, slots: [usize; 2]) -> f32 {
    let store = input.store;
    let [a, b] = slots.map(|slot| &store.motions[slot]);
    let own = slots.map(|slot| {
        let properties = &store.properties[slot];
        // An unbounded body does not turn.
        let rate = store.motions[slot].velocity.angular.length();
        let turning = if rate > 0.0 { rate * properties.radius } else { 0.0 };
        turning + properties.acceleration(input.settings, store.push(slot)).length() * input.dt
    });
    let speed = (a.velocity.linear - b.velocity.linear).length() + own[0] + own[1];
    speed * input.dt + input.settings.margin
}

/// Can anything come of a contact between these two? Of two bodies that nothing pushes only if a sensor meets something that
/// moves.
fn matters(store: &Store, pair: &Pair) -> bool {
    let kinds = [pair.low, pair.high].map(|id| store.slot_of(id).map(|slot| store.properties[slot].kind));
    kinds.contains(&Some(BodyKind::Dynamic))
        || (kinds.contains(&Some(BodyKind::Sensor)) && !kinds.contains(&Some(BodyKind::Fixed)))
}

/// Friction and restitution where two materials meet.
pub(crate) fn surface(a: &Material, b: &Material) -> (f32, f32) {
    ((a.friction * b.friction).sqrt(), a.restitution.max(b.restitution))
}

impl World {
    /// Finds the contacts of all pairs in which something moves, and wakes those sleepers that must.
    pub(crate) fn find_contacts(&mut self, dt: f32) {
        self.leave();
        std::mem::swap(&mut self.contacts, &mut self.scratch.before);
        let stirred = std::mem::take(&mut self.scratch.stirred);
        // Contacts of what was put elsewhere count as moving in this frame, and may rest from the next one on.
        self.scratch.changed_sleep |= !stirred.is_empty();
        let mut pairs = std::mem::take(&mut self.scratch.pairs);
        pairs.clear();
        let executor = &self.find_settings.executor;
        let narrow = &mut self.scratch.narrow;
        narrow.ask_who_stirs(&self.store, &stirred, executor);
        narrow.choose(self.finder.pairs().as_slice(), &self.store, executor, &mut pairs);
        let changed = std::mem::take(&mut self.scratch.changed_bodies);
        self.scratch.narrow.update_solids(&self.store, changed, &self.find_settings.executor);
        self.collide(&pairs, 0, dt);
        self.scratch.tested_pairs = pairs.len();
        let woken = self.wake_touched(dt, &stirred);
        if !woken.is_empty() {
            // Those that woke meet all their neighbours in this frame, sleepers included.
            let store = &self.store;
            let awoke = |id: u32| store.slot_of(id).is_some_and(|slot| woken.binary_search(&slot).is_ok());
            let was_looked_at = |pair: &Pair| pairs.binary_search(pair).is_ok();
            let more: Vec<Pair> = self
                .finder
                .pairs()
                .as_slice()
                .iter()
                .copied()
                .filter(|pair| (awoke(pair.low) || awoke(pair.high)) && !was_looked_at(pair))
                .collect();
            self.scratch.tested_pairs += more.len();
            // Their contacts of the time before they slept are among the resting ones.
            self.unrest(&woken);
            self.collide(&more, self.contacts.len(), dt);
            self.contacts.sort_by_key(|contact| contact.key);
        }
        self.scratch.pairs = pairs;
    }

    /// Finds the contacts of these pairs; the first `keep` of those found before stay.
    fn collide(&mut self, pairs: &[Pair], keep: usize, dt: f32) {
        let input = Input {
            store: &self.store,
            settings: &self.settings,
            pairs,
            before: &self.scratch.before,
            filter: self.contact_filter.as_ref(),
            law: self.force_law.as_deref(),
            dt,
        };
        let (executor, lanes) = (&self.find_settings.executor, self.find_settings.lanes);
        run(input, executor, lanes, &mut self.scratch.narrow, (&mut self.contacts, keep));
    }

    /// Wakes sleepers hit by something fast. Returns their slots.
    fn wake_touched(&mut self, dt: f32, stirred: &[u32]) -> Vec<usize> {
        let wake_speed = self.settings.sleep.wake_speed;
        let store = &self.store;
        if !store.rests.iter().any(|rest| rest.asleep) {
            return Vec::new();
        }
        let is_stirred = |slot: usize| stirred.binary_search(&(slot as u32)).is_ok();
        let mut woken: Vec<usize> = self
            .contacts
            .iter()
            .filter_map(|contact| wakes(store, contact, wake_speed, dt, is_stirred))
            .collect();
        woken.sort_unstable();
        woken.dedup();
        for &slot in &woken {
            self.wake_slot(slot);
        }
        woken
    }

    /// Moves the resting contacts of bodies that woke to those of the frame before.
    fn unrest(&mut self, woken: &[usize]) {
        let store = &self.store;
        let awoke = |id: u32| store.slot_of(id).is_none_or(|slot| woken.binary_search(&slot).is_ok());
        let before = &mut self.scratch.before;
        let from = before.len();
        self.resting.retain(|contact| {
            let leaves = awoke(contact.key.low) || awoke(contact.key.high);
            if leaves {
                before.push(contact.clone());
            }
            !leaves
        });
        if before.len() > from {
            before.sort_by_key(|contact| contact.key);
        }
    }

    /// Takes bodies out whose removal was commanded, and wakes what touched them or touched something put elsewhere.
    fn leave(&mut self) {
        let leaving = std::mem::take(&mut self.scratch.leaving);
        self.scratch.stirred.sort_unstable();
        let mut disturbed: Vec<u32> =
            self.scratch.stirred.iter().map(|&slot| self.store.id(slot as usize)).collect();
        disturbed.extend_from_slice(&leaving);
        disturbed.sort_unstable();
        if disturbed.is_empty() {
            self.sort_out_resting();
            return;
        }
        self.wake_neighbours(&disturbed);
        self.scratch.changed_sleep = true;
        self.sort_out_resting();
    }
}
