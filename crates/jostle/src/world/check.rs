//! Commands at the door: what is wrong with them is said here, and nothing wrong gets further.

use std::sync::Arc;

use glam::Vec3;
use jostle_broad::Aabb;

use super::World;
use super::store::Store;
use crate::{Body, BodyId, BodyKind, Command, Mass, MassProperties, Pose, Velocity, WorldError};

/// How far a quaternion's length may be from 1.
const ROTATION_TOLERANCE: f32 = 1e-3;

/// The most shapes of a body: contacts are named by ten bits of them.
const MOST_PARTS: usize = 1024;

/// The most triangles of a shape beside others: contacts are named by 22 bits of them.
const MOST_TRIANGLES: usize = 1 << 22;

impl World {
    /// Takes a command for the next step.
    pub fn command(&mut self, id: BodyId, command: Command) -> Result<(), WorldError> {
        let command = match command {
            Command::Add(body) => Command::Add(self.check_add(id, body)?),
            Command::Teleport(pose) => {
                let pose = check_pose(id, pose)?;
                if self.description(id).is_some_and(|body| !is_box(&Store::tight_box(body, &pose))) {
                    return Err(bad(
                        id,
                        "the position",
                        pose.position,
                        "the body must stay within what a float can hold",
                    ));
                }
                Command::Teleport(pose)
            }
            other => other,
        };
        let is_add = matches!(command, Command::Add(_));
        let kind = match (self.kind_of(id), is_add) {
            (None, false) => return Err(WorldError::UnknownId { id }),
            (kind, _) => kind,
        };
        if let Some(kind) = kind.filter(|_| !is_add) {
            check_kind(id, kind, &command)?;
        }
        check_numbers(id, &command)?;
        if let Some(other) = self.commands.of(id).find(|other| command.contradicts(other)) {
            return Err(WorldError::Conflict { id, first: other.name(), second: command.name() });
        }
        self.commands.push(id, command);
        Ok(())
    }

    /// The kind of a body that is there or will be.
    fn kind_of(&self, id: BodyId) -> Option<BodyKind> {
        self.description(id).map(|body| body.kind)
    }

    fn check_add(&self, id: BodyId, body: Arc<Body>) -> Result<Arc<Body>, WorldError> {
        if self.store.boxes.contains(id.0) || self.pending(id).is_some() {
            return Err(WorldError::DuplicateId { id });
        }
        check_body(id, body)
    }

    /// Puts a body in.
    pub fn add(&mut self, id: BodyId, body: impl Into<Arc<Body>>) -> Result<(), WorldError> {
        self.command(id, Command::Add(body.into()))
    }

    /// Puts a body in under the lowest id above all in use.
    pub fn add_next(&mut self, body: impl Into<Arc<Body>>) -> Result<BodyId, WorldError> {
        let id = self.next_id().ok_or(WorldError::NoIdLeft)?;
        self.add(id, body)?;
        Ok(id)
    }

    /// Takes a body out.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.command(id, Command::Remove)
    }

    /// Puts a body somewhere else.
    pub fn teleport(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        self.command(id, Command::Teleport(pose))
    }

    /// Gives a body a velocity.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Velocity) -> Result<(), WorldError> {
        self.command(id, Command::SetVelocity(velocity))
    }

    /// Changes a body's momentum, in newton seconds.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::Impulse { impulse, point: None })
    }

    /// The same at a point in world coordinates.
    pub fn apply_impulse_at(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::Impulse { impulse, point: Some(point) })
    }

    /// Changes a body's angular momentum, in newton metre seconds.
    pub fn apply_angular_impulse(&mut self, id: BodyId, impulse: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::AngularImpulse(impulse))
    }

    /// Pushes a body through the next step, in newtons.
    pub fn apply_force(&mut self, id: BodyId, force: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::Force { force, point: None })
    }

    /// The same at a point in world coordinates.
    pub fn apply_force_at(&mut self, id: BodyId, force: Vec3, point: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::Force { force, point: Some(point) })
    }

    /// Turns a body through the next step, in newton metres.
    pub fn apply_torque(&mut self, id: BodyId, torque: Vec3) -> Result<(), WorldError> {
        self.command(id, Command::Torque(torque))
    }

    /// Wakes a body.
    pub fn wake(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.command(id, Command::Wake)
    }

    /// Puts a body to sleep until something wakes it.
    pub fn put_to_sleep(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.command(id, Command::Sleep)
    }

    /// Changes a body's user data.
    pub fn set_user_data(&mut self, id: BodyId, data: u64) -> Result<(), WorldError> {
        self.command(id, Command::SetUserData(data))
    }

    /// The lowest id above all in use and all waiting to enter.
    fn next_id(&mut self) -> Option<BodyId> {
        let here = self.store.boxes.ids().max();
        let coming = self.commands.highest_added();
        match here.max(coming) {
            None => Some(BodyId(0)),
            Some(highest) => highest.checked_add(1).filter(|&id| id < u32::MAX).map(BodyId),
        }
    }
}

