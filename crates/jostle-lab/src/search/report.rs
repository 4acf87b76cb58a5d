//! What a search found: the path it took, what was kept, and every point.

use super::plan::{Point, Step};
use super::settings::Measure;
use super::{Asked, IMPOSSIBLE, POINT, cell_name};
use crate::experiment::{Results, Samples};
use crate::numbers::{grouped, three_digits};
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Table, Verdict};

pub(super) fn report(asked: &Asked, results: &Results) -> Report {
    let path = asked.path(results);
    let measured = measured(asked, results);
    let mut blocks =
        vec![Block::Heading("The path".to_string()), in_words(asked, &path.steps, path.next.is_none())];
    blocks.push(Block::Table(steps_table(asked, &path.steps)));
    blocks.push(Block::Plot(course(asked, &measured)));
    blocks.extend(path.steps.iter().filter(|step| step.varied.len() == 1 && step.pass == 0).map(|step| {
        Block::Plot(one_parameter(asked, step)) //
    }));
    blocks.push(Block::Heading("What was measured".to_string()));
    blocks.push(Block::Table(every_point(asked, &measured)));
    let extreme = if asked.plan.worst { "worst" } else { "best" };
    Report {
        title: format!("Where {} is at its {extreme}", asked.finders[0]),
        question: format!(
            "For which values of {} does {} in the scene `{}`? They are varied {} at a time over their range, {} values each, while \
             the others stay; what costs {} is kept; then the next are varied, and so on from the first again, in a narrower \
             range. A point costs {}: the median of {} frames without the first. Pairs are verified at every point.",
            asked.settings.vary.join(", "),
            match asked.finders.as_slice() {
                [finder, beside] => format!("{finder} cost {} in comparison with {beside}", most(asked)),
                _ => format!("{} cost {}", asked.finders[0], most(asked)),
            },
            asked.settings.scene,
            asked.settings.together,
            asked.settings.values,
            most(asked),
            unit(asked),
            asked.frames,
        ),
        findings: vec![exact(results)],
        blocks,
    }
}

fn most(asked: &Asked) -> &'static str {
    if asked.plan.worst { "most" } else { "least" }
}

fn is_timed(asked: &Asked) -> bool {
    asked.settings.by == Measure::Time
}

fn unit(asked: &Asked) -> String {
    let unit = if is_timed(asked) { "milliseconds a frame, median" } else { "overlap tests a frame, median" };
    match asked.finders.as_slice() {
        [_, beside] => format!("{unit}, in those of {beside}"),
        _ => unit.to_string(),
    }
}

fn cost_in_words(cost: f64) -> String {
    if !cost.is_finite() {
        "no such scene".to_string()
    } else if cost >= 1000.0 {
        grouped(cost.round() as u64)
    } else {
        three_digits(cost)
    }
}

/// Such as `size = 25, objects = 100`.
pub(super) fn point_in_words(asked: &Asked, point: &Point) -> String {
    let all: Vec<usize> = (0..point.len()).collect();
    values_in_words(asked, &all, point)
}

fn values_in_words(asked: &Asked, places: &[usize], point: &Point) -> String {
    let value = |place: &usize| format!("{} = {}", asked.plan.parameters[*place].name, point[*place]);
    places.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// Points in the order they were measured, with their costs.
fn measured(asked: &Asked, results: &Results) -> Vec<(Point, f64)> {
    let cells = (0..results.planned.len()).filter_map(|index| results.cells.get(&cell_name(index)));
    cells.filter_map(|samples| Some((asked.point(samples)?, asked.cost(samples)))).collect()
}

fn in_words(asked: &Asked, steps: &[Step], ended: bool) -> Block {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Block::Text("Nothing was measured yet.".to_string());
    };
    let more = last.kept.1 / first.kept.1;
    let more = if more.is_finite() && first.kept.1.is_finite() {
        format!(" ({} times as much)", three_digits(more))
    } else {
        String::new()
    };
    let text = format!(
        "It began in the middle of all ranges, {}, at {}, and {} {}, at {}{more}.",
        point_in_words(asked, &first.kept.0),
        cost_in_words(first.kept.1),
        if ended { "came to its end with" } else { "has come to" },
        point_in_words(asked, &last.kept.0),
        cost_in_words(last.kept.1),
    );
    if is_timed(asked) { Block::TimedText(text) } else { Block::Text(text) }
}

