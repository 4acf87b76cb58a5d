//! `threads`: what more threads gain, finder by finder and for a whole world, beside what a plain loop gains from them.
//!
//! All numbers of threads of a finder (or world), and of the loop, take turns on the same frames.

use anyhow::{Context, Result, ensure};
use jostle::{Execution, World, scenes};
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FindSettings, FinderEntry};

use super::figures::{finding, fixed, number, ratio, settled, spread_ms, table, text, threads, timed, times};
use super::spare_cores::judged;
use super::watching::go_on;
use crate::bench::chosen_finders;
use crate::bench::judge::Judge;
use crate::bench::run::Member;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::finders::AUTO_BY_WORK;
use crate::machine::{affordable_pairs, check_memory};
use crate::measure::Companion;
use crate::measure::calibration::Calibration;
use crate::numbers::{grouped, median};
use crate::report::{Axis, Block, Line, Plot, Report, Spread};
use crate::scene::Scene;
use crate::turns::turns;

pub(super) struct Threads;

const FINDERS: [&str; 6] = [AUTO_BY_WORK, "sweep", "bvh", "hgrid", "sap-simd", "tree"];
const BOXES: usize = 100_000;
const FULL_BOXES: usize = 1_000_000;
const FRAMES: u32 = 20;
const WORLD: &str = "world";
const BODIES: usize = 10_000;
const FULL_BODIES: usize = 50_000;
pub(super) const LOOP: &str = "loop";
/// The share of the loop's gain that is promised of finders from 100,000 boxes on.
const PROMISED: f64 = 0.85;

/// Powers of two, and all.
pub(super) fn counts(most: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|&c| c < most).collect();
    counts.push(most);
    counts
}

pub(super) fn who(name: &str, count: usize) -> String {
    format!("{name}, {}", threads(count))
}

pub(super) fn executors(options: &Options) -> Result<Vec<Executor>> {
    let made = counts(options.threads).into_iter().map(Executor::new).collect::<Result<Vec<_>, _>>();
    made.context("--threads: choose fewer")
}

pub(super) fn push_loops(samples: &mut Samples, loops: &[Calibration]) {
    for one in loops {
        for &time in one.milliseconds() {
            samples.push(&who(LOOP, one.threads()), "frame", Unit::Milliseconds, time);
        }
    }
}

