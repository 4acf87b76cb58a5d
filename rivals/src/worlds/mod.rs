//! Whole worlds: engines that move the same bodies, frame by frame in turns.

#[cfg(feature = "box3d")]
mod box3d;
#[cfg(feature = "jostle-world")]
mod ours;
pub mod overlap;
pub mod plan;
mod rapier;
pub mod report;
pub mod run;
pub mod scene;
pub mod world;

pub use world::{Counts, Engine, Pose, RivalWorld};

/// The engines that were built in.
pub fn engines() -> Vec<Engine> {
    vec![
        #[cfg(feature = "jostle-world")]
        ours::ENGINE,
        rapier::ENGINE,
        #[cfg(feature = "box3d")]
        box3d::ENGINE,
    ]
}

/// What was left out of this build, and why.
pub fn left_out() -> Vec<&'static str> {
    let mut reasons = Vec::new();
    if !cfg!(feature = "jostle-world") {
        reasons.push("jostle (feature `jostle-world`)");
    }
    if !cfg!(feature = "box3d") {
        reasons.push(
            "Box3D (feature `box3d`): needs the Debian packages cmake and libclang-dev and a C compiler",
        );
    }
    reasons
}
