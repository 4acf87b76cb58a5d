//! `003-gpu-cpu`: the grid and our finders on the GPU and on the CPU with 1, 2, 4, ... all threads, over the number of objects.
//!
//! Everyone, and a plain loop with each number of threads, takes turns on the same frames. Times are from boxes on the host to
//! pairs on the host: what a GPU takes for transfers is inside. A GPU that waits for twenty others lowers its clock, so `gpu` and
//! `auto` on all threads also take turns alone: that is what tells the crossover.

use anyhow::Result;
use jostle_broad::{Catalog, Executor, FindSettings};

use super::figures::{finding, fixed, median_ms, number, ratio, settled, table, text, timed, times};
use super::s003::{self, REAL_TIME, adapter_for};
use super::spare_cores::judged;
use super::threads::{LOOP, counts, executors, push_loops, run_part_beside_loops, who};
use crate::bench::run::Member;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::finders::AUTO_BY_WORK;
use crate::gpu::{finder, is_gpu_finder};
use crate::machine::{affordable_pairs, check_memory};
use crate::measure::calibration::Calibration;
use crate::numbers::{grouped, median};
use crate::report::{Axis, Block, Finding, Line, Plot, Report};

pub(super) struct GpuCpu;

/// The source's grid on the CPU and on the GPU; ours that chooses, and ours on the GPU; the co-processor.
const GRID: &str = "hgrid-cells";
const GPU_GRID: &str = "gpu-hgrid";
const GPU: &str = "gpu";
const GPU_CELLS: &str = "gpu-cells";
const FINDERS: [&str; 5] = [GRID, AUTO_BY_WORK, GPU_GRID, GPU, GPU_CELLS];
/// The two that also take turns alone.
const GPU_ALONE: &str = "gpu, with auto alone";
const AUTO_ALONE: &str = "auto-work, with gpu alone";
const SIZES: [usize; 5] = [5_000, 10_000, 30_000, 100_000, 1_000_000];
/// Where there is no GPU, or one that is a CPU in disguise.
const SMALL_SIZES: [usize; 3] = [1_000, 5_000, 30_000];
const FULL_SIZES: [usize; 9] = [5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 100_000, 300_000, 1_000_000];
const FRAMES: u32 = 10;
/// Its partition is one thread's work: it is no rival for scenes beyond this.
const MOST_FOR_CELLS: usize = 100_000;
/// Scenes from which on a share of the loop's gain is expected of `auto`, and that share.
const LARGE: usize = 100_000;
const EXPECTED: f64 = 0.7;
/// The stages of a frame that `auto` may have here.
const STAGES: [&str; 6] = ["store", "fetch", "cross", "deal", "sweep", "order"];
/// The most objects at which the GPU may still be slower than all cores.
const CROSSOVER: usize = 1_000_000;

fn sizes(options: &Options) -> &'static [usize] {
    let is_gpu = options.adapter.as_ref().is_some_and(|adapter| !adapter.is_software());
    match (options.full, is_gpu) {
        (true, _) => &FULL_SIZES,
        (false, true) => &SIZES,
        (false, false) => &SMALL_SIZES,
    }
}

fn cell_name(objects: usize) -> String {
    format!("{objects}-objects")
}

/// Finders of a scene, as far as they are for it.
fn finders(options: &Options, objects: usize) -> Vec<String> {
    let fits = |name: &&&str| {
        !is_gpu_finder(name)
            || adapter_for(options, objects).is_some() && (**name != GPU_CELLS || objects <= MOST_FOR_CELLS)
    };
    FINDERS.iter().filter(fits).map(|name| name.to_string()).collect()
}

