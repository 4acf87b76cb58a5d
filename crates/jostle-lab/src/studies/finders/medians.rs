//! What the report of the study reads from its samples: medians of all frames but the first, and who there is.

use super::places::Place;
use crate::experiment::Results;
use crate::numbers::median;

/// All values but that of the first frame, which builds everything; of a scene of one frame that one.
pub(super) fn settled(values: &[f64]) -> &[f64] {
    if values.len() > 1 { &values[1..] } else { values }
}

/// The median of a measure in a cell.
pub(super) fn median_of(results: &Results, cell: &str, who: &str, measure: &str) -> Option<f64> {
    median(settled(results.values(cell, who, measure)))
}

/// The median time of a frame.
pub(super) fn time(results: &Results, cell: &str, finder: &str) -> Option<f64> {
    median_of(results, cell, finder, "broad")
}

/// Bytes of a finder and of its box store.
pub(super) fn memory(results: &Results, cell: &str, finder: &str) -> Option<f64> {
    let last = |measure: &str| results.values(cell, finder, measure).last().copied();
    Some(last("bytes")? + last("store-bytes")?)
}

/// The median of a measure at each size.
pub(super) fn over_sizes(place: &Place, finder: &str, measure: &str, results: &Results) -> Vec<(f64, f64)> {
    let sizes = place.sizes.iter();
    sizes.filter_map(|&n| Some((n as f64, median_of(results, &place.cell(n), finder, measure)?))).collect()
}

/// Everyone who ran in any of these cells, in the order of the first of them.
pub(super) fn everyone(cells: impl IntoIterator<Item = String>, results: &Results) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for cell in cells {
        for name in results.cells.get(&cell).into_iter().flat_map(|samples| samples.everyone("broad")) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

/// The fastest of some finders in a cell: its median time, and its name.
pub(super) fn fastest<'a>(
    results: &Results,
    cell: &str,
    finders: impl Iterator<Item = &'a String>,
) -> Option<(f64, &'a str)> {
    let times = finders.filter_map(|name| Some((time(results, cell, name)?, name.as_str())));
    times.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Does it do the work itself? The others choose one that does.
pub(super) fn is_single(finder: &str) -> bool {
    !finder.starts_with("auto")
}
