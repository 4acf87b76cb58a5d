//! What more threads gain, beside what a plain loop gains from them at the same moment.
//!
//! One and several threads of a finder, and of the loop, take turns on the same frames. The loop does as much for each box, however
//! little the finder does; beside it, a loop that takes as long as the finder's frame shows what is left of the gain where
//! frames are so short that waking a thread counts. That one is shown, and decides nothing.

use anyhow::{Result, ensure};
use jostle_broad::{Catalog, Executor, FinderEntry};

use super::calibration::Calibration;
use super::{Figure, MOVING, SIZES, Scope, Verdicts, member, take_turns, takes};
use crate::awake::Awake;
use crate::bench::chosen_finders;
use crate::bench::run::Member;
use crate::numbers::median;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure threads --n 100k --stream brownian --threads 1,2")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scope: Scope,
    /// The finders to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "auto")]
    finders: Vec<String>,
    /// How many threads, ascending from 1 [default: 1, 2 and all of this machine]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    #[command(flatten)]
    awake: Awake,
}

/// The share of the loop's gain that is promised.
const SHARE: f64 = 0.85;
/// From how many boxes on.
const LARGE: usize = 100_000;
/// Slower by less than this is the clock's doing.
const NOISE: f64 = 1.05;
/// Where the loop gains less than this, other work had the cores.
const WORTH: f64 = 1.3;
const FRAMES: u32 = 240;
/// Frames that tell how long a frame takes.
const TRIAL: u32 = 12;
const HEADS: [&str; 12] = [
    "stream",
    "boxes",
    "finder",
    "threads",
    "ms",
    "1 thread ms",
    "gain",
    "loop ms",
    "loop gains",
    "as long gains",
    "share",
    "",
];

pub(super) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let entries = chosen_finders(catalog, &arguments.finders)?;
    let counts = thread_counts(&arguments.threads)?;
    let executors = arguments.awake.executors(counts)?;
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for cell in arguments.scope.cells(&MOVING, &SIZES)? {
        let (kind, n) = cell;
        let fitting: Vec<&FinderEntry> = entries.iter().filter(|entry| takes(entry, n)).copied().collect();
        let count = fitting.len() * executors.len();
        let of_entry = |entry: &&FinderEntry| -> Vec<Member> {
            executors.iter().map(|executor| member(entry, executor, count)).collect()
        };
        let members = || fitting.iter().flat_map(of_entry).collect::<Vec<Member>>();
        let loops =
            |boxes: usize| executors.iter().map(move |executor| Calibration::new(executor.clone(), boxes));
        let mut trial = (members(), vec![Calibration::new(Executor::serial(), n)]);
        take_turns(cell, &arguments.scope, TRIAL, &mut trial.0, &mut trial.1, |_, _| {})?;
        let as_long = |alone: &[Member]| {
            let boxes = n as f64 * median_ms(&alone[0]) / trial.1[0].median_ms();
            (boxes as usize).clamp(1, n)
        };
        // The loop for all finders, and for each of them one that takes as long as a frame of it.
        let mut companions: Vec<Calibration> =
            loops(n).chain(trial.0.chunks(executors.len()).flat_map(|alone| loops(as_long(alone)))).collect();
        drop(trial);
        let mut members = members();
        let frames = arguments.scope.frames(n, FRAMES);
        take_turns(cell, &arguments.scope, frames, &mut members, &mut companions, |_, _| {})?;
        let (loops, as_long) = companions.split_at(executors.len());
        let of_finders = members.chunks(executors.len()).zip(as_long.chunks(executors.len()));
        for (of_finder, as_long) in of_finders {
            let ms: Vec<f64> = of_finder.iter().map(median_ms).collect();
            for (at, calibration) in loops.iter().enumerate().skip(1) {
                let gains = Gains {
                    finder: ms[0] / ms[at],
                    calibration: loops[0].median_ms() / calibration.median_ms(),
                    over_fewer: ms[..at].iter().copied().fold(f64::INFINITY, f64::min) / ms[at],
                };
                let failing = gains.failing(n);
                let mut verdict = verdicts.note(failing.is_none()).to_string();
                verdict.extend(failing.map(|reason| format!(": {reason}")));
                if gains.calibration < WORTH {
                    verdict.push_str(" (says little: the machine had no second core to give)");
                }
                rows.push([
                    Figure::word(kind.name()),
                    Figure::count(n),
                    Figure::word(&of_finder[at].name),
                    Figure::count(calibration.threads()),
                    Figure::Milliseconds(ms[at]),
                    Figure::Milliseconds(ms[0]),
                    Figure::Times(gains.finder),
                    Figure::Milliseconds(calibration.median_ms()),
                    Figure::Times(gains.calibration),
                    Figure::Times(as_long[0].median_ms() / as_long[at].median_ms()),
                    Figure::Percent(100.0 * gains.share()),
                    Figure::word(verdict),
                ]);
            }
        }
    }
    let promise = format!(
        "threads, which stay awake for {} ms after each call: from 100,000 boxes on at least 85 % of what a plain loop gains at \
         that moment; nowhere slower than with fewer threads (by more than the 5 % of the clock)",
        arguments.awake.ms()
    );
    verdicts.conclude(&promise, HEADS, &rows, arguments.scope.json)
}

