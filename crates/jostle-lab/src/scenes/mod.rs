//! Scenes: what there is to collide, as data.
//!
//! A [`SceneSpec`] says what a scene is. [`SceneSpec::bake`] makes its object paths, once, and [`Baked::play`] gives
//! them to finders, as often as wanted. `docs/scenes.md` describes every kind and every field.

mod bake;
pub(crate) mod command;
mod crowd;
mod describe;
mod draw;
mod fall;
mod fields;
mod file;
pub(crate) mod named;
mod paths;
mod place;
mod room;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use jostle::scenes::Scene as WorldScene;
use jostle_broad::scene::StreamKind;

pub(crate) use bake::Baked;
pub(crate) use crowd::{Crowd, CrowdStream, Motion};
pub(crate) use draw::Distribution;
pub(crate) use fall::Fall;
pub(crate) use paths::{ABSENT, Paths};
pub(crate) use room::{Location, ObjectType, Room};

use crate::experiment::Watch;
use crate::jbox::Reader;
use crate::machine::{check_memory, check_world_memory};
use crate::scene::Rules;
use bake::{Source, bake_boxes, bake_world};

/// A scene as data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SceneSpec {
    /// Woulfe's generic benchmark.
    Room(Box<Room>),
    /// Boxes that move by rule.
    Crowd(Box<Crowd>),
    /// Boxes that fall in a world.
    Fall(Fall),
    /// A seeded stream of boxes of `jostle-broad`.
    Stream(Stream),
    /// A scene of `jostle run`.
    World(World),
    /// A recorded file.
    Boxes(Boxes),
}

/// A seeded stream of boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stream {
    pub(crate) stream: StreamKind,
    pub(crate) objects: usize,
    pub(crate) frames: u32,
    pub(crate) seed: u64,
}

/// A scene of `jostle::scenes`, by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    pub(crate) world: &'static str,
    /// Those that move; 0: what suits the scene.
    pub(crate) objects: usize,
    pub(crate) frames: u32,
    pub(crate) seed: u64,
}

/// A file of recorded boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Boxes {
    /// There is one wherever a scene is made.
    pub(crate) file: Option<PathBuf>,
    /// 0: all there are.
    pub(crate) frames: u32,
}

impl Default for Stream {
    fn default() -> Self {
        Self { stream: StreamKind::Brownian, objects: 10_000, frames: 20, seed: 1 }
    }
}

impl Default for World {
    fn default() -> Self {
        Self { world: "rain", objects: 0, frames: 300, seed: 1 }
    }
}

impl From<Crowd> for SceneSpec {
    fn from(crowd: Crowd) -> Self {
        Self::Crowd(Box::new(crowd))
    }
}

impl From<Room> for SceneSpec {
    fn from(room: Room) -> Self {
        Self::Room(Box::new(room))
    }
}

