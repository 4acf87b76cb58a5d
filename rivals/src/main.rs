//! The command `compare`: jostle beside its rivals on the same boxes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use jostle_broad::scene::StreamKind;
use jostle_rivals::compare::numbers::parse_count;
use jostle_rivals::compare::{Plan, run};

/// jostle beside the broad phases of other engines, on the same boxes: times, verification, reports
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Arguments {
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
    /// Finders of ours by name (`jostle finders` lists them)
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    ours: Vec<String>,
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

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let all = arguments.streams.iter().any(|name| name == "all");
    let streams = if all {
        StreamKind::ALL.to_vec()
    } else {
        arguments.streams.iter().map(|name| name.parse()).collect::<Result<_, _>>()?
    };
    let mut threads = arguments.threads;
    if threads.is_empty() {
        threads = vec![1, std::thread::available_parallelism().map_or(1, usize::from)];
        threads.dedup();
    }
    let command: Vec<String> = std::env::args().skip(1).collect();
    run(&Plan {
        streams,
        sizes: if arguments.quick { vec![1_000, 10_000] } else { arguments.n },
        threads,
        frames: if arguments.quick { 8 } else { arguments.frames as usize },
        rivals: arguments.rivals,
        ours: arguments.ours,
        verify: !arguments.no_verify,
        seed: arguments.seed,
        burst: arguments.burst as usize,
        patience: Duration::from_secs(arguments.patience),
        out: arguments.out,
        command: format!("make compare COMPARE='{}'", command.join(" ")),
    })
}
