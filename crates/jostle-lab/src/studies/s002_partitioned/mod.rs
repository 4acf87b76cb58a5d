//! `002-partitioned`: more objects than the co-processor takes, parted into cells by a grid or a tree: cells, objects in a cell,
//! duplicates, and the times of the three stages. The co-processor is a kernel on a GPU, `gpu-cells`.

mod findings;
#[cfg(test)]
mod tests;

use std::sync::PoisonError;

use anyhow::{Result, bail};
use jostle_broad::{Catalog, FindSettings};

use self::findings::findings;
use super::figures::{
    fixed, growth, heading, mean, number, percent, ratio, settled, table, text, timed, times,
};
use super::rooms;
use super::s003;
use crate::bench::run::Member;
use crate::experiment::{About, Cell, Contest, Options, Results, Samples, Study, Unit, Watch};
use crate::gpu::{Adapter, CellLog, Device, HOW_TO_BUILD, Partition};
use crate::machine::{affordable_pairs, check_memory};
use crate::numbers::grouped;
use crate::report::{Axis, Block, Line, Plot, Report, Stack};
use crate::scenes::{Room, SceneSpec};

pub(super) struct Partitioned;

const CAPACITIES: [usize; 4] = [1024, 2048, 4096, 8192];
const SIZES: [usize; 4] = [2_000, 4_000, 8_000, 16_000];
/// On a software adapter, unless all is asked for.
const SMALL_SIZES: [usize; 2] = [2_000, 4_000];
const CYCLES: u32 = 20;
/// What the thesis divides by.
const BASES: [&str; 2] = ["all-pairs", "sap"];
const STAGES: [&str; 3] = ["partition", "device", "narrow phase"];
const PARTITIONS: [Partition; 2] = [Partition::Grid, Partition::Tree];

/// A row of the thesis: objects, capacity, partition, and how many times faster than all-pairs and SAP the whole was
/// (many-object, Tables D.13 to D.31). For 16,000 objects it divides times of 1,000 by its own; these are from its
/// absolute times.
const THESIS: [(usize, usize, Partition, f64, f64); 14] = [
    (2_000, 1024, Partition::Grid, 12.495, 0.657),
    (2_000, 1024, Partition::Tree, 16.144, 0.848),
    (4_000, 1024, Partition::Grid, 19.959, 0.64),
    (4_000, 1024, Partition::Tree, 25.548, 0.819),
    (4_000, 2048, Partition::Grid, 20.495, 0.657),
    (4_000, 2048, Partition::Tree, 28.895, 0.926),
    (8_000, 1024, Partition::Grid, 29.905, 0.584),
    (8_000, 1024, Partition::Tree, 35.446, 0.692),
    (8_000, 2048, Partition::Grid, 31.406, 0.613),
    (8_000, 2048, Partition::Tree, 38.803, 0.758),
    (8_000, 4096, Partition::Grid, 29.455, 0.575),
    (8_000, 4096, Partition::Tree, 38.223, 0.746),
    (16_000, 8192, Partition::Grid, 45.5, 0.543),
    (16_000, 8192, Partition::Tree, 50.3, 0.600),
];

fn sizes(options: &Options) -> &'static [usize] {
    let small = options.adapter.as_ref().is_some_and(Adapter::is_software) && !options.full;
    if small { &SMALL_SIZES } else { &SIZES }
}

/// Capacities that are less than all objects: as the thesis has them.
fn capacities(objects: usize) -> impl Iterator<Item = usize> + Clone {
    CAPACITIES.into_iter().filter(move |&capacity| capacity < objects)
}

fn word(partition: Partition) -> &'static str {
    match partition {
        Partition::Grid => "grid",
        Partition::Tree => "tree",
    }
}

fn who(partition: Partition, capacity: usize) -> String {
    format!("{}, {capacity} in a cell", word(partition))
}

fn cell_name(objects: usize) -> String {
    format!("{objects}-objects")
}

