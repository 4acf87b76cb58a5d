//! The bodies of a world, by slot. A body's slot is that of its box in the pair finder's store; slots mean nothing outside.

use std::sync::Arc;

use glam::{Mat3, Quat, Vec3};
use jostle_broad::{Aabb, BoxError, Boxes, Executor, Filter};

use crate::state::description::content_hash;
use crate::{Body, BodyKind, Geometry, MassProperties, Material, Pose, Velocity, WorldSettings};

/// Where a body is and how it moves: about its centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    /// The centre of mass.
    pub(crate) center: Vec3,
    pub(crate) rotation: Quat,
    pub(crate) velocity: Velocity,
}

/// What stays the same about a body while it is in the world, computed when it enters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    pub(crate) kind: BodyKind,
    /// 0 for bodies that nothing pushes.
    pub(crate) inverse_mass: f32,
    /// About the centre of mass, in the frame of the body.
    pub(crate) inertia: Mat3,
    pub(crate) inverse_inertia: Mat3,
    /// Has it the same inertia about all axes, so that it can turn without a change of it?
    pub(crate) is_round: bool,
    /// The centre of mass in the frame of the body.
    pub(crate) local_center: Vec3,
    /// The distance of its farthest point from the centre of mass.
    pub(crate) radius: f32,
    pub(crate) free_motion: Vec3,
    pub(crate) free_rotation: Vec3,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) gravity_scale: f32,
    pub(crate) can_sleep: bool,
    /// The body as one ball or box around its origin, if that is all it is: its description is out of the way.
    pub(crate) solid: Option<Geometry>,
    /// What its first shape is made of.
    pub(crate) material: Material,
}

/// Is a body up?
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// For how many seconds it has been slow.
    pub(crate) slow_for: f32,
    pub(crate) asleep: bool,
    /// It became something that is no number, and stands still where it last was one.
    pub(crate) frozen: bool,
}

/// Forces of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Push {
    pub(crate) force: Vec3,
    /// About the centre of mass.
    pub(crate) torque: Vec3,
}

/// Bodies in arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) boxes: Boxes,
    pub(crate) motions: Vec<Motion>,
    pub(crate) properties: Vec<Properties>,
    pub(crate) rests: Vec<Rest>,
    /// What the user said; pose and velocity in it are those of the beginning.
    pub(crate) descriptions: Vec<Arc<Body>>,
    /// Hashes of the descriptions, without pose, velocity and user data.
    pub(crate) contents: Vec<u64>,
    /// Forces of this frame, by slot; empty if there are none.
    pub(crate) pushes: Vec<Push>,
}

/// A body as one ball or box around its origin, if that is all it is.
fn solid_of(body: &Body) -> Option<Geometry> {
    match &body.parts[..] {
        [part] if part.local == Pose::IDENTITY => Some(part.shape.geometry()).filter(Geometry::is_solid),
        _ => None,
    }
}

impl Properties {
    pub(crate) fn new(body: &Body, mass: &MassProperties) -> Self {
        let dynamic = body.kind == BodyKind::Dynamic;
        let diagonal = mass.inertia.x_axis.x;
        let is_round = mass.inertia == Mat3::from_diagonal(Vec3::splat(diagonal));
        let radius =
            body.parts.iter().map(|part| (part.local.position - mass.center).length() + part.shape.radius());
        Self {
            kind: body.kind,
            inverse_mass: if dynamic { 1.0 / mass.mass } else { 0.0 },
            inertia: if dynamic { mass.inertia } else { Mat3::ZERO },
            inverse_inertia: if dynamic { mass.inverse_inertia() } else { Mat3::ZERO },
            is_round: is_round || !dynamic,
            local_center: mass.center,
            radius: radius.fold(0.0, f32::max),
            free_motion: body.locks.free_motion(),
            free_rotation: body.locks.free_rotation(),
            linear_damping: body.linear_damping,
            angular_damping: body.angular_damping,
            gravity_scale: body.gravity_scale,
            can_sleep: body.can_sleep,
            solid: solid_of(body),
            material: body.parts.first().map_or(Material::default(), |part| part.material),
        }
    }

