//! What can be wrong with a snapshot. The world is as before whenever one of these is returned.

use jostle_broad::FindError;
use thiserror::Error;

use super::bytes::Broken;
use crate::{ShapeHash, WorldError};

/// Why there is no snapshot, or why a world did not take it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Bytes that are something else.
    #[error("these bytes are no snapshot: they do not begin with `JSNP`")]
    NotASnapshot,
    /// A format of another time.
    #[error("the snapshot has format version {version}; this library reads version {known}")]
    UnknownVersion {
        /// What it has.
        version: u32,
        /// What is known here.
        known: u32,
    },
    /// Bytes were lost or changed.
    #[error("the snapshot is damaged: {what}; take it from where it was written again")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// A shape that neither the snapshot nor the world holds.
    #[error(
        "the snapshot needs shape {hash:?}, which this world does not know; give it to `register_shape` first"
    )]
    MissingShape {
        /// Its name.
        hash: ShapeHash,
    },
    /// The world has other rules.
    #[error(
        "the snapshot's setting `{name}` differs from the world's; make a world with `Snapshot::settings`"
    )]
    OtherSettings {
        /// The first setting that differs.
        name: &'static str,
    },
    /// A body that cannot be.
    #[error("the snapshot holds a body that cannot be: {0}")]
    BadBody(Box<WorldError>),
    /// The pair finder refused.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The world is being recorded.
    #[error(
        "the world is being recorded, and a recording goes on from one state; call `stop_recording` first"
    )]
    Recording,
}

impl From<Broken> for SnapshotError {
    fn from(Broken(what): Broken) -> Self {
        Self::Damaged { what }
    }
}
