//! `001-hgrid`: the hierarchical grid on one thread and on several, in two and in three dimensions.

use anyhow::Result;
use jostle_broad::{Catalog, Dimensions};

use super::figures::{
    finding, fixed, number, ratio, settled, spread_ms, stage_bars, table, text, threads, timed, times,
};
use super::repeated::least_of_runs;
use super::spare_cores::{self, judged};
use crate::experiment::{About, Cell, Contest, Options, Results, Samples, Statistics, Study, Watch};
use crate::numbers::grouped;
use crate::report::{Block, Plot, Report, Spread};
use crate::scenes::{Crowd, SceneSpec};

pub(super) struct Hgrid;

const OBJECTS: usize = 10_000;
const FRAMES: u32 = 20;
const FULL_FRAMES: u32 = 100;
/// One cell for each object as the source has it; all cells it overlaps; and one grid for all sizes, to see what levels bring.
const FINDERS: [&str; 3] = ["hgrid", "hgrid-cells", "grid"];
/// Dimensions, the largest object beside the smallest, and the name of the cell.
const PLACES: [(Dimensions, f64, &str); 4] = [
    (Dimensions::Two, 10.0, "2-d-sizes-1-to-10"),
    (Dimensions::Three, 10.0, "3-d-sizes-1-to-10"),
    (Dimensions::Two, 100.0, "2-d-sizes-1-to-100"),
    (Dimensions::Three, 100.0, "3-d-sizes-1-to-100"),
];

fn counts(options: &Options) -> Vec<usize> {
    if options.threads > 1 { vec![1, options.threads] } else { vec![1] }
}

fn finders(options: &Options) -> Vec<String> {
    options.finders.clone().unwrap_or_else(|| FINDERS.map(str::to_string).to_vec())
}

fn measure(
    objects: usize,
    (dimensions, disparity, _): (Dimensions, f64, &str),
    options: &Options,
    catalog: &Catalog,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let frames = options.frames.unwrap_or(if options.full { FULL_FRAMES } else { FRAMES });
    let crowd = Crowd { objects, frames, seed: options.seed, dimensions, disparity, ..Crowd::default() };
    let baked = SceneSpec::Crowd(Box::new(crowd)).bake(1, watch)?;
    let contest = Contest { catalog, finders: finders(options), threads: counts(options), frames };
    let mut samples = least_of_runs(watch, |verified, watch| contest.run_as(baked.play()?, verified, watch))?;
    spare_cores::measure(options, &mut samples)?;
    Ok(samples)
}

impl Study for Hgrid {
    fn about(&self) -> About {
        About {
            name: "001-hgrid",
            about: "the hierarchical grid on one thread and on all, 10,000 objects in 2-D and 3-D",
            source: "Parallel techniques for collision detection, section 4.1",
            waits_for: None,
        }
    }

    fn takes_finders(&self) -> bool {
        true
    }

    fn cells<'a>(&self, options: &'a Options, catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |place: (Dimensions, f64, &'static str)| Cell {
            name: place.2.to_string(),
            work: place.1.sqrt(),
            run: Box::new(move |watch: &Watch<'_>| measure(OBJECTS, place, options, catalog, watch)),
        };
        Ok(PLACES.map(cell).into_iter().collect())
    }

