//! One scene at several sizes: how time, tests and memory of every finder grow, and who was left out of which cell.
//!
//! Streams are shown whole: spread of frames, stages and tests too.

use super::medians::{everyone, memory, over_sizes, settled, time};
use super::places::Place;
use crate::experiment::{Results, Statistics};
use crate::numbers::{exponent, grouped, three_digits};
use crate::report::{Axis, Block, Line, Plot, Spread};
use crate::studies::figures::{fixed, heading, number, stage_bars, table, text, timed};

/// Stages are shown of finders that take at most this many times as long as the fastest.
const NEAR: f64 = 5.0;

/// Everything about a scene; nothing if it was not measured.
pub(super) fn blocks(place: &Place, results: &Results) -> Vec<Block> {
    let measured = |n: &&usize| results.cells.contains_key(&place.cell(**n));
    let Some(&largest) = place.sizes.iter().rfind(measured) else { return Vec::new() };
    let names = everyone(place.sizes.iter().map(|&n| place.cell(n)), results);
    let mut blocks = vec![heading(&place.name), text(sentence(&place.about))];
    blocks.push(over_size(
        place,
        &names,
        "time",
        "broad",
        Axis::new("ms per frame, median").timed(),
        results,
    ));
    if place.is_stream() {
        blocks.extend(frames(place, largest, &names, results));
        let tests = Axis::new("tests per frame, median");
        blocks.push(over_size(place, &names, "overlap tests", "tests", tests, results));
    }
    blocks.push(numbers(place, largest, &names, results));
    blocks.extend(who_is_missing(place, results).map(text));
    blocks
}

/// What a scene says of itself, as a sentence.
fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn over_size(
    place: &Place,
    names: &[String],
    what: &str,
    measure: &str,
    y: Axis,
    results: &Results,
) -> Block {
    let line = |name: &String| Line {
        name: name.clone(),
        points: over_sizes(place, name, measure, results),
        fitted: true,
    };
    Block::Plot(Plot::Lines {
        caption: format!("{}: {what} over the number of objects", place.name),
        x: Axis::new("objects").logarithmic(),
        y: y.logarithmic(),
        lines: names.iter().map(line).collect(),
    })
}

/// How much frames differ, and where the time of those goes that take at most a few times as long as the fastest.
fn frames(place: &Place, n: usize, names: &[String], results: &Results) -> Vec<Block> {
    let cell = place.cell(n);
    let Some(samples) = results.cells.get(&cell) else { return Vec::new() };
    let there: Vec<String> =
        names.iter().filter(|name| !samples.values(name, "broad").is_empty()).cloned().collect();
    let spread = Spread {
        name: "frames".to_string(),
        values: there.iter().map(|name| settled(samples.values(name, "broad")).to_vec()).collect(),
    };
    let spreads = Block::Plot(Plot::Spreads {
        caption: format!("{}: how much frames differ, {} boxes", place.name, grouped(n as u64)),
        y: Axis::new("ms per frame: median, quartiles, 1st and 99th percentile").logarithmic().timed(),
        groups: there.clone(),
        spreads: vec![spread],
    });
    let middle = |name: &String| time(results, &cell, name).unwrap_or(f64::INFINITY);
    let fastest = there.iter().map(middle).fold(f64::INFINITY, f64::min);
    let near: Vec<String> = there.into_iter().filter(|name| middle(name) <= NEAR * fastest).collect();
    let caption = format!(
        "{}: where the time goes, {} boxes, median of each stage; finders up to {NEAR} times the fastest",
        place.name,
        grouped(n as u64)
    );
    vec![spreads, stage_bars(caption, samples, &near)]
}

fn numbers(place: &Place, n: usize, names: &[String], results: &Results) -> Block {
    let cell = place.cell(n);
    let rows = names.iter().map(|name| {
        let of = |measure: &str| Statistics::of(settled(results.values(&cell, name, measure)));
        let times = of("broad");
        let growth = |measure: &str| {
            let growth = exponent(&over_sizes(place, name, measure, results));
            growth.map_or("-".to_string(), |growth| format!("{growth:.2}"))
        };
        vec![
            name.clone(),
            number(times.as_ref().map(|times| times.median)),
            number(times.as_ref().map(|times| times.p99)),
            growth("broad"),
            of("tests").map_or("-".to_string(), |tests| grouped(tests.median as u64)),
            growth("tests"),
            memory(results, &cell, name).map_or("-".to_string(), |bytes| three_digits(bytes / n as f64)),
        ]
    });
    let columns = vec![
        fixed("finder"),
        timed("median ms"),
        timed("p99 ms"),
        timed("time as n^"),
        fixed("tests, median"),
        fixed("tests as n^"),
        fixed("bytes per object"),
    ];
    table(format!("{}, {} objects", place.name, grouped(n as u64)), columns, rows.collect())
}

/// Who was left out of which cell, and why.
pub(super) fn who_is_missing(place: &Place, results: &Results) -> Option<String> {
    let at = |n: usize| {
        let reasons = left_out(&place.cell(n), results).into_iter();
        reasons.map(move |reason| format!("at {} {reason}", grouped(n as u64)))
    };
    let reasons: Vec<String> = place.sizes.iter().flat_map(|&n| at(n)).collect();
    (!reasons.is_empty()).then(|| format!("Left out: {}.", reasons.join("; ")))
}

/// Who was left out of a cell, and why.
pub(super) fn left_out(cell: &str, results: &Results) -> Vec<String> {
    let series = results.cells.get(cell).into_iter().flat_map(|samples| &samples.series);
    series
        .filter_map(|series| {
            let value = grouped(series.values.first().copied().unwrap_or(0.0) as u64);
            let why = match series.measure.as_str() {
                "limit" => format!("takes at most {value} boxes"),
                "expected" => format!("would need about {value} tests"),
                "oracle" => {
                    format!("finds the truth of every frame anyway, and is timed up to {value} boxes (with --full always)")
                }
                _ => return None,
            };
            Some(format!("{} {why}", series.who))
        })
        .collect()
}
