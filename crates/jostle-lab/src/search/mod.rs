//! `jostle experiment search`: where is a finder at its worst (or best)? A few parameters of a scene are varied, the
//! values that cost most are kept, and the next few are varied: future work 4 of Woulfe's thesis.
//!
//! A study like the others: each cell is one point, and which point that is follows from the cells before it. With two
//! finders, the cost of the first is counted in that of the second: where is it at its worst beside the other?

mod plan;
mod report;
mod scene;
mod settings;

use anyhow::{Context, Result, bail};
use jostle_broad::Catalog;

pub(crate) use settings::{SearchArguments, SearchSettings};

use self::plan::{Path, Plan, Point};
use self::settings::Measure;
use crate::experiment::{About, Cell, Contest, Options, Results, Samples, SceneFile, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::finders::AUTO_BY_WORK;
use crate::numbers::median;
use crate::report::Report;
use crate::scenes::SceneSpec;

/// The study.
pub(crate) struct Search;

/// By which users choose it.
pub(crate) const NAME: &str = "search";
const FRAMES: u32 = 30;
/// In the samples: the values of the parameters.
const POINT: &str = "point";
/// In the samples: there is no such scene.
const IMPOSSIBLE: &str = "impossible";
/// How much of a cell the making of object paths is.
const BAKING: f64 = 0.7;

impl Study for Search {
    fn about(&self) -> About {
        About {
            name: NAME,
            about: "where a finder is at its worst, or best: parameters of a scene are varied, a few at a time",
            source: "Woulfe's thesis, future work",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let asked = Asked::of(options)?;
        let base = asked.base()?;
        scene::check(&base, &asked.plan.parameters)?;
        for finder in &asked.finders {
            let limit = catalog.get(finder)?.make().size_limit();
            let most = asked.plan.parameters.iter().find(|parameter| parameter.name == "objects");
            // Walls are boxes too.
            if let (Some(limit), Some(most)) = (limit, most)
                && most.high + 16.0 > limit as f64
            {
                bail!("--vary: the finder `{finder}` takes at most {limit} boxes; choose fewer `objects`");
            }
        }
        let cell = |index: usize| {
            let (asked, base) = (asked.clone(), base.clone());
            let run = move |watch: &Watch<'_>| look(&asked, &base, catalog, watch);
            Cell { name: cell_name(index), work: 1.0, run: Box::new(run) as _ }
        };
        Ok((0..asked.settings.points).map(cell).collect())
    }

    /// The file of the scene, if it has one, and what stands for the meshes it names: samples of another are not mixed.
    fn scenes(&self, options: &Options) -> Result<Vec<SceneFile>> {
        let asked = Asked::of(options)?;
        scene::files(&asked.settings.scene, &asked.base()?)
    }

    fn report(&self, results: &Results) -> Report {
        match Asked::of(&results.options) {
            Ok(asked) => report::report(&asked, results),
            Err(error) => {
                Report { title: "Search".to_string(), question: format!("{error:#}"), ..Report::default() }
            }
        }
    }
}

fn cell_name(index: usize) -> String {
    format!("point-{:04}", index + 1)
}

/// What was asked for, ready to be searched.
#[derive(Clone, Debug)]
struct Asked {
    settings: SearchSettings,
    plan: Plan,
    /// One, or the one and what its cost is counted in.
    finders: Vec<String>,
    frames: u32,
    seed: u64,
}

impl Asked {
    fn of(options: &Options) -> Result<Self> {
        let settings = options.search.clone().context("a search without its settings")?;
        let finders = options.finders.clone().unwrap_or_else(|| vec![AUTO_BY_WORK.to_string()]);
        if finders.len() > 2 {
            bail!("--finders: a search has one finder, or two of which the first is seen beside the second");
        }
        let plan = settings.plan()?;
        Ok(Self { settings, plan, finders, frames: options.frames.unwrap_or(FRAMES), seed: options.seed })
    }

    /// The scene it begins with, which may be a file. A report is made without it.
    fn base(&self) -> Result<SceneSpec> {
        scene::base(&self.settings.scene, self.frames, self.seed)
    }

    /// The path that follows from what was measured.
    fn path(&self, results: &Results) -> Path {
        self.plan.path(|point| {
            let there = results.cells.values().find(|samples| self.point(samples).as_ref() == Some(point));
            there.map(|samples| self.cost(samples))
        })
    }

    /// The values of the parameters in a cell. `None`: the search had come to its end before.
    fn point(&self, samples: &Samples) -> Option<Point> {
        let parameters = self.plan.parameters.iter();
        parameters.map(|parameter| samples.values(POINT, &parameter.name).first().copied()).collect()
    }

    /// What a point costs; more than anything is never kept, if there is no such scene.
    fn cost(&self, samples: &Samples) -> f64 {
        let measure = match self.settings.by {
            Measure::Work => "tests",
            Measure::Time => "broad",
        };
        let of = |finder: &String| median(settled(samples.values(finder, measure)));
        let cost = match self.finders.as_slice() {
            [finder] => of(finder),
            [finder, beside] => {
                of(finder).zip(of(beside)).map(|(cost, unit)| cost / unit.max(f64::MIN_POSITIVE))
            }
            _ => None,
        };
        cost.unwrap_or(if self.plan.worst { f64::NEG_INFINITY } else { f64::INFINITY })
    }
}

/// All values but that of the first frame, which builds everything.
fn settled(values: &[f64]) -> &[f64] {
    if values.len() > 1 { &values[1..] } else { values }
}

/// Measures the point that is next.
fn look(asked: &Asked, base: &SceneSpec, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let Some(point) = asked.path(watch.before).next else { return Ok(Samples::default()) };
    let mut samples = match measure(asked, base, catalog, &point, watch) {
        Ok(samples) => samples,
        Err(error) if (watch.stopped)() || error.is::<Disagreement>() => return Err(error),
        Err(error) => {
            eprintln!("jostle: no such scene: {}: {error:#}", report::point_in_words(asked, &point));
            let mut samples = Samples::default();
            samples.push(POINT, IMPOSSIBLE, Unit::Count, 1.0);
            samples
        }
    };
    for (parameter, value) in asked.plan.parameters.iter().zip(&point) {
        samples.push(POINT, &parameter.name, Unit::Count, *value);
    }
    Ok(samples)
}

fn measure(
    asked: &Asked,
    base: &SceneSpec,
    catalog: &Catalog,
    point: &Point,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let part = |from: f64, share: f64| move |done: f64| (watch.done)(from + share * done);
    let (baking, finding) = (part(0.0, BAKING), part(BAKING, 1.0 - BAKING));
    let spec = scene::at(base.clone(), &asked.plan.parameters, point);
    let baked = spec.bake(1, &Watch { done: &baking, ..*watch })?;
    let contest = Contest { catalog, finders: asked.finders.clone(), threads: vec![1], frames: asked.frames };
    contest.run(baked.play()?, &Watch { done: &finding, ..*watch })
}
