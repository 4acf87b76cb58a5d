//! `001-false-sharing`: what it costs when threads write to neighbouring words of memory.
//!
//! As in the source each thread tests its rows of the triangle of pairs and counts every test in a counter of its own. The
//! counters lie side by side, or a cache line apart, or each at the start of a line, or in a register. Nothing else differs.
//! A count is a load and a store of an atomic without any order: plain instructions, which the compiler may not merge.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Catalog, ZigZag};

use super::figures::{fixed, number, ratio, spread_ms, table, text, threads, timed, times};
use super::spare_cores::{self, judged};
use super::watching::go_on;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::numbers::{grouped, median, percentile};
use crate::report::{Block, Plot, Report, Spread};
use crate::turns::turns;

pub(super) struct FalseSharing;

/// The source says 10,000 objects; its 49,925,028 tests are those of 9,993.
pub(super) const OBJECTS: usize = 9_993;
const ROUNDS: u32 = 9;
const FULL_ROUNDS: u32 = 31;
const CELL: &str = "counters";
/// Who is measured, what the source measured in milliseconds, and with how many threads.
const LAYOUTS: [(&str, Option<f64>, bool); 5] = [
    ("one thread", Some(1188.0), false),
    ("plain", Some(4906.0), true),
    ("padded", Some(1797.0), true),
    ("aligned", Some(312.0), true),
    ("register", None, true),
];
/// Differences below this are the clock's.
const NOISE: f64 = 0.05;

/// Where a counter lies.
trait Slot: Default + Sync {
    /// Counts one more.
    fn count(&self, local: &mut u32);

    /// Writes what is only known locally.
    fn finish(&self, local: u32);

    fn counted(&self) -> u32;
}

fn count_in(counter: &AtomicU32) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Side by side.
#[derive(Default)]
struct Plain(AtomicU32);

/// A cache line apart, wherever the first one is.
struct Padded {
    counter: AtomicU32,
    _padding: [u8; 60],
}

/// Each at the start of a cache line.
#[derive(Default)]
#[repr(align(64))]
struct Aligned(AtomicU32);

/// Counted in a register and written once.
#[derive(Default)]
struct Register(AtomicU32);

impl Default for Padded {
    fn default() -> Self {
        Self { counter: AtomicU32::new(0), _padding: [0; 60] }
    }
}

macro_rules! counts_in_memory {
    ($slot:ty, $($field:tt)+) => {
        impl Slot for $slot {
            #[inline]
            fn count(&self, _local: &mut u32) {
                count_in(&self.$($field)+);
            }

            fn finish(&self, _local: u32) {}

            fn counted(&self) -> u32 {
                self.$($field)+.load(Ordering::Relaxed)
            }
        }
    };
}
counts_in_memory!(Plain, 0);
counts_in_memory!(Padded, counter);
counts_in_memory!(Aligned, 0);

impl Slot for Register {
    #[inline]
    fn count(&self, local: &mut u32) {
        *local += 1;
    }

    fn finish(&self, local: u32) {
        self.0.store(local, Ordering::Relaxed);
    }

    fn counted(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Tests all pairs on some threads. Gives the time from the start of the first to the end of the last, and their counts.
fn count_tests<S: Slot>(boxes: &[Aabb], threads: usize) -> (Duration, Vec<u32>) {
    let slots: Vec<S> = (0..threads).map(|_| S::default()).collect();
    let barrier = Barrier::new(threads);
    let spans: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let work = |index: usize| {
            let (slot, barrier) = (&slots[index], &barrier);
            move || {
                barrier.wait();
                let start = Instant::now();
                let (mut local, mut overlaps) = (0, 0u32);
                for row in ZigZag::new(index, threads, boxes.len()) {
                    let one = &boxes[row];
                    for other in &boxes[row + 1..] {
                        overlaps += u32::from(one.overlaps(other));
                        slot.count(&mut local);
                    }
                }
                slot.finish(local);
                black_box(overlaps);
                (start, Instant::now())
            }
        };
        let handles: Vec<_> = (0..threads).map(|index| scope.spawn(work(index))).collect();
        handles.into_iter().map(|handle| handle.join().expect("counting does not panic")).collect()
    });
    let first = spans.iter().map(|span| span.0).min().expect("at least one thread");
    let last = spans.iter().map(|span| span.1).max().expect("at least one thread");
    (last - first, slots.iter().map(S::counted).collect())
}

fn measure(options: &Options, objects: usize, watch: &Watch<'_>) -> Result<Samples> {
    let rounds = options.frames.unwrap_or(if options.full { FULL_ROUNDS } else { ROUNDS });
    let stream = BoxStream::new(StreamKind::Brownian, objects, options.seed);
    let boxes = stream.boxes();
    let all = objects as u64 * (objects as u64 - 1) / 2;
    let mut samples = Samples::default();
    for round in 0..rounds {
        for (turn, index) in turns(LAYOUTS.len(), round).enumerate() {
            go_on(
                watch,
                (round as usize * LAYOUTS.len() + turn) as f64 / (rounds as usize * LAYOUTS.len()) as f64,
            )?;
            let (name, _, parallel) = LAYOUTS[index];
            let count = if parallel { options.threads } else { 1 };
            let (time, counts) = match name {
                "one thread" | "plain" => count_tests::<Plain>(boxes, count),
                "padded" => count_tests::<Padded>(boxes, count),
                "aligned" => count_tests::<Aligned>(boxes, count),
                _ => count_tests::<Register>(boxes, count),
            };
            let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
            ensure!(sum == all, Disagreement(format!("{name}: {sum} tests counted, but {all} were made")));
            samples.push(name, "time", Unit::Milliseconds, time.as_secs_f64() * 1e3);
            let most = counts.iter().copied().max().unwrap_or(0);
            samples.push(name, "tests of a thread", Unit::Count, f64::from(most));
        }
    }
    spare_cores::measure(options, &mut samples)?;
    Ok(samples)
}

