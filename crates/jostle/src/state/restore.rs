//! Going back to a snapshot: a new store is filled beside the old one, and takes its place when all is well.

use std::sync::Arc;

use super::{Snapshot, SnapshotError, rules};
use crate::world::check::{check_body, mass_of};
use crate::world::store::{Properties, Store};
use crate::{Body, BodyId, Shape, ShapeHash, World};

/// A description with its shapes, and what is computed from it.
struct Make {
    body: Body,
    properties: Properties,
}

impl World {
    /// Lets the world know a shape, so that snapshots from bytes can name it. Shapes of bodies in the world are known
    /// already.
    pub fn register_shape(&mut self, shape: Shape) {
        self.shapes.insert(shape.hash(), shape);
    }

    /// Goes back (or over) to the state of a snapshot, whatever bodies there are now. The next steps are those that
    /// followed the snapshot, to the bit, events included.
    ///
    /// Commands that wait are dropped, and [`World::events`] is empty until the next step. The settings must be the
    /// snapshot's. On error nothing has changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        if self.recorder.is_some() {
            return Err(SnapshotError::Recording);
        }
        if let Some(name) = rules::first_difference(&self.settings, &snapshot.settings) {
            return Err(SnapshotError::OtherSettings { name });
        }
        let store = self.rebuild(snapshot)?;
        // These are the pairs the next step compares with. On error the finder is as before, and still has the old store.
        self.finder.update(&store.boxes, &self.find_settings)?;
        self.store = store;
        self.index.invalidate();
        self.contacts.clear();
        self.resting.clear();
        for record in &snapshot.contacts {
            let slot = |id| self.store.slot_of(id).expect("contacts are of bodies that are there") as u32;
            let contact = record.contact([slot(record.key.low), slot(record.key.high)]);
            if record.resting { self.resting.push(contact) } else { self.contacts.push(contact) }
        }
        self.scratch.changed_bodies = true;
        self.commands.clear();
        self.events.clear();
        self.rules_changed = false;
        self.frame = snapshot.frame;
        Ok(())
    }

    fn rebuild(&self, snapshot: &Snapshot) -> Result<Store, SnapshotError> {
        let mut makes = Vec::with_capacity(snapshot.descriptions.len());
        for (index, description) in snapshot.descriptions.iter().enumerate() {
            let body = description
                .body(|hash| self.find_shape(hash, &snapshot.shapes))
                .map_err(|hash| SnapshotError::MissingShape { hash })?;
            let owner = snapshot.bodies.iter().find(|body| body.description as usize == index);
            let id = BodyId(owner.map_or(0, |body| body.id));
            let bad = |error| SnapshotError::BadBody(Box::new(error));
            let body = check_body(id, Arc::new(body)).map_err(bad)?;
            let properties = Properties::new(&body, &mass_of(&body));
            makes.push(Make { body: Arc::unwrap_or_clone(body), properties });
        }
        let mut store = Store::default();
        for record in &snapshot.bodies {
            let Make { body, properties } = &makes[record.description as usize];
            let body = Body {
                pose: record.motion.pose(properties.local_center),
                velocity: record.motion.velocity,
                user_data: record.user_data,
                ..body.clone()
            };
            store
                .insert(record.id, Arc::new(body), *properties, record.motion, record.rest, record.aabb)
                .map_err(|_| SnapshotError::Damaged { what: "a body's box is none" })?;
        }
        Ok(store)
    }

    /// A shape by its name: one that came along, one that was registered, or one of a body.
    fn find_shape(&self, hash: ShapeHash, along: &[Shape]) -> Option<Shape> {
        let in_bodies = || {
            let bodies = self.store.live_slots().map(|slot| &self.store.descriptions[slot]);
            bodies.flat_map(|body| &body.parts).map(|part| &part.shape).find(|shape| shape.hash() == hash)
        };
        let found = along.iter().find(|shape| shape.hash() == hash);
        found.or_else(|| self.shapes.get(&hash)).or_else(in_bodies).cloned()
    }
}
