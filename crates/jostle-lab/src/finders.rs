//! The finders the command knows: those of the library, and `auto` deciding by counted work; those on a GPU are added by
//! [`crate::gpu`]. `jostle finders` lists them.

use anyhow::Result;
use jostle_broad::{Auto, Catalog, DecideBy};
use serde::Serialize;

use crate::output;

/// `auto` whose choices are the same in every run.
pub(crate) const AUTO_BY_WORK: &str = "auto-work";

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle finders")]
pub(crate) struct Arguments {
    /// Print a JSON array instead
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    about: &'a str,
    /// The most boxes it takes.
    size_limit: Option<usize>,
}

pub(crate) fn catalog() -> Catalog {
    let mut catalog = Catalog::builtin();
    catalog.register(
        AUTO_BY_WORK,
        "auto, choosing by counted work instead of time: the same choices in every run",
        || Auto::new(DecideBy::Work),
    );
    catalog
}

pub(crate) fn list(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    if arguments.json {
        let entries = catalog.iter().map(|entry| Entry {
            name: &entry.name,
            about: &entry.about,
            size_limit: entry.make().size_limit(),
        });
        return output::print_json(&entries.collect::<Vec<_>>());
    }
    let width = catalog.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let lines = catalog.iter().map(|entry| format!("{:width$}  {}\n", entry.name, entry.about));
    output::print(&lines.collect::<String>())
}
