//! `002-parameters`: what each of the ten parameters of the Room does to the finders. Twenty-two benchmarks; the ratio of
//! narrow to broad phase is the thesis' experiment 'Parameters (Ratio)', which reuses the timings.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{finding, fixed, heading, number, percent, ratio, spread_ms, table, timed, times};
use super::repeated::RUNS;
use super::rooms::{self, Benchmark, View, WORLD, mean_and_deviation};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Statistics, Study};
use crate::report::{Axis, Block, Finding, Plot, Report, Spread, Stack};
use crate::scenes::{Distribution, Location, ObjectType, Room};

pub(super) struct Parameters;

/// Objects that fall from the grid land after about 300.
const CYCLES: u32 = 600;
const THREE: [&str; 3] = ["all-pairs", "sap", "tree"];

/// The twenty-two, in the order of the thesis: number one has 100 objects, the others 500 and one parameter changed.
pub(super) fn benchmarks() -> Vec<Benchmark> {
    let room = || Room { objects: 500, ..Room::default() };
    let kind = |kind: ObjectType| Room { kind, ..room() };
    let list: [(&str, Room); 22] = [
        ("100 objects", Room { objects: 100, ..Room::default() }),
        ("spheres", kind(ObjectType::Spheres)),
        ("cuboids", kind(ObjectType::Cuboids)),
        ("cylinders", kind(ObjectType::Cylinders)),
        ("cones", kind(ObjectType::Cones)),
        ("bunnies", kind(ObjectType::Bunnies)),
        ("armadillos", kind(ObjectType::Armadillos)),
        ("all types", kind(ObjectType::Uniform)),
        ("location uniform", Room { location: Location::Uniform, ..room() }),
        ("location normal", Room { location: Location::Normal, ..room() }),
        ("size 25 to 75", Room { size: Distribution::uniform(25.0, 75.0), ..room() }),
        ("size normal 50, 10", Room { size: Distribution::normal(50.0, 10.0), ..room() }),
        ("mass 10 to 100", Room { mass: Distribution::uniform(10.0, 100.0), ..room() }),
        ("mass normal 50, 20", Room { mass: Distribution::normal(50.0, 20.0), ..room() }),
        ("aspect 0.5 to 1.5", Room { aspect: Distribution::uniform(0.5, 1.5), ..room() }),
        ("aspect normal 1, 0.2", Room { aspect: Distribution::normal(1.0, 0.2), ..room() }),
        ("acceleration -2.5 to 2.5", Room { acceleration: Distribution::uniform(-2.5, 2.5), ..room() }),
        ("acceleration normal 0, 1", Room { acceleration: Distribution::normal(0.0, 1.0), ..room() }),
        ("velocity -25 to 25", Room { linear_velocity: Distribution::uniform(-25.0, 25.0), ..room() }),
        ("velocity normal 0, 10", Room { linear_velocity: Distribution::normal(0.0, 10.0), ..room() }),
        ("spin -2.5 to 2.5", Room { angular_velocity: Distribution::uniform(-2.5, 2.5), ..room() }),
        ("spin normal 0, 1", Room { angular_velocity: Distribution::normal(0.0, 1.0), ..room() }),
    ];
    let benchmark = |(index, (about, room)): (usize, (&str, Room))| Benchmark {
        cell: format!("{:02}-{}", index + 1, about.replace(", ", "-").replace(' ', "-")),
        about: about.to_string(),
        room,
    };
    list.into_iter().enumerate().map(benchmark).collect()
}

/// What was measured, by the thesis' numbers of the benchmarks.
struct Numbered<'a> {
    view: &'a View<'a>,
    list: &'a [Benchmark],
}

impl Numbered<'_> {
    /// Something of all twenty-two, if all were measured.
    fn all(&self, of: impl Fn(&str) -> Option<f64>) -> Option<Vec<f64>> {
        self.list.iter().map(|benchmark| of(&benchmark.cell)).collect()
    }

    fn mean(&self, finder: &str) -> Option<Vec<f64>> {
        self.all(|cell| self.view.mean(cell, finder))
    }

    fn deviation(&self, finder: &str) -> Option<Vec<f64>> {
        self.all(|cell| deviation(self.view.broad(cell, finder)))
    }
}

