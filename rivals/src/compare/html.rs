//! The report as one page that needs nothing else.

use std::fmt::Write;

use anyhow::Result;

use super::cell::Row;
use super::numbers::short_count;
use super::report::Report;
use super::{plot, text};

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8886; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1500px; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .15rem .7rem; text-align: right; }
th:first-child, td:first-child, .words td { text-align: left; }
tr.ours { font-weight: 600; }
tr.best td:first-child::after { content: ' \\2190 best rival'; opacity: .7; font-weight: 400; }
.wrong { color: #e5484d; }
.plots { display: flex; flex-wrap: wrap; gap: .5rem; }
.legend span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.legend i { display: inline-block; width: 1.4em; height: .3em; margin-right: .4em; vertical-align: middle; }
code { background: #8882; padding: .1em .3em; }
";

/// The whole page.
pub(super) fn page(report: &Report) -> Result<String> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>jostle beside its rivals</title>\n\
         <style>{STYLE}</style>\n<h1>jostle beside its rivals</h1>\n<p><code>{}</code><br>{}, {} frames per cell\n",
        escaped(&report.command),
        escaped(&report.machine),
        report.frames,
    );
    page.push_str(
        "<p>The clock starts with this frame's boxes in a plain array in id order and the list of those that moved; it \
         stops when what a contestant delivers can be read. Best rival: the fastest of all rivals in that cell that \
         deliver a whole answer. Bytes: heap held after the last frame.\n",
    );
    let names = report.distinct(|row| row.name.clone());
    page.push_str("<p class=\"legend\">");
    for (index, name) in names.iter().enumerate() {
        let colour = plot::colour(index);
        let _ = write!(page, "<span><i style=\"background:{colour}\"></i>{}</span>", escaped(name));
    }
    page.push('\n');
    for threads in report.distinct(|row| row.threads) {
        let _ = write!(page, "<h2>{}</h2>\n{}", text::threads_words(threads), summary(report, threads));
        page.push_str("<div class=\"plots\">\n");
        for stream in report.distinct(|row| row.stream) {
            let rows: Vec<&Row> =
                report.rows().filter(|row| row.stream == stream && row.threads == threads).collect();
            page.push_str(&plot::svg(stream, &rows, &names)?);
        }
        page.push_str("</div>\n");
    }
    page.push_str("<h2>Who they are</h2>\n<table class=\"words\"><tr><th>name<th>version<th>delivers<th>margin<th>threads\n");
    for rival in &report.rivals {
        let _ = writeln!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}",
            escaped(rival.name),
            escaped(rival.version),
            escaped(rival.delivers),
            escaped(rival.margin),
            if rival.parallel { "yes" } else { "no" },
        );
    }
    page.push_str("</table>\n<p>Left out:\n<ul>\n");
    for reason in &report.left_out {
        let _ = writeln!(page, "<li>{}", escaped(reason));
    }
    page.push_str("</ul>\n<h2>All numbers</h2>\n");
    for rows in &report.cells {
        page.push_str(&cell_table(rows));
    }
    Ok(page)
}

fn summary(report: &Report, threads: usize) -> String {
    let sizes = report.distinct(|row| row.n);
    let heads: Vec<String> = sizes.iter().map(|&n| format!("<th>{}", short_count(n))).collect();
    let mut table = format!("<table><tr><th>faster than the best rival{}\n", heads.concat());
    for stream in report.distinct(|row| row.stream) {
        let _ = write!(table, "<tr><td>{stream}");
        for &n in &sizes {
            let verdict = report
                .cell(stream, n, threads)
                .map_or("-".to_string(), |rows| text::verdict(rows).replace("**", ""));
            let _ = write!(table, "<td>{}", escaped(&verdict));
        }
        table.push('\n');
    }
    table + "</table>\n"
}

fn cell_table(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut table = format!(
        "<h3>{} {}, {}</h3>\n<table><tr><th><th>median ms<th>p99 ms<th>first ms<th>vs best rival\
         <th>extra pairs<th>bytes/box<th>remarks\n",
        first.stream,
        short_count(first.n),
        text::threads_words(first.threads),
    );
    for row in rows {
        let class = if row.ours {
            "ours"
        } else if row.best_rival {
            "best"
        } else {
            ""
        };
        let _ = write!(table, "<tr class=\"{class}\">");
        for column in text::columns(row) {
            let wrong = if column.contains("WRONG") { " class=\"wrong\"" } else { "" };
            let _ = write!(table, "<td{wrong}>{}", escaped(&column));
        }
        table.push('\n');
    }
    table + "</table>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
