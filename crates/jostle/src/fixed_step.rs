//! Real time into steps of a fixed length: how many to run now, what to draw in between, and what could not be kept up
//! with.

use thiserror::Error;

use crate::{BodyId, Pose, StepReport, World, WorldError};

/// Runs a world in steps of one length, whatever the time between frames is.
///
/// Time that no step has used yet is carried over; if more steps are due than allowed, the rest is dropped and said.
///
/// ```
/// use jostle::{Body, BodyId, FixedStep, Shape, World, glam::Vec3};
///
/// let mut world = World::default();
/// world.add(BodyId(1), Body::dynamic(Shape::ball(0.5)?).at(Vec3::Y * 10.0))?;
/// let mut clock = FixedStep::new(1.0 / 60.0, 4)?;
///
/// // A frame of 40 milliseconds: two steps, and nearly half of a third.
/// let ran = clock.advance(&mut world, 0.040)?;
/// assert_eq!((ran.steps, ran.dropped), (2, 0.0));
/// assert!((0.39..0.41).contains(&ran.alpha));
/// let drawn = clock.interpolate(&world, BodyId(1)).unwrap();
/// assert!(drawn.position.y > world.pose(BodyId(1)).unwrap().position.y);
///
/// // A hiccup of a second: four steps, and the rest is dropped.
/// let ran = clock.advance(&mut world, 1.0)?;
/// assert_eq!(ran.steps, 4);
/// assert!(ran.dropped > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FixedStep {
    dt: f32,
    max_steps: u32,
    /// Time that no step has used yet, in seconds; less than `dt` between calls, unless a step failed.
    waiting: f64,
    dropped: f64,
    /// Poses before the latest step, by ascending id, and the number of that step.
    previous: Vec<(BodyId, Pose)>,
    frame: u64,
}

/// What [`FixedStep::advance`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Ran {
    /// How many steps were made.
    pub steps: u32,
    /// How many seconds were dropped because more steps were due than allowed: the world is late by that from now on.
    pub dropped: f64,
    /// How far real time is between the latest step (0) and the next (1): what to draw, see [`FixedStep::interpolate`].
    pub alpha: f32,
}

/// Why time did not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FixedStepError {
    /// A step of no length.
    #[error("the step is {dt} seconds; it must be a finite number above 0")]
    BadStep {
        /// What it was.
        dt: f32,
    },
    /// No step allowed.
    #[error("no step is allowed per call; allow at least 1")]
    NoSteps,
    /// A time that is none.
    #[error("{elapsed} seconds have passed; it must be a finite number >= 0")]
    BadElapsed {
        /// What it was.
        elapsed: f64,
    },
    /// The world refused a step. The steps before it were made; its time still waits.
    #[error(transparent)]
    World(#[from] WorldError),
}

impl FixedStep {
    /// Steps of `dt` seconds, at most `max_steps` of them per call.
    pub fn new(dt: f32, max_steps: u32) -> Result<Self, FixedStepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(FixedStepError::BadStep { dt });
        }
        if max_steps == 0 {
            return Err(FixedStepError::NoSteps);
        }
        Ok(Self { dt, max_steps, waiting: 0.0, dropped: 0.0, previous: Vec::new(), frame: 0 })
    }

    /// Lets `elapsed` seconds of real time pass.
    pub fn advance(&mut self, world: &mut World, elapsed: f64) -> Result<Ran, FixedStepError> {
        self.advance_with(world, elapsed, |_, _| ())
    }

    /// The same, with a call after each step: for events, and for commands to the next step.
    pub fn advance_with(
        &mut self,
        world: &mut World,
        elapsed: f64,
        mut after: impl FnMut(&mut World, StepReport),
    ) -> Result<Ran, FixedStepError> {
        if !(elapsed.is_finite() && elapsed >= 0.0) {
            return Err(FixedStepError::BadElapsed { elapsed });
        }
        self.waiting += elapsed;
        let dt = f64::from(self.dt);
        let mut steps = 0;
        while self.waiting >= dt && steps < self.max_steps {
            let is_last = steps + 1 == self.max_steps || self.waiting - dt < dt;
            if is_last {
                self.remember(world);
            }
            let report = world.step(self.dt)?;
            self.waiting -= dt;
            steps += 1;
            after(world, report);
        }
        let late = (self.waiting / dt).floor() * dt;
        self.waiting = (self.waiting - late).clamp(0.0, dt);
        self.dropped += late;
        Ok(Ran { steps, dropped: late, alpha: self.alpha() })
    }

    /// The length of a step in seconds.
    pub fn dt(&self) -> f32 {
        self.dt
    }

    /// How far real time is between the latest step (0) and the next (1).
    pub fn alpha(&self) -> f32 {
        (self.waiting / f64::from(self.dt)).min(1.0) as f32
    }

    /// How many seconds were dropped since the beginning.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// Where to draw a body: between its poses before and after the latest step, by [`FixedStep::alpha`]. A step behind
    /// real time, and smooth. Its pose now if it was not there before, or if somebody else made the latest step.
    pub fn interpolate(&self, world: &World, id: BodyId) -> Option<Pose> {
        let now = world.pose(id)?;
        Some(self.before(world, id).map_or(now, |before| between(&before, &now, self.alpha())))
    }

    /// [`FixedStep::interpolate`] for all bodies, by ascending id.
    pub fn interpolate_all(&self, world: &World) -> Vec<(BodyId, Pose)> {
        world.ids().into_iter().filter_map(|id| Some((id, self.interpolate(world, id)?))).collect()
    }

    fn before(&self, world: &World, id: BodyId) -> Option<Pose> {
        if world.frame() != self.frame {
            return None;
        }
        let found = self.previous.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.previous[found].1)
    }

    fn remember(&mut self, world: &World) {
        let store = &world.store;
        self.previous.clear();
        self.previous.extend(store.live_slots().map(|slot| (BodyId(store.id(slot)), store.pose(slot))));
        self.previous.sort_unstable_by_key(|&(id, _)| id);
        self.frame = world.frame() + 1;
    }
}

