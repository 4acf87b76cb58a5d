//! A snapshot: exactly the state, in canonical order, owned.

use jostle_broad::Aabb;

use super::description::{Description, Makes};
use crate::contact::{Contact, ContactKey};
use crate::narrow::{MOST_POINTS, Manifold};
use crate::world::store::{Motion, Rest};
use crate::{Shape, ShapeHash, World, WorldSettings};

/// The state of a world after a step. Take it with [`World::snapshot`], go back to it with [`World::restore`].
///
/// It holds what a step or its events read and nothing else: commands that wait are not in it, nor are the events of the
/// step before. As bytes it names shapes by their content; in memory it also holds them.
///
/// ```
/// use jostle::{Body, BodyId, Shape, Snapshot, World, glam::Vec3};
///
/// let mut world = World::default();
/// world.add(BodyId(1), Body::dynamic(Shape::ball(0.5)?))?;
/// world.step(1.0 / 60.0)?;
/// let snapshot = world.snapshot();
/// world.step(1.0 / 60.0)?;
/// let after = world.state_hash();
///
/// world.restore(&snapshot)?;
/// world.step(1.0 / 60.0)?;
/// assert_eq!(world.state_hash(), after);
///
/// let sent = Snapshot::from_bytes(&snapshot.to_bytes())?;
/// let mut elsewhere = World::new(*sent.settings())?;
/// elsewhere.register_shape(Shape::ball(0.5)?);
/// elsewhere.restore(&sent)?;
/// elsewhere.step(1.0 / 60.0)?;
/// assert_eq!(elsewhere.state_hash(), after);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) frame: u64,
    pub(super) settings: WorldSettings,
    pub(super) descriptions: Vec<Description>,
    /// Shapes that came along. None in a snapshot made from bytes.
    pub(crate) shapes: Vec<Shape>,
    /// In ascending order of ids.
    pub(super) bodies: Vec<BodyRecord>,
    /// In canonical order.
    pub(super) contacts: Vec<ContactRecord>,
}

/// One body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyRecord {
    pub(super) id: u32,
    /// Index into the descriptions.
    pub(super) description: u32,
    pub(super) motion: Motion,
    pub(super) rest: Rest,
    pub(super) aabb: Aabb,
    pub(super) user_data: u64,
}

/// What is carried from one frame to the next of a contact, and where it is: of bodies at rest nobody would find that
/// anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactRecord {
    pub(super) key: ContactKey,
    /// Is it in the world's list of resting contacts?
    pub(super) resting: bool,
    pub(super) touching: bool,
    pub(super) sensor: bool,
    pub(super) governed: bool,
    /// Points that do not count are zero.
    pub(super) manifold: Manifold,
    pub(super) impulses: [[f32; 3]; MOST_POINTS],
}

impl ContactRecord {
    fn of(contact: &Contact, resting: bool) -> Self {
        let Manifold { normal, count, .. } = contact.manifold;
        let mut record = Self {
            key: contact.key,
            resting,
            touching: contact.touching,
            sensor: contact.sensor,
            governed: contact.governed,
            manifold: Manifold { normal, count, ..Manifold::NONE },
            impulses: [[0.0; 3]; MOST_POINTS],
        };
        for (index, point) in contact.manifold.points().iter().enumerate() {
            record.manifold.points[index] = *point;
            record.impulses[index] = contact.impulses[index];
        }
        record
    }

    /// The contact as the next frame needs it. Materials are looked up anew by each frame.
    pub(super) fn contact(&self, slots: [u32; 2]) -> Contact {
        Contact {
            key: self.key,
            slots,
            manifold: self.manifold,
            impulses: self.impulses,
            sensor: self.sensor,
            governed: self.governed,
            touching: self.touching,
            ..Contact::default()
        }
    }
}

impl Snapshot {
    /// How many steps were made before.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The rules of the world it was taken of.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// How many bodies it holds.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Does it hold no body?
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The names of all shapes of its bodies, ascending.
    pub fn shapes_needed(&self) -> Vec<ShapeHash> {
        let mut needed: Vec<_> = self.descriptions.iter().flat_map(Description::shapes).collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

impl World {
    /// The state after the latest step. Commands that wait for the next one are not part of it.
    pub fn snapshot(&self) -> Snapshot {
        let store = &self.store;
        let mut makes = Makes::default();
        let record = |slot: u32| {
            let index = slot as usize;
            let body = &store.descriptions[index];
            BodyRecord {
                id: store.id(index),
                description: makes.place_of(body, store.contents[index]),
                motion: store.motions[index],
                rest: store.rests[index],
                aabb: *store.boxes.aabb(slot),
                user_data: body.user_data,
            }
        };
        let bodies = store.slots_by_id().into_iter().map(record).collect();
        let moving = self.contacts.iter().map(|contact| ContactRecord::of(contact, false));
        let resting = self.resting.iter().map(|contact| ContactRecord::of(contact, true));
        let mut contacts: Vec<_> = moving.chain(resting).collect();
        // Two sorted lists, one after the other: a stable sort merges them.
        contacts.sort_by_key(|contact| contact.key);
        Snapshot {
            frame: self.frame,
            settings: self.settings,
            descriptions: makes.descriptions,
            shapes: makes.shapes,
            bodies,
            contacts,
        }
    }
}
