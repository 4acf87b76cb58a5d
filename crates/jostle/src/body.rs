//! What a user says of a body when adding it. The world keeps it in pieces of its own (`world/store.rs`).

use std::fmt;

use glam::{Quat, Vec3};

use crate::{Material, Pose, Shape, Velocity};

/// The name of a body, given by the user. Results depend on these names and never on the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a body takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum BodyKind {
    /// Never moves.
    Fixed = 0,
    /// Moves with the velocity the user gave it; nothing pushes it.
    Kinematic = 1,
    /// Moved by gravity, forces and contacts.
    Dynamic = 2,
    /// Moves like a kinematic body and reports who touches it, without pushing anyone.
    Sensor = 3,
}

/// Directions in which a body cannot move or turn, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AxisLocks {
    /// Bits 0 to 2: no motion along x, y, z. Bits 3 to 5: no rotation about x, y, z.
    bits: u8,
}

impl AxisLocks {
    /// Nothing is locked.
    pub const NONE: Self = Self { bits: 0 };
    /// No rotation at all.
    pub const ROTATION: Self = Self { bits: 0b11_1000 };
    /// Motion in the plane of x and y only, as in games of two dimensions.
    pub const PLANE_XY: Self = Self { bits: 0b01_1100 };

    /// Locks motion along axes: `[x, y, z]`.
    pub fn lock_motion(mut self, axes: [bool; 3]) -> Self {
        self.bits |= axes[0] as u8 | (axes[1] as u8) << 1 | (axes[2] as u8) << 2;
        self
    }

    /// Locks rotation about axes: `[x, y, z]`.
    pub fn lock_rotation(mut self, axes: [bool; 3]) -> Self {
        self.bits |= (axes[0] as u8) << 3 | (axes[1] as u8) << 4 | (axes[2] as u8) << 5;
        self
    }

    /// 1 for a free direction of motion, 0 for a locked one.
    pub fn free_motion(self) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|axis| 1.0 - (self.bits >> axis & 1) as f32))
    }

    /// 1 for a free axis of rotation, 0 for a locked one.
    pub fn free_rotation(self) -> Vec3 {
        Vec3::from_array([3, 4, 5].map(|axis| 1.0 - (self.bits >> axis & 1) as f32))
    }

    /// As one byte, for snapshots.
    pub(crate) fn to_bits(self) -> u8 {
        self.bits
    }

    /// From [`AxisLocks::to_bits`]; bits without a meaning are refused.
    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (bits < 64).then_some(Self { bits })
    }
}

/// Where the mass of a dynamic body comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mass {
    /// From the volumes of its shapes and the densities of their materials.
    #[default]
    FromDensity,
    /// This many kilograms, spread over the shapes in the proportions of their densities.
    Total(f32),
}

/// One shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The shape.
    pub shape: Shape,
    /// Where it is in the frame of the body.
    pub local: Pose,
    /// What it is made of.
    pub material: Material,
}

/// A body as it enters a world: kind, pose, velocity, shapes, and everything else with a sensible default.
///
/// ```
/// use jostle::{Body, Material, Shape, glam::Vec3};
///
/// let crate_of_wood = Body::dynamic(Shape::cuboid(Vec3::splat(0.5))?)
///     .at(Vec3::new(0.0, 3.0, 0.0))
///     .material(Material::default().with_density(600.0))
///     .user_data(7);
/// # Ok::<(), jostle::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// How it takes part.
    pub kind: BodyKind,
    /// Where it starts.
    pub pose: Pose,
    /// How it moves at the start.
    pub velocity: Velocity,
    /// Its shapes.
    pub parts: Vec<Part>,
    /// Its mass, if it is dynamic.
    pub mass: Mass,
    /// The groups it belongs to, one bit each. Default: all.
    pub group: u32,
    /// The groups it meets. Two bodies meet if each one's mask has a bit of the other's group. Default: all.
    pub mask: u32,
    /// The share of its velocity it loses in a second, for small values. Default: 0.
    pub linear_damping: f32,
    /// The same for its rotation. Default: 0.
    pub angular_damping: f32,
    /// How much of the world's gravity it feels. Default: 1.
    pub gravity_scale: f32,
    /// Directions in which it cannot move or turn.
    pub locks: AxisLocks,
    /// May it fall asleep? Default: yes.
    pub can_sleep: bool,
    /// Whatever the user wants to find again.
    pub user_data: u64,
}

impl Body {
    /// A body of a kind without shapes.
    pub fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: Pose::IDENTITY,
            velocity: Velocity::ZERO,
            parts: Vec::new(),
            mass: Mass::FromDensity,
            group: u32::MAX,
            mask: u32::MAX,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            locks: AxisLocks::NONE,
            can_sleep: true,
            user_data: 0,
        }
    }

    /// A body that never moves.
    pub fn fixed(shape: Shape) -> Self {
        Self::new(BodyKind::Fixed).with_shape(shape)
    }

    /// A body that moves as it is told.
    pub fn kinematic(shape: Shape) -> Self {
        Self::new(BodyKind::Kinematic).with_shape(shape)
    }

    /// A body moved by gravity, forces and contacts.
    pub fn dynamic(shape: Shape) -> Self {
        Self::new(BodyKind::Dynamic).with_shape(shape)
    }

    /// A body that reports who touches it.
    pub fn sensor(shape: Shape) -> Self {
        Self::new(BodyKind::Sensor).with_shape(shape)
    }

    /// One more shape, in the middle of the body.
    pub fn with_shape(self, shape: Shape) -> Self {
        self.with_shape_at(shape, Pose::IDENTITY)
    }

    /// One more shape, at a pose in the frame of the body.
    pub fn with_shape_at(mut self, shape: Shape, local: Pose) -> Self {
        self.parts.push(Part { shape, local, material: Material::default() });
        self
    }

    /// One more part.
    pub fn with_part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// The position it starts at.
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.position = position;
        self
    }

    /// The orientation it starts with.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// The velocity it starts with.
    pub fn moving(mut self, linear: Vec3) -> Self {
        self.velocity.linear = linear;
        self
    }

    /// The angular velocity it starts with.
    pub fn spinning(mut self, angular: Vec3) -> Self {
        self.velocity.angular = angular;
        self
    }

    /// The material of all shapes added so far.
    pub fn material(mut self, material: Material) -> Self {
        for part in &mut self.parts {
            part.material = material;
        }
        self
    }

    /// Its mass in kilograms, instead of one from densities.
    pub fn mass(mut self, kilograms: f32) -> Self {
        self.mass = Mass::Total(kilograms);
        self
    }

    /// The groups it belongs to and those it meets.
    pub fn groups(mut self, group: u32, mask: u32) -> Self {
        self.group = group;
        self.mask = mask;
        self
    }

    /// How fast it loses velocity and rotation.
    pub fn damping(mut self, linear: f32, angular: f32) -> Self {
        self.linear_damping = linear;
        self.angular_damping = angular;
        self
    }

    /// How much of the world's gravity it feels.
    pub fn gravity_scale(mut self, scale: f32) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Directions in which it cannot move or turn.
    pub fn lock(mut self, locks: AxisLocks) -> Self {
        self.locks = locks;
        self
    }

    /// It never falls asleep.
    pub fn sleepless(mut self) -> Self {
        self.can_sleep = false;
        self
    }

    /// Whatever the user wants to find again.
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }
}
