//! Runs the finders of a bench over the frames of one scene, interleaved frame by frame, and takes their times.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use jostle_broad::{Aabb, Boxes, FindReport, FindSettings, PairFinder};

use super::judge::Judge;
use super::progress::Progress;
use crate::dump::PairsFile;
use crate::numbers::{median, percentile};
use crate::scene::Scene;
use crate::stop;
use crate::turns::turns;

/// A finder under test, with a box store of its own, and what was measured of it.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) finder: Box<dyn PairFinder>,
    pub(crate) settings: FindSettings,
    pub(crate) store: Boxes,
    /// This frame's boxes, to be handed over to the store.
    array: Vec<Aabb>,
    /// The first thing that was wrong with its pairs.
    pub(crate) trouble: Option<String>,
    /// Of every frame.
    milliseconds: Vec<f64>,
    /// What the finder said of every frame: of `auto`, who worked.
    details: Vec<Option<String>>,
    tests: Vec<f64>,
    /// In the order in which they first occurred.
    stages: Vec<(&'static str, Vec<f64>)>,
    latest: Frame,
}

/// What was measured of one frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) milliseconds: f64,
    pub(crate) tests: f64,
    /// Milliseconds of each stage, in the order of execution.
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// Of a finder that lets others work: who did.
    pub(crate) chosen: Option<String>,
}

/// What [`Auto`](jostle_broad::Auto) is called, however it decides.
const CHOOSING: &str = "auto";

/// The finder that `auto` names first in what it says of a frame.
pub(crate) fn chosen(detail: Option<&str>) -> Option<&str> {
    detail.and_then(|detail| detail.split(':').next())
}

/// What is reported of one finder on one scene.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) stream: String,
    pub(crate) n: usize,
    pub(crate) finder: String,
    pub(crate) threads: usize,
    /// Measured, the first included.
    pub(crate) frames: u32,
    pub(crate) first_ms: f64,
    pub(crate) median_ms: f64,
    pub(crate) p99_ms: f64,
    /// Of the last frame.
    pub(crate) pairs: usize,
    /// Median over the frames.
    pub(crate) tests: u64,
    /// Held by the finder at the end.
    pub(crate) bytes: usize,
    /// And by its box store.
    pub(crate) store_bytes: usize,
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// Time of every frame in milliseconds, the first included, and what the finder said of it.
    pub(crate) each_frame: Vec<(f64, Option<String>)>,
    pub(crate) verified: Option<bool>,
    /// In how many frames the truth was computed.
    pub(crate) true_frames: u32,
    pub(crate) trouble: Option<String>,
}

impl Member {
    pub(crate) fn new(name: String, finder: Box<dyn PairFinder>, settings: FindSettings) -> Self {
        Self {
            name,
            finder,
            settings,
            store: Boxes::default(),
            array: Vec::new(),
            trouble: None,
            milliseconds: Vec::new(),
            details: Vec::new(),
            tests: Vec::new(),
            stages: Vec::new(),
            latest: Frame::default(),
        }
    }

    /// Takes a frame in, against the clock. `jostle measure predictable` knows it by its name.
    #[inline(never)]
    pub(crate) fn step(&mut self, scene: &Scene, frame: u32) -> Result<()> {
        scene.write_boxes(&mut self.array);
        let (stored, total, report) = self.one_frame(scene, frame == 0)?;
        self.note(frame, stored, total, report);
        Ok(())
    }

    /// What the clock covers. `jostle measure predictable` counts its instructions by its name.
    #[inline(never)]
    fn one_frame(&mut self, scene: &Scene, first: bool) -> Result<(Duration, Duration, FindReport)> {
        let start = Instant::now();
        if first {
            self.store = scene.store()?;
        } else {
            scene.update(&self.settings.executor, &mut self.store, &mut self.array)?;
        }
        let stored = start.elapsed();
        let report = self.finder.update(&self.store, &self.settings)?;
        Ok((stored, start.elapsed(), report))
    }

