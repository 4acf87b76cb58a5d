//! The finders of jostle as contestants.
//!
//! The clock covers taking the boxes into the store, finding, canonical order, and what was added and removed.

use anyhow::Result;
use jostle_broad::{Aabb, Auto, Boxes, Catalog, DecideBy, Executor, FindSettings, Moved, Pair, PairFinder};

use crate::Contestant;

/// The built-in finders, and `auto` deciding by counted work.
pub fn catalog() -> Catalog {
    let mut catalog = Catalog::builtin();
    catalog.register("auto-work", "auto, choosing by counted work instead of time", || {
        Auto::new(DecideBy::Work)
    });
    catalog
}

/// A finder with its box store.
pub struct Ours {
    store: Boxes,
    finder: Box<dyn PairFinder>,
    settings: FindSettings,
}

impl Ours {
    /// The finder of this name, and its answer for these boxes.
    pub fn new(name: &str, boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut made = Self {
            store: Boxes::from_aabbs(boxes)?,
            finder: catalog().get(name)?.make(),
            settings: FindSettings {
                executor: Executor::new(threads)?,
                changes: true,
                ..FindSettings::default()
            },
        };
        made.finder.update(&made.store, &made.settings)?;
        Ok(made)
    }
}

impl Contestant for Ours {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        let moved = if moved.len() == boxes.len() { Moved::All } else { Moved::Ids(moved) };
        self.store.update_on(&self.settings.executor, moved, boxes)?;
        self.finder.update(&self.store, &self.settings)?;
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        self.finder.pairs().as_slice().to_vec()
    }
}