    /// A velocity without what locked axes do not allow.
    pub(crate) fn unlocked(&self, velocity: Velocity) -> Velocity {
        if self.kind != BodyKind::Dynamic
            || (self.free_motion == Vec3::ONE && self.free_rotation == Vec3::ONE)
        {
            return velocity;
        }
        Velocity {
            linear: velocity.linear * self.free_motion,
            angular: velocity.angular * self.free_rotation,
        }
    }

    /// What gravity and forces do to its velocity in a second; 0 for bodies that nothing pushes.
    #[inline]
    pub(crate) fn acceleration(&self, settings: &WorldSettings, push: Push) -> Vec3 {
        if self.inverse_mass == 0.0 {
            return Vec3::ZERO;
        }
        (settings.gravity * self.gravity_scale + push.force * self.inverse_mass) * self.free_motion
    }

    /// The inverse inertia about the world's axes, locked ones left out.
    pub(crate) fn world_inverse_inertia(&self, rotation: Quat) -> Mat3 {
        let inverse = if self.is_round {
            self.inverse_inertia
        } else {
            let turn = Mat3::from_quat(rotation);
            turn * self.inverse_inertia * turn.transpose()
        };
        if self.free_rotation == Vec3::ONE {
            return inverse;
        }
        let free = Mat3::from_diagonal(self.free_rotation);
        free * inverse * free
    }
}

impl Motion {
    /// Of a body whose origin is at a pose.
    pub(crate) fn new(pose: &Pose, velocity: Velocity, local_center: Vec3) -> Self {
        Self { center: pose.transform(local_center), rotation: pose.rotation, velocity }
    }

    /// The pose of the body's origin.
    #[inline]
    pub(crate) fn pose(&self, local_center: Vec3) -> Pose {
        if local_center == Vec3::ZERO {
            return Pose::new(self.center, self.rotation);
        }
        Pose::new(self.center - self.rotation * local_center, self.rotation)
    }

    /// No point of a body of this radius moves faster.
    #[inline]
    pub(crate) fn speed(&self, radius: f32) -> f32 {
        let turning = self.velocity.angular.length();
        // An unbounded body does not turn.
        self.velocity.linear.length() + if turning > 0.0 { turning * radius } else { 0.0 }
    }

    /// Are all numbers finite?
    pub(crate) fn is_finite(&self) -> bool {
        self.center.is_finite() && self.rotation.is_finite() && self.velocity.is_finite()
    }
}

