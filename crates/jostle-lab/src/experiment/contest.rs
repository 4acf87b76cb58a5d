//! Finders in turns on the same frames, verified: what most studies measure.
//!
//! Of each contestant and frame: `broad` (ms; from boxes in a plain array to pairs and changes that can be read, as
//! `jostle bench` has it), `pairs`, `tests`, and `stage:NAME` (ms). At the end: `bytes` and `store-bytes`. A contestant is
//! called as its finder is; with several threads, `FINDER@THREADS`. Wrong pairs are an error of kind [`Disagreement`].

use anyhow::{Context, Result, bail};
use jostle_broad::{Catalog, Executor, FindSettings};

use super::{Samples, Unit, Watch};
use crate::bench::judge::Judge;
use crate::bench::run::Member;
use crate::failure::Disagreement;
use crate::machine::{affordable_pairs, check_memory};
use crate::scene::Scene;

/// Who runs, and how.
pub(crate) struct Contest<'a> {
    pub(crate) catalog: &'a Catalog,
    /// By name. One that does not take as many boxes as the scene has is left out.
    pub(crate) finders: Vec<String>,
    /// Each finder runs with each of these.
    pub(crate) threads: Vec<usize>,
    pub(crate) frames: u32,
}

impl Contest<'_> {
    /// What a contestant is called in the samples.
    pub(crate) fn label(finder: &str, threads: usize) -> String {
        if threads == 1 { finder.to_string() } else { format!("{finder}@{threads}") }
    }

    /// Runs all frames of a scene.
    pub(crate) fn run(&self, mut scene: Scene, watch: &Watch<'_>) -> Result<Samples> {
        let mut members = self.members(scene.boxes().len())?;
        let mut samples = Samples::default();
        if members.is_empty() {
            return Ok(samples);
        }
        let mut judge = Judge::new(true, scene.boxes().len(), self.frames);
        for frame in 0..self.frames {
            if (watch.stopped)() {
                bail!("stopped");
            }
            if frame > 0 {
                scene.advance()?;
            }
            // Each goes first in turn: the first one finds the boxes cold.
            for turn in 0..members.len() {
                let index = (turn + frame as usize) % members.len();
                let member = &mut members[index];
                member.step(&scene, frame).with_context(|| format!("{}, frame {frame}", member.name))?;
            }
            for member in &members {
                note(&mut samples, member, frame as usize);
            }
            judge.look(frame, &mut members);
            (watch.done)(f64::from(frame + 1) / f64::from(self.frames));
        }
        for member in &members {
            if let Some(trouble) = &member.trouble {
                return Err(Disagreement(trouble.clone()).into());
            }
            samples.push(&member.name, "bytes", Unit::Bytes, member.finder.bytes() as f64);
            samples.push(&member.name, "store-bytes", Unit::Bytes, member.store.bytes() as f64);
        }
        // The series of a contestant stand together in the file.
        let order = |who: &str| members.iter().position(|member| member.name == who);
        samples.series.sort_by_key(|series| order(&series.who));
        Ok(samples)
    }

    fn members(&self, n: usize) -> Result<Vec<Member>> {
        let fitting = |finder: &&String| -> Result<bool> {
            Ok(self.catalog.get(finder)?.make().size_limit().is_none_or(|limit| limit >= n))
        };
        let mut finders = Vec::new();
        for finder in &self.finders {
            if fitting(&finder)? {
                finders.push(self.catalog.get(finder)?);
            }
        }
        let count = finders.len() * self.threads.len();
        check_memory(n, count)?;
        let executors =
            self.threads.iter().map(|&threads| Executor::new(threads)).collect::<Result<Vec<_>, _>>()?;
        let mut members = Vec::with_capacity(count);
        for entry in finders {
            for executor in &executors {
                let settings = FindSettings {
                    executor: executor.clone(),
                    changes: true,
                    pair_limit: Some(affordable_pairs(count)),
                    ..FindSettings::default()
                };
                members.push(Member::new(
                    Self::label(&entry.name, executor.threads()),
                    entry.make(),
                    settings,
                ));
            }
        }
        Ok(members)
    }
}

fn note(samples: &mut Samples, member: &Member, frame: usize) {
    let measured = member.latest();
    let who = &member.name;
    samples.push(who, "broad", Unit::Milliseconds, measured.milliseconds);
    samples.push(who, "pairs", Unit::Count, member.finder.pairs().len() as f64);
    samples.push(who, "tests", Unit::Count, measured.tests);
    // A stage may be left out in a frame: it took no time then, and its values still stand one to a frame.
    let begun = samples.series.iter().filter(|series| series.who == *who);
    let mut stages: Vec<String> =
        begun.filter_map(|series| series.measure.strip_prefix("stage:")).map(str::to_string).collect();
    for (stage, _) in &measured.stages {
        if !stages.iter().any(|there| there == stage) {
            stages.push(stage.to_string());
            for _ in 0..frame {
                samples.push(who, &format!("stage:{stage}"), Unit::Milliseconds, 0.0);
            }
        }
    }
    for stage in stages {
        let time = measured.stages.iter().find(|(there, _)| *there == stage).map_or(0.0, |(_, time)| *time);
        samples.push(who, &format!("stage:{stage}"), Unit::Milliseconds, time);
    }
}
