//! What the thesis found out about the parameters of the Room, and whether it holds here.

use crate::experiment::Statistics;
use crate::report::Finding;
use crate::studies::figures::{finding, number, ratio, times};
use crate::studies::rooms::{Benchmark, View};

/// The finders of the thesis.
const THREE: [&str; 3] = ["all-pairs", "sap", "tree"];

/// What was measured, by the thesis' numbers of the benchmarks.
struct Numbered<'a> {
    view: &'a View<'a>,
    list: &'a [Benchmark],
}

impl Numbered<'_> {
    /// Something of all twenty-two, if all were measured.
    fn all(&self, of: impl Fn(&str) -> Option<f64>) -> Option<Vec<f64>> {
        self.list.iter().map(|benchmark| of(&benchmark.cell)).collect()
    }

    fn mean(&self, finder: &str) -> Option<Vec<f64>> {
        self.all(|cell| self.view.mean(cell, finder))
    }

    fn deviation(&self, finder: &str) -> Option<Vec<f64>> {
        self.all(|cell| deviation(self.view.broad(cell, finder)))
    }
}

/// One cycle does not deviate from anything.
fn deviation(of: Option<Statistics>) -> Option<f64> {
    of.filter(|of| of.samples > 1).map(|of| of.sd)
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The numbers (from one) of the largest values, largest first.
pub(super) fn top(values: &[f64], count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (1..=values.len()).collect();
    numbers.sort_by(|&a, &b| values[b - 1].total_cmp(&values[a - 1]));
    numbers.truncate(count);
    numbers
}

pub(super) fn same_set(found: &[usize], claimed: &[usize]) -> bool {
    found.len() == claimed.len() && claimed.iter().all(|number| found.contains(number))
}

fn numbers(list: &[usize]) -> String {
    list.iter().map(|number| format!("#{number}")).collect::<Vec<_>>().join(", ")
}

/// The mean over some benchmarks by the mean over all others, where that is a number.
pub(super) fn stands_out(values: &[f64], chosen: &[usize]) -> Option<f64> {
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        (1..=values.len()).partition(|number| chosen.contains(number));
    let mean = |list: &[usize]| mean_of(&list.iter().map(|number| values[number - 1]).collect::<Vec<_>>());
    ratio(Some(mean(&inside)), Some(mean(&outside)))
}

/// The findings on Figures 5.2 and 5.3, in the order of the thesis.
pub(super) fn findings(view: &View<'_>, list: &[Benchmark]) -> Vec<Finding> {
    let of = Numbered { view, list };
    let ms = |value: f64| format!("{} ms", number(Some(value)));
    let all_pairs = of.mean("all-pairs");
    let sap = of.mean("sap");
    let tree = of.mean("tree");
    let narrow = of.all(|cell| view.narrow(cell).map(|of| of.mean));
    let narrow_deviation = of.all(|cell| deviation(view.narrow(cell)));
    let count = list.len();
    let wins = |left: &Option<Vec<f64>>, right: &Option<Vec<f64>>| -> Option<Vec<usize>> {
        let both = left.as_ref()?.iter().zip(right.as_ref()?);
        Some((1..).zip(both).filter(|(_, (left, right))| left < right).map(|(number, _)| number).collect())
    };
    let six = [11, 12, 17, 18, 19, 20];
    let eight = [2, 3, 13, 14, 15, 16, 21, 22];
    let seven = [13, 14, 15, 16, 17, 21, 22];
    vec![
        finding(
            "All-pairs: #1, with 100 objects, is far below the average (here: less than half of it).",
            all_pairs.as_ref().map(|times| {
                let said = format!("#1 {}, average of all {}", ms(times[0]), ms(mean_of(times)));
                (said, times[0] < 0.5 * mean_of(times))
            }),
        ),
        finding(
            "All-pairs: #9 and #10 (location by chance) take longest, because there are more collisions.",
            all_pairs.as_ref().map(|times| {
                let found = top(times, 2);
                (
                    format!("longest: {} ({})", numbers(&found), ms(times[found[0] - 1])),
                    same_set(&found, &[9, 10]),
                )
            }),
        ),
        finding(
            "All-pairs: #11, #12 and #17 to #20 are above the average.",
            all_pairs.as_ref().map(|times| {
                let above: Vec<usize> =
                    six.into_iter().filter(|number| times[number - 1] > mean_of(times)).collect();
                (
                    format!("above: {}", if above.is_empty() { "none".into() } else { numbers(&above) }),
                    above.len() == six.len(),
                )
            }),
        ),
        finding(
            "All-pairs: #5 (cones) is slower than other simple shapes, because boxes fit cones badly.",
            all_pairs.as_ref().map(|times| {
                let said =
                    (2..=5).map(|number| format!("#{number} {}", ms(times[number - 1]))).collect::<Vec<_>>();
                (said.join(", "), (2..=4).all(|number| times[4] > 1.02 * times[number - 1]))
            }),
        ),
        finding(
            "All-pairs: the standard deviation is largest at #5 and #18.",
            of.deviation("all-pairs").map(|deviations| {
                let found = top(&deviations, 2);
                (format!("largest: {}", numbers(&found)), same_set(&found, &[5, 18]))
            }),
        ),
        finding(
            "Narrow phase: #6 and #7, bodies of 22 and 25 pieces, take far longer than the rest (here: together at least twice the mean of the others).",
            narrow.as_ref().and_then(|times| {
                let factor = stands_out(times, &[6, 7])?;
                let found = top(times, 2);
                let said = format!(
                    "longest: {}; #6 and #7 together are {} the mean of the others",
                    numbers(&found),
                    times_text(factor)
                );
                Some((said, same_set(&found, &[6, 7]) && factor >= 2.0))
            }),
        ),
        finding(
            "Narrow phase: the standard deviation is high at #6 to #8.",
            narrow_deviation.as_ref().map(|deviations| {
                let found = top(deviations, 3);
                (format!("largest: {}", numbers(&found)), same_set(&found, &[6, 7, 8]))
            }),
        ),
        finding(
            "SAP is faster than all-pairs in every benchmark.",
            wins(&sap, &all_pairs)
                .map(|found| (format!("in {} of {count}", found.len()), found.len() == count)),
        ),
        finding(
            "SAP gains least over all-pairs at #1.",
            all_pairs.as_ref().zip(sap.as_ref()).map(|(all_pairs, sap)| {
                let gains: Vec<f64> = all_pairs.iter().zip(sap).map(|(a, b)| a / b).collect();
                let least = gains[1..].iter().copied().fold(f64::MAX, f64::min);
                let said = format!("#1 {}, the others {} at least", times_text(gains[0]), times_text(least));
                (said, gains[0] < least)
            }),
        ),
        finding(
            "SAP is slowest at #8 (all types).",
            sap.as_ref().map(|times| {
                let found = top(times, 1);
                (format!("slowest: {} ({})", numbers(&found), ms(times[found[0] - 1])), found == [8])
            }),
        ),
        finding(
            "SAP: the standard deviation is worse at #2, #3, #13 to #16, #21 and #22 (here: more than 1.5 times the mean of the others).",
            of.deviation("sap").and_then(|deviations| {
                let factor = stands_out(&deviations, &eight)?;
                Some((format!("there {} the mean of the others", times_text(factor)), factor > 1.5))
            }),
        ),
        finding(
            "DBVT is slightly slower than SAP everywhere but at #8, where it wins.",
            wins(&tree, &sap).map(|found| {
                let said = if found.is_empty() {
                    "tree wins nowhere".into()
                } else {
                    format!("tree wins at {}", numbers(&found))
                };
                (said, found == [8])
            }),
        ),
        finding(
            "DBVT is faster than all-pairs in every benchmark.",
            wins(&tree, &all_pairs)
                .map(|found| (format!("in {} of {count}", found.len()), found.len() == count)),
        ),
        finding(
            "DBVT varies less than SAP at #13 to #17, #21 and #22: use it there for a constant frame rate.",
            wins(&of.deviation("tree"), &of.deviation("sap")).map(|found| {
                let less: Vec<usize> = seven.into_iter().filter(|number| found.contains(number)).collect();
                (format!("less at {} of 7", less.len()), less.len() == seven.len())
            }),
        ),
        finding(
            "Ratio: the broad phase takes longer than the narrow phase, for every algorithm and benchmark.",
            ratio_finding(&of),
        ),
        finding("Ratio: the broad phase of all-pairs always has the largest part.", largest_share(&of)),
    ]
}

fn times_text(value: f64) -> String {
    times(Some(value))
}

fn ratio_finding(of: &Numbered<'_>) -> Option<(String, bool)> {
    let mut longer = 0;
    for finder in THREE {
        let shares = of.all(|cell| of.view.broad_share(cell, finder))?;
        longer += shares.iter().filter(|share| **share > 0.5).count();
    }
    let all = THREE.len() * of.list.len();
    Some((format!("in {longer} of {all}"), longer == all))
}

fn largest_share(of: &Numbered<'_>) -> Option<(String, bool)> {
    let shares = THREE.map(|finder| of.all(|cell| of.view.broad_share(cell, finder)));
    let [Some(all_pairs), Some(sap), Some(tree)] = shares else { return None };
    let largest = (0..all_pairs.len()).filter(|&i| all_pairs[i] > sap[i] && all_pairs[i] > tree[i]).count();
    Some((format!("in {largest} of {}", all_pairs.len()), largest == all_pairs.len()))
}
