//! Before the first substep: rows for bodies, units into batches, effective masses; and after the last one the way back.

use glam::Vec3A;
use jostle_broad::Executor;

use super::bodies::{Mover, NOTHING};
use super::law::LawUnit;
use super::layout::{Batch, BodyRow, Bounces, Points, UNITS};
use super::{Rules, Share, Solver};
use crate::BodyKind;
use crate::contact::Contact;
use crate::narrow::MOST_POINTS;
use crate::simd::Kernels;
use crate::world::store::Store;

/// A contact that is no unit.
const NO_UNIT: u32 = u32::MAX;

/// A contact under a force law of the user's.
const UNDER_LAW: u32 = u32::MAX - 1;

/// Contacts and rows handed out to a thread at a time.
const CONTACTS: usize = 512;
const ROWS: usize = 256;

/// What decides over a contact's place, in little memory: threads look it up, and the walk over all contacts in canonical
/// order reads nothing else.
#[derive(Clone, Copy, Debug)]
struct Class {
    slots: [u32; 2],
    /// Which of its bodies have rows.
    moves: [bool; 2],
    /// How many points it has; 0 if it is no unit.
    points: u8,
    under_law: bool,
    springy: bool,
}

/// How contacts became units; kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    classes: Vec<Class>,
    /// Per slot: its row, 0 if it has none.
    row_of: Vec<u32>,
    /// Per contact: its place among the units (batch times 16 plus lane), or [`NO_UNIT`].
    place_of: Vec<u32>,
    /// Per place: the contact and its rows.
    contact_at: Vec<(u32, [u32; 2])>,
    /// The list the places are made from, and the other way round in the next frame.
    placed: Vec<(u32, [u32; 2])>,
    /// One for each row but the first.
    bodies: Vec<Counted>,
    units: usize,
    points: usize,
}

/// A row's body, and its units.
#[derive(Clone, Copy, Debug)]
struct Counted {
    slot: u32,
    /// How many impulses it adds up.
    units: u32,
    /// In how many of them its mass is split.
    splits: u32,
    /// Where its list goes on.
    cursor: u32,
}

impl Class {
    fn new(contact: &Contact, store: &Store) -> Self {
        let awake = contact.slots.map(|slot| store.is_awake(slot as usize));
        if contact.sensor || awake == [false, false] {
            return Self {
                slots: contact.slots,
                moves: [false; 2],
                points: 0,
                under_law: false,
                springy: false,
            };
        }
        // What is driven moves too, though nothing pushes it.
        let driven = contact.slots.map(|slot| {
            let slot = slot as usize;
            store.properties[slot].kind == BodyKind::Kinematic && store.is_active(slot)
        });
        Self {
            slots: contact.slots,
            moves: [awake[0] || driven[0], awake[1] || driven[1]],
            points: contact.manifold.count as u8,
            under_law: contact.governed,
            springy: contact.restitution > 0.0,
        }
    }
}

impl Solver {
    /// How many units there are.
    pub(crate) fn units(&self) -> usize {
        self.prepare.units
    }

    /// How many points they have.
    pub(crate) fn points(&self) -> usize {
        self.prepare.points
    }

    /// The row of the body of this slot, if it has units: then it is moved by them.
    pub(super) fn row_of(&self, slot: usize) -> Option<usize> {
        Some(self.prepare.row_of[slot] as usize).filter(|&row| row != 0)
    }

    /// Before the first substep: turns contacts into units.
    pub(crate) fn prepare(
        &mut self,
        contacts: &[Contact],
        store: &Store,
        rules: &Rules<'_>,
        executor: &Executor,
        kernels: Kernels,
    ) {
        self.classify(contacts, store, executor);
        self.assign_rows(store.motions.len());
        self.make_law_units(contacts, store);
        self.place_units();
        self.fill_rows(store, rules, executor);
        self.bounces.clear();
        self.fill(contacts, store, executor);
        let can_bounce = self.prepare.classes.iter().any(|class| class.springy);
        self.bounces.resize(if can_bounce { self.points.len() } else { 0 }, Bounces::default());
        let bounce_speed = rules.settings.response.bounce_speed;
        self.each_batch(executor, |share, rows| {
            let Share { batches, points, bounces, impulses } = share;
            kernels.prepare(batches, points, bounces, rows, impulses, bounce_speed);
        });
    }