impl Store {
    #[inline]
    pub(crate) fn slot_of(&self, id: u32) -> Option<usize> {
        self.boxes.slot_of(id).map(|slot| slot as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// The slots in use, in no order that means anything.
    pub(crate) fn live_slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.boxes.live_slots().map(|slot| slot as usize)
    }

    /// The slots in use, in ascending order of the ids.
    pub(crate) fn slots_by_id(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = self.boxes.live_slots().collect();
        if !slots.is_sorted_by_key(|&slot| self.boxes.id(slot)) {
            slots.sort_unstable_by_key(|&slot| self.boxes.id(slot));
        }
        slots
    }

    pub(crate) fn id(&self, slot: usize) -> u32 {
        self.boxes.id(slot as u32)
    }

    /// The forces on a body in this frame.
    #[inline]
    pub(crate) fn push(&self, slot: usize) -> Push {
        self.pushes.get(slot).copied().unwrap_or_default()
    }

    /// The same, to add to.
    pub(crate) fn push_mut(&mut self, slot: usize) -> &mut Push {
        self.pushes.resize(self.motions.len(), Push::default());
        &mut self.pushes[slot]
    }

    /// The pose of the body's origin.
    pub(crate) fn pose(&self, slot: usize) -> Pose {
        self.motions[slot].pose(self.properties[slot].local_center)
    }

    /// The box around all shapes of a body where it is.
    pub(crate) fn box_of(&self, slot: usize) -> Aabb {
        let pose = self.pose(slot);
        let solid = self.properties[slot].solid.and_then(|geometry| geometry.solid_aabb(&pose));
        solid.unwrap_or_else(|| Self::tight_box(&self.descriptions[slot], &pose))
    }

    /// The box around all shapes of a body at a pose.
    pub(crate) fn tight_box(body: &Body, pose: &Pose) -> Aabb {
        let boxes = body.parts.iter().map(|part| part.shape.aabb(&pose.then(&part.local)));
        boxes.reduce(|a, b| a.union(&b)).unwrap_or(Aabb::from_center(pose.position, Vec3::ZERO))
    }

    /// Puts a body in. Its box must be one: the caller has checked the numbers.
    pub(crate) fn insert(
        &mut self,
        id: u32,
        body: Arc<Body>,
        properties: Properties,
        motion: Motion,
        rest: Rest,
        aabb: Aabb,
    ) -> Result<usize, BoxError> {
        let filter = Filter::default()
            .movable(body.kind != BodyKind::Fixed)
            .sensing(body.kind == BodyKind::Sensor)
            .groups(body.group, body.mask);
        self.boxes.insert(id, aabb, filter)?;
        let slot = self.slot_of(id).expect("it was just inserted");
        let content = content_hash(&body);
        if slot == self.motions.len() {
            self.motions.push(motion);
            self.properties.push(properties);
            self.rests.push(rest);
            self.descriptions.push(body);
            self.contents.push(content);
        } else {
            self.motions[slot] = motion;
            self.properties[slot] = properties;
            self.rests[slot] = rest;
            self.descriptions[slot] = body;
            self.contents[slot] = content;
        }
        Ok(slot)
    }

    /// Takes a body out.
    pub(crate) fn remove(&mut self, id: u32) -> Result<(), BoxError> {
        self.boxes.remove(id).map(|_| ())
    }

    /// Stops a body that has become something that is no number, for good.
    pub(crate) fn freeze(&mut self, slot: usize) {
        self.motions[slot].velocity = Velocity::ZERO;
        self.rests[slot].frozen = true;
        if let Some(push) = self.pushes.get_mut(slot) {
            *push = Push::default();
        }
    }

    /// How many dynamic bodies are up.
    pub(crate) fn count_awake(&self, executor: &Executor) -> usize {
        const TASK: usize = 4096;
        let mut counts = vec![0; self.rests.len().div_ceil(TASK)];
        executor.for_each(&mut counts, |index, count| {
            let slots = index * TASK..((index + 1) * TASK).min(self.rests.len());
            *count = slots.filter(|&slot| self.boxes.is_live(slot as u32) && self.is_awake(slot)).count();
        });
        counts.iter().sum()
    }

    /// Is it a dynamic body that is up?
    #[inline]
    pub(crate) fn is_awake(&self, slot: usize) -> bool {
        let rest = &self.rests[slot];
        self.properties[slot].kind == BodyKind::Dynamic && !rest.asleep && !rest.frozen
    }

    /// Does it move of itself this frame? A dynamic body that is up, or a driven one with a velocity.
    #[inline]
    pub(crate) fn is_active(&self, slot: usize) -> bool {
        self.moves_by(slot, &self.motions[slot])
    }

    /// The same for a motion that is not in the store now.
    #[inline]
    pub(crate) fn moves_by(&self, slot: usize, motion: &Motion) -> bool {
        let rest = &self.rests[slot];
        match self.properties[slot].kind {
            BodyKind::Fixed => false,
            BodyKind::Dynamic => !rest.asleep && !rest.frozen,
            BodyKind::Kinematic | BodyKind::Sensor => !rest.frozen && motion.velocity != Velocity::ZERO,
        }
    }
}
