//! The fields of scene files: one description of each, from which it is read, checked, written and documented.
//!
//! A kind of scene lists its fields in a function that takes a [`Visit`]; reading a file, printing a file with defaults
//! and listing names are visitors of that list.

mod read;
mod values;
mod write;

use anyhow::Result;
use toml::de::DeValue;

pub(crate) use read::{line, read_table};
pub(crate) use values::{choice, file, number, spread, switch, whole};
pub(crate) use write::{names, written};

/// Something done with every field of a scene, in order.
pub(crate) trait Visit {
    /// `about` is one line for people.
    fn field(&mut self, name: &'static str, about: &'static str, field: &mut dyn Field) -> Result<()>;
}

/// A value of a scene file, and what it may be.
pub(crate) trait Field {
    /// Takes a value, or says what is wrong with it and what would be right.
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String>;

    /// The value as TOML.
    fn write(&self) -> String;

    /// What values there are, in words.
    fn range(&self) -> String;
}
