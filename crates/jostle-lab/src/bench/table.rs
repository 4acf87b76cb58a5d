//! The outcome of a bench as tables for people.

use super::run::Row;
use super::{Outcome, Skipped, asked_in_words};
use crate::columns::table;
use crate::numbers::{bytes, grouped, three_digits};

pub(super) const HEADS: [&str; 10] =
    ["finder", "threads", "median ms", "p99 ms", "first ms", "ns/object", "pairs", "tests", "bytes", "note"];

pub(super) fn render(outcome: &Outcome) -> String {
    let asked = asked_in_words(outcome);
    let mut text = format!("{}\nlanes {}; asked for: {asked}\n", outcome.machine.line(), outcome.lanes);
    for (stream, n, rows) in scenes(&outcome.rows) {
        let skipped =
            outcome.skipped.iter().filter(|skipped| (skipped.stream.as_str(), skipped.n) == (stream, n));
        text.push_str(&heading(rows[0]));
        let lines = rows.iter().map(|row| cells(row)).chain(skipped.map(skipped_cells));
        text.push_str(&table(HEADS, &[0, 9], lines));
    }
    if !outcome.scaling.is_empty() {
        text.push_str("\ntime grows as n to the power of\n");
        for fit in &outcome.scaling {
            let memory = fit.memory.iter().map(|memory| {
                format!("{} with {}", three_digits(memory.bytes_per_box), grouped(memory.n as u64))
            });
            text.push_str(&format!(
                "  {:.2}  {} on {}, {} threads; bytes per box: {}\n",
                fit.exponent,
                fit.finder,
                fit.stream,
                fit.threads,
                memory.collect::<Vec<_>>().join(", ")
            ));
        }
    }
    text
}

/// The rows of each scene.
pub(super) fn scenes(rows: &[Row]) -> Vec<(&str, usize, Vec<&Row>)> {
    let mut scenes: Vec<(&str, usize, Vec<&Row>)> = Vec::new();
    for row in rows {
        match scenes.iter_mut().find(|(stream, n, _)| (*stream, *n) == (row.stream.as_str(), row.n)) {
            Some((_, _, rows)) => rows.push(row),
            None => scenes.push((&row.stream, row.n, vec![row])),
        }
    }
    scenes
}

fn heading(row: &Row) -> String {
    let verified = match row.verified {
        None => String::new(),
        Some(_) if row.true_frames == row.frames => ", verified in every frame".to_string(),
        Some(_) if row.true_frames == 3 => ", verified in 3 of them (first, middle, last)".to_string(),
        Some(_) => format!(", verified in {} of them", row.true_frames),
    };
    format!("\n{}, n = {}, {} frames{verified}\n", row.stream, grouped(row.n as u64), row.frames)
}

pub(super) fn cells(row: &Row) -> [String; 10] {
    let note = match (&row.trouble, row.verified) {
        (Some(_), _) => "WRONG",
        (None, Some(true)) => "verified",
        (None, _) => "",
    };
    let per_object =
        if row.n > 0 { three_digits(row.median_ms * 1e6 / row.n as f64) } else { "-".to_string() };
    [
        row.finder.clone(),
        row.threads.to_string(),
        three_digits(row.median_ms),
        three_digits(row.p99_ms),
        three_digits(row.first_ms),
        per_object,
        grouped(row.pairs as u64),
        grouped(row.tests),
        bytes(row.bytes as u64),
        note.to_string(),
    ]
}

fn skipped_cells(skipped: &Skipped) -> [String; 10] {
    let mut cells: [String; 10] = std::array::from_fn(|_| "-".to_string());
    cells[0] = skipped.finder.clone();
    cells[9] = skipped.reason.clone();
    cells
}
