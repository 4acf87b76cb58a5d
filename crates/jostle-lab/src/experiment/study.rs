//! What a study is.

use std::collections::BTreeMap;

use anyhow::Result;
use jostle_broad::Catalog;
use serde::{Deserialize, Serialize};

use super::Samples;
use crate::gpu::Adapter;
use crate::report::Report;
use crate::search::SearchSettings;

/// A study that can be run by name.
pub(crate) trait Study: Sync {
    fn about(&self) -> About;

    /// What it measures, in this order.
    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>>;

    /// The scene files it uses. Copies are kept beside the samples.
    fn scenes(&self, _options: &Options) -> Result<Vec<SceneFile>> {
        Ok(Vec::new())
    }

    /// What the samples say: tables, plots, and in words what agrees with the source. Cells may be missing.
    fn report(&self, results: &Results) -> Report;
}

/// What `jostle experiment --list` says of a study.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// By which users choose it, such as `002-parameters`.
    pub(crate) name: &'static str,
    /// What it finds out, in one line.
    pub(crate) about: &'static str,
    /// Where it was published, and as which figure or table; or `ours`.
    pub(crate) source: &'static str,
    /// What has to be there before it can run, if it is not there yet.
    pub(crate) waits_for: Option<&'static str>,
}

/// A scene file, as it is written into the folder of the study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SceneFile {
    /// Such as `room.toml`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// How a study is to be run. Written to the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Options {
    /// The whole sweep of the source, however long it takes.
    pub(crate) full: bool,
    pub(crate) seed: u64,
    /// Finders other than those the study is about.
    pub(crate) finders: Option<Vec<String>>,
    /// Frames other than the study's own number.
    pub(crate) frames: Option<u32>,
    /// At most this many threads.
    pub(crate) threads: usize,
    /// The adapter of finders on a GPU, if one opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) adapter: Option<Adapter>,
    /// Of the study `search` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) search: Option<SearchSettings>,
}

/// One thing that is measured at a stretch.
pub(crate) struct Cell<'a> {
    /// Letters, digits, `-`, `_` and `.`: the name of its file.
    pub(crate) name: String,
    /// How long it takes beside other cells of the study, roughly: for the time left.
    pub(crate) work: f64,
    pub(crate) run: Measurement<'a>,
}

/// Measures a cell.
pub(crate) type Measurement<'a> = Box<dyn Fn(&Watch<'_>) -> Result<Samples> + 'a>;

/// What a running cell tells, and asks.
pub(crate) struct Watch<'a> {
    /// How much of the cell is done, 0 to 1.
    pub(crate) done: &'a dyn Fn(f64),
    /// Did the user ask to stop? A cell that sees it returns an error; it is measured again when the study goes on.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// What was measured before it, in this run or an earlier one.
    pub(crate) before: &'a Results,
}

impl<'a> Watch<'a> {
    /// For work that is no cell of a study: nothing was measured before it.
    pub(crate) fn alone(done: &'a dyn Fn(f64), stopped: &'a dyn Fn() -> bool) -> Self {
        Self { done, stopped, before: &NOTHING }
    }
}

static NOTHING: Results = Results {
    options: Options {
        full: false,
        seed: 1,
        finders: None,
        frames: None,
        threads: 1,
        adapter: None,
        search: None,
    },
    planned: Vec::new(),
    cells: BTreeMap::new(),
};

/// The samples of the cells that were measured, in the order of the study.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) options: Options,
    /// All cells of the study, measured or not.
    pub(crate) planned: Vec<String>,
    pub(crate) cells: BTreeMap<String, Samples>,
}

impl Results {
    /// The values of a series of a cell; none if it was not measured.
    pub(crate) fn values(&self, cell: &str, who: &str, measure: &str) -> &[f64] {
        self.cells.get(cell).map_or(&[], |samples| samples.values(who, measure))
    }
}
