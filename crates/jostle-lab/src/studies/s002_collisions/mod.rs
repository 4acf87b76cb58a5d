//! `002-collisions`: number and size of objects, and with them the number of collisions. Thirty benchmarks; the ratio of
//! narrow to broad phase is the thesis' experiment 'Collisions (Ratio)', which reuses the timings.

mod findings;
#[cfg(test)]
mod tests;

use anyhow::Result;
use jostle_broad::Catalog;

use self::findings::{Growth, PUBLISHED, PUBLISHED_NARROW, findings};
use super::figures::{change, fixed, heading, mean_ms, number, percent, spread_ms, table, text, timed};
use super::repeated::RUNS;
use super::rooms::{self, Benchmark, View, WORLD, mean_and_deviation};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Study};
use crate::report::{Axis, Block, Line, Plot, Report, Spread};
use crate::scenes::{Distribution, ObjectType, Room};

pub(super) struct Collisions;

const CYCLES: u32 = 150;
pub(super) const COUNTS: [usize; 5] = [100, 200, 300, 400, 500];
pub(super) const SIZES: [u32; 6] = [25, 50, 75, 100, 125, 150];
fn cell(objects: usize, size: u32) -> String {
    format!("{objects}-objects-{size}-m")
}

/// The thirty: constant sizes on the constant grid, all types, moving and turning, no gravity.
pub(super) fn benchmarks() -> Vec<Benchmark> {
    let benchmark = |objects: usize, size: u32| Benchmark {
        cell: cell(objects, size),
        about: format!("{objects} objects of {size} m"),
        room: Room {
            objects,
            kind: ObjectType::Uniform,
            size: Distribution::constant(f64::from(size)),
            acceleration: Distribution::constant(0.0),
            linear_velocity: Distribution::uniform(-25.0, 25.0),
            angular_velocity: Distribution::uniform(-2.5, 2.5),
            ..Room::default()
        },
    };
    COUNTS.iter().flat_map(|&objects| SIZES.map(|size| benchmark(objects, size))).collect()
}

fn everywhere() -> impl Iterator<Item = (usize, u32)> {
    COUNTS.into_iter().flat_map(|objects| SIZES.map(|size| (objects, size)))
}

