//! The command `jostle`: how worlds of jostle are run, and how the pair finders of jostle-broad are run, verified,
//! measured and shown.
//!
//! It is a library so that a finder of your own can take part in every command: make a program of one line that
//! registers it, and calls [`command_with`].
//!
//! Exit codes: 0 all is well; 1 the finders do not agree with each other or with the truth, or a replay
//! does not with its recording; 2 the command, a file or
//! the machine does not allow what was asked; 3 what was measured falls short of what is promised; 130 Ctrl-C was
//! pressed, and what was done until then is there. Whatever goes wrong is one line on standard error.

#![forbid(unsafe_code)]

mod awake;
mod bench;
mod columns;
mod compared;
mod doctor;
mod dump;
mod experiment;
mod failure;
mod finders;
mod generate;
mod gpu;
#[cfg(test)]
mod help_tests;
mod jbox;
mod machine;
mod measure;
mod numbers;
mod output;
mod picture;
mod record;
mod replay;
mod report;
mod run;
mod scene;
mod scenes;
mod search;
mod stop;
mod studies;
mod suggestion;
mod turns;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use jostle_broad::Catalog;

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
    /// Where GPU finders run: a number or name of `jostle doctor`'s list, or `software` [default: the best GPU]
    #[arg(long, value_name = "ADAPTER", global = true)]
    adapter: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a world of bodies, and see where its time goes
    Run(run::Arguments),
    /// Play a file of `run --record` again, and check every state
    Replay(replay::Arguments),
    /// List the scenes that have a name, or print one as a file to edit
    Scenes(scenes::command::Arguments),
    /// Run finders side by side on the same boxes, and compare their time and their pairs
    Bench(bench::Arguments),
    /// Measure what is promised about speed, and say whether it is kept
    #[command(
        subcommand,
        after_help = "Example: jostle measure threads --n 100k, then jostle measure auto --n 10k"
    )]
    Measure(measure::Promise),
    /// Run a named study: raw samples, statistics and a report, all in a folder
    Experiment(experiment::Arguments),
    /// Write statistics, report and summary of a study anew from its raw samples
    Report(experiment::ReportArguments),
    /// Show what `make compare` measured, as a table for a README
    Compared(compared::Arguments),
    /// Write the boxes of a stream to a file that `bench --boxes` reads
    Record(record::Arguments),
    /// Draw a scene as an SVG file
    Picture(picture::Arguments),
    /// List the finders there are
    Finders(finders::Arguments),
    /// Say what this machine has, what of jostle works on it, and what would help
    Doctor(doctor::Arguments),
    /// Print a script that completes commands and options in a shell
    Completions(generate::CompletionsArguments),
    /// Write manual pages, one for each command
    Man(generate::ManArguments),
}

/// Runs the command with the finders of jostle: what the program `jostle` does.
pub fn command() -> ExitCode {
    command_with(|_| {})
}

/// Runs the command with finders of your own beside those of jostle: they are run, verified and measured like them.
///
/// ```no_run
/// use jostle_broad::Brute; // stands for a finder of yours
///
/// jostle_lab::command_with(|catalog| catalog.register("mine", "one line about it", Brute::default));
/// ```
pub fn command_with(register: impl FnOnce(&mut Catalog)) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let adapter = match gpu::Choice::asked(cli.adapter.as_deref()) {
        Ok(adapter) => adapter,
        Err(error) => return failure::report(&error),
    };
    let mut catalog = finders::catalog();
    adapter.register(&mut catalog);
    register(&mut catalog);
    let catalog = &catalog;
    let done = match &cli.command {
        Command::Run(arguments) => run::run(arguments, catalog),
        Command::Replay(arguments) => replay::run(arguments, catalog),
        Command::Scenes(arguments) => scenes::command::run(arguments),
        Command::Bench(arguments) => bench::run(arguments, catalog),
        Command::Measure(promise) => measure::run(promise, catalog),
        Command::Experiment(arguments) => experiment::run(arguments, catalog, &adapter),
        Command::Report(arguments) => experiment::run_report(arguments),
        Command::Compared(arguments) => compared::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Picture(arguments) => picture::run(arguments),
        Command::Finders(arguments) => finders::list(arguments, catalog),
        Command::Doctor(arguments) => doctor::run(arguments, catalog),
        Command::Completions(arguments) => generate::completions(arguments, Cli::command(), &program()),
        Command::Man(arguments) => generate::man(arguments, Cli::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

/// The name this program was called by: that of a program with finders of its own is another than `jostle`.
fn program() -> String {
    let path = std::env::args_os().next().map(std::path::PathBuf::from);
    let name = path.as_deref().and_then(|path| path.file_stem()).and_then(|stem| stem.to_str());
    name.unwrap_or("jostle").to_string()
}
