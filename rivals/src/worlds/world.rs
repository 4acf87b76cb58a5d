//! What an engine must do to take part: make a world of a scene, step it, say where its bodies are.

use anyhow::Result;
use jostle_broad::glam::{Quat, Vec3};

use super::scene::Scene;

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Of the body's origin.
    pub position: Vec3,
    /// Of length 1.
    pub rotation: Quat,
}

/// What an engine says about its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Pairs of bodies that the engine keeps because their fattened bounds overlap.
    pub pairs: usize,
    /// Manifolds with at least one point, among awake bodies.
    pub manifolds: usize,
}

/// An engine as it can be chosen and made.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The name users choose it by.
    pub name: &'static str,
    /// The library and its version.
    pub version: &'static str,
    /// Its solver's passes over all contacts in one frame, in words.
    pub passes: &'static str,
    /// Makes a world of the scene, for this many threads, with sleeping off.
    pub make: fn(&Scene, usize) -> Result<Box<dyn RivalWorld>>,
}

/// A world at work.
pub trait RivalWorld {
    /// Moves the world on by so many seconds. The clock runs.
    fn step(&mut self, dt: f32) -> Result<()>;

    /// Where all bodies of the scene are, in its order.
    fn poses(&self, out: &mut Vec<Pose>);

    /// May bodies fall asleep from now on?
    fn allow_sleep(&mut self, allowed: bool) -> Result<()>;

    /// How many dynamic bodies are not asleep.
    fn awake(&self) -> usize;

    /// What the engine says about the last step.
    fn counts(&self) -> Counts;

    /// Milliseconds of the stages of the last step, by the engine's own clock and in its own words. The stages follow
    /// one another; one whose name starts with a space is a part of the one before it.
    fn stages(&self) -> Vec<(&'static str, f64)>;
}
