//! The stages of a frame, one file each, in the order of `step.rs`.

pub(crate) mod find_contacts;
pub(crate) mod integrate;
pub(crate) mod report;
pub(crate) mod sleep;
pub(crate) mod update_bounds;
