//! What more threads gain a whole frame of a packed pile, beside what a plain loop gains from them at the same moment.

use anyhow::{Context, Result, ensure};
use jostle_broad::Executor;

use super::calibration::Calibration;
use super::threads::thread_counts;
use super::world::{TimedWorld, in_turns};
use super::{Companion, Figure, Verdicts};
use crate::failure::Disagreement;
use crate::numbers::parse_count;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure world-threads --n 10k --threads 1,2")]
pub(crate) struct Arguments {
    /// How many bodies
    #[arg(long, value_name = "COUNT", default_value = "10k", value_parser = parse_count)]
    n: usize,
    /// The scene, by name (see `jostle scenes`)
    #[arg(long, value_name = "NAME", default_value = "pit")]
    scene: String,
    /// Frames until it lies
    #[arg(long, value_name = "COUNT", default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    settling: u32,
    /// Frames measured
    #[arg(long, value_name = "COUNT", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// How many threads, ascending from 1 [default: 1, 2 and all of this machine]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Another seed gives other bodies
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The share of the loop's gain that is promised.
const SHARE: f64 = 0.85;
/// Where the loop gains less than this, other work had the cores.
const WORTH: f64 = 1.3;
/// The loop does about as much a frame as the world does a body.
const LOOPS: usize = 40;
const HEADS: [&str; 10] =
    ["scene", "bodies", "threads", "ms", "1 thread ms", "gain", "loop ms", "loop gains", "share", ""];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { n, seed, frames, .. } = *arguments;
    ensure!(n > 0, "--n: give at least one body");
    let counts = thread_counts(&arguments.threads)?;
    let make = |threads: usize| TimedWorld::new(&arguments.scene, n, seed, false, threads);
    let mut settled = make(counts[counts.len() - 1]).context("--threads, --scene or --n")?;
    (0..arguments.settling).try_for_each(|_| settled.frame())?;
    let state = settled.world.snapshot();
    let mut worlds = Vec::new();
    let mut loops = Vec::new();
    for &threads in &counts {
        let mut world = make(threads)?;
        world.world.restore(&state)?;
        worlds.push(world);
        loops.push(Calibration::new(Executor::new(threads)?, n * LOOPS));
    }
    let mut everyone: Vec<&mut dyn Companion> =
        worlds.iter_mut().map(|world| world as _).chain(loops.iter_mut().map(|one| one as _)).collect();
    // The first frame of each fills its structures.
    in_turns(&mut everyone, frames + 1);
    worlds.iter_mut().try_for_each(TimedWorld::check)?;
    let hashes: Vec<_> = worlds.iter().map(|world| world.world.state_hash()).collect();
    if let Some(at) = hashes.iter().position(|hash| *hash != hashes[0]) {
        let text = format!("{} threads gave another state than one", counts[at]);
        return Err(Disagreement(text).into());
    }
    let ms: Vec<f64> = worlds.iter().map(|world| world.median_ms(frames as usize)).collect();
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for (at, calibration) in loops.iter().enumerate().skip(1) {
        let gain = ms[0] / ms[at];
        let calibrated = loops[0].median_ms() / calibration.median_ms();
        let share = gain / calibrated;
        let mut verdict = verdicts.note(share >= SHARE).to_string();
        if calibrated < WORTH {
            verdict.push_str(" (says little: the machine had no second core to give)");
        }
        rows.push([
            Figure::word(&arguments.scene),
            Figure::count(n),
            Figure::count(calibration.threads()),
            Figure::Milliseconds(ms[at]),
            Figure::Milliseconds(ms[0]),
            Figure::Times(gain),
            Figure::Milliseconds(calibration.median_ms()),
            Figure::Times(calibrated),
            Figure::Percent(100.0 * share),
            Figure::word(verdict),
        ]);
    }
    let promise =
        "threads in a whole frame of a packed pile: at least 85 % of what a plain loop gains at that moment";
    verdicts.conclude(promise, HEADS, &rows, arguments.json)
}
