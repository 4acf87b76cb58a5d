//! The command `compare`: jostle beside its rivals on the same boxes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};
use jostle_broad::scene::StreamKind;
use jostle_rivals::compare::numbers::parse_count;
use jostle_rivals::compare::{Plan, run};
use jostle_rivals::ours::Finders;
use jostle_rivals::worlds;

/// jostle beside the broad phases of other engines, on the same boxes: times, verification, reports
#[derive(Debug, Parser)]
#[command(name = "compare", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Moving scenes: all, or some of brownian, still10, fast, disparity, pile
    #[arg(long, value_delimiter = ',', default_value = "all")]
    streams: Vec<String>,
    /// Numbers of boxes, such as 1000, 10k, 1M
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "1k,10k,100k")]
    n: Vec<usize>,
    /// Frames per cell, the first one included
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Rivals by name; all that were built in unless given
    #[arg(long, value_delimiter = ',')]
    rivals: Vec<String>,
    /// Beside them, a row for what it takes to read each box once, beside one that was kept, and to do nothing else
    #[arg(long)]
    floor: bool,
    /// Finders of ours by name (`jostle finders` lists them), with `+copy` behind it where boxes are to be copied instead of handed over, or `+slice` where all pairs are to be one slice; `gpu` and `auto-gpu` where built with `--features gpu`
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    ours: Vec<String>,
    /// The adapter finders on a GPU run on, by number or name (`jostle doctor` lists them); the best GPU unless given
    #[arg(long)]
    adapter: Option<String>,
    /// Numbers of threads; 1 and all of this machine unless given
    #[arg(long, value_delimiter = ',', value_parser = parse_count)]
    threads: Vec<usize>,
    /// Few boxes, few frames: a look within a minute or two
    #[arg(long)]
    quick: bool,
    /// Do not compare with the true pairs in the first (up to 100,000 boxes) and last frame: who misses some then counts
    #[arg(long)]
    no_verify: bool,
    /// The seed of the streams
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Frames a contestant takes in a row before the next one has its turn: more than 1 keeps its memory in the caches
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    burst: u32,
    /// Seconds of its own time after which a contestant leaves a cell
    #[arg(long, default_value_t = 30)]
    patience: u64,
    /// Where compare.csv, compare.json, compare.md and report.html go
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../out/compare"))]
    out: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Whole worlds on the same bodies: milliseconds a frame, stages, how deep bodies overlap
    Worlds(WorldsArguments),
}

#[derive(Debug, clap::Args)]
struct WorldsArguments {
    /// Scenes: all, or some of falling, pit, mixed
    #[arg(long, value_delimiter = ',', default_value = "falling,pit")]
    scenes: Vec<String>,
    /// Numbers of bodies that move, such as 1000, 10k, 1M
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "10k")]
    n: Vec<usize>,
    /// Numbers of threads; 1 and all of this machine unless given
    #[arg(long, value_delimiter = ',', value_parser = parse_count)]
    threads: Vec<usize>,
    /// Engines by name; all that were built in unless given
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Frames of free fall; the first bodies hit the ground after 60
    #[arg(long, default_value_t = 55)]
    falling: usize,
    /// Frames from the first impact until the pile is at rest
    #[arg(long, default_value_t = 300)]
    settling: usize,
    /// Frames of a pile at rest that is kept awake
    #[arg(long, default_value_t = 60)]
    packed: usize,
    /// Frames given to fall asleep afterwards; 0 leaves sleep out
    #[arg(long, default_value_t = 600)]
    dozing: usize,
    /// Frames measured asleep
    #[arg(long, default_value_t = 30)]
    asleep: usize,
    /// The seed of the scenes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Where worlds.json and worlds.md go
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../out/worlds"))]
    out: PathBuf,
}

impl WorldsArguments {
    fn run(self, command: &[String]) -> Result<()> {
        worlds::plan::run(&worlds::plan::Plan {
            scenes: self.scenes,
            sizes: self.n,
            threads: or_all_threads(self.threads),
            engines: self.engines,
            frames: worlds::run::Frames {
                falling: self.falling,
                settling: self.settling,
                packed: self.packed,
                dozing: self.dozing,
                asleep: self.asleep,
            },
            seed: self.seed,
            json: self.json,
            out: self.out,
            command: format!("make compare-worlds WORLDS='{}'", command[1..].join(" ")),
        })
    }
}

/// 1 and all of this machine, unless some were given.
fn or_all_threads(given: Vec<usize>) -> Vec<usize> {
    if !given.is_empty() {
        return given;
    }
    let mut threads = vec![1, std::thread::available_parallelism().map_or(1, usize::from)];
    threads.dedup();
    threads
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let command: Vec<String> = std::env::args().skip(1).collect();
    if let Some(Command::Worlds(arguments)) = arguments.command {
        return arguments.run(&command);
    }
    let all = arguments.streams.iter().any(|name| name == "all");
    let streams = if all {
        StreamKind::ALL.to_vec()
    } else {
        arguments.streams.iter().map(|name| name.parse()).collect::<Result<_, _>>()?
    };
    run(&Plan {
        streams,
        sizes: if arguments.quick { vec![1_000, 10_000] } else { arguments.n },
        threads: or_all_threads(arguments.threads),
        frames: if arguments.quick { 8 } else { arguments.frames as usize },
        rivals: arguments.rivals,
        floor: arguments.floor,
        ours: arguments.ours,
        finders: Finders::new(arguments.adapter.as_deref())?,
        verify: !arguments.no_verify,
        seed: arguments.seed,
        burst: arguments.burst as usize,
        patience: Duration::from_secs(arguments.patience),
        out: arguments.out,
        command: format!("make compare COMPARE='{}'", command.join(" ")),
    })
}
