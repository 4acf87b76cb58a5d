//! Axes: which numbers they reach, where their ticks are, and how numbers are written on them.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::numbers::grouped;
use crate::report::Axis;

/// An axis from a smallest to a largest number.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    ticks: Vec<f64>,
}

impl Scale {
    /// An axis that shows all these numbers. `None` if there are none that it can show.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, most_ticks: usize) -> Option<Self> {
        let shown = values.filter(|value| value.is_finite() && (!axis.logarithmic || *value > 0.0));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value)) //
        });
        if low > high {
            return None;
        }
        Some(if axis.logarithmic {
            Self::logarithmic(low, high, most_ticks)
        } else {
            Self::linear(low, high, most_ticks)
        })
    }

    fn linear(low: f64, high: f64, most_ticks: usize) -> Self {
        let low = low.min(0.0);
        let high = if high > low { high } else { low + 1.0 };
        let step = nice_step((high - low) / most_ticks as f64);
        let first = (low / step).floor();
        let last = (high / step).ceil();
        let ticks = (first as i64..=last as i64).map(|index| index as f64 * step).collect();
        // To the next half step, so that little is empty.
        let top = (high / (step / 2.0)).ceil() * (step / 2.0);
        Self { low: first * step, high: top, logarithmic: false, ticks }.trimmed()
    }

    fn logarithmic(low: f64, high: f64, most_ticks: usize) -> Self {
        let room = (high / low).powf(0.04).max(1.1);
        let (low, high) = (low / room, high * room);
        let decades = (high / low).log10();
        let ticks = if decades < 0.8 {
            let step = nice_step((high - low) / most_ticks as f64);
            (0..=(high / step) as i64).map(|index| index as f64 * step).collect()
        } else {
            let room = most_ticks as f64 + 1.0;
            let digits: &[f64] = match decades {
                decades if decades * 3.0 <= room => &[1.0, 2.0, 5.0],
                decades if decades * 2.0 < room - 1.0 => &[1.0, 3.0],
                _ => &[1.0],
            };
            let apart = (decades / most_ticks as f64).ceil().max(1.0) as usize;
            let exponents = (low.log10().floor() as i32..=high.log10().ceil() as i32).step_by(apart);
            exponents
                .flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)))
                .collect()
        };
        Self { low, high, logarithmic: true, ticks }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let (low, high) = (self.low, self.high);
        let slack = if self.logarithmic { 0.0 } else { (high - low) * 1e-9 };
        self.ticks.retain(|tick| (low - slack..=high + slack).contains(tick));
        self
    }

    /// Where a number stands between the ends, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    pub(super) fn ticks(&self) -> &[f64] {
        &self.ticks
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.share(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

/// By which plotters takes it for an axis.
impl From<Scale> for Range<f64> {
    fn from(scale: Scale) -> Self {
        scale.range()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format(value: &f64) -> String {
        number(*value)
    }
}

/// 1, 2 or 5 times a power of ten, and at least this.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= least * 0.999)
        .unwrap_or(10.0 * power)
}

/// A number on an axis: groups of three digits, and as few behind the point as it needs.
pub(super) fn number(value: f64) -> String {
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    let size = value.abs();
    if size >= 1.0 && (size - size.round()).abs() < 1e-6 * size {
        return format!("{sign}{}", grouped(size.round() as u64));
    }
    // Ticks have one or two digits that count.
    let places = if size > 0.0 { (1.0 - size.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 };
    let text = format!("{size:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(logarithmic: bool, values: &[f64]) -> Vec<String> {
        let axis = Axis { label: String::new(), logarithmic, timed: false };
        Scale::new(&axis, values.iter().copied(), 6).unwrap().ticks.iter().map(|tick| number(*tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(false, &[0.0, 1.0]).join(" "), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(ticks(false, &[3.0, 4321.0]).join(" "), "0 1,000 2,000 3,000 4,000");
        assert_eq!(ticks(true, &[1e3, 1e6]).join(" "), "1,000 10,000 100,000 1,000,000");
        assert_eq!(ticks(true, &[0.03, 2.0]).join(" "), "0.05 0.1 0.2 0.5 1 2");
        assert_eq!(ticks(true, &[10.0, 20.0]).join(" "), "10 15 20");
    }

    #[test]
    fn an_axis_is_never_crowded_and_never_empty() {
        for logarithmic in [false, true] {
            for (low, high) in
                [(1.0, 1.0), (1e-6, 1e9), (0.5, 0.7), (99.0, 101.0), (1e-3, 1e-1), (7.0, 700.0)]
            {
                let count = ticks(logarithmic, &[low, high]).len();
                assert!((2..=9).contains(&count), "{count} ticks from {low} to {high}, {logarithmic}");
            }
        }
    }

    #[test]
    fn only_numbers_above_zero_have_a_logarithm() {
        let axis = Axis::new("ms").logarithmic();
        assert!(Scale::new(&axis, [0.0, -1.0, f64::NAN].into_iter(), 6).is_none());
        let scale = Scale::new(&axis, [0.0, 1.0, 100.0].into_iter(), 6).unwrap();
        assert!(scale.share(0.0) == 0.0 && scale.share(1.0) > 0.0 && scale.share(100.0) < 1.0);
    }
}
