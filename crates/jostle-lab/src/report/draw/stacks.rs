//! Stacked bars: what the parts of a whole add, group by group, with the sum at the end.

use anyhow::Result;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Ink, fill, legend, legend_height, path, picture, write};
use super::scale::Scale;
use super::sideways::{Rows, frame};
use crate::numbers::three_digits;
use crate::report::{Axis, Stack};

const BAR: i32 = 18;

/// The picture; `None` without heights.
pub(super) fn draw(axis: &Axis, groups: &[String], stacks: &[Stack]) -> Result<Option<String>> {
    let height = |stack: &Stack, group: usize| stack.heights.get(group).copied().unwrap_or(0.0).max(0.0);
    let totals: Vec<f64> =
        (0..groups.len()).map(|group| stacks.iter().map(|stack| height(stack, group)).sum()).collect();
    // A bar has no length on a logarithmic axis.
    let axis = &Axis { logarithmic: false, ..axis.clone() };
    if totals.iter().all(|total| *total <= 0.0) {
        return Ok(None);
    }
    let Some(scale) = Scale::new(axis, totals.iter().copied(), 6) else { return Ok(None) };
    let names: Vec<&str> = stacks.iter().map(|stack| stack.name.as_str()).collect();
    let rows = Rows::new(groups, legend_height(&names) + 12, BAR, 9, 60);
    let drawn = picture(rows.height(), |area| {
        legend(area, &names)?;
        frame(area, axis, &scale, groups, &rows)?;
        for (group, total) in totals.iter().enumerate() {
            let y = rows.top(group);
            let mut sum = 0.0;
            for (index, stack) in stacks.iter().enumerate() {
                let from = rows.across(&scale, sum);
                sum += height(stack, group);
                let to = rows.across(&scale, sum);
                if to > from {
                    fill(area, [(from, y), (to, y + BAR)], Ink::Series(index))?;
                    // A thin gap tells neighbours of similar colour apart.
                    path(area, vec![(to, y), (to, y + BAR)], Ink::Page, 1)?;
                }
            }
            if *total > 0.0 {
                let at = (rows.across(&scale, *total) + 6, y + BAR / 2);
                write(area, &three_digits(*total), at, Ink::Muted, HPos::Left, VPos::Center)?;
            }
        }
        Ok(())
    })?;
    Ok(Some(drawn))
}
