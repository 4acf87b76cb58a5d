//! Finders by name.

use thiserror::Error;

use crate::{AllPairs, Brute, PairFinder, TreeFinder};

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
            "tree",
            "a dynamic tree of fat boxes that keeps the pairs of fat boxes from frame to frame",
            TreeFinder::default,
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
