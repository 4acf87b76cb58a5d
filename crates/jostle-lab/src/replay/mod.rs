//! `jostle replay`: a recorded run once more, every state compared with the recorded one; and the boxes its finder saw.

mod boxes_file;

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use jostle::{Command, Recording, RecordingError, ReplayError, ReplayReport, World};
use jostle_broad::Catalog;

use self::boxes_file::BoxesFile;
use crate::bench::progress::Progress;
use crate::failure::{Disagreement, Stopped};
use crate::gpu;
use crate::numbers::grouped;
use crate::run::world_with;
use crate::{output, stop};

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

const REMEDY: &str = "name a file that `jostle run --record` wrote, or record it again";

pub(crate) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let finder = gpu::finder(catalog, &arguments.finder).context("--finder")?.make();
    let name = arguments.file.display().to_string();
    let recording = Recording::load(&arguments.file).map_err(|error| match error {
        RecordingError::File { source, .. } => anyhow!("{name}: cannot be read ({source}); {REMEDY}"),
        RecordingError::Damaged { whole_frames, what } => {
            anyhow!("{name}: the recording is damaged after {whole_frames} whole frames: {what}; {REMEDY}")
        }
        other => anyhow!("{name}: {other}; {REMEDY}"),
    })?;
    let threads = usize::from(arguments.threads);
    stop::listen();
    let mut file = arguments.boxes.as_deref().map(|path| BoxesFile::create(path, &recording)).transpose()?;
    let mut world = world_with(&arguments.finder, finder, threads, *recording.first().settings())?;
    let report = play(&name, &recording, &mut world, file.as_mut())?;
    let boxes = match (&arguments.boxes, file) {
        (Some(path), Some(file)) => Some((path, file.finish()?)),
        _ => None,
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
        text.push_str(&format!("{}: {} boxes in every frame\n", path.display(), grouped(n as u64)));
    }
    text.push_str(&format!("state hash {}\n", report.last));
    output::print(&text)
}

/// Plays all frames, and gives the boxes of each to the file. Ctrl-C ends it between two frames.
fn play(
    name: &str,
    recording: &Recording,
    world: &mut World,
    mut file: Option<&mut BoxesFile>,
) -> Result<ReplayReport> {
    let added = recording.frames().iter().flat_map(|frame| &frame.commands);
    let added = added.filter(|(_, command)| matches!(command, Command::Add(_))).count();
    let bodies = recording.first().len() + added;
    let mut progress = Progress::new(name, bodies, recording.frames().len() as u32);
    let (mut frame, mut trouble) = (0, None);
    let played = recording.replay_watched(world, |world| {
        if let Some(file) = &mut file {
            trouble = file.write(world.boxes()).err();
        }
        progress.frame_done(frame);
        frame += 1;
        if trouble.is_some() || stop::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.end();
    let report = match played {
        Err(error @ ReplayError::Differs { .. }) => {
            return Err(Disagreement(format!("{name}: {error}")).into());
        }
        other => other.with_context(|| name.to_string())?,
    };
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let all = recording.frames().len();
    if report.frames < all {
        return Err(Stopped(format!("after {} of {all} frames; no file was written", report.frames)).into());
    }
    Ok(report)
}
