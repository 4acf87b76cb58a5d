//! `jostle record`: the boxes of a stream, written to a file.

use std::path::PathBuf;

use anyhow::Result;
use jostle_broad::scene::{BoxStream, StreamKind};

use crate::bench::progress::Progress;
use crate::jbox::{Header, MOST_FRAMES, Writer};
use crate::machine::check_memory;
use crate::numbers::parse_count;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle record --stream pile --n 10k --frames 20 --out pile.jbox")]
pub(crate) struct Arguments {
    /// brownian, still10, fast, disparity, pile or still
    #[arg(long, value_name = "NAME", default_value = "brownian")]
    stream: StreamKind,
    /// How many boxes
    #[arg(long, value_name = "COUNT", default_value = "10k", value_parser = parse_count)]
    n: usize,
    /// How many frames
    #[arg(long, value_name = "COUNT", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: u32,
    /// Another seed gives other boxes
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object about it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    check_memory(arguments.n, 0)?;
    let header = Header { n: u32::try_from(arguments.n)?, frames: arguments.frames };
    let mut writer = Writer::create(&arguments.out, header)?;
    let mut stream = BoxStream::new(arguments.stream, arguments.n, arguments.seed);
    let mut progress = Progress::new(arguments.stream.name(), arguments.n, arguments.frames);
    for frame in 0..arguments.frames {
        if frame > 0 {
            stream.advance();
        }
        writer.write_frame(stream.boxes())?;
        progress.frame_done(frame);
    }
    progress.end();
    writer.finish()?;
    if arguments.json {
        return output::print_json(&serde_json::json!({
            "file": arguments.out.display().to_string(), "stream": arguments.stream.name(), "n": arguments.n,
            "frames": arguments.frames, "seed": arguments.seed,
        }));
    }
    output::print(&format!(
        "{}: {} frames of {} boxes ({})\n",
        arguments.out.display(),
        arguments.frames,
        arguments.n,
        arguments.stream.name()
    ))
}
