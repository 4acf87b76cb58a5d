//! `jostle bench`: finders side by side on the same boxes.
//!
//! The clock of a frame starts with this frame's boxes in a plain array in id order plus the list of moved ids, and
//! stops when the full pair set and the lists of added and removed pairs can be read. The upkeep of the box store is
//! inside; making the boxes, reading files and verifying are outside.

mod json;
pub(crate) mod judge;
pub(crate) mod progress;
mod report;
pub(crate) mod run;
mod table;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FindSettings, FinderEntry, Lanes};

use crate::awake::Awake;
use crate::dump::PairsFile;
use crate::failure::{Disagreement, Stopped};
use crate::gpu;
use crate::jbox::MOST_FRAMES;
use crate::machine::{Machine, affordable_pairs, check_memory};
use crate::numbers::{exponent, grouped, parse_count};
use crate::output::{self, WholeFile};
use crate::scene::Scene;
use crate::scenes::command::{Changed, chosen};
use crate::scenes::{self, Boxes, SceneSpec, Stream};
use crate::stop;
use run::{Member, Row, Runner};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle bench --stream all --n 1000,10k --frames 20 --verify\n  \
                        jostle bench --boxes pile.jbox --finders all-pairs --dump-pairs pairs.bin\n  \
                        jostle bench --scene standard-benchmark --frames 100 --finders sap,tree,auto --verify\n  \
                        jostle bench --finders all-pairs --n 1000,2000,4000 --scaling --json\n  \
                        jostle bench --n 1000,10k --verify --report finders.html")]
pub(crate) struct Arguments {
    /// brownian, still10, fast, disparity, pile, still, a list of them, or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "brownian")]
    stream: Vec<String>,
    /// Instead of streams a scene, by name (see `jostle scenes`) or from a .toml or .jbox file
    #[arg(long, value_name = "NAME or FILE", conflicts_with_all = ["stream", "boxes"])]
    scene: Option<String>,
    /// How many boxes: one count or several, such as 1000,10k,1M [default: 10k, or as the scene says]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = parse_count)]
    n: Vec<usize>,
    /// How many frames, the first (reported apart) included [default: 20, or as the scene or the file says]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: Option<u32>,
    /// Another seed gives other boxes [default: 1, or as the scene says]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// The finders to run, by name (see `jostle finders`), or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    finders: Vec<String>,
    /// How many threads: one count or several, such as 1,2
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "1",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    #[command(flatten)]
    awake: Awake,
    /// Vector instructions to use instead of the widest there are
    #[arg(long, value_name = "NAME", value_parser = Lanes::named)]
    lanes: Option<Lanes>,
    /// Compare every finder's pairs with the truth (above 20,000 boxes: in the first, middle and last frame)
    #[arg(long)]
    verify: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// With --json: also the time of every frame, and what the finder said of it
    #[arg(long, requires = "json")]
    each_frame: bool,
    /// Also write a report with plots, as one HTML file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Take the boxes from a file written by `jostle record`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stream", "n", "seed"])]
    boxes: Option<PathBuf>,
    /// Write the pairs of every frame, as the first finder found them, to a file
    #[arg(long, value_name = "FILE")]
    dump_pairs: Option<PathBuf>,
    /// Ask for the pairs in any order, and not for what was added and removed
    #[arg(long)]
    no_order: bool,
    /// Ask for canonical order, but not for what was added and removed
    #[arg(long, conflicts_with = "no_order")]
    no_changes: bool,
    /// Ask for canonical order and for what was added and removed: the default
    #[arg(long, conflicts_with_all = ["no_order", "no_changes"])]
    changes: bool,
    /// Refuse to hold more pairs than this for each finder [default: what the memory allows]
    #[arg(long, value_name = "COUNT", value_parser = parse_count)]
    pair_limit: Option<usize>,
    /// Fit the exponent of time over the number of boxes (needs several counts in --n)
    #[arg(long, conflicts_with = "boxes")]
    scaling: bool,
}

/// A finder that was not run on a scene.
#[derive(Clone, Debug, serde::Serialize)]
struct Skipped {
    stream: String,
    n: usize,
    finder: String,
    reason: String,
}

/// How the time of a finder grows with the number of boxes.
#[derive(Clone, Debug, serde::Serialize)]
struct Scaling {
    stream: String,
    finder: String,
    threads: usize,
    exponent: f64,
    memory: Vec<Memory>,
}

/// What a finder and its box store hold for a box, pairs included.
#[derive(Clone, Debug, serde::Serialize)]
struct Memory {
    n: usize,
    bytes_per_box: f64,
}

