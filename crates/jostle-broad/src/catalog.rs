//! Finders by name.

use thiserror::Error;

use crate::{
    AllPairs, Auto, Brute, Bvh, HierarchicalGrid, InsertionPolicy, PairFinder, Sap, SapSimd, Sweep,
    TreeFinder, UniformGrid,
};

/// A finder that can be made by name.
pub struct FinderEntry {
    /// The name users choose it by.
    pub name: String,
    /// One line about it.
    pub about: String,
    make: Box<dyn Fn() -> Box<dyn PairFinder> + Send + Sync>,
}

impl FinderEntry {
    /// A fresh finder.
    pub fn make(&self) -> Box<dyn PairFinder> {
        (self.make)()
    }
}

impl std::fmt::Debug for FinderEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FinderEntry")
            .field("name", &self.name)
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

/// The finders there are: the built-in ones, and those a user registers.
#[derive(Debug)]
pub struct Catalog {
    entries: Vec<FinderEntry>,
}

/// There is no finder of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown finder `{name}`; there are: {known}")]
pub struct UnknownFinder {
    name: String,
    known: String,
}

impl Default for Catalog {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Catalog {
    /// The built-in finders.
    pub fn builtin() -> Self {
        let mut catalog = Self { entries: Vec::new() };
        catalog.register("brute", "every box against every other: the oracle", Brute::default);
        catalog.register(
            "all-pairs",
            "every box against every other, vectorised, rows dealt in zig-zag",
            AllPairs::default,
        );
        catalog.register(
            "sap",
            "persistent sweep and prune: sorted endpoints and a map of pairs, kept from frame to frame",
            Sap::default,
        );
        catalog.register(
            "sap-simd",
            "sweep and prune on three axes at once, sorted by vector instructions",
            SapSimd::default,
        );
        catalog.register(
            "grid",
            "a sparse uniform grid, boxes in all cells they overlap",
            UniformGrid::default,
        );
        catalog.register("hgrid", "levels of grids, boxes linked into one cell each", || {
            HierarchicalGrid::new(InsertionPolicy::SingleCell)
        });
        catalog.register("hgrid-cells", "levels of grids, boxes in all cells they overlap", || {
            HierarchicalGrid::new(InsertionPolicy::AllCells)
        });
        catalog.register(
            "tree",
            "a dynamic tree of fat boxes that keeps its candidates: for scenes in which little moves",
            TreeFinder::default,
        );
        catalog.register(
            "sweep",
            "columns, swept many boxes at a time: for scenes in which everything moves",
            Sweep::default,
        );
        catalog.register(
            "bvh",
            "blocks of neighbours crossed with those they meet: for scenes in which boxes move, but not far",
            Bvh::default,
        );
        catalog.register(
            "auto",
            "measures, then chooses; changes its mind when the scene does",
            Auto::default,
        );
        catalog
    }

    /// Adds a finder, or replaces the one of this name.
    pub fn register<F: PairFinder + 'static>(
        &mut self,
        name: &str,
        about: &str,
        make: impl Fn() -> F + Send + Sync + 'static,
    ) {
        let entry = FinderEntry {
            name: name.to_string(),
            about: about.to_string(),
            make: Box::new(move || Box::new(make()) as Box<dyn PairFinder>),
        };
        match self.entries.iter_mut().find(|there| there.name == name) {
            Some(there) => *there = entry,
            None => self.entries.push(entry),
        }
    }

    /// The finder of this name.
    pub fn get(&self, name: &str) -> Result<&FinderEntry, UnknownFinder> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| UnknownFinder {
            name: name.to_string(),
            known: self.entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// All finders, in the order of their registration.
    pub fn iter(&self) -> impl Iterator<Item = &FinderEntry> {
        self.entries.iter()
    }
}
