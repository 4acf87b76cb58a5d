//! `002-collisions`: number and size of objects, and with them the number of collisions. Thirty benchmarks; the ratio of
//! narrow to broad phase is the thesis' experiment 'Collisions (Ratio)', which reuses the timings.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{
    change, finding, fixed, growth, heading, mean_ms, number, percent, spread_ms, table, text, timed,
};
use super::repeated::RUNS;
use super::rooms::{self, Benchmark, View, WORLD, mean_and_deviation};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Study};
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Spread};
use crate::scenes::{Distribution, ObjectType, Room};

pub(super) struct Collisions;

const CYCLES: u32 = 150;
pub(super) const COUNTS: [usize; 5] = [100, 200, 300, 400, 500];
pub(super) const SIZES: [u32; 6] = [25, 50, 75, 100, 125, 150];
/// Finders of the thesis with the growth of their broad phase it printed, in percent: from 100 to 500 objects of 25 m, and from
/// 25 to 150 m with 500 objects.
const PUBLISHED: [(&str, f64, f64); 3] =
    [("all-pairs", 1602.0, 25.0), ("sap", 567.0, -8.0), ("tree", 519.0, 76.0)];
/// The same of the narrow phase with SAP.
const PUBLISHED_NARROW: (f64, f64) = (637.0, 538.0);

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

/// Growth of a measure in percent.
#[derive(Clone, Copy)]
struct Growth {
    /// From 100 to 500 objects of 25 m.
    by_number: Option<f64>,
    /// From 25 to 150 m, 500 objects.
    by_size: Option<f64>,
}

impl Growth {
    fn of(measure: impl Fn(&str) -> Option<f64>) -> Self {
        let (few, many, large) = (measure(&cell(100, 25)), measure(&cell(500, 25)), measure(&cell(500, 150)));
        Self { by_number: growth(few, many), by_size: growth(many, large) }
    }
}

/// In how many of the thirty something holds, if all were measured.
fn everywhere_holds(of: impl Fn(&str) -> Option<bool>) -> Option<(String, bool)> {
    let held: Vec<bool> =
        everywhere().map(|(objects, size)| of(&cell(objects, size))).collect::<Option<_>>()?;
    let count = held.iter().filter(|held| **held).count();
    Some((format!("in {count} of {}", held.len()), count == held.len()))
}

/// Does the percentage of colliding objects rise with their size, for every number of objects?
fn rises_with_size(view: &View<'_>) -> Option<(String, bool)> {
    let mut rises = true;
    let mut ends = Vec::new();
    for objects in COUNTS {
        let shares: Vec<f64> =
            SIZES.iter().map(|&size| view.colliding(&cell(objects, size), objects)).collect::<Option<_>>()?;
        rises &= shares.windows(2).all(|two| two[0] < two[1]);
        ends.push(format!(
            "n = {objects}: {} to {}",
            percent(Some(shares[0])),
            percent(Some(shares[SIZES.len() - 1]))
        ));
    }
    Some((format!("from 25 to 150 m: {}", ends.join("; ")), rises))
}

/// Over the numbers of objects the percentage may differ by this factor and still count as about constant: with few objects
/// more of them are at the walls and fewer have neighbours on all sides.
const ABOUT_CONSTANT: f64 = 2.0;

fn constant_in_number(view: &View<'_>) -> Option<(String, bool)> {
    let mut worst: (f64, u32) = (1.0, 0);
    for size in SIZES {
        let shares: Vec<f64> = COUNTS
            .iter()
            .map(|&objects| view.colliding(&cell(objects, size), objects))
            .collect::<Option<_>>()?;
        let (least, most) = shares.iter().fold((f64::MAX, 0f64), |(a, b), &x| (a.min(x), b.max(x)));
        if most / least > worst.0 {
            worst = (most / least, size);
        }
    }
    let rise = |size: u32| view.colliding(&cell(500, size), 500);
    let by_size = super::figures::ratio(rise(150), rise(25))?;
    let said = format!(
        "over n it differs by {} at most (at {} m); over the size by {} at n = 500",
        super::figures::times(Some(worst.0)),
        worst.1,
        super::figures::times(Some(by_size))
    );
    Some((said, worst.0 < ABOUT_CONSTANT && worst.0 < by_size))
}

