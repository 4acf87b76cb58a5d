//! `001-balance`: rows of the triangle of tests dealt to threads in blocks, and in zig-zag.
//!
//! Both deals run the same loop over the same boxes; only which thread takes which row differs. The blocks are the
//! source's algorithm 13, which finders do not use; the zig-zag is its algorithm 14, which `all-pairs` uses.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};
use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Catalog, ZigZag};

use super::figures::{finding, fixed, median_ms, number, ratio, spread_ms, table, threads, timed, times};
use super::s001_false_sharing::OBJECTS;
use super::spare_cores::{self, judged};
use super::watching::go_on;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::numbers::{grouped, median};
use crate::report::{Block, Plot, Report, Spread, Stack};
use crate::turns::turns;

pub(super) struct Balance;

const ROUNDS: u32 = 15;
const FULL_ROUNDS: u32 = 51;
/// The example of the source: Figures 4.6 and 4.7.
const EXAMPLE: (usize, usize) = (9, 3);
/// What the source counted for each core of four with balanced rows.
const PUBLISHED_PER_CORE: f64 = 12_481_257.0;

/// How rows are dealt to threads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deal {
    Block,
    ZigZag,
}

const DEALS: [Deal; 2] = [Deal::Block, Deal::ZigZag];

impl Deal {
    fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::ZigZag => "zig-zag",
        }
    }

    /// The rows of a thread. The last row has no tests, so that it does not matter who takes it.
    fn rows(self, thread: usize, threads: usize, objects: usize) -> Box<dyn Iterator<Item = usize>> {
        match self {
            Self::Block => {
                let block = objects / threads;
                let end = if thread == threads - 1 { objects } else { (thread + 1) * block };
                Box::new(thread * block..end)
            }
            Self::ZigZag => Box::new(ZigZag::new(thread, threads, objects)),
        }
    }
}

/// What a thread did.
struct Share {
    tests: u64,
    overlaps: u64,
    milliseconds: f64,
}

fn test_all(deal: Deal, boxes: &[Aabb], threads: usize) -> Vec<Share> {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let work = |index: usize| {
            let barrier = &barrier;
            move || {
                barrier.wait();
                let start = Instant::now();
                let (mut tests, mut overlaps) = (0, 0u64);
                for row in deal.rows(index, threads, boxes.len()) {
                    let (one, others) = (&boxes[row], &boxes[row + 1..]);
                    tests += others.len() as u64;
                    overlaps += others.iter().map(|other| u64::from(one.overlaps(other))).sum::<u64>();
                }
                Share { tests, overlaps, milliseconds: start.elapsed().as_secs_f64() * 1e3 }
            }
        };
        let handles: Vec<_> = (0..threads).map(|index| scope.spawn(work(index))).collect();
        handles.into_iter().map(|handle| handle.join().expect("testing boxes does not panic")).collect()
    })
}

/// The measures of the thread with this number.
fn tests_of(thread: usize) -> String {
    format!("tests of thread {}", thread + 1)
}

fn busy_of(thread: usize) -> String {
    format!("thread {} busy", thread + 1)
}

fn cell_name((objects, threads): (usize, usize)) -> String {
    format!("{objects}-objects-{threads}-threads")
}

/// Objects and threads of every cell: the example, and the source's scene on 2, 3, 4 and all threads.
fn plan(options: &Options) -> Vec<(usize, usize)> {
    let mut counts = vec![2, 3, 4, options.threads];
    counts.retain(|&count| count > 1);
    counts.sort_unstable();
    counts.dedup();
    [EXAMPLE].into_iter().chain(counts.into_iter().map(|count| (OBJECTS, count))).collect()
}

