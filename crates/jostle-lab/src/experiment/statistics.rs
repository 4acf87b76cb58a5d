//! Statistics of a series, recomputed from its samples whenever something is said of it.

use serde::Serialize;

use super::{Results, Unit};
use crate::numbers::{median, percentile};

/// What `statistics.csv` says of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Statistics {
    pub(crate) samples: usize,
    pub(crate) mean: f64,
    /// Of the samples: the root of the squares over their number less one. Zero for one sample.
    pub(crate) sd: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) total: f64,
    pub(crate) median: f64,
    /// The smallest sample that 99 of 100 do not exceed.
    pub(crate) p99: f64,
}

impl Statistics {
    /// `None` without samples.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let samples = values.len();
        let total: f64 = values.iter().sum();
        let mean = total / samples as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            samples,
            mean,
            sd: if samples > 1 { (squares / (samples - 1) as f64).sqrt() } else { 0.0 },
            min: values.iter().copied().min_by(f64::total_cmp)?,
            max: values.iter().copied().max_by(f64::total_cmp)?,
            total,
            median: median(values)?,
            p99: percentile(values, 0.99)?,
        })
    }
}

/// The statistics of one series of one cell.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) cell: String,
    pub(super) who: String,
    pub(super) measure: String,
    pub(super) unit: &'static str,
    #[serde(flatten)]
    pub(super) statistics: Statistics,
}

/// Of all series, in the order of the study.
pub(super) fn rows(results: &Results) -> Vec<Row> {
    let mut rows = Vec::new();
    for cell in &results.planned {
        for series in results.cells.get(cell).iter().flat_map(|samples| &samples.series) {
            let Some(statistics) = Statistics::of(&series.values) else { continue };
            rows.push(Row {
                cell: cell.clone(),
                who: series.who.clone(),
                measure: series.measure.clone(),
                unit: Unit::name(series.unit),
                statistics,
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_known_samples() {
        let statistics = Statistics::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((statistics.samples, statistics.mean, statistics.total), (8, 5.0, 40.0));
        assert_eq!((statistics.min, statistics.max), (2.0, 9.0));
        assert_eq!((statistics.median, statistics.p99), (4.5, 9.0));
        assert!((statistics.sd - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn of_one_sample_and_of_none() {
        let one = Statistics::of(&[3.0]).unwrap();
        assert_eq!((one.mean, one.sd, one.median, one.p99), (3.0, 0.0, 3.0, 3.0));
        assert_eq!(Statistics::of(&[]), None);
    }
}