/// Every partition and capacity of a number of objects.
fn contestants(objects: usize) -> impl Iterator<Item = (Partition, usize)> {
    let each = capacities(objects);
    PARTITIONS.into_iter().flat_map(move |partition| each.clone().map(move |capacity| (partition, capacity)))
}

fn measure(
    objects: usize,
    adapter: &Adapter,
    options: &Options,
    catalog: &Catalog,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let room = Room {
        cycles: rooms::cycles(options, CYCLES),
        seed: rooms::seed(options),
        ..Room::standard(objects)
    };
    let part = |from: f64| move |done: f64| (watch.done)(from + 0.5 * done);
    let baking = part(0.0);
    let baked = SceneSpec::Room(Box::new(room)).bake(options.threads, &Watch { done: &baking, ..*watch })?;
    let device = Device::open(adapter)?;
    let count = contestants(objects).count() + BASES.len();
    check_memory(baked.boxes(), count)?;
    let settings =
        FindSettings { changes: true, pair_limit: Some(affordable_pairs(count)), ..FindSettings::default() };
    let mut members = Vec::new();
    for base in BASES {
        members.push(Member::new(base.to_string(), catalog.get(base)?.make(), settings.clone()));
    }
    let mut logs = Vec::new();
    for (partition, capacity) in contestants(objects) {
        let log = CellLog::default();
        let finder = device.cells(partition, capacity, &log)?;
        members.push(Member::new(who(partition, capacity), finder, settings.clone()));
        logs.push((who(partition, capacity), log));
    }
    let finding = part(0.5);
    let mut samples =
        Contest::play(members, baked.frames, baked.play()?, true, &Watch { done: &finding, ..*watch })?;
    for (name, log) in logs {
        for counts in log.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let per_cell = counts.entries as f64 / counts.cells.max(1) as f64;
            samples.push(&name, "cells", Unit::Count, counts.cells as f64);
            samples.push(&name, "objects-per-cell", Unit::Count, per_cell);
            samples.push(&name, "oversized", Unit::Count, counts.oversized as f64);
            samples.push(&name, "duplicates", Unit::Count, counts.duplicates as f64);
        }
    }
    Ok(samples)
}

/// The mean of a measure, all frames.
fn average(results: &Results, objects: usize, name: &str, measure: &str) -> Option<f64> {
    mean(results.values(&cell_name(objects), name, measure))
}

/// The mean time of a frame, the first apart.
fn whole(results: &Results, objects: usize, name: &str) -> Option<f64> {
    mean(settled(results.values(&cell_name(objects), name, "broad")))
}

fn stage(results: &Results, objects: usize, name: &str, stage: &str) -> Option<f64> {
    mean(settled(results.values(&cell_name(objects), name, &format!("stage:{stage}"))))
}