fn measure(options: &Options, (objects, threads): (usize, usize), watch: &Watch<'_>) -> Result<Samples> {
    let rounds = options.frames.unwrap_or(if options.full { FULL_ROUNDS } else { ROUNDS });
    let stream = BoxStream::new(StreamKind::Brownian, objects, options.seed);
    let mut samples = Samples::default();
    let mut truth = None;
    for round in 0..rounds {
        go_on(watch, f64::from(round) / f64::from(rounds))?;
        for deal in turns(DEALS.len(), round).map(|index| DEALS[index]) {
            let shares = test_all(deal, stream.boxes(), threads);
            let (tests, overlaps) = (
                shares.iter().map(|share| share.tests).sum::<u64>(),
                shares.iter().map(|share| share.overlaps).sum::<u64>(),
            );
            let expected = *truth.get_or_insert(overlaps);
            ensure!(
                tests == (objects * (objects - 1) / 2) as u64 && overlaps == expected,
                Disagreement(format!(
                    "{} rows: {tests} tests and {overlaps} overlaps, not {expected}",
                    deal.name()
                ))
            );
            // More threads than the machine may use say nothing about time.
            let is_timed = threads <= options.threads;
            let last = shares.iter().map(|share| share.milliseconds).fold(0.0, f64::max);
            if is_timed {
                samples.push(deal.name(), "time", Unit::Milliseconds, last);
            }
            for (index, share) in shares.iter().enumerate() {
                if round == 0 {
                    samples.push(deal.name(), &tests_of(index), Unit::Count, share.tests as f64);
                }
                if is_timed {
                    samples.push(deal.name(), &busy_of(index), Unit::Milliseconds, share.milliseconds);
                }
            }
        }
    }
    spare_cores::measure(options, &mut samples)?;
    Ok(samples)
}

impl Balance {
    /// The tests of each thread, if they were counted.
    fn loads(results: &Results, cell: &str, deal: Deal, threads: usize) -> Option<Vec<f64>> {
        (0..threads)
            .map(|index| results.values(cell, deal.name(), &tests_of(index)).first().copied())
            .collect()
    }

    /// The busiest thread's tests beside an even share: 1 is perfect.
    fn imbalance(loads: &[f64]) -> f64 {
        loads.iter().copied().fold(0.0, f64::max) * loads.len() as f64 / loads.iter().sum::<f64>()
    }

    fn example(results: &Results) -> Option<(String, bool)> {
        let cell = cell_name(EXAMPLE);
        let block = Self::loads(results, &cell, Deal::Block, EXAMPLE.1)?;
        let zig_zag = Self::loads(results, &cell, Deal::ZigZag, EXAMPLE.1)?;
        let said = format!("blocks: {}; zig-zag: {}", listed(&block), listed(&zig_zag));
        Some((said, block == [21.0, 12.0, 3.0] && zig_zag == [13.0, 12.0, 11.0]))
    }

    fn quarter(results: &Results) -> Option<(String, bool)> {
        let loads = Self::loads(results, &cell_name((OBJECTS, 4)), Deal::ZigZag, 4)?;
        let off = loads.iter().map(|load| (load / PUBLISHED_PER_CORE - 1.0).abs()).fold(0.0, f64::max);
        Some((format!("{}; at most {:.3} % off", listed(&loads), 100.0 * off), off < 0.001))
    }

    fn faster(results: &Results) -> Option<(String, bool)> {
        let count = results.options.threads;
        let cell = cell_name((OBJECTS, count));
        let middle = |deal: Deal| median(results.values(&cell, deal.name(), "time"));
        let (block, zig_zag) = (middle(Deal::Block)?, middle(Deal::ZigZag)?);
        let loads = Self::loads(results, &cell, Deal::Block, count)?;
        let said = format!(
            "{}: {} ms in blocks, {} ms in zig-zag: {}; by counted tests it would be {}",
            threads(count),
            number(Some(block)),
            number(Some(zig_zag)),
            times(ratio(Some(block), Some(zig_zag))),
            times(Some(Self::imbalance(&loads))),
        );
        Some((said, zig_zag < 0.95 * block))
    }
}

fn listed(loads: &[f64]) -> String {
    loads.iter().map(|&load| grouped(load as u64)).collect::<Vec<_>>().join(", ")
}

