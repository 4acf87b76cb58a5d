//! Built without finders on a GPU: asking for one is an error that says how to get it.

use anyhow::{Result, bail};
use jostle_broad::{Catalog, PairFinder};

use super::{Adapter, AdapterFacts, CellLog, HOW_TO_BUILD, Partition};

/// The adapter finders are to run on: there is none.
#[derive(Clone, Debug)]
pub(crate) struct Choice(());

/// An open adapter: there is none.
#[derive(Debug)]
pub(crate) enum Device {}

/// All adapters; `None`: nobody asked for them.
pub(crate) fn adapters() -> Option<Vec<AdapterFacts>> {
    None
}

impl Choice {
    pub(crate) fn asked(adapter: Option<&str>) -> Result<Self> {
        match adapter {
            Some(_) => bail!("--adapter: {HOW_TO_BUILD}"),
            None => Ok(Self(())),
        }
    }

    pub(crate) fn register(&self, _catalog: &mut Catalog) {}

    /// The adapter, if it opens.
    pub(crate) fn adapter(&self) -> Result<Adapter> {
        bail!("{HOW_TO_BUILD}")
    }
}

impl Device {
    pub(crate) fn open(_adapter: &Adapter) -> Result<Self> {
        bail!("{HOW_TO_BUILD}")
    }

    pub(crate) fn hgrid(&self, _levels: u32) -> Result<Box<dyn PairFinder>> {
        match *self {}
    }

    pub(crate) fn cells(
        &self,
        _partition: Partition,
        _capacity: usize,
        _log: &CellLog,
    ) -> Result<Box<dyn PairFinder>> {
        match *self {}
    }
}
