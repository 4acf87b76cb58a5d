//! Tables: for the terminal, as Markdown, as comma-separated values.

use std::fmt::Write;

use super::cell::Row;
use super::numbers::{short_count, three_digits};
use super::report::Report;
use crate::rival::Delivers;

/// The columns of the table of a cell.
const HEADS: [&str; 8] =
    ["", "median ms", "p99 ms", "first ms", "vs best rival", "extra pairs", "bytes/box", "remarks"];

/// What a row says, column by column.
pub(super) fn columns(row: &Row) -> [String; 8] {
    let mut remarks = Vec::new();
    if row.best_rival {
        remarks.push("best rival".to_string());
    }
    if !row.counts {
        let why = match () {
            () if row.wrong.is_some() => "",
            () if row.delivers == Delivers::Nothing.words() => "only reads boxes, ",
            () if row.delivers == Delivers::Rearranged.words() => "rearranged, ",
            () => "part of an answer, ",
        };
        remarks.push(format!("{why}not counted"));
    }
    if let Some(wrong) = &row.wrong {
        remarks.push(format!("WRONG: {wrong}"));
    } else if row.ours && row.extra_percent.is_some() {
        remarks.push("verified exact".to_string());
    }
    if row.gave_up {
        remarks.push(format!("only {} frames", row.frames));
    }
    [
        row.name.clone(),
        three_digits(row.median_ms),
        three_digits(row.p99_ms),
        three_digits(row.first_ms),
        row.speedup.map_or("-".to_string(), |speedup| format!("{speedup:.2}x")),
        row.extra_percent.map_or("-".to_string(), |percent| format!("{percent:.1} %")),
        row.bytes_per_box.map_or("-".to_string(), |bytes| format!("{bytes:.0}")),
        remarks.join("; "),
    ]
}

/// The table of one cell, for the terminal.
pub(super) fn cell_table(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut text = format!("{} {}, {}\n", first.stream, short_count(first.n), threads_words(first.threads));
    let mut lines = vec![HEADS.map(str::to_string)];
    lines.extend(rows.iter().map(columns));
    let widths: Vec<usize> =
        (0..HEADS.len()).map(|i| lines.iter().map(|line| line[i].len()).max().unwrap_or(0)).collect();
    for line in &lines {
        let _ = write!(text, "  {:<1$}", line[0], widths[0]);
        for i in 1..HEADS.len() - 1 {
            let _ = write!(text, "  {:>1$}", line[i], widths[i]);
        }
        let _ = writeln!(text, "{}", format!("  {}", line[HEADS.len() - 1]).trim_end());
    }
    text.push('\n');
    text
}

/// "1 thread", "2 threads".
pub(super) fn threads_words(threads: usize) -> String {
    if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") }
}

/// How many times faster, to two digits.
pub(super) fn times(speedup: f64) -> String {
    if speedup < 1.0 { format!("{speedup:.2}") } else { format!("{speedup:.1}") }
}

/// Whether ours is as much faster as it is to be.
fn against_bar(ours: &Row) -> String {
    match ours.bar.zip(ours.speedup) {
        Some((bar, speedup)) if speedup >= bar => format!(" of {bar}x"),
        Some((bar, _)) => format!(" of {bar}x, SHORT"),
        None => String::new(),
    }
}

/// The first of ours against the best rival of a cell, in words.
pub(super) fn verdict(rows: &[Row]) -> String {
    let ours = rows.iter().find(|row| row.ours);
    let best = rows.iter().find(|row| row.best_rival);
    match (ours, best) {
        (Some(ours), Some(best)) => format!(
            "**{}x**{} ({} ms; {} {})",
            ours.speedup.map_or("-".to_string(), times),
            against_bar(ours),
            three_digits(ours.median_ms),
            best.name,
            three_digits(best.median_ms),
        ),
        _ => "-".to_string(),
    }
}