/// Everything a run gave.
#[derive(Debug)]
struct Outcome {
    machine: Machine,
    lanes: Lanes,
    canonical: bool,
    changes: bool,
    pair_limit: Option<usize>,
    rows: Vec<Row>,
    skipped: Vec<Skipped>,
    scaling: Vec<Scaling>,
    /// By Ctrl-C, before all was measured.
    stopped: bool,
}

const USUAL_FRAMES: u32 = 20;
const USUAL_SIZE: usize = 10_000;

pub(crate) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let entries = chosen_finders(catalog, &arguments.finders)?;
    let mut sizes = arguments.n.clone();
    sizes.sort_unstable();
    sizes.dedup();
    if arguments.scaling && sizes.iter().filter(|n| **n > 0).count() < 2 {
        bail!("--scaling needs at least two counts; give for example --n 1000,2000,4000");
    }
    let scenes = chosen_scenes(arguments, &sizes)?;
    if arguments.dump_pairs.is_some() && scenes.len() > 1 {
        bail!("--dump-pairs writes the pairs of one scene; choose one --stream and one --n");
    }
    let mut outcome = Outcome {
        machine: Machine::here(),
        lanes: arguments.lanes.unwrap_or_default(),
        canonical: !arguments.no_order,
        changes: !arguments.no_order && !arguments.no_changes,
        pair_limit: arguments.pair_limit,
        rows: Vec::new(),
        skipped: Vec::new(),
        scaling: Vec::new(),
        stopped: false,
    };
    let executors =
        arguments.awake.executors(arguments.threads.iter().map(|&threads| usize::from(threads)))?;

    stop::listen();
    let page = arguments.report.as_deref().map(WholeFile::create).transpose()?;
    let mut dump = None;
    let most_threads = executors.iter().map(Executor::threads).max().unwrap_or(1);
    for (name, spec) in scenes {
        if stop::asked() && !outcome.rows.is_empty() {
            outcome.stopped = true;
            break;
        }
        let baked = match scenes::command::bake(arguments.scene.as_deref(), &name, &spec, most_threads) {
            // The scenes before it are shown all the same.
            Err(error) if error.is::<Stopped>() && !outcome.rows.is_empty() => {
                outcome.stopped = true;
                break;
            }
            other => other?,
        };
        let members = outcome.members(&entries, &executors, &name, baked.boxes())?;
        if !members.is_empty() {
            outcome.run_scene(arguments, baked.play()?, baked.frames, members, &mut dump)?;
        }
    }
    if outcome.rows.is_empty() {
        bail!("no finder is left to run: all were skipped; choose others with --finders, or fewer boxes");
    }
    if arguments.scaling {
        outcome.scaling = scaling(&outcome.rows);
    }
    output::print(&if arguments.json {
        json::render(&outcome, arguments.each_frame)?
    } else {
        table::render(&outcome)
    })?;
    if let Some(trouble) = outcome.rows.iter().find_map(|row| row.trouble.clone()) {
        return Err(Disagreement(trouble).into());
    }
    dump.map_or(Ok(()), PairsFile::finish)?;
    if let Some(mut page) = page {
        page.write(report::render(&outcome)?.as_bytes())?;
        page.commit()?;
    }
    if outcome.stopped {
        let frames = outcome.rows.last().map_or(0, |row| row.frames);
        return Err(Stopped(format!("after {frames} frames of the last scene shown")).into());
    }
    Ok(())
}

/// What the finders were asked for.
fn asked_in_words(outcome: &Outcome) -> &'static str {
    match (outcome.canonical, outcome.changes) {
        (_, true) => "pairs in canonical order, and what was added and removed",
        (true, false) => "pairs in canonical order",
        (false, false) => "pairs in any order",
    }
}

impl Outcome {
    /// Fresh finders for a scene of `n` boxes; those that do not take as many are skipped, with a line.
    fn members(
        &mut self,
        entries: &[&FinderEntry],
        executors: &[Executor],
        stream: &str,
        n: usize,
    ) -> Result<Vec<Member>> {
        let too_few = |entry: &FinderEntry| entry.make().size_limit().filter(|limit| *limit < n);
        let fitting = entries.iter().filter(|entry| too_few(entry).is_none()).count();
        check_memory(n, fitting * executors.len())?;
        let pair_limit = self.pair_limit.unwrap_or_else(|| affordable_pairs(fitting * executors.len()));
        let mut members = Vec::new();
        for entry in entries {
            if let Some(limit) = too_few(entry) {
                let reason = format!("skipped: takes at most {} boxes", grouped(limit as u64));
                eprintln!("jostle: {} on {stream}, n = {}: {reason}", entry.name, grouped(n as u64));
                let finder = entry.name.clone();
                self.skipped.push(Skipped { stream: stream.to_string(), n, finder, reason });
                continue;
            }
            for executor in executors {
                let settings = FindSettings {
                    executor: executor.clone(),
                    lanes: self.lanes,
                    canonical: self.canonical,
                    changes: self.changes,
                    pair_limit: Some(pair_limit),
                };
                members.push(Member::new(entry.name.clone(), entry.make(), settings));
            }
        }
        Ok(members)
    }

