//! The command `jostle`: how worlds of jostle are run, and how the pair finders of jostle-broad are run, verified,
//! measured and shown.
//!
//! Exit codes: 0 all is well; 1 the finders do not agree with each other or with the truth, or a replay
//! does not with its recording; 2 the command, a file or
//! the machine does not allow what was asked; 3 what was measured falls short of what is promised. Whatever goes wrong is one line on standard error.

#![forbid(unsafe_code)]

mod bench;
mod columns;
mod compared;
mod dump;
mod failure;
mod finders;
mod jbox;
mod machine;
mod measure;
mod numbers;
mod output;
mod picture;
mod record;
mod replay;
mod run;
mod scene;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Very many bodies that collide: run worlds of them; run, verify and measure the pair finders.
#[derive(Debug, Parser)]
#[command(
    name = "jostle",
    version,
    after_help = "Examples:\n  jostle run\n  jostle bench --stream brownian --n 1000,10k --verify"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a world of bodies, and see where its time goes
    Run(run::Arguments),
    /// Play a file of `run --record` again, and check every state
    Replay(replay::Arguments),
    /// List the scenes `jostle run` knows
    #[command(after_help = "Example: jostle scenes")]
    Scenes,
    /// Run finders side by side on the same boxes, and compare their time and their pairs
    Bench(bench::Arguments),
    /// Measure what is promised about speed, and say whether it is kept
    #[command(subcommand)]
    Measure(measure::Promise),
    /// Show what `make compare` measured, as a table for a README
    Compared(compared::Arguments),
    /// Write the boxes of a stream to a file that `bench --boxes` reads
    Record(record::Arguments),
    /// Draw a scene as an SVG file
    Picture(picture::Arguments),
    /// List the finders there are
    #[command(after_help = "Example: jostle finders")]
    Finders,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let done = match &cli.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Scenes => run::list_scenes(),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Measure(promise) => measure::run(promise),
        Command::Compared(arguments) => compared::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Picture(arguments) => picture::run(arguments),
        Command::Finders => list_finders(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

fn list_finders() -> anyhow::Result<()> {
    let catalog = finders::catalog();
    let width = catalog.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in catalog.iter() {
        text.push_str(&format!("{:width$}  {}\n", entry.name, entry.about));
    }
    output::print(&text)
}
