//! How the cost of a frame grows with the number of bodies at constant density.

use anyhow::{Result, ensure};

use super::world::{TimedWorld, in_turns};
use super::{Companion, Figure, Verdicts};
use crate::numbers::{exponent, parse_count};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure world-growth --n 1k,10k --frames 10")]
pub(crate) struct Arguments {
    /// How many bodies: several counts
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "1k,10k,50k,200k", value_parser = parse_count)]
    n: Vec<usize>,
    /// The scene, by name (see `jostle scenes`): one whose density does not depend on the number of bodies
    #[arg(long, value_name = "NAME", default_value = "gas")]
    scene: String,
    /// Frames measured
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// Another seed gives other bodies
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The steepest growth that counts as linear.
const EXPONENT: f64 = 1.1;
/// Frames before those that are measured: they fill structures.
const WARM: u32 = 3;
const HEADS: [&str; 5] = ["scene", "bodies", "ms", "us a body", ""];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let mut sizes = arguments.n.clone();
    sizes.sort_unstable();
    sizes.dedup();
    ensure!(sizes.len() > 1 && sizes[0] > 0, "--n: give at least two numbers of bodies, such as 1k,10k");
    let make = |&n: &usize| TimedWorld::new(&arguments.scene, n, arguments.seed, false, 1);
    let mut worlds = sizes.iter().map(make).collect::<Result<Vec<_>>>()?;
    let mut everyone: Vec<&mut dyn Companion> = worlds.iter_mut().map(|world| world as _).collect();
    in_turns(&mut everyone, WARM + arguments.frames);
    worlds.iter_mut().try_for_each(TimedWorld::check)?;
    let ms: Vec<f64> = worlds.iter().map(|world| world.median_ms(arguments.frames as usize)).collect();
    let row = |(&n, &ms): (&usize, &f64)| {
        let per_body = Figure::Microseconds(ms * 1e3 / n as f64);
        [
            Figure::word(&arguments.scene),
            Figure::count(n),
            Figure::Milliseconds(ms),
            per_body,
            Figure::word(""),
        ]
    };
    let mut rows: Vec<_> = sizes.iter().zip(&ms).map(row).collect();
    let points: Vec<(f64, f64)> = sizes.iter().map(|&n| n as f64).zip(ms).collect();
    let grows = exponent(&points).unwrap_or(f64::NAN);
    let mut verdicts = Verdicts::default();
    let verdict = verdicts.note(grows <= EXPONENT);
    if let Some([.., last]) = rows.last_mut() {
        *last = Figure::word(format!("the cost of a frame grows as n^{grows:.2}: {verdict}"));
    }
    let promise = "a frame at constant density, one thread: cost grows no faster than n^1.1";
    verdicts.conclude(promise, HEADS, &rows, arguments.json)
}
