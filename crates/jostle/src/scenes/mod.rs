//! Scenes as code, shared by tests, benches, examples and the lab.
//!
//! In: a name, a number of moving bodies and a seed. Out: a [`Scene`], the same bits on every machine. A scene is plain
//! data and a function of the frame; [`Scene::build`] makes worlds of it, as many as wanted.
//!
//! ```
//! use jostle::{Execution, scenes};
//!
//! let scene = (scenes::get("rain")?.make)(100, 1);
//! let mut world = scene.build(&Execution::default())?;
//! let report = scene.step(&mut world)?;
//! assert_eq!(report.frame, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod drum;
mod loose;
mod palette;
mod stacks;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::{Body, BodyId, BodyKind, Command, Execution, StepReport, World, WorldError, WorldSettings};

/// Bodies at the start, the rules, and what is commanded on the way.
pub struct Scene {
    /// The name users choose it by.
    pub name: &'static str,
    /// What there is to see.
    pub description: &'static str,
    /// The rules.
    pub settings: WorldSettings,
    /// All bodies: furniture such as ground and walls first, then those that move.
    pub bodies: Vec<(BodyId, Arc<Body>)>,
    /// The length of a frame, in seconds.
    pub dt: f32,
    drive: Drive,
}

/// The commands before the step with this number, counted from 0.
pub type Drive = Box<dyn Fn(u64) -> Vec<(BodyId, Command)> + Send + Sync>;

/// A scene that can be made by name.
#[derive(Clone, Copy, Debug)]
pub struct SceneEntry {
    /// The name users choose it by.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// A number of moving bodies that shows what it is about.
    pub default_bodies: usize,
    /// Makes it with this many moving bodies and a seed.
    pub make: fn(bodies: usize, seed: u64) -> Scene,
}

/// There is no scene of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown scene `{name}`; there are: {}", names())]
pub struct UnknownScene {
    name: String,
}

/// All scenes.
pub fn all() -> &'static [SceneEntry] {
    &SCENES
}

/// The scene of this name.
pub fn get(name: &str) -> Result<&'static SceneEntry, UnknownScene> {
    SCENES.iter().find(|entry| entry.name == name).ok_or_else(|| UnknownScene { name: name.to_string() })
}

fn names() -> String {
    SCENES.map(|entry| entry.name).join(", ")
}

static SCENES: [SceneEntry; 8] = [
    SceneEntry { name: "rain", summary: loose::RAIN, default_bodies: 1000, make: loose::rain },
    SceneEntry { name: "pit", summary: loose::PIT, default_bodies: 1000, make: loose::pit },
    SceneEntry { name: "pyramid", summary: stacks::PYRAMID, default_bodies: 210, make: stacks::pyramid },
    SceneEntry { name: "wall", summary: stacks::WALL, default_bodies: 201, make: stacks::wall },
    SceneEntry { name: "gas", summary: loose::GAS, default_bodies: 5000, make: loose::gas },
    SceneEntry { name: "drum", summary: drum::DRUM, default_bodies: 2000, make: drum::drum },
    SceneEntry { name: "layer", summary: loose::LAYER, default_bodies: 10_000, make: loose::layer },
    SceneEntry { name: "giant", summary: loose::GIANT, default_bodies: 2000, make: loose::giant },
];

impl Scene {
    /// A scene made elsewhere: bodies with ids 0, 1, 2, ..., furniture first; 60 frames a second; nothing is commanded.
    pub fn new(
        name: &'static str,
        description: &'static str,
        settings: WorldSettings,
        bodies: impl IntoIterator<Item = Body>,
    ) -> Self {
        let bodies = (0..).map(BodyId).zip(bodies.into_iter().map(Arc::new)).collect();
        Self { name, description, settings, bodies, dt: builder::DT, drive: Box::new(|_| Vec::new()) }
    }

    /// The same with commands on the way.
    #[must_use]
    pub fn driven(mut self, drive: Drive) -> Self {
        self.drive = drive;
        self
    }

    /// A world of it. The bodies enter with the first step.
    pub fn build(&self, execution: &Execution) -> Result<World, WorldError> {
        let mut world = World::with_execution(self.settings, execution)?;
        self.fill(&mut world)?;
        Ok(world)
    }

    /// Puts its bodies into a world made elsewhere, with a finder of the user's own for example.
    pub fn fill(&self, world: &mut World) -> Result<(), WorldError> {
        self.bodies.iter().try_for_each(|(id, body)| world.add(*id, Arc::clone(body)))
    }

    /// What is commanded before the step with this number, counted from 0.
    pub fn commands(&self, frame: u64) -> Vec<(BodyId, Command)> {
        (self.drive)(frame)
    }

    /// Gives a world of this scene its commands, and moves it on by a frame.
    pub fn step(&self, world: &mut World) -> Result<StepReport, WorldError> {
        for (id, command) in self.commands(world.frame()) {
            world.command(id, command)?;
        }
        world.step(self.dt)
    }

    /// How many bodies move by gravity, forces and contacts.
    pub fn moving(&self) -> usize {
        self.bodies.iter().filter(|(_, body)| body.kind == BodyKind::Dynamic).count()
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("name", &self.name)
            .field("bodies", &self.bodies.len())
            .finish_non_exhaustive()
    }
}
