//! Every field of every kind of scene: its name, what it means, and what it may be. Scene files are read and written by
//! these lists, and `docs/scenes.md` is held to them by a test.

use anyhow::{Result, bail};
use jostle_broad::Dimensions;
use jostle_broad::scene::StreamKind;

use super::crowd::{Arrangement, Crowd, Motion};
use super::fall::Fall;
use super::fields::{Visit, choice, file, number, spread, switch, whole};
use super::room::{Location, ObjectType, Room};
use super::{Boxes, SceneSpec, Stream, World};
use crate::jbox::MOST_FRAMES;

/// More objects than any machine holds are refused by the memory they need.
const MOST_OBJECTS: u64 = 100_000_000;
const FRAMES: u64 = MOST_FRAMES as u64;

/// Names of types, as scene files have them.
const TYPES: [(&str, ObjectType); 7] = [
    ("spheres", ObjectType::Spheres),
    ("cuboids", ObjectType::Cuboids),
    ("cylinders", ObjectType::Cylinders),
    ("cones", ObjectType::Cones),
    ("bunnies", ObjectType::Bunnies),
    ("armadillos", ObjectType::Armadillos),
    ("uniform", ObjectType::Uniform),
];
const LOCATIONS: [(&str, Location); 3] =
    [("constant", Location::Constant), ("uniform", Location::Uniform), ("normal", Location::Normal)];
const ARRANGEMENTS: [(&str, Arrangement); 6] = [
    ("uniform", Arrangement::Uniform),
    ("layer", Arrangement::Layer),
    ("clusters", Arrangement::Clusters),
    ("line-x", Arrangement::LineX),
    ("line-y", Arrangement::LineY),
    ("line-z", Arrangement::LineZ),
];
const MOTIONS: [(&str, Motion); 5] = [
    ("still", Motion::Still),
    ("jump", Motion::Jump),
    ("wander", Motion::Wander),
    ("bounce", Motion::Bounce),
    ("sway", Motion::Sway),
];

impl SceneSpec {
    /// Visits all fields of this kind.
    pub(super) fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        match self {
            Self::Room(room) => room.fields(visit),
            Self::Crowd(crowd) => crowd.fields(visit),
            Self::Fall(fall) => fall.fields(visit),
            Self::Stream(stream) => stream.fields(visit),
            Self::World(world) => world.fields(visit),
            Self::Boxes(boxes) => boxes.fields(visit),
        }
    }

    /// Refuses fields that do not go together; names one of them.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Crowd(crowd) if crowd.dimensions == Dimensions::Two => {
                if crowd.arrangement == Arrangement::LineZ {
                    bail!("`arrangement`: a line along z is a point in 2 dimensions; write dimensions = 3");
                }
                if crowd.arrangement == Arrangement::Layer {
                    bail!("`arrangement`: a layer is a line in 2 dimensions; write \"line-x\"");
                }
                Ok(())
            }
            Self::Boxes(Boxes { file: None, .. }) => {
                bail!("`file`: is not there; name a file written by `jostle record`")
            }
            _ => Ok(()),
        }
    }
}

