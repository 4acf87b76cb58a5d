//! `002-parameters`: what each of the ten parameters of the Room does to the finders. Twenty-two benchmarks; the ratio of
//! narrow to broad phase is the thesis' experiment 'Parameters (Ratio)', which reuses the timings.

mod findings;
#[cfg(test)]
mod tests;

use anyhow::Result;
use jostle_broad::Catalog;

use self::findings::findings;
use super::figures::{fixed, heading, number, percent, spread_ms, table, timed};
use super::repeated::RUNS;
use super::rooms::{self, Benchmark, View, WORLD, mean_and_deviation};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Statistics, Study};
use crate::report::{Axis, Block, Plot, Report, Spread, Stack};
use crate::scenes::{Distribution, Location, ObjectType, Room};

pub(super) struct Parameters;

/// Objects that fall from the grid land after about 300.
const CYCLES: u32 = 600;

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
