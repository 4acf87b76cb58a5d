//! The study on a few small cells, on samples made up, and on none.

use super::measure::{SECONDS_PER_TEST, budget, expected_tests, measure};
use super::places::{self, Place};
use super::*;
use crate::experiment::{Samples, Unit};
use crate::report::{Block, Facts, Heat, Plot, Verdict, html};
use crate::scenes::named;
use crate::studies::trial;

fn options() -> Options {
    let finders = ["grid", "tree", "brute"].map(str::to_string).to_vec();
    Options { full: true, finders: Some(finders), frames: Some(2), ..trial::options() }
}

fn place(name: &str, options: &Options) -> Place {
    places::all(options).into_iter().find(|place| place.name == name).unwrap()
}

/// What is known when the grid made so many tests in a cell of each size of `stream-pile`.
fn before(tests: &[f64]) -> Results {
    let options = options();
    let pile = place("stream-pile", &options);
    let mut cells = std::collections::BTreeMap::new();
    for (tests, &n) in tests.iter().zip(&pile.sizes) {
        let mut samples = Samples::default();
        for share in [0.75, 0.25] {
            samples.push("grid", "tests", Unit::Count, tests * share);
        }
        cells.insert(pile.cell(n), samples);
    }
    Results { options, planned: Vec::new(), cells }
}

#[test]
fn every_scene_that_has_a_name_is_there_at_its_own_size() {
    for full in [false, true] {
        let options = Options { full, frames: None, ..trial::options() };
        let places = places::all(&options);
        let names: Vec<&str> = places.iter().map(|place| &*place.name).collect();
        assert_eq!(names, named::all().iter().map(|scene| &*scene.name).collect::<Vec<_>>());
        for place in &places {
            assert!(place.own > 0 && place.sizes.contains(&place.own), "{place:?}");
            assert!(place.sizes.is_sorted() && place.frames > 0, "{place:?}");
            assert_eq!(place.settling > 0, place.spec.has_world(), "{place:?}");
            assert!(full || place.sizes.iter().all(|n| *n <= 30_000), "a short run is short: {place:?}");
            assert!(!full || place.grows(), "{place:?}");
        }
        assert_eq!(place("000-initial", &options).frames, 1);
        assert!(place("stress-long", &options).frames > 100);
    }
}

#[test]
fn what_a_cell_will_need_follows_from_smaller_sizes() {
    let pile = place("stream-pile", &options());
    let expected = |tests: &[f64], n| expected_tests(&pile, n, "grid", &before(tests));
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
    let pile = place("stream-pile", &options);
    let slow = before(&[budget(&options) / SECONDS_PER_TEST]);
    let watch = Watch { done: &|_| {}, stopped: &|| false, before: &slow };
    let samples = measure(&pile, 3_000, &options, &catalog, &watch).unwrap();
    assert_eq!(samples.everyone("broad"), ["tree", "brute"]);

    let mut results = before(&[]);
    results.cells.insert(pile.cell(3_000), samples);
    let line = growth::who_is_missing(&pile, &results).unwrap();
    assert_eq!(line, "Left out: at 3,000 grid would need about 540,000,000,000 tests.");
    assert!(growth::who_is_missing(&place("stream-fast", &options), &results).is_none());
}

#[test]
fn scenes_of_every_kind_are_measured_and_compared() {
    let catalog = crate::finders::catalog();
    let finders = ["sweep", "all-pairs", "auto-work"].map(str::to_string).to_vec();
    let options = Options { finders: Some(finders), frames: Some(3), ..trial::options() };
    let small = ["room-10", "pyramid-210", "stress-long-500", "000-initial-1024", "stream-still-1000"];
    let results = trial::run_cells(&Finders, &options, &catalog, |cell| small.contains(&cell));
    assert_eq!(results.cells.len(), small.len());
    for (cell, samples) in &results.cells {
        let frames = if cell.starts_with("000-initial") { 1 } else { 3 };
        assert_eq!(samples.values("sweep", "broad").len(), frames, "{cell}");
        assert_eq!(samples.values("auto-work", "pairs"), samples.values("all-pairs", "pairs"), "{cell}");
        let chosen = samples.series.iter().filter(|series| series.measure.starts_with("chosen:"));
        assert_eq!(chosen.flat_map(|series| &series.values).sum::<f64>(), frames as f64, "{cell}");
        assert!(samples.values("scene", "boxes")[0] >= 16.0, "{cell}");
    }
    // Another run differs in times only.
    let again = trial::run_cells(&Finders, &options, &catalog, |cell| small.contains(&cell));
    let page = |results: &Results| {
        let page = html(&Finders.report(results), &Facts::default()).unwrap();
        (trial::without_times(&page), page)
    };
    let ((first, whole), (second, other)) = (page(&results), page(&again));
    assert!(first == second && whole != other && first.matches("<td").count() > 20, "{first}");

    let report = Finders.report(&results);
    let heats: Vec<&Heat> = report
        .blocks
        .iter()
        .filter_map(|block| if let Block::Plot(Plot::Heat(heat)) = block { Some(heat) } else { None })
        .collect();
    assert_eq!(heats.len(), 3);
    // The stream was not measured at its own size.
    assert_eq!(heats[0].rows, ["room", "stress-long", "000-initial", "pyramid"]);
    assert_eq!(heats[0].columns, ["sweep", "all-pairs", "auto-work"]);
    for row in &heats[0].values {
        assert!(row.iter().flatten().copied().fold(f64::INFINITY, f64::min) == 1.0, "{row:?}");
    }
}

#[test]
fn advice_names_who_fits_where() {
    let catalog = crate::finders::catalog();
    let options = Options { frames: Some(1), ..trial::options() };
    let mut results = trial::run_cells(&Finders, &options, &catalog, |_| false);
    let times =
        [("room-10", [1.0, 3.0, 1.05]), ("pyramid-210", [2.0, 1.0, 1.5]), ("gas-5000", [1.05, 1.0, 1.0])];
    for (cell, times) in times {
        let mut samples = Samples::default();
        for (finder, time) in ["grid", "tree", "auto-work"].into_iter().zip(times) {
            samples.push(finder, "broad", Unit::Milliseconds, time);
        }
        samples.push("brute", "broad", Unit::Milliseconds, 9.0);
        samples.push("auto-work", "chosen:tree", Unit::Count, 1.0);
        results.cells.insert(cell.to_string(), samples);
    }
    let places = places::all(&options);
    let overview = Overview::new(&places, &results);
    let told = overview.advice();
    for expected in [
        "`grid` is the fastest, or within 10 % of it, on 2 of 3 scenes: room, gas.",
        "`tree` is the fastest, or within 10 % of it, on 2 of 3 scenes: pyramid, gas.",
        "On no scene within 10 % of the fastest: brute.",
        "If one finder has to serve everything: `grid`, never more than 2.00x the fastest (on pyramid).",
        "`auto-work` needs no choosing: 1.05x the fastest single finder in the median over the scenes, 1.50x at most (on pyramid).",
    ] {
        assert!(told.iter().any(|line| line == expected), "{expected}: {told:#?}");
    }
    let findings = findings::all(&places, &overview, &results);
    let verdicts: Vec<Verdict> = findings.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Open, Verdict::Open, Verdict::Agrees, Verdict::Agrees], "{findings:?}");
}

#[test]
fn nothing_measured_is_nothing_claimed() {
    let mut results = before(&[]);
    results.planned.push("stream-pile-1000".to_string());
    let report = Finders.report(&results);
    assert!(report.findings.iter().all(|finding| finding.verdict == Verdict::Open), "{report:?}");
    assert!(report.blocks.is_empty());
}
