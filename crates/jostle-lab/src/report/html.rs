//! A report as one HTML file that needs nothing else: no network, no script, no font.
//!
//! Whatever depends on the clock stands in an element of class `timed`; the rest is the same in every run of a seed.

use std::fmt::Write;

use anyhow::Result;

use super::{Block, Facts, Finding, Report, Table, Verdict, draw};

const STYLE: &str = include_str!("style.css");
/// What the browser is told to allow: the style in the page, and nothing from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

pub(crate) fn html(report: &Report, facts: &Facts) -> Result<String> {
    let title = escaped(&report.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n<p class=\"question\">{}</p>\n",
        prose(&report.question)
    );
    if !report.findings.is_empty() {
        page.push_str("<h2>Findings</h2>\n<ul class=\"findings\">\n");
        report.findings.iter().for_each(|each| page.push_str(&finding(each)));
        page.push_str("</ul>\n");
    }
    page.push_str("<h2>How it was measured</h2>\n<dl>\n");
    for (what, text) in &facts.same {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(what), escaped(text));
    }
    for (what, text) in &facts.varying {
        let _ = writeln!(page, "<dt>{}</dt><dd class=\"timed\">{}</dd>", escaped(what), escaped(text));
    }
    page.push_str("</dl>\n");
    for block in &report.blocks {
        match block {
            Block::Heading(text) => {
                let _ = writeln!(page, "<h2>{}</h2>", escaped(text));
            }
            Block::Text(text) => {
                let _ = writeln!(page, "<p>{}</p>", prose(text));
            }
            Block::TimedText(text) => {
                let _ = writeln!(page, "<p class=\"timed\">{}</p>", prose(text));
            }
            Block::Table(table) => page.push_str(&rows(table)),
            Block::Plot(plot) => {
                let class = if plot.is_timed() { " class=\"timed\"" } else { "" };
                let caption = escaped(plot.caption());
                let _ = writeln!(
                    page,
                    "<figure{class}>\n<figcaption>{caption}</figcaption>\n{}</figure>",
                    draw::svg(plot)?
                );
            }
        }
    }
    if facts.files.is_empty() {
        page.push_str("</main>\n</body>\n</html>\n");
        return Ok(page);
    }
    let links = facts.files.iter().map(|name| format!("<a href=\"{0}\">{0}</a>", escaped(name)));
    let _ = write!(
        page,
        "<footer>All numbers come from the raw samples beside this file: {}. <code>jostle report</code> writes it anew from \
         them.</footer>\n</main>\n</body>\n</html>\n",
        links.collect::<Vec<_>>().join(", ")
    );
    Ok(page)
}

fn finding(finding: &Finding) -> String {
    let (class, word) = match finding.verdict {
        Verdict::Agrees => ("agrees", "\u{2713} agrees"),
        Verdict::Differs => ("differs", "\u{2717} differs"),
        Verdict::Open => ("open", "? open"),
    };
    format!(
        "<li>\n<p class=\"claim\">{}</p>\n<p class=\"timed\"><b class=\"verdict {class}\">{word}</b> {}</p>\n</li>\n",
        prose(&finding.claim),
        prose(&finding.found)
    )
}

fn rows(table: &Table) -> String {
    let mut text =
        format!("<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>", escaped(&table.caption));
    let words: Vec<bool> = (0..table.columns.len()).map(|column| table.is_words(column)).collect();
    let class = |column: usize, timed: bool| {
        let words = words.get(column).copied().unwrap_or(false).then_some("words");
        // Where a column stands must not depend on the clock.
        let classes: Vec<&str> = if timed { vec!["timed"] } else { words.into_iter().collect() };
        if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
    };
    for (column, head) in table.columns.iter().enumerate() {
        let class = if table.is_timed(column) { String::new() } else { class(column, false) };
        let _ = write!(text, "<th{class}>{}</th>", escaped(head));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        text.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(text, "<td{}>{}</td>", class(column, table.is_timed(column)), escaped(cell));
        }
        text.push_str("</tr>\n");
    }
    text + "</tbody>\n</table></div>\n"
}

/// Prose as it may stand between tags; what stands between two backticks is code.
fn prose(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(escaped).collect();
    if parts.len().is_multiple_of(2) {
        return parts.join("`");
    }
    let marked = parts
        .iter()
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() });
    marked.collect()
}

/// Text as it may stand between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_tags() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(prose("why `auto<1>` & `x`"), "why <code>auto&lt;1&gt;</code> &amp; <code>x</code>");
        assert_eq!(prose("a lone ` is none"), "a lone ` is none");
    }
}