impl SceneSpec {
    /// The name reports give it, unless it was chosen by another.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Room(_) => "room".to_string(),
            Self::Crowd(_) => "crowd".to_string(),
            Self::Fall(_) => "fall".to_string(),
            Self::Stream(stream) => stream.stream.name().to_string(),
            Self::World(world) => world.world.to_string(),
            Self::Boxes(boxes) => boxes.path().display().to_string(),
        }
    }

    /// Can `jostle run` run it?
    pub(crate) fn has_world(&self) -> bool {
        matches!(self, Self::Room(_) | Self::Fall(_) | Self::World(_))
    }

    /// How many objects it has, walls not counted; 0 if that is left to the world or the file.
    pub(crate) fn objects(&self) -> usize {
        match self {
            Self::Room(room) => room.objects,
            Self::Crowd(crowd) => crowd.objects,
            Self::Fall(fall) => fall.objects,
            Self::Stream(stream) => stream.objects,
            Self::World(world) => world.objects,
            Self::Boxes(_) => 0,
        }
    }

    /// The mesh files it names.
    pub(crate) fn meshes(&self) -> impl Iterator<Item = &Path> {
        let named = match self {
            Self::Room(room) => [room.bunny.as_deref(), room.armadillo.as_deref()],
            _ => [None, None],
        };
        named.into_iter().flatten()
    }

    /// Its seed; a file has none.
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Self::Room(room) => room.seed,
            Self::Crowd(crowd) => crowd.seed,
            Self::Fall(fall) => fall.seed,
            Self::Stream(stream) => stream.seed,
            Self::World(world) => world.seed,
            Self::Boxes(_) => 0,
        }
    }

    /// The scene as bodies of a world, if it has one.
    pub(crate) fn world(&self) -> Result<Option<WorldScene>> {
        Ok(match self {
            Self::Room(room) => {
                check_world_memory(room.objects)?;
                Some(room.scene()?)
            }
            Self::Fall(fall) => {
                check_world_memory(fall.objects)?;
                Some(fall.scene()?)
            }
            Self::World(world) => {
                let entry = jostle::scenes::get(world.world)?;
                let bodies = if world.objects == 0 { entry.default_bodies } else { world.objects };
                check_world_memory(bodies)?;
                Some((entry.make)(bodies, world.seed))
            }
            Self::Crowd(_) | Self::Stream(_) | Self::Boxes(_) => None,
        })
    }

    /// Makes the object paths. Threads change how long it takes, and nothing else.
    pub(crate) fn bake(&self, threads: usize, watch: &Watch<'_>) -> Result<Baked> {
        self.bake_as(self.name(), threads, watch)
    }

    /// The same under another name.
    pub(crate) fn bake_as(&self, name: String, threads: usize, watch: &Watch<'_>) -> Result<Baked> {
        match self {
            Self::Room(_) | Self::Fall(_) | Self::World(_) => {
                let Some(scene) = self.world()? else { bail!("{name}: has no world") };
                bake_world(name, &scene, self.frames(), threads, watch)
            }
            Self::Crowd(crowd) => {
                check_memory(crowd.objects, 0)?;
                let rules = Rules { dimensions: crowd.dimensions, ..Rules::default() };
                let mut baked =
                    bake_boxes(name, crowd.objects, crowd.frames, rules, Source::Crowd(crowd.clone()));
                baked.gaps = crowd.flicker > 0.0;
                Ok(baked)
            }
            Self::Stream(stream) => {
                check_memory(stream.objects, 0)?;
                let source = Source::Stream(stream.clone());
                Ok(bake_boxes(name, stream.objects, stream.frames, Rules::default(), source))
            }
            Self::Boxes(boxes) => {
                let reader = Reader::open(boxes.path())?;
                let (there, asked) = (reader.header().frames, boxes.frames);
                if asked > there {
                    bail!("{name}: holds {there} frames, but --frames asks for {asked}; ask for fewer");
                }
                let frames = if asked == 0 { there } else { asked };
                let count = reader.header().n as usize;
                let source = Source::File(boxes.path().to_path_buf());
                let mut baked = bake_boxes(name, count, frames, reader.header().rules, source);
                baked.gaps = reader.header().gaps;
                Ok(baked)
            }
        }
    }

    /// How many frames it has; 0 if a file will tell.
    pub(crate) fn frames(&self) -> u32 {
        match self {
            Self::Room(room) => room.cycles,
            Self::Crowd(crowd) => crowd.frames,
            Self::Fall(fall) => fall.frames,
            Self::Stream(stream) => stream.frames,
            Self::World(world) => world.frames,
            Self::Boxes(boxes) => boxes.frames,
        }
    }

    /// The same with another number of frames.
    pub(crate) fn with_frames(mut self, count: u32) -> Self {
        let frames = match &mut self {
            Self::Room(room) => &mut room.cycles,
            Self::Crowd(crowd) => &mut crowd.frames,
            Self::Fall(fall) => &mut fall.frames,
            Self::Stream(stream) => &mut stream.frames,
            Self::World(world) => &mut world.frames,
            Self::Boxes(boxes) => &mut boxes.frames,
        };
        *frames = count;
        self
    }

    /// The same with another number of objects, which a file does not allow.
    pub(crate) fn with_objects(mut self, count: usize) -> Result<Self> {
        if count == 0 && !matches!(self, Self::Stream(_)) {
            bail!("{}: 0 objects are nothing to look at; ask for at least 1", self.name());
        }
        let objects = match &mut self {
            Self::Room(room) => &mut room.objects,
            Self::Crowd(crowd) => &mut crowd.objects,
            Self::Fall(fall) => &mut fall.objects,
            Self::Stream(stream) => &mut stream.objects,
            Self::World(world) => &mut world.objects,
            Self::Boxes(_) => bail!("{}: holds as many boxes as it does; leave --n away", self.name()),
        };
        *objects = count;
        Ok(self)
    }

    /// The same with another seed, which a file does not have.
    pub(crate) fn with_seed(mut self, number: u64) -> Result<Self> {
        let seed = match &mut self {
            Self::Room(room) => &mut room.seed,
            Self::Crowd(crowd) => &mut crowd.seed,
            Self::Fall(fall) => &mut fall.seed,
            Self::Stream(stream) => &mut stream.seed,
            Self::World(world) => &mut world.seed,
            Self::Boxes(_) => bail!("{}: has no seed; leave --seed away", self.name()),
        };
        *seed = number;
        Ok(self)
    }
}

impl Boxes {
    fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}
