//! Before the first substep: rows for bodies, units into batches, effective masses; and after the last one the way back.

use jostle_broad::Executor;

use super::bodies::{Mover, NOTHING};
use super::law::LawUnit;
use super::layout::{Batch, BodyRow, Bounces, Points, UNITS};
use super::{Rules, Share, Solver};
use crate::contact::Contact;
use crate::narrow::MOST_POINTS;
use crate::simd::Kernels;
use crate::world::store::Store;
use crate::{BodyId, BodyKind};

/// A contact that is no unit.
const NO_UNIT: u32 = u32::MAX;

/// A contact under a force law of the user's.
const UNDER_LAW: u32 = u32::MAX - 1;

/// How contacts became units; kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Per slot: its row, 0 if it has none.
    row_of: Vec<u32>,
    /// Per contact: its place among the units (batch times 16 plus lane), or [`NO_UNIT`].
    place_of: Vec<u32>,
    /// Per place: the contact and its rows.
    contact_at: Vec<(u32, [u32; 2])>,
    /// The list the places are made from, and the other way round in the next frame.
    placed: Vec<(u32, [u32; 2])>,
    /// Per row but the first: in how many units its mass is split.
    splits: Vec<u32>,
    units: usize,
}

impl Solver {
    /// How many units there are.
    pub(crate) fn units(&self) -> usize {
        self.prepare.units
    }