/// A pose between two: straight, and turning the short way round.
fn between(a: &Pose, b: &Pose, alpha: f32) -> Pose {
    Pose::new(a.position.lerp(b.position, alpha), a.rotation.lerp(b.rotation, alpha))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::{Body, Shape, WorldSettings};

    /// One body that moves a metre a second along x and turns a radian a second about y.
    fn world() -> World {
        let mut world =
            World::new(WorldSettings { gravity: Vec3::ZERO, ..WorldSettings::default() }).unwrap();
        let body = Body::kinematic(Shape::ball(0.5).unwrap()).moving(Vec3::X).spinning(Vec3::Y);
        world.add(BodyId(7), body).unwrap();
        world
    }

    #[test]
    fn time_is_carried_over_and_every_step_is_made() {
        let (mut world, mut clock) = (world(), FixedStep::new(0.25, 8).unwrap());
        let mut steps = Vec::new();
        for _ in 0..10 {
            let ran = clock.advance(&mut world, 0.15625).unwrap();
            assert_eq!(ran.dropped, 0.0);
            steps.push((ran.steps, ran.alpha));
        }
        // All numbers are multiples of 1/32: exact.
        let expected: Vec<(u32, f32)> = (1..=10)
            .map(|frame| {
                let due = |frame: i32| (frame as f32 * 0.625).floor();
                ((due(frame) - due(frame - 1)) as u32, (frame as f32 * 0.625).fract())
            })
            .collect();
        assert_eq!(steps, expected);
        assert_eq!(world.frame(), 6);
    }

    #[test]
    fn what_is_dropped_is_said_and_the_rest_stays() {
        let (mut world, mut clock) = (world(), FixedStep::new(0.25, 2).unwrap());
        let ran = clock.advance(&mut world, 1.375).unwrap();
        assert_eq!(ran, Ran { steps: 2, dropped: 0.75, alpha: 0.5 });
        assert_eq!(world.frame(), 2);
        let ran = clock.advance(&mut world, 0.125).unwrap();
        assert_eq!(ran, Ran { steps: 1, dropped: 0.0, alpha: 0.0 });
        assert_eq!(clock.dropped(), 0.75);
    }

    #[test]
    fn bodies_are_drawn_between_two_steps() {
        let (mut world, mut clock) = (world(), FixedStep::new(0.25, 8).unwrap());
        let id = BodyId(7);
        let _ = clock.advance(&mut world, 0.25).unwrap();
        let before = world.pose(id).unwrap();
        let _ = clock.advance(&mut world, 0.3125).unwrap();
        let after = world.pose(id).unwrap();
        let drawn = clock.interpolate(&world, id).unwrap();
        assert_eq!(clock.alpha(), 0.25);
        assert!((drawn.position - before.position.lerp(after.position, 0.25)).length() < 1e-6);
        assert!(drawn.position.x > before.position.x && drawn.position.x < after.position.x);
        let (from, to) = (before.rotation.angle_between(drawn.rotation), Quat::angle_between);
        assert!((from - 0.25 * to(before.rotation, after.rotation)).abs() < 1e-3);
        assert!((drawn.rotation.length() - 1.0).abs() < 1e-6);
        assert_eq!(clock.interpolate_all(&world), [(id, drawn)]);
        assert_eq!(clock.interpolate(&world, BodyId(8)), None);
        // A body new in the latest step is where it is, and so is everything after a step made by hand.
        world.add(BodyId(9), Body::fixed(Shape::ball(1.0).unwrap()).at(Vec3::Z)).unwrap();
        let _ = clock.advance(&mut world, 0.25).unwrap();
        assert_eq!(clock.interpolate(&world, BodyId(9)).unwrap(), Pose::at(Vec3::Z));
        world.step(0.25).unwrap();
        assert_eq!(clock.interpolate(&world, id), world.pose(id));
    }

    #[test]
    fn bad_times_are_refused_and_change_nothing() {
        for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(FixedStep::new(dt, 1), Err(FixedStepError::BadStep { .. })), "{dt}");
        }
        assert!(matches!(FixedStep::new(1.0, 0), Err(FixedStepError::NoSteps)));
        let (mut world, mut clock) = (world(), FixedStep::new(0.25, 8).unwrap());
        let _ = clock.advance(&mut world, 0.125).unwrap();
        for elapsed in [-0.1, f64::NAN, f64::INFINITY] {
            let refused = clock.advance(&mut world, elapsed);
            assert!(matches!(refused, Err(FixedStepError::BadElapsed { .. })), "{elapsed}");
        }
        assert_eq!((world.frame(), clock.alpha()), (0, 0.5));
    }
}
