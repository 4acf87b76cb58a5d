//! What can be wrong with recordings.

use std::path::PathBuf;

use thiserror::Error;

use crate::state::bytes::Broken;
use crate::{BodyId, SnapshotError, StateHash, WorldError};

/// Why there is no recording.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// Bytes that are something else.
    #[error("these bytes are no recording: they do not begin with `JREC`")]
    NotARecording,
    /// A format of another time.
    #[error("the recording has format version {version}; this library reads version {known}")]
    UnknownVersion {
        /// What it has.
        version: u32,
        /// What is known here.
        known: u32,
    },
    /// It ends too early, or something in it was changed.
    #[error(
        "the recording is damaged after {whole_frames} whole frames: {what}; `Recording::from_whole_frames` loads those"
    )]
    Damaged {
        /// How many frames are as they were written.
        whole_frames: usize,
        /// What is wrong after them.
        what: &'static str,
    },
    /// Not even its first state is whole.
    #[error("the recording's first state is damaged: {what}; nothing of it can be played")]
    NoFirstState {
        /// What is wrong.
        what: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl From<Broken> for RecordingError {
    fn from(Broken(what): Broken) -> Self {
        Self::NoFirstState { what: what.to_string() }
    }
}

/// Why a recording did not play to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// Another state came out.
    #[error(
        "step {frame} of the recording led to state {found}, recorded is {recorded}; {}",
        .body.map_or("which body differs was not recorded".to_string(), |id| format!("body {id} differs first"))
    )]
    Differs {
        /// The first step with another result; the first one is 1.
        frame: usize,
        /// The lowest id of a body with another state, where the recording has hashes of bodies at this frame.
        body: Option<BodyId>,
        /// The hash in the recording.
        recorded: StateHash,
        /// The hash that came out.
        found: StateHash,
    },
    /// The first state could not be restored.
    #[error("the first state of the recording: {0}")]
    First(#[from] SnapshotError),
    /// There is no world with this execution.
    #[error("no world to play the recording in: {0}")]
    NoWorld(#[source] WorldError),
    /// A command or a step was refused.
    #[error("step {frame} of the recording was refused: {source}")]
    Refused {
        /// Which step; the first one is 1.
        frame: usize,
        /// Why.
        source: WorldError,
    },
}
