//! The finders the command knows: those of the library, and `auto` deciding by counted work.

use jostle_broad::{Auto, Catalog, DecideBy};

/// `auto` whose choices are the same in every run.
pub(crate) const AUTO_BY_WORK: &str = "auto-work";

pub(crate) fn catalog() -> Catalog {
    let mut catalog = Catalog::builtin();
    catalog.register(
        AUTO_BY_WORK,
        "auto, choosing by counted work instead of time: the same choices in every run",
        || Auto::new(DecideBy::Work),
    );
    catalog
}
