//! What the thesis found out about partitions, and whether it holds here.

use super::{SIZES, average, capacities, contestants, sizes, who, whole};
use crate::experiment::Results;
use crate::gpu::Partition;
use crate::numbers::{exponent, grouped};
use crate::report::Finding;
use crate::studies::figures::{finding, number, percent, ratio};

pub(super) fn findings(results: &Results) -> Vec<Finding> {
    let sizes = sizes(&results.options);
    let all: Vec<(usize, Partition, usize)> = sizes
        .iter()
        .flat_map(|&objects| contestants(objects).map(move |(partition, c)| (objects, partition, c)))
        .filter(|&(objects, partition, c)| average(results, objects, &who(partition, c), "cells").is_some())
        .collect();
    let get = |(objects, partition, c): (usize, Partition, usize), measure: &str| {
        average(results, objects, &who(partition, c), measure).unwrap_or(0.0)
    };
    let bounds = (!all.is_empty()).then(|| {
        let wrong: Vec<String> = all
            .iter()
            .filter(|&&case| {
                let least = case.0.div_ceil(case.2) as f64;
                get(case, "cells") < least
                    || get(case, "oversized") == 0.0 && get(case, "objects-per-cell") > case.2 as f64
            })
            .map(|&(objects, partition, c)| {
                format!("{} objects, {}", grouped(objects as u64), who(partition, c))
            })
            .collect();
        let said = if wrong.is_empty() { format!("in all {} cases", all.len()) } else { wrong.join("; ") };
        (said, wrong.is_empty())
    });
    let two = |partition: Partition| {
        let name = who(partition, 8192);
        average(results, 16_000, &name, "cells").zip(average(results, 16_000, &name, "objects-per-cell"))
    };
    let twice = |partition: Partition| {
        let name = who(partition, 8192);
        let pairs = average(results, 16_000, &name, "pairs")?;
        ratio(average(results, 16_000, &name, "duplicates"), Some(pairs))
    };
    let time = |objects: usize, partition: Partition, c: usize| whole(results, objects, &who(partition, c));
    let tree_wins = (!all.is_empty()).then(|| {
        let pairs: Vec<(f64, f64)> = all
            .iter()
            .filter(|(_, partition, _)| *partition == Partition::Grid)
            .filter_map(|&(objects, _, c)| {
                time(objects, Partition::Tree, c).zip(time(objects, Partition::Grid, c))
            })
            .collect();
        let won = pairs.iter().filter(|(tree, grid)| tree < grid).count();
        (format!("in {won} of {} cases", pairs.len()), won == pairs.len())
    });
    let largest = sizes.last().copied().unwrap_or(0);
    let by_capacity: Option<Vec<(usize, f64)>> = (largest > 4_000)
        .then(|| capacities(largest).map(|c| Some((c, time(largest, Partition::Tree, c)?))).collect())
        .flatten();
    let least = by_capacity.map(|list| {
        let best = list.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let said = list.iter().map(|(c, ms)| format!("{c}: {} ms", number(Some(*ms)))).collect::<Vec<_>>();
        (format!("{} objects, tree: {}", grouped(largest as u64), said.join(", ")), best.0 == 1024)
    });
    let cells_grow: Vec<(f64, f64)> = sizes
        .iter()
        .filter_map(|&objects| {
            Some((objects as f64, average(results, objects, &who(Partition::Tree, 1024), "cells")?))
        })
        .collect();
    let grow = (cells_grow.len() == SIZES.len()).then(|| exponent(&cells_grow)).flatten();
    vec![
        finding("There are at least n / c cells, and no more than c objects in a cell on average.", bounds),
        finding(
            "16,000 objects in cells of 8,192: 2 cells, 8,130 objects in a cell (grid) and 8,120 (tree).",
            two(Partition::Grid).zip(two(Partition::Tree)).map(|(grid, tree)| {
                let said = format!(
                    "grid {} cells of {}, tree {} cells of {}",
                    number(Some(grid.0)),
                    number(Some(grid.1)),
                    number(Some(tree.0)),
                    number(Some(tree.1))
                );
                (said, grid.0 <= 3.0 && tree.0 <= 3.0 && grid.1.max(tree.1) <= 8192.0)
            }),
        ),
        finding(
            "There 2,277.3 pairs become 2,294.9 (grid) and 2,295.3 (tree) with duplicates: 0.8 % more.",
            twice(Partition::Grid).zip(twice(Partition::Tree)).map(|(grid, tree)| {
                let said = format!("grid {}, tree {} more", percent(Some(grid)), percent(Some(tree)));
                (said, grid.max(tree) < 0.05)
            }),
        ),
        finding(
            "The number of cells grows about with the square of the number of objects.",
            grow.map(|grow| (format!("tree, 1,024 in a cell: n^{grow:.2}"), grow > 1.5)),
        ),
        finding("The tree beats the grid always.", tree_wins),
        finding("The fewer objects in a cell the better: 1,024 or less.", least),
    ]
}
