//! Recordings: a first snapshot, then for each frame its commands and the hash of the state they led to.
//!
//! A recording holds everything needed to play it again, shapes included. Playing it again checks that the same states
//! come out, and says where they first do not.

mod commands;
mod error;
mod format;
mod recorder;
mod replay;
mod shapes;
#[cfg(test)]
mod tests;

use crate::{BodyId, Command, Snapshot, StateHash};

pub use error::{RecordingError, ReplayError};
pub(crate) use recorder::Recorder;
pub use recorder::RecordingSettings;
pub use replay::ReplayReport;

/// What happened to a world from a state on. Made by [`World::start_recording`](crate::World::start_recording) and
/// [`World::stop_recording`](crate::World::stop_recording).
///
/// ```
/// use jostle::{Body, BodyId, Execution, Recording, Shape, World, glam::Vec3};
///
/// let mut world = World::default();
/// world.start_recording();
/// world.add(BodyId(1), Body::dynamic(Shape::ball(0.5)?))?;
/// for _ in 0..10 {
///     world.step(1.0 / 60.0)?;
/// }
/// let bytes = world.stop_recording().expect("it was started").to_bytes();
///
/// let recording = Recording::from_bytes(&bytes)?;
/// let threads = Execution { threads: 2, ..Execution::default() };
/// assert_eq!(recording.replay(&threads)?.frames, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) first: Snapshot,
    pub(crate) frames: Vec<RecordedFrame>,
}

/// One step of a recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedFrame {
    /// The length of the step.
    pub dt: f32,
    /// The commands of the step, in the order they were applied.
    pub commands: Vec<(BodyId, Command)>,
    /// The hash of the state after it.
    pub hash: StateHash,
    /// Per body in ascending order of ids, the lower half of its hash; empty if this frame has none.
    pub body_hashes: Vec<u32>,
}

impl Recording {
    /// The state it begins with.
    pub fn first(&self) -> &Snapshot {
        &self.first
    }

    /// Its steps.
    pub fn frames(&self) -> &[RecordedFrame] {
        &self.frames
    }
}
