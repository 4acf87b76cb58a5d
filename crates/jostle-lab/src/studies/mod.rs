//! The studies, one file each. `experiment/catalog.rs` lists them.

mod finders;

pub(crate) use finders::Finders;
