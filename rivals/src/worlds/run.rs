//! Runs engines on one scene, frame by frame in turns, through the phases of a pile's life.

use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::overlap::{self, Overlap};
use super::scene::Scene;
use super::world::{Counts, Engine, Pose, RivalWorld};
use crate::compare::numbers::{median, percentile};

/// Seconds of a frame.
pub const DT: f32 = 1.0 / 60.0;

/// How many frames a cell takes. Sleeping is off until the last phase.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Frames {
    /// Frames before the first impact; the very first one, which fills the structures, is not measured.
    pub falling: usize,
    /// Frames from the first impact until the pile is at rest.
    pub settling: usize,
    /// Frames of a pile at rest that is kept awake.
    pub packed: usize,
    /// Frames that bodies are given to fall asleep once they may. 0: this phase is left out.
    pub dozing: usize,
    /// Frames measured after that. A world with bodies awake then is reported as `dozing`, not as `asleep`.
    pub asleep: usize,
}

/// What was measured of one engine in one phase.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseResult {
    /// The name of the phase.
    pub phase: &'static str,
    /// Milliseconds a frame: the median.
    pub median: f64,
    /// A tenth of the frames is faster than this.
    pub p10: f64,
    /// A tenth of the frames is slower than this.
    pub p90: f64,
    /// Medians of the engine's own stage times, milliseconds.
    pub stages: Vec<(&'static str, f64)>,
    /// Dynamic bodies that were awake at its end.
    pub awake: usize,
    /// What the engine says about the last step of the phase.
    pub counts: Counts,
    /// Measured by us at the end of the phase.
    pub overlap: Overlap,
    /// Mean speed of the bodies' origins over the last frame, metres a second.
    pub speed: f64,
}

/// One engine in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct EngineResult {
    /// Its name.
    pub engine: &'static str,
    /// The library and its version.
    pub version: &'static str,
    /// Its solver's passes, in words.
    pub passes: &'static str,
    /// The phases in order.
    pub phases: Vec<PhaseResult>,
}

struct Runner {
    engine: Engine,
    world: Box<dyn RivalWorld>,
    times: Vec<f64>,
    stages: Vec<Vec<(&'static str, f64)>>,
    poses: Vec<Pose>,
    earlier: Vec<Pose>,
    phases: Vec<PhaseResult>,
}

impl Runner {
    /// One step, timed.
    fn frame(&mut self, measured: bool) -> Result<()> {
        let start = Instant::now();
        self.world.step(DT)?;
        let time = start.elapsed().as_secs_f64() * 1e3;
        if measured {
            self.times.push(time);
            self.stages.push(self.world.stages());
        }
        Ok(())
    }

    /// Turns what was measured into the result of a phase.
    fn finish(&mut self, phase: &'static str, scene: &Scene) -> Result<()> {
        // One more frame, for the speed.
        self.world.poses(&mut self.earlier);
        self.frame(false)?;
        self.world.poses(&mut self.poses);
        let moving =
            scene.bodies.iter().zip(self.earlier.iter().zip(&self.poses)).filter(|(body, _)| body.dynamic);
        let path: f64 =
            moving.map(|(_, (before, after))| f64::from((after.position - before.position).length())).sum();
        let names = self.stages.first().cloned().unwrap_or_default();
        let stages = names
            .iter()
            .enumerate()
            .map(|(index, (name, _))| {
                let samples: Vec<f64> = self.stages.iter().map(|frame| frame[index].1).collect();
                (*name, median(&samples).unwrap_or(0.0))
            })
            .collect();
        self.phases.push(PhaseResult {
            phase,
            median: median(&self.times).unwrap_or(0.0),
            p10: percentile(&self.times, 0.1).unwrap_or(0.0),
            p90: percentile(&self.times, 0.9).unwrap_or(0.0),
            stages,
            awake: self.world.awake(),
            counts: self.world.counts(),
            overlap: overlap::measure(scene, &self.poses)?,
            speed: path / f64::from(DT) / scene.dynamic_count().max(1) as f64,
        });
        self.times.clear();
        self.stages.clear();
        Ok(())
    }
}

/// All engines on one scene with so many threads.
pub fn run_cell(
    engines: &[Engine],
    scene: &Scene,
    threads: usize,
    frames: &Frames,
) -> Result<Vec<EngineResult>> {
    let mut runners = Vec::new();
    for engine in engines {
        runners.push(Runner {
            engine: *engine,
            world: (engine.make)(scene, threads)?,
            times: Vec::new(),
            stages: Vec::new(),
            poses: Vec::new(),
            earlier: Vec::new(),
            phases: Vec::new(),
        });
    }
    let mut turn = 0;
    let mut frame = |runners: &mut Vec<Runner>, measured: bool| -> Result<()> {
        // Everyone goes first in turn, so that nobody always finds the caches another one left.
        turn += 1;
        let count = runners.len().max(1);
        (0..runners.len()).try_for_each(|index| runners[(index + turn) % count].frame(measured))
    };
    frame(&mut runners, false)?;
    for (phase, count) in
        [("falling", frames.falling), ("settling", frames.settling), ("packed", frames.packed)]
    {
        for _ in 0..count {
            frame(&mut runners, true)?;
        }
        runners.iter_mut().try_for_each(|runner| runner.finish(phase, scene))?;
    }
    if frames.dozing > 0 {
        runners.iter_mut().try_for_each(|runner| runner.world.allow_sleep(true))?;
        for _ in 0..frames.dozing {
            frame(&mut runners, false)?;
            if runners.iter().all(|runner| runner.world.awake() == 0) {
                break;
            }
        }
        let names: Vec<&str> = runners
            .iter()
            .map(|runner| if runner.world.awake() == 0 { "asleep" } else { "dozing" })
            .collect();
        for _ in 0..frames.asleep {
            frame(&mut runners, true)?;
        }
        runners.iter_mut().zip(names).try_for_each(|(runner, phase)| runner.finish(phase, scene))?;
    }
    let result = |runner: Runner| EngineResult {
        engine: runner.engine.name,
        version: runner.engine.version,
        passes: runner.engine.passes,
        phases: runner.phases,
    };
    Ok(runners.into_iter().map(result).collect())
}
