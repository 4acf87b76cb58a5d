//! Finders on a GPU, where jostle was built with them: which adapter they run on, what there is, and finders of studies.
//!
//! What they are built on takes minutes to compile, so they are a feature of this package. `present` and `absent` offer
//! the same: everything else in this package is written once.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod present;

#[cfg(not(feature = "gpu"))]
use absent as part;
#[cfg(feature = "gpu")]
use present as part;

use std::sync::{Arc, Mutex};

use anyhow::{Result, bail};
use jostle_broad::{Boxes, Catalog, FindError, FindSettings, FinderEntry};
use serde::{Deserialize, Serialize};

pub(crate) use part::{Choice, Device, adapters};

/// The finders on a GPU, by name.
const FINDERS: [&str; 3] = ["gpu", "gpu-hgrid", "gpu-cells"];

/// What is said where they were left out.
pub(crate) const HOW_TO_BUILD: &str = "finders on a GPU are not part of this build; \
     get them with `cargo install --path crates/jostle-lab --features gpu`";

/// An adapter that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adapter {
    /// Its place in the list of `jostle doctor`.
    pub(crate) index: usize,
    pub(crate) name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub(crate) kind: String,
}

impl Adapter {
    /// Is it a CPU in disguise? Good for checking, not for measuring.
    pub(crate) fn is_software(&self) -> bool {
        self.kind == "software"
    }
}

/// What `jostle doctor` says of an adapter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AdapterFacts {
    #[serde(flatten)]
    pub(crate) adapter: Adapter,
    pub(crate) interface: String,
    pub(crate) driver: String,
    /// The most bytes a kernel sees of one buffer.
    pub(crate) binding_bytes: u64,
    /// Threads of a subgroup, least and most.
    pub(crate) subgroup: Option<(u32, u32)>,
    pub(crate) timestamps: bool,
}

/// How boxes are parted for `gpu-cells`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partition {
    Grid,
    Tree,
}

/// What a search by cells counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellCounts {
    pub(crate) cells: usize,
    /// Boxes in all cells together.
    pub(crate) entries: usize,
    /// Cells that could not be made as small as asked.
    pub(crate) oversized: usize,
    /// Pairs found in another cell too.
    pub(crate) duplicates: usize,
}

/// The counts of all searches of a finder so far.
pub(crate) type CellLog = Arc<Mutex<Vec<CellCounts>>>;

/// Does this name mean a finder on a GPU?
pub(crate) fn is_gpu_finder(name: &str) -> bool {
    FINDERS.contains(&name)
}

/// The finder of this name; of one that was left out of this build it is said how to get it.
pub(crate) fn finder<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a FinderEntry> {
    match catalog.get(name) {
        Ok(entry) => Ok(entry),
        Err(_) if is_gpu_finder(name) => bail!("`{name}`: {HOW_TO_BUILD}"),
        Err(error) => Err(error.into()),
    }
}

/// All finders that can work here: those on a GPU are left out, with a line, where no adapter opens.
pub(crate) fn working(catalog: &Catalog) -> Vec<&FinderEntry> {
    let on_gpu = |entry: &&FinderEntry| is_gpu_finder(&entry.name);
    // They share the adapter: one answers for all.
    let trouble = catalog.iter().find(on_gpu).and_then(|entry| {
        let opened = entry.make().update(&Boxes::default(), &FindSettings::default());
        match opened {
            Err(FindError::Device { reason, .. }) => Some(reason),
            _ => None,
        }
    });
    let Some(reason) = trouble else { return catalog.iter().collect() };
    eprintln!("jostle: {}: skipped: {reason}", FINDERS.join(", "));
    catalog.iter().filter(|entry| !on_gpu(entry)).collect()
}
