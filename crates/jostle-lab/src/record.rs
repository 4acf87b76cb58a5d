//! `jostle record`: the boxes of a scene, frame by frame, written to a file.

use std::path::PathBuf;

use anyhow::Result;
use jostle_broad::scene::StreamKind;

use crate::bench::progress::Progress;
use crate::failure::Stopped;
use crate::jbox::{Header, MOST_FRAMES, Writer};
use crate::numbers::parse_count;
use crate::output::{self, WholeFile};
use crate::scenes::command::{Changed, bake, chosen};
use crate::scenes::{SceneSpec, Stream};
use crate::stop;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle record --stream pile --n 10k --frames 20 --out pile.jbox\n  \
                        jostle record --scene standard-benchmark --out standard.jbox")]
pub(crate) struct Arguments {
    /// brownian, still10, fast, disparity, pile or still
    #[arg(long, value_name = "NAME", default_value = "brownian")]
    stream: StreamKind,
    /// Instead of a stream a scene, by name (see `jostle scenes`) or from a .toml file
    #[arg(long, value_name = "NAME or FILE", conflicts_with = "stream")]
    scene: Option<String>,
    /// How many boxes [default: 10k, or as the scene says]
    #[arg(long, value_name = "COUNT", value_parser = parse_count)]
    n: Option<usize>,
    /// How many frames [default: 20, or as the scene says]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: Option<u32>,
    /// Another seed gives other boxes [default: 1, or as the scene says]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object about it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { n: objects, frames, seed, .. } = *arguments;
    let (name, spec) = match &arguments.scene {
        Some(name) => chosen(name, Changed { objects, frames, seed })?,
        None => {
            let usual = Stream { stream: arguments.stream, ..Stream::default() };
            let objects = objects.unwrap_or(usual.objects);
            let (frames, seed) = (frames.unwrap_or(usual.frames), seed.unwrap_or(usual.seed));
            let spec = SceneSpec::Stream(Stream { objects, frames, seed, ..usual });
            (spec.name(), spec)
        }
    };
    stop::listen();
    let file = WholeFile::create(&arguments.out)?;
    let baked = bake(arguments.scene.as_deref(), &name, &spec, 1)?;
    let header = Header {
        n: u32::try_from(baked.boxes())?,
        frames: baked.frames,
        rules: baked.rules,
        gaps: baked.gaps,
    };
    let mut writer = Writer::new(file, header)?;
    let mut scene = baked.play()?;
    let mut progress = Progress::new(&name, baked.boxes(), baked.frames);
    for frame in 0..baked.frames {
        if stop::asked() {
            progress.end();
            let said = format!("after {frame} of {} frames; no file was written", baked.frames);
            return Err(Stopped(said).into());
        }
        if frame > 0 {
            scene.advance()?;
        }
        writer.write_frame(scene.boxes())?;
        progress.frame_done(frame);
    }
    progress.end();
    writer.finish()?;
    if arguments.json {
        return output::print_json(&serde_json::json!({
            "file": arguments.out.display().to_string(), "scene": name, "n": baked.boxes(),
            "frames": baked.frames, "seed": spec.seed(),
        }));
    }
    output::print(&format!(
        "{}: {} frames of {} boxes ({name})\n",
        arguments.out.display(),
        baked.frames,
        baked.boxes()
    ))
}
