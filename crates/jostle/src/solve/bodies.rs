//! The response's body side: gravity, carried impulses, adding up, moving.

use glam::{Mat3A, Vec3, Vec3A, Vec4};
use jostle_broad::Executor;

use super::layout::{BodyRow, Impulse, UNITS};
use super::{Solver, Substeps};
use crate::simd::prefetch;

/// Bodies handed out to a thread at a time.
const TASK: usize = 256;

/// Impulses asked for before they are added: those of six bodies or so.
const AHEAD: usize = 32;

/// A body with units: what is added to its row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mover {
    /// Its impulses in the list to gather.
    pub(super) units: std::ops::Range<u32>,
    pub(super) inverse_mass: Vec3A,
    pub(super) inverse_inertia: Mat3A,
    /// What gravity and forces add to its velocity in a substep.
    pub(super) gain: Vec3A,
    /// What torques add to its angular velocity in a substep.
    pub(super) spin_gain: Vec3A,
    /// What damping leaves of its velocities in a substep.
    pub(super) keep: f32,
    pub(super) spin_keep: f32,
    /// How many times it was held back.
    pub(super) clamped: u32,
    /// Did it become something that is no number?
    pub(super) broken: bool,
}

/// What a frame did to a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
    pub(crate) motion: Vec3,
    /// The sum of its small rotations.
    pub(crate) turn: Vec3,
}

impl Mover {
    /// The sum of a body's impulses, in the order of its list.
    #[inline]
    fn sum(&self, gather: &[u32], impulses: &[Impulse]) -> (Vec3A, Vec3A) {
        let (mut linear, mut angular) = (Vec4::ZERO, Vec4::ZERO);
        let units = self.units.start as usize..self.units.end as usize;
        // Impulses lie anywhere, and waiting for them is half of the time: those of the next bodies are on their way.
        let coming = gather.get(units.start + AHEAD..).unwrap_or_default();
        for &index in coming.iter().take(units.len()) {
            prefetch(&impulses[index as usize]);
        }
        for &index in &gather[units] {
            let Impulse(numbers) = &impulses[index as usize];
            linear += Vec4::from_slice(&numbers[..4]);
            angular += Vec4::from_slice(&numbers[4..]);
        }
        (Vec3A::from_vec4(linear), Vec3A::from_vec4(angular))
    }

    /// The velocities with the impulses of the latest pass.
    #[inline]
    fn pushed(&mut self, row: &BodyRow, gather: &[u32], impulses: &[Impulse]) -> (Vec3A, Vec3A) {
        let (linear, angular) = self.sum(gather, impulses);
        let velocity = row.vector(BodyRow::VELOCITY) + linear * self.inverse_mass;
        let spin = row.vector(BodyRow::ANGULAR) + self.inverse_inertia * angular;
        self.contained(velocity, spin)
    }

    /// The velocities if they are numbers. Otherwise it stands still for the rest of the frame, so that nobody who touches
    /// it meets them, and is frozen at its end.
    #[inline]
    fn contained(&mut self, velocity: Vec3A, spin: Vec3A) -> (Vec3A, Vec3A) {
        self.broken |= !(velocity.is_finite() && spin.is_finite());
        if self.broken { (Vec3A::ZERO, Vec3A::ZERO) } else { (velocity, spin) }
    }
}

impl Solver {
    /// Runs `work` on every mover and its row.
    fn each(
        &mut self,
        executor: &Executor,
        work: impl Fn(&mut Mover, &mut BodyRow, &[u32], &[Impulse]) + Sync + Send,
    ) {
        let impulses = self.impulses.as_flattened();
        let gather = &self.gather;
        let mut tasks: Vec<_> = self.movers.chunks_mut(TASK).zip(self.rows[1..].chunks_mut(TASK)).collect();
        executor.for_each(&mut tasks, |_, (movers, rows)| {
            for (mover, row) in movers.iter_mut().zip(rows.iter_mut()) {
                work(mover, row, gather, impulses);
            }
        });
    }

