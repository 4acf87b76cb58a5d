//! A deterministic rigid-body world.

mod body;
mod command;
mod contact;
mod error;
mod event;
mod fixed_step;
mod hash;
mod material;
mod mesh;
mod narrow;
mod pose;
pub mod query;
mod recording;
mod report;
pub mod scenes;
mod settings;
mod shape;
mod simd;
mod solve;
mod stages;
mod state;
mod step;
pub mod volumes;
mod world;

pub use body::{AxisLocks, Body, BodyId, BodyKind, Mass, Part};
pub use command::Command;
pub use error::WorldError;
pub use event::{Event, EventKind, Events};
pub use fixed_step::{FixedStep, FixedStepError, Ran};
pub use glam;
pub use hash::StateHash;
pub use jostle_broad as broad;
pub use material::Material;
pub use mesh::{Mesh, MeshError};
pub use narrow::{ContactPoint, MOST_POINTS, Manifold};
pub use pose::{Pose, Velocity};
pub use recording::{RecordedFrame, Recording, RecordingError, RecordingSettings, ReplayError, ReplayReport};
pub use report::{STAGES, StepReport};
pub use settings::{ResponseSettings, SleepSettings, WorldSettings};
pub use shape::{
    DecomposeSettings, DecompositionCache, Geometry, MassProperties, Shape, ShapeBytesError, ShapeError,
    ShapeHash, concave, decompose,
};
pub use solve::{ForceLaw, Touch};
pub use state::{Snapshot, SnapshotError};
pub use world::{BodyState, ContactView, Execution, World};

/// Compiles and runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
