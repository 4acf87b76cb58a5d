//! A finder from outside, on a device of its own: opened and rehearsed by another thread, lent to `auto` when it is
//! ready, given up for good when it fails.
//!
//! Opening takes a good part of a second, which no frame shall pay. The rehearsal finds the pairs of a made-up scene as
//! large as the one at hand, so that memory is there and kernels are compiled when the first real frame comes; it says
//! what a frame will cost, transfers included; and a device whose pairs are wrong never gets a real one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::worker::RelayFinder;
use crate::scene::{BoxStream, StreamKind};
use crate::{Boxes, FindError, FindSettings, Moved, PairFinder, Sweep};

/// Makes the finder, which may take its time, or says why there is none.
pub(super) type Open = Box<dyn FnOnce() -> Result<Box<dyn RelayFinder>, FindError> + Send + Sync>;

/// A finder from outside, and how far it has come.
pub(super) struct Device {
    name: &'static str,
    state: State,
    /// Cleared to cut a rehearsal short.
    wanted: Arc<AtomicBool>,
}

enum State {
    Offered(Open),
    Opening(JoinHandle<Result<Rehearsed, String>>),
    Parked(Box<dyn RelayFinder>),
    AtWork,
    GivenUp(String),
}

/// A finder that is ready.
pub(super) struct Rehearsed {
    finder: Box<dyn RelayFinder>,
    nanoseconds_per_box: f64,
}

/// Boxes of a rehearsal at most: it shall not take long, nor much memory.
const MOST_REHEARSED: usize = 1 << 20;
/// Frames of a rehearsal, and those of them that only make everything ready.
const FRAMES: usize = 5;
const WARM_UP: usize = 2;

impl Device {
    pub(super) fn new(name: &'static str, open: Open) -> Self {
        Self { name, state: State::Offered(open), wanted: Arc::new(AtomicBool::new(true)) }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Starts opening, unless that has been done, for scenes of about so many boxes.
    pub(super) fn open(&mut self, boxes: usize) {
        let open = match std::mem::replace(&mut self.state, State::AtWork) {
            State::Offered(open) => open,
            other => {
                self.state = other;
                return;
            }
        };
        let wanted = Arc::clone(&self.wanted);
        let thread = std::thread::Builder::new().name(format!("opening {}", self.name));
        self.state = match thread.spawn(move || rehearse(open, boxes.min(MOST_REHEARSED), &wanted)) {
            Ok(handle) => State::Opening(handle),
            Err(error) => State::GivenUp(format!("no thread to open it: {error}")),
        };
    }

    /// Waits until opening has come to an end, if it has begun.
    pub(super) fn wait(&self) {
        while matches!(&self.state, State::Opening(handle) if !handle.is_finished()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Has opening just come to an end? Then what a box costs, in nanoseconds, or why there will be no device.
    pub(super) fn news(&mut self) -> Option<Result<f64, String>> {
        let handle = match std::mem::replace(&mut self.state, State::AtWork) {
            State::Opening(handle) if handle.is_finished() => handle,
            other => {
                self.state = other;
                return None;
            }
        };
        Some(match handle.join().unwrap_or_else(|_| Err("it panicked while opening".to_string())) {
            Ok(Rehearsed { finder, nanoseconds_per_box }) => {
                self.state = State::Parked(finder);
                Ok(nanoseconds_per_box)
            }
            Err(reason) => {
                self.give_up(reason.clone());
                Err(reason)
            }
        })
    }

    /// The finder, to set it to work.
    pub(super) fn lend(&mut self) -> Option<Box<dyn RelayFinder>> {
        match std::mem::replace(&mut self.state, State::AtWork) {
            State::Parked(finder) => Some(finder),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Takes it back. One that was given up meanwhile goes.
    pub(super) fn park(&mut self, finder: Box<dyn RelayFinder>) {
        if matches!(self.state, State::AtWork) {
            self.state = State::Parked(finder);
        }
    }

    pub(super) fn give_up(&mut self, reason: String) {
        self.state = State::GivenUp(reason);
    }

    /// Why it was given up.
    pub(super) fn trouble(&self) -> Option<&str> {
        match &self.state {
            State::GivenUp(reason) => Some(reason),
            _ => None,
        }
    }

    /// The bytes it holds while it does not work.
    pub(super) fn parked_bytes(&self) -> usize {
        match &self.state {
            State::Parked(finder) => finder.bytes(),
            _ => 0,
        }
    }
}

impl Drop for Device {
    /// Waits for the thread: drivers must not be at work while the process takes its libraries down.
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        if let State::Opening(handle) = std::mem::replace(&mut self.state, State::AtWork) {
            // Whatever became of it, nobody is left to be told.
            drop(handle.join());
        }
    }
}

/// Opens the device, and lets it find the pairs of a made-up scene.
fn rehearse(open: Open, boxes: usize, wanted: &AtomicBool) -> Result<Rehearsed, String> {
    let mut finder = open().map_err(reason)?;
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let mut stream = BoxStream::new(StreamKind::Brownian, boxes, 1);
    let mut store = Boxes::from_aabbs(stream.boxes()).map_err(|error| error.to_string())?;
    let mut least = Duration::MAX;
    for frame in 0..FRAMES {
        if !wanted.load(Ordering::Relaxed) {
            return Err("it is not needed any more".to_string());
        }
        if frame > 0 {
            stream.advance();
            store.update(Moved::All, stream.boxes()).map_err(|error| error.to_string())?;
        }
        let clock = Instant::now();
        finder.update(&store, &settings).map_err(reason)?;
        if frame >= WARM_UP {
            least = least.min(clock.elapsed());
        }
    }
    let mut sweep = Sweep::default();
    sweep.update(&store, &settings).map_err(reason)?;
    if finder.pairs().as_slice() != sweep.pairs().as_slice() {
        return Err("it found wrong pairs in a rehearsal; look for a newer driver".to_string());
    }
    drop(finder.hand_over());
    Ok(Rehearsed { finder, nanoseconds_per_box: least.as_nanos() as f64 / boxes.max(1) as f64 })
}

/// What failed, without the name of the finder: `auto` puts its own in front.
pub(super) fn reason(error: FindError) -> String {
    match error {
        FindError::Device { reason, .. } => reason,
        other => other.to_string(),
    }
}
