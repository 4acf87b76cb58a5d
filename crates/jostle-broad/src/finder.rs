//! The one trait of this crate: boxes in, exactly the overlapping pairs out.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::pairs::PairBuffer;
use crate::{Boxes, Executor, Lanes};

/// Finds all overlapping pairs of a [`Boxes`], frame after frame.
///
/// Whatever a finder keeps between updates, it gives the same pairs as a fresh one would.
///
/// # A finder of your own
///
/// Test the boxes of [`Boxes::live_slots`] as [`Boxes::aabb`] gives them (margin and 2-D mode are in them; closed, so
/// touching counts; sides may be infinite). Give slots that overlap to [`Boxes::report`], once each, which applies the
/// filters and pushes their ids into a [`crate::PairRun`], and hand the runs to [`PairBuffer::replace`], which brings
/// them into order, finds out what was added and removed, and keeps to [`FindSettings::pair_limit`]. To use what the
/// update before knew, ask [`Boxes::changes_since`]. Neither threads nor lanes nor history may show in the pairs.
///
/// Registered in a [`crate::Catalog`], it takes part in every command of `jostle` and is verified there: see
/// `examples/my-finder` and `docs/plug-in.md` in the repository.
///
/// ```
/// use glam::Vec3;
/// use jostle_broad::*;
///
/// let mut boxes = Boxes::default();
/// for id in 0..3 {
///     let corner = Vec3::splat(id as f32 * 0.75);
///     boxes.insert(id, Aabb::new(corner, corner + 1.0), Filter::default())?;
/// }
/// let mut finder = Brute::default();
/// finder.update(&boxes, &FindSettings::default())?;
/// assert_eq!(finder.pairs().as_slice(), [Pair { low: 0, high: 1 }, Pair { low: 1, high: 2 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PairFinder: Send + Sync {
    /// The name users choose the finder by.
    fn name(&self) -> &str;

    /// Finds the pairs of the boxes as they are now. On error, [`PairFinder::pairs`] is as it was before the call, and
    /// the finder can be used again.
    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError>;

    /// The pairs of the latest update that went well.
    fn pairs(&self) -> &PairBuffer;

    /// How many bytes the finder holds, pairs included.
    fn bytes(&self) -> usize;

    /// The largest number of boxes the finder accepts, if its cost makes more senseless.
    fn size_limit(&self) -> Option<usize> {
        None
    }
}

/// How to find. None of it changes which pairs are found.
#[derive(Clone, Debug)]
pub struct FindSettings {
    /// Where the work runs. Default: on the caller's thread.
    pub executor: Executor,
    /// The vector instructions to use. Default: the widest this machine has.
    pub lanes: Lanes,
    /// Give the pairs in canonical order: ascending by lower id, then higher. Costs a sort of the pairs. Default: yes.
    pub canonical: bool,
    /// Also give the pairs added and removed since the update before. Implies canonical order. Default: no.
    pub changes: bool,
    /// Refuse to hold more pairs than this. Default: no limit.
    pub pair_limit: Option<usize>,
}

impl Default for FindSettings {
    fn default() -> Self {
        Self {
            executor: Executor::serial(),
            lanes: Lanes::best(),
            canonical: true,
            changes: false,
            pair_limit: None,
        }
    }
}

impl FindSettings {
    /// Must the pairs be brought into canonical order?
    pub fn wants_order(&self) -> bool {
        self.canonical || self.changes
    }

    /// The same for work that is worth waking other threads, else on the caller's thread alone.
    pub(crate) fn if_worth(&self, is_worth: bool) -> Self {
        Self { executor: self.executor.if_worth(is_worth).clone(), ..self.clone() }
    }
}

/// Why an update gave no pairs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FindError {
    /// More pairs than [`FindSettings::pair_limit`] allows.
    #[error("{need} pairs overlap, but `pair_limit` is {limit}; raise it to {need} or remove it")]
    TooManyPairs {
        /// The limit.
        limit: usize,
        /// How many pairs there are.
        need: usize,
    },
    /// More boxes than a finder of quadratic cost accepts.
    #[error(
        "finder `{finder}` takes {limit} boxes at most and was given {need}; raise its `size_limit`, or use `auto`"
    )]
    TooManyBoxes {
        /// The finder.
        finder: String,
        /// The limit.
        limit: usize,
        /// How many boxes there are.
        need: usize,
    },
    /// Two stores that do not agree on what a pair is.
    #[error("the two stores have different settings (dimensions, margin, fixed pairs); give them the same")]
    UnlikeStores,
    /// The device a finder works on failed.
    #[error("finder `{finder}`: {reason}")]
    Device {
        /// The finder.
        finder: String,
        /// What failed, and the remedy.
        reason: String,
    },
}

impl FindError {
    /// Refuses more pairs than [`FindSettings::pair_limit`] allows.
    pub fn check_pairs(need: usize, settings: &FindSettings) -> Result<(), Self> {
        match settings.pair_limit {
            Some(limit) if need > limit => Err(Self::TooManyPairs { limit, need }),
            _ => Ok(()),
        }
    }

    /// Refuses more boxes than a limit.
    pub fn check_boxes(finder: &str, limit: usize, boxes: &Boxes) -> Result<(), Self> {
        if boxes.len() > limit {
            return Err(Self::TooManyBoxes { finder: finder.to_string(), limit, need: boxes.len() });
        }
        Ok(())
    }
}

/// What an update did.
#[derive(Clone, Debug, Default)]
pub struct FindReport {
    /// How many boxes there were.
    pub boxes: usize,
    /// How many of them the finder had to look at because they moved, came or left.
    pub moved: usize,
    /// How many overlap tests of two boxes (or of a box and a node) were made.
    pub tests: u64,
    /// How many pairs there are.
    pub pairs: usize,
    /// How many bytes the finder holds.
    pub bytes: usize,
    /// Time per stage, in the order of execution.
    pub stages: Vec<(&'static str, Duration)>,
    /// Overlap tests per thread, where the finder assigns work to threads by itself.
    pub tests_per_thread: Vec<u64>,
    /// What else is worth knowing: the finder `auto` chose, the levels of a grid.
    pub detail: Option<String>,
}

impl FindReport {
    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|(_, time)| *time).sum()
    }
}

/// Takes the time of one stage after another.
#[derive(Debug)]
pub struct StageClock {
    since: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl StageClock {
    /// Starts the first stage.
    pub fn start() -> Self {
        Self { since: Instant::now(), stages: Vec::with_capacity(4) }
    }

    /// Ends the stage that is running and starts the next.
    pub fn end(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.stages.push((stage, now - self.since));
        self.since = now;
    }

    /// The stages ended so far.
    pub fn stages(self) -> Vec<(&'static str, Duration)> {
        self.stages
    }
}
