//! Scenes: what there is to collide, as data.
//!
//! A [`SceneSpec`] says what a scene is. [`SceneSpec::bake`] makes its object paths, once, and [`Baked::play`] gives
//! them to finders, as often as wanted. `docs/scenes.md` describes every kind and every field.

mod bake;
mod draw;
mod paths;
mod room;

use std::path::PathBuf;

use anyhow::{Result, bail};
use jostle::scenes::Scene as WorldScene;
use jostle_broad::scene::StreamKind;

pub(crate) use bake::Baked;
pub(crate) use draw::{Distribution, Draws};
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
    pub(crate) objects: usize,
    pub(crate) frames: u32,
    pub(crate) seed: u64,
}

/// A file of recorded boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Boxes {
    pub(crate) file: PathBuf,
    /// 0: all there are.
    pub(crate) frames: u32,
}

impl From<Room> for SceneSpec {
    fn from(room: Room) -> Self {
        Self::Room(Box::new(room))
    }
}

impl SceneSpec {
    /// The name reports give it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Room(_) => "room".to_string(),
            Self::Stream(stream) => stream.stream.name().to_string(),
            Self::World(world) => world.world.to_string(),
            Self::Boxes(boxes) => boxes.file.display().to_string(),
        }
    }

    /// The scene as bodies of a world, if it has one.
    pub(crate) fn world(&self) -> Result<Option<WorldScene>> {
        Ok(match self {
            Self::Room(room) => {
                check_world_memory(room.objects)?;
                Some(room.scene()?)
            }
            Self::World(world) => {
                check_world_memory(world.objects)?;
                Some((jostle::scenes::get(world.world)?.make)(world.objects, world.seed))
            }
            Self::Stream(_) | Self::Boxes(_) => None,
        })
    }

    /// Makes the object paths. Threads change how long it takes, and nothing else.
    pub(crate) fn bake(&self, threads: usize, watch: &Watch<'_>) -> Result<Baked> {
        let name = self.name();
        if let Some(scene) = self.world()? {
            return bake_world(name, &scene, self.frames(), threads, watch);
        }
        match self {
            Self::Stream(Stream { stream, objects, frames, seed }) => {
                check_memory(*objects, 0)?;
                let source = Source::Stream { kind: *stream, n: *objects, seed: *seed };
                Ok(bake_boxes(name, *objects, *frames, Rules::default(), source))
            }
            Self::Boxes(Boxes { file, frames }) => {
                let reader = Reader::open(file)?;
                let there = reader.header().frames;
                if *frames > there {
                    bail!("{name}: holds {there} frames, but {frames} are asked for; ask for fewer");
                }
                let frames = if *frames == 0 { there } else { *frames };
                let boxes = reader.header().n as usize;
                Ok(bake_boxes(name, boxes, frames, reader.rules(), Source::File(file.clone())))
            }
            Self::Room(_) | Self::World(_) => unreachable!("scenes with a world are baked above"),
        }
    }

    /// How many frames it has; 0 if a file will tell.
    pub(crate) fn frames(&self) -> u32 {
        match self {
            Self::Room(room) => room.cycles,
            Self::Stream(stream) => stream.frames,
            Self::World(world) => world.frames,
            Self::Boxes(boxes) => boxes.frames,
        }
    }
}
