//! `000-simd`: sequential sweep and prune beside the parallel one, step by step: vector instructions of each width, then threads.
//!
//! The source's parallel algorithm sorts three axes at once with vector instructions and has two ways to find the pairs of boxes
//! that changed (its section 4.2.6); both are here.

use anyhow::{Context, Result};
use jostle_broad::{Catalog, Executor, FindSettings, Lanes, OverlapMethod, Sap, SapSimd};

use super::figures::{
    finding, fixed, number, ratio, settled, spread_ms, stage_bars, table, text, threads, timed, times,
};
use super::repeated::least_of_runs;
use super::s000::{self, Moving};
use super::spare_cores::{self, judged};
use crate::bench::run::Member;
use crate::experiment::{About, Cell, Contest, Options, Results, Samples, Statistics, Study, Watch};
use crate::machine::affordable_pairs;
use crate::numbers::grouped;
use crate::report::{Block, Plot, Report, Spread};

pub(super) struct Simd;

const FRAMES: u32 = 100;
const FULL_FRAMES: u32 = 1000;
const SIZES: [usize; 2] = [1024, 8192];
const SEQUENTIAL: &str = "sap";
const AGAINST_ALL: &str = "sap-simd, against all";
const MOVING: [(Moving, &str); 2] =
    [(Moving::Tenth, "a tenth moves"), (Moving::Everything, "everything moves")];

fn cell_name(n: usize, about: &str) -> String {
    format!("{n}-boxes-{}", about.replace(' ', "-"))
}

fn with_lanes(lanes: &str) -> String {
    format!("sap-simd, {lanes}")
}

fn with_threads(count: usize) -> String {
    format!("sap-simd, {}", threads(count))
}

/// As many as there are axes, at most.
fn most(options: &Options) -> usize {
    options.threads.min(3)
}

/// Everyone who can run on this machine, in the order of the report.
fn members(options: &Options) -> Result<Vec<Member>> {
    let threads = Executor::new(most(options)).context("--threads: choose fewer")?;
    let lanes = Lanes::available();
    let lanes_there = lanes.len();
    let settings = |executor: &Executor, lanes: Lanes| FindSettings {
        executor: executor.clone(),
        lanes,
        changes: true,
        pair_limit: Some(affordable_pairs(lanes_there + 3)),
        ..FindSettings::default()
    };
    let serial = Executor::serial();
    let mut members =
        vec![Member::new(SEQUENTIAL.to_string(), Box::<Sap>::default(), settings(&serial, Lanes::best()))];
    for &width in &lanes {
        members.push(Member::new(
            with_lanes(width.name()),
            Box::<SapSimd>::default(),
            settings(&serial, width),
        ));
    }
    if most(options) > 1 {
        let name = with_threads(most(options));
        members.push(Member::new(name, Box::<SapSimd>::default(), settings(&threads, Lanes::best())));
    }
    let against_all = SapSimd::new(OverlapMethod::ChangedAgainstAll);
    members.push(Member::new(
        AGAINST_ALL.to_string(),
        Box::new(against_all),
        settings(&serial, Lanes::best()),
    ));
    Ok(members)
}

fn measure(n: usize, moving: Moving, options: &Options, watch: &Watch<'_>) -> Result<Samples> {
    let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
    // As dense as 1024 boxes in the cube of the other studies.
    let baked = s000::dense_scene(n, moving, frames, options.seed).bake(1, watch)?;
    let mut samples = least_of_runs(watch, |verified, watch| {
        Contest::play(members(options)?, baked.frames, baked.play()?, verified, watch)
    })?;
    spare_cores::measure(options, &mut samples)?;
    Ok(samples)
}