/// What a body weighs.
pub(crate) fn mass_of(body: &Body) -> MassProperties {
    let parts =
        body.parts.iter().map(|part| part.shape.mass_properties(part.material.density).placed(&part.local));
    let sum = MassProperties::sum(parts);
    match body.mass {
        Mass::FromDensity => sum,
        Mass::Total(mass) => sum.scaled_to(mass),
    }
}

fn bad(id: BodyId, what: &'static str, value: impl ToString, remedy: &'static str) -> WorldError {
    WorldError::BadNumber { id, what, value: value.to_string(), remedy }
}

/// Refuses what cannot be; brings the rotation to length 1.
pub(crate) fn check_body(id: BodyId, mut body: Arc<Body>) -> Result<Arc<Body>, WorldError> {
    const FINITE: &str = "it must be finite";
    const NOT_NEGATIVE: &str = "it must be finite and at least 0";
    const POSITIVE: &str = "it must be finite and above 0";
    if id.0 == u32::MAX {
        return Err(bad(id, "the id", id, "the highest id is reserved"));
    }
    if body.parts.is_empty() {
        return Err(WorldError::NoShape { id });
    }
    let pose = check_pose(id, body.pose)?;
    if !body.velocity.is_finite() {
        return Err(bad(id, "the velocity", format!("{:?}", body.velocity), FINITE));
    }
    for part in &body.parts {
        let material = &part.material;
        let local = check_pose(id, part.local)?;
        if local.rotation != part.local.rotation {
            return Err(bad(id, "the rotation of a shape", part.local.rotation, "its length must be 1"));
        }
        if !(material.friction.is_finite() && material.friction >= 0.0) {
            return Err(bad(id, "friction", material.friction, NOT_NEGATIVE));
        }
        if !(0.0..=1.0).contains(&material.restitution) {
            return Err(bad(id, "restitution", material.restitution, "it must be from 0 to 1"));
        }
        if !(material.density.is_finite() && material.density > 0.0) {
            return Err(bad(id, "the density", material.density, POSITIVE));
        }
        if !part.shape.has_mass() && body.kind != BodyKind::Fixed {
            return Err(WorldError::NoMass { id, shape: format!("{:?}", part.shape) });
        }
    }
    let scales = [("linear damping", body.linear_damping), ("angular damping", body.angular_damping)];
    for (what, value) in scales {
        if !(value.is_finite() && value >= 0.0) {
            return Err(bad(id, what, value, NOT_NEGATIVE));
        }
    }
    if !body.gravity_scale.is_finite() {
        return Err(bad(id, "the gravity scale", body.gravity_scale, FINITE));
    }
    if body.parts.len() > MOST_PARTS {
        return Err(bad(id, "the number of shapes", body.parts.len(), "a body has at most 1024"));
    }
    let triangles = body.parts.iter().map(|part| part.shape.triangles()).max().unwrap_or(0);
    if body.parts.len() > 1 && triangles > MOST_TRIANGLES {
        let need = "beside other shapes of a body one has at most 4194304; make it a body of its own";
        return Err(bad(id, "the number of triangles of a shape", triangles, need));
    }
    let center = mass_of(&body).center;
    if !center.is_finite() || !is_box(&Store::tight_box(&body, &pose)) {
        return Err(bad(
            id,
            "the size",
            center,
            "shapes and densities must stay within what a float can hold",
        ));
    }
    if body.kind == BodyKind::Dynamic {
        if let Mass::Total(mass) = body.mass
            && !(mass.is_finite() && mass > 0.0)
        {
            return Err(bad(id, "the mass", mass, POSITIVE));
        }
        let mass = mass_of(&body);
        let inverse = mass.inverse_inertia();
        if !(mass.mass.is_normal() && (1.0 / mass.mass).is_finite() && inverse.is_finite()) {
            return Err(bad(
                id,
                "the mass",
                mass.mass,
                "mass and inertia must be numbers a float can hold, and above 0",
            ));
        }
    }
    if body.kind == BodyKind::Fixed && body.velocity != Velocity::ZERO {
        return Err(bad(
            id,
            "the velocity",
            format!("{:?}", body.velocity),
            "a fixed body has none; use `Body::kinematic`",
        ));
    }
    if pose != body.pose {
        Arc::make_mut(&mut body).pose = pose;
    }
    Ok(body)
}

