//! Where the finders of the study run: every scene that has a name, its sizes and its frames.
//!
//! In: the options of a run. Out: the same list in every run of them, in the order of `jostle scenes`.

use crate::experiment::Options;
use crate::scenes::SceneSpec;
use crate::scenes::named::{self, Named};

/// Streams show how cost grows, in a short run too.
const STREAM_SIZES: [usize; 4] = [1_000, 3_000, 10_000, 30_000];
const FULL_STREAM_SIZES: [usize; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const FULL_CROWD_SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Worlds are moved on one thread or two before anything is measured: a million bodies would take hours of it.
const FULL_WORLD_SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// As the thesis has them.
const FULL_ROOM_SIZES: [usize; 3] = [100, 500, 1_000];
/// As source 000 has them: its world does not grow, so that thousands would all overlap.
const FULL_FIXED_SIZES: [usize; 3] = [64, 256, 1_024];

const FRAMES: u32 = 12;
const FULL_FRAMES: u32 = 20;
/// Of a scene that is about being long: a crowd of 100,000 frames is cut to these.
const LONG: u32 = 100_000;
const LONG_FRAMES: u32 = 400;
const FULL_LONG_FRAMES: u32 = 5_000;
/// Worlds go on for so many times the measured frames before the first of them: what falls is to have landed.
const SETTLING: u32 = 6;

/// A scene, and how it is run here.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) spec: SceneSpec,
    /// Objects, ascending; the scene's own number is one of them.
    pub(super) sizes: Vec<usize>,
    /// The scene's own number of objects: scenes are compared with each other at it.
    pub(super) own: usize,
    /// How many frames are measured.
    pub(super) frames: u32,
    /// How many go by before.
    pub(super) settling: u32,
}

/// All scenes that have a name.
pub(super) fn all(options: &Options) -> Vec<Place> {
    named::all().into_iter().map(|scene| place(scene, options)).collect()
}

fn place(Named { name, about, spec }: Named, options: &Options) -> Place {
    let own = own_size(&spec);
    let more: &[usize] = match (&spec, options.full) {
        (SceneSpec::Stream(_), false) => &STREAM_SIZES,
        (_, false) => &[],
        (SceneSpec::Stream(_), true) => &FULL_STREAM_SIZES,
        (SceneSpec::Crowd(crowd), true) if crowd.extent > 0.0 => &FULL_FIXED_SIZES,
        (SceneSpec::Crowd(_), true) => &FULL_CROWD_SIZES,
        (SceneSpec::Room(_), true) => &FULL_ROOM_SIZES,
        (_, true) => &FULL_WORLD_SIZES,
    };
    let mut sizes: Vec<usize> = more.iter().copied().chain([own]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let usual = match spec.frames() {
        LONG.. if options.full => FULL_LONG_FRAMES,
        LONG.. => LONG_FRAMES,
        own => own.min(if options.full { FULL_FRAMES } else { FRAMES }),
    };
    // A scene of one frame stays one.
    let frames = options.frames.map_or(usual, |asked| asked.min(spec.frames()));
    let settling = if spec.has_world() { SETTLING * frames } else { 0 };
    Place { name, about, spec, sizes, own, frames, settling }
}

/// How many objects the scene has if nobody asks for another number.
fn own_size(spec: &SceneSpec) -> usize {
    match spec {
        SceneSpec::World(world) if world.objects == 0 => {
            jostle::scenes::get(world.world).map_or(0, |entry| entry.default_bodies)
        }
        _ => spec.objects(),
    }
}

impl Place {
    /// The name of a cell.
    pub(super) fn cell(&self, n: usize) -> String {
        format!("{}-{n}", self.name)
    }

    /// The cell in which scenes are compared with each other.
    pub(super) fn own_cell(&self) -> String {
        self.cell(self.own)
    }

    /// Does it show how cost grows?
    pub(super) fn grows(&self) -> bool {
        self.sizes.len() > 2
    }

    pub(super) fn is_stream(&self) -> bool {
        matches!(self.spec, SceneSpec::Stream(_))
    }

    /// How long a cell takes beside others, roughly: small scenes are verified by brute force, worlds are moved first.
    pub(super) fn work(&self, n: usize) -> f64 {
        let n = n as f64;
        let (verifying, moving) = (n.min(20_000.0).powi(2) / 1e4, if self.settling > 0 { n } else { 0.0 });
        (n + verifying + moving + 100.0) * f64::from(self.frames)
    }
}
