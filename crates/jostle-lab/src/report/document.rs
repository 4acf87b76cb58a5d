//! What a report consists of.

use serde::Serialize;

use super::Plot;

/// A report, before it is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// What was asked, in a paragraph.
    pub(crate) question: String,
    pub(crate) findings: Vec<Finding>,
    pub(crate) blocks: Vec<Block>,
}

/// A statement of the source (or a promise of ours), and whether the samples bear it out.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    /// What the source says, with its numbers.
    pub(crate) claim: String,
    /// What was found here, with numbers. Taken to depend on the clock, as the verdict is.
    pub(crate) found: String,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Agrees,
    Differs,
    /// The cells it needs were not measured.
    Open,
}

/// A part of a report.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Heading(String),
    /// A paragraph that is the same in every run.
    Text(String),
    /// A paragraph that depends on the clock.
    TimedText(String),
    Table(Table),
    Plot(Plot),
}

/// Rows of text. Columns whose numbers are times are named: two reports of a seed differ in nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) caption: String,
    pub(crate) columns: Vec<String>,
    /// Which columns depend on the clock.
    pub(crate) timed: Vec<bool>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Does a column hold words rather than numbers? The first does, by its place. Words go to the left, numbers to the right.
    pub(super) fn is_words(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let mut filled = cells.filter(|cell| !matches!(cell.as_str(), "" | "-")).peekable();
        column == 0 || (filled.peek().is_some() && !filled.all(|cell| is_number(cell)))
    }

    /// Does a column depend on the clock?
    pub(super) fn is_timed(&self, column: usize) -> bool {
        self.timed.get(column).copied().unwrap_or(false)
    }
}

/// A number, perhaps with a sign, and with a unit behind it.
fn is_number(cell: &str) -> bool {
    cell.trim_start_matches(['+', '-', '\u{2212}', '<', '>', ' '])
        .starts_with(|first: char| first.is_ascii_digit())
}
