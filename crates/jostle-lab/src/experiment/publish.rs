//! Writes what people read of a study from what is in its folder: all samples in one file, statistics, report, summary.
//!
//! Only the files of the folder are looked at, so that `jostle report` gives the same bytes as the experiment did.

use anyhow::{Result, anyhow};

use super::folder::Folder;
use super::manifest::Manifest;
use super::progress::spoken;
use super::statistics::{Row, rows};
use super::{Results, Study, cell_file};
use crate::numbers::grouped;
use crate::output::WholeFile;
use crate::report::{self, Facts, Report};

/// What was written.
pub(super) struct Published {
    pub(super) manifest: Manifest,
    pub(super) report: Report,
    pub(super) statistics: Vec<Row>,
    pub(super) summary: String,
}

pub(super) fn publish(study: &dyn Study, folder: &Folder) -> Result<Published> {
    let manifest = folder.manifest()?;
    let results = folder.results(&manifest)?;
    let report = study.report(&results);
    let facts = facts(study, &manifest, &results);
    let statistics = rows(&results);
    let summary = report::text(&report, &facts);
    let html = report::html(&report, &facts)?;
    let files = [
        samples_file(&results)?,
        statistics_file(&statistics)?,
        html.into_bytes(),
        summary.clone().into_bytes(),
    ];
    for (name, bytes) in super::folder::PUBLISHED.iter().zip(files) {
        let mut file = WholeFile::create(&folder.file(name))?;
        file.write(&bytes)?;
        file.commit()?;
    }
    Ok(Published { manifest, report, statistics, summary })
}

/// What a report says of how its numbers came about.
fn facts(study: &dyn Study, manifest: &Manifest, results: &Results) -> Facts {
    let (options, machine) = (&manifest.options, &manifest.machine);
    let about = study.about();
    let mut facts = Facts::default();
    let mut same = |what: &str, text: String| facts.same.push((what.to_string(), text));
    same("study", format!("{}: {}", about.name, about.about));
    same("source", about.source.to_string());
    same("processor", format!("{}, {} cores, {}", machine.cpu, machine.cores, machine.arch));
    same("vector lanes", machine.lanes.join(", "));
    same("system", machine.os.clone());
    same("threads", format!("at most {}", options.threads));
    if let Some(adapter) = &options.adapter {
        same("adapter", format!("{} ({})", adapter.name, adapter.kind));
    }
    same("jostle", machine.jostle.clone());
    same("random numbers", format!("{}, seed {}", manifest.random, options.seed));
    same("physics", manifest.engine.clone());
    let sweep = if options.full { "whole (--full)" } else { "short; --full measures the whole" };
    same("sweep", sweep.to_string());
    if let Some(finders) = &options.finders {
        same("finders", finders.join(", "));
    }
    if let Some(frames) = options.frames {
        same("frames", grouped(frames.into()));
    }
    if !manifest.scenes.is_empty() {
        let names: Vec<String> =
            manifest.scenes.iter().map(|scene| format!("scenes/{}", scene.name)).collect();
        same("scene files", names.join(", "));
    }
    let (measured, planned) = (results.cells.len(), results.planned.len());
    let missing = if measured < planned { "; run the study again to measure the others" } else { "" };
    same("cells", format!("{measured} of {planned} measured{missing}"));
    let revision = manifest.revision.clone().unwrap_or_else(|| "unknown".to_string());
    facts.varying = vec![
        ("revision".to_string(), revision),
        ("begun".to_string(), report::date(manifest.begun)),
        ("took".to_string(), spoken(manifest.seconds)),
    ];
    facts.files = vec!["samples.csv".to_string(), "statistics.csv".to_string(), "manifest.json".to_string()];
    facts
}

/// All cells in one file.
fn samples_file(results: &Results) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_field("cell")?;
    writer.write_record(cell_file::HEADS)?;
    for cell in &results.planned {
        for record in results.cells.get(cell).into_iter().flat_map(cell_file::records) {
            writer.write_field(cell)?;
            writer.write_record(&record?)?;
        }
    }
    writer.into_inner().map_err(|error| anyhow!("samples.csv: {error}"))
}

fn statistics_file(rows: &[Row]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads =
        ["cell", "who", "measure", "unit", "samples", "mean", "sd", "min", "max", "total", "median", "p99"];
    writer.write_record(heads)?;
    for Row { cell, who, measure, unit, statistics: s } in rows {
        let numbers = [s.mean, s.sd, s.min, s.max, s.total, s.median, s.p99].map(|number| number.to_string());
        let words = [cell, who, measure, *unit, &s.samples.to_string()];
        writer.write_record(words.into_iter().chain(numbers.iter().map(String::as_str)))?;
    }
    writer.into_inner().map_err(|error| anyhow!("statistics.csv: {error}"))
}
