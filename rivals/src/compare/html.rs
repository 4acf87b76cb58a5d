//! The report as one page that needs nothing else.

use std::fmt::Write;

use anyhow::Result;

use super::cell::Row;
use super::numbers::{exponent, short_count, three_digits};
use super::report::Report;
use super::{plot, text};

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --kept: #22a06b; --short: #d97706; --wrong: #e5484d; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1460px; margin: 2rem auto; padding: 0 1.2rem; }
h1 { margin-bottom: .2rem; }
h2 { margin: 2.2rem 0 .6rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem; text-align: right; }
th:first-child, td:first-child, .words th, .words td, .cell th:last-child, .cell td:last-child { text-align: left; }
tr.ours { font-weight: 600; background: #8881; }
.cell td:last-child { font-weight: 400; opacity: .8; }
.verdicts td { line-height: 1.25; padding: .45rem .8rem; }
.verdicts b { font-size: 1.25em; }
.verdicts small { display: block; opacity: .7; }
.kept b { color: var(--kept); }
.short b { color: var(--short); }
.wrong { color: var(--wrong); }
.plots { display: flex; flex-wrap: wrap; gap: .5rem; }
.legend span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.legend i { display: inline-block; width: 1.4em; height: .3em; margin-right: .4em; vertical-align: middle; }
summary { cursor: pointer; font-size: 1.4em; font-weight: 600; margin: 2rem 0 .6rem; }
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
    let legend = legend(&names);
    for threads in report.distinct(|row| row.threads) {
        let _ = write!(page, "<h2>{}</h2>\n{}", text::threads_words(threads), summary(report, threads));
        page.push_str(&legend);
        page.push_str("<div class=\"plots\">\n");
        for stream in report.distinct(|row| row.stream) {
            let rows: Vec<&Row> =
                report.rows().filter(|row| row.stream == stream && row.threads == threads).collect();
            page.push_str(&plot::svg(stream, &rows, &names)?);
        }
        page.push_str("</div>\n");
    }
    page.push_str(&everyone(report, &names));
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
    page.push_str("</ul>\n<details><summary>All numbers</summary>\n");
    for rows in &report.cells {
        page.push_str(&cell_table(rows));
    }
    page.push_str("</details>\n");
    Ok(page)
}

fn legend(names: &[String]) -> String {
    let mut text = "<p class=\"legend\">".to_string();
    for (index, name) in names.iter().enumerate() {
        let colour = plot::colour(index);
        let _ = write!(text, "<span><i style=\"background:{colour}\"></i>{}</span>", escaped(name));
    }
    text + "\n"
}

fn summary(report: &Report, threads: usize) -> String {
    let sizes = report.distinct(|row| row.n);
    let heads: Vec<String> = sizes.iter().map(|&n| format!("<th>{}", short_count(n))).collect();
    let mut table =
        format!("<table class=\"verdicts\"><tr><th>times faster than the best rival{}\n", heads.concat());
    for stream in report.distinct(|row| row.stream) {
        let _ = write!(table, "<tr><td>{stream}");
        for &n in &sizes {
            table.push_str(&verdict(report.cell(stream, n, threads).unwrap_or_default()));
        }
        table.push('\n');
    }
    table + "</table>\n"
}

/// The first of ours against the best rival, and whether that is as much as it is to be.
fn verdict(rows: &[Row]) -> String {
    let ours = rows.iter().find(|row| row.ours);
    let best = rows.iter().find(|row| row.best_rival);
    let Some((ours, best)) = ours.zip(best) else { return "<td>-".to_string() };
    let speedup = ours.speedup.unwrap_or(f64::NAN);
    let (class, aim) = match ours.bar {
        Some(bar) if speedup >= bar => ("kept", format!(" of {bar}x")),
        Some(bar) => ("short", format!(" of {bar}x")),
        None => ("", String::new()),
    };
    format!(
        "<td class=\"{class}\"><b>{}x</b>{aim}<small>{} ms; {} {} ms</small>",
        text::times(speedup),
        three_digits(ours.median_ms),
        escaped(&best.name),
        three_digits(best.median_ms),
    )
}

/// Memory of all contestants, and how their time grows, on the first stream with the first number of threads.
fn everyone(report: &Report, names: &[String]) -> String {
    let Some(first) = report.rows().next() else { return String::new() };
    let sizes = report.distinct(|row| row.n);
    let heads: Vec<String> = sizes.iter().map(|&n| format!("<th>{}", short_count(n))).collect();
    let mut table = format!(
        "<h2>Memory and growth</h2>\n<p>Bytes on the heap per box on {}, {}, and the exponent of time over the number of \
         boxes.\n<table><tr><th>{}<th>time grows as\n",
        first.stream,
        text::threads_words(first.threads),
        heads.concat(),
    );
    for name in names {
        let own: Vec<&Row> = report
            .rows()
            .filter(|row| (row.stream, row.threads) == (first.stream, first.threads) && row.name == *name)
            .collect();
        let class = if own.iter().any(|row| row.ours) { "ours" } else { "" };
        let _ = write!(table, "<tr class=\"{class}\"><td>{}", escaped(name));
        for &n in &sizes {
            let bytes = own.iter().find(|row| row.n == n).and_then(|row| row.bytes_per_box);
            let _ = write!(table, "<td>{}", bytes.map_or("-".to_string(), |bytes| format!("{bytes:.0}")));
        }
        let points: Vec<(f64, f64)> = own.iter().map(|row| (row.n as f64, row.median_ms)).collect();
        let growth = exponent(&points).map_or("-".to_string(), |e| format!("n<sup>{e:.2}</sup>"));
        let _ = writeln!(table, "<td>{growth}");
    }
    table + "</table>\n"
}

fn cell_table(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut table = format!(
        "<h3>{} {}, {}</h3>\n<table class=\"cell\"><tr><th><th>median ms<th>p99 ms<th>first ms<th>vs best rival\
         <th>extra pairs<th>bytes/box<th>remarks\n",
        first.stream,
        short_count(first.n),
        text::threads_words(first.threads),
    );
    for row in rows {
        let class = if row.ours { "ours" } else { "" };
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
