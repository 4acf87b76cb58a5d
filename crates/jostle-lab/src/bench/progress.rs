//! Shows how far a scene has come: a bar on a terminal, elsewhere a plain line now and then. All on standard error.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::numbers::grouped;

/// Between two plain lines.
const PAUSE: Duration = Duration::from_secs(10);

pub(crate) struct Progress {
    what: String,
    frames: u32,
    bar: Option<ProgressBar>,
    told: Instant,
}

impl Progress {
    pub(crate) fn new(stream: &str, n: usize, frames: u32) -> Self {
        let what = format!("{stream}, n = {}", grouped(n as u64));
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] frame {pos} of {len}, {eta} left")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(u64::from(frames)).with_style(style).with_message(what.clone())
        });
        Self { what, frames, bar, told: Instant::now() }
    }

    pub(crate) fn frame_done(&mut self, frame: u32) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        } else if self.told.elapsed() >= PAUSE {
            eprintln!("jostle: {}: {} of {} frames done", self.what, frame + 1, self.frames);
            self.told = Instant::now();
        }
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
