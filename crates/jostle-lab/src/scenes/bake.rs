//! Baking: the paths of all objects, made once, before anything is timed.
//!
//! In: a scene of a world, or what makes boxes frame by frame. Out: a [`Baked`], which can be played to finders as often
//! as wanted. Every finder is given the same boxes, and none of the time it took to make them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use jostle::scenes::Scene as WorldScene;
use jostle::{BodyKind, Execution, STAGES};

use super::Stream;
use super::crowd::{Crowd, CrowdStream};
use super::paths::{ABSENT, Paths};
use crate::experiment::Watch;
use crate::failure::Stopped;
use crate::jbox::Reader;
use crate::machine::check_paths_memory;
use crate::scene::{Rules, Scene};

/// A scene ready to be played.
#[derive(Clone, Debug)]
pub(crate) struct Baked {
    /// The name reports give it.
    pub(crate) name: String,
    /// Objects that are no walls.
    pub(crate) bodies: usize,
    /// Boxes of walls, ground and the like: the first ids.
    pub(crate) walls: usize,
    pub(crate) frames: u32,
    /// Of scenes with a world, for each frame: milliseconds of each of [`STAGES`].
    pub(crate) stages: Vec<[f64; STAGES.len()]>,
    /// Of scenes with a world, for each frame: how many contacts the narrow phase found.
    pub(crate) contacts: Vec<usize>,
    /// What counts as a pair.
    pub(crate) rules: Rules,
    /// Do objects come and go?
    pub(crate) gaps: bool,
    pub(super) source: Source,
}

/// Where frames come from. Large scenes are made again each time they are played, because they do not fit in memory.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Paths(Arc<Paths>),
    Stream(Stream),
    Crowd(Box<Crowd>),
    File(PathBuf),
}

impl Baked {
    /// The scene at its first frame.
    pub(crate) fn play(&self) -> Result<Scene> {
        let name = self.name.clone();
        Ok(match &self.source {
            Source::Paths(paths) => Scene::paths(name, self.rules, Arc::clone(paths)),
            Source::Stream(Stream { stream, objects, seed, .. }) => {
                Scene::stream(*stream, *objects, *seed).renamed(name)
            }
            Source::Crowd(crowd) => Scene::crowd(name, self.rules, CrowdStream::new(crowd)),
            Source::File(path) => Scene::file(Reader::open(path)?)?,
        })
    }

    /// Boxes of a frame, walls included.
    pub(crate) fn boxes(&self) -> usize {
        self.bodies + self.walls
    }

    /// Milliseconds of a stage of the world in each frame: `find_contacts` is the narrow phase.
    pub(crate) fn stage(&self, name: &str) -> Vec<f64> {
        let index = STAGES.iter().position(|stage| *stage == name);
        index.map_or(Vec::new(), |index| self.stages.iter().map(|times| times[index]).collect())
    }
}

/// Steps a world, and keeps the boxes its finder saw in each frame.
pub(super) fn bake_world(
    name: String,
    scene: &WorldScene,
    frames: u32,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Baked> {
    let count = scene.bodies.len();
    check_paths_memory(count, frames)?;
    let walls = scene.bodies.iter().take_while(|(_, body)| body.kind != BodyKind::Dynamic).count();
    let mut world = scene.build(&Execution { threads, ..Execution::default() })?;
    let mut paths = Paths::default();
    let (mut stages, mut contacts) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        if (watch.stopped)() {
            return Err(Stopped(format!("while the object paths of {name} were made")).into());
        }
        let report = scene.step(&mut world)?;
        paths.push((0..count as u32).map(|id| world.boxes().get(id).unwrap_or(ABSENT)));
        stages.push(report.times.map(|time| time.as_secs_f64() * 1e3));
        contacts.push(report.manifolds);
        (watch.done)(f64::from(frame + 1) / f64::from(frames));
    }
    let rules = Rules { walls, ..Rules::default() };
    let source = Source::Paths(Arc::new(paths));
    let bodies = count - walls;
    Ok(Baked { name, bodies, walls, frames, stages, contacts, rules, gaps: false, source })
}

/// What is played as it is made has no world, and nothing to say about one.
pub(super) fn bake_boxes(name: String, boxes: usize, frames: u32, rules: Rules, source: Source) -> Baked {
    let bodies = boxes - rules.walls;
    let (stages, contacts) = (Vec::new(), Vec::new());
    Baked { name, bodies, walls: rules.walls, frames, stages, contacts, rules, gaps: false, source }
}
