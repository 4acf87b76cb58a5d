//! Equal runs, and the least time of every frame: what else a machine does hits other frames in each run.
//!
//! Frames are baked and finders do the same work in every run, so that only times may differ; whatever else differs is an error.
//! Each frame of each contestant is taken from the run in which it took the least time. The times of every run are kept, as
//! `broad:1`, `broad:2`, ...

use anyhow::{Result, ensure};

use crate::experiment::{Samples, Unit, Watch};
use crate::failure::Disagreement;

/// How often.
pub(super) const RUNS: usize = 3;

/// Runs a contest several times. It is told whether to verify pairs: once is enough, since their numbers must be the same.
pub(super) fn least_of_runs(
    watch: &Watch<'_>,
    run: impl Fn(bool, &Watch<'_>) -> Result<Samples>,
) -> Result<Samples> {
    let mut runs = Vec::new();
    for index in 0..RUNS {
        let part = |done: f64| (watch.done)((index as f64 + done) / RUNS as f64);
        runs.push(run(index == 0, &Watch { done: &part, ..*watch })?);
    }
    least(&runs)
}

fn least(runs: &[Samples]) -> Result<Samples> {
    let mut least = runs[0].clone();
    for series in &mut least.series {
        let own: Vec<&[f64]> = runs.iter().map(|run| run.values(&series.who, &series.measure)).collect();
        if series.unit != Unit::Milliseconds {
            ensure!(
                own.iter().all(|values| *values == series.values),
                Disagreement(format!("{}: other {} in two equal runs", series.who, series.measure))
            );
            continue;
        }
        let whole: Vec<&[f64]> = runs.iter().map(|run| run.values(&series.who, "broad")).collect();
        for (frame, value) in series.values.iter_mut().enumerate() {
            let time = |run: usize| whole[run].get(frame).copied().unwrap_or(f64::MAX);
            let best =
                (0..runs.len()).min_by(|&a, &b| time(a).total_cmp(&time(b))).expect("at least one run");
            // A stage that never ran in the best run took no time in it.
            *value = own[best].get(frame).copied().unwrap_or(0.0);
        }
    }
    for (number, run) in (1..).zip(runs) {
        for series in run.series.iter().filter(|series| series.measure == "broad") {
            let kept = format!("broad:{number}");
            series.values.iter().for_each(|&time| least.push(&series.who, &kept, Unit::Milliseconds, time));
        }
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(broad: [f64; 3], sort: [f64; 3], pairs: f64) -> Samples {
        let mut samples = Samples::default();
        for frame in 0..3 {
            samples.push("sap", "broad", Unit::Milliseconds, broad[frame]);
            samples.push("sap", "stage:sort", Unit::Milliseconds, sort[frame]);
            samples.push("sap", "pairs", Unit::Count, pairs);
        }
        samples
    }

    #[test]
    fn each_frame_is_that_of_its_best_run() {
        let runs = [run([1.0, 5.0, 3.0], [0.1, 0.2, 0.3], 7.0), run([2.0, 4.0, 9.0], [0.0, 3.0, 0.0], 7.0)];
        let least = least(&runs).unwrap();
        assert_eq!(least.values("sap", "broad"), [1.0, 4.0, 3.0]);
        assert_eq!(least.values("sap", "stage:sort"), [0.1, 3.0, 0.3]);
        assert_eq!(least.values("sap", "pairs"), [7.0; 3]);
        assert_eq!(least.values("sap", "broad:2"), [2.0, 4.0, 9.0]);
    }

    #[test]
    fn what_is_not_a_time_must_be_the_same() {
        let runs = [run([1.0; 3], [0.0; 3], 7.0), run([1.0; 3], [0.0; 3], 8.0)];
        assert!(least(&runs).unwrap_err().is::<Disagreement>());
    }
}
