//! What a contestant is: something that takes this frame's boxes and says which pairs of them overlap.

use std::collections::HashSet;

use anyhow::Result;
use jostle_broad::{Aabb, Pair};

/// What a contestant hands over at the end of an update, without further work of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivers {
    /// All pairs, and which of them came and went.
    SetAndChanges,
    /// All pairs.
    Set,
    /// The pairs that came and went; who wants all pairs keeps a set.
    Events,
    /// The pairs of the boxes that left their margin. Which pairs ended is for the caller to find out: this is a part of
    /// an answer, so it is shown but not counted among the rivals.
    Part,
    /// All pairs, by a rival's parts that were put together in another way than its engine does. Nobody who uses that engine has
    /// these times, so it is shown but not counted among the rivals.
    Rearranged,
    /// No pairs at all: a floor that times are measured against.
    Nothing,
}

impl Delivers {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::SetAndChanges => "all pairs, and those that came and went",
            Self::Set => "all pairs",
            Self::Events => "pairs that came and went",
            Self::Part => "pairs of boxes that left their margin only",
            Self::Rearranged => "all pairs; an engine's parts, rearranged",
            Self::Nothing => "nothing: boxes are only read",
        }
    }

    /// Is it an answer to "which pairs overlap", and that of a rival?
    pub fn counts(self) -> bool {
        !matches!(self, Self::Part | Self::Rearranged | Self::Nothing)
    }
}

/// Makes a contestant from the boxes of the first frame and a number of threads.
pub type Make = fn(&[Aabb], usize) -> Result<Box<dyn Contestant>>;

/// A rival as it can be chosen and made.
#[derive(Clone, Copy)]
pub struct Rival {
    /// The name users choose it by.
    pub name: &'static str,
    /// The library and its version.
    pub version: &'static str,
    /// What an update delivers.
    pub delivers: Delivers,
    /// By how much it fattens boxes, by default.
    pub margin: &'static str,
    /// Does it use more than one thread?
    pub parallel: bool,
    /// The largest number of boxes for which it ends in reasonable time.
    pub size_limit: Option<usize>,
    /// Makes one for these boxes, up to and including the answer for them.
    pub make: Make,
}

/// A rival at work, or a finder of ours.
pub trait Contestant {
    /// Takes this frame's boxes, in id order, of which only those of the ids `moved` (ascending) have changed. The
    /// clock runs. Afterwards what [`Delivers`] promises can be read.
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()>;

    /// The same for one that would rather keep the array than copy it: it leaves one as long in its place, to be written over.
    fn exchange(&mut self, boxes: &mut Vec<Aabb>, moved: &[u32]) -> Result<()> {
        self.update(boxes, moved)
    }

    /// Takes note of what was delivered, after every update and after the making. The clock stands still.
    fn note(&mut self) {}

    /// All pairs, in any order, as known from what was delivered. The clock stands still.
    fn pairs(&self) -> Vec<Pair>;
}

/// All pairs of a rival that delivers only what came and went.
#[derive(Default)]
pub(crate) struct Ledger {
    pairs: HashSet<Pair>,
}

impl Ledger {
    pub(crate) fn add(&mut self, a: u32, b: u32) {
        self.pairs.insert(Pair::new(a, b));
    }

    pub(crate) fn remove(&mut self, a: u32, b: u32) {
        self.pairs.remove(&Pair::new(a, b));
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Pair) -> bool) {
        self.pairs.retain(|pair| keep(pair));
    }

    pub(crate) fn pairs(&self) -> Vec<Pair> {
        self.pairs.iter().copied().collect()
    }
}