fn measure(objects: usize, options: &Options, catalog: &Catalog, watch: &Watch<'_>) -> Result<Samples> {
    let frames = options.frames.unwrap_or(FRAMES);
    let executors = executors(options)?;
    let names = finders(options, objects);
    check_memory(objects, (names.len() + 1) * executors.len())?;
    let pair_limit = Some(affordable_pairs(names.len() * executors.len()));
    let settings = |executor: &Executor| FindSettings {
        executor: executor.clone(),
        changes: true,
        pair_limit,
        ..FindSettings::default()
    };
    let mut members = Vec::new();
    for name in &names {
        let entry = finder(catalog, name)?;
        if is_gpu_finder(name) {
            // The host's threads help with uploads.
            let all = executors.last().expect("at least one");
            members.push(Member::new(name.clone(), entry.make(), settings(all)));
            continue;
        }
        members.extend(
            executors
                .iter()
                .map(|executor| Member::new(who(name, executor.threads()), entry.make(), settings(executor))),
        );
    }
    let mut loops: Vec<Calibration> =
        executors.iter().map(|executor| Calibration::new(executor.clone(), objects)).collect();
    run_part_beside_loops(&mut members, &mut loops, objects, frames, options.seed, watch, 0.0..0.8)?;
    let mut alone = Vec::new();
    if names.iter().any(|name| name == GPU) {
        let all = executors.last().expect("at least one");
        for (name, finder_name) in [(AUTO_ALONE, AUTO_BY_WORK), (GPU_ALONE, GPU)] {
            let made = finder(catalog, finder_name)?.make();
            alone.push(Member::new(name.to_string(), made, settings(all)));
        }
        // It takes some frames until the clock is up.
        let frames = 2 * frames;
        run_part_beside_loops(&mut alone, &mut [], objects, frames, options.seed, watch, 0.8..1.0)?;
    }
    let mut samples = Samples::default();
    for member in members.iter().chain(&alone) {
        for &time in member.milliseconds() {
            samples.push(&member.name, "frame", Unit::Milliseconds, time);
        }
        samples.push(&member.name, "pairs", Unit::Count, member.finder.pairs().len() as f64);
        if member.name.starts_with(AUTO_BY_WORK) {
            for (stage, times) in member.stages() {
                times.iter().for_each(|&time| samples.push(&member.name, stage, Unit::Milliseconds, time));
            }
        }
    }
    push_loops(&mut samples, &loops);
    Ok(samples)
}

/// The median time of a contestant, the first frame apart.
fn time(results: &Results, objects: usize, name: &str) -> Option<f64> {
    median(settled(results.values(&cell_name(objects), name, "frame")))
}

/// Where `auto` spends its time in the largest scene: the stages that every frame has, with one thread and with all.
fn stage_rows(results: &Results, objects: usize, most: usize) -> Vec<Vec<String>> {
    let of = |count: usize, stage: &str| {
        median(results.values(&cell_name(objects), &who(AUTO_BY_WORK, count), stage))
    };
    let row = |stage: &&str| {
        let (one, all) = (of(1, stage)?, of(most, stage)?);
        Some(vec![stage.to_string(), number(Some(one)), number(Some(all)), times(Some(one / all))])
    };
    STAGES.iter().filter_map(row).collect()
}

/// What a CPU finder and the loop gain from so many threads.
fn gains(results: &Results, objects: usize, name: &str, count: usize) -> Option<(f64, f64)> {
    let gain =
        |name: &str| ratio(time(results, objects, &who(name, 1)), time(results, objects, &who(name, count)));
    gain(name).zip(gain(LOOP))
}

