//! Shows how far a scene has come: a bar on a terminal, elsewhere a plain line now and then. All on standard error.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::numbers::grouped;

/// Between two plain lines.
const PAUSE: Duration = Duration::from_secs(10);
/// Between two words on a frame beside a bar: nobody reads faster.
const GLANCE: Duration = Duration::from_millis(200);

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
            let template = "{msg} [{bar:40}] frame {pos} of {len}, {eta} left{prefix}";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(u64::from(frames)).with_style(style).with_message(what.clone())
        });
        Self { what, frames, bar, told: Instant::now() }
    }

    pub(crate) fn frame_done(&mut self, frame: u32) {
        self.tell(frame, String::new);
    }

    /// The same with something to say about the frame.
    pub(crate) fn frame_done_with(&mut self, frame: u32, detail: impl FnOnce() -> String) {
        self.tell(frame, || format!("; {}", detail()));
    }

    fn tell(&mut self, frame: u32, detail: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            if self.told.elapsed() >= GLANCE {
                bar.set_prefix(detail());
                self.told = Instant::now();
            }
            bar.inc(1);
        } else if self.told.elapsed() >= PAUSE {
            eprintln!("jostle: {}: {} of {} frames done{}", self.what, frame + 1, self.frames, detail());
            self.told = Instant::now();
        }
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