impl Study for Simd {
    fn about(&self) -> About {
        About {
            name: "000-simd",
            about: "sweep and prune: sequential, with vector instructions of each width, with threads",
            source: "Broadphase collision detection on the Cell processor, section 4.2",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let mut cells = Vec::new();
        for n in SIZES {
            for (moving, about) in MOVING {
                cells.push(Cell {
                    name: cell_name(n, about),
                    work: n as f64,
                    run: Box::new(move |watch| measure(n, moving, options, watch)),
                });
            }
        }
        Ok(cells)
    }

    fn report(&self, results: &Results) -> Report {
        let places: Vec<(usize, &str)> =
            SIZES.iter().flat_map(|&n| MOVING.map(|(_, about)| (n, about))).collect();
        // Who took part depends on the machine: the samples know.
        let mut everyone: Vec<String> = Vec::new();
        for samples in results.cells.values() {
            for who in samples.everyone("broad") {
                if !everyone.iter().any(|there| there == who) {
                    everyone.push(who.to_string());
                }
            }
        }
        let times_of = |(n, about): (usize, &str), who: &str| -> Vec<f64> {
            settled(results.values(&cell_name(n, about), who, "broad")).to_vec()
        };
        let middle =
            |place: (usize, &str), who: &str| Statistics::of(&times_of(place, who)).map(|of| of.median);
        let mut rows = Vec::new();
        for &place in &places {
            for who in &everyone {
                let of = Statistics::of(&times_of(place, who));
                rows.push(vec![
                    grouped(place.0 as u64),
                    place.1.to_string(),
                    who.clone(),
                    number(of.as_ref().map(|of| of.median)),
                    number(of.as_ref().map(|of| of.p99)),
                    times(ratio(middle(place, SEQUENTIAL), of.as_ref().map(|of| of.median))),
                ]);
            }
        }
        let columns = vec![
            fixed("boxes"),
            fixed("motion"),
            fixed("who"),
            timed("median ms"),
            timed("p99 ms"),
            timed("gain over sap"),
        ];
        let mut blocks = vec![
            table("Time of a frame, the first apart", columns, rows),
            Block::Plot(Plot::Spreads {
                caption: "How the times of a frame spread".to_string(),
                y: spread_ms().logarithmic(),
                groups: places.iter().map(|(n, about)| format!("{}, {about}", grouped(*n as u64))).collect(),
                spreads: everyone
                    .iter()
                    .map(|who| Spread {
                        name: who.clone(),
                        values: places.iter().map(|&place| times_of(place, who)).collect(),
                    })
                    .collect(),
            }),
        ];
        blocks.extend(places.iter().filter_map(|(n, about)| {
            let caption = format!("Stages of a frame, medians, {} boxes, {about}", grouped(*n as u64));
            Some(stage_bars(caption, results.cells.get(&cell_name(*n, about))?, &everyone))
        }));
        blocks.push(text(
            "Sweep and prune keeps sorted lists from frame to frame; `sap` repairs them swap by swap, `sap-simd` sorts the three axes at \
             once and finds the pairs of changed boxes anew, between their endpoints or against all boxes.",
        ));
        let last = places[places.len() - 1];
        let first = places[0];
        let (scalar, widest) = (with_lanes("scalar"), with_lanes(Lanes::best().name()));
        let compare = |place: (usize, &str), fast: &str, slow: &str| {
            let (a, b) = (middle(place, fast)?, middle(place, slow)?);
            let said = format!(
                "{} boxes, {}: {fast} {} ms, {slow} {} ms",
                grouped(place.0 as u64),
                place.1,
                number(Some(a)),
                number(Some(b))
            );
            Some((said, a < b))
        };
        Report {
            title: "Sweep and prune with vector instructions and threads".to_string(),
            question: "What do vector instructions and threads bring sweep and prune, where a tenth of the boxes moves and where all do?"
                .to_string(),
            findings: vec![
                finding("Vector instructions make the parallel algorithm faster.", compare(last, &widest, &scalar)),
                finding(
                    "Where much moves the parallel algorithm beats the sequential one.",
                    compare(last, &widest, SEQUENTIAL),
                ),
                judged(
                    "The three axes gain from threads of their own.",
                    compare(last, &with_threads(most(&results.options)), &widest),
                    spare_cores::gain(results, &cell_name(last.0, last.1)),
                ),
                finding(
                    "Testing changed boxes against all others costs more than looking between their endpoints.",
                    compare(first, &widest, AGAINST_ALL),
                ),
            ],
            blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    /// A contest fails where pairs are wrong.
    #[test]
    fn all_kinds_of_sweep_and_prune_find_the_same_pairs() {
        let options = Options { frames: Some(6), ..trial::options() };
        for (moving, about) in MOVING {
            let samples = trial::run(|watch| measure(300, moving, &options, watch)).unwrap();
            let everyone = samples.everyone("pairs");
            assert_eq!(everyone.len(), Lanes::available().len() + 3);
            for who in everyone {
                assert_eq!(
                    samples.values(who, "pairs"),
                    samples.values(SEQUENTIAL, "pairs"),
                    "{who}, {about}"
                );
            }
        }
    }
}
