//! A report as text: question, findings, tables. What `summary.txt` holds.

use std::fmt::Write;

use super::{Block, Facts, Finding, Heat, Plot, Report, Table, Verdict};
use crate::columns::aligned;

/// Where lines of prose are broken.
const WIDTH: usize = 100;

pub(crate) fn text(report: &Report, facts: &Facts) -> String {
    let mut text = format!("{}\n\n{}\n", report.title, wrapped(&report.question, ""));
    for Finding { claim, found, verdict } in &report.findings {
        let word = match verdict {
            Verdict::Agrees => "AGREES ",
            Verdict::Differs => "DIFFERS",
            Verdict::Open => "OPEN   ",
        };
        let _ = write!(text, "\n{word} {}\n", wrapped(claim, "        ").trim_start());
        let _ = writeln!(text, "{}", wrapped(&format!("Here: {found}"), "        "));
    }
    for block in &report.blocks {
        match block {
            Block::Heading(heading) => {
                let _ = writeln!(text, "\n== {heading}");
            }
            Block::Text(words) | Block::TimedText(words) => {
                let _ = writeln!(text, "\n{}", wrapped(words, ""));
            }
            Block::Table(table) => text.push_str(&rows(table)),
            Block::Plot(Plot::Heat(heat)) => text.push_str(&rows(&as_table(heat))),
            Block::Plot(_) => {}
        }
    }
    text.push('\n');
    for (what, said) in facts.same.iter().chain(&facts.varying) {
        let _ = writeln!(text, "{what}: {said}");
    }
    text
}

/// The numbers of a heat map, which need no colours.
fn as_table(heat: &Heat) -> Table {
    let cell = |value: &Option<f64>| value.map_or("-".to_string(), Heat::short);
    let rows = heat.rows.iter().zip(&heat.values);
    Table {
        caption: heat.caption.clone(),
        columns: std::iter::once("")
            .chain(heat.columns.iter().map(String::as_str))
            .map(str::to_string)
            .collect(),
        timed: Vec::new(),
        rows: rows
            .map(|(name, values)| std::iter::once(name.clone()).chain(values.iter().map(cell)).collect())
            .collect(),
    }
}

fn rows(table: &Table) -> String {
    let all: Vec<&Vec<String>> = std::iter::once(&table.columns).chain(&table.rows).collect();
    format!("\n{}\n{}", table.caption, aligned(&all, |column| table.is_words(column)))
}

fn wrapped(words: &str, indent: &str) -> String {
    let mut lines = vec![indent.to_string()];
    for word in words.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.len() > indent.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            let gap = if line.len() > indent.len() { " " } else { "" };
            line.push_str(&format!("{gap}{word}"));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let words = "word ".repeat(50);
        let lines = wrapped(&words, "  ");
        assert!(lines.lines().count() == 3 && lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        assert_eq!(lines.split_whitespace().count(), 50);
    }

    #[test]
    fn a_heat_map_is_a_table() {
        let heat = Heat {
            caption: "times".to_string(),
            rows: vec!["pile".to_string(), "fast".to_string()],
            columns: vec!["grid".to_string(), "tree".to_string()],
            values: vec![vec![Some(1.0), Some(12.34)], vec![None, Some(123_456.0)]],
            timed: true,
        };
        assert_eq!(
            rows(&as_table(&heat)),
            "\ntimes\n        grid  tree\n  pile   1.0    12\n  fast     -  123k\n"
        );
    }

    #[test]
    fn a_table_keeps_words_left_and_numbers_right() {
        let cells = |row: [&str; 2]| row.map(str::to_string).to_vec();
        let table = Table {
            caption: "times".to_string(),
            columns: cells(["finder", "ms"]),
            timed: vec![false, true],
            rows: vec![cells(["grid", "1.25"]), cells(["sweep", "-"])],
        };
        assert_eq!(rows(&table), "\ntimes\n  finder    ms\n  grid    1.25\n  sweep      -\n");
    }
}
