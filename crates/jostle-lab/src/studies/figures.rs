//! What the reports of all studies say alike: numbers as text, tables, findings.
//!
//! A number that was not measured is `None` all the way, and shows as a dash; a finding that needs one is open.

use crate::experiment::{Samples, Statistics};
use crate::numbers::{median, three_digits};
use crate::report::{Axis, Block, Finding, Plot, Stack, Table, Verdict};

/// The arithmetic mean.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    Statistics::of(values).map(|of| of.mean)
}

/// All values but that of the first frame, which builds everything.
pub(super) fn settled(values: &[f64]) -> &[f64] {
    values.get(1..).unwrap_or_default()
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
        None => open(claim, "the cells it needs were not measured"),
    }
}

/// A finding that cannot be judged, and why.
pub(super) fn open(claim: impl Into<String>, why: impl Into<String>) -> Finding {
    Finding { claim: claim.into(), found: why.into(), verdict: Verdict::Open }
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

/// Stacked bars: the median time of each stage of contestants, the first frame apart.
pub(super) fn stage_bars(caption: impl Into<String>, samples: &Samples, everyone: &[String]) -> Block {
    let mut stages: Vec<&str> = Vec::new();
    for series in samples.series.iter().filter(|series| everyone.contains(&series.who)) {
        if let Some(stage) = series.measure.strip_prefix("stage:")
            && !stages.contains(&stage)
        {
            stages.push(stage);
        }
    }
    let height = |who: &str, stage: &str| {
        median(settled(samples.values(who, &format!("stage:{stage}")))).unwrap_or(0.0)
    };
    Block::Plot(Plot::Stacks {
        caption: caption.into(),
        y: median_ms(),
        groups: everyone.to_vec(),
        stacks: stages
            .into_iter()
            .map(|stage| Stack {
                name: stage.to_string(),
                heights: everyone.iter().map(|who| height(who, stage)).collect(),
            })
            .collect(),
    })
}

/// Medians of times, from zero. Every plot of times says on its axis, or in its caption, what its numbers are.
pub(super) fn median_ms() -> Axis {
    Axis::new("ms, median").timed()
}

/// Means of times, from zero: only beside a source that printed means.
pub(super) fn mean_ms() -> Axis {
    Axis::new("ms, mean").timed()
}

/// Times as box plots, from zero.
pub(super) fn spread_ms() -> Axis {
    Axis::new("ms: median, quartiles, 1st and 99th percentile").timed()
}

/// Single times, from zero.
pub(super) fn each_ms() -> Axis {
    Axis::new("ms, each frame").timed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Unit;

    #[test]
    fn ratios_and_growth() {
        assert_eq!(growth(Some(2.0), Some(5.0)), Some(150.0));
        assert_eq!((ratio(Some(1.0), Some(0.0)), ratio(None, Some(1.0))), (None, None));
        assert_eq!((mean(&[]), mean(&[1.0, 3.0])), (None, Some(2.0)));
        assert!(settled(&[]).is_empty() && settled(&[1.0]).is_empty());
    }

    #[test]
    fn stages_are_stacked_in_the_order_of_their_frames() {
        let mut samples = Samples::default();
        for (stage, time) in [("sort", 9.0), ("test", 9.0), ("sort", 1.0), ("test", 2.0), ("sort", 3.0)] {
            samples.push("sap", &format!("stage:{stage}"), Unit::Milliseconds, time);
        }
        let Block::Plot(Plot::Stacks { groups, stacks, .. }) = stage_bars("", &samples, &["sap".to_string()])
        else {
            panic!("no bars")
        };
        let told: Vec<(&str, &[f64])> = stacks.iter().map(|stack| (&*stack.name, &*stack.heights)).collect();
        assert_eq!((groups.len(), told), (1, vec![("sort", &[2.0][..]), ("test", &[2.0][..])]));
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
