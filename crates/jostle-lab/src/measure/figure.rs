//! One figure of a promise's table: words and numbers for people, plain values for programs.

use serde_json::{Map, Value};

use crate::columns::table;
use crate::numbers::{grouped, three_digits};

#[derive(Clone, Debug)]
pub(super) enum Figure {
    Word(String),
    Count(u64),
    Milliseconds(f64),
    Microseconds(f64),
    /// A ratio.
    Times(f64),
    /// Percent of something.
    Percent(f64),
    /// Percent more than something.
    OnTop(f64),
    /// There is none.
    Nothing,
}

impl Figure {
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    pub(super) fn count(number: usize) -> Self {
        Self::Count(number as u64)
    }

    /// A ratio that may be missing.
    pub(super) fn times(ratio: Option<f64>) -> Self {
        ratio.map_or(Self::Nothing, Self::Times)
    }

    fn text(&self) -> String {
        match self {
            Self::Word(text) => text.clone(),
            Self::Count(number) => grouped(*number),
            Self::Milliseconds(time) | Self::Microseconds(time) => three_digits(*time),
            Self::Times(ratio) => format!("{ratio:.2}x"),
            Self::Percent(percent) if percent.abs() < 10.0 => format!("{percent:.2} %"),
            Self::Percent(percent) => format!("{percent:.0} %"),
            Self::OnTop(percent) => format!("{percent:+.0} %"),
            Self::Nothing => "-".to_string(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Word(text) => Value::from(text.as_str()),
            Self::Count(number) => Value::from(*number),
            // What is no number becomes null.
            Self::Milliseconds(number)
            | Self::Microseconds(number)
            | Self::Times(number)
            | Self::Percent(number)
            | Self::OnTop(number) => Value::from(*number),
            Self::Nothing => Value::Null,
        }
    }
}

/// For people. Columns of words go left.
pub(super) fn as_table<const N: usize>(heads: [&str; N], rows: &[[Figure; N]]) -> String {
    let is_word = |column: &usize| rows.iter().any(|row| matches!(row[*column], Figure::Word(_)));
    let words: Vec<usize> = (0..N).filter(is_word).collect();
    table(heads, &words, rows.iter().map(|row| row.each_ref().map(Figure::text)))
}

/// For programs: an object for each row, named by the heads; the column without a head is the verdict.
pub(super) fn as_objects<const N: usize>(heads: [&str; N], rows: &[[Figure; N]]) -> Vec<Map<String, Value>> {
    let name = |head: &str| if head.is_empty() { "verdict".to_string() } else { head.replace(' ', "_") };
    let object =
        |row: &[Figure; N]| heads.iter().map(|head| name(head)).zip(row.iter().map(Figure::value)).collect();
    rows.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_and_programs_get_the_same_figures() {
        let heads = ["stream", "loop gains", ""];
        let rows = [
            [Figure::word("pile"), Figure::Times(1.504), Figure::word("kept")],
            [Figure::word("fast"), Figure::Nothing, Figure::word("kept")],
        ];
        let text = as_table(heads, &rows);
        assert_eq!(text, "  stream  loop gains\n  pile         1.50x  kept\n  fast             -  kept\n");
        let expected = serde_json::json!([
            {"stream": "pile", "loop_gains": 1.504, "verdict": "kept"},
            {"stream": "fast", "loop_gains": null, "verdict": "kept"},
        ]);
        assert_eq!(serde_json::to_value(as_objects(heads, &rows)).unwrap(), expected);
    }
}
