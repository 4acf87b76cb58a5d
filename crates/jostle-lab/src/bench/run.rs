//! Runs the finders of a bench over the frames of one scene, interleaved frame by frame, and takes their times.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use jostle_broad::{Boxes, FindReport, FindSettings, PairFinder};

use super::judge::Judge;
use super::progress::Progress;
use crate::dump::PairsFile;
use crate::numbers::{median, percentile};
use crate::scene::Scene;

/// A finder under test, with a box store of its own, and what was measured of it.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) finder: Box<dyn PairFinder>,
    pub(super) settings: FindSettings,
    pub(super) store: Boxes,
    /// The first thing that was wrong with its pairs.
    pub(super) trouble: Option<String>,
    milliseconds: Vec<f64>,
    tests: Vec<f64>,
    /// In the order in which they first occurred.
    stages: Vec<(&'static str, Vec<f64>)>,
}

/// What is reported of one finder on one scene.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) stream: String,
    pub(super) n: usize,
    pub(super) finder: String,
    pub(super) threads: usize,
    pub(super) frames: u32,
    pub(super) first_ms: f64,
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
    /// Of the last frame.
    pub(super) pairs: usize,
    /// Median over the frames.
    pub(super) tests: u64,
    /// Held by the finder at the end.
    pub(super) bytes: usize,
    pub(super) stages: Vec<(&'static str, f64)>,
    pub(super) verified: Option<bool>,
    /// In how many frames the truth was computed.
    pub(super) true_frames: u32,
    pub(super) trouble: Option<String>,
}

impl Member {
    pub(super) fn new(name: String, finder: Box<dyn PairFinder>, settings: FindSettings) -> Self {
        Self {
            name,
            finder,
            settings,
            store: Boxes::default(),
            trouble: None,
            milliseconds: Vec::new(),
            tests: Vec::new(),
            stages: Vec::new(),
        }
    }

    /// Takes a frame in, against the clock.
    pub(super) fn step(&mut self, scene: &Scene, frame: u32) -> Result<()> {
        let (boxes, moved) = (scene.boxes(), scene.moved());
        let start = Instant::now();
        if frame == 0 {
            self.store = Boxes::from_aabbs(boxes)?;
        } else {
            self.store.update(moved, boxes)?;
        }
        let stored = start.elapsed();
        let report = self.finder.update(&self.store, &self.settings)?;
        let total = start.elapsed();
        self.note(frame, stored, total, &report);
        Ok(())
    }

    fn note(&mut self, frame: u32, stored: Duration, total: Duration, report: &FindReport) {
        if frame == 1 {
            // The first frame counts among the others only where there are no others.
            self.stages.clear();
            self.tests.clear();
        }
        self.milliseconds.push(milliseconds(total));
        self.tests.push(report.tests as f64);
        let mut frame_stages = vec![("store", stored)];
        for (name, time) in &report.stages {
            match frame_stages.iter_mut().find(|(there, _)| there == name) {
                Some((_, sum)) => *sum += *time,
                None => frame_stages.push((*name, *time)),
            }
        }
        for (name, time) in frame_stages {
            match self.stages.iter_mut().find(|(there, _)| *there == name) {
                Some((_, times)) => times.push(milliseconds(time)),
                None => self.stages.push((name, vec![milliseconds(time)])),
            }
        }
    }

    fn row(&self, stream: &str, frames: u32, judge: &Judge) -> Row {
        let first_ms = self.milliseconds.first().copied().unwrap_or(0.0);
        let measured = if self.milliseconds.len() > 1 { &self.milliseconds[1..] } else { &self.milliseconds };
        let stages = self.stages.iter().filter_map(|(name, times)| Some((*name, median(times)?)));
        Row {
            stream: stream.to_string(),
            n: self.store.len(),
            finder: self.name.clone(),
            threads: self.settings.executor.threads(),
            frames,
            first_ms,
            median_ms: median(measured).unwrap_or(first_ms),
            p99_ms: percentile(measured, 0.99).unwrap_or(first_ms),
            pairs: self.finder.pairs().len(),
            tests: median(&self.tests).unwrap_or(0.0) as u64,
            bytes: self.finder.bytes(),
            stages: stages.collect(),
            verified: judge.verifies().then_some(self.trouble.is_none()),
            true_frames: judge.true_frames(),
            trouble: self.trouble.clone(),
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// One scene and the finders that run on it.
pub(super) struct Runner {
    scene: Scene,
    frames: u32,
    members: Vec<Member>,
    judge: Judge,
}

impl Runner {
    pub(super) fn new(scene: Scene, frames: u32, members: Vec<Member>, verify: bool) -> Self {
        let judge = Judge::new(verify, scene.boxes().len(), frames);
        Self { scene, frames, members, judge }
    }

    pub(super) fn run(mut self, mut dump: Option<&mut PairsFile>) -> Result<Vec<Row>> {
        let name = self.scene.name();
        let mut progress = Progress::new(&name, self.scene.boxes().len(), self.frames);
        for frame in 0..self.frames {
            if frame > 0 {
                self.scene.advance()?;
            }
            // Each goes first in turn: the first one finds the boxes cold.
            for turn in 0..self.members.len() {
                let index = (turn + frame as usize) % self.members.len();
                let member = &mut self.members[index];
                member
                    .step(&self.scene, frame)
                    .with_context(|| format!("{} on {name}, frame {frame}", member.name))?;
            }
            self.judge.look(frame, &mut self.members);
            if let Some(dump) = &mut dump {
                dump.write_frame(self.members[0].finder.pairs())?;
            }
            progress.frame_done(frame);
        }
        progress.end();
        Ok(self.members.iter().map(|member| member.row(&name, self.frames, &self.judge)).collect())
    }
}
