//! Box plots: a box from the lower to the upper quartile, a line at the median, whiskers to the 1st and 99th percentile.

use anyhow::Result;
use plotters::prelude::*;

use super::canvas::{Ink, fill, legend, legend_height, path, picture, trouble};
use super::scale::Scale;
use super::sideways::{Rows, frame};
use crate::numbers::{median, percentile};
use crate::report::{Axis, Spread};

/// Of a box, and between two boxes of a group.
const BOX: i32 = 12;
const GAP: i32 = 4;

/// The picture; `None` without values.
pub(super) fn draw(axis: &Axis, groups: &[String], spreads: &[Spread]) -> Result<Option<String>> {
    let values = spreads.iter().flat_map(|spread| &spread.values);
    let reached = values.flat_map(|values| [0.01, 0.99].map(|share| percentile(values, share))).flatten();
    let Some(scale) = Scale::new(axis, reached, 6) else { return Ok(None) };
    let names: Vec<&str> = spreads.iter().map(|spread| spread.name.as_str()).collect();
    let top = if names.len() > 1 { legend_height(&names) + 14 } else { 6 };
    let rows = Rows::new(groups, top, spreads.len() as i32 * (BOX + GAP) - GAP, 14, 16);
    let drawn = picture(rows.height(), |area| {
        if names.len() > 1 {
            legend(area, &names)?;
        }
        frame(area, axis, &scale, groups, &rows)?;
        for (index, spread) in spreads.iter().enumerate() {
            for (group, values) in spread.values.iter().enumerate().take(groups.len()) {
                let shares = [0.01, 0.25, 0.75, 0.99].map(|share| percentile(values, share));
                let [Some(low), Some(lower), Some(upper), Some(high)] = shares else { continue };
                let Some(middle) = median(values) else { continue };
                let [low, lower, middle, upper, high] =
                    [low, lower, middle, upper, high].map(|value| rows.across(&scale, value));
                let y = rows.top(group) + index as i32 * (BOX + GAP);
                let (ink, half) = (Ink::Series(index), y + BOX / 2);
                path(area, vec![(low, half), (high, half)], ink, 1)?;
                for end in [low, high] {
                    path(area, vec![(end, half - 3), (end, half + 3)], ink, 1)?;
                }
                fill(area, [(lower - 1, y), (upper + 1, y + BOX)], ink)?;
                let line = Rectangle::new(
                    [(middle - 1, y - 1), (middle + 1, y + BOX + 1)],
                    Ink::Text.colour().filled(),
                );
                area.draw(&line).map_err(trouble)?;
            }
        }
        Ok(())
    })?;
    Ok(Some(drawn))
}
