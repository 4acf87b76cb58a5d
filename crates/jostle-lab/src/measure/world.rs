//! Worlds in the promises: made of a scene, stepped and timed.

use std::time::Instant;

use anyhow::Result;
use jostle::scenes::{self, Scene};
use jostle::{Execution, StepReport, World};

use super::Companion;
use crate::machine::check_world_memory;
use crate::numbers::median;
use crate::turns::turns;

/// A world and the times of its frames.
pub(super) struct TimedWorld {
    scene: Scene,
    pub(super) world: World,
    pub(super) report: StepReport,
    milliseconds: Vec<f64>,
    /// What went wrong, if anything did.
    trouble: Option<anyhow::Error>,
}

impl TimedWorld {
    /// A world of the scene of this name. Bodies may sleep or not, whatever the scene says.
    pub(super) fn new(scene: &str, bodies: usize, seed: u64, sleep: bool, threads: usize) -> Result<Self> {
        let entry = scenes::get(scene)?;
        check_world_memory(bodies)?;
        let mut scene = (entry.make)(bodies, seed);
        scene.settings.sleep.enabled = sleep;
        let world = scene.build(&Execution { threads, ..Execution::default() })?;
        let report = StepReport::default();
        Ok(Self { scene, world, report, milliseconds: Vec::new(), trouble: None })
    }

    /// The next frame, timed.
    pub(super) fn frame(&mut self) -> Result<()> {
        let start = Instant::now();
        self.report = self.scene.step(&mut self.world)?;
        self.milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }

    /// The median of the latest frames, in milliseconds.
    pub(super) fn median_ms(&self, frames: usize) -> f64 {
        let from = self.milliseconds.len().saturating_sub(frames);
        median(&self.milliseconds[from..]).unwrap_or(f64::NAN)
    }

    /// Says what went wrong while it took its turns.
    pub(super) fn check(&mut self) -> Result<()> {
        self.trouble.take().map_or(Ok(()), Err)
    }
}

impl Companion for TimedWorld {
    fn step(&mut self) {
        if self.trouble.is_none() {
            self.trouble = self.frame().err();
        }
    }
}

/// Lets everyone take turns for so many frames.
pub(super) fn in_turns(everyone: &mut [&mut dyn Companion], frames: u32) {
    for frame in 0..frames {
        turns(everyone.len(), frame).for_each(|index| everyone[index].step());
    }
}
