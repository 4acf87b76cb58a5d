//! What is checked here and now: small, but with the instructions, threads and finders this machine really uses.

use anyhow::Result;
use jostle::scenes;
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FindSettings, FinderEntry, Lanes};
use serde::Serialize;

use crate::bench::judge::Judge;
use crate::bench::run::Member;
use crate::gpu::{self, is_gpu_finder};
use crate::run::world_with;
use crate::scene::Scene;

/// Something that holds, or does not.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) what: String,
    pub(super) holds: bool,
    pub(super) trouble: Option<String>,
}

const BOXES: usize = 300;
const FRAMES: u32 = 4;
const BODIES: usize = 200;
const STEPS: usize = 60;

pub(super) fn all(catalog: &Catalog, threads: usize) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for lanes in Lanes::available() {
        let finders: Vec<&FinderEntry> = catalog.iter().filter(|entry| !is_gpu_finder(&entry.name)).collect();
        let trouble = finders_agree(&finders, lanes, &[1, threads])?;
        let what = format!(
            "{} finders give the pairs of brute force on {} streams, lanes {lanes}, 1 and {threads} threads",
            finders.len(),
            StreamKind::ALL.len()
        );
        checks.push(Check { what, holds: trouble.is_none(), trouble });
    }
    let on_gpu: Vec<&FinderEntry> =
        gpu::working(catalog).into_iter().filter(|entry| is_gpu_finder(&entry.name)).collect();
    if !on_gpu.is_empty() {
        let trouble = finders_agree(&on_gpu, Lanes::best(), &[1])?;
        let what = format!(
            "{} finders on the GPU give the pairs of brute force on {} streams",
            on_gpu.len(),
            StreamKind::ALL.len()
        );
        checks.push(Check { what, holds: trouble.is_none(), trouble });
    }
    let (one, all) = (world_hash(catalog, 1)?, world_hash(catalog, threads)?);
    let trouble =
        (one != all).then(|| format!("a world ends as {one} with 1 thread, as {all} with {threads}"));
    let what = format!("a world of {BODIES} bodies has the same history with 1 and {threads} threads");
    checks.push(Check { what, holds: trouble.is_none(), trouble });
    Ok(checks)
}

/// The first thing that is wrong.
fn finders_agree(finders: &[&FinderEntry], lanes: Lanes, threads: &[usize]) -> Result<Option<String>> {
    let executors = threads.iter().map(|&threads| Executor::new(threads)).collect::<Result<Vec<_>, _>>()?;
    for kind in StreamKind::ALL {
        let mut scene = Scene::stream(kind, BOXES, 1);
        let mut judge = Judge::new(true, BOXES, FRAMES);
        let mut members = Vec::new();
        for entry in finders {
            members.extend(executors.iter().map(|executor| {
                let executor = executor.clone();
                let settings = FindSettings { executor, lanes, changes: true, ..FindSettings::default() };
                Member::new(entry.name.clone(), entry.make(), settings)
            }));
        }
        for frame in 0..FRAMES {
            if frame > 0 {
                scene.advance()?;
            }
            for member in &mut members {
                member.step(&scene, frame)?;
            }
            judge.look(frame, &mut members);
        }
        if let Some(trouble) = members.iter().find_map(|member| member.trouble.clone()) {
            return Ok(Some(format!("stream {}: {trouble}", kind.name())));
        }
    }
    Ok(None)
}

fn world_hash(catalog: &Catalog, threads: usize) -> Result<String> {
    let scene = (scenes::get("rain")?.make)(BODIES, 1);
    let mut world = world_with("auto", catalog.get("auto")?.make(), threads, scene.settings)?;
    scene.fill(&mut world)?;
    for _ in 0..STEPS {
        scene.step(&mut world)?;
    }
    Ok(world.state_hash().to_string())
}

#[cfg(test)]
mod tests {
    use jostle_broad::{Boxes, FindError, FindReport, PairBuffer, PairFinder};

    use super::*;

    /// Finds nothing.
    #[derive(Default)]
    struct Blind(PairBuffer);

    impl PairFinder for Blind {
        fn name(&self) -> &str {
            "blind"
        }

        fn update(&mut self, _: &Boxes, _: &FindSettings) -> Result<FindReport, FindError> {
            Ok(FindReport::default())
        }

        fn pairs(&self) -> &PairBuffer {
            &self.0
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn a_finder_that_is_wrong_is_named() {
        let mut catalog = crate::finders::catalog();
        let agree = |catalog: &Catalog| {
            finders_agree(&catalog.iter().collect::<Vec<_>>(), Lanes::best(), &[1, 2]).unwrap()
        };
        assert_eq!(agree(&catalog), None);
        catalog.register("blind", "", Blind::default);
        let trouble = agree(&catalog).unwrap();
        assert!(trouble.contains("blind") && trouble.contains("frame 0"), "{trouble}");
    }
}