    fn report(&self, results: &Results) -> Report {
        let (finders, most) = (finders(&results.options), results.options.threads);
        let everyone: Vec<String> = finders
            .iter()
            .flat_map(|finder| {
                counts(&results.options).into_iter().map(|count| Contest::label(finder, count))
            })
            .collect();
        let later = |cell: &str, who: &str, measure: &str| -> Vec<f64> {
            settled(results.values(cell, who, measure)).to_vec()
        };
        let middle = |cell: &str, who: &str| Statistics::of(&later(cell, who, "broad")).map(|of| of.median);
        let gain = |cell: &str, finder: &str| {
            ratio(middle(cell, finder), middle(cell, &Contest::label(finder, most))).filter(|_| most > 1)
        };
        let mut rows = Vec::new();
        for (_, _, cell) in PLACES {
            for finder in &finders {
                let of = |measure: &str| Statistics::of(&later(cell, finder, measure));
                let parallel = Statistics::of(&later(cell, &Contest::label(finder, most), "broad"));
                rows.push(vec![
                    cell.to_string(),
                    finder.clone(),
                    number(of("pairs").map(|of| of.median)),
                    number(of("tests").map(|of| of.median)),
                    number(of("broad").map(|of| of.median)),
                    number(of("broad").map(|of| of.p99)),
                    number(parallel.as_ref().map(|of| of.median)),
                    times(gain(cell, finder)),
                ]);
            }
        }
        let columns = vec![
            fixed("scene"),
            fixed("finder"),
            fixed("pairs, median"),
            fixed("tests, median"),
            timed("1 thread: median ms"),
            timed("p99 ms"),
            timed(format!("{}: median ms", threads(most))),
            timed("gain"),
        ];
        let stages = PLACES.iter().filter_map(|(_, _, cell)| {
            Some(stage_bars(
                format!("Stages of a frame, medians, {cell}"),
                results.cells.get(*cell)?,
                &everyone,
            ))
        });
        let mut blocks = vec![
            table(format!("{} objects, all moving", grouped(OBJECTS as u64)), columns, rows),
            Block::Plot(Plot::Spreads {
                caption: "How the times of a frame spread".to_string(),
                y: spread_ms().logarithmic(),
                groups: PLACES.map(|place| place.2.to_string()).to_vec(),
                spreads: everyone
                    .iter()
                    .map(|who| Spread {
                        name: who.clone(),
                        values: PLACES.iter().map(|place| later(place.2, who, "broad")).collect(),
                    })
                    .collect(),
            }),
        ];
        blocks.extend(stages);
        blocks.push(text(
            "The source describes the parallel grid, and prints no times for it. Its grid is flat; ours also has three dimensions. It \
             enters an object in the cell of its corner, as `hgrid` does; `hgrid-cells` enters it in all cells it overlaps.",
        ));
        let faster = |cell: &str| {
            gain(cell, "hgrid")
                .map(|gain| (format!("{} with {}", times(Some(gain)), threads(most)), gain > 1.05))
        };
        let spare = |cell: &str| spare_cores::gain(results, cell);
        let levels = |cell: &str| {
            let (levels, one) = (middle(cell, "hgrid")?, middle(cell, "grid")?);
            Some((format!("hgrid {} ms, grid {} ms", number(Some(levels)), number(Some(one))), levels < one))
        };
        Report {
            title: "Hierarchical grid".to_string(),
            question: "What do threads bring the hierarchical grid, and what do its levels bring where objects differ in size?".to_string(),
            findings: vec![
                judged("The grid gains from several threads: in the plane.", faster(PLACES[0].2), spare(PLACES[0].2)),
                judged("The same in space.", faster(PLACES[1].2), spare(PLACES[1].2)),
                finding("One grid suffers where sizes differ greatly; levels cure that: in the plane, 1 to 100.", levels(PLACES[2].2)),
                finding("The same in space.", levels(PLACES[3].2)),
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
    fn the_grids_agree_in_two_and_in_three_dimensions() {
        let options = trial::options();
        let catalog = crate::finders::catalog();
        for place in PLACES {
            let samples = trial::run(|watch| measure(400, place, &options, &catalog, watch)).unwrap();
            let pairs = samples.values("hgrid", "pairs");
            assert!(pairs.len() == 3 && pairs[0] > 0.0, "{}: {pairs:?}", place.2);
            for who in ["hgrid@2", "hgrid-cells", "hgrid-cells@2", "grid", "grid@2"] {
                assert_eq!(samples.values(who, "pairs"), pairs, "{}: {who}", place.2);
            }
        }
    }
}
