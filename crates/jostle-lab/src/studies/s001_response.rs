//! `001-response`: detection and response together, on one thread and on all.
//!
//! Worlds of the same bodies, differing in threads and finder, take turns frame by frame. Their states must be the same bits.

use anyhow::{Result, ensure};
use jostle::scenes::{self, Scene};
use jostle::{Execution, STAGES, World};
use jostle_broad::Catalog;

use super::figures::{each_ms, fixed, heading, number, ratio, stage_bars, table, threads, timed, times};
use super::spare_cores::{self, judged};
use super::watching::go_on;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::numbers::{grouped, median, percentile};
use crate::report::{Axis, Block, Line, Plot, Report};
use crate::turns::turns;

pub(super) struct Response;

const BODIES: usize = 10_000;
/// Boxes are poured into a pit: they fall, land and pile up.
const SCENE: &str = "pit";
const FRAMES: u32 = 150;
const FULL_FRAMES: u32 = 600;
const CELL: &str = "worlds";
/// The source tests all pairs; `auto` is what one would use.
const FINDERS: [&str; 2] = ["all-pairs", "auto"];
/// Published: milliseconds on one core and on four.
const PUBLISHED: (f64, f64) = (4968.0, 1391.0);
/// States are compared after so many frames.
const COMPARED_EVERY: u32 = 10;

fn who(finder: &str, count: usize) -> String {
    format!("{finder}, {}", threads(count))
}

/// One thread, and all.
fn counts(options: &Options) -> Vec<usize> {
    if options.threads > 1 { vec![1, options.threads] } else { vec![1] }
}

fn measure(options: &Options, bodies: usize, frames: u32, watch: &Watch<'_>) -> Result<Samples> {
    let scene: Scene = (scenes::get(SCENE)?.make)(bodies, options.seed);
    let mut worlds: Vec<(String, World)> = Vec::new();
    for finder in FINDERS {
        for count in counts(options) {
            let execution = Execution { threads: count, finder: finder.to_string(), ..Execution::default() };
            worlds.push((who(finder, count), scene.build(&execution)?));
        }
    }
    let mut samples = Samples::default();
    for frame in 0..frames {
        go_on(watch, f64::from(frame) / f64::from(frames))?;
        for index in turns(worlds.len(), frame) {
            let (who, world) = &mut worlds[index];
            let report = scene.step(world)?;
            samples.push(who, "frame", Unit::Milliseconds, report.total().as_secs_f64() * 1e3);
            for (stage, time) in report.stages() {
                samples.push(who, &format!("stage:{stage}"), Unit::Milliseconds, time.as_secs_f64() * 1e3);
            }
            samples.push(who, "pairs", Unit::Count, report.pairs as f64);
            samples.push(who, "contacts", Unit::Count, report.manifolds as f64);
        }
        if frame % COMPARED_EVERY == 0 || frame + 1 == frames {
            let hash = worlds[0].1.state_hash();
            for (who, world) in &worlds[1..] {
                ensure!(
                    world.state_hash() == hash,
                    Disagreement(format!("{who}: another state than {} after frame {frame}", worlds[0].0))
                );
            }
        }
    }
    spare_cores::measure(options, &mut samples)?;
    Ok(samples)
}

