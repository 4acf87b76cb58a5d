//! What bodies have in common with others of their make: everything a user said of them except where they start, how they
//! move and the user's data. Snapshots hold each make once.

use std::collections::HashMap;

use super::bytes::{Broken, Reader, Write};
use crate::hash::Hasher;
use crate::{AxisLocks, Body, BodyKind, Mass, Material, Part, Pose, Shape, ShapeHash, Velocity};

/// A body's make, shapes by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Description {
    pub(crate) kind: BodyKind,
    mass: Mass,
    group: u32,
    mask: u32,
    linear_damping: f32,
    angular_damping: f32,
    gravity_scale: f32,
    locks: AxisLocks,
    can_sleep: bool,
    parts: Vec<DescribedPart>,
}

#[derive(Clone, Debug, PartialEq)]
struct DescribedPart {
    shape: ShapeHash,
    local: Pose,
    material: Material,
}

impl Description {
    /// The fewest bytes of one, and of one of its parts.
    pub(crate) const LEAST_BYTES: usize = 32;
    const PART_BYTES: usize = 48;

    pub(crate) fn of(body: &Body) -> Self {
        let part = |part: &Part| DescribedPart {
            shape: part.shape.hash(),
            local: part.local,
            material: part.material,
        };
        // Without `..`: what is added to bodies must be added here, or this does not compile.
        let Body {
            kind,
            pose: _,
            velocity: _,
            parts,
            mass,
            group,
            mask,
            linear_damping,
            angular_damping,
            gravity_scale,
            locks,
            can_sleep,
            user_data: _,
        } = body;
        Self {
            kind: *kind,
            mass: *mass,
            group: *group,
            mask: *mask,
            linear_damping: *linear_damping,
            angular_damping: *angular_damping,
            gravity_scale: *gravity_scale,
            locks: *locks,
            can_sleep: *can_sleep,
            parts: parts.iter().map(part).collect(),
        }
    }

    /// A body of this make at the origin. Names the shape that nobody knows.
    pub(crate) fn body(&self, known: impl Fn(ShapeHash) -> Option<Shape>) -> Result<Body, ShapeHash> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let shape = known(part.shape).ok_or(part.shape)?;
            parts.push(Part { shape, local: part.local, material: part.material });
        }
        Ok(Body {
            kind: self.kind,
            pose: Pose::IDENTITY,
            velocity: Velocity::ZERO,
            parts,
            mass: self.mass,
            group: self.group,
            mask: self.mask,
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            gravity_scale: self.gravity_scale,
            locks: self.locks,
            can_sleep: self.can_sleep,
            user_data: 0,
        })
    }

    pub(crate) fn shapes(&self) -> impl Iterator<Item = ShapeHash> + '_ {
        self.parts.iter().map(|part| part.shape)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let (tag, mass) = match self.mass {
            Mass::FromDensity => (0, 0.0),
            Mass::Total(mass) => (1, mass),
        };
        out.u8(self.kind as u8);
        out.u8(tag);
        out.u8(self.locks.to_bits());
        out.u8(u8::from(self.can_sleep));
        out.f32(mass);
        out.u32(self.group);
        out.u32(self.mask);
        out.f32(self.linear_damping);
        out.f32(self.angular_damping);
        out.f32(self.gravity_scale);
        out.count(self.parts.len());
        for part in &self.parts {
            out.u64(part.shape.0);
            out.pose(&part.local);
            out.f32(part.material.friction);
            out.f32(part.material.restitution);
            out.f32(part.material.density);
        }
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, Broken> {
        let kind = match from.u8()? {
            0 => BodyKind::Fixed,
            1 => BodyKind::Kinematic,
            2 => BodyKind::Dynamic,
            3 => BodyKind::Sensor,
            _ => return Err(Broken("a body is of no kind there is")),
        };
        let tag = from.u8()?;
        let locks = AxisLocks::from_bits(from.u8()?).ok_or(Broken("a body has locks of no meaning"))?;
        let can_sleep = from.flag()?;
        let mass = from.f32()?;
        let mass = match tag {
            0 => Mass::FromDensity,
            1 => Mass::Total(mass),
            _ => return Err(Broken("a body's mass comes from nowhere")),
        };
        let (group, mask) = (from.u32()?, from.u32()?);
        let (linear_damping, angular_damping, gravity_scale) = (from.f32()?, from.f32()?, from.f32()?);
        let count = from.count(Self::PART_BYTES)?;
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            parts.push(DescribedPart {
                shape: ShapeHash(from.u64()?),
                local: from.pose()?,
                material: Material { friction: from.f32()?, restitution: from.f32()?, density: from.f32()? },
            });
        }
        Ok(Self {
            kind,
            mass,
            group,
            mask,
            linear_damping,
            angular_damping,
            gravity_scale,
            locks,
            can_sleep,
            parts,
        })
    }
}

/// 64 bits of a body's make: equal for equal makes.
pub(crate) fn content_hash(body: &Body) -> u64 {
    let mut hasher = Hasher::default();
    let (tag, mass) = match body.mass {
        Mass::FromDensity => (0, 0.0),
        Mass::Total(mass) => (1, mass),
    };
    let small = [body.kind as u8, tag, body.locks.to_bits(), u8::from(body.can_sleep)];
    hasher.write(&[u32::from_le_bytes(small), mass.to_bits(), body.group, body.mask]);
    hasher.write(&[body.linear_damping, body.angular_damping].map(f32::to_bits));
    hasher.write(&[body.gravity_scale.to_bits(), body.parts.len() as u32]);
    for part in &body.parts {
        hasher.write_u64(part.shape.hash().0);
        let [x, y, z] = part.local.position.to_array();
        let [i, j, k, w] = part.local.rotation.to_array();
        let Material { friction, restitution, density } = part.material;
        hasher.write(&[x, y, z, i, j, k, w, friction, restitution, density].map(f32::to_bits));
    }
    hasher.finish()
}

/// The makes met so far, each once.
#[derive(Debug, Default)]
pub(super) struct Makes {
    pub(super) descriptions: Vec<Description>,
    pub(super) shapes: Vec<Shape>,
    by_content: HashMap<u64, u32>,
    latest: Option<(u64, u32)>,
}

impl Makes {
    /// The place of a body's make in the list.
    pub(super) fn place_of(&mut self, body: &Body, content: u64) -> u32 {
        if let Some((_, place)) = self.latest.filter(|(latest, _)| *latest == content) {
            return place;
        }
        let place = *self.by_content.entry(content).or_insert_with(|| {
            self.descriptions.push(Description::of(body));
            for part in &body.parts {
                if !self.shapes.contains(&part.shape) {
                    self.shapes.push(part.shape.clone());
                }
            }
            self.descriptions.len() as u32 - 1
        });
        self.latest = Some((content, place));
        place
    }
}
