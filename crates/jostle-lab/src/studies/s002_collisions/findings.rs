//! What the thesis found out about number and size of objects, and whether it holds here.

use super::{COUNTS, SIZES, cell, everywhere};
use crate::report::Finding;
use crate::studies::figures::{change, finding, growth, percent, ratio, times};
use crate::studies::rooms::View;

/// Finders of the thesis with the growth of their broad phase it printed, in percent: from 100 to 500 objects of 25 m, and from
/// 25 to 150 m with 500 objects.
pub(super) const PUBLISHED: [(&str, f64, f64); 3] =
    [("all-pairs", 1602.0, 25.0), ("sap", 567.0, -8.0), ("tree", 519.0, 76.0)];
/// The same of the narrow phase with SAP.
pub(super) const PUBLISHED_NARROW: (f64, f64) = (637.0, 538.0);

/// Growth of a measure in percent.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    /// From 100 to 500 objects of 25 m.
    pub(super) by_number: Option<f64>,
    /// From 25 to 150 m, 500 objects.
    pub(super) by_size: Option<f64>,
}

impl Growth {
    pub(super) fn of(measure: impl Fn(&str) -> Option<f64>) -> Self {
        let (few, many, large) = (measure(&cell(100, 25)), measure(&cell(500, 25)), measure(&cell(500, 150)));
        Self { by_number: growth(few, many), by_size: growth(many, large) }
    }
}

/// In how many of the thirty something holds, if all were measured.
fn everywhere_holds(of: impl Fn(&str) -> Option<bool>) -> Option<(String, bool)> {
    let held: Vec<bool> =
        everywhere().map(|(objects, size)| of(&cell(objects, size))).collect::<Option<_>>()?;
    let count = held.iter().filter(|held| **held).count();
    Some((format!("in {count} of {}", held.len()), count == held.len()))
}

/// Does the percentage of colliding objects rise with their size, for every number of objects?
fn rises_with_size(view: &View<'_>) -> Option<(String, bool)> {
    let mut rises = true;
    let mut ends = Vec::new();
    for objects in COUNTS {
        let shares: Vec<f64> =
            SIZES.iter().map(|&size| view.colliding(&cell(objects, size), objects)).collect::<Option<_>>()?;
        rises &= shares.windows(2).all(|two| two[0] < two[1]);
        ends.push(format!(
            "n = {objects}: {} to {}",
            percent(Some(shares[0])),
            percent(Some(shares[SIZES.len() - 1]))
        ));
    }
    Some((format!("from 25 to 150 m: {}", ends.join("; ")), rises))
}

/// Over the numbers of objects the percentage may differ by this factor and still count as about constant: with few objects
/// more of them are at the walls and fewer have neighbours on all sides.
pub(super) const ABOUT_CONSTANT: f64 = 2.0;

fn constant_in_number(view: &View<'_>) -> Option<(String, bool)> {
    let mut worst: (f64, u32) = (1.0, 0);
    for size in SIZES {
        let shares: Vec<f64> = COUNTS
            .iter()
            .map(|&objects| view.colliding(&cell(objects, size), objects))
            .collect::<Option<_>>()?;
        let (least, most) = shares.iter().fold((f64::MAX, 0f64), |(a, b), &x| (a.min(x), b.max(x)));
        if most / least > worst.0 {
            worst = (most / least, size);
        }
    }
    let rise = |size: u32| view.colliding(&cell(500, size), 500);
    let by_size = ratio(rise(150), rise(25))?;
    let said = format!(
        "over n it differs by {} at most (at {} m); over the size by {} at n = 500",
        times(Some(worst.0)),
        worst.1,
        times(Some(by_size))
    );
    Some((said, worst.0 < ABOUT_CONSTANT && worst.0 < by_size))
}

pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let narrow = Growth::of(|cell| view.narrow(cell).map(|of| of.mean));
    let grown = |finder: &str| Growth::of(|cell| view.mean(cell, finder));
    let published = |which: fn(&(&str, f64, f64)) -> f64| {
        PUBLISHED
            .iter()
            .map(|row| format!("{} {}", row.0, change(Some(which(row)))))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let today = |which: fn(Growth) -> Option<f64>| -> Option<Vec<f64>> {
        PUBLISHED.iter().map(|(finder, ..)| which(grown(finder))).collect()
    };
    let said = |values: &[f64]| {
        let each = PUBLISHED
            .iter()
            .zip(values)
            .map(|((finder, ..), value)| format!("{finder} {}", change(Some(*value))));
        each.collect::<Vec<_>>().join(", ")
    };
    let order = |cell: &str| {
        let (sap, tree, all) =
            (view.mean(cell, "sap")?, view.mean(cell, "tree")?, view.mean(cell, "all-pairs")?);
        Some(sap < tree && tree < all)
    };
    let shares = |cell: &str| {
        let share = |finder: &str| view.broad_share(cell, finder);
        let (sap, tree, all) = (share("sap")?, share("tree")?, share("all-pairs")?);
        Some(all > tree && tree > sap)
    };
    let narrow_longer = |cell: &str| {
        let share = |finder: &str| view.broad_share(cell, finder);
        Some(share("sap")? < 0.5 && share("tree")? < 0.5 && share("all-pairs")? < 0.5)
    };
    vec![
        finding(
            "The percentage of potentially colliding objects rises with their size.",
            rises_with_size(view),
        ),
        finding(
            "It is about constant in the number of objects, because the density is (here: within a factor of 2, and less than over \
             the size).",
            constant_in_number(view),
        ),
        finding(
            format!(
                "Broad phase from 100 to 500 objects of 25 m: {}; all-pairs grows far more than the other two.",
                published(|row| row.1)
            ),
            today(|growth| growth.by_number)
                .map(|values| (said(&values), values[0] > 1.5 * values[1] && values[0] > 1.5 * values[2])),
        ),
        finding(
            format!(
                "Broad phase from 25 to 150 m, 500 objects: {}; size matters less than number, least for SAP.",
                published(|row| row.2)
            ),
            today(|growth| growth.by_size).zip(today(|growth| growth.by_number)).map(
                |(by_size, by_number)| {
                    let less = by_size.iter().zip(&by_number).all(|(size, number)| size < number);
                    (said(&by_size), less && by_size[1] < by_size[0] && by_size[1] < by_size[2])
                },
            ),
        ),
        finding(
            format!(
                "Narrow phase with SAP: {} from 100 to 500 objects, {} from 25 to 150 m: size matters far more than for the broad \
                 phase.",
                change(Some(PUBLISHED_NARROW.0)),
                change(Some(PUBLISHED_NARROW.1))
            ),
            narrow.by_number.zip(narrow.by_size).zip(grown("sap").by_size).map(
                |((by_number, by_size), broad)| {
                    let said = format!(
                        "{} by number, {} by size (sap's broad phase {})",
                        change(Some(by_number)),
                        change(Some(by_size)),
                        change(Some(broad))
                    );
                    (said, by_size > 100.0 && by_size > 2.0 * broad)
                },
            ),
        ),
        finding("Broad phase: SAP is fastest, then DBVT, then all-pairs.", everywhere_holds(order)),
        finding(
            "Ratio: the narrow phase takes longer than the broad phase, for every algorithm and benchmark.",
            everywhere_holds(narrow_longer),
        ),
        finding(
            "Ratio: the part of the broad phase is largest with all-pairs, then DBVT, then SAP.",
            everywhere_holds(shares),
        ),
    ]
}