impl Study for Collisions {
    fn about(&self) -> About {
        About {
            name: "002-collisions",
            about: "broad and narrow phase over number and size of objects: 30 benchmarks",
            source: "Woulfe's thesis, Figures 5.4, 5.5 and 5.7",
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
        let view = View { results };
        let finders = rooms::finders(&results.options);
        let (mut rows, mut ratios) = (Vec::new(), Vec::new());
        for (objects, size) in everywhere() {
            let at = cell(objects, size);
            let mut row = vec![objects.to_string(), size.to_string(), percent(view.colliding(&at, objects))];
            row.extend(finders.iter().map(|finder| mean_and_deviation(view.broad(&at, finder).as_ref())));
            row.push(mean_and_deviation(view.narrow(&at).as_ref()));
            rows.push(row);
            let mut ratio = vec![objects.to_string(), size.to_string()];
            ratio.extend(finders.iter().map(|finder| number(view.narrow_to_broad(&at, finder))));
            ratios.push(ratio);
        }
        let mut columns = vec![fixed("objects"), fixed("m"), fixed("colliding")];
        columns.extend(finders.iter().map(timed));
        columns.push(timed("narrow"));
        let mut ratio_columns = vec![fixed("objects"), fixed("size: m")];
        ratio_columns.extend(finders.iter().map(timed));
        let mut growths: Vec<Vec<String>> = finders
            .iter()
            .map(|finder| {
                let published = PUBLISHED.iter().find(|(name, ..)| name == finder);
                let Growth { by_number, by_size } = Growth::of(|cell| view.mean(cell, finder));
                vec![
                    format!("broad: {finder}"),
                    change(published.map(|row| row.1)),
                    change(by_number),
                    change(published.map(|row| row.2)),
                    change(by_size),
                ]
            })
            .collect();
        let narrow = Growth::of(|cell| view.narrow(cell).map(|of| of.mean));
        growths.push(vec![
            "narrow".to_string(),
            change(Some(PUBLISHED_NARROW.0)),
            change(narrow.by_number),
            change(Some(PUBLISHED_NARROW.1)),
            change(narrow.by_size),
        ]);
        let growth_columns = vec![
            fixed("phase"),
            fixed("100 to 500 objects: thesis"),
            timed("here"),
            fixed("25 to 150 m: thesis"),
            timed("here"),
        ];
        let over_number = finders.iter().map(|finder| Line {
            name: finder.clone(),
            points: points(COUNTS.map(|objects| (objects as f64, view.mean(&cell(objects, 25), finder)))),
            fitted: true,
        });
        let over_size = finders.iter().map(|finder| Line {
            name: finder.clone(),
            points: points(SIZES.map(|size| (f64::from(size), view.mean(&cell(500, size), finder)))),
            fitted: false,
        });
        let colliding = COUNTS.iter().map(|&objects| Line {
            name: format!("{objects} objects"),
            points: points(SIZES.map(|size| {
                (f64::from(size), view.colliding(&cell(objects, size), objects).map(|share| 100.0 * share))
            })),
            fitted: false,
        });
        let at_500 = |who: &str, measure: &str| -> Vec<Vec<f64>> {
            SIZES.iter().map(|&size| results.values(&cell(500, size), who, measure).to_vec()).collect()
        };
        let mut spreads: Vec<Spread> = finders
            .iter()
            .map(|finder| Spread { name: finder.clone(), values: at_500(finder, "broad") })
            .collect();
        spreads.push(Spread { name: "narrow phase".to_string(), values: at_500(WORLD, "narrow") });
        Report {
            title: "Collisions".to_string(),
            question: format!(
                "How do number and size of the objects, and with them the number of collisions, change the cost of broad and narrow \
                 phase? 30 benchmarks of {} cycles (the thesis ran {}): objects of all types and one size, on the constant grid, \
                 moving and turning, no gravity. The time of a cycle is the least of {RUNS} equal runs, of both phases; findings compare means.",
                rooms::cycles(&results.options, CYCLES),
                rooms::SOURCE_CYCLES,
            ),
            findings: findings(&view),
            blocks: vec![
                table(
                    "Growth of the mean time of a cycle, beside what the thesis printed",
                    growth_columns,
                    growths,
                ),
                Block::Plot(Plot::Lines {
                    caption: "Potentially colliding objects as a percentage of all (Figure 5.5)".to_string(),
                    x: Axis::new("size: m"),
                    y: Axis::new("% of n"),
                    lines: colliding.collect(),
                }),
                Block::Plot(Plot::Lines {
                    caption: "Broad phase over the number of objects of 25 m (Figure 5.4)".to_string(),
                    x: Axis::new("objects").logarithmic(),
                    y: mean_ms().logarithmic(),
                    lines: over_number.collect(),
                }),
                Block::Plot(Plot::Lines {
                    caption: "Broad phase over the size of 500 objects (Figure 5.4)".to_string(),
                    x: Axis::new("size: m"),
                    y: mean_ms(),
                    lines: over_size.collect(),
                }),
                Block::Plot(Plot::Spreads {
                    caption: "Cycles of 500 objects".to_string(),
                    y: spread_ms().logarithmic(),
                    groups: SIZES.iter().map(|size| format!("{size} m")).collect(),
                    spreads,
                }),
                table("Mean ± standard deviation of a cycle, ms", columns, rows),
                heading("Ratio of narrow to broad phase"),
                table("Narrow phase by broad phase, sums of all cycles (Figure 5.7)", ratio_columns, ratios),
                text(
                    "Where the constant grid is wider than the cube (100 m and more) it reaches through the walls: what begins outside stays \
                     outside, so that the percentage of colliding objects does not go on rising.",
                ),
                rooms::note(),
            ],
        }
    }
}

fn points<const N: usize>(places: [(f64, Option<f64>); N]) -> Vec<(f64, f64)> {
    places.into_iter().filter_map(|(x, y)| Some((x, y?))).collect()
}