    /// Has the body of this slot units? Then it is moved by them.
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.prepare.row_of[slot] != 0
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
        self.assign_rows(contacts, store, rules);
        self.place_units(contacts);
        self.bounces.clear();
        self.fill(contacts, store, executor);
        let can_bounce = contacts.iter().any(|contact| contact.restitution > 0.0);
        self.bounces.resize(if can_bounce { self.points.len() } else { 0 }, Bounces::default());
        let bounce_speed = rules.settings.response.bounce_speed;
        self.each_batch(executor, |share, rows| {
            let Share { batches, points, bounces, impulses } = share;
            kernels.prepare(batches, points, bounces, rows, impulses, bounce_speed);
        });
    }

    /// A row for each body that is in a unit and can move, and the number of its units.
    fn assign_rows(&mut self, contacts: &[Contact], store: &Store, rules: &Rules<'_>) {
        self.rows.clear();
        self.rows.push(BodyRow::default());
        self.movers.clear();
        let scratch = &mut self.prepare;
        scratch.row_of.clear();
        scratch.row_of.resize(store.motions.len(), 0);
        scratch.place_of.clear();
        scratch.splits.clear();
        scratch.units = 0;
        self.law_units.clear();
        let mut rows_of_units = std::mem::take(&mut scratch.contact_at);
        rows_of_units.clear();
        for (index, contact) in contacts.iter().enumerate() {
            let awake = contact.slots.map(|slot| store.is_awake(slot as usize));
            if contact.sensor || contact.manifold.count == 0 || awake == [false, false] {
                scratch.place_of.push(NO_UNIT);
                continue;
            }
            let under_law =
                rules.law.is_some_and(|law| law.governs(BodyId(contact.key.low), BodyId(contact.key.high)));
            let mut rows = [0; 2];
            for side in 0..2 {
                let slot = contact.slots[side] as usize;
                let driven = store.properties[slot].kind == BodyKind::Kinematic && store.is_active(slot);
                if !awake[side] && !driven {
                    continue;
                }
                if scratch.row_of[slot] == 0 {
                    scratch.row_of[slot] = self.rows.len() as u32;
                    let (mover, row) = new_row(store, slot, rules);
                    self.rows.push(row);
                    self.movers.push(mover);
                    scratch.splits.push(0);
                }
                rows[side] = scratch.row_of[slot];
                // The end is the count until offsets are known.
                self.movers[rows[side] as usize - 1].units.end += 1;
                scratch.splits[rows[side] as usize - 1] += u32::from(!under_law);
            }
            scratch.units += 1;
            rows_of_units.push((index as u32, rows));
            if under_law {
                scratch.place_of.push(UNDER_LAW);
                let slots = contact.slots.map(|slot| slot as usize);
                let masses = slots.map(|slot| store.properties[slot].inverse_mass.recip());
                let centers = slots.map(|slot| store.motions[slot].center);
                self.law_units.push(LawUnit::new(index as u32, contact, rows, centers, masses));
            } else {
                scratch.place_of.push(0);
            }
        }
        self.prepare.contact_at = rows_of_units;
        let mut offset = 0;
        for ((mover, row), split) in self.movers.iter_mut().zip(&mut self.rows[1..]).zip(&self.prepare.splits)
        {
            let count = mover.units.end;
            // The split: in each unit the body has one n-th of its mass.
            let split = *split as f32;
            row.set(BodyRow::INVERSE_MASS, mover.inverse_mass * split);
            row.set_inertia(mover.inverse_inertia * split);
            mover.units = offset..offset;
            offset += count;
        }
        self.gather.clear();
        self.gather.resize(offset as usize, 0);
    }

    /// Gives units their places: those with most points first, so that a batch has no more rows of points than it needs.
    fn place_units(&mut self, contacts: &[Contact]) {
        let scratch = &mut self.prepare;
        let units = std::mem::take(&mut scratch.contact_at);
        let mut starts = [0; MOST_POINTS + 1];
        for &(contact, _) in units.iter().filter(|unit| scratch.place_of[unit.0 as usize] != UNDER_LAW) {
            starts[contacts[contact as usize].manifold.count as usize] += 1;
        }
        let mut start = 0;
        for count in (1..=MOST_POINTS).rev() {
            (starts[count], start) = (start, start + starts[count]);
        }
        let batches = (units.len() - self.law_units.len()).div_ceil(UNITS);
        let mut law_impulse = 2 * batches * UNITS;
        let mut placed = std::mem::take(&mut scratch.placed);
        placed.clear();
        placed.resize(batches * UNITS, (NO_UNIT, [0; 2]));
        // In canonical order, so that each body's list is in ascending order of partner ids: those below its own id come
        // first, as higher partners of theirs.
        for &(contact, rows) in &units {
            if scratch.place_of[contact as usize] == UNDER_LAW {
                for row in rows {
                    if row != 0 {
                        let units = &mut self.movers[row as usize - 1].units;
                        self.gather[units.end as usize] = law_impulse as u32;
                        units.end += 1;
                    }
                    law_impulse += 1;
                }
                continue;
            }
            let place = &mut starts[contacts[contact as usize].manifold.count as usize];
            scratch.place_of[contact as usize] = *place;
            placed[*place as usize] = (contact, rows);
            let (batch, lane) = (*place as usize / UNITS, *place as usize % UNITS);
            for (side, row) in rows.into_iter().enumerate() {
                if row != 0 {
                    let units = &mut self.movers[row as usize - 1].units;
                    self.gather[units.end as usize] = ((2 * batch + side) * UNITS + lane) as u32;
                    units.end += 1;
                }
            }
            *place += 1;
        }
        scratch.contact_at = placed;
        scratch.placed = units;
    }

    /// Copies what units need into their lanes.
    fn fill(&mut self, contacts: &[Contact], store: &Store, executor: &Executor) {
        let places = &self.prepare.contact_at;
        let batches = places.len() / UNITS;
        self.batches.clear();
        let mut first = 0;
        for (index, batch) in places.chunks_exact(UNITS).enumerate() {
            // Places are in descending order of points: the first lane has the most.
            let points = contacts[batch[0].0 as usize].manifold.count;
            let place = (index * UNITS) as u32;
            self.batches.push(Batch { place, points: first..first + points, ..Batch::default() });
            first += points;
        }
        self.points.clear();
        self.points.resize(first as usize, Points::default());
        self.impulses.clear();
        self.impulses.resize(2 * batches + (2 * self.law_units.len()).div_ceil(UNITS), NOTHING);
        let places = std::mem::take(&mut self.prepare.contact_at);
        self.each_batch(executor, |share, _| {
            let first = share.batches[0].points.start;
            for batch in share.batches.iter_mut() {
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
        let mut tasks: Vec<_> = contacts.chunks_mut(512).zip(place_of.chunks(512)).collect();
        executor.for_each(&mut tasks, |_, (contacts, places)| {
            for (contact, &place) in contacts.iter_mut().zip(places.iter()) {
                if place >= UNDER_LAW {
                    continue;
                }
                let (batch, lane) = (place as usize / UNITS, place as usize % UNITS);
                let first = batches[batch].points.start as usize;
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
fn new_row(store: &Store, slot: usize, rules: &Rules<'_>) -> (Mover, BodyRow) {
    let Rules { settings, substeps, .. } = rules;
    let properties = &store.properties[slot];
    let motion = &store.motions[slot];
    let mut row = BodyRow::default();
    row.set(BodyRow::VELOCITY, motion.velocity.linear.into());
    row.set(BodyRow::ANGULAR, motion.velocity.angular.into());
    let push = store.push(slot);
    let inverse_mass = properties.free_motion * properties.inverse_mass;
    let inverse_inertia = properties.world_inverse_inertia(motion.rotation);
    let mover = Mover {
        slot: slot as u32,
        inverse_mass: inverse_mass.into(),
        inverse_inertia: inverse_inertia.into(),
        gain: (properties.acceleration(settings, push) * substeps.length).into(),
        spin_gain: (inverse_inertia * push.torque * substeps.length).into(),
        keep: 1.0 / (1.0 + substeps.length * properties.linear_damping),
        spin_keep: 1.0 / (1.0 + substeps.length * properties.angular_damping),
        ..Mover::default()
    };
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
