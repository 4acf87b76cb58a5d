//! Reports: what was found out, as one HTML file that needs nothing else, and as text.
//!
//! A [`Report`] is plain data. It says nothing about colours, fonts or files.

mod document;
mod draw;
mod facts;
mod html;
mod plot;
mod text;

pub(crate) use document::{Block, Finding, Report, Table, Verdict};
pub(crate) use facts::{Facts, date};
pub(crate) use html::html;
pub(crate) use plot::{Axis, Heat, Line, Plot, Spread, Stack};
pub(crate) use text::text;