impl Room {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        visit.field(
            "cycles",
            "How many frames of a sixtieth of a second",
            &mut whole(&mut self.cycles, 1, FRAMES),
        )?;
        visit.field(
            "objects",
            "How many objects; the cube grows with them",
            &mut whole(&mut self.objects, 1, MOST_OBJECTS),
        )?;
        visit.field(
            "type",
            "What they are; uniform: each one any of the six",
            &mut choice(&mut self.kind, &TYPES),
        )?;
        visit.field(
            "location",
            "Where they begin: on a grid, or by chance and free of each other",
            &mut choice(&mut self.location, &LOCATIONS),
        )?;
        visit.field(
            "size",
            "Metres along each axis; distributions are drawn for each axis apart",
            &mut spread(&mut self.size, 0.001, 1e6),
        )?;
        visit.field("mass", "Kilograms", &mut spread(&mut self.mass, 0.001, 1e9))?;
        visit.field(
            "aspect",
            "Height and depth as shares of the size; spheres have none, cones no depth",
            &mut spread(&mut self.aspect, 0.001, 1000.0),
        )?;
        visit.field(
            "acceleration",
            "Of all objects, drawn once, in metres per second squared",
            &mut spread(&mut self.acceleration, -1e4, 1e4),
        )?;
        visit.field(
            "linear_velocity",
            "Of each object, in metres a second; the world holds bodies back at 400",
            &mut spread(&mut self.linear_velocity, -1e4, 1e4),
        )?;
        visit.field(
            "angular_velocity",
            "Of each object, in radians a second",
            &mut spread(&mut self.angular_velocity, -1e3, 1e3),
        )?;
        visit.field(
            "seed",
            "Of both generators, the uniform and the normal one",
            &mut whole(&mut self.seed, 0, u64::MAX),
        )?;
        visit.field(
            "tries",
            "How often a place is drawn for an object before the room counts as full",
            &mut whole(&mut self.tries, 1, u32::MAX.into()),
        )?;
        visit.field("friction", "Of all surfaces", &mut number(&mut self.friction, 0.0, 100.0))?;
        visit.field(
            "restitution",
            "The share of the approaching speed a bounce gives back",
            &mut number(&mut self.restitution, 0.0, 1.0),
        )?;
        visit.field(
            "bunny",
            "A mesh to take for bunnies, cut into at most 22 convex pieces",
            &mut file(&mut self.bunny, "an OBJ, STL or PLY file"),
        )?;
        visit.field(
            "armadillo",
            "A mesh to take for armadillos, cut into at most 25 convex pieces",
            &mut file(&mut self.armadillo, "an OBJ, STL or PLY file"),
        )
    }
}

impl Crowd {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        let mut dimensions = if self.dimensions == Dimensions::Two { 2u8 } else { 3 };
        visit.field("objects", "How many boxes", &mut whole(&mut self.objects, 1, MOST_OBJECTS))?;
        visit.field("frames", "How many frames", &mut whole(&mut self.frames, 1, FRAMES))?;
        visit.field("seed", "Another seed gives other boxes", &mut whole(&mut self.seed, 0, u64::MAX))?;
        visit.field("dimensions", "In 2 dimensions z does not count", &mut whole(&mut dimensions, 2, 3))?;
        visit.field(
            "size",
            "Along each axis, drawn for each axis apart",
            &mut spread(&mut self.size, 0.001, 1e6),
        )?;
        visit.field(
            "disparity",
            "Each box is 1 to so many times as large as drawn, all powers equally likely",
            &mut number(&mut self.disparity, 1.0, 1e6),
        )?;
        visit.field(
            "arrangement",
            "Where boxes begin: in a cube, on the ground, in dense clusters, on one line",
            &mut choice(&mut self.arrangement, &ARRANGEMENTS),
        )?;
        visit.field(
            "pairs",
            "Overlapping pairs per box the world is made large enough for",
            &mut number(&mut self.pairs, 0.0001, 1e4),
        )?;
        visit.field(
            "extent",
            "The side of the world; 0: as `pairs` says",
            &mut number(&mut self.extent, 0.0, 1e9),
        )?;
        visit.field(
            "clusters",
            "How many clusters, if they are arranged in such",
            &mut whole(&mut self.clusters, 1, 1_000_000),
        )?;
        visit.field(
            "spread",
            "How many times longer than they need the side of the world of clusters is",
            &mut number(&mut self.spread, 1.0, 1e4),
        )?;
        visit.field(
            "coincident",
            "So many boxes at a time are the same box",
            &mut whole(&mut self.coincident, 1, 10_000),
        )?;
        visit.field(
            "spanning",
            "The first so many boxes reach from one end of the world to the other",
            &mut whole(&mut self.spanning, 0, 1000),
        )?;
        visit.field(
            "motion",
            "Not; another way each frame; another way now and then; straight on; to and fro",
            &mut choice(&mut self.motion, &MOTIONS),
        )?;
        visit.field(
            "speed",
            "In sizes of the box (its shortest side) a frame, give or take a half",
            &mut number(&mut self.speed, 0.0, 1e4),
        )?;
        visit.field(
            "period",
            "In frames: of swaying, or until all that wander were given another velocity",
            &mut whole(&mut self.period, 1, FRAMES),
        )?;
        visit.field(
            "moving",
            "The share of boxes that ever move",
            &mut number(&mut self.moving, 0.0, 1.0),
        )?;
        visit.field(
            "flicker",
            "The share of boxes that come or go in a frame; half are there at the start",
            &mut number(&mut self.flicker, 0.0, 1.0),
        )?;
        self.dimensions = if dimensions == 2 { Dimensions::Two } else { Dimensions::Three };
        Ok(())
    }
}

