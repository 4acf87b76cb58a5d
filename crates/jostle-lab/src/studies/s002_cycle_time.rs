//! `002-cycle-time`: broad and narrow phase of every cycle of the standard benchmark.

use anyhow::Result;
use jostle_broad::Catalog;

use super::figures::{
    each_ms, finding, fixed, heading, number, open, percent, settled, spread_ms, table, text, timed, times,
};
use super::repeated::RUNS;
use super::rooms::{self, Benchmark, View, WORLD, mean_and_deviation};
use crate::experiment::{About, Cell, Options, Results, SceneFile, Statistics, Study};
use crate::report::{Axis, Block, Finding, Line, Plot, Report, Spread};
use crate::scenes::Room;

pub(super) struct CycleTime;

const CELL: &str = "standard-500";
const OBJECTS: usize = 500;
const CYCLES: u32 = 1000;
/// Cycles that count as start-up: a twentieth of all, as one sees in Figure 5.1.
const START_UP: f64 = 0.05;

/// With fewer cycles nothing is said of how they go.
const LEAST_CYCLES: usize = 40;

pub(super) fn standard() -> Benchmark {
    Benchmark {
        cell: CELL.to_string(),
        about: "standard benchmark".to_string(),
        room: Room::standard(OBJECTS),
    }
}

/// How much a series varies: its standard deviation by its mean.
fn variation(of: &Statistics) -> f64 {
    of.sd / of.mean
}

