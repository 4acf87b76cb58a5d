//! One frame, as a table of contents. `docs/frame.md` walks the same stages in the same order.

use std::time::{Duration, Instant};

use jostle_broad::Pair;

use crate::report::STAGES;
use crate::simd::Kernels;
use crate::solve::{Rules, Solver, Substeps};
use crate::stages::{find_contacts, integrate, report, sleep, update_bounds};
use crate::{BodyId, StepReport, World, WorldError};

/// What stages keep for its memory, and what one stage of a frame tells a later one. Means nothing between frames.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Ids of bodies that leave in this frame.
    pub(crate) leaving: Vec<u32>,
    /// Slots of bodies that were put somewhere else by command.
    pub(crate) stirred: Vec<u32>,
    /// Ids of bodies that commands made something that is no number.
    pub(crate) frozen: Vec<u32>,
    /// Did bodies come or go, were they put somewhere else, or did they come to rest?
    pub(crate) changed_bodies: bool,
    /// Did a body wake or fall asleep since resting contacts were sorted out?
    pub(crate) changed_sleep: bool,
    pub(crate) woke: usize,
    pub(crate) fell_asleep: usize,
    /// Pairs with at least one body that moves.
    pub(crate) pairs: Vec<Pair>,
    pub(crate) tested_pairs: usize,
    /// Contacts of the frame before.
    pub(crate) before: Vec<crate::contact::Contact>,
    pub(crate) bounds: update_bounds::Scratch,
    pub(crate) narrow: find_contacts::Scratch,
    pub(crate) sleep: sleep::Scratch,
    pub(crate) report: report::Scratch,
    pub(crate) solver: Solver,
    pub(crate) done: integrate::Done,
}

impl World {
    /// Moves the world on by `dt` seconds. On error nothing has changed.
    pub fn step(&mut self, dt: f32) -> Result<StepReport, WorldError> {
        self.check_step(dt)?;
        self.index.invalidate();
        let backup = self.back_up();
        let commands = self.commands_to_record();
        let mut times = Times::start();
        self.apply_commands(dt);
        times.end("apply_commands");
        self.update_bounds(dt);
        times.end("update_bounds");
        if let Err(error) = self.find_pairs() {
            self.roll_back(backup);
            return Err(error);
        }
        times.end("find_pairs");
        self.find_contacts(dt);
        times.end("find_contacts");
        self.respond(dt, &mut times);
        self.sleep(dt);
        times.end("sleep");
        self.report();
        self.record(dt, commands);
        times.end("report");
        Ok(self.step_report(times))
    }

    /// Substeps: contacts push, bodies move.
    fn respond(&mut self, dt: f32, times: &mut Times) {
        let substeps = Substeps::new(&self.settings, dt);
        let (executor, kernels) = (&self.find_settings.executor, Kernels::from(self.find_settings.lanes));
        let solver = &mut self.scratch.solver;
        let rules = Rules { settings: &self.settings, substeps, law: self.force_law.as_ref() };
        solver.prepare(&self.contacts, &self.store, &rules, executor, kernels);
        times.end("solve_contacts");
        for substep in 1..=substeps.count {
            solver.begin(executor);
            times.end("integrate");
            solver.push_apart(&rules, executor, kernels);
            times.end("solve_contacts");
            solver.advance(&substeps, executor);
            times.end("integrate");
            solver.relax(&rules, substep == substeps.count, executor, kernels);
            times.end("solve_contacts");
        }
        solver.finish(&mut self.contacts, executor, kernels);
        times.end("solve_contacts");
        let frozen = std::mem::take(&mut self.scratch.frozen);
        self.scratch.done = integrate::run(&mut self.store, solver, &rules, dt, executor);
        self.scratch.done.frozen.extend(frozen);
        self.scratch.done.frozen.sort_unstable();
        self.scratch.done.frozen.dedup();
        // What froze is at rest.
        self.scratch.changed_sleep |= !self.scratch.done.frozen.is_empty();
        self.scratch.changed_bodies |= !self.scratch.done.frozen.is_empty();
        times.end("integrate");
    }

    fn check_step(&self, dt: f32) -> Result<(), WorldError> {
        if dt.is_finite() && dt > 0.0 { Ok(()) } else { Err(WorldError::BadTimeStep { dt }) }
    }

    fn update_bounds(&mut self, dt: f32) {
        let executor = &self.find_settings.executor;
        update_bounds::run(&mut self.store, &self.settings, dt, executor, &mut self.scratch.bounds);
    }

    fn find_pairs(&mut self) -> Result<(), WorldError> {
        self.finder.update(&self.store.boxes, &self.find_settings)?;
        Ok(())
    }

    fn sleep(&mut self, dt: f32) {
        sleep::run(self, dt);
    }

    fn report(&mut self) {
        report::run(self);
        self.rules_changed = false;
        self.frame += 1;
    }

    fn step_report(&mut self, times: Times) -> StepReport {
        let scratch = &mut self.scratch;
        let done = std::mem::take(&mut scratch.done);
        let report = StepReport {
            frame: self.frame,
            bodies: self.store.len(),
            awake: self.store.count_awake(&self.find_settings.executor),
            pairs: self.finder.pairs().len(),
            tested_pairs: scratch.tested_pairs,
            manifolds: scratch.solver.units(),
            points: scratch.solver.points(),
            clamped: done.clamped,
            frozen: done.frozen.into_iter().map(BodyId).collect(),
            fell_asleep: scratch.fell_asleep,
            woke: scratch.woke,
            times: times.stages,
        };
        (scratch.woke, scratch.fell_asleep) = (0, 0);
        report
    }
}

/// Adds up the time of stages, some of which come in pieces.
struct Times {
    since: Instant,
    stages: [Duration; STAGES.len()],
}

impl Times {
    fn start() -> Self {
        Self { since: Instant::now(), stages: [Duration::ZERO; STAGES.len()] }
    }

    /// What has passed since the call before was this stage.
    fn end(&mut self, stage: &'static str) {
        let now = Instant::now();
        let index = STAGES.iter().position(|&name| name == stage).expect("a stage of the list");
        self.stages[index] += now - self.since;
        self.since = now;
    }
}