fn findings(view: &View<'_>) -> Vec<Finding> {
    let narrow = Growth::of(|cell| view.narrow(cell).map(|of| of.mean));
    let grown = |finder: &str| Growth::of(|cell| view.mean(cell, finder));
    let published = |which: fn(&(&str, f64, f64)) -> f64| {
        PUBLISHED
            .iter()
            .map(|row| format!("{} {}", row.0, change(Some(which(row)))))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let today = |which: fn(Growth) -> Option<f64>| -> Option<Vec<f64>> {
        PUBLISHED.iter().map(|(finder, ..)| which(grown(finder))).collect()
    };
    let said = |values: &[f64]| {
        let each = PUBLISHED
            .iter()
            .zip(values)
            .map(|((finder, ..), value)| format!("{finder} {}", change(Some(*value))));
        each.collect::<Vec<_>>().join(", ")
    };
    let order = |cell: &str| {
        let (sap, tree, all) =
            (view.mean(cell, "sap")?, view.mean(cell, "tree")?, view.mean(cell, "all-pairs")?);
        Some(sap < tree && tree < all)
    };
    let shares = |cell: &str| {
        let share = |finder: &str| view.broad_share(cell, finder);
        let (sap, tree, all) = (share("sap")?, share("tree")?, share("all-pairs")?);
        Some(all > tree && tree > sap)
    };
    let narrow_longer = |cell: &str| {
        let share = |finder: &str| view.broad_share(cell, finder);
        Some(share("sap")? < 0.5 && share("tree")? < 0.5 && share("all-pairs")? < 0.5)
    };
    vec![
        finding(
            "The percentage of potentially colliding objects rises with their size.",
            rises_with_size(view),
        ),
        finding(
            "It is about constant in the number of objects, because the density is (here: within a factor of 2, and less than over \
             the size).",
            constant_in_number(view),
        ),
        finding(
            format!(
                "Broad phase from 100 to 500 objects of 25 m: {}; all-pairs grows far more than the other two.",
                published(|row| row.1)
            ),
            today(|growth| growth.by_number)
                .map(|values| (said(&values), values[0] > 1.5 * values[1] && values[0] > 1.5 * values[2])),
        ),
        finding(
            format!(
                "Broad phase from 25 to 150 m, 500 objects: {}; size matters less than number, least for SAP.",
                published(|row| row.2)
            ),
            today(|growth| growth.by_size).zip(today(|growth| growth.by_number)).map(
                |(by_size, by_number)| {
                    let less = by_size.iter().zip(&by_number).all(|(size, number)| size < number);
                    (said(&by_size), less && by_size[1] < by_size[0] && by_size[1] < by_size[2])
                },
            ),
        ),
        finding(
            format!(
                "Narrow phase with SAP: {} from 100 to 500 objects, {} from 25 to 150 m: size matters far more than for the broad \
                 phase.",
                change(Some(PUBLISHED_NARROW.0)),
                change(Some(PUBLISHED_NARROW.1))
            ),
            narrow.by_number.zip(narrow.by_size).zip(grown("sap").by_size).map(
                |((by_number, by_size), broad)| {
                    let said = format!(
                        "{} by number, {} by size (sap's broad phase {})",
                        change(Some(by_number)),
                        change(Some(by_size)),
                        change(Some(broad))
                    );
                    (said, by_size > 100.0 && by_size > 2.0 * broad)
                },
            ),
        ),
        finding("Broad phase: SAP is fastest, then DBVT, then all-pairs.", everywhere_holds(order)),
        finding(
            "Ratio: the narrow phase takes longer than the broad phase, for every algorithm and benchmark.",
            everywhere_holds(narrow_longer),
        ),
        finding(
            "Ratio: the part of the broad phase is largest with all-pairs, then DBVT, then SAP.",
            everywhere_holds(shares),
        ),
    ]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;
    use crate::scenes::Location;
    use crate::studies::trial;

    /// Row 15 of the digest.
    #[test]
    fn there_are_exactly_the_30_benchmarks_of_the_thesis() {
        let list = benchmarks();
        assert_eq!(list.len(), 30);
        for objects in COUNTS {
            for size in SIZES {
                let benchmark = list.iter().find(|benchmark| benchmark.cell == cell(objects, size)).unwrap();
                let room = &benchmark.room;
                assert_eq!((room.objects, room.size), (objects, Distribution::Constant([f64::from(size)])));
                assert_eq!((room.kind, room.location), (ObjectType::Uniform, Location::Constant));
                assert_eq!(room.acceleration, Distribution::Constant([0.0; 3]));
                assert_eq!(room.linear_velocity, Distribution::Uniform([-25.0; 3], [25.0; 3]));
                assert_eq!(room.angular_velocity, Distribution::Uniform([-2.5; 3], [2.5; 3]));
                assert_eq!((room.mass, room.aspect), (Room::default().mass, Room::default().aspect));
            }
        }
        assert_eq!((COUNTS, SIZES), ([100, 200, 300, 400, 500], [25, 50, 75, 100, 125, 150]));
    }

    /// Row 15 of the digest, the part that does not depend on the clock. A contest fails where pairs are wrong.
    #[test]
    fn more_objects_collide_the_larger_they_are_and_number_matters_less() {
        let options = Options { frames: Some(8), ..trial::options() };
        let catalog = crate::finders::catalog();
        let sizes = [25, 75, 150];
        let wanted = |name: &str| {
            [100, 300].iter().any(|&objects| sizes.iter().any(|&size| cell(objects, size) == name))
        };
        let results = trial::run_cells(&Collisions, &options, &catalog, wanted);
        let view = View { results: &results };
        for objects in [100, 300] {
            let shares = sizes.map(|size| view.colliding(&cell(objects, size), objects).unwrap());
            assert!(shares[0] < shares[1] && shares[1] < shares[2], "{objects}: {shares:?}");
        }
        // Over the number of objects it differs less than over their size.
        let share = |objects: usize, size: u32| view.colliding(&cell(objects, size), objects).unwrap();
        for size in [75, 150] {
            let (few, many) = (share(100, size), share(300, size));
            let by_number = (few / many).max(many / few);
            assert!(by_number < ABOUT_CONSTANT, "{size} m: {few} and {many}");
            assert!(by_number < share(300, 150) / share(300, 25), "{size} m: {few} and {many}");
        }
        for name in results.cells.keys() {
            let pairs = |finder: &str| results.values(name, finder, "pairs");
            assert_eq!(pairs("all-pairs").len(), 8);
            for finder in ["sap", "tree", crate::finders::AUTO_BY_WORK] {
                assert_eq!(pairs(finder), pairs("all-pairs"), "{name}: {finder}");
            }
        }
    }

    fn made_up(times: impl Fn(&str, usize, u32) -> f64) -> Vec<Finding> {
        let mut series = Vec::new();
        for (objects, size) in everywhere() {
            for (who, measure) in [
                ("all-pairs", "broad"),
                ("sap", "broad"),
                ("tree", "broad"),
                (WORLD, "colliding"),
                (WORLD, "narrow"),
            ] {
                let who_or_share = if measure == "colliding" { measure } else { who };
                let values = vec![times(who_or_share, objects, size); 3];
                series.push((cell(objects, size), who.to_string(), measure, values));
            }
        }
        findings(&View { results: &trial::made_up(series) })
    }

    #[test]
    fn verdicts_follow_from_the_samples() {
        // Growth as printed, and between it a straight line.
        let grown = |start: f64, by_number: f64, by_size: f64, objects: usize, size: u32| {
            let number = 1.0 + by_number / 100.0 * (objects as f64 - 100.0) / 400.0;
            start * number * (1.0 + by_size / 100.0 * (f64::from(size) - 25.0) / 125.0)
        };
        let thesis = made_up(|who, objects, size| match who {
            "all-pairs" => grown(1.0, 1602.0, 25.0, objects, size),
            "sap" => grown(0.3, 567.0, -8.0, objects, size),
            "tree" => grown(0.4, 519.0, 76.0, objects, size),
            "colliding" => objects as f64 * f64::from(size) / 200.0,
            _ => grown(100.0, 637.0, 538.0, objects, size),
        });
        for finding in &thesis {
            assert_eq!(finding.verdict, Verdict::Agrees, "{}: {}", finding.claim, finding.found);
        }
        assert_eq!(thesis[2].found, "all-pairs +1602 %, sap +567 %, tree +519 %");
        assert_eq!(thesis[3].found, "all-pairs +25 %, sap -8 %, tree +76 %");
        // All finders alike, number and size without effect.
        for finding in made_up(|who, _, _| if who == WORLD { 1.0 } else { 10.0 }) {
            assert_eq!(finding.verdict, Verdict::Differs, "{}: {}", finding.claim, finding.found);
        }
    }
}
