//! Measures a cell: all finders in turns on the same frames, those apart that would take too long.
//!
//! Who is left out is decided by counted tests of smaller sizes, so that all runs of a seed leave out the same.

use anyhow::Result;
use jostle_broad::Catalog;

use super::places::Place;
use crate::experiment::{Contest, Options, Results, Samples, Statistics, Unit, Watch};
use crate::gpu::is_gpu_finder;
use crate::numbers::exponent;

/// Seconds a finder may take for a cell; one that is expected to take longer is left out, with a line.
const BUDGET_SECONDS: f64 = 4.0;
const FULL_BUDGET_SECONDS: f64 = 60.0;
/// What a test is taken to cost: about that of the finders that do little else.
pub(super) const SECONDS_PER_TEST: f64 = 1e-9;
/// Decides by the clock: what it counts is not the same in two runs. `auto-work` stands for it.
const BY_CLOCK: &str = "auto";
/// Of those on a GPU, the one made for large scenes takes part.
const FAST_GPU: &str = "gpu";
/// Every frame is held against it, so that large scenes need not wait for it twice: of more boxes it is timed with `--full`.
const ORACLE: &str = "brute";
const ORACLE_MOST: usize = 5_000;
/// In the samples: what the scene itself is like.
pub(super) const SCENE: &str = "scene";
/// How much of a cell the making of object paths is, where a world makes them.
const BAKING: f64 = 0.5;

pub(super) fn budget(options: &Options) -> f64 {
    if options.full { FULL_BUDGET_SECONDS } else { BUDGET_SECONDS }
}

/// All samples of a scene at a size.
pub(super) fn measure(
    place: &Place,
    n: usize,
    options: &Options,
    catalog: &Catalog,
    watch: &Watch<'_>,
) -> Result<Samples> {
    let baking = if place.settling > 0 { BAKING } else { 0.0 };
    let part = |from: f64, share: f64| move |done: f64| (watch.done)(from + share * done);
    let (bake_done, find_done) = (part(0.0, baking), part(baking, 1.0 - baking));
    let seed = place.spec.seed().wrapping_add(options.seed).wrapping_sub(1);
    let spec = place.spec.clone().with_objects(n)?.with_frames(place.settling + place.frames);
    let baked = spec.with_seed(seed)?.bake(options.threads, &Watch { done: &bake_done, ..*watch })?;
    let mut scene = baked.play()?;
    for _ in 0..place.settling {
        scene.advance()?;
    }
    let (finders, left_out) = who_runs(place, n, baked.boxes(), options, catalog, watch.before)?;
    let contest = Contest { catalog, finders, threads: vec![1], frames: place.frames };
    let mut samples = contest.run(scene, &Watch { done: &find_done, ..*watch })?;
    samples.push(SCENE, "boxes", Unit::Count, baked.boxes() as f64);
    samples.series.extend(left_out.series);
    Ok(samples)
}

/// The finders of a cell, and why the others are not among them.
fn who_runs(
    place: &Place,
    n: usize,
    boxes: usize,
    options: &Options,
    catalog: &Catalog,
    before: &Results,
) -> Result<(Vec<String>, Samples)> {
    let chosen = options.finders.clone().unwrap_or_else(|| {
        let takes_part = |name: &String| {
            name != BY_CLOCK && (!is_gpu_finder(name) || name == FAST_GPU && options.adapter.is_some())
        };
        catalog.iter().map(|entry| entry.name.clone()).filter(takes_part).collect()
    });
    let (mut finders, mut left_out) = (Vec::new(), Samples::default());
    for finder in chosen {
        let expected = expected_tests(place, n, &finder, before);
        if finder == ORACLE && boxes > ORACLE_MOST && !options.full && options.finders.is_none() {
            left_out.push(&finder, "oracle", Unit::Count, ORACLE_MOST as f64);
        } else if let Some(limit) = catalog.get(&finder)?.make().size_limit().filter(|limit| *limit < boxes) {
            left_out.push(&finder, "limit", Unit::Count, limit as f64);
        } else if let Some(tests) = expected.filter(|tests| tests * SECONDS_PER_TEST > budget(options)) {
            left_out.push(&finder, "expected", Unit::Count, tests);
        } else {
            finders.push(finder);
        }
    }
    Ok((finders, left_out))
}

/// How many tests the frames of a cell are expected to need, from the smaller sizes of the same scene; growth is taken to
/// be quadratic until two sizes say otherwise.
pub(super) fn expected_tests(place: &Place, n: usize, finder: &str, before: &Results) -> Option<f64> {
    let total =
        |size: usize| Statistics::of(before.values(&place.cell(size), finder, "tests")).map(|of| of.total);
    let smaller = place.sizes.iter().filter(|size| **size < n);
    let points: Vec<(f64, f64)> = smaller.filter_map(|&size| Some((size as f64, total(size)?))).collect();
    let &(last, tests) = points.last()?;
    let growth = exponent(&points).unwrap_or(2.0).max(1.0);
    Some(tests * (n as f64 / last).powf(growth))
}
