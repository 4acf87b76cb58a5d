//! Snapshots as bytes: the format JSNP of `docs/formats.md`.
//!
//! Bytes are not trusted: a checksum guards against accidents, and whatever it lets through is checked again, so that a
//! snapshot that was read holds nothing a world could not have been in.

use glam::Vec3;
use jostle_broad::Aabb;

use super::bytes::{Broken, Reader, Write, checksum};
use super::description::Description;
use super::snapshot::{BodyRecord, ContactRecord};
use super::{Snapshot, SnapshotError, rules};
use crate::contact::ContactKey;
use crate::narrow::{ContactPoint, MOST_POINTS, Manifold};
use crate::world::store::{Motion, Rest};
use crate::{BodyKind, Velocity};

const MAGIC: [u8; 4] = *b"JSNP";
const VERSION: u32 = 1;
/// The fewest bytes of a body: one that stands still.
const BODY_BYTES: usize = 61;
/// Bytes of a contact without its points.
const CONTACT_BYTES: usize = 29;

/// Bits of a body's flags.
const ASLEEP: u8 = 1;
const FROZEN: u8 = 2;
const MOVES: u8 = 4;
const SLOW: u8 = 8;
const USER_DATA: u8 = 16;

/// Bits of a contact's flags; the number of points is between them, in three bits.
const RESTING: u8 = 1;
const TOUCHING: u8 = 2;
const SENSOR: u8 = 4;
const COUNT_SHIFT: u8 = 3;
const GOVERNED: u8 = 64;

impl Snapshot {
    /// The snapshot as bytes, in the format JSNP: the same bytes for the same state.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256 + 100 * (self.bodies.len() + self.contacts.len()));
        out.bytes(&MAGIC);
        out.u32(VERSION);
        out.u64(0);
        let start = out.len();
        out.u64(self.frame);
        rules::to_words(&self.settings).into_iter().for_each(|word| out.u32(word));
        out.count(self.descriptions.len());
        out.count(self.bodies.len());
        out.count(self.contacts.len());
        self.descriptions.iter().for_each(|description| description.write(&mut out));
        self.bodies.iter().for_each(|body| write_body(body, &mut out));
        self.contacts.iter().for_each(|contact| write_contact(contact, &mut out));
        let sum = checksum(&out[start..]);
        out[start - 8..start].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// A snapshot from [`Snapshot::to_bytes`]. It names its shapes and does not hold them: see
    /// [`World::register_shape`](crate::World::register_shape).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut from = Reader::new(bytes);
        if from.take(4) != Ok(&MAGIC) {
            return Err(SnapshotError::NotASnapshot);
        }
        let version = from.u32()?;
        if version != VERSION {
            return Err(SnapshotError::UnknownVersion { version, known: VERSION });
        }
        if from.u64()? != checksum(from.rest()) {
            return Err(Broken("its checksum is not that of its content").into());
        }
        Ok(read(&mut from)?)
    }
}

fn read(from: &mut Reader<'_>) -> Result<Snapshot, Broken> {
    let frame = from.u64()?;
    let mut words = [0; rules::WORDS];
    for word in &mut words {
        *word = from.u32()?;
    }
    let settings = rules::from_words(words).ok_or(Broken("its settings make no sense"))?;
    let descriptions = from.count(Description::LEAST_BYTES)?;
    let bodies = from.count(BODY_BYTES)?;
    let contacts = from.count(CONTACT_BYTES)?;
    let descriptions =
        (0..descriptions).map(|_| Description::read(from)).collect::<Result<Vec<_>, Broken>>()?;
    let bodies = (0..bodies).map(|_| read_body(from, &descriptions)).collect::<Result<Vec<_>, Broken>>()?;
    if !bodies.is_sorted_by(|a, b| a.id < b.id) {
        return Err(Broken("its bodies are not in ascending order"));
    }
    let contacts = (0..contacts).map(|_| read_contact(from)).collect::<Result<Vec<_>, Broken>>()?;
    if !contacts.is_sorted_by(|a, b| a.key < b.key) {
        return Err(Broken("its contacts are not in ascending order"));
    }
    let is_there = |id: u32| bodies.binary_search_by_key(&id, |body| body.id).is_ok();
    if !contacts.iter().all(|contact| is_there(contact.key.low) && is_there(contact.key.high)) {
        return Err(Broken("a contact is of bodies that are not there"));
    }
    from.end()?;
    Ok(Snapshot { frame, settings, descriptions, shapes: Vec::new(), bodies, contacts })
}

/// Not moving, to the bit.
fn is_still(velocity: &Velocity) -> bool {
    let numbers = [velocity.linear, velocity.angular].map(|vector| vector.to_array().map(f32::to_bits));
    numbers == [[0; 3]; 2]
}

