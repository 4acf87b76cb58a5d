//! The file of a cell: its samples as CSV.
//!
//! Lines `who,measure,unit,frame,value` under a line of heads; the lines of a series stand together, frames count from 0.
//! Values are written so that reading gives the same bits. Whatever is wrong with a file is told with its name, the line
//! and the remedy.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use super::{Samples, Unit};
use crate::output::WholeFile;

pub(super) const HEADS: [&str; 5] = ["who", "measure", "unit", "frame", "value"];

/// Writes the file, which is there whole or not at all. Gives the number of its samples.
pub(super) fn write(path: &Path, samples: &Samples) -> Result<u64> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADS)?;
    let mut rows = 0;
    for row in records(samples) {
        writer.write_record(&row?)?;
        rows += 1;
    }
    let mut file = WholeFile::create(path)?;
    file.write(&writer.into_inner().map_err(|error| anyhow!("{}: {error}", path.display()))?)?;
    file.commit()?;
    Ok(rows)
}

/// The fields of all lines.
pub(super) fn records(samples: &Samples) -> impl Iterator<Item = Result<[String; 5]>> {
    samples.series.iter().flat_map(|series| {
        series.values.iter().enumerate().map(move |(frame, value)| {
            if !value.is_finite() {
                bail!("{} of {} is {value} in frame {frame}: not a number", series.measure, series.who);
            }
            let unit = series.unit.name().to_string();
            Ok([series.who.clone(), series.measure.clone(), unit, frame.to_string(), value.to_string()])
        })
    })
}

/// Reads a file that is to hold this many samples.
pub(super) fn read(path: &Path, rows: u64) -> Result<Samples> {
    let remedy = "delete it and run the study again: only what is missing is measured";
    let trouble = |what: String| anyhow!("{}: {what}; {remedy}", path.display());
    let mut reader = csv::Reader::from_path(path)
        .map_err(|error| trouble(format!("cannot be read ({})", spoken(&error))))?;
    let heads = reader.headers().map_err(|error| trouble(spoken(&error)))?;
    if *heads != HEADS[..] {
        return Err(trouble(format!("its first line is not `{}`", HEADS.join(","))));
    }
    let mut samples = Samples::default();
    let mut found = 0;
    for record in reader.records() {
        let record = record.map_err(|error| trouble(spoken(&error)))?;
        let line = record.position().map_or(0, csv::Position::line);
        take(&mut samples, &record).map_err(|error| trouble(format!("line {line}: {error}")))?;
        found += 1;
    }
    if found != rows {
        return Err(trouble(format!("holds {found} samples, but {rows} were written")));
    }
    Ok(samples)
}

fn take(samples: &mut Samples, record: &csv::StringRecord) -> Result<()> {
    let [who, measure, unit, frame, value] = std::array::from_fn(|field| record.get(field).unwrap_or(""));
    let unit = Unit::named(unit).with_context(|| format!("`{unit}` is not a unit"))?;
    let frame: usize = frame.parse().ok().with_context(|| format!("`{frame}` is not a frame"))?;
    let value: f64 = value.parse().ok().filter(|value: &f64| value.is_finite()).with_context(|| {
        format!("`{value}` is not a number") //
    })?;
    let there = samples.values(who, measure).len();
    if frame != there {
        bail!("frame {frame} of {measure} of {who} stands where frame {there} belongs");
    }
    samples.push(who, measure, unit, value);
    Ok(())
}

fn spoken(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos: Some(pos), .. } => {
            format!("line {}: does not have {} fields", pos.line(), HEADS.len())
        }
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}
