//! What the machine gains from threads at this moment: where others use its cores, a study of threads says nothing.
//!
//! A plain loop without shared data runs on one and on several threads in turns, in the cell that is measured. Where it gains
//! little, findings about threads stay open and say why.

use anyhow::{Context, Result};
use jostle_broad::Executor;

use super::figures::{finding, ratio, threads, times};
use crate::experiment::{Options, Results, Samples, Unit};
use crate::measure::Companion;
use crate::measure::calibration::Calibration;
use crate::numbers::median;
use crate::report::{Finding, Verdict};

const STEPS: usize = 20;
/// Boxes the loop works on: about a millisecond.
const BOXES: usize = 20_000;
/// Less than this is no second core.
const LEAST: f64 = 1.25;

fn who(count: usize) -> String {
    format!("loop, {}", threads(count))
}

/// Runs the loop, and notes its times.
pub(super) fn measure(options: &Options, samples: &mut Samples) -> Result<()> {
    if options.threads < 2 {
        return Ok(());
    }
    let executors = [1, options.threads].map(Executor::new);
    let mut loops = Vec::new();
    for executor in executors {
        loops.push(Calibration::new(executor.context("--threads: choose fewer")?, BOXES));
    }
    for _ in 0..STEPS {
        loops.iter_mut().for_each(Companion::step);
    }
    for one in &loops {
        for &time in one.milliseconds() {
            samples.push(&who(one.threads()), "loop", Unit::Milliseconds, time);
        }
    }
    Ok(())
}

/// How many times faster the loop was with all threads.
pub(super) fn gain(results: &Results, cell: &str) -> Option<f64> {
    let middle = |count: usize| median(results.values(cell, &who(count), "loop"));
    ratio(middle(1), middle(results.options.threads))
}

/// A finding about threads: open where there were none to spare.
pub(super) fn judged(claim: &str, found: Option<(String, bool)>, given: Option<f64>) -> Finding {
    match (found, given) {
        (Some((said, _)), Some(given)) if given < LEAST => Finding {
            claim: claim.to_string(),
            found: format!(
                "{said}. But a plain loop gained {} from the threads at that moment: the machine had no second core to give.",
                times(Some(given))
            ),
            verdict: Verdict::Open,
        },
        (found, _) => finding(claim, found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    #[test]
    fn without_a_second_core_a_finding_stays_open() {
        let found = || Some(("1.01x".to_string(), false));
        assert_eq!(judged("gains", found(), Some(1.1)).verdict, Verdict::Open);
        assert_eq!(judged("gains", found(), Some(1.9)).verdict, Verdict::Differs);
        assert_eq!(judged("gains", None, Some(1.1)).verdict, Verdict::Open);
    }

    #[test]
    fn the_loop_is_measured_with_one_and_with_all_threads() {
        let mut samples = Samples::default();
        measure(&trial::options(), &mut samples).unwrap();
        assert_eq!(samples.values("loop, 1 thread", "loop").len(), STEPS);
        assert_eq!(samples.values("loop, 2 threads", "loop").len(), STEPS);
    }
}
