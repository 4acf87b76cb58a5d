//! Scenes that have a name: the sources' own, Broadmark's three, the stress family, streams and worlds.

use anyhow::{Result, bail};
use jostle_broad::Dimensions;
use jostle_broad::scene::StreamKind;

use super::crowd::{Arrangement, Crowd, Motion};
use super::draw::Distribution;
use super::fall::Fall;
use super::room::Room;
use super::{SceneSpec, Stream, World};
use crate::suggestion::nearest;

/// A scene by name.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// One line about it.
    pub(crate) about: String,
    pub(crate) spec: SceneSpec,
}

/// The scene of this name.
pub(crate) fn get(name: &str) -> Result<Named> {
    let all = all();
    if let Some(found) = all.iter().find(|scene| scene.name == name) {
        return Ok(found.clone());
    }
    let hint = match nearest(name, all.iter().map(|scene| &*scene.name)) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    bail!("unknown scene `{name}`; {hint}`jostle scenes` lists all, and a name that ends in .toml is a file")
}

/// All of them, in the order in which they are listed.
pub(crate) fn all() -> Vec<Named> {
    let mut list = Vec::new();
    let mut add = |name: &str, about: &str, spec: SceneSpec| {
        list.push(Named { name: name.to_string(), about: about.to_string(), spec });
    };
    add(
        "room",
        "Woulfe's generic benchmark with its defaults: ten spheres fall in a cube",
        Room::default().into(),
    );
    add(
        "standard-benchmark",
        "Woulfe's standard benchmark: 500 mixed objects fly about in a cube",
        Room::standard(500).into(),
    );
    for (name, about, fall) in falls() {
        add(name, about, SceneSpec::Fall(fall));
    }
    for (name, about, crowd) in crowds() {
        add(name, about, crowd.into());
    }
    for kind in StreamKind::ALL {
        let stream = Stream { stream: kind, ..Stream::default() };
        let about = format!("the stream of boxes `{}`", kind.name());
        add(&format!("stream-{}", kind.name()), &about, SceneSpec::Stream(stream));
    }
    for entry in jostle::scenes::all() {
        let world = World { world: entry.name, ..World::default() };
        add(entry.name, entry.summary, SceneSpec::World(world));
    }
    list
}

/// Those with a world of falling boxes.
fn falls() -> [(&'static str, &'static str, Fall); 3] {
    let broadmark = Fall { objects: 10_000, speed: 5.0, ..Fall::default() };
    [
        ("broadmark-free-fall", "Broadmark: boxes fall in a walled world and pile up", broadmark.clone()),
        (
            "broadmark-gravity",
            "Broadmark: a strong pull that turns throws all boxes about in a walled world",
            Fall { gravity: 4.0 * 9.81, turn: 6.2, ..broadmark },
        ),
        (
            "004-cubes",
            "source 004: cubes put down at random fall on a ground without end",
            Fall { walls: false, ..Fall::default() },
        ),
    ]
}

/// Source 000 has a world of one size for all numbers of boxes, and says nothing of sizes and speeds: boxes of side 1 in a
/// cube of side 16, so that 1024 of them have about one pair each, and steps of a twentieth of a box.
pub(crate) fn source_000() -> Crowd {
    Crowd { size: Distribution::constant(1.0), extent: 16.0, speed: 0.05, ..Crowd::default() }
}

/// Source 003: boxes of sizes from 1 to `disparity` that all move a little, about one and a half pairs to a box.
pub(crate) fn source_003(disparity: f64) -> Crowd {
    Crowd { disparity, ..Crowd::default() }
}

/// Those of boxes that move by rule.
fn crowds() -> Vec<(&'static str, &'static str, Crowd)> {
    let cubes = Distribution::constant(1.0);
    let bouncing = Crowd { objects: 1024, frames: 1000, ..source_000() };
    let flat = Crowd { dimensions: Dimensions::Two, ..Crowd::default() };
    let line = |arrangement, motion| Crowd { arrangement, motion, speed: 0.1, ..Crowd::default() };
    use Arrangement::{Clusters, Layer, LineX, LineY, LineZ};
    vec![
        (
            "broadmark-brownian",
            "Broadmark: boxes fly straight on, through each other where Broadmark steps an engine; a hundredth of them is given \
             another velocity each frame",
            Crowd { size: cubes, motion: Motion::Wander, ..Crowd::default() },
        ),
        (
            "stress-fast",
            "every box moves by about its own size each frame, another way each time",
            Crowd { motion: Motion::Jump, speed: 1.0, ..Crowd::default() },
        ),
        (
            "stress-disparity",
            "the largest boxes are 100 times the smallest",
            Crowd { disparity: 100.0, ..Crowd::default() },
        ),
        (
            "stress-spanning",
            "nine boxes that span the world among many small ones",
            Crowd { spanning: 9, ..Crowd::default() },
        ),
        (
            "stress-layer",
            "all boxes lie on the ground, and slide",
            Crowd { arrangement: Layer, ..Crowd::default() },
        ),
        (
            "stress-clusters",
            "ten dense clusters in a world a million times as large",
            Crowd { arrangement: Clusters, ..Crowd::default() },
        ),
        ("stress-line-x", "all boxes on one line along x, on which they move", line(LineX, Motion::Bounce)),
        ("stress-line-y", "the same along y", line(LineY, Motion::Bounce)),
        ("stress-line-z", "the same along z", line(LineZ, Motion::Bounce)),
        ("stress-swaying-x", "all boxes on one line along x, swaying a little", line(LineX, Motion::Sway)),
        ("stress-swaying-y", "the same along y", line(LineY, Motion::Sway)),
        ("stress-swaying-z", "the same along z", line(LineZ, Motion::Sway)),
        (
            "stress-flicker",
            "in each frame a tenth of all boxes appears or disappears",
            Crowd { flicker: 0.1, ..Crowd::default() },
        ),
        (
            "stress-coincident",
            "always eight boxes in the same place",
            Crowd { coincident: 8, ..Crowd::default() },
        ),
        (
            "stress-static",
            "a world that stands still, and a hundredth of it that does not",
            Crowd { moving: 0.01, ..Crowd::default() },
        ),
        (
            "stress-long",
            "a small crowd for 100,000 frames",
            Crowd { objects: 500, frames: 100_000, ..Crowd::default() },
        ),
        (
            "000-initial",
            "source 000: boxes in a box, the first frame alone",
            Crowd { frames: 1, ..bouncing.clone() },
        ),
        (
            "000-static",
            "source 000: boxes in a box, none of which moves",
            Crowd { motion: Motion::Still, ..bouncing.clone() },
        ),
        (
            "000-dynamic",
            "source 000: boxes in a box, a tenth of which bounces about",
            Crowd { moving: 0.1, ..bouncing },
        ),
        ("001-flat", "source 001: 10,000 boxes in two dimensions", flat),
        ("001-solid", "source 001: 10,000 boxes in three dimensions", Crowd::default()),
        (
            "003-boxes",
            "source 003: boxes of random size and place that all move a little; count, disparity and extent vary",
            Crowd { objects: 5000, frames: 20, ..source_003(100.0) },
        ),
    ]
}