    fn classify(&mut self, contacts: &[Contact], store: &Store, executor: &Executor) {
        const NONE: Class =
            Class { slots: [0; 2], moves: [false; 2], points: 0, under_law: false, springy: false };
        let classes = &mut self.prepare.classes;
        classes.resize(contacts.len(), NONE);
        let mut tasks: Vec<_> = classes.chunks_mut(CONTACTS).zip(contacts.chunks(CONTACTS)).collect();
        executor.for_each(&mut tasks, |_, (classes, contacts)| {
            for (class, contact) in classes.iter_mut().zip(contacts.iter()) {
                *class = Class::new(contact, store);
            }
        });
    }

    /// A row for each body that is in a unit and can move, and the number of its units.
    fn assign_rows(&mut self, slots: usize) {
        let Scratch { classes, row_of, contact_at: units, bodies, .. } = &mut self.prepare;
        row_of.clear();
        row_of.resize(slots, 0);
        bodies.clear();
        units.clear();
        let mut points = 0;
        for (index, class) in classes.iter().enumerate().filter(|(_, class)| class.points > 0) {
            let mut rows = [0; 2];
            for side in (0..2).filter(|&side| class.moves[side]) {
                let row = &mut row_of[class.slots[side] as usize];
                if *row == 0 {
                    bodies.push(Counted { slot: class.slots[side], units: 0, splits: 0, cursor: 0 });
                    *row = bodies.len() as u32;
                }
                rows[side] = *row;
                let body = &mut bodies[*row as usize - 1];
                body.units += 1;
                body.splits += u32::from(!class.under_law);
            }
            points += usize::from(class.points);
            units.push((index as u32, rows));
        }
        self.prepare.points = points;
        self.prepare.units = self.prepare.contact_at.len();
        let mut offset = 0;
        for body in &mut self.prepare.bodies {
            body.cursor = offset;
            offset += body.units;
        }
        self.gather.resize(offset as usize, 0);
    }

    /// Contacts under a force law of the user's.
    fn make_law_units(&mut self, contacts: &[Contact], store: &Store) {
        self.law_units.clear();
        for &(index, rows) in &self.prepare.contact_at {
            if !self.prepare.classes[index as usize].under_law {
                continue;
            }
            let contact = &contacts[index as usize];
            let slots = contact.slots.map(|slot| slot as usize);
            let masses = slots.map(|slot| store.properties[slot].inverse_mass.recip());
            let centers = slots.map(|slot| store.motions[slot].center);
            self.law_units.push(LawUnit::new(index, contact, rows, centers, masses));
        }
    }

