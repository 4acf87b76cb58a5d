//! What users tell a world to do. Commands are collected and applied together at the start of the next step.

use std::cmp::Ordering;
use std::sync::Arc;

use glam::Vec3;

use crate::{Body, BodyId, Pose, Velocity};

/// One thing to do with one body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Take it out.
    Remove,
    /// Put it in.
    Add(Arc<Body>),
    /// Put it somewhere else, at once. Its velocity stays.
    Teleport(Pose),
    /// Give it this velocity.
    SetVelocity(Velocity),
    /// Change its momentum, at a point in world coordinates or at its centre of mass.
    Impulse {
        /// Newton seconds.
        impulse: Vec3,
        /// Where; `None` for the centre of mass.
        point: Option<Vec3>,
    },
    /// Change its angular momentum, in newton metre seconds.
    AngularImpulse(Vec3),
    /// Push it through the whole next step, at a point in world coordinates or at its centre of mass.
    Force {
        /// Newtons.
        force: Vec3,
        /// Where; `None` for the centre of mass.
        point: Option<Vec3>,
    },
    /// Turn it through the whole next step, in newton metres.
    Torque(Vec3),
    /// Wake it.
    Wake,
    /// Put it to sleep, until something wakes it.
    Sleep,
    /// Change what the user wants to find again.
    SetUserData(u64),
}

impl Command {
    /// The name, as in errors.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Add(_) => "add",
            Self::Teleport(_) => "teleport",
            Self::SetVelocity(_) => "set_velocity",
            Self::Impulse { .. } => "apply_impulse",
            Self::AngularImpulse(_) => "apply_angular_impulse",
            Self::Force { .. } => "apply_force",
            Self::Torque(_) => "apply_torque",
            Self::Wake => "wake",
            Self::Sleep => "put_to_sleep",
            Self::SetUserData(_) => "set_user_data",
        }
    }

    /// The order of application within a frame.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Remove => 0,
            Self::Add(_) => 1,
            Self::Teleport(_) => 2,
            Self::SetVelocity(_) => 3,
            Self::Impulse { .. } => 4,
            Self::AngularImpulse(_) => 5,
            Self::Force { .. } => 6,
            Self::Torque(_) => 7,
            Self::Wake => 8,
            Self::Sleep => 9,
            Self::SetUserData(_) => 10,
        }
    }

    /// The numbers of the command, as bits: what orders two of the same rank.
    fn bits(&self) -> [u32; 8] {
        let mut bits = [0; 8];
        let mut put = |at: usize, vector: Vec3| {
            for axis in 0..3 {
                bits[at + axis] = vector[axis].to_bits();
            }
        };
        match self {
            Self::Remove | Self::Add(_) | Self::Wake | Self::Sleep => {}
            Self::Teleport(pose) => {
                put(0, pose.position);
                put(3, Vec3::new(pose.rotation.x, pose.rotation.y, pose.rotation.z));
                bits[6] = pose.rotation.w.to_bits();
            }
            Self::SetVelocity(velocity) => {
                put(0, velocity.linear);
                put(3, velocity.angular);
            }
            Self::Impulse { impulse: push, point } | Self::Force { force: push, point } => {
                put(0, *push);
                if let Some(point) = point {
                    put(3, *point);
                    bits[6] = 1;
                }
            }
            Self::AngularImpulse(vector) | Self::Torque(vector) => put(0, *vector),
            Self::SetUserData(data) => {
                bits[0] = *data as u32;
                bits[1] = (*data >> 32) as u32;
            }
        }
        bits
    }

    /// Do two commands for the same body in the same frame contradict each other?
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        let either = |test: fn(&Self) -> bool| test(self) || test(other);
        if either(|command| matches!(command, Self::Remove)) {
            return true;
        }
        let once =
            matches!(self, Self::Add(_) | Self::Teleport(_) | Self::SetVelocity(_) | Self::SetUserData(_));
        if once && self.rank() == other.rank() {
            return self != other || matches!(self, Self::Add(_));
        }
        either(|command| matches!(command, Self::Sleep))
            && either(|command| {
                !matches!(command, Self::Sleep | Self::Add(_) | Self::Teleport(_) | Self::SetUserData(_))
            })
    }
}

/// The commands of a frame, in the order they were given until they are sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    list: Vec<(BodyId, Command)>,
    /// Indices into `list` by body: what is already asked of it.
    by_body: std::collections::HashMap<BodyId, Vec<u32>>,
    /// The highest id of a body that waits to enter.
    highest_added: Option<u32>,
}

impl Commands {
    pub(crate) fn of(&self, id: BodyId) -> impl Iterator<Item = &Command> + '_ {
        self.by_body.get(&id).into_iter().flatten().map(|&index| &self.list[index as usize].1)
    }

    pub(crate) fn push(&mut self, id: BodyId, command: Command) {
        if matches!(command, Command::Add(_)) {
            self.highest_added = self.highest_added.max(Some(id.0));
        }
        self.by_body.entry(id).or_default().push(self.list.len() as u32);
        self.list.push((id, command));
    }

    /// The highest id of a body that waits to enter.
    pub(crate) fn highest_added(&self) -> Option<u32> {
        self.highest_added
    }

    /// In the order they were given.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(BodyId, Command)> + '_ {
        self.list.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The commands in canonical order: by body, kind, and bits.
    pub(crate) fn sorted(&self) -> Vec<(BodyId, Command)> {
        let mut list = self.list.clone();
        list.sort_by(|(a, x), (b, y)| a.cmp(b).then(compare(x, y)));
        list
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.by_body.clear();
        self.highest_added = None;
    }
}

fn compare(a: &Command, b: &Command) -> Ordering {
    a.rank().cmp(&b.rank()).then_with(|| a.bits().cmp(&b.bits()))
}