fn steps_table(asked: &Asked, steps: &[Step]) -> Table {
    let timed = is_timed(asked);
    let row = |(index, step): (usize, &Step)| {
        let varied: Vec<&str> =
            step.varied.iter().map(|place| asked.plan.parameters[*place].name.as_str()).collect();
        vec![
            index.to_string(),
            (step.pass + 1).to_string(),
            if varied.is_empty() { "nothing: the middle".to_string() } else { varied.join(", ") },
            step.tried.len().to_string(),
            point_in_words(asked, &step.kept.0),
            cost_in_words(step.kept.1),
        ]
    };
    Table {
        caption: format!("Step by step. Cost: {}", unit(asked)),
        columns: ["step", "pass", "varied", "points", "kept", "cost"].map(str::to_string).to_vec(),
        // By the clock another path may be taken.
        timed: vec![false, timed, timed, timed, timed, timed],
        rows: steps.iter().enumerate().map(row).collect(),
    }
}

fn cost_axis(asked: &Asked) -> Axis {
    let axis = Axis::new(&unit(asked));
    if is_timed(asked) { axis.timed() } else { axis }
}

/// The cost of every point, and what was kept.
fn course(asked: &Asked, measured: &[(Point, f64)]) -> Plot {
    let costs: Vec<(f64, f64)> = (1..)
        .map(f64::from)
        .zip(measured.iter().map(|(_, cost)| *cost))
        .filter(|(_, cost)| cost.is_finite())
        .collect();
    let mut kept = Vec::with_capacity(costs.len());
    for &(number, cost) in &costs {
        let before = kept.last().map_or(cost, |(_, before)| *before);
        kept.push((number, if asked.plan.is_better(cost, before) { cost } else { before }));
    }
    let line = |name: &str, points| Line { name: name.to_string(), points, fitted: false };
    Plot::Lines {
        caption: "Every point in the order it was measured, and what was kept".to_string(),
        x: Axis::new("point"),
        y: cost_axis(asked),
        lines: vec![line("measured", costs), line("kept", kept)],
    }
}

/// Cost over one parameter, the others as they were.
fn one_parameter(asked: &Asked, step: &Step) -> Plot {
    let place = step.varied[0];
    let name = &asked.plan.parameters[place].name;
    let points = step.tried.iter().filter(|(_, cost)| cost.is_finite());
    let points = points.map(|(point, cost)| (point[place], *cost)).collect();
    let others: Vec<usize> = (0..asked.plan.parameters.len()).filter(|other| *other != place).collect();
    Plot::Lines {
        caption: format!("Over {name}, with {}", values_in_words(asked, &others, &step.kept.0)),
        x: Axis::new(name),
        y: cost_axis(asked),
        lines: vec![Line { name: asked.finders[0].clone(), points, fitted: false }],
    }
}

fn every_point(asked: &Asked, measured: &[(Point, f64)]) -> Table {
    let timed = is_timed(asked);
    let names = asked.plan.parameters.iter().map(|parameter| parameter.name.clone());
    let columns: Vec<String> =
        ["point".to_string()].into_iter().chain(names).chain(["cost".to_string()]).collect();
    let row = |(index, (point, cost)): (usize, &(Point, f64))| {
        let values = point.iter().map(ToString::to_string);
        [(index + 1).to_string()].into_iter().chain(values).chain([cost_in_words(*cost)]).collect()
    };
    Table {
        caption: format!("Every point. Cost: {}", unit(asked)),
        timed: (0..columns.len()).map(|column| timed && column > 0).collect(),
        columns,
        rows: measured.iter().enumerate().map(row).collect(),
    }
}

fn exact(results: &Results) -> Finding {
    let is_measured =
        |samples: &&Samples| !samples.series.is_empty() && samples.values(POINT, IMPOSSIBLE).is_empty();
    let looked = results.cells.values().filter(is_measured).count();
    Finding {
        claim: "The finder gives exactly the pairs of brute force at every point.".to_string(),
        found: format!("{looked} points were measured, and the pairs of each frame of them verified."),
        verdict: if looked > 0 { Verdict::Agrees } else { Verdict::Open },
    }
}
