//! Ctrl-C: a wish to stop, which long work looks at between two frames, so that it ends with what it has.
//!
//! A command that can stop in the middle calls [`listen`] before its work and [`asked`] between two steps of it. A second
//! Ctrl-C ends the process at once. Commands that never call `listen` end at the first one, as usual.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell reports of a process that Ctrl-C ended: 128 and the number of the signal.
pub(crate) const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: OnceLock<()> = OnceLock::new();

/// From now on Ctrl-C is a wish. Where the system does not allow it, Ctrl-C ends the process as usual.
pub(crate) fn listen() {
    LISTENING.get_or_init(|| {
        let heard = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(EXIT_CODE));
            }
        });
        if let Err(error) = heard {
            eprintln!("jostle: Ctrl-C will end this at once, without results: {error}");
        }
    });
}

/// Was Ctrl-C pressed since [`listen`]?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