impl Study for Balance {
    fn about(&self) -> About {
        About {
            name: "001-balance",
            about: "overlap tests per thread and time, rows dealt in blocks and in zig-zag",
            source: "Parallel techniques for collision detection, Figures 4.6, 4.7 and 4.9",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |size: (usize, usize)| Cell {
            name: cell_name(size),
            work: (size.0 * size.0) as f64 + 1e5,
            run: Box::new(move |watch: &Watch<'_>| measure(options, size, watch)),
        };
        Ok(plan(options).into_iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let (mut rows, mut timed_cells) = (Vec::new(), Vec::new());
        for size in plan(&results.options) {
            let cell = cell_name(size);
            for deal in DEALS {
                let loads = Self::loads(results, &cell, deal, size.1);
                let middle = median(results.values(&cell, deal.name(), "time"));
                rows.push(vec![
                    grouped(size.0 as u64),
                    size.1.to_string(),
                    deal.name().to_string(),
                    loads.as_deref().map_or("-".into(), listed),
                    times(loads.as_deref().map(Self::imbalance)),
                    number(middle),
                ]);
                if deal == Deal::ZigZag && middle.is_some() && size != EXAMPLE {
                    timed_cells.push(size);
                }
            }
        }
        let columns = vec![
            fixed("objects"),
            fixed("threads"),
            fixed("rows dealt in"),
            fixed("tests of each thread"),
            fixed("busiest beside an even share"),
            timed("median ms"),
        ];
        let mut blocks = vec![table("Tests and time", columns, rows)];
        if let Some(&largest) = timed_cells.last() {
            let cell = cell_name(largest);
            let busy = |deal: Deal, index: usize| {
                median(results.values(&cell, deal.name(), &busy_of(index))).unwrap_or(0.0)
            };
            blocks.push(Block::Plot(Plot::Stacks {
                caption: format!("How long each thread is busy, {}, stacked", threads(largest.1)),
                y: median_ms(),
                groups: DEALS.iter().map(|deal| deal.name().to_string()).collect(),
                stacks: (0..largest.1)
                    .map(|index| Stack {
                        name: format!("thread {}", index + 1),
                        heights: DEALS.iter().map(|&deal| busy(deal, index)).collect(),
                    })
                    .collect(),
            }));
            blocks.push(Block::Plot(Plot::Spreads {
                caption: "Time until the last thread is done".to_string(),
                y: spread_ms(),
                groups: timed_cells.iter().map(|size| threads(size.1)).collect(),
                spreads: DEALS
                    .iter()
                    .map(|deal| Spread {
                        name: deal.name().to_string(),
                        values: timed_cells
                            .iter()
                            .map(|&size| results.values(&cell_name(size), deal.name(), "time").to_vec())
                            .collect(),
                    })
                    .collect(),
            }));
        }
        let spare = spare_cores::gain(results, &cell_name((OBJECTS, results.options.threads)));
        Report {
            title: "Balanced rows".to_string(),
            question: "Row i of the triangle of tests has n - 1 - i of them. How uneven is the work of the threads when each takes \
                       a block of rows, and how even when a thread that took a long row takes a short one next?"
                .to_string(),
            findings: vec![
                finding(
                    "Nine objects on three processors: 21, 12 and 3 tests in blocks, 13, 12 and 11 in zig-zag.",
                    Self::example(results),
                ),
                finding(
                    "Balanced rows give each of four cores 12,481,257 tests of 49,925,028 (within 0.1 %).",
                    Self::quarter(results),
                ),
                judged("Balanced rows are faster than blocks.", Self::faster(results), spare),
            ],
            blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deal_takes_every_row_once() {
        for deal in DEALS {
            for (objects, threads) in [(9, 3), (10, 3), (100, 7), (5, 4)] {
                let mut rows: Vec<usize> =
                    (0..threads).flat_map(|index| deal.rows(index, threads, objects)).collect();
                rows.sort_unstable();
                assert!(rows.into_iter().eq(0..objects), "{deal:?} {objects} {threads}");
            }
        }
    }

    #[test]
    fn the_example_of_the_source() {
        let loads = |deal: Deal| -> Vec<usize> {
            (0..3).map(|index| deal.rows(index, 3, 9).map(|row| 8 - row).sum()).collect()
        };
        assert_eq!(loads(Deal::Block), [21, 12, 3]);
        assert_eq!(loads(Deal::ZigZag), [13, 12, 11]);
    }
}
