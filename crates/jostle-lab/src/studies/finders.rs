//! Every finder on every stream of boxes, from a thousand boxes to a million: time, overlap tests, memory, growth.

use anyhow::Result;
use jostle_broad::Catalog;
use jostle_broad::scene::StreamKind;
use jostle_broad::verify::BRUTE_LIMIT;

use crate::experiment::{About, Cell, Contest, Options, Results, Samples, Statistics, Study, Unit, Watch};
use crate::gpu::is_gpu_finder;
use crate::numbers::{exponent, grouped, median, three_digits};
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Spread, Stack, Table, Verdict};
use crate::scene::Scene;

/// The study.
pub(super) struct Finders;

const SIZES: [usize; 4] = [1_000, 3_000, 10_000, 30_000];
const FULL_SIZES: [usize; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const FRAMES: u32 = 20;
/// Seconds a finder may take for a cell; one that is expected to take longer is left out, with a line. Expected from
/// counted tests, so that all runs of a seed leave out the same.
const BUDGET_SECONDS: f64 = 10.0;
const FULL_BUDGET_SECONDS: f64 = 60.0;
/// What a test is taken to cost: about that of the finders that do little else.
const SECONDS_PER_TEST: f64 = 1e-9;
/// Decides by the clock: what it counts is not the same in two runs. `auto-work` stands for it.
const BY_CLOCK: &str = "auto";
/// Of those on a GPU, the one made for large scenes takes part.
const FAST_GPU: &str = "gpu";
/// Those made for large scenes, and how their time may grow at most.
const FOR_LARGE: [&str; 5] = ["sweep", "bvh", "grid", "tree", "auto-work"];
const NEARLY_LINEAR: f64 = 1.2;
/// Stages are shown of finders that take at most this many times as long as the fastest.
const NEAR: f64 = 5.0;

impl Study for Finders {
    fn about(&self) -> About {
        About {
            name: "finders",
            about: "every finder on every stream of boxes: time, tests, memory, growth",
            source: "ours",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let mut cells = Vec::new();
        for kind in StreamKind::ALL {
            for &n in sizes(options) {
                let run = move |watch: &Watch<'_>| measure(kind, n, options, catalog, watch);
                cells.push(Cell { name: cell(kind, n), work: n as f64 + 2_000.0, run: Box::new(run) });
            }
        }
        Ok(cells)
    }

    fn report(&self, results: &Results) -> Report {
        let mut blocks = Vec::new();
        for kind in StreamKind::ALL {
            blocks.extend(stream_blocks(kind, results));
        }
        Report {
            title: "Every finder on every stream".to_string(),
            question: format!(
                "Which finder is fast on which kind of motion, and how do its time, its overlap tests and its memory grow \
                 with the number of boxes? One thread. The clock runs from boxes in a plain array to pairs, and what was \
                 added and removed, that can be read. Times are medians of all frames but the first. A finder that is \
                 expected to take more than {} s for a cell, by the tests it made at smaller sizes and a nanosecond each, \
                 is left out of it.",
                budget(&results.options)
            ),
            findings: vec![exact(results), nearly_linear(results), best_anywhere(results)],
            blocks,
        }
    }
}

fn sizes(options: &Options) -> &'static [usize] {
    if options.full { &FULL_SIZES } else { &SIZES }
}

fn budget(options: &Options) -> f64 {
    if options.full { FULL_BUDGET_SECONDS } else { BUDGET_SECONDS }
}

fn cell(kind: StreamKind, n: usize) -> String {
    format!("{}-{n}", kind.name())
}

fn measure(
    kind: StreamKind,
    n: usize,
    options: &Options,
    catalog: &Catalog,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let frames = options.frames.unwrap_or(FRAMES);
    let chosen = options.finders.clone().unwrap_or_else(|| {
        let takes_part = |name: &String| {
            name != BY_CLOCK && (!is_gpu_finder(name) || name == FAST_GPU && options.adapter.is_some())
        };
        catalog.iter().map(|entry| entry.name.clone()).filter(takes_part).collect()
    });
    let mut left_out = Samples::default();
    let mut finders = Vec::new();
    for finder in chosen {
        let expected = expected_tests(kind, n, &finder, watch.before);
        if let Some(limit) = catalog.get(&finder)?.make().size_limit().filter(|limit| *limit < n) {
            left_out.push(&finder, "limit", Unit::Count, limit as f64);
        } else if let Some(tests) = expected.filter(|tests| tests * SECONDS_PER_TEST > budget(options)) {
            left_out.push(&finder, "expected", Unit::Count, tests);
        } else {
            finders.push(finder);
        }
    }
    let contest = Contest { catalog, finders, threads: vec![1], frames };
    let mut samples = contest.run(Scene::stream(kind, n, options.seed), watch)?;
    samples.series.extend(left_out.series);
    Ok(samples)
}

/// How many tests the frames of a cell are expected to need, from the smaller sizes of the same stream; growth is taken to
/// be quadratic until two sizes say otherwise.
fn expected_tests(kind: StreamKind, n: usize, finder: &str, before: &Results) -> Option<f64> {
    let total =
        |size: usize| Statistics::of(before.values(&cell(kind, size), finder, "tests")).map(|of| of.total);
    let smaller = sizes(&before.options).iter().filter(|size| **size < n);
    let points: Vec<(f64, f64)> = smaller.filter_map(|&size| Some((size as f64, total(size)?))).collect();
    let &(last, tests) = points.last()?;
    let growth = exponent(&points).unwrap_or(2.0).max(1.0);
    Some(tests * (n as f64 / last).powf(growth))
}

/// All values but that of the first frame, which builds everything.
fn settled(values: &[f64]) -> &[f64] {
    if values.len() > 1 { &values[1..] } else { values }
}

/// Median of a measure at each size.
fn medians(kind: StreamKind, finder: &str, measure: &str, results: &Results) -> Vec<(f64, f64)> {
    let sizes = sizes(&results.options).iter();
    sizes
        .filter_map(|&n| {
            let values = settled(results.values(&cell(kind, n), finder, measure));
            Some((n as f64, median(values)?))
        })
        .collect()
}

fn times(kind: StreamKind, finder: &str, results: &Results) -> Vec<(f64, f64)> {
    medians(kind, finder, "broad", results)
}

/// All who ran on any size of a stream.
fn everyone(kind: StreamKind, results: &Results) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for &n in sizes(&results.options) {
        let there = results.cells.get(&cell(kind, n)).map(|samples| samples.everyone("broad"));
        for name in there.into_iter().flatten() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

/// What moves how.
fn motion(kind: StreamKind) -> &'static str {
    match kind {
        StreamKind::Brownian => "Every box moves by 1 to 10 % of its size each frame.",
        StreamKind::Still10 => {
            "A tenth of the boxes moves by 1 to 10 % of its size each frame, others each time."
        }
        StreamKind::Fast => "Every box moves by about its own size each frame.",
        StreamKind::Disparity => "Every box moves by 1 to 10 % of its size; sizes reach from 1 to 100.",
        StreamKind::Pile => {
            "A layer three boxes thick, in which every box trembles by up to 1 % of its size."
        }
        StreamKind::Still => "Nothing moves after the first frame.",
    }
}

fn stream_blocks(kind: StreamKind, results: &Results) -> Vec<Block> {
    let names = everyone(kind, results);
    let Some(&largest) =
        sizes(&results.options).iter().rfind(|n| results.cells.contains_key(&cell(kind, **n)))
    else {
        return Vec::new();
    };
    let at = cell(kind, largest);
    let lines = |measure: &str| {
        names
            .iter()
            .map(|name| Line {
                name: name.clone(),
                points: medians(kind, name, measure, results),
                fitted: true,
            })
            .collect::<Vec<_>>()
    };
    let boxes = || Axis::new("boxes").logarithmic();
    let there: Vec<&String> =
        names.iter().filter(|name| !results.values(&at, name, "broad").is_empty()).collect();
    let mut blocks = vec![
        Block::Heading(kind.name().to_string()),
        Block::Text(motion(kind).to_string()),
        Block::Plot(Plot::Lines {
            caption: format!("{}: time over the number of boxes", kind.name()),
            x: boxes(),
            y: Axis::new("ms per frame, median").logarithmic().timed(),
            lines: lines("broad"),
        }),
        Block::Plot(Plot::Spreads {
            caption: format!("{}: how much frames differ, {} boxes", kind.name(), grouped(largest as u64)),
            y: Axis::new("ms per frame: quartiles, 1st and 99th percentile").logarithmic().timed(),
            groups: there.iter().map(|name| name.to_string()).collect(),
            spreads: vec![Spread {
                name: "frames".to_string(),
                values: there
                    .iter()
                    .map(|name| settled(results.values(&at, name, "broad")).to_vec())
                    .collect(),
            }],
        }),
    ];
    blocks.extend(stages(kind, largest, &there, results).map(Block::Plot));
    blocks.push(Block::Plot(Plot::Lines {
        caption: format!("{}: overlap tests over the number of boxes", kind.name()),
        x: boxes(),
        y: Axis::new("tests per frame, median").logarithmic(),
        lines: lines("tests"),
    }));
    blocks.push(Block::Table(table(kind, largest, &names, results)));
    blocks.extend(left_out(kind, results));
    blocks
}

/// Where the time of those goes that take at most a few times as long as the fastest.
fn stages(kind: StreamKind, n: usize, names: &[&String], results: &Results) -> Option<Plot> {
    let samples = results.cells.get(&cell(kind, n))?;
    let middle = |name: &str| median(settled(samples.values(name, "broad"))).unwrap_or(f64::INFINITY);
    let fastest = names.iter().map(|name| middle(name)).min_by(f64::total_cmp)?;
    let fast: Vec<&String> = names.iter().filter(|name| middle(name) <= NEAR * fastest).copied().collect();
    let mut stages: Vec<&str> = Vec::new();
    for series in &samples.series {
        if let Some(stage) = series.measure.strip_prefix("stage:")
            && fast.iter().any(|name| **name == series.who)
            && !stages.contains(&stage)
        {
            stages.push(stage);
        }
    }
    let height = |name: &str, stage: &str| {
        Statistics::of(settled(samples.values(name, &format!("stage:{stage}")))).map_or(0.0, |of| of.mean)
    };
    Some(Plot::Stacks {
        caption: format!("{}: where the time goes, {} boxes", kind.name(), grouped(n as u64)),
        y: Axis::new(&format!("ms per frame, mean; finders up to {NEAR} times the fastest")).timed(),
        groups: fast.iter().map(|name| name.to_string()).collect(),
        stacks: stages
            .iter()
            .map(|stage| Stack {
                name: stage.to_string(),
                heights: fast.iter().map(|name| height(name, stage)).collect(),
            })
            .collect(),
    })
}

fn table(kind: StreamKind, n: usize, names: &[String], results: &Results) -> Table {
    let at = cell(kind, n);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    let rows = names.iter().map(|name| {
        let of = |measure: &str| Statistics::of(settled(results.values(&at, name, measure)));
        let time = of("broad");
        let memory = of("bytes").zip(of("store-bytes")).map(|(own, store)| own.max + store.max);
        let growth = |measure: &str| exponent(&medians(kind, name, measure, results));
        vec![
            name.clone(),
            or_dash(time.as_ref().map(|time| three_digits(time.median))),
            or_dash(time.as_ref().map(|time| three_digits(time.p99))),
            or_dash(growth("broad").map(|growth| format!("{growth:.2}"))),
            or_dash(of("tests").map(|tests| grouped(tests.median as u64))),
            or_dash(growth("tests").map(|growth| format!("{growth:.2}"))),
            or_dash(memory.map(|memory| three_digits(memory / n as f64))),
        ]
    });
    let heads = ["finder", "median ms", "p99 ms", "time as n^", "tests", "tests as n^", "bytes per box"];
    Table {
        caption: format!("{}, {} boxes", kind.name(), grouped(n as u64)),
        columns: heads.map(str::to_string).to_vec(),
        timed: [false, true, true, true, false, false, false].to_vec(),
        rows: rows.collect(),
    }
}

/// Who was left out of which cell, and why.
fn left_out(kind: StreamKind, results: &Results) -> Option<Block> {
    let mut reasons = Vec::new();
    for &n in sizes(&results.options) {
        for series in results.cells.get(&cell(kind, n)).iter().flat_map(|samples| &samples.series) {
            let value = series.values.first().copied().unwrap_or(0.0);
            let reason = match series.measure.as_str() {
                "limit" => format!("takes at most {} boxes", grouped(value as u64)),
                "expected" => format!("would need about {} tests", grouped(value as u64)),
                _ => continue,
            };
            reasons.push(format!("{} at {} ({reason})", series.who, grouped(n as u64)));
        }
    }
    (!reasons.is_empty()).then(|| Block::Text(format!("Left out: {}.", reasons.join("; "))))
}

fn exact(results: &Results) -> Finding {
    let measured = results.cells.len();
    let complete = measured == results.planned.len();
    Finding {
        claim: format!(
            "Every finder gives exactly the true pairs, and exactly what was added and removed, in every cell. The truth is that of \
             brute force in every frame up to {0} boxes; of more boxes it is that of a sweep in the first, middle and last frame, and \
             in the others all finders are compared with the first.",
            grouped(BRUTE_LIMIT as u64)
        ),
        found: format!(
            "{measured} of {} cells were measured, and the pairs of all finders in them verified.",
            results.planned.len()
        ),
        verdict: if complete { Verdict::Agrees } else { Verdict::Open },
    }
}

fn nearly_linear(results: &Results) -> Finding {
    let mut steepest: Option<(f64, String)> = None;
    let mut cases = 0;
    for kind in StreamKind::ALL {
        for finder in FOR_LARGE {
            if let Some(growth) = exponent(&times(kind, finder, results)) {
                cases += 1;
                if steepest.as_ref().is_none_or(|(most, _)| growth > *most) {
                    steepest = Some((growth, format!("{finder} on {}", kind.name())));
                }
            }
        }
    }
    let claim = format!(
        "The time of the finders made for large scenes ({}) grows no faster than n^{NEARLY_LINEAR}.",
        FOR_LARGE.join(", ")
    );
    match steepest {
        None => Finding { claim, found: "not measured".to_string(), verdict: Verdict::Open },
        Some((growth, who)) => Finding {
            claim,
            found: format!("the steepest of {cases} is {who}: n^{growth:.3}."),
            verdict: if growth <= NEARLY_LINEAR { Verdict::Agrees } else { Verdict::Differs },
        },
    }
}

fn best_anywhere(results: &Results) -> Finding {
    let mut winners: Vec<(String, String)> = Vec::new();
    for kind in StreamKind::ALL {
        let Some(&n) = sizes(&results.options).iter().rfind(|n| results.cells.contains_key(&cell(kind, **n)))
        else {
            continue;
        };
        let single = everyone(kind, results).into_iter().filter(|name| !name.starts_with("auto"));
        let time = |name: &str| median(settled(results.values(&cell(kind, n), name, "broad")));
        let fastest = single.filter_map(|name| Some((time(&name)?, name))).min_by(|a, b| a.0.total_cmp(&b.0));
        winners.extend(fastest.map(|(_, name)| (kind.name().to_string(), name)));
    }
    let claim = "No single finder is the fastest on all streams, which is why `auto` exists.".to_string();
    let told: Vec<String> = winners.iter().map(|(stream, name)| format!("{name} on {stream}")).collect();
    let several = winners.iter().any(|(_, name)| *name != winners[0].1);
    let verdict = match (winners.len(), several) {
        (0 | 1, _) => Verdict::Open,
        (_, true) => Verdict::Agrees,
        (_, false) => Verdict::Differs,
    };
    Finding { claim, found: format!("the fastest at the largest size: {}.", told.join(", ")), verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let finders = ["grid", "tree", "brute"].map(str::to_string).to_vec();
        Options {
            full: true,
            seed: 1,
            finders: Some(finders),
            frames: Some(2),
            threads: 1,
            adapter: None,
            search: None,
        }
    }

    /// What is known when the grid made so many tests in a cell of each size.
    fn before(tests: &[f64]) -> Results {
        let options = options();
        let mut cells = std::collections::BTreeMap::new();
        for (tests, &n) in tests.iter().zip(sizes(&options)) {
            let mut samples = Samples::default();
            for share in [0.75, 0.25] {
                samples.push("grid", "tests", Unit::Count, tests * share);
            }
            cells.insert(cell(StreamKind::Pile, n), samples);
        }
        Results { options, planned: Vec::new(), cells }
    }

    #[test]
    fn what_a_cell_will_need_follows_from_smaller_sizes() {
        let expected = |tests: &[f64], n| expected_tests(StreamKind::Pile, n, "grid", &before(tests));
        let near = |found: Option<f64>, expected: f64| (found.unwrap() / expected - 1.0).abs() < 1e-9;
        assert_eq!(expected(&[], 1_000), None);
        assert_eq!(expected(&[5.0], 1_000), None, "a size says nothing of itself");
        // Quadratic until two sizes are known, then as they grow, but never less than linear.
        assert!(near(expected(&[5.0], 10_000), 500.0));
        assert!(near(expected(&[5.0, 15.0], 30_000), 150.0));
        assert!(near(expected(&[5.0, 5.0], 30_000), 50.0));
        assert_eq!(expected(&[0.0, 0.0], 30_000), Some(0.0));
    }

    #[test]
    fn a_finder_that_would_take_too_long_is_left_out_with_a_line() {
        let (catalog, options) = (crate::finders::catalog(), options());
        let watch = |before| Watch { done: &|_| {}, stopped: &|| false, before };
        let slow = before(&[FULL_BUDGET_SECONDS / SECONDS_PER_TEST]);
        let samples = measure(StreamKind::Pile, 3_000, &options, &catalog, &watch(&slow)).unwrap();
        assert_eq!(samples.everyone("broad"), ["tree", "brute"]);

        let mut results = before(&[]);
        results.cells.insert(cell(StreamKind::Pile, 3_000), samples);
        let Some(Block::Text(line)) = left_out(StreamKind::Pile, &results) else { panic!("no line") };
        assert_eq!(line, "Left out: grid at 3,000 (would need about 540,000,000,000 tests).");
        assert!(left_out(StreamKind::Fast, &results).is_none());
    }

    #[test]
    fn nothing_measured_is_nothing_claimed() {
        let mut results = before(&[]);
        results.planned.push("pile-1000".to_string());
        let report = Finders.report(&results);
        assert!(report.findings.iter().all(|finding| finding.verdict == Verdict::Open), "{report:?}");
    }
}
