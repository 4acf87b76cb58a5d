//! `jostle replay`: a recorded run once more, every state compared with the recorded one.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use jostle::{Execution, Recording, RecordingError, ReplayError};
use jostle_broad::Catalog;

use crate::failure::Disagreement;
use crate::numbers::grouped;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle run --record rain.jrec, then jostle replay rain.jrec --threads 2")]
pub(crate) struct Arguments {
    /// The file to play
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How many threads; the result is the same for any number
    #[arg(long, value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The pair finder, by name; the result is the same for all of them
    #[arg(long, value_name = "NAME", default_value = "auto")]
    finder: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    Catalog::builtin().get(&arguments.finder).context("--finder")?;
    let threads = usize::from(arguments.threads);
    let execution = Execution { threads, finder: arguments.finder.clone(), ..Execution::default() };
    let name = arguments.file.display().to_string();
    let recording = Recording::load(&arguments.file).map_err(|error| match error {
        RecordingError::File { source, .. } => anyhow!("{name}: cannot be read: {source}"),
        other => anyhow!("{name}: {other}"),
    })?;
    let report = match recording.replay(&execution) {
        Err(error @ ReplayError::Differs { .. }) => {
            return Err(Disagreement(format!("{name}: {error}")).into());
        }
        other => other.with_context(|| name.clone())?,
    };
    output::print(&format!(
        "{name}: {} frames played again, every state as recorded\nstate hash {}\n",
        grouped(report.frames as u64),
        report.last
    ))
}