    /// Gives units their places: those with most points first, so that a batch has no more rows of points than it needs.
    fn place_units(&mut self) {
        let Scratch { classes, place_of, contact_at, placed, bodies, .. } = &mut self.prepare;
        place_of.clear();
        place_of.resize(classes.len(), NO_UNIT);
        let mut starts = [0; MOST_POINTS + 1];
        for class in classes.iter().filter(|class| class.points > 0 && !class.under_law) {
            starts[usize::from(class.points)] += 1;
        }
        let mut start = 0;
        for count in (1..=MOST_POINTS).rev() {
            (starts[count], start) = (start, start + starts[count]);
        }
        let batches = (contact_at.len() - self.law_units.len()).div_ceil(UNITS);
        let mut law_impulse = 2 * batches * UNITS;
        placed.clear();
        placed.resize(batches * UNITS, (NO_UNIT, [0; 2]));
        let gather = &mut self.gather;
        let mut list = |row: u32, impulse: usize| {
            if row != 0 {
                let cursor = &mut bodies[row as usize - 1].cursor;
                gather[*cursor as usize] = impulse as u32;
                *cursor += 1;
            }
        };
        // In canonical order, so that each body's list is in ascending order of partner ids: those below its own id come
        // first, as higher partners of theirs.
        for &(contact, rows) in contact_at.iter() {
            let class = &classes[contact as usize];
            if class.under_law {
                place_of[contact as usize] = UNDER_LAW;
                for row in rows {
                    list(row, law_impulse);
                    law_impulse += 1;
                }
                continue;
            }
            let place = &mut starts[usize::from(class.points)];
            place_of[contact as usize] = *place;
            placed[*place as usize] = (contact, rows);
            let (batch, lane) = (*place as usize / UNITS, *place as usize % UNITS);
            for (side, row) in rows.into_iter().enumerate() {
                list(row, (2 * batch + side) * UNITS + lane);
            }
            *place += 1;
        }
        std::mem::swap(contact_at, placed);
    }

    /// What units and the body itself see of each body.
    fn fill_rows(&mut self, store: &Store, rules: &Rules<'_>, executor: &Executor) {
        let bodies = &self.prepare.bodies;
        self.rows.resize(bodies.len() + 1, BodyRow::default());
        self.movers.resize(bodies.len(), Mover::default());
        let lists = self.movers.chunks_mut(ROWS).zip(self.rows[1..].chunks_mut(ROWS));
        let mut tasks: Vec<_> = lists.zip(bodies.chunks(ROWS)).collect();
        executor.for_each(&mut tasks, |_, ((movers, rows), bodies)| {
            for ((mover, row), body) in movers.iter_mut().zip(rows.iter_mut()).zip(bodies.iter()) {
                (*mover, *row) = new_row(store, body, rules);
            }
        });
    }

    /// Copies what units need into their lanes.
    fn fill(&mut self, contacts: &[Contact], store: &Store, executor: &Executor) {
        let Scratch { classes, contact_at: places, .. } = &self.prepare;
        self.batches.resize(places.len() / UNITS, Batch::default());
        let mut first = 0;
        for (index, (batch, places)) in self.batches.iter_mut().zip(places.chunks_exact(UNITS)).enumerate() {
            // Places are in descending order of points: the first lane has the most.
            let points = u32::from(classes[places[0].0 as usize].points);
            batch.place = (index * UNITS) as u32;
            batch.points = first..first + points;
            first += points;
        }
        self.points.resize(first as usize, Points::default());
        // Those of the batches are written by the kernel, lane by lane.
        self.impulses.resize(2 * self.batches.len() + (2 * self.law_units.len()).div_ceil(UNITS), NOTHING);
        self.impulses[2 * self.batches.len()..].fill(NOTHING);
        let places = std::mem::take(&mut self.prepare.contact_at);
        self.each_batch(executor, |share, _| {
            let first = share.batches[0].points.start;
            share.points.fill(Points::default());
            for batch in share.batches.iter_mut() {
                *batch = Batch { place: batch.place, points: batch.points.clone(), ..Batch::default() };
                let from = (batch.points.start - first) as usize;
                let points = &mut share.points[from..from + batch.points.len()];
                let at = batch.place as usize;
                for (lane, &(contact, rows)) in places[at..at + UNITS].iter().enumerate() {
                    if contact != NO_UNIT {
                        fill_lane(batch, points, lane, &contacts[contact as usize], rows, store);
                    }
                }
            }
        });
        self.prepare.contact_at = places;
    }

