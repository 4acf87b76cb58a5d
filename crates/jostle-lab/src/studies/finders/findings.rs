//! What the study claims, and whether its samples bear it out.

use jostle_broad::verify::BRUTE_LIMIT;

use super::medians::{fastest, is_single, over_sizes};
use super::overview::{Overview, WORTH_CHOOSING_MS};
use super::places::Place;
use crate::experiment::Results;
use crate::finders::AUTO_BY_WORK;
use crate::numbers::{exponent, grouped};
use crate::report::{Finding, Verdict};
use crate::studies::figures::{finding, open, times};

/// Those made for large scenes, and how their time may grow at most.
const FOR_LARGE: [&str; 5] = ["sweep", "bvh", "grid", "tree", AUTO_BY_WORK];
const NEARLY_LINEAR: f64 = 1.2;
/// What not having to choose may cost.
const NO_CHOICE: f64 = 2.0;

pub(super) fn all(places: &[Place], overview: &Overview<'_>, results: &Results) -> Vec<Finding> {
    vec![
        exact(results),
        nearly_linear(places, results),
        nobody_everywhere(overview, results),
        no_choosing(overview),
    ]
}

fn exact(results: &Results) -> Finding {
    let (measured, planned) = (results.cells.len(), results.planned.len());
    let claim = format!(
        "Every finder gives exactly the true pairs, and exactly what was added and removed, in every cell. The truth is that of \
         brute force in every frame up to {0} boxes; of more boxes it is that of a sweep in the first, middle and last frame, and \
         in the others all finders are compared with the first.",
        grouped(BRUTE_LIMIT as u64)
    );
    let found = format!(
        "{measured} of {planned} cells were measured, and the pairs of all finders in them verified."
    );
    let verdict = if measured == planned { Verdict::Agrees } else { Verdict::Open };
    Finding { claim, found, verdict }
}

fn nearly_linear(places: &[Place], results: &Results) -> Finding {
    let growths = places.iter().filter(|place| place.grows()).flat_map(|place| {
        FOR_LARGE.into_iter().filter_map(|finder| {
            let growth = exponent(&over_sizes(place, finder, "broad", results))?;
            Some((growth, format!("{finder} on {}", place.name)))
        })
    });
    let growths: Vec<(f64, String)> = growths.collect();
    let steepest = growths.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let claim = format!(
        "The median time of the finders made for large scenes ({}) grows no faster than n^{NEARLY_LINEAR}, where several sizes of a \
         scene were measured.",
        FOR_LARGE.join(", ")
    );
    let found = steepest.map(|(growth, who)| {
        (format!("the steepest of {} is {who}: n^{growth:.3}.", growths.len()), *growth <= NEARLY_LINEAR)
    });
    finding(claim, found)
}

fn nobody_everywhere(overview: &Overview<'_>, results: &Results) -> Finding {
    let claim = "No single finder is the fastest on all scenes, which is why `auto` exists.";
    let mut winners: Vec<(usize, &str)> = Vec::new();
    for place in &overview.places {
        let single = overview.finders.iter().filter(|finder| is_single(finder));
        let Some((_, name)) = fastest(results, &place.own_cell(), single) else { continue };
        match winners.iter_mut().find(|(_, there)| *there == name) {
            Some((count, _)) => *count += 1,
            None => winners.push((1, name)),
        }
    }
    winners.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let scenes: usize = winners.iter().map(|(count, _)| count).sum();
    let singles = overview.finders.iter().filter(|finder| is_single(finder)).count();
    if scenes < 2 || singles < 2 {
        return open(claim, "the cells it needs were not measured");
    }
    let told: Vec<String> = winners.iter().map(|(count, name)| format!("{name} on {count}")).collect();
    finding(claim, Some((format!("the fastest of {scenes} scenes: {}.", told.join(", ")), winners.len() > 1)))
}

fn no_choosing(overview: &Overview<'_>) -> Finding {
    let claim = format!(
        "Who lets `{AUTO_BY_WORK}` choose takes at most {NO_CHOICE} times as long as the fastest single finder, on every \
         scene whose frames take that one {WORTH_CHOOSING_MS} ms or more."
    );
    let worst =
        overview.worst(AUTO_BY_WORK).filter(|_| overview.finders.iter().any(|finder| is_single(finder)));
    finding(
        claim,
        worst.map(|(most, place)| {
            (format!("{} at most, on {place}; medians.", times(Some(most))), most <= NO_CHOICE)
        }),
    )
}
