//! `jostle experiment`: named studies, each cell of which is measured once, kept as raw samples, and reported from them.
//! `jostle report`: the same reports again, from the samples.
//!
//! A [`Study`] says what cells it has and what their samples mean. Everything else is the same for all studies: running
//! the cells, showing progress and time left, writing what was measured, going on after an interruption, statistics,
//! the report.

mod catalog;
mod cell_file;
mod command;
mod contest;
mod engine;
mod folder;
mod manifest;
mod program;
mod progress;
mod publish;
mod samples;
mod statistics;
mod study;
#[cfg(test)]
mod tests;

pub(crate) use command::{Arguments, ReportArguments, run, run_report};
pub(crate) use contest::Contest;
pub(crate) use samples::{Samples, Unit};
pub(crate) use statistics::Statistics;
pub(crate) use study::{About, Cell, Options, Results, SceneFile, Study, Watch};