/// The findings on Figure 5.1, in the order of the thesis.
fn findings(view: &View<'_>) -> Vec<Finding> {
    let broad = |finder: &str| view.broad(CELL, finder);
    let (all_pairs, sap, tree) = (broad("all-pairs"), broad("sap"), broad("tree"));
    let values = |finder: &str| view.results.values(CELL, finder, "broad");
    let ms = |value: f64| format!("{} ms", number(Some(value)));
    let percent_of = |value: f64| percent(Some(value));
    let start_up = |values: &[f64]| {
        let (first, later) =
            values.split_at(((values.len() as f64 * START_UP).ceil() as usize).min(values.len()));
        let peak = first.iter().copied().reduce(f64::max)?;
        Some((peak, Statistics::of(later)?.mean))
    };
    let drift = |values: &[f64]| {
        let quarter = values.len() / 4;
        let mean = |part: &[f64]| Statistics::of(part).map(|of| of.mean);
        Some((mean(values.get(quarter..2 * quarter)?)?, mean(values.get(3 * quarter..)?)?))
    };
    let cycles = values("all-pairs").len().max(values("sap").len()).max(values("tree").len());
    let told = |claim: &str, found: Option<(String, bool)>| match found {
        Some((found, _)) if cycles < LEAST_CYCLES => open(
            claim,
            format!("{found}. But {cycles} cycles are too few to judge; {LEAST_CYCLES} are enough."),
        ),
        found => finding(claim, found),
    };
    vec![
        told(
            "All-pairs varies much from cycle to cycle, because its test of a pair ends early where the boxes are far apart; SAP \
             varies least.",
            all_pairs.as_ref().zip(sap.as_ref()).map(|(all_pairs, sap)| {
                let (a, b) = (variation(all_pairs), variation(sap));
                let said = format!(
                    "standard deviation of all-pairs {} of its mean, of sap {}",
                    percent_of(a),
                    percent_of(b)
                );
                (said, a > b)
            }),
        ),
        told(
            "All-pairs rises slowly over the run, as collisions become more.",
            drift(values("all-pairs")).map(|(early, late)| {
                (format!("second quarter {}, last quarter {}", ms(early), ms(late)), late > 1.02 * early)
            }),
        ),
        told(
            "With all-pairs the narrow phase takes considerably less time than the broad phase.",
            all_pairs.as_ref().zip(view.narrow(CELL)).map(|(broad, narrow)| {
                let said = format!("broad {}, narrow {} a cycle", ms(broad.mean), ms(narrow.mean));
                (said, narrow.mean < 0.5 * broad.mean)
            }),
        ),
        told(
            "SAP is much faster than all-pairs, in every cycle (here: but the first, in which it sorts everything).",
            (!values("sap").is_empty() && !values("all-pairs").is_empty()).then(|| {
                let both = settled(values("sap")).iter().zip(settled(values("all-pairs")));
                let faster = both.filter(|(sap, all_pairs)| sap < all_pairs).count();
                let said = format!(
                    "faster in {faster} of {} cycles; means {} and {}",
                    settled(values("sap")).len(),
                    ms(sap.as_ref().map_or(0.0, |of| of.mean)),
                    ms(all_pairs.as_ref().map_or(0.0, |of| of.mean)),
                );
                (said, faster == settled(values("sap")).len())
            }),
        ),
        told(
            "SAP is almost constant over the cycles (here: 99 of 100 take less than 1.5 times the mean).",
            sap.as_ref().map(|of| {
                (
                    format!("99 of 100 cycles take up to {} the mean", times(Some(of.p99 / of.mean))),
                    of.p99 < 1.5 * of.mean,
                )
            }),
        ),
        told(
            "DBVT takes slightly longer than SAP on average.",
            tree.as_ref().zip(sap.as_ref()).map(|(tree, sap)| {
                let slower = tree.mean / sap.mean;
                let said = format!("tree {}, sap {}: {}", ms(tree.mean), ms(sap.mean), times(Some(slower)));
                (said, (1.0..1.5).contains(&slower))
            }),
        ),
        told(
            "The longest cycle of DBVT is shorter than that of SAP.",
            tree.as_ref().zip(sap.as_ref()).map(|(tree, sap)| {
                (format!("tree {}, sap {}", ms(tree.max), ms(sap.max)), tree.max < sap.max)
            }),
        ),
        told(
            "DBVT has peaks at the start, while its trees are built.",
            start_up(values("tree")).map(|(peak, later)| {
                (
                    format!("peak {}, later {}: {}", ms(peak), ms(later), times(Some(peak / later))),
                    peak > 1.5 * later,
                )
            }),
        ),
        open(
            "With DBVT the narrow phase has a peak at the start, because it is given more pairs than collide.",
            "cannot be seen here: all finders give exactly the pairs of boxes that overlap, so there is one narrow phase for all \
             and none of DBVT's own",
        ),
        told(
            "Use SAP: it is the fastest of the three.",
            all_pairs.as_ref().zip(sap.as_ref()).zip(tree.as_ref()).map(|((all_pairs, sap), tree)| {
                let said = format!(
                    "means: all-pairs {}, sap {}, tree {}",
                    ms(all_pairs.mean),
                    ms(sap.mean),
                    ms(tree.mean)
                );
                (said, sap.mean < all_pairs.mean && sap.mean < tree.mean)
            }),
        ),
    ]
}