impl Study for FalseSharing {
    fn about(&self) -> About {
        About {
            name: "001-false-sharing",
            about: "what threads lose by counting in neighbouring words of memory: plain, padded, aligned counters",
            source: "Parallel techniques for collision detection, Figures 4.9, 4.10, 4.12",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        ensure!(
            options.threads > 1,
            "--threads: counters are only shared by several threads; give at least 2"
        );
        let run = |watch: &Watch<'_>| measure(options, OBJECTS, watch);
        Ok(vec![Cell { name: CELL.to_string(), work: 1.0, run: Box::new(run) }])
    }

    fn report(&self, results: &Results) -> Report {
        let here = threads(results.options.threads);
        let count = results.options.threads as f64;
        let times_of = |name: &str| results.values(CELL, name, "time");
        let middle = |name: &str| median(times_of(name));
        let single = middle("one thread");
        let rows = LAYOUTS.iter().map(|&(name, published, parallel)| {
            vec![
                name.to_string(),
                if parallel { here.clone() } else { threads(1) },
                results
                    .values(CELL, name, "tests of a thread")
                    .first()
                    .map_or("-".into(), |&n| grouped(n as u64)),
                number(published),
                times(ratio(published, LAYOUTS[0].1)),
                number(middle(name)),
                number(percentile(times_of(name), 0.99)),
                times(ratio(middle(name), single)),
            ]
        });
        let columns = vec![
            fixed("counters"),
            fixed("threads here"),
            fixed("tests of the busiest thread"),
            fixed("source, 4 cores: ms"),
            fixed("source: of its one core"),
            timed("here: median ms"),
            timed("here: p99 ms"),
            timed("here: of one thread"),
        ];
        let compared = |left: &str, right: &str, holds: &dyn Fn(f64, f64) -> bool| {
            middle(left).zip(middle(right)).map(|(a, b)| {
                let said = format!("{left} {} ms, {right} {} ms", number(Some(a)), number(Some(b)));
                (said, holds(a, b))
            })
        };
        let spare = spare_cores::gain(results, CELL);
        let findings = vec![
            judged(
                "Counters side by side make 4 cores slower than one (4906 against 1188 ms).",
                compared("plain", "one thread", &|plain, one| plain > one),
                spare,
            ),
            judged(
                "Counters a line apart are much faster than counters side by side (1797 against 4906 ms; here: two thirds of the time at \
                 most).",
                compared("padded", "plain", &|padded, plain| padded <= plain * 2.0 / 3.0),
                spare,
            ),
            judged(
                "Aligned counters are faster than padded ones (312 against 1797 ms; here: by more than 5 %). The counters themselves share no \
                 line either way; only what lies beside them can.",
                compared("aligned", "padded", &|aligned, padded| aligned < (1.0 - NOISE) * padded),
                spare,
            ),
            judged(
                "With aligned counters 4 cores are 3.8 times as fast as one (312 against 1188 ms), which is 0.95 a core (here: 0.76 a \
                 thread at least, a fifth less).",
                compared("aligned", "one thread", &|aligned, one| one / aligned >= 0.76 * count),
                spare,
            ),
        ];
        let plot = Plot::Spreads {
            caption: format!("Time to test and count all pairs of {} boxes, {here}", grouped(OBJECTS as u64)),
            y: spread_ms(),
            groups: vec![here.clone()],
            spreads: LAYOUTS
                .iter()
                .map(|&(name, ..)| Spread { name: name.to_string(), values: vec![times_of(name).to_vec()] })
                .collect(),
        };
        let note = "The source speaks of 10,000 objects, but its 49,925,028 tests are the pairs of 9,993 objects, which is what \
                    runs here. Two threads of one core share its cache and lose nothing to each other: on a machine that \
                    gives no second core the effect is small.";
        Report {
            title: "False sharing".to_string(),
            question: "Each thread counts its overlap tests in a counter of its own. How much time is lost when the counters \
                       lie in the same cache line, and what cures it: padding, alignment, or not writing at all?"
                .to_string(),
            findings,
            blocks: vec![
                table("Time by where the counters lie", columns, rows.collect()),
                Block::Plot(plot),
                text(note),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_counts_every_test_and_the_counters_lie_where_they_should() {
        let boxes = BoxStream::new(StreamKind::Brownian, 333, 1).boxes().to_vec();
        for threads in [1, 2, 3] {
            let counts = [
                count_tests::<Plain>(&boxes, threads).1,
                count_tests::<Padded>(&boxes, threads).1,
                count_tests::<Aligned>(&boxes, threads).1,
                count_tests::<Register>(&boxes, threads).1,
            ];
            assert_eq!(counts[0].iter().sum::<u32>(), 333 * 332 / 2);
            assert!(counts.iter().all(|other| *other == counts[0]), "{counts:?}");
        }
        assert_eq!((size_of::<Plain>(), size_of::<Padded>(), size_of::<Aligned>()), (4, 64, 64));
        assert_eq!((align_of::<Plain>(), align_of::<Padded>(), align_of::<Aligned>()), (4, 4, 64));
    }

    #[test]
    fn the_source_counted_the_pairs_of_9_993_objects() {
        assert_eq!(OBJECTS * (OBJECTS - 1) / 2, 49_925_028);
        assert_eq!(49_925_028, 4 * 12_481_257);
    }
}