impl Study for Partitioned {
    fn about(&self) -> About {
        About {
            name: "002-partitioned",
            about: "cells, objects in a cell, duplicates and stages of a partitioned co-processor (a GPU), 2,000 to 16,000 objects",
            source: "Woulfe's thesis, section 5.4",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let Some(adapter) = &options.adapter else {
            let trouble = if cfg!(feature = "gpu") {
                "no GPU opened; `jostle doctor` shows adapters, --adapter chooses one (`software` will do)"
            } else {
                HOW_TO_BUILD
            };
            bail!("the study 002-partitioned needs a GPU: {trouble}");
        };
        let cell = |&objects: &usize| Cell {
            name: cell_name(objects),
            work: objects as f64,
            run: Box::new(move |watch| measure(objects, adapter, options, catalog, watch)),
        };
        Ok(sizes(options).iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let sizes = sizes(&results.options);
        let mut blocks = Vec::new();
        let (mut counted, mut timings) = (Vec::new(), Vec::new());
        for &objects in sizes {
            for (partition, capacity) in contestants(objects) {
                let name = who(partition, capacity);
                let of = |measure: &str| average(results, objects, &name, measure);
                let pairs = of("pairs");
                let with_duplicates = pairs.zip(of("duplicates")).map(|(pairs, more)| pairs + more);
                let first = vec![grouped(objects as u64), capacity.to_string(), word(partition).to_string()];
                let mut row = first.clone();
                row.push(objects.div_ceil(capacity).to_string());
                row.extend(
                    [of("cells"), of("objects-per-cell"), of("oversized"), pairs, of("duplicates")]
                        .map(number),
                );
                row.push(percent(growth(pairs, with_duplicates).map(|more| more / 100.0)));
                counted.push(row);
                let thesis =
                    THESIS.iter().find(|row| (row.0, row.1, row.2) == (objects, capacity, partition));
                let time = whole(results, objects, &name);
                let mut row = first;
                row.extend(STAGES.map(|one| number(stage(results, objects, &name, one))));
                row.push(number(time));
                for base in BASES {
                    row.push(times(ratio(whole(results, objects, base), time)));
                }
                row.push(times(thesis.map(|row| row.3)));
                row.push(times(thesis.map(|row| row.4)));
                timings.push(row);
            }
            let names: Vec<String> =
                contestants(objects).map(|(partition, capacity)| who(partition, capacity)).collect();
            blocks.push(Block::Plot(Plot::Stacks {
                caption: format!("Mean time of the three stages, {} objects", grouped(objects as u64)),
                y: super::figures::mean_ms(),
                stacks: STAGES
                    .iter()
                    .map(|one| Stack {
                        name: one.to_string(),
                        heights: names
                            .iter()
                            .map(|name| stage(results, objects, name, one).unwrap_or(0.0))
                            .collect(),
                    })
                    .collect(),
                groups: names,
            }));
        }
        let lines =
            PARTITIONS.into_iter().flat_map(|partition| CAPACITIES.map(|capacity| (partition, capacity)));
        let cells_of = lines.map(|(partition, capacity)| Line {
            name: who(partition, capacity),
            points: sizes
                .iter()
                .filter_map(|&n| Some((n as f64, average(results, n, &who(partition, capacity), "cells")?)))
                .collect(),
            fitted: true,
        });
        let first = || vec![fixed("objects"), fixed("c"), fixed("partition")];
        let mut counted_columns = first();
        counted_columns.extend(
            ["least cells", "cells", "objects in a cell", "oversized", "pairs", "duplicates", "more pairs"]
                .map(fixed),
        );
        let mut timed_columns = first();
        timed_columns.extend(STAGES.map(|one| timed(format!("{one}: ms"))));
        timed_columns.push(timed("frame: ms"));
        timed_columns.extend(BASES.map(|base| timed(format!("beside {base}"))));
        timed_columns.extend(BASES.map(|base| fixed(format!("thesis: {base}"))));
        let mut all = vec![
            heading("Cells and duplicates"),
            table("Means over all frames", counted_columns, counted),
            Block::Plot(Plot::Lines {
                caption: "Cells over the number of objects".to_string(),
                x: Axis::new("objects").logarithmic(),
                y: Axis::new("cells").logarithmic(),
                lines: cells_of.collect(),
            }),
            heading("Times"),
            table("Means, as the thesis has them, the first frame apart", timed_columns, timings),
        ];
        all.extend(blocks);
        all.push(text(
            "Partition and narrow phase are the host's work on one thread, the device tests all pairs of each cell; batches overlap, so the \
             stages may add up to more than the frame. `narrow phase` here is what the host does with pairs as they come: indices of a cell \
             become objects, duplicates are taken out last. For 16,000 objects the thesis divides \
             by times of 1,000 objects, so the numbers shown are made from its absolute times. Oversized: cells that could not be split to c.",
        ));
        all.push(rooms::note());
        all.push(text(s003::adapter_in_words(&results.options)));
        Report {
            title: "A partitioned co-processor".to_string(),
            question: "A co-processor that tests all pairs holds only so many objects. Parted into cells of at most c, how many cells are \
                       there, how full, how many pairs come twice, and is the whole still faster? Here the co-processor is a kernel on a GPU."
                .to_string(),
            findings: findings(results),
            blocks: all,
        }
    }
}