fn findings(results: &Results) -> Vec<Finding> {
    let measured: Vec<usize> = sizes(&results.options)
        .iter()
        .copied()
        .filter(|&objects| results.cells.contains_key(&cell_name(objects)))
        .collect();
    let most = results.options.threads;
    let one = who(GRID, 1);
    let source = time(results, 30_000, GPU_GRID).zip(time(results, 30_000, &one)).map(|(gpu, cpu)| {
        let said = format!(
            "30,000 objects: {} ms on the GPU, {} ms on one thread of the CPU",
            number(Some(gpu)),
            number(Some(cpu))
        );
        (said, gpu < REAL_TIME && gpu < cpu)
    });
    let both = |objects: usize| time(results, objects, GPU_ALONE).zip(time(results, objects, AUTO_ALONE));
    let compared: Vec<(usize, f64, f64)> =
        measured.iter().filter_map(|&objects| both(objects).map(|(gpu, cpu)| (objects, gpu, cpu))).collect();
    let crossover = compared.last().filter(|(objects, ..)| *objects >= CROSSOVER).map(|_| {
        // The least size from which on the GPU is faster at every larger one.
        let slower = compared.iter().rposition(|(_, gpu, cpu)| gpu >= cpu);
        let first = slower.map_or(0, |index| index + 1);
        let said = match compared.get(first) {
            Some((objects, gpu, cpu)) => format!(
                "from {} objects on ({} against {} ms)",
                grouped(*objects as u64),
                number(Some(*gpu)),
                number(Some(*cpu))
            ),
            None => "at no size that was measured".to_string(),
        };
        (said, first < compared.len())
    });
    let largest = measured.iter().copied().filter(|&objects| objects >= LARGE).max();
    let gained = largest.and_then(|objects| Some((objects, gains(results, objects, AUTO_BY_WORK, most)?)));
    let scaling = gained.map(|(objects, (own, of_loop))| {
        let share = own / of_loop;
        let said = format!(
            "{} objects, {most} threads: {} of the loop's {}, {:.0} %",
            grouped(objects as u64),
            times(Some(own)),
            times(Some(of_loop)),
            100.0 * share
        );
        (said, share >= EXPECTED)
    });
    vec![
        finding(
            "The grid holds 30,000 objects in real time (33 ms) on the GPU of the source, while its CPU fails from about 10,000 on.",
            source,
        ),
        finding(
            "Ours: from boxes on the host to pairs on the host `gpu` is faster than `auto` on all cores from at most 1,000,000 \
             objects on.",
            crossover,
        ),
        judged(
            "Expected: from 100,000 objects on `auto` gains at least 70 % of what a plain loop gains from all threads.",
            scaling,
            gained.map(|(_, (_, of_loop))| of_loop),
        ),
    ]
}