impl Study for CycleTime {
    fn about(&self) -> About {
        About {
            name: "002-cycle-time",
            about: "broad and narrow phase of every cycle of the standard benchmark, 500 objects",
            source: "Woulfe's thesis, Figure 5.1",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        Ok(rooms::cells(vec![standard()], CYCLES, options, catalog))
    }

    fn scenes(&self, options: &Options) -> Result<Vec<SceneFile>> {
        rooms::scenes(vec![standard()], CYCLES, options)
    }

    fn report(&self, results: &Results) -> Report {
        let view = View { results };
        let finders = rooms::finders(&results.options);
        let numbered = |values: &[f64]| (1..).map(f64::from).zip(values.iter().copied()).collect::<Vec<_>>();
        let series = |finder: &str| results.values(CELL, finder, "broad");
        let lines = |most: usize| {
            let broad = finders.iter().map(|finder| (finder.clone(), series(finder)));
            let narrow = [("narrow phase".to_string(), results.values(CELL, WORLD, "narrow"))];
            broad
                .chain(narrow)
                .map(|(name, values)| Line {
                    name,
                    points: numbered(&values[..values.len().min(most)]),
                    fitted: false,
                })
                .collect::<Vec<_>>()
        };
        let plot = |caption: &str, most: usize| {
            Block::Plot(Plot::Lines {
                caption: caption.to_string(),
                x: Axis::new("cycle"),
                y: each_ms().logarithmic(),
                lines: lines(most),
            })
        };
        let row = |name: &str, of: Option<Statistics>| {
            let get = |value: fn(&Statistics) -> f64| number(of.as_ref().map(value));
            vec![
                name.to_string(),
                mean_and_deviation(of.as_ref()),
                get(|of| of.min),
                get(|of| of.median),
                get(|of| of.p99),
                get(|of| of.max),
                get(|of| of.total),
            ]
        };
        let columns = |first: &str| {
            let mut columns = vec![fixed(first)];
            columns.extend(["mean ± SD: ms", "min", "median", "p99", "max", "all cycles"].map(timed));
            columns
        };
        let mut broad_columns = columns("broad phase");
        broad_columns.push(timed("of detection"));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for finder in &finders {
            let mut cells = row(finder, view.broad(CELL, finder));
            cells.push(percent(view.broad_share(CELL, finder)));
            rows.push(cells);
        }
        let mut detection = vec![row("narrow phase alone", view.narrow(CELL))];
        detection.extend(finders.iter().map(|finder| row(finder, view.total(CELL, finder))));
        let pairs = finders.first().map(|finder| numbered(results.values(CELL, finder, "pairs")));
        Report {
            title: "Cycle execution time".to_string(),
            question: format!(
                "How do broad and narrow phase behave from cycle to cycle? The thesis' standard benchmark: {OBJECTS} objects of all types, \
                 25 to 50 m large, moving and turning without gravity in a cube of {:.2} m with six walls; {} cycles (the thesis ran {}). \
                 Every finder gets the same boxes, its pairs are compared with brute force in every cycle, and the time of a cycle is \
                 the least of {RUNS} equal runs, of both phases. The narrow phase is that of the world which bakes the paths; the total of \
                 a cycle is broad and narrow phase.",
                standard().room.side(),
                rooms::cycles(&results.options, CYCLES),
                rooms::SOURCE_CYCLES,
            ),
            findings: findings(&view),
            blocks: vec![
                plot("Every cycle (Figure 5.1)", usize::MAX),
                plot("The first 50 cycles", 50),
                Block::Plot(Plot::Spreads {
                    caption: "How the times of a cycle spread".to_string(),
                    y: spread_ms().logarithmic(),
                    groups: finders.clone(),
                    spreads: vec![Spread {
                        name: "broad phase".to_string(),
                        values: finders.iter().map(|finder| series(finder).to_vec()).collect(),
                    }],
                }),
                table("Broad phase", broad_columns, rows),
                table("Collision detection: broad and narrow phase of a cycle", columns("total"), detection),
                heading("Pairs"),
                Block::Plot(Plot::Lines {
                    caption: "Pairs and contacts of every cycle".to_string(),
                    x: Axis::new("cycle"),
                    y: Axis::new("count"),
                    lines: vec![
                        Line {
                            name: "pairs of boxes".to_string(),
                            points: pairs.unwrap_or_default(),
                            fitted: false,
                        },
                        Line {
                            name: "contacts".to_string(),
                            points: numbered(results.values(CELL, WORLD, "contacts")),
                            fitted: false,
                        },
                    ],
                }),
                text(
                    "The thesis printed no numbers with this figure: what it says in words is held against the samples above. Its \
                     all-pairs and its trees are other programs than ours: all-pairs tests many boxes with one instruction, so that \
                     no test ends early, and our tree keeps its candidates from cycle to cycle.",
                ),
                rooms::note(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;
    use crate::scenes::{Distribution, Location, ObjectType};
    use crate::studies::rooms::FINDERS;
    use crate::studies::trial;

    #[test]
    fn the_standard_benchmark_is_that_of_the_thesis() {
        let room = standard().room;
        assert_eq!((room.objects, room.kind, room.location), (500, ObjectType::Uniform, Location::Uniform));
        assert_eq!(room.size, Distribution::Uniform([25.0], [50.0]));
        assert_eq!(room.acceleration, Distribution::Constant([0.0; 3]));
        assert_eq!(room.linear_velocity, Distribution::Uniform([-25.0; 3], [25.0; 3]));
        assert_eq!(room.angular_velocity, Distribution::Uniform([-2.5; 3], [2.5; 3]));
        assert_eq!((room.mass, room.aspect), (Room::default().mass, Room::default().aspect));
    }

    /// Rows 9 and 13 of the digest, the parts that do not depend on the clock. A contest fails where pairs are wrong.
    #[test]
    fn all_finders_give_the_same_pairs_and_two_runs_are_the_same_but_for_times() {
        let options = Options { frames: Some(6), ..trial::options() };
        let catalog = crate::finders::catalog();
        let run = || trial::run_cells(&CycleTime, &options, &catalog, |_| true);
        let (results, again) = (run(), run());
        assert_eq!(results.values(CELL, WORLD, "narrow").len(), 6);
        for finder in FINDERS {
            assert_eq!(results.values(CELL, finder, "broad").len(), 6, "{finder}");
            let pairs = results.values(CELL, finder, "pairs");
            assert_eq!(pairs, results.values(CELL, "all-pairs", "pairs"), "{finder}");
            assert_eq!(pairs, again.values(CELL, finder, "pairs"), "{finder}");
            assert_eq!(
                results.values(CELL, finder, "tests"),
                again.values(CELL, finder, "tests"),
                "{finder}"
            );
        }
        assert_eq!(results.values(CELL, WORLD, "contacts"), again.values(CELL, WORLD, "contacts"));
    }

    #[test]
    fn verdicts_follow_from_the_samples() {
        let series_of = |cycles: usize, of: &dyn Fn(&str, usize) -> f64| {
            let of_one = |who: &str, measure: &'static str| {
                let values = (0..cycles).map(|cycle| of(who, cycle)).collect::<Vec<f64>>();
                (CELL.to_string(), who.to_string(), measure, values)
            };
            let broad = ["all-pairs", "sap", "tree"].map(|who| of_one(who, "broad"));
            let results = trial::made_up(broad.into_iter().chain([of_one(WORLD, "narrow")]));
            findings(&View { results: &results })
        };
        let series = |of: &dyn Fn(&str, usize) -> f64| series_of(100, of);
        let judged = |findings: Vec<Finding>, verdict: Verdict| {
            for finding in findings {
                let expected =
                    if finding.claim.starts_with("With DBVT the narrow") { Verdict::Open } else { verdict };
                assert_eq!(finding.verdict, expected, "{}: {}", finding.claim, finding.found);
            }
        };
        for cycles in [1, 2, LEAST_CYCLES - 1] {
            judged(series_of(cycles, &|_, _| 1.0), Verdict::Open);
        }
        let thesis = series(&|who, cycle| match (who, cycle) {
            ("all-pairs", 0) => 5.0,
            ("all-pairs", _) => 10.0 + 0.05 * cycle as f64 + (cycle % 3) as f64,
            ("sap", 50) => 3.2,
            ("sap", _) => 1.7,
            ("tree", 0..3) => 3.0,
            ("tree", _) => 1.8,
            (_, 1) => 0.5,
            _ => 0.1,
        });
        judged(thesis, Verdict::Agrees);
        let other = series(&|who, cycle| match who {
            "all-pairs" => 0.1,
            WORLD => 0.1,
            "tree" => 2.0,
            _ => 0.3 + (cycle % 2) as f64,
        });
        judged(other, Verdict::Differs);
    }
}
