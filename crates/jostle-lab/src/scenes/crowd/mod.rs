//! The crowd: boxes that move by rule, without a world. The stress family, and the scenes of three of the sources.
//!
//! In: a [`Crowd`]. Out: a [`CrowdStream`], frame after frame, the same bits everywhere. Nothing is kept but the latest
//! frame, so that a million boxes take 60 MB, however many frames there are.

mod start;
mod stream;
#[cfg(test)]
mod tests;

use jostle_broad::Dimensions;

use super::draw::Distribution;
pub(crate) use stream::CrowdStream;

/// Boxes that move by rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Crowd {
    pub(crate) objects: usize,
    pub(crate) frames: u32,
    pub(crate) seed: u64,
    /// In two dimensions z does not count.
    pub(crate) dimensions: Dimensions,
    /// Along each axis, drawn for each axis apart.
    pub(crate) size: Distribution<1>,
    /// Each object is 1 to so many times as large as drawn, all powers equally likely.
    pub(crate) disparity: f64,
    pub(crate) arrangement: Arrangement,
    /// Overlapping pairs per object the world is made large enough for.
    pub(crate) pairs: f64,
    /// The side of the world; 0: as `pairs` says.
    pub(crate) extent: f64,
    /// How many clusters, and how many times longer than they need the side of their world is.
    pub(crate) clusters: usize,
    pub(crate) spread: f64,
    /// So many objects at a time have the same box.
    pub(crate) coincident: usize,
    /// The first so many objects reach from one end of the world to the other.
    pub(crate) spanning: usize,
    pub(crate) motion: Motion,
    /// In sizes of the object (its shortest side) a frame.
    pub(crate) speed: f64,
    /// In frames: of swaying, or until all objects were given another velocity.
    pub(crate) period: u32,
    /// The share of objects that move.
    pub(crate) moving: f64,
    /// The share of objects that come or go in a frame.
    pub(crate) flicker: f64,
}

/// Where boxes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Anywhere in a cube.
    Uniform,
    /// On the ground, side by side.
    Layer,
    /// In a few dense cubes of a huge world.
    Clusters,
    LineX,
    LineY,
    LineZ,
}

/// How boxes move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    Still,
    /// Another direction each frame.
    Jump,
    /// Straight on, until it is their turn to be given another velocity.
    Wander,
    /// Straight on, turned round by the ends of the world.
    Bounce,
    /// To and fro around their place.
    Sway,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            objects: 10_000,
            frames: 100,
            seed: 1,
            dimensions: Dimensions::Three,
            size: Distribution::uniform(0.5, 1.5),
            disparity: 1.0,
            arrangement: Arrangement::Uniform,
            pairs: 1.5,
            extent: 0.0,
            clusters: 10,
            spread: 100.0,
            coincident: 1,
            spanning: 0,
            motion: Motion::Bounce,
            speed: 0.05,
            period: 100,
            moving: 1.0,
            flicker: 0.0,
        }
    }
}
