//! The commands `jostle experiment` and `jostle report`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use jostle_broad::Catalog;
use serde_json::json;

use super::folder::Folder;
use super::publish::{Published, publish};
use super::{Options, catalog, engine};
use crate::bench::chosen_finders;
use crate::failure::{Disagreement, Stopped};
use crate::gpu::Choice;
use crate::jbox::MOST_FRAMES;
use crate::search::{self, SearchArguments, SearchSettings};
use crate::{output, stop, studies};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle experiment --list\n  jostle experiment finders\n  \
                        jostle experiment finders --full --out finders-whole\n  \
                        jostle experiment search --finders sap,auto-work --vary objects=100..500,size=25..150\n\n\
                        Ctrl-C ends it with what was measured; the same command then goes on with the rest.")]
pub(crate) struct Arguments {
    /// The study, by name
    #[arg(value_name = "NAME", required_unless_present = "list")]
    name: Option<String>,
    /// List the studies there are
    #[arg(long, conflicts_with = "name")]
    list: bool,
    /// The whole sweep, however long it takes
    #[arg(long)]
    full: bool,
    /// Another seed gives other scenes
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Finders to run instead of those the study is about (see `jostle finders`), or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    finders: Option<Vec<String>>,
    /// Frames of each cell instead of the study's own number
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: Option<u32>,
    /// At most this many threads [default: as many as the machine has]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The folder for samples and report [default: out/experiment/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of the summary
    #[arg(long)]
    json: bool,
    /// Forget what was measured there before
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    search: SearchArguments,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle report out/experiment/finders")]
pub(crate) struct ReportArguments {
    /// A folder that `jostle experiment` wrote
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print one JSON object instead of the summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, finders: &Catalog, adapter: &Choice) -> Result<()> {
    let Some(name) = &arguments.name else { return list(arguments.json) };
    let study = catalog::get(name)?;
    if let Some(waits_for) = study.about().waits_for {
        bail!("the study `{name}` cannot run yet: it waits for {waits_for}");
    }
    if arguments.finders.is_some() && !study.takes_finders() {
        bail!("--finders: the study `{name}` always runs the same; leave --finders away");
    }
    let chosen = match &arguments.finders {
        Some(names) => Some(chosen_finders(finders, names)?.iter().map(|entry| entry.name.clone()).collect()),
        None => None,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        full: arguments.full,
        seed: arguments.seed,
        finders: chosen,
        frames: arguments.frames,
        threads: arguments.threads.map_or(cores, usize::from),
        adapter: adapter.adapter().ok(),
        search: search_settings(arguments, name)?,
    };
    let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from("out/experiment").join(name));
    let folder = Folder::new(&path);
    stop::listen();
    let ending = engine::run(study, &options, finders, &folder, arguments.fresh, &stop::asked)?;
    let published = publish(study, &folder)?;
    show(&folder, &published, arguments.json)?;
    agreed(&published)?;
    if let Some(failure) = ending.failure {
        return Err(failure);
    }
    if ending.stopped {
        let cells = &published.manifest.cells;
        let measured = cells.iter().filter(|cell| cell.samples.is_some()).count();
        let said =
            format!("after {measured} of {} cells; the same command goes on with the rest", cells.len());
        return Err(Stopped(said).into());
    }
    Ok(())
}

/// What a search is asked for. Other studies have no such options.
fn search_settings(arguments: &Arguments, name: &str) -> Result<Option<SearchSettings>> {
    if name == search::NAME {
        return arguments.search.settings(arguments.full).map(Some);
    }
    match arguments.search.given() {
        Some(option) => bail!("{option} is an option of the study `{}`; leave it away", search::NAME),
        None => Ok(None),
    }
}

pub(crate) fn run_report(arguments: &ReportArguments) -> Result<()> {
    let folder = Folder::new(&arguments.folder);
    let name = folder.manifest()?.study;
    let study = catalog::get(&name).with_context(|| folder.path().display().to_string())?;
    let published = publish(study, &folder)?;
    show(&folder, &published, arguments.json)?;
    agreed(&published)
}

/// Wrong pairs are an error whenever they are shown.
pub(super) fn agreed(published: &Published) -> Result<()> {
    published.manifest.wrong().next().map_or(Ok(()), |wrong| Err(Disagreement(wrong).into()))
}

fn show(folder: &Folder, published: &Published, as_json: bool) -> Result<()> {
    if !as_json {
        let report = folder.file("report.html");
        return output::print(&format!("{}\nreport: {}\n", published.summary, report.display()));
    }
    let Published { manifest, report, statistics, .. } = published;
    let measured = manifest.cells.iter().filter(|cell| cell.samples.is_some()).count();
    let object = json!({
        "name": manifest.study,
        "folder": folder.path(),
        "report": folder.file("report.html"),
        "options": manifest.options,
        "machine": manifest.machine,
        "revision": manifest.revision,
        "cells": manifest.cells.len(),
        "measured": measured,
        "findings": report.findings,
        "statistics": statistics,
    });
    output::print_json(&object)
}

fn list(as_json: bool) -> Result<()> {
    let studies = studies::all();
    let abouts = studies.iter().map(|study| study.about());
    if as_json {
        let list: Vec<_> = abouts
            .map(|about| {
                json!({
                    "name": about.name, "about": about.about,
                    "source": about.source, "waits_for": about.waits_for,
                })
            })
            .collect();
        return output::print_json(&list);
    }
    let abouts: Vec<_> = abouts.collect();
    let width = abouts.iter().map(|about| about.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for about in abouts {
        text.push_str(&format!("{:width$}  {} ({})\n", about.name, about.about, about.source));
        if let Some(waits_for) = about.waits_for {
            text.push_str(&format!("{:width$}  cannot run yet: waits for {waits_for}\n", ""));
        }
    }
    output::print(&text)
}