    /// What was measured of the latest frame.
    pub(crate) fn latest(&self) -> &Frame {
        &self.latest
    }

    /// The times of all frames so far, the first included.
    pub(crate) fn milliseconds(&self) -> &[f64] {
        &self.milliseconds
    }

    /// What the finder said of all frames so far.
    pub(crate) fn details(&self) -> &[Option<String>] {
        &self.details
    }

    /// The times of every stage, of all frames after the first that had it.
    pub(crate) fn stages(&self) -> &[(&'static str, Vec<f64>)] {
        &self.stages
    }

    fn note(&mut self, frame: u32, stored: Duration, total: Duration, report: FindReport) {
        if frame == 1 {
            // The first frame counts among the others only where there are no others.
            self.stages.clear();
            self.tests.clear();
        }
        self.milliseconds.push(milliseconds(total));
        self.tests.push(report.tests as f64);
        let chosen = chosen(report.detail.as_deref()).filter(|_| self.finder.name() == CHOOSING);
        let chosen = chosen.map(str::to_string);
        self.details.push(report.detail);
        let mut frame_stages = vec![("store", stored)];
        for (name, time) in &report.stages {
            match frame_stages.iter_mut().find(|(there, _)| there == name) {
                Some((_, sum)) => *sum += *time,
                None => frame_stages.push((*name, *time)),
            }
        }
        let stages: Vec<_> =
            frame_stages.into_iter().map(|(name, time)| (name, milliseconds(time))).collect();
        for &(name, time) in &stages {
            match self.stages.iter_mut().find(|(there, _)| *there == name) {
                Some((_, times)) => times.push(time),
                None => self.stages.push((name, vec![time])),
            }
        }
        self.latest = Frame { milliseconds: milliseconds(total), tests: report.tests as f64, stages, chosen };
    }

    fn row(&self, scene: &Scene, judge: &Judge) -> Row {
        let first_ms = self.milliseconds.first().copied().unwrap_or(0.0);
        let measured = if self.milliseconds.len() > 1 { &self.milliseconds[1..] } else { &self.milliseconds };
        let stages = self.stages.iter().filter_map(|(name, times)| Some((*name, median(times)?)));
        Row {
            stream: scene.name(),
            // All there are, though some may be absent in the last frame.
            n: scene.boxes().len(),
            finder: self.name.clone(),
            threads: self.settings.executor.threads(),
            frames: self.milliseconds.len() as u32,
            first_ms,
            median_ms: median(measured).unwrap_or(first_ms),
            p99_ms: percentile(measured, 0.99).unwrap_or(first_ms),
            pairs: self.finder.pairs().len(),
            tests: median(&self.tests).unwrap_or(0.0) as u64,
            bytes: self.finder.bytes(),
            store_bytes: self.store.bytes(),
            stages: stages.collect(),
            each_frame: self.milliseconds.iter().copied().zip(self.details.iter().cloned()).collect(),
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
pub(crate) struct Runner {
    scene: Scene,
    frames: u32,
    members: Vec<Member>,
    judge: Judge,
}

impl Runner {
    pub(crate) fn new(scene: Scene, frames: u32, members: Vec<Member>, verify: bool) -> Self {
        let judge = Judge::new(verify, scene.boxes().len(), frames);
        Self { scene, frames, members, judge }
    }

    /// Runs all frames, or as many as there are until Ctrl-C.
    pub(crate) fn run(mut self, mut dump: Option<&mut PairsFile>) -> Result<Vec<Row>> {
        let name = self.scene.name();
        let mut progress = Progress::new(&name, self.scene.boxes().len(), self.frames);
        for frame in 0..self.frames {
            if frame > 0 {
                self.scene.advance()?;
            }
            for index in turns(self.members.len(), frame) {
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
            if stop::asked() {
                break;
            }
        }
        progress.end();
        Ok(self.members.iter().map(|member| member.row(&self.scene, &self.judge)).collect())
    }
}