impl Study for GpuCpu {
    fn about(&self) -> About {
        About {
            name: "003-gpu-cpu",
            about: "the grid and our finders on the GPU and on the CPU with 1, 2, 4, ... all threads over the number of objects",
            source: "Collision Detection Using Hierarchical Grid Spatial Partitioning on the GPU, Figure 4.2",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |&objects: &usize| Cell {
            name: cell_name(objects),
            work: objects as f64 + 1e4,
            run: Box::new(move |watch| measure(objects, options, catalog, watch)),
        };
        Ok(sizes(options).iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let sizes = sizes(&results.options);
        let (counts, most) = (counts(results.options.threads), results.options.threads);
        let all = finders(&results.options, 0);
        let (on_gpu, on_cpu): (Vec<String>, Vec<String>) =
            all.into_iter().partition(|name| is_gpu_finder(name));
        let mut contestants: Vec<String> =
            on_cpu.iter().flat_map(|name| counts.iter().map(|&count| who(name, count))).collect();
        if !on_gpu.is_empty() {
            contestants.extend(on_gpu);
            contestants.extend([GPU_ALONE.to_string(), AUTO_ALONE.to_string()]);
        }
        let rows = contestants.iter().map(|name| {
            let mut row = vec![name.clone()];
            row.extend(sizes.iter().map(|&objects| number(time(results, objects, name))));
            row
        });
        let mut columns = vec![fixed("who")];
        columns.extend(sizes.iter().map(|&objects| timed(format!("{}: ms", grouped(objects as u64)))));
        let largest = sizes.iter().copied().max().unwrap_or_default();
        let mut gain_rows = Vec::new();
        for name in &on_cpu {
            for &objects in sizes {
                let of = gains(results, objects, name, most);
                gain_rows.push(vec![
                    name.clone(),
                    grouped(objects as u64),
                    most.to_string(),
                    times(of.map(|(own, _)| own)),
                    times(of.map(|(_, of_loop)| of_loop)),
                    of.map_or("-".into(), |(own, of_loop)| format!("{:.0} %", 100.0 * own / of_loop)),
                ]);
            }
        }
        let gain_columns = vec![
            fixed("finder"),
            fixed("objects"),
            fixed("threads"),
            timed("gain"),
            timed("loop: gain"),
            timed("of the loop's gain"),
        ];
        let lines = contestants.iter().map(|name| Line {
            name: name.clone(),
            points: sizes
                .iter()
                .filter_map(|&objects| Some((objects as f64, time(results, objects, name)?)))
                .collect(),
            fitted: true,
        });
        Report {
            title: "GPU and CPU".to_string(),
            question: "From how many objects on is a GPU worth its transfers? The source compared its grid on a GPU with the same on one \
                       thread of a CPU; here all threads of the machine take part, and a plain loop tells what they had to give."
                .to_string(),
            findings: findings(results),
            blocks: vec![
                table("Median time of a frame, the first apart, from boxes on the host to pairs on the host", columns, rows.collect()),
                Block::Plot(Plot::Lines {
                    caption: "Time over the number of objects".to_string(),
                    x: Axis::new("objects").logarithmic(),
                    y: median_ms().logarithmic(),
                    lines: lines.collect(),
                }),
                table("What threads gain, by medians", gain_columns, gain_rows),
                table(
                    format!("Stages of {AUTO_BY_WORK} with {} objects, by medians", grouped(largest as u64)),
                    vec![fixed("stage"), timed("1 thread: ms"), timed(format!("{most} threads: ms")), timed("gain")],
                    stage_rows(results, largest, most),
                ),
                text(format!(
                    "The stream `brownian`, pairs in canonical order with what came and went, verified. `{GRID}` is the source's grid on the \
                     CPU, `{GPU_GRID}` on the GPU with one level; `{GPU_CELLS}` runs up to {} objects. A GPU that waits while all others take their \
                     turns lowers its clock: the last two rows are of `gpu` and `auto`, all threads, in turns with each other alone, and tell the \
                     crossover.",
                    grouped(MOST_FOR_CELLS as u64)
                )),
                s003::note(&results.options),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    #[test]
    fn everyone_is_measured_with_every_number_of_threads_beside_the_loop() {
        let (options, catalog) = (trial::options(), crate::finders::catalog());
        let samples = trial::run(|watch| measure(300, &options, &catalog, watch)).unwrap();
        for name in [GRID, AUTO_BY_WORK, LOOP] {
            for count in [1, 2] {
                assert_eq!(samples.values(&who(name, count), "frame").len(), 3, "{name}, {count}");
            }
        }
        assert!(samples.values(GPU, "frame").is_empty(), "there is no adapter in these options");
    }

    #[test]
    fn the_crossover_is_where_the_gpu_stays_faster() {
        let mut series = Vec::new();
        for (objects, gpu, cpu) in [(5_000, 1.0, 0.5), (30_000, 1.0, 0.9), (1_000_000, 9.0, 12.0)] {
            for (name, time) in [(GPU_ALONE.to_string(), gpu), (AUTO_ALONE.to_string(), cpu)] {
                series.push((cell_name(objects), name, "frame", vec![99.0, time, time]));
            }
        }
        let mut results = trial::made_up(series);
        results.options.adapter =
            Some(crate::gpu::Adapter { index: 0, name: "great".to_string(), kind: "discrete".to_string() });
        let said = &findings(&results)[1];
        assert!(said.found.contains("from 1,000,000 objects on"), "{said:?}");
    }
}
