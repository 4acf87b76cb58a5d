//! Finders in turns on the same frames, verified: what most studies measure.
//!
//! Of each contestant and frame: `broad` (ms; from boxes in a plain array to pairs and changes that can be read, as
//! `jostle bench` has it), `pairs`, `tests`, and `stage:NAME` (ms); of `auto`, `chosen:FINDER` (1 where that one worked). At
//! the end: `bytes` and `store-bytes`. A contestant is called as its finder is; with several threads, `FINDER@THREADS`. Wrong
//! pairs are an error of kind [`Disagreement`].

use anyhow::{Context, Result, bail};
use jostle_broad::{Catalog, Executor, FindSettings};

use super::{Samples, Unit, Watch};
use crate::bench::judge::Judge;
use crate::bench::run::Member;
use crate::failure::Disagreement;
use crate::machine::{affordable_pairs, check_memory};
use crate::scene::Scene;
use crate::turns::turns;

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
    pub(crate) fn run(&self, scene: Scene, watch: &Watch<'_>) -> Result<Samples> {
        self.run_as(scene, true, watch)
    }

    /// The same; unless verified, only the numbers of pairs are compared: for a scene that was run before.
    pub(crate) fn run_as(&self, scene: Scene, verified: bool, watch: &Watch<'_>) -> Result<Samples> {
        Self::play(self.members(scene.boxes().len())?, self.frames, scene, verified, watch)
    }

    /// Runs members that were made elsewhere.
    pub(crate) fn play(
        mut members: Vec<Member>,
        frames: u32,
        mut scene: Scene,
        verified: bool,
        watch: &Watch<'_>,
    ) -> Result<Samples> {
        let mut samples = Samples::default();
        if members.is_empty() {
            return Ok(samples);
        }
        let mut judge = Judge::new(verified, scene.boxes().len(), frames);
        for frame in 0..frames {
            if (watch.stopped)() {
                bail!("stopped");
            }
            if frame > 0 {
                scene.advance()?;
            }
            for index in turns(members.len(), frame) {
                let member = &mut members[index];
                member.step(&scene, frame).with_context(|| format!("{}, frame {frame}", member.name))?;
            }
            for member in &members {
                note(&mut samples, member, frame as usize);
            }
            judge.look(frame, &mut members);
            (watch.done)(f64::from(frame + 1) / f64::from(frames));
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
    note_some(samples, who, frame, "stage:", Unit::Milliseconds, &measured.stages);
    if let Some(chosen) = &measured.chosen {
        note_some(samples, who, frame, "chosen:", Unit::Count, &[(chosen.as_str(), 1.0)]);
    }
}

/// Takes note of what need not be there in every frame: it is zero in the others, so that values stand one to a frame.
fn note_some(
    samples: &mut Samples,
    who: &str,
    frame: usize,
    prefix: &str,
    unit: Unit,
    values: &[(&str, f64)],
) {
    let begun = samples.series.iter().filter(|series| series.who == *who);
    let mut names: Vec<String> =
        begun.filter_map(|series| series.measure.strip_prefix(prefix)).map(str::to_string).collect();
    for (name, _) in values {
        if !names.iter().any(|there| there == name) {
            names.push(name.to_string());
            for _ in 0..frame {
                samples.push(who, &format!("{prefix}{name}"), unit, 0.0);
            }
        }
    }
    for name in names {
        let value = values.iter().find(|(there, _)| *there == name).map_or(0.0, |(_, value)| *value);
        samples.push(who, &format!("{prefix}{name}"), unit, value);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell as Mutable;

    use jostle_broad::scene::StreamKind;
    use jostle_broad::{Boxes, Brute, FindError, FindReport, PairBuffer, PairFinder, PairRun};

    use super::*;
    use crate::experiment::samples::Series;
    use crate::experiment::{Options, Results};

    /// Loses the last pair, and has one more stage in every second frame.
    #[derive(Default)]
    struct Forgetful {
        brute: Brute,
        pairs: PairBuffer,
        frame: usize,
        forgets: bool,
    }

    impl PairFinder for Forgetful {
        fn name(&self) -> &str {
            "forgetful"
        }

        fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
            let mut report = self.brute.update(boxes, settings)?;
            let found = self.brute.pairs().as_slice();
            let mut run = PairRun::new(None);
            let kept = found.len() - usize::from(self.forgets && !found.is_empty());
            found[..kept].iter().for_each(|pair| run.push(pair.low, pair.high));
            self.pairs.replace([&run], settings)?;
            self.frame += 1;
            if self.frame.is_multiple_of(2) {
                report.stages.push(("now and then", std::time::Duration::from_millis(3)));
            }
            Ok(report)
        }

        fn pairs(&self) -> &PairBuffer {
            &self.pairs
        }

        fn bytes(&self) -> usize {
            self.pairs.bytes()
        }
    }

    /// Runs some finders on four frames of 300 boxes, until so many frames are done.
    fn run(finders: &[&str], threads: &[usize], forgets: bool, stop_after: u32) -> Result<Samples> {
        let mut catalog = crate::finders::catalog();
        catalog.register("forgetful", "", move || Forgetful { forgets, ..Forgetful::default() });
        let options = Options {
            full: false,
            seed: 1,
            finders: None,
            frames: None,
            threads: 2,
            adapter: None,
            search: None,
        };
        let before = Results { options, planned: Vec::new(), cells: std::collections::BTreeMap::new() };
        let done = Mutable::new(0.0);
        let watch = Watch {
            done: &|share| done.set(share),
            stopped: &|| done.get() >= f64::from(stop_after) / 4.0,
            before: &before,
        };
        let finders = finders.iter().map(|name| name.to_string()).collect();
        let contest = Contest { catalog: &catalog, finders, threads: threads.to_vec(), frames: 4 };
        let samples = contest.run(Scene::stream(StreamKind::Fast, 300, 1), &watch)?;
        assert_eq!(done.get(), 1.0);
        Ok(samples)
    }

    #[test]
    fn every_frame_of_every_contestant_is_there() {
        let samples = run(&["forgetful", "sap"], &[1, 2], false, 9).unwrap();
        assert_eq!(samples.everyone("broad"), ["forgetful", "forgetful@2", "sap", "sap@2"]);
        for series in &samples.series {
            let frames = if series.unit == Unit::Bytes { 1 } else { 4 };
            assert_eq!(series.values.len(), frames, "{} of {}", series.measure, series.who);
        }
        assert!(samples.values("sap", "pairs").iter().all(|pairs| *pairs > 100.0));
        assert_eq!(samples.values("sap", "pairs"), samples.values("forgetful@2", "pairs"));
        assert_eq!(samples.values("sap", "stage:store").len(), 4);
        assert_eq!(samples.values("forgetful", "stage:now and then"), [0.0, 3.0, 0.0, 3.0]);
        let auto = run(&["auto-work"], &[1], false, 9).unwrap();
        let chosen: Vec<&Series> =
            auto.series.iter().filter(|series| series.measure.starts_with("chosen:")).collect();
        assert!(!chosen.is_empty() && chosen.iter().all(|series| series.values.len() == 4), "{chosen:?}");
        assert!((0..4).all(|frame| chosen.iter().map(|series| series.values[frame]).sum::<f64>() == 1.0));
        assert!(samples.values("sap", "bytes")[0] > 0.0 && samples.values("sap", "store-bytes")[0] > 0.0);
    }

    #[test]
    fn wrong_pairs_are_a_disagreement() {
        let error = run(&["sap", "forgetful"], &[1], true, 9).unwrap_err();
        assert!(error.is::<Disagreement>() && error.to_string().contains("forgetful"), "{error}");
    }

    #[test]
    fn a_wish_to_stop_ends_it() {
        assert!(run(&["sap"], &[1], false, 2).is_err());
        assert!(run(&["nosuch"], &[1], false, 9).unwrap_err().to_string().contains("unknown finder"));
    }
}