/// Runs contestants in turns on the same boxes, verified, and the loops among them, each once a frame and in turns too.
pub(super) fn run_beside_loops(
    members: &mut [Member],
    loops: &mut [Calibration],
    boxes: usize,
    frames: u32,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<()> {
    run_part_beside_loops(members, loops, boxes, frames, seed, watch, 0.0..1.0)
}

/// The same, as a part of a cell's work.
pub(super) fn run_part_beside_loops(
    members: &mut [Member],
    loops: &mut [Calibration],
    boxes: usize,
    frames: u32,
    seed: u64,
    watch: &Watch<'_>,
    part: std::ops::Range<f64>,
) -> Result<()> {
    let mut scene = Scene::stream(StreamKind::Brownian, boxes, seed);
    let mut judge = Judge::new(true, boxes, frames);
    for frame in 0..frames {
        go_on(watch, part.start + (part.end - part.start) * f64::from(frame) / f64::from(frames))?;
        if frame > 0 {
            scene.advance()?;
        }
        for index in turns(members.len(), frame) {
            members[index].step(&scene, frame)?;
            if let Some(one) = loops.get_mut(index) {
                one.step();
            }
        }
        judge.look(frame, members);
        if let Some(trouble) = members.iter().find_map(|member| member.trouble.clone()) {
            return Err(Disagreement(trouble).into());
        }
    }
    Ok(())
}

fn measure_finder(
    entry: &FinderEntry,
    n: usize,
    frames: u32,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let executors = executors(options)?;
    check_memory(n, 2 * executors.len())?;
    let member = |executor: &Executor| {
        let settings = FindSettings {
            executor: executor.clone(),
            changes: true,
            pair_limit: Some(affordable_pairs(executors.len())),
            ..FindSettings::default()
        };
        Member::new(entry.name.clone(), entry.make(), settings)
    };
    let mut members: Vec<Member> = executors.iter().map(member).collect();
    let mut loops: Vec<Calibration> =
        executors.iter().map(|executor| Calibration::new(executor.clone(), n)).collect();
    run_beside_loops(&mut members, &mut loops, n, frames, options.seed, watch)?;
    let mut samples = Samples::default();
    for (member, executor) in members.iter().zip(&executors) {
        for &time in member.milliseconds() {
            samples.push(&who(&entry.name, executor.threads()), "frame", Unit::Milliseconds, time);
        }
    }
    push_loops(&mut samples, &loops);
    Ok(samples)
}

fn measure_world(bodies: usize, frames: u32, options: &Options, watch: &Watch<'_>) -> Result<Samples> {
    let scene = (scenes::get("gas")?.make)(bodies, options.seed);
    let counts = counts(options.threads);
    let build = |&threads: &usize| scene.build(&Execution { threads, ..Execution::default() });
    let mut worlds = counts.iter().map(build).collect::<Result<Vec<World>, _>>()?;
    let mut loops: Vec<Calibration> = executors(options)?
        .into_iter()
        // About as much work as a frame of the world.
        .map(|executor| Calibration::new(executor, 10 * bodies))
        .collect();
    let mut samples = Samples::default();
    for frame in 0..frames {
        go_on(watch, f64::from(frame) / f64::from(frames))?;
        for index in turns(worlds.len(), frame) {
            let report = scene.step(&mut worlds[index])?;
            let time = report.total().as_secs_f64() * 1e3;
            samples.push(&who(WORLD, counts[index]), "frame", Unit::Milliseconds, time);
            loops[index].step();
        }
        let hash = worlds[0].state_hash();
        ensure!(
            worlds.iter().all(|world| world.state_hash() == hash),
            Disagreement(format!("worlds of other threads have other states after frame {frame}"))
        );
    }
    push_loops(&mut samples, &loops);
    Ok(samples)
}

/// What a contestant and the loop gain in a cell with so many threads. The first frame, in which memory is touched, is left out.
fn gains(results: &Results, cell: &str, count: usize) -> Option<(f64, f64)> {
    let later = |name: &str, count: usize| median(settled(results.values(cell, &who(name, count), "frame")));
    let gain = |name: &str| ratio(later(name, 1), later(name, count));
    gain(cell).zip(gain(LOOP))
}

impl Study for Threads {
    fn about(&self) -> About {
        About {
            name: "threads",
            about: "what more threads gain, for each finder and for a world, beside what a plain loop gains",
            source: "ours",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        ensure!(
            options.threads > 1,
            "--threads: one thread has nothing to be compared with; give at least 2"
        );
        let names = options.finders.clone().unwrap_or_else(|| FINDERS.map(str::to_string).to_vec());
        let n = if options.full { FULL_BOXES } else { BOXES };
        let bodies = if options.full { FULL_BODIES } else { BODIES };
        let frames = options.frames.unwrap_or(FRAMES);
        let mut cells = Vec::new();
        for entry in chosen_finders(catalog, &names)? {
            if let Some(limit) = entry.make().size_limit().filter(|limit| *limit < n) {
                eprintln!("jostle: {}: skipped: takes at most {} boxes", entry.name, grouped(limit as u64));
                continue;
            }
            cells.push(Cell {
                name: entry.name.clone(),
                work: n as f64,
                run: Box::new(move |watch| measure_finder(entry, n, frames, options, watch)),
            });
        }
        cells.push(Cell {
            name: WORLD.to_string(),
            work: 20.0 * bodies as f64,
            run: Box::new(move |watch| measure_world(bodies, 3 * frames, options, watch)),
        });
        Ok(cells)
    }

    fn report(&self, results: &Results) -> Report {
        let counts = counts(results.options.threads);
        let measured: Vec<&String> =
            results.planned.iter().filter(|cell| results.cells.contains_key(*cell)).collect();
        let mut rows = Vec::new();
        for cell in &measured {
            for &count in &counts {
                let later = |name: &str| median(settled(results.values(cell, &who(name, count), "frame")));
                let both = gains(results, cell, count);
                rows.push(vec![
                    cell.to_string(),
                    count.to_string(),
                    number(later(cell)),
                    times(both.map(|(own, _)| own)),
                    number(later(LOOP)),
                    times(both.map(|(_, of_loop)| of_loop)),
                    both.map_or("-".into(), |(own, of_loop)| format!("{:.0} %", 100.0 * own / of_loop)),
                ]);
            }
        }
        let columns = vec![
            fixed("what"),
            fixed("threads"),
            timed("median ms"),
            timed("gain"),
            timed("loop: median ms"),
            timed("loop: gain"),
            timed("of the loop's gain"),
        ];
        let most = results.options.threads;
        let lines = measured.iter().map(|cell| Line {
            name: cell.to_string(),
            points: counts
                .iter()
                .filter_map(|&count| {
                    let (own, of_loop) = gains(results, cell, count)?;
                    Some((count as f64, own / of_loop))
                })
                .collect(),
            fitted: false,
        });
        let spreads = counts.iter().map(|&count| Spread {
            name: threads(count),
            values: measured
                .iter()
                .map(|cell| settled(results.values(cell, &who(cell, count), "frame")).to_vec())
                .collect(),
        });
        let finders: Vec<(&str, f64)> = measured
            .iter()
            .filter(|cell| cell.as_str() != WORLD)
            .filter_map(|cell| {
                gains(results, cell, most).map(|(own, of_loop)| (cell.as_str(), own / of_loop))
            })
            .collect();
        let promise = |name: &str| {
            let (_, share) = *finders.iter().find(|(finder, _)| *finder == name)?;
            Some((format!("{:.0} % with {}", 100.0 * share, threads(most)), share >= PROMISED))
        };
        // The least any cell was given.
        let given = measured.iter().filter_map(|cell| gains(results, cell, most));
        let spare = given.map(|(_, of_loop)| of_loop).reduce(f64::min);
        let slower = (!finders.is_empty()).then(|| {
            let slow: Vec<String> = measured
                .iter()
                .filter(|cell| gains(results, cell, most).is_some_and(|(own, _)| own < 0.95))
                .map(|cell| cell.to_string())
                .collect();
            let said =
                if slow.is_empty() { "none is".to_string() } else { format!("slower: {}", slow.join(", ")) };
            (said, slow.is_empty())
        });
        Report {
            title: "Threads".to_string(),
            question: "How much faster are finders and worlds with more threads? The cores of a machine are rarely all one's own, so a \
                       plain loop without any shared data takes turns with them: what it gains is what the machine had to give."
                .to_string(),
            findings: vec![
                finding(
                    "Promised: from 100,000 boxes on `auto` gains at least 85 % of what the loop gains.",
                    promise(AUTO_BY_WORK),
                ),
                judged("Promised: nothing is slower with more threads (by more than the 5 % of the clock).", slower, spare),
            ],
            blocks: vec![
                table("Gain over one thread, by medians", columns, rows),
                Block::Plot(Plot::Lines {
                    caption: "Gain, as a part of the loop's gain, by medians".to_string(),
                    x: Axis::new("threads"),
                    y: Axis::new("gain / gain of the loop").timed(),
                    lines: lines.collect(),
                }),
                Block::Plot(Plot::Spreads {
                    caption: "Times of a frame".to_string(),
                    y: spread_ms(),
                    groups: measured.iter().map(|cell| cell.to_string()).collect(),
                    spreads: spreads.collect(),
                }),
                text(format!(
                    "Finders: the stream `brownian`, {} boxes, pairs verified. World: the scene `gas`, {} bodies; states of all numbers \
                     of threads are compared after every frame and are the same bits.",
                    grouped(if results.options.full { FULL_BOXES } else { BOXES } as u64),
                    grouped(if results.options.full { FULL_BODIES } else { BODIES } as u64),
                )),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(counts(2), [1, 2]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
        assert_eq!(counts(16), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn finders_worlds_and_the_loop_are_measured_for_every_number_of_threads() {
        let options = trial::options();
        let catalog = crate::finders::catalog();
        let sweep = catalog.get("sweep").unwrap();
        let finder = trial::run(|watch| measure_finder(sweep, 400, 3, &options, watch)).unwrap();
        let world = trial::run(|watch| measure_world(100, 3, &options, watch)).unwrap();
        let cells = [("sweep".to_string(), finder), (WORLD.to_string(), world)].into();
        let results = Results { options, planned: vec!["sweep".into(), WORLD.into()], cells };
        for cell in ["sweep", WORLD] {
            assert!(gains(&results, cell, 2).is_some(), "{cell}");
            assert_eq!(results.values(cell, "loop, 2 threads", "frame").len(), 3);
        }
    }
}
