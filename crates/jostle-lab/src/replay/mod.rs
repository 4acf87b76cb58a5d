//! `jostle replay`: a recorded run once more, every state compared with the recorded one; and the boxes its finder saw.

mod tap;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use jostle::{Recording, RecordingError, ReplayError, ReplayReport, World};
use jostle_broad::{Catalog, PairFinder};

use self::tap::{BoxesFile, Tap};
use crate::failure::Disagreement;
use crate::numbers::grouped;
use crate::output;
use crate::run::world_with;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  jostle run --record rain.jrec, then jostle replay rain.jrec --threads 2\n  \
                        jostle replay rain.jrec --boxes rain.jbox, then jostle bench --boxes rain.jbox --verify"
)]
pub(crate) struct Arguments {
    /// The file to play
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How many threads; the result is the same for any number
    #[arg(long, value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The pair finder, by name (see `jostle finders`); the result is the same for all of them
    #[arg(long, value_name = "NAME", default_value = "auto")]
    finder: String,
    /// Write the boxes the finder is given, frame by frame, to a file that `jostle bench --boxes` reads
    #[arg(long, value_name = "FILE")]
    boxes: Option<PathBuf>,
    /// Print one JSON object about it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let finder = catalog.get(&arguments.finder).context("--finder")?.make();
    let name = arguments.file.display().to_string();
    let recording = Recording::load(&arguments.file).map_err(|error| match error {
        RecordingError::File { source, .. } => anyhow!("{name}: cannot be read: {source}"),
        other => anyhow!("{name}: {other}"),
    })?;
    let threads = usize::from(arguments.threads);
    let settings = *recording.first().settings();
    let (report, boxes) = match &arguments.boxes {
        None => {
            let mut world = world_with(&arguments.finder, finder, threads, settings)?;
            (play(&name, &recording, &mut world)?, None)
        }
        Some(path) => {
            let file = BoxesFile::create(path, &recording)?;
            let tap: Box<dyn PairFinder> = Box::new(Tap::new(finder, file.clone()));
            let mut world = World::with_finder(settings, tap)?;
            world.set_threads(threads).context("--threads: choose fewer")?;
            let report = play(&name, &recording, &mut world)?;
            (report, Some((path, file.finish()?)))
        }
    };
    if arguments.json {
        return output::print_json(&serde_json::json!({
            "file": name, "frames": report.frames, "finder": arguments.finder, "threads": threads,
            "hash": report.last.to_string(),
            "boxes": boxes.map(|(path, n)| {
                serde_json::json!({"file": path.display().to_string(), "n": n, "frames": report.frames})
            }),
        }));
    }
    let mut text =
        format!("{name}: {} frames played again, every state as recorded\n", grouped(report.frames as u64));
    if let Some((path, n)) = boxes {
        text.push_str(&format!("{}: {} boxes in every frame\n", path.display(), grouped(u64::from(n))));
    }
    text.push_str(&format!("state hash {}\n", report.last));
    output::print(&text)
}

fn play(name: &str, recording: &Recording, world: &mut World) -> Result<ReplayReport> {
    match recording.replay_in(world) {
        Err(error @ ReplayError::Differs { .. }) => Err(Disagreement(format!("{name}: {error}")).into()),
        other => other.with_context(|| name.to_string()),
    }
}