impl Study for Response {
    fn about(&self) -> About {
        About {
            name: "001-response",
            about: "detection and response of 10,000 bodies on one thread and on all, stage by stage",
            source: "Parallel techniques for collision detection, Figure 4.13",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
        let run = move |watch: &Watch<'_>| measure(options, BODIES, frames, watch);
        Ok(vec![Cell { name: CELL.to_string(), work: 1.0, run: Box::new(run) }])
    }

    fn report(&self, results: &Results) -> Report {
        let counts = counts(&results.options);
        let all: Vec<String> =
            FINDERS.iter().flat_map(|finder| counts.iter().map(move |&count| who(finder, count))).collect();
        let middle = |who: &str, measure: &str| median(results.values(CELL, who, measure));
        let most = results.options.threads;
        let gain = |finder: &str| {
            ratio(middle(&who(finder, 1), "frame"), middle(&who(finder, most), "frame")).filter(|_| most > 1)
        };
        let rows = all.iter().map(|who| {
            vec![
                who.clone(),
                number(middle(who, "pairs")),
                number(middle(who, "contacts")),
                number(middle(who, "frame")),
                number(percentile(results.values(CELL, who, "frame"), 0.99)),
            ]
        });
        let columns = vec![
            fixed("world"),
            fixed("pairs, median"),
            fixed("contacts, median"),
            timed("median ms a frame"),
            timed("p99 ms"),
        ];
        let mut stage_columns = vec![fixed("stage")];
        stage_columns.extend(all.iter().map(|who| timed(format!("{who}: ms"))));
        stage_columns
            .extend(FINDERS.iter().filter(|_| most > 1).map(|finder| timed(format!("{finder}: gain"))));
        let stage_rows = STAGES.iter().map(|stage| {
            let measure = format!("stage:{stage}");
            let mut row = vec![(*stage).to_string()];
            row.extend(all.iter().map(|who| number(middle(who, &measure))));
            row.extend(FINDERS.iter().filter(|_| most > 1).map(|finder| {
                times(ratio(middle(&who(finder, 1), &measure), middle(&who(finder, most), &measure)))
            }));
            row
        });
        let lines = all.iter().map(|who| Line {
            name: who.clone(),
            points: (1..).map(f64::from).zip(results.values(CELL, who, "frame").iter().copied()).collect(),
            fitted: false,
        });
        let measured = results.cells.get(CELL).cloned().unwrap_or_default();
        let spare = spare_cores::gain(results, CELL);
        let published = PUBLISHED.0 / PUBLISHED.1;
        // A fifth less than the source gained from each core.
        let least = 0.8 * published / 4.0 * most as f64;
        let found = |finder: &'static str| {
            gain(finder).map(|gain| {
                (format!("{finder}: {} with {}", times(Some(gain)), threads(most)), gain >= least)
            })
        };
        let source_rows = [("one core", PUBLISHED.0, 1), ("four cores", PUBLISHED.1, most)].into_iter().map(
            |(cores, published, count)| {
                let now = middle(&who("all-pairs", count), "frame");
                vec![cores.to_string(), number(Some(published)), threads(count), number(now)]
            },
        );
        let source_columns =
            vec![fixed("source"), fixed("source: ms"), fixed("here"), timed("here: median ms")];
        Report {
            title: "Detection and response".to_string(),
            question: format!(
                "{} boxes fall into a pit and pile up. What does a frame cost, detection and response together, on one thread and \
                 on all, and which stage gains how much? The source tested all pairs of 10,000 objects: 4968 ms on one core, \
                 1391 ms on four ({}). The states of all worlds are compared every {COMPARED_EVERY} frames: they are the same \
                 bits. Times are medians.",
                grouped(BODIES as u64),
                times(Some(published)),
            ),
            findings: vec![
                judged(
                    "Detection and response gain from more cores: 3.57 times on four, which is 0.89 a core (here: 0.71 a thread at least, \
                     a fifth less).",
                    found("all-pairs"),
                    spare,
                ),
                judged(
                    "The same with the finder one would use today, by the same bar.",
                    found("auto"),
                    spare,
                ),
            ],
            blocks: vec![
                table("Whole frames", columns, rows.collect()),
                table(
                    "A frame of 10,000 objects with all pairs tested",
                    source_columns,
                    source_rows.collect(),
                ),
                Block::Plot(Plot::Lines {
                    caption: "Every frame: the boxes fall, land and pile up".to_string(),
                    x: Axis::new("frame"),
                    y: each_ms(),
                    lines: lines.collect(),
                }),
                heading("Stages"),
                stage_bars("Time of a frame by stage, medians without the first frame", &measured, &all),
                table("Milliseconds of each stage, medians", stage_columns, stage_rows.collect()),
            ],
        }
    }
}