/// Stream by size: how many times faster the first of ours is than the best rival. One Markdown table per number of
/// threads.
pub(super) fn summary(report: &Report) -> String {
    let sizes = report.distinct(|row| row.n);
    let streams = report.distinct(|row| row.stream);
    let mut text = String::new();
    for threads in report.distinct(|row| row.threads) {
        let heads: Vec<String> = sizes.iter().map(|&n| short_count(n)).collect();
        let _ = writeln!(text, "| {} | {} |", threads_words(threads), heads.join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(sizes.len()));
        for stream in &streams {
            let cells: Vec<String> = sizes
                .iter()
                .map(|&n| report.cell(stream, n, threads).map_or("-".to_string(), verdict))
                .collect();
            let _ = writeln!(text, "| {stream} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }
    text.push_str(&sum_of_bars(report));
    text
}

/// How many cells reach their bar, in words. Empty where none has one.
fn sum_of_bars(report: &Report) -> String {
    let first_of_ours = report.cells.iter().filter_map(|rows| rows.iter().find(|row| row.ours));
    let held: Vec<bool> = first_of_ours
        .filter_map(|ours| ours.bar.zip(ours.speedup))
        .map(|(bar, speedup)| speedup >= bar)
        .collect();
    let reached = held.iter().filter(|held| **held).count();
    match held.len() {
        0 => String::new(),
        count if reached == count => format!("PASS: all {count} cells reach what is aimed at\n"),
        count => format!("FALLS SHORT: {reached} of {count} cells reach what is aimed at\n"),
    }
}

/// Rows are contestants, columns numbers of boxes, on the first stream with the first number of threads.
fn everyones(report: &Report, what: &str, value: impl Fn(&Row) -> Option<String>) -> String {
    let Some(first) = report.rows().next() else { return String::new() };
    let sizes = report.distinct(|row| row.n);
    let heads: Vec<String> = sizes.iter().map(|&n| short_count(n)).collect();
    let mut text = format!("{what} on {}, {}:\n\n", first.stream, threads_words(first.threads));
    let _ = writeln!(text, "| | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(sizes.len()));
    for name in report.distinct(|row| row.name.clone()) {
        let values = sizes.iter().map(|&n| {
            let rows = report.cell(first.stream, n, first.threads).unwrap_or_default();
            rows.iter().find(|row| row.name == name).and_then(&value).unwrap_or_else(|| "-".to_string())
        });
        let _ = writeln!(text, "| {name} | {} |", values.collect::<Vec<_>>().join(" | "));
    }
    text.push('\n');
    text
}

/// The whole report as Markdown: the summary, then everyone's times.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!("`{}`\n\n{}\n\n", report.command, report.machine);
    text.push_str(&summary(report));
    text.push('\n');
    text.push_str(&everyones(report, "Bytes on the heap per box", |row| {
        row.bytes_per_box.map(|bytes| format!("{bytes:.0}"))
    }));
    let names = report.distinct(|row| row.name.clone());
    let _ = writeln!(text, "Median milliseconds per frame:\n");
    let _ = writeln!(text, "| stream | boxes | threads | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(names.len()));
    for rows in report.cells.iter().filter(|rows| !rows.is_empty()) {
        let times = names.iter().map(|name| match rows.iter().find(|row| row.name == *name) {
            Some(row) if row.best_rival => format!("*{}*", three_digits(row.median_ms)),
            Some(row) if row.ours => format!("**{}**", three_digits(row.median_ms)),
            Some(row) => three_digits(row.median_ms),
            None => "-".to_string(),
        });
        let first = &rows[0];
        let times = times.collect::<Vec<_>>().join(" | ");
        let _ =
            writeln!(text, "| {} | {} | {} | {times} |", first.stream, short_count(first.n), first.threads);
    }
    text
}

/// One line per row.
pub(super) fn csv(report: &Report) -> String {
    let mut text =
        "stream,n,threads,name,ours,counts,frames,first_ms,median_ms,p99_ms,speedup,bar,best_rival,pairs,\
                    extra_percent,bytes_per_box,gave_up,wrong\n"
            .to_string();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    for row in report.rows() {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{:.4},{:.4},{:.4},{},{},{},{},{},{},{},{}",
            row.stream,
            row.n,
            row.threads,
            row.name,
            row.ours,
            row.counts,
            row.frames,
            row.first_ms,
            row.median_ms,
            row.p99_ms,
            number(row.speedup),
            number(row.bar),
            row.best_rival,
            row.pairs,
            number(row.extra_percent),
            number(row.bytes_per_box),
            row.gave_up,
            row.wrong.as_deref().unwrap_or(""),
        );
    }
    text
}
