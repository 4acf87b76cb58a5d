//! The outcome of a bench as a report with plots: one HTML file that needs nothing else.

use anyhow::Result;

use super::run::Row;
use super::table::{HEADS, cells, scenes};
use super::{Outcome, asked_in_words};
use crate::experiment::Contest;
use crate::numbers::grouped;
use crate::report::{self, Axis, Block, Facts, Finding, Line, Plot, Report, Spread, Stack, Table, Verdict};

/// The whole page.
pub(super) fn render(outcome: &Outcome) -> Result<String> {
    let mut blocks = Vec::new();
    for (stream, n, rows) in scenes(&outcome.rows) {
        blocks.push(Block::Heading(format!("{stream}, {} boxes", grouped(n as u64))));
        blocks.push(Block::Table(table(&rows)));
        blocks.push(Block::Plot(frames(&rows)));
        blocks.push(Block::Plot(stages(&rows)));
    }
    blocks.extend(growth(outcome).into_iter().map(Block::Plot));
    let report = Report {
        title: "Finders side by side".to_string(),
        question: format!(
            "What do the finders cost on the same boxes? Asked for: {}. The clock runs from boxes in a plain array to pairs \
             that can be read; finders take turns frame by frame.",
            asked_in_words(outcome)
        ),
        findings: vec![agreement(outcome)],
        blocks,
    };
    report::html(&report, &facts(outcome))
}

fn label(row: &Row) -> String {
    Contest::label(&row.finder, row.threads)
}

fn table(rows: &[&Row]) -> Table {
    let is_timed = |head: &&str| head.contains("ms") || head.contains("ns");
    Table {
        caption: format!("{} frames, the first apart", rows[0].frames),
        columns: HEADS.map(str::to_string).to_vec(),
        timed: HEADS.iter().map(is_timed).collect(),
        rows: rows.iter().map(|row| cells(row).to_vec()).collect(),
    }
}

/// The times of all frames but the first, which builds everything.
fn frames(rows: &[&Row]) -> Plot {
    let settled = |row: &Row| -> Vec<f64> {
        let all = row.each_frame.iter().map(|(time, _)| *time);
        if row.each_frame.len() > 1 { all.skip(1).collect() } else { all.collect() }
    };
    Plot::Spreads {
        caption: "Time of a frame".to_string(),
        y: Axis::new("ms").logarithmic().timed(),
        groups: vec![rows[0].stream.clone()],
        spreads: rows.iter().map(|row| Spread { name: label(row), values: vec![settled(row)] }).collect(),
    }
}

fn stages(rows: &[&Row]) -> Plot {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.stages) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let height = |row: &Row, name: &str| {
        row.stages.iter().find(|(there, _)| *there == name).map_or(0.0, |stage| stage.1)
    };
    Plot::Stacks {
        caption: "Where the time of a frame goes (medians)".to_string(),
        y: Axis::new("ms").timed(),
        groups: rows.iter().map(|row| label(row)).collect(),
        stacks: names
            .iter()
            .map(|name| Stack {
                name: (*name).to_string(),
                heights: rows.iter().map(|row| height(row, name)).collect(),
            })
            .collect(),
    }
}

/// Time over the number of boxes, where there are several.
fn growth(outcome: &Outcome) -> Vec<Plot> {
    let mut streams: Vec<&str> = outcome.rows.iter().map(|row| row.stream.as_str()).collect();
    streams.dedup();
    let plot = |stream: &str| {
        let mut lines: Vec<Line> = Vec::new();
        for row in outcome.rows.iter().filter(|row| row.stream == stream && row.n > 0) {
            let point = (row.n as f64, row.median_ms);
            match lines.iter_mut().find(|line| line.name == label(row)) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name: label(row), points: vec![point], fitted: true }),
            }
        }
        lines.iter().any(|line| line.points.len() > 1).then(|| Plot::Lines {
            caption: format!("Growth on {stream}"),
            x: Axis::new("boxes").logarithmic(),
            y: Axis::new("ms a frame (median)").logarithmic().timed(),
            lines,
        })
    };
    streams.into_iter().filter_map(plot).collect()
}

fn agreement(outcome: &Outcome) -> Finding {
    let verified = outcome.rows.iter().filter(|row| row.verified == Some(true)).count();
    let all = outcome.rows.len();
    let trouble = outcome.rows.iter().find_map(|row| row.trouble.clone());
    Finding {
        claim: "Every finder gives exactly the pairs whose boxes overlap.".to_string(),
        verdict: match &trouble {
            Some(_) => Verdict::Differs,
            None if verified == all => Verdict::Agrees,
            None => Verdict::Open,
        },
        found: trouble.unwrap_or_else(|| match verified {
            0 => "The numbers of pairs are equal; --verify compares the pairs.".to_string(),
            _ => format!("{verified} of {all} rows were compared with the truth."),
        }),
    }
}

fn facts(outcome: &Outcome) -> Facts {
    let fact = |name: &str, text: String| (name.to_string(), text);
    let mut same =
        vec![fact("machine", outcome.machine.line()), fact("vector lanes", outcome.lanes.name().to_string())];
    for skipped in &outcome.skipped {
        let what = format!("{} on {}, {} boxes", skipped.finder, skipped.stream, grouped(skipped.n as u64));
        same.push(fact(&what, skipped.reason.clone()));
    }
    if outcome.stopped {
        same.push(fact("stopped", "by Ctrl-C, before all was measured".to_string()));
    }
    Facts { same, ..Facts::default() }
}
