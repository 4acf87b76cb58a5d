//! The response: one hop per pass.
//!
//! A frame is a number of substeps. In each, bodies take gravity and the impulses carried over, then units (manifolds that
//! can push) are solved each on its own from the velocities at the start of the pass, bodies add up the impulses of their
//! units, move, and a second pass without push-out takes back what the first gave too much. A body with n units counts in
//! each as one n-th of its mass (*mass splitting*: Tonge, Benevolenski, Voroshilov 2012), which conserves momentum, needs
//! no order among units, and does not blow up. Small steps instead of iterations: Macklin et al. 2019. Soft contacts after
//! Catto's soft step (Box2D 3).
//!
//! Nothing depends on order or threads: a unit writes impulses of its own, and a body adds those of its units in
//! ascending order of partner ids.

pub(crate) mod bodies;
mod law;
pub(crate) mod layout;
mod prepare;

use std::sync::Arc;

use jostle_broad::Executor;

pub use self::law::{ForceLaw, Touch};

use self::bodies::Mover;
use self::layout::{Batch, BodyRow, Bounces, Impulse, Pass, Points, UNITS};
use crate::contact::Contact;
use crate::simd::Kernels;
use crate::{ResponseSettings, WorldSettings};

/// Batches handed out to a thread at a time.
const TASK: usize = 16;

/// Contacts that have to be pushed apart at this share of the highest speed or faster are hard: nothing of the force that
/// holds them is taken back. With contacts as soft as that at any depth, and a highest speed, what is under more load than
/// that speed balances sinks in without end.
const HARD_SHARE: f32 = 0.25;

/// All of the response's data of one frame; kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    /// Bodies as units see them; row 0 is everything that cannot be moved.
    rows: Vec<BodyRow>,
    /// Bodies of rows 1, 2, ...
    movers: Vec<Mover>,
    /// Which impulses a body adds up, for each in ascending order of partner ids.
    gather: Vec<u32>,
    batches: Vec<Batch>,
    points: Vec<Points>,
    /// One for each of `points` if anything can bounce, else none.
    bounces: Vec<Bounces>,
    /// Two lists of sixteen for each batch: for the first and the second bodies.
    impulses: Vec<[Impulse; UNITS]>,
    /// Contacts under a force law of the user's; their impulses come after those of the batches.
    law_units: Vec<law::LawUnit>,
    prepare: prepare::Scratch,
}

/// The lengths and strengths of a frame's substeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substeps {
    pub(crate) count: u32,
    /// Seconds of one.
    pub(crate) length: f32,
    pub(crate) max_speed: f32,
    push: Pass,
    relax: Pass,
}

/// What the response goes by in a frame.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) settings: &'a WorldSettings,
    pub(crate) substeps: Substeps,
    pub(crate) law: Option<&'a Arc<dyn ForceLaw>>,
}

impl Substeps {
    pub(crate) fn new(settings: &WorldSettings, dt: f32) -> Self {
        let ResponseSettings { substeps, stiffness, damping_ratio, push_out, .. } = settings.response;
        let length = dt / substeps as f32;
        let rate = 1.0 / length;
        // A spring and damper, implicit in time: see `docs/decisions/0007-response.md`.
        let angle = 2.0 * std::f32::consts::PI * stiffness;
        let a1 = 2.0 * damping_ratio + angle;
        let a2 = angle * a1;
        let a3 = 1.0 / (1.0 + a2);
        let push = Pass {
            rate,
            bias_rate: angle * rate / a1,
            push_out,
            harden: 1.0 / (HARD_SHARE * push_out),
            impulse_scale: a3,
            carry: 0.0,
        };
        let relax = Pass { rate, bias_rate: 0.0, push_out, harden: 0.0, impulse_scale: 0.0, carry: 1.0 };
        Self { count: substeps, length, max_speed: settings.max_speed, push, relax }
    }
}

impl Solver {
    /// The middle of a substep: one pass that also takes back overlap.
    pub(crate) fn push_apart(&mut self, rules: &Rules<'_>, executor: &Executor, kernels: Kernels) {
        self.pass(&rules.substeps.push, executor, kernels);
        self.apply_law(rules, executor);
    }

    /// The end of a substep: one pass that takes back what pushing apart gave too much. Unless it is the last one, it
    /// also says what the next begins with.
    pub(crate) fn relax(&mut self, rules: &Rules<'_>, last: bool, executor: &Executor, kernels: Kernels) {
        let relax = rules.substeps.relax;
        let carry = if last { 0.0 } else { relax.carry };
        self.pass(&Pass { carry, ..relax }, executor, kernels);
        self.rest_law();
    }

    /// After the last substep: the bounce, if anything can, and the way back into contacts.
    pub(crate) fn finish(&mut self, contacts: &mut [Contact], executor: &Executor, kernels: Kernels) {
        self.add_impulses(executor);
        if !self.bounces.is_empty() {
            self.each_batch(executor, |share, rows| {
                kernels.bounce(share.batches, share.points, share.bounces, rows, share.impulses);
            });
            self.add_bounces(executor);
        }
        self.hand_back(contacts, executor);
    }

    /// Where the impulses of the force law begin.
    fn law_impulses(&self) -> usize {
        2 * self.batches.len() * UNITS
    }

    /// One pass over all units.
    fn pass(&mut self, pass: &Pass, executor: &Executor, kernels: Kernels) {
        self.each_batch(executor, |share, rows| {
            kernels.solve(share.batches, share.points, rows, share.impulses, pass);
            kernels.note_peaks(share.points, share.bounces);
        });
    }

    /// Runs `work` on all batches, some at a time.
    fn each_batch(&mut self, executor: &Executor, work: impl Fn(&mut Share<'_>, &[BodyRow]) + Sync + Send) {
        let rows = &self.rows;
        let mut rest = Share {
            batches: &mut self.batches,
            points: &mut self.points,
            bounces: &mut self.bounces,
            impulses: &mut self.impulses,
        };
        let mut shares = Vec::with_capacity(rest.batches.len().div_ceil(TASK));
        while !rest.batches.is_empty() {
            shares.push(rest.take());
        }
        executor.for_each(&mut shares, |_, share| work(share, rows));
    }
}

/// Some batches, their points and their impulses.
struct Share<'a> {
    batches: &'a mut [Batch],
    points: &'a mut [Points],
    bounces: &'a mut [Bounces],
    impulses: &'a mut [[Impulse; UNITS]],
}

impl<'a> Share<'a> {
    /// Cuts off the first batches.
    fn take(&mut self) -> Share<'a> {
        let count = TASK.min(self.batches.len());
        let batches = cut(&mut self.batches, count);
        let points: usize = batches.iter().map(|batch| batch.points.len()).sum();
        let bounces = if self.bounces.is_empty() { 0 } else { points };
        Share {
            points: cut(&mut self.points, points),
            bounces: cut(&mut self.bounces, bounces),
            impulses: cut(&mut self.impulses, 2 * count),
            batches,
        }
    }
}

/// Cuts off the first `count` of a slice.
fn cut<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}
