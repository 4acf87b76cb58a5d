//! What the reports of all studies say alike: numbers as text, tables, findings.
//!
//! A number that was not measured is `None` all the way, and shows as a dash; a finding that needs one is open.

use crate::numbers::three_digits;
use crate::report::{Axis, Block, Finding, Table, Verdict};

/// The arithmetic mean.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of all values there are (not an estimate for more of them).
pub(super) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    Some((squares / values.len() as f64).sqrt())
}

/// The largest value.
pub(super) fn largest(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

/// The quotient of two numbers, where both are there and it is a number.
pub(super) fn ratio(upper: Option<f64>, lower: Option<f64>) -> Option<f64> {
    upper.zip(lower).map(|(upper, lower)| upper / lower).filter(|ratio| ratio.is_finite())
}

/// By how much a number grew, in percent.
pub(super) fn growth(from: Option<f64>, to: Option<f64>) -> Option<f64> {
    ratio(to, from).map(|ratio| 100.0 * (ratio - 1.0))
}

/// Three digits, or a dash.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or("-".to_string(), three_digits)
}

/// `1.23x`, or a dash.
pub(super) fn times(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{}x", three_digits(value)))
}

/// `12.3 %` of a share, or a dash.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |share| format!("{} %", three_digits(100.0 * share)))
}

/// `+567 %`, or a dash.
pub(super) fn change(percent: Option<f64>) -> String {
    percent.map_or("-".to_string(), |percent| format!("{percent:+.0} %"))
}

/// `1 thread`, `2 threads`.
pub(super) fn threads(count: usize) -> String {
    if count == 1 { "1 thread".to_string() } else { format!("{count} threads") }
}

/// A finding that is open unless everything it needs was measured: then what was found, and whether it bears out the claim.
pub(super) fn finding(claim: impl Into<String>, found: Option<(String, bool)>) -> Finding {
    let claim = claim.into();
    match found {
        Some((found, holds)) => {
            Finding { claim, found, verdict: if holds { Verdict::Agrees } else { Verdict::Differs } }
        }
        None => {
            Finding { claim, found: "the cells it needs were not measured".into(), verdict: Verdict::Open }
        }
    }
}

/// A column of a table.
pub(super) struct Column {
    head: String,
    timed: bool,
}

/// A column whose content is the same in every run of a seed.
pub(super) fn fixed(head: impl Into<String>) -> Column {
    Column { head: head.into(), timed: false }
}

/// A column whose content depends on the clock.
pub(super) fn timed(head: impl Into<String>) -> Column {
    Column { head: head.into(), timed: true }
}

pub(super) fn table(caption: impl Into<String>, columns: Vec<Column>, rows: Vec<Vec<String>>) -> Block {
    debug_assert!(rows.iter().all(|row| row.len() == columns.len()), "a cell for every column");
    Block::Table(Table {
        caption: caption.into(),
        timed: columns.iter().map(|column| column.timed).collect(),
        columns: columns.into_iter().map(|column| column.head).collect(),
        rows,
    })
}

pub(super) fn heading(text: &str) -> Block {
    Block::Heading(text.to_string())
}

pub(super) fn text(text: impl Into<String>) -> Block {
    Block::Text(text.into())
}

/// Milliseconds, from zero.
pub(super) fn milliseconds() -> Axis {
    Axis::new("ms").timed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!((mean(&values), deviation(&values), largest(&values)), (Some(5.0), Some(2.0), Some(9.0)));
        assert_eq!((mean(&[]), deviation(&[]), largest(&[])), (None, None, None));
        assert_eq!(growth(Some(2.0), Some(5.0)), Some(150.0));
        assert_eq!((ratio(Some(1.0), Some(0.0)), ratio(None, Some(1.0))), (None, None));
    }

    #[test]
    fn what_is_missing_is_a_dash_and_leaves_a_finding_open() {
        assert_eq!([number(None), times(None), percent(None), change(None)].join(""), "----");
        assert_eq!(
            [times(Some(2.0)), percent(Some(0.057)), change(Some(566.6))].join(" "),
            "2.00x 5.70 % +567 %"
        );
        assert_eq!(finding("a claim", None).verdict, Verdict::Open);
        assert_eq!(finding("a claim", Some(("so".into(), false))).verdict, Verdict::Differs);
    }
}