    fn run_scene(
        &mut self,
        arguments: &Arguments,
        scene: Scene,
        frames: u32,
        members: Vec<Member>,
        dump: &mut Option<PairsFile>,
    ) -> Result<()> {
        if let Some(path) = &arguments.dump_pairs {
            *dump = Some(PairsFile::create(path)?);
        }
        let runner = Runner::new(scene, frames, members, arguments.verify);
        let rows = runner.run(dump.as_mut())?;
        self.stopped = rows.iter().any(|row| row.frames < frames);
        self.rows.extend(rows);
        Ok(())
    }
}

pub(crate) fn chosen_finders<'a>(catalog: &'a Catalog, names: &[String]) -> Result<Vec<&'a FinderEntry>> {
    let mut chosen: Vec<&FinderEntry> = Vec::new();
    for name in names {
        let more: Vec<&FinderEntry> = match name.as_str() {
            "all" => gpu::working(catalog),
            _ => vec![gpu::finder(catalog, name).context("--finders")?],
        };
        for entry in more {
            if !chosen.iter().any(|there| there.name == entry.name) {
                chosen.push(entry);
            }
        }
    }
    Ok(chosen)
}

/// What the arguments ask for: scenes with the names reports give them.
fn chosen_scenes(arguments: &Arguments, sizes: &[usize]) -> Result<Vec<(String, SceneSpec)>> {
    if let Some(path) = &arguments.boxes {
        let spec =
            SceneSpec::Boxes(Boxes { file: Some(path.clone()), frames: arguments.frames.unwrap_or(0) });
        return Ok(vec![(spec.name(), spec)]);
    }
    if let Some(name) = &arguments.scene {
        let (frames, seed) = (arguments.frames, arguments.seed);
        let asked = if sizes.is_empty() { vec![None] } else { sizes.iter().copied().map(Some).collect() };
        let each = asked.into_iter().map(|objects| chosen(name, Changed { objects, frames, seed }));
        return each.collect();
    }
    let (frames, seed) = (arguments.frames.unwrap_or(USUAL_FRAMES), arguments.seed.unwrap_or(1));
    let sizes = if sizes.is_empty() { &[USUAL_SIZE] } else { sizes };
    let kinds = chosen_streams(&arguments.stream)?;
    let each = kinds.iter().flat_map(|&stream| sizes.iter().map(move |&objects| (stream, objects)));
    let specs = each.map(|(stream, objects)| SceneSpec::Stream(Stream { stream, objects, frames, seed }));
    Ok(specs.map(|spec| (spec.name(), spec)).collect())
}

pub(crate) fn chosen_streams(names: &[String]) -> Result<Vec<StreamKind>> {
    let mut chosen = Vec::new();
    for name in names {
        let more = match name.as_str() {
            "all" => StreamKind::ALL.to_vec(),
            _ => vec![name.parse().context("--stream")?],
        };
        for kind in more {
            if !chosen.contains(&kind) {
                chosen.push(kind);
            }
        }
    }
    Ok(chosen)
}

fn scaling(rows: &[Row]) -> Vec<Scaling> {
    let mut fits: Vec<Scaling> = Vec::new();
    for row in rows {
        let same = |other: &&Row| {
            (&other.stream, &other.finder, other.threads) == (&row.stream, &row.finder, row.threads)
        };
        let done = fits
            .iter()
            .any(|fit| (&fit.stream, &fit.finder, fit.threads) == (&row.stream, &row.finder, row.threads));
        let points: Vec<(f64, f64)> =
            rows.iter().filter(same).map(|other| (other.n as f64, other.median_ms)).collect();
        if !done && let Some(exponent) = exponent(&points) {
            let (stream, finder) = (row.stream.clone(), row.finder.clone());
            let memory = rows.iter().filter(same).filter(|other| other.n > 0);
            let memory = memory.map(|other| {
                let bytes_per_box = (other.bytes + other.store_bytes) as f64 / other.n as f64;
                Memory { n: other.n, bytes_per_box }
            });
            fits.push(Scaling { stream, finder, threads: row.threads, exponent, memory: memory.collect() });
        }
    }
    fits
}