impl Fall {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        visit.field("objects", "How many boxes", &mut whole(&mut self.objects, 1, MOST_OBJECTS))?;
        visit.field(
            "frames",
            "How many frames of a sixtieth of a second",
            &mut whole(&mut self.frames, 1, FRAMES),
        )?;
        visit.field("seed", "Another seed gives other boxes", &mut whole(&mut self.seed, 0, u64::MAX))?;
        visit.field("size", "Metres along each axis", &mut spread(&mut self.size, 0.01, 1e4))?;
        visit.field("cubes", "All sides of a box are the first one drawn", &mut switch(&mut self.cubes))?;
        visit.field(
            "fill",
            "The share of the world that boxes fill at the start",
            &mut number(&mut self.fill, 1e-6, 0.3),
        )?;
        visit.field(
            "tries",
            "How often a place is drawn for a box before the world counts as full",
            &mut whole(&mut self.tries, 1, u32::MAX.into()),
        )?;
        visit.field(
            "walls",
            "Six walls around the world, or only a ground without end",
            &mut switch(&mut self.walls),
        )?;
        visit.field("gravity", "In metres per second squared", &mut number(&mut self.gravity, 0.0, 1e4))?;
        visit.field(
            "turn",
            "Seconds until the pull of gravity has turned once; 0: it points down for ever",
            &mut number(&mut self.turn, 0.0, 1e6),
        )?;
        visit.field(
            "speed",
            "The greatest speed at the start, in metres a second",
            &mut number(&mut self.speed, 0.0, 400.0),
        )
    }
}

impl Stream {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        let names = StreamKind::ALL.map(|kind| (kind.name(), kind));
        visit.field("stream", "Which stream", &mut choice(&mut self.stream, &names))?;
        visit.field("objects", "How many boxes", &mut whole(&mut self.objects, 0, MOST_OBJECTS))?;
        visit.field("frames", "How many frames", &mut whole(&mut self.frames, 1, FRAMES))?;
        visit.field("seed", "Another seed gives other boxes", &mut whole(&mut self.seed, 0, u64::MAX))
    }
}

impl World {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        let names: Vec<_> = jostle::scenes::all().iter().map(|entry| (entry.name, entry.name)).collect();
        visit.field("world", "Which world", &mut choice(&mut self.world, &names))?;
        visit.field(
            "objects",
            "How many bodies that move; 0: what suits the world",
            &mut whole(&mut self.objects, 0, MOST_OBJECTS),
        )?;
        visit.field(
            "frames",
            "How many frames of a sixtieth of a second",
            &mut whole(&mut self.frames, 1, FRAMES),
        )?;
        visit.field("seed", "Another seed gives other bodies", &mut whole(&mut self.seed, 0, u64::MAX))
    }
}

impl Boxes {
    fn fields(&mut self, visit: &mut dyn Visit) -> Result<()> {
        visit.field("file", "The file", &mut file(&mut self.file, "a file written by `jostle record`"))?;
        visit.field("frames", "How many frames; 0: all there are", &mut whole(&mut self.frames, 0, FRAMES))
    }
}
