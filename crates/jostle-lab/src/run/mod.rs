//! `jostle run`: a world of bodies, frame by frame, and where its time goes.

mod json;
mod table;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use jostle::scenes::Scene;
use jostle::{Execution, STAGES, StateHash, StepReport, World, WorldSettings};
use jostle_broad::{Catalog, PairFinder};

use crate::bench::progress::Progress;
use crate::failure::Stopped;
use crate::gpu;
use crate::jbox::MOST_FRAMES;
use crate::machine::Machine;
use crate::numbers::{grouped, parse_count, percentile, three_digits};
use crate::output::{self, WholeFile};
use crate::scenes::SceneSpec;
use crate::scenes::command::{Changed, blamed, chosen};
use crate::stop;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle run\n  jostle run --scene pit --bodies 10k --threads 2\n  \
                        jostle run --scene drum --frames 600 --finder sweep --json")]
pub(crate) struct Arguments {
    /// What to run: a scene with a world, by name (see `jostle scenes`) or from a .toml file
    #[arg(long, value_name = "NAME or FILE", default_value = "rain")]
    scene: String,
    /// How many moving bodies, such as 1000 or 10k [default: what suits the scene]
    #[arg(long, value_name = "COUNT", value_parser = parse_count)]
    bodies: Option<usize>,
    /// How many frames, of a sixtieth of a second each [default: 300, or as the scene says]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: Option<u32>,
    /// How many threads; the result is the same for any number
    #[arg(long, value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The pair finder, by name (see `jostle finders`); the result is the same for all of them
    #[arg(long, value_name = "NAME", default_value = "auto")]
    finder: String,
    /// Another seed gives other bodies [default: 1, or as the scene says]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Write everything that is needed to play it again to a file: see `jostle replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Everything a run gave.
#[derive(Debug)]
struct Outcome {
    machine: Machine,
    scene: String,
    description: &'static str,
    /// Those that move.
    bodies: usize,
    /// Ground, walls and the like.
    furniture: usize,
    seed: u64,
    /// Those that were run.
    frames: u32,
    /// By Ctrl-C, before all were run.
    stopped: bool,
    threads: u16,
    finder: String,
    hash: StateHash,
    stages: Vec<Stage>,
    /// Milliseconds of a frame: mean and 99th percentile.
    mean_ms: f64,
    p99_ms: f64,
    /// What the latest step said.
    last: StepReport,
    /// How deep two bodies overlap at most, in metres, at the start of the latest frame.
    deepest_overlap: f32,
    /// In all frames together.
    clamped: usize,
    frozen: usize,
}

/// What a stage cost per frame.
#[derive(Debug, serde::Serialize)]
struct Stage {
    stage: &'static str,
    /// Of the time of all stages, 0 to 1.
    share: f64,
    mean_ms: f64,
    p99_ms: f64,
}

pub(crate) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    if arguments.bodies == Some(0) {
        bail!("--bodies: 0 bodies are nothing to run; ask for at least 1");
    }
    let changed = Changed { objects: arguments.bodies, frames: arguments.frames, seed: arguments.seed };
    let (name, spec) = chosen(&arguments.scene, changed)?;
    let finder = gpu::finder(catalog, &arguments.finder).context("--finder")?.make();
    if !spec.has_world() {
        bail!("--scene: `{name}` has boxes and no world; give it to `jostle bench`, or choose another");
    }
    let bodies = spec.objects();
    if let Some(limit) = finder.size_limit().filter(|limit| *limit < bodies) {
        bail!(
            "--finder: `{}` takes at most {} bodies; choose fewer --bodies, or `auto`",
            arguments.finder,
            grouped(limit as u64)
        );
    }
    stop::listen();
    let file = arguments.record.as_deref().map(WholeFile::create).transpose()?;
    let world = spec.world().map_err(|error| blamed(error, &arguments.scene))?;
    let Some(scene) = world else { bail!("--scene: `{name}` has no world") };
    let threads = usize::from(arguments.threads);
    let mut world = world_with(&arguments.finder, finder, threads, scene.settings)?;
    if file.is_some() {
        world.start_recording();
    }
    scene.fill(&mut world)?;
    let outcome = step_all(arguments, (name, &spec), &scene, &mut world)?;
    if let (Some(mut file), Some(recording)) = (file, world.stop_recording()) {
        file.write(&recording.to_bytes())?;
        file.commit()?;
    }
    output::print(&if arguments.json { json::render(&outcome)? } else { table::render(&outcome) })?;
    if outcome.stopped {
        return Err(Stopped(format!("after {} of {} frames", outcome.frames, spec.frames())).into());
    }
    Ok(())
}

/// A world of a finder of the library, or of this command.
pub(crate) fn world_with(
    name: &str,
    finder: Box<dyn PairFinder>,
    threads: usize,
    settings: WorldSettings,
) -> Result<World> {
    let too_many = "--threads: choose fewer";
    // A finder the library does not know may fail: the world then keeps what it needs to undo a step, at a price.
    if Catalog::builtin().get(name).is_ok() {
        let execution = Execution { threads, finder: name.to_string(), ..Execution::default() };
        return World::with_execution(settings, &execution).context(too_many);
    }
    let mut world = World::with_finder(settings, finder)?;
    world.set_threads(threads).context(too_many)?;
    Ok(world)
}

fn step_all(
    arguments: &Arguments,
    (name, spec): (String, &SceneSpec),
    scene: &Scene,
    world: &mut World,
) -> Result<Outcome> {
    let frames = spec.frames();
    let mut progress = Progress::new(&name, scene.moving(), frames);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); STAGES.len() + 1];
    let (mut last, mut clamped, mut frozen) = (StepReport::default(), 0, 0);
    for frame in 0..frames {
        let report = scene.step(world)?;
        let all = report.stages().map(|(_, time)| time).chain([report.total()]);
        for (list, time) in times.iter_mut().zip(all) {
            list.push(time.as_secs_f64() * 1e3);
        }
        clamped += report.clamped;
        frozen += report.frozen.len();
        progress.frame_done_with(frame, || {
            let fps = 1.0 / report.total().as_secs_f64().max(1e-9);
            format!(
                "{} fps, {} awake, {} contacts",
                three_digits(fps),
                grouped(report.awake as u64),
                grouped(report.manifolds as u64)
            )
        });
        last = report;
        if stop::asked() {
            break;
        }
    }
    progress.end();
    let whole = times.pop().unwrap_or_default();
    let done = whole.len() as u32;
    let total = mean(&whole).max(f64::MIN_POSITIVE);
    let stages = STAGES.into_iter().zip(&times).map(|(stage, times)| Stage {
        stage,
        share: mean(times) / total,
        mean_ms: mean(times),
        p99_ms: percentile(times, 0.99).unwrap_or(0.0),
    });
    Ok(Outcome {
        machine: Machine::here(),
        scene: name,
        description: scene.description,
        bodies: scene.moving(),
        furniture: scene.bodies.len() - scene.moving(),
        seed: spec.seed(),
        frames: done,
        stopped: done < frames,
        threads: arguments.threads,
        finder: arguments.finder.clone(),
        hash: world.state_hash(),
        stages: stages.collect(),
        mean_ms: total,
        p99_ms: percentile(&whole, 0.99).unwrap_or(0.0),
        last,
        deepest_overlap: world.contact_manifolds().map(|contact| contact.depth()).fold(0.0, f32::max),
        clamped,
        frozen,
    })
}

fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len().max(1) as f64
}