    /// Hands impulses back to contacts.
    pub(super) fn hand_back(&mut self, contacts: &mut [Contact], executor: &Executor) {
        let (batches, points, place_of) = (&self.batches, &self.points, &self.prepare.place_of);
        let mut tasks: Vec<_> = contacts.chunks_mut(CONTACTS).zip(place_of.chunks(CONTACTS)).collect();
        executor.for_each(&mut tasks, |_, (contacts, places)| {
            for (contact, &place) in contacts.iter_mut().zip(places.iter()) {
                if place >= UNDER_LAW {
                    continue;
                }
                let (batch, lane) = (place as usize / UNITS, place as usize % UNITS);
                let first = batches[batch].points.start as usize;
                contact.pressed = batches[batch].peak[lane] > 0.0;
                for point in 0..contact.manifold.count as usize {
                    contact.impulses[point] = points[first + point].impulse.map(|lanes| lanes[lane]);
                }
            }
        });
        for unit in &self.law_units {
            unit.hand_back(&mut contacts[unit.contact as usize]);
        }
    }
}

/// A body's row and what belongs to it.
fn new_row(store: &Store, body: &Counted, rules: &Rules<'_>) -> (Mover, BodyRow) {
    let Rules { settings, substeps, .. } = rules;
    let slot = body.slot as usize;
    let properties = &store.properties[slot];
    let motion = &store.motions[slot];
    let push = store.push(slot);
    let inverse_mass = Vec3A::from(properties.free_motion * properties.inverse_mass);
    let inverse_inertia = properties.world_inverse_inertia(motion.rotation);
    let mover = Mover {
        // What is driven nobody pushes, not even with numbers that are none.
        units: if properties.kind == BodyKind::Dynamic {
            body.cursor - body.units..body.cursor
        } else {
            0..0
        },
        inverse_mass,
        inverse_inertia: inverse_inertia.into(),
        gain: (properties.acceleration(settings, push) * substeps.length).into(),
        spin_gain: (inverse_inertia * push.torque * substeps.length).into(),
        keep: 1.0 / (1.0 + substeps.length * properties.linear_damping),
        spin_keep: 1.0 / (1.0 + substeps.length * properties.angular_damping),
        ..Mover::default()
    };
    let mut row = BodyRow::default();
    row.set(BodyRow::VELOCITY, motion.velocity.linear.into());
    row.set(BodyRow::ANGULAR, motion.velocity.angular.into());
    // The split: in each unit the body has one n-th of its mass.
    let split = body.splits as f32;
    row.set(BodyRow::INVERSE_MASS, inverse_mass * split);
    row.set_inertia(mover.inverse_inertia * split);
    (mover, row)
}

fn fill_lane(
    batch: &mut Batch,
    points: &mut [Points],
    lane: usize,
    contact: &Contact,
    rows: [u32; 2],
    store: &Store,
) {
    let [first, second] = contact.slots.map(|slot| store.motions[slot as usize].center);
    batch.share[lane] = share(rows);
    batch.rows[0][lane] = rows[0];
    batch.rows[1][lane] = rows[1];
    batch.friction[lane] = contact.friction;
    batch.restitution[lane] = contact.restitution;
    let between = first - second;
    for axis in 0..3 {
        batch.normal[axis][lane] = contact.manifold.normal[axis];
        batch.between[axis][lane] = between[axis];
    }
    for (index, point) in contact.manifold.points().iter().enumerate() {
        let arm = point.position - first;
        for axis in 0..3 {
            points[index].arm[axis][lane] = arm[axis];
            points[index].impulse[axis][lane] = contact.impulses[index][axis];
        }
        // Marks the point as there, until the kernel computes the mass.
        points[index].mass[0][lane] = 1.0;
        points[index].separation[lane] = point.separation;
    }
}

/// How much of their relative motion the contact point makes with the second body. Only the first can move: the point goes
/// with it. Only the second: with that. Both: half-way.
pub(super) fn share(rows: [u32; 2]) -> f32 {
    match rows.map(|row| row != 0) {
        [true, true] => 0.5,
        [true, false] => 0.0,
        _ => 1.0,
    }
}