/// One cycle does not deviate from anything.
fn deviation(of: Option<Statistics>) -> Option<f64> {
    of.filter(|of| of.samples > 1).map(|of| of.sd)
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The numbers (from one) of the largest values, largest first.
fn top(values: &[f64], count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (1..=values.len()).collect();
    numbers.sort_by(|&a, &b| values[b - 1].total_cmp(&values[a - 1]));
    numbers.truncate(count);
    numbers
}

fn same_set(found: &[usize], claimed: &[usize]) -> bool {
    found.len() == claimed.len() && claimed.iter().all(|number| found.contains(number))
}

fn numbers(list: &[usize]) -> String {
    list.iter().map(|number| format!("#{number}")).collect::<Vec<_>>().join(", ")
}

/// The mean over some benchmarks by the mean over all others, where that is a number.
fn stands_out(values: &[f64], chosen: &[usize]) -> Option<f64> {
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        (1..=values.len()).partition(|number| chosen.contains(number));
    let mean = |list: &[usize]| mean_of(&list.iter().map(|number| values[number - 1]).collect::<Vec<_>>());
    ratio(Some(mean(&inside)), Some(mean(&outside)))
}

/// The findings on Figures 5.2 and 5.3, in the order of the thesis.
fn findings(view: &View<'_>, list: &[Benchmark]) -> Vec<Finding> {
    let of = Numbered { view, list };
    let ms = |value: f64| format!("{} ms", number(Some(value)));
    let all_pairs = of.mean("all-pairs");
    let sap = of.mean("sap");
    let tree = of.mean("tree");
    let narrow = of.all(|cell| view.narrow(cell).map(|of| of.mean));
    let narrow_deviation = of.all(|cell| deviation(view.narrow(cell)));
    let count = list.len();
    let wins = |left: &Option<Vec<f64>>, right: &Option<Vec<f64>>| -> Option<Vec<usize>> {
        let both = left.as_ref()?.iter().zip(right.as_ref()?);
        Some((1..).zip(both).filter(|(_, (left, right))| left < right).map(|(number, _)| number).collect())
    };
    let six = [11, 12, 17, 18, 19, 20];
    let eight = [2, 3, 13, 14, 15, 16, 21, 22];
    let seven = [13, 14, 15, 16, 17, 21, 22];
    vec![
        finding(
            "All-pairs: #1, with 100 objects, is far below the average (here: less than half of it).",
            all_pairs.as_ref().map(|times| {
                let said = format!("#1 {}, average of all {}", ms(times[0]), ms(mean_of(times)));
                (said, times[0] < 0.5 * mean_of(times))
            }),
        ),
        finding(
            "All-pairs: #9 and #10 (location by chance) take longest, because there are more collisions.",
            all_pairs.as_ref().map(|times| {
                let found = top(times, 2);
                (
                    format!("longest: {} ({})", numbers(&found), ms(times[found[0] - 1])),
                    same_set(&found, &[9, 10]),
                )
            }),
        ),
        finding(
            "All-pairs: #11, #12 and #17 to #20 are above the average.",
            all_pairs.as_ref().map(|times| {
                let above: Vec<usize> =
                    six.into_iter().filter(|number| times[number - 1] > mean_of(times)).collect();
                (
                    format!("above: {}", if above.is_empty() { "none".into() } else { numbers(&above) }),
                    above.len() == six.len(),
                )
            }),
        ),
        finding(
            "All-pairs: #5 (cones) is slower than other simple shapes, because boxes fit cones badly.",
            all_pairs.as_ref().map(|times| {
                let said =
                    (2..=5).map(|number| format!("#{number} {}", ms(times[number - 1]))).collect::<Vec<_>>();
                (said.join(", "), (2..=4).all(|number| times[4] > 1.02 * times[number - 1]))
            }),
        ),
        finding(
            "All-pairs: the standard deviation is largest at #5 and #18.",
            of.deviation("all-pairs").map(|deviations| {
                let found = top(&deviations, 2);
                (format!("largest: {}", numbers(&found)), same_set(&found, &[5, 18]))
            }),
        ),
        finding(
            "Narrow phase: #6 and #7, bodies of 22 and 25 pieces, take far longer than the rest (here: together at least twice the mean of the others).",
            narrow.as_ref().and_then(|times| {
                let factor = stands_out(times, &[6, 7])?;
                let found = top(times, 2);
                let said = format!(
                    "longest: {}; #6 and #7 together are {} the mean of the others",
                    numbers(&found),
                    times_text(factor)
                );
                Some((said, same_set(&found, &[6, 7]) && factor >= 2.0))
            }),
        ),
        finding(
            "Narrow phase: the standard deviation is high at #6 to #8.",
            narrow_deviation.as_ref().map(|deviations| {
                let found = top(deviations, 3);
                (format!("largest: {}", numbers(&found)), same_set(&found, &[6, 7, 8]))
            }),
        ),
        finding(
            "SAP is faster than all-pairs in every benchmark.",
            wins(&sap, &all_pairs)
                .map(|found| (format!("in {} of {count}", found.len()), found.len() == count)),
        ),
        finding(
            "SAP gains least over all-pairs at #1.",
            all_pairs.as_ref().zip(sap.as_ref()).map(|(all_pairs, sap)| {
                let gains: Vec<f64> = all_pairs.iter().zip(sap).map(|(a, b)| a / b).collect();
                let least = gains[1..].iter().copied().fold(f64::MAX, f64::min);
                let said = format!("#1 {}, the others {} at least", times_text(gains[0]), times_text(least));
                (said, gains[0] < least)
            }),
        ),
        finding(
            "SAP is slowest at #8 (all types).",
            sap.as_ref().map(|times| {
                let found = top(times, 1);
                (format!("slowest: {} ({})", numbers(&found), ms(times[found[0] - 1])), found == [8])
            }),
        ),
        finding(
            "SAP: the standard deviation is worse at #2, #3, #13 to #16, #21 and #22 (here: more than 1.5 times the mean of the others).",
            of.deviation("sap").and_then(|deviations| {
                let factor = stands_out(&deviations, &eight)?;
                Some((format!("there {} the mean of the others", times_text(factor)), factor > 1.5))
            }),
        ),
        finding(
            "DBVT is slightly slower than SAP everywhere but at #8, where it wins.",
            wins(&tree, &sap).map(|found| {
                let said = if found.is_empty() {
                    "tree wins nowhere".into()
                } else {
                    format!("tree wins at {}", numbers(&found))
                };
                (said, found == [8])
            }),
        ),
        finding(
            "DBVT is faster than all-pairs in every benchmark.",
            wins(&tree, &all_pairs)
                .map(|found| (format!("in {} of {count}", found.len()), found.len() == count)),
        ),
        finding(
            "DBVT varies less than SAP at #13 to #17, #21 and #22: use it there for a constant frame rate.",
            wins(&of.deviation("tree"), &of.deviation("sap")).map(|found| {
                let less: Vec<usize> = seven.into_iter().filter(|number| found.contains(number)).collect();
                (format!("less at {} of 7", less.len()), less.len() == seven.len())
            }),
        ),
        finding(
            "Ratio: the broad phase takes longer than the narrow phase, for every algorithm and benchmark.",
            ratio_finding(&of),
        ),
        finding("Ratio: the broad phase of all-pairs always has the largest part.", largest_share(&of)),
    ]
}

fn times_text(value: f64) -> String {
    times(Some(value))
}

fn ratio_finding(of: &Numbered<'_>) -> Option<(String, bool)> {
    let mut longer = 0;
    for finder in THREE {
        let shares = of.all(|cell| of.view.broad_share(cell, finder))?;
        longer += shares.iter().filter(|share| **share > 0.5).count();
    }
    let all = THREE.len() * of.list.len();
    Some((format!("in {longer} of {all}"), longer == all))
}

fn largest_share(of: &Numbered<'_>) -> Option<(String, bool)> {
    let shares = THREE.map(|finder| of.all(|cell| of.view.broad_share(cell, finder)));
    let [Some(all_pairs), Some(sap), Some(tree)] = shares else { return None };
    let largest = (0..all_pairs.len()).filter(|&i| all_pairs[i] > sap[i] && all_pairs[i] > tree[i]).count();
    Some((format!("in {largest} of {}", all_pairs.len()), largest == all_pairs.len()))
}

impl Study for Parameters {
    fn about(&self) -> About {
        About {
            name: "002-parameters",
            about: "what each parameter of the Room does to broad and narrow phase: 22 benchmarks",
            source: "Woulfe's thesis, Figures 5.2 and 5.3",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        Ok(rooms::cells(benchmarks(), CYCLES, options, catalog))
    }

    fn scenes(&self, options: &Options) -> Result<Vec<SceneFile>> {
        rooms::scenes(benchmarks(), CYCLES, options)
    }

    fn report(&self, results: &Results) -> Report {
        let (view, list) = (View { results }, benchmarks());
        let finders = rooms::finders(&results.options);
        let heads = || {
            let mut heads = vec![fixed("#"), fixed("benchmark")];
            heads.extend(finders.iter().map(timed));
            heads
        };
        let (mut broad, mut narrow, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for (index, benchmark) in (1..).zip(&list) {
            let cell = &benchmark.cell;
            let contacts = Statistics::of(results.values(cell, WORLD, "contacts"));
            let row = |cells: Vec<String>| {
                let mut row = vec![format!("{index}"), benchmark.about.clone()];
                row.extend(cells);
                row
            };
            let of_finders = |of: &dyn Fn(&str) -> String| finders.iter().map(|finder| of(finder)).collect();
            broad.push(row(of_finders(&|finder| mean_and_deviation(view.broad(cell, finder).as_ref()))));
            ratios.push(row(of_finders(&|finder| number(view.narrow_to_broad(cell, finder)))));
            narrow.push(row(vec![
                percent(view.colliding(cell, benchmark.room.objects)),
                number(contacts.map(|of| of.mean)),
                mean_and_deviation(view.narrow(cell).as_ref()),
            ]));
        }
        let narrow_heads =
            vec![fixed("#"), fixed("benchmark"), fixed("colliding"), fixed("contacts"), timed("narrow: ms")];
        let groups: Vec<String> = (1..=list.len()).map(|number| format!("#{number}")).collect();
        let spread = |who: &str, measure: &str, name: &str| Spread {
            name: name.to_string(),
            values: list
                .iter()
                .map(|benchmark| results.values(&benchmark.cell, who, measure).to_vec())
                .collect(),
        };
        let share = |finder: &str| {
            let shares = list.iter().map(|benchmark| view.broad_share(&benchmark.cell, finder));
            shares.map(|share| 100.0 * share.unwrap_or(0.0)).collect::<Vec<_>>()
        };
        let mut blocks = vec![
            table("Broad phase: mean ± standard deviation of a cycle, ms (Figure 5.2)", heads(), broad),
            Block::Plot(Plot::Spreads {
                caption: "Broad phase of a cycle".to_string(),
                y: spread_ms().logarithmic(),
                groups: groups.clone(),
                spreads: finders.iter().map(|finder| spread(finder, "broad", finder)).collect(),
            }),
            Block::Plot(Plot::Spreads {
                caption: "Narrow phase of a cycle".to_string(),
                y: spread_ms().logarithmic(),
                groups: groups.clone(),
                spreads: vec![spread(WORLD, "narrow", "narrow phase")],
            }),
            table(
                "Objects whose boxes overlap that of another, contacts, and narrow phase (Figure 5.2); means",
                narrow_heads,
                narrow,
            ),
            heading("Ratio of narrow to broad phase"),
            table("Narrow phase by broad phase, sums of all cycles (Figure 5.3)", heads(), ratios),
        ];
        for finder in &finders {
            let broad = share(finder);
            let narrow = broad.iter().map(|share| if *share > 0.0 { 100.0 - share } else { 0.0 }).collect();
            blocks.push(Block::Plot(Plot::Stacks {
                caption: format!("{finder}: parts of collision detection, by sums of all cycles"),
                y: Axis::new("%").timed(),
                groups: groups.clone(),
                stacks: vec![
                    Stack { name: "broad phase".to_string(), heights: broad },
                    Stack { name: "narrow phase".to_string(), heights: narrow },
                ],
            }));
        }
        Report {
            title: "Parameters".to_string(),
            question: format!(
                "How does each of the ten parameters of the Room change what finders cost? 22 benchmarks, {} cycles each (the thesis \
                 ran {}), 500 objects but for #1, one parameter changed in each. The time of a cycle is the least of {RUNS} equal runs, \
                 of both phases; findings compare means.",
                rooms::cycles(&results.options, CYCLES),
                rooms::SOURCE_CYCLES,
            ),
            findings: findings(&view, &list),
            blocks: blocks.into_iter().chain([rooms::note()]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;
    use crate::studies::trial;

    /// Row 14 of the digest.
    #[test]
    fn there_are_exactly_the_22_benchmarks_of_the_thesis() {
        let list = benchmarks();
        assert_eq!(list.len(), 22);
        assert_eq!(list[0].room, Room { objects: 100, ..Room::default() });
        let base = Room { objects: 500, ..Room::default() };
        assert_eq!(list[1].room, base, "spheres are the default");
        let expected: [Room; 20] = [
            Room { kind: ObjectType::Cuboids, ..base.clone() },
            Room { kind: ObjectType::Cylinders, ..base.clone() },
            Room { kind: ObjectType::Cones, ..base.clone() },
            Room { kind: ObjectType::Bunnies, ..base.clone() },
            Room { kind: ObjectType::Armadillos, ..base.clone() },
            Room { kind: ObjectType::Uniform, ..base.clone() },
            Room { location: Location::Uniform, ..base.clone() },
            Room { location: Location::Normal, ..base.clone() },
            Room { size: Distribution::Uniform([25.0], [75.0]), ..base.clone() },
            Room { size: Distribution::Normal([50.0], [10.0]), ..base.clone() },
            Room { mass: Distribution::Uniform([10.0], [100.0]), ..base.clone() },
            Room { mass: Distribution::Normal([50.0], [20.0]), ..base.clone() },
            Room { aspect: Distribution::Uniform([0.5, 0.5], [1.5, 1.5]), ..base.clone() },
            Room { aspect: Distribution::Normal([1.0, 1.0], [0.2, 0.2]), ..base.clone() },
            Room { acceleration: Distribution::Uniform([-2.5; 3], [2.5; 3]), ..base.clone() },
            Room { acceleration: Distribution::Normal([0.0; 3], [1.0; 3]), ..base.clone() },
            Room { linear_velocity: Distribution::Uniform([-25.0; 3], [25.0; 3]), ..base.clone() },
            Room { linear_velocity: Distribution::Normal([0.0; 3], [10.0; 3]), ..base.clone() },
            Room { angular_velocity: Distribution::Uniform([-2.5; 3], [2.5; 3]), ..base.clone() },
            Room { angular_velocity: Distribution::Normal([0.0; 3], [1.0; 3]), ..base.clone() },
        ];
        for (benchmark, room) in list[2..].iter().zip(&expected) {
            assert_eq!(benchmark.room, *room, "{}", benchmark.cell);
            assert_ne!(benchmark.room, base, "{}", benchmark.cell);
        }
        let options = trial::options();
        let catalog = crate::finders::catalog();
        let cells = Parameters.cells(&options, &catalog).unwrap();
        assert!(cells.iter().map(|cell| &cell.name).eq(list.iter().map(|benchmark| &benchmark.cell)));
    }

    #[test]
    fn the_largest_and_what_stands_out() {
        let values = [1.0, 5.0, 3.0, 4.0];
        assert_eq!(top(&values, 2), [2, 4]);
        assert!(same_set(&[4, 2], &[2, 4]) && !same_set(&[2], &[2, 4]));
        assert_eq!(stands_out(&values, &[2, 4]), Some(2.25));
        assert_eq!(stands_out(&[0.0; 4], &[2, 4]), None);
    }

    /// Times that bear out everything the thesis says: a mean and a deviation of each benchmark.
    fn as_in_the_thesis(who: &str, number: usize) -> (f64, f64) {
        match (who, number) {
            ("all-pairs", 1) => (1.0, 0.1),
            ("all-pairs", 9 | 10) => (30.0, 1.0),
            ("all-pairs", 18) => (15.0, 5.0),
            ("all-pairs", 11 | 12 | 17 | 19 | 20) => (15.0, 1.0),
            ("all-pairs", 5) => (12.0, 5.0),
            ("all-pairs", _) => (10.0, 1.0),
            ("sap", 1) => (0.9, 0.1),
            ("sap", 8) => (3.0, 0.1),
            ("sap", 2 | 3 | 13..=16 | 21 | 22) => (2.0, 0.5),
            ("sap", _) => (2.0, 0.1),
            ("tree", 1) => (0.95, 0.05),
            ("tree", 8) => (2.5, 0.05),
            ("tree", _) => (2.2, 0.05),
            (_, 6..=8) => (if number == 8 { 0.2 } else { 0.5 }, 0.1),
            _ => (0.1, 0.01),
        }
    }

    fn made_up(times: impl Fn(&str, usize) -> (f64, f64)) -> Vec<Finding> {
        let list = benchmarks();
        let mut series = Vec::new();
        for (number, benchmark) in (1..).zip(&list) {
            for who in ["all-pairs", "sap", "tree", WORLD] {
                let (middle, deviation) = times(who, number);
                let measure = if who == WORLD { "narrow" } else { "broad" };
                let values = vec![middle - deviation, middle, middle + deviation];
                series.push((benchmark.cell.clone(), who.to_string(), measure, values));
            }
        }
        findings(&View { results: &trial::made_up(series) }, &list)
    }

    #[test]
    fn verdicts_follow_from_the_samples() {
        for finding in made_up(as_in_the_thesis) {
            assert_eq!(finding.verdict, Verdict::Agrees, "{}: {}", finding.claim, finding.found);
        }
        // All finders alike, and the narrow phase slower than any.
        for finding in made_up(|who, _| (if who == WORLD { 20.0 } else { 10.0 }, 1.0)) {
            assert_eq!(finding.verdict, Verdict::Differs, "{}: {}", finding.claim, finding.found);
        }
    }
}