    /// The start of a substep: gravity and damping, and what the pass before handed out: its own impulses, and all that
    /// were accumulated so far. Before the first substep that was [`Solver::prepare`].
    pub(crate) fn begin(&mut self, executor: &Executor) {
        self.each(executor, |mover, row, gather, impulses| {
            let (linear, angular) = mover.sum(gather, impulses);
            let velocity =
                (row.vector(BodyRow::VELOCITY) + mover.gain) * mover.keep + linear * mover.inverse_mass;
            let spin = (row.vector(BodyRow::ANGULAR) + mover.spin_gain) * mover.spin_keep
                + mover.inverse_inertia * angular;
            let (velocity, spin) = mover.contained(velocity, spin);
            row.set(BodyRow::VELOCITY, velocity);
            row.set(BodyRow::ANGULAR, spin);
        });
    }

    /// The middle of a substep: bodies take the impulses of the pass and move.
    pub(crate) fn advance(&mut self, substeps: &Substeps, executor: &Executor) {
        let (length, fastest) = (substeps.length, substeps.max_speed);
        self.each(executor, |mover, row, gather, impulses| {
            let (velocity, spin) = mover.pushed(row, gather, impulses);
            let (held, clamped) = clamp(velocity.into(), fastest);
            let velocity = if clamped { held.into() } else { velocity };
            mover.clamped += u32::from(clamped);
            row.set(BodyRow::VELOCITY, velocity);
            row.set(BodyRow::ANGULAR, spin);
            row.set(BodyRow::MOTION, row.vector(BodyRow::MOTION) + velocity * length);
            row.set(BodyRow::TURN, row.vector(BodyRow::TURN) + spin * length);
        });
    }

    /// After the bounce: only bodies that did. To others nothing may be added, not even zero, which would turn a negative zero
    /// into a positive one because somebody bounced somewhere else.
    pub(super) fn add_bounces(&mut self, executor: &Executor) {
        self.each(executor, |mover, row, gather, impulses| {
            let (linear, angular) = mover.sum(gather, impulses);
            if linear == Vec3A::ZERO && angular == Vec3A::ZERO {
                return;
            }
            row.set(BodyRow::VELOCITY, row.vector(BodyRow::VELOCITY) + linear * mover.inverse_mass);
            row.set(BodyRow::ANGULAR, row.vector(BodyRow::ANGULAR) + mover.inverse_inertia * angular);
        });
    }

    /// After the last pass.
    pub(super) fn add_impulses(&mut self, executor: &Executor) {
        self.each(executor, |mover, row, gather, impulses| {
            let (velocity, spin) = mover.pushed(row, gather, impulses);
            row.set(BodyRow::VELOCITY, velocity);
            row.set(BodyRow::ANGULAR, spin);
        });
    }

    /// What the frame did to the body of a slot if it has units, and how many times it was held back by the highest speed.
    pub(crate) fn outcome(&self, slot: usize) -> Option<(Outcome, usize)> {
        let row = self.row_of(slot)?;
        let mover = &self.movers[row - 1];
        let clamped = mover.clamped as usize;
        let row = &self.rows[row];
        let outcome = Outcome {
            velocity: if mover.broken { Vec3::NAN } else { row.vector(BodyRow::VELOCITY).into() },
            spin: row.vector(BodyRow::ANGULAR).into(),
            motion: row.vector(BodyRow::MOTION).into(),
            turn: row.vector(BodyRow::TURN).into(),
        };
        Some((outcome, clamped))
    }
}

/// Holds a velocity to the highest speed.
#[inline]
pub(crate) fn clamp(velocity: Vec3, fastest: f32) -> (Vec3, bool) {
    let square = velocity.length_squared();
    if square <= fastest * fastest || square.is_nan() {
        return (velocity, false);
    }
    // Scaled first: the square of a very high speed is more than a float can hold.
    let direction = velocity / velocity.abs().max_element();
    (direction * (fastest / direction.length()), true)
}

/// Sixteen impulses of nothing.
pub(super) const NOTHING: [Impulse; UNITS] = [Impulse([0.0; 8]); UNITS];
