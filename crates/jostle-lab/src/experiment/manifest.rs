//! What a folder of samples was measured with: `manifest.json`. Samples of two runs are mixed only where nothing in it
//! differs but the date.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{Options, Results, SceneFile};
use crate::machine::Machine;
use crate::output::WholeFile;

/// Of the files in the folder. A change of any of them that an older jostle cannot read raises it.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    pub(super) study: String,
    pub(super) options: Options,
    pub(super) machine: Machine,
    /// Of the sources jostle was built from, where they are known; `+` if they had been changed.
    pub(super) revision: Option<String>,
    /// What draws random numbers, and what moves bodies.
    pub(super) random: String,
    pub(super) engine: String,
    /// The scene files that were used. Copies are in the folder `scenes`.
    pub(super) scenes: Vec<SceneFile>,
    /// In the order of the study.
    pub(super) cells: Vec<PlannedCell>,
    /// When the first run began: seconds since 1970.
    pub(super) begun: u64,
    /// What all runs together took.
    pub(super) seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PlannedCell {
    pub(super) name: String,
    /// How many samples its file holds. `None`: not measured yet.
    pub(super) samples: Option<u64>,
}

impl Manifest {
    /// Of a study that begins now.
    pub(super) fn new(study: &str, options: &Options, cells: &[String], scenes: Vec<SceneFile>) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let cells = cells.iter().map(|name| PlannedCell { name: name.clone(), samples: None });
        let version = env!("CARGO_PKG_VERSION");
        Self {
            format: FORMAT,
            study: study.to_string(),
            options: options.clone(),
            machine: Machine::here(),
            revision: option_env!("JOSTLE_REVISION").map(str::to_string),
            random: format!("SplitMix64 of jostle-broad {version}"),
            engine: format!("jostle {version}"),
            scenes,
            cells: cells.collect(),
            begun: now.map_or(0, |since| since.as_secs()),
            seconds: 0.0,
        }
    }

    /// What is in a folder; `None` if nothing was measured there.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => {
                return Err(error).with_context(|| {
                    format!("{}: cannot be read; choose another folder, or make it yours", path.display())
                });
            }
        };
        let manifest: Self = serde_json::from_str(&text).with_context(|| {
            format!("{}: is not a manifest of this jostle; measure anew with --fresh", path.display())
        })?;
        if manifest.format != FORMAT {
            bail!(
                "{}: has format {}, and this jostle knows {FORMAT}; measure anew with --fresh",
                path.display(),
                manifest.format
            );
        }
        Ok(Some(manifest))
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut file = WholeFile::create(path)?;
        file.write(serde_json::to_string_pretty(self)?.as_bytes())?;
        file.write(b"\n")?;
        file.commit()
    }

    /// What differs from a run that is to go on with these samples, in words.
    pub(super) fn difference(&self, now: &Self) -> Option<String> {
        let told = |what: &str, here: String, now: String| {
            (here != now).then(|| format!("{what} {here}, not {now}")) //
        };
        let (a, b) = (&self.options, &now.options);
        let finders = |options: &Options| {
            options.finders.as_ref().map_or("its own".to_string(), |names| names.join(","))
        };
        let frames =
            |options: &Options| options.frames.map_or("its own".to_string(), |count| count.to_string());
        let adapter = |options: &Options| {
            options.adapter.as_ref().map_or("none".to_string(), |adapter| adapter.name.clone())
        };
        let sweep = |options: &Options| if options.full { "--full" } else { "the short sweep" }.to_string();
        let revision = |manifest: &Self| manifest.revision.clone().unwrap_or_else(|| "unknown".to_string());
        let names = |manifest: &Self| manifest.cells.iter().map(|cell| cell.name.clone()).collect::<Vec<_>>();
        told("study", self.study.clone(), now.study.clone())
            .or_else(|| told("sweep", sweep(a), sweep(b)))
            .or_else(|| told("--seed", a.seed.to_string(), b.seed.to_string()))
            .or_else(|| told("--finders", finders(a), finders(b)))
            .or_else(|| told("--frames", frames(a), frames(b)))
            .or_else(|| told("--threads", a.threads.to_string(), b.threads.to_string()))
            .or_else(|| told("--adapter", adapter(a), adapter(b)))
            .or_else(|| told("jostle", self.machine.jostle.clone(), now.machine.jostle.clone()))
            .or_else(|| told("revision", revision(self), revision(now)))
            .or_else(|| told("the machine", self.machine.line(), now.machine.line()))
            .or_else(|| told("random numbers by", self.random.clone(), now.random.clone()))
            .or_else(|| (a.search != b.search).then(|| "another search".to_string()))
            .or_else(|| (self.scenes != now.scenes).then(|| "other scene files".to_string()))
            .or_else(|| (names(self) != names(now)).then(|| "other cells".to_string()))
    }

    /// The results without samples.
    pub(super) fn empty_results(&self) -> Results {
        Results {
            options: self.options.clone(),
            planned: self.cells.iter().map(|cell| cell.name.clone()).collect(),
            cells: std::collections::BTreeMap::new(),
        }
    }
}
