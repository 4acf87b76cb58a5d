//! `jostle experiment`: named studies, each cell of which is measured once, kept as raw samples, and reported from them.
//!
//! A [`Study`] says what cells it has and what their samples mean. Everything else is the same for all studies: running
//! the cells, showing progress and time left, writing what was measured, going on after an interruption, statistics,
//! the report.

mod samples;
mod study;

pub(crate) use samples::{Samples, Series, Unit};
pub(crate) use study::{About, Cell, Measurement, Options, Results, Study, Watch};
