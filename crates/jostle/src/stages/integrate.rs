//! `integrate`: what a frame did to bodies becomes their new poses and velocities.
//!
//! Bodies without units move on their own here, by the same substeps. What is conserved while a body turns is its angular
//! momentum, not its angular velocity: a free plate tumbles as plates do.

use glam::{Mat3, Quat, Vec3, Vec3A};
use jostle_broad::Executor;

use crate::BodyKind;
use crate::solve::bodies::{Outcome, clamp};
use crate::solve::{Rules, Solver};
use crate::world::store::{Motion, Properties, Store};

/// No body turns farther than this in a frame, in radians: the series below are good up to here.
const MOST_TURN: f32 = 3.0;

/// Slots handed out to a thread at a time.
const TASK: usize = 256;

/// What the stage has to report.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// How many times a body was held back by the highest speed.
    pub(crate) clamped: usize,
    /// Bodies that became something that is no number; frozen where they were.
    pub(crate) frozen: Vec<u32>,
}

/// Some slots: where their bodies were goes in, where they are comes out.
struct Task<'a> {
    motions: &'a mut [Motion],
    clamped: usize,
    /// Slots of bodies that became something that is no number.
    broken: Vec<usize>,
}

pub(crate) fn run(
    store: &mut Store,
    solver: &Solver,
    rules: &Rules<'_>,
    dt: f32,
    executor: &Executor,
) -> Done {
    let mut motions = std::mem::take(&mut store.motions);
    let shared = &*store;
    let new_task = |motions| Task { motions, clamped: 0, broken: Vec::new() };
    let mut tasks: Vec<Task<'_>> = motions.chunks_mut(TASK).map(new_task).collect();
    executor.for_each(&mut tasks, |index, task| {
        for (slot, motion) in (index * TASK..).zip(task.motions.iter_mut()) {
            if !shared.boxes.is_live(slot as u32) || !shared.moves_by(slot, motion) {
                continue;
            }
            let (outcome, clamped) =
                solver.outcome(slot).unwrap_or_else(|| move_freely(shared, slot, motion, rules));
            let (new, held) = turned(motion, &shared.properties[slot], outcome, dt);
            task.clamped += clamped + usize::from(held);
            if new.is_finite() {
                *motion = new;
            } else {
                task.broken.push(slot);
            }
        }
    });
    let mut done = Done::default();
    let mut broken = Vec::new();
    for task in tasks {
        done.clamped += task.clamped;
        broken.extend(task.broken);
    }
    store.motions = motions;
    for slot in broken {
        store.freeze(slot);
        done.frozen.push(store.id(slot));
    }
    done
}

/// A body that touches nothing: the substeps without units.
fn move_freely(store: &Store, slot: usize, motion: &Motion, rules: &Rules<'_>) -> (Outcome, usize) {
    let Rules { settings, substeps, .. } = rules;
    let properties = &store.properties[slot];
    let push = store.push(slot);
    let gain = Vec3A::from(properties.acceleration(settings, push) * substeps.length);
    let spin_gain =
        Vec3A::from(properties.world_inverse_inertia(motion.rotation) * push.torque * substeps.length);
    let keep = 1.0 / (1.0 + substeps.length * properties.linear_damping);
    let spin_keep = 1.0 / (1.0 + substeps.length * properties.angular_damping);
    let (mut velocity, mut spin) =
        (Vec3A::from(motion.velocity.linear), Vec3A::from(motion.velocity.angular));
    // Who cannot come near the highest speed in this frame need not be compared with it in each substep.
    let most = velocity.length() + gain.length() * substeps.count as f32;
    let is_slow = most <= 0.99 * substeps.max_speed;
    let (mut moved, mut turned) = (Vec3A::ZERO, Vec3A::ZERO);
    let mut clamped = 0;
    for _ in 0..substeps.count {
        velocity = (velocity + gain) * keep;
        if !is_slow {
            let (held, is_held) = clamp(velocity.into(), substeps.max_speed);
            velocity = held.into();
            clamped += usize::from(is_held);
        }
        spin = (spin + spin_gain) * spin_keep;
        moved += velocity * substeps.length;
        turned += spin * substeps.length;
    }
    let outcome =
        Outcome { velocity: velocity.into(), spin: spin.into(), motion: moved.into(), turn: turned.into() };
    (outcome, clamped)
}

/// The motion after a frame.
fn turned(old: &Motion, properties: &Properties, outcome: Outcome, dt: f32) -> (Motion, bool) {
    let mut new = *old;
    new.center = old.center + outcome.motion;
    new.velocity.linear = outcome.velocity;
    new.velocity.angular = outcome.spin;
    if outcome.turn == Vec3::ZERO && outcome.spin == Vec3::ZERO {
        return (new, false);
    }
    if properties.kind != BodyKind::Dynamic {
        let (turn, held) = clamp(outcome.turn, MOST_TURN);
        new.rotation = rotated(old.rotation, turn);
        return (new, held);
    }
    let free = properties.free_rotation;
    let mut turn = outcome.turn * free;
    let mut spin = outcome.spin * free;
    // With locked axes there is no momentum of its own to keep.
    if !properties.is_round && free == Vec3::ONE {
        let momentum = inertia(old.rotation, &properties.inertia) * spin;
        // Half-way through the frame the same momentum turns it another way: that difference is the precession.
        let half_way = rotated(old.rotation, clamp(turn * 0.5, MOST_TURN).0);
        turn += (inertia(half_way, &properties.inverse_inertia) * momentum - spin) * dt;
        let (turn, held) = clamp(turn, MOST_TURN);
        new.rotation = rotated(old.rotation, turn);
        spin = inertia(new.rotation, &properties.inverse_inertia) * momentum;
        let (spin, spun) = clamp(spin, MOST_TURN / dt);
        new.velocity.angular = spin;
        return (new, held || spun);
    }
    let (turned, held) = clamp(turn, MOST_TURN);
    new.rotation = rotated(old.rotation, turned);
    let (spin, spun) = clamp(spin, MOST_TURN / dt);
    new.velocity.angular = spin;
    (new, held || spun)
}

fn inertia(rotation: Quat, local: &Mat3) -> Mat3 {
    let turn = Mat3::from_quat(rotation);
    turn * *local * turn.transpose()
}

/// An orientation turned by a rotation vector. Series instead of the platform's sine and cosine: those differ.
fn rotated(rotation: Quat, turn: Vec3) -> Quat {
    let half = turn * 0.5;
    let square = half.length_squared();
    let cosine =
        1.0 - square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square * (1.0 / 40320.0))));
    let sine = 1.0
        - square * (1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square * (1.0 / 362880.0))));
    let half = half * sine;
    (Quat::from_xyzw(half.x, half.y, half.z, cosine) * rotation).normalize()
}
