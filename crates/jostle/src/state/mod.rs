//! A world's state as a whole: its hash, its snapshots, and the copy a step falls back on.
//!
//! State is what a step or its events read, and nothing else: settings, bodies, their boxes, contacts with the impulses
//! they carry. What is computed from it, and what only saves time, is left out, so that equal states are equal here
//! whatever happened before.

mod backup;
pub(crate) mod bytes;
pub(crate) mod description;
mod error;
mod format;
mod hashing;
mod restore;
mod rules;
mod snapshot;

pub use error::SnapshotError;
pub use snapshot::Snapshot;