/// What several threads gain over one.
struct Gains {
    finder: f64,
    calibration: f64,
    /// What they gain over the best smaller number of threads.
    over_fewer: f64,
}

impl Gains {
    fn share(&self) -> f64 {
        self.finder / self.calibration
    }

    /// Which part of the promise is not kept, if any.
    fn failing(&self, n: usize) -> Option<&'static str> {
        // Claims, so that a number that is missing keeps nothing.
        let never_slower = self.over_fewer * NOISE >= 1.0;
        let gains_enough = n < LARGE || self.share() >= SHARE;
        match (never_slower, gains_enough) {
            (false, _) => Some("slower than with fewer threads"),
            (true, false) => Some("below 85 %"),
            (true, true) => None,
        }
    }
}

fn median_ms(member: &Member) -> f64 {
    median(member.milliseconds().get(1..).unwrap_or_default()).unwrap_or(f64::NAN)
}

/// 1 and more, ascending.
pub(super) fn thread_counts(asked: &[u16]) -> Result<Vec<usize>> {
    let mut counts: Vec<usize> = asked.iter().map(|&count| usize::from(count)).collect();
    if counts.is_empty() {
        counts = vec![1, 2, std::thread::available_parallelism().map_or(2, usize::from)];
    }
    counts.sort_unstable();
    counts.dedup();
    ensure!(counts[0] == 1 && counts.len() > 1, "--threads: give 1 and at least one more, such as 1,2");
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_the_promise_are_held_to() {
        // (gain of the finder, of the loop, over fewer threads, boxes, what is said)
        let table = [
            (1.8, 2.0, 1.8, LARGE, None),
            (1.6, 2.0, 1.6, LARGE, Some("below 85 %")),
            (1.6, 2.0, 1.6, LARGE - 1, None),
            (0.98, 1.0, 0.98, 1_000, None),
            (0.9, 1.0, 0.9, 1_000, Some("slower than with fewer threads")),
            // Four threads that lose to two fall short, however much they gain over one.
            (1.8, 1.9, 0.9, LARGE, Some("slower than with fewer threads")),
            (f64::NAN, 1.0, f64::NAN, 1_000, Some("slower than with fewer threads")),
        ];
        for (finder, calibration, over_fewer, n, expected) in table {
            let gains = Gains { finder, calibration, over_fewer };
            assert_eq!(gains.failing(n), expected, "{finder} {calibration} {over_fewer} {n}");
        }
    }

    #[test]
    fn one_thread_is_always_among_them() {
        assert_eq!(thread_counts(&[4, 1, 2, 2]).unwrap(), [1, 2, 4]);
        assert!(thread_counts(&[2, 4]).is_err());
        assert!(thread_counts(&[1]).is_err());
        assert_eq!(thread_counts(&[]).unwrap()[..2], [1, 2]);
    }
}