/// Can the pair finder hold it?
fn is_box(aabb: &Aabb) -> bool {
    let far = Vec3::INFINITY;
    aabb.min.cmple(aabb.max).all() && aabb.min.cmplt(far).all() && aabb.max.cmpgt(-far).all()
}

/// Refuses a pose that is none; brings its rotation to length 1 where it is nearly that.
fn check_pose(id: BodyId, pose: Pose) -> Result<Pose, WorldError> {
    if !pose.position.is_finite() {
        return Err(bad(id, "the position", pose.position, "it must be finite"));
    }
    let length = pose.rotation.length();
    let off = (length - 1.0).abs();
    if off.is_nan() || off > ROTATION_TOLERANCE {
        return Err(bad(id, "the rotation", pose.rotation, "its length must be 1; normalise it"));
    }
    // Exactly the same again where it is as near as floats come: a pose that was read can be given back.
    let rotation = if off <= 2.0 * f32::EPSILON { pose.rotation } else { pose.rotation.normalize() };
    Ok(Pose { rotation, ..pose })
}

fn check_kind(id: BodyId, kind: BodyKind, command: &Command) -> Result<(), WorldError> {
    let name = match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Kinematic => "kinematic",
        BodyKind::Dynamic => "dynamic",
        BodyKind::Sensor => "a sensor",
    };
    let refuse = |works_on| Err(WorldError::WrongKind { id, kind: name, command: command.name(), works_on });
    match command {
        Command::SetVelocity(_) if kind == BodyKind::Fixed => refuse("kinematic, dynamic and sensor"),
        Command::Impulse { .. }
        | Command::AngularImpulse(_)
        | Command::Force { .. }
        | Command::Torque(_)
        | Command::Sleep
        | Command::Wake
            if kind != BodyKind::Dynamic =>
        {
            refuse("dynamic")
        }
        _ => Ok(()),
    }
}

fn check_numbers(id: BodyId, command: &Command) -> Result<(), WorldError> {
    const FINITE: &str = "it must be finite";
    let finite =
        |what, vector: Vec3| if vector.is_finite() { Ok(()) } else { Err(bad(id, what, vector, FINITE)) };
    match command {
        Command::SetVelocity(velocity) => {
            finite("the velocity", velocity.linear)?;
            finite("the angular velocity", velocity.angular)
        }
        Command::Impulse { impulse: push, point } | Command::Force { force: push, point } => {
            finite("the push", *push)?;
            point.map_or(Ok(()), |point| finite("the point", point))
        }
        Command::AngularImpulse(vector) | Command::Torque(vector) => finite("the torque", *vector),
        _ => Ok(()),
    }
}