fn write_body(body: &BodyRecord, out: &mut Vec<u8>) {
    let BodyRecord { id, description, motion, rest, aabb, user_data } = body;
    let flag = |yes: bool, bit: u8| if yes { bit } else { 0 };
    let moves = !is_still(&motion.velocity);
    let slow = rest.slow_for.to_bits() != 0;
    out.u32(*id);
    out.u32(*description);
    out.u8(flag(rest.asleep, ASLEEP)
        | flag(rest.frozen, FROZEN)
        | flag(moves, MOVES)
        | flag(slow, SLOW)
        | flag(*user_data != 0, USER_DATA));
    out.vector(motion.center);
    motion.rotation.to_array().into_iter().for_each(|number| out.f32(number));
    out.vector(aabb.min);
    out.vector(aabb.max);
    if moves {
        out.velocity(&motion.velocity);
    }
    if slow {
        out.f32(rest.slow_for);
    }
    if *user_data != 0 {
        out.u64(*user_data);
    }
}

fn read_body(from: &mut Reader<'_>, descriptions: &[Description]) -> Result<BodyRecord, Broken> {
    let (id, description, flags) = (from.u32()?, from.u32()?, from.u8()?);
    let make = descriptions.get(description as usize).ok_or(Broken("a body has no description"))?;
    if id == u32::MAX || flags >= 2 * USER_DATA {
        return Err(Broken("a body has an id or flags without a meaning"));
    }
    let pose = from.pose()?;
    let aabb = Aabb::new(from.vector()?, from.vector()?);
    let velocity = if flags & MOVES != 0 { from.velocity()? } else { Velocity::ZERO };
    let slow_for = if flags & SLOW != 0 { from.f32()? } else { 0.0 };
    let user_data = if flags & USER_DATA != 0 { from.u64()? } else { 0 };
    let rest = Rest { slow_for, asleep: flags & ASLEEP != 0, frozen: flags & FROZEN != 0 };
    let motion = Motion { center: pose.position, rotation: pose.rotation, velocity };
    // A world keeps rotations at length 1 up to rounding.
    let is_rotation = (pose.rotation.length() - 1.0).abs() <= 1e-3;
    if !(motion.is_finite() && is_rotation && slow_for.is_finite() && slow_for >= 0.0) {
        return Err(Broken("a body's motion is none"));
    }
    let is_box = aabb.min.cmple(aabb.max).all()
        && aabb.min.cmplt(Vec3::INFINITY).all()
        && aabb.max.cmpgt(Vec3::NEG_INFINITY).all();
    if !is_box {
        return Err(Broken("a body's box is none"));
    }
    let driven = make.kind != BodyKind::Dynamic;
    if (make.kind == BodyKind::Fixed && velocity != Velocity::ZERO) || (driven && rest.asleep) {
        return Err(Broken("a body does what its kind does not"));
    }
    Ok(BodyRecord { id, description, motion, rest, aabb, user_data })
}

fn write_contact(contact: &ContactRecord, out: &mut Vec<u8>) {
    let flag = |yes: bool, bit: u8| if yes { bit } else { 0 };
    out.u32(contact.key.low);
    out.u32(contact.key.high);
    out.u64(contact.key.pieces);
    out.u8(flag(contact.resting, RESTING)
        | flag(contact.touching, TOUCHING)
        | flag(contact.sensor, SENSOR)
        | flag(contact.governed, GOVERNED)
        | (contact.manifold.count as u8) << COUNT_SHIFT);
    out.vector(contact.manifold.normal);
    for (point, impulses) in contact.manifold.points().iter().zip(&contact.impulses) {
        out.u32(point.feature);
        out.vector(point.position);
        out.f32(point.separation);
        impulses.iter().for_each(|&impulse| out.f32(impulse));
    }
}

fn read_contact(from: &mut Reader<'_>) -> Result<ContactRecord, Broken> {
    let key = ContactKey { low: from.u32()?, high: from.u32()?, pieces: from.u64()? };
    let flags = from.u8()?;
    let count = (flags & !GOVERNED) >> COUNT_SHIFT;
    if key.low >= key.high || count as usize > MOST_POINTS {
        return Err(Broken("a contact is of one body or has too many points"));
    }
    let mut contact = ContactRecord {
        key,
        resting: flags & RESTING != 0,
        touching: flags & TOUCHING != 0,
        sensor: flags & SENSOR != 0,
        governed: flags & GOVERNED != 0,
        manifold: Manifold { normal: from.vector()?, count: u32::from(count), ..Manifold::NONE },
        impulses: [[0.0; 3]; MOST_POINTS],
    };
    for index in 0..count as usize {
        let feature = from.u32()?;
        let (position, separation) = (from.vector()?, from.f32()?);
        contact.manifold.points[index] = ContactPoint { position, separation, feature };
        contact.impulses[index] = from.vector()?.to_array();
    }
    // Numbers may be anything: a body that became none leaves such contacts behind.
    Ok(contact)
}
