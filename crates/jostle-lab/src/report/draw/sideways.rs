//! Plots that lie on their side: one row for each group, its name on the left, numbers from left to right.

use anyhow::Result;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Ink, WIDTH, path, width, write};
use super::scale::{Scale, number};
use crate::report::Axis;

/// Names of groups take at most this much.
const WIDEST_NAME: i32 = WIDTH * 2 / 5;
/// Numbers and label of the axis.
const BOTTOM: i32 = 48;
/// Plots higher than this have the numbers of the axis at their top too.
const HIGH: i32 = 600;
/// Rows higher than this are set apart by lines.
const HIGH_ROW: i32 = 24;

/// Where the rows of a plot are.
pub(super) struct Rows {
    left: i32,
    right: i32,
    above: i32,
    row: i32,
    gap: i32,
    count: i32,
}

impl Rows {
    /// Rows of this height below `above`, and `gap` between two; `spare` is kept free on the right.
    pub(super) fn new(groups: &[String], above: i32, row: i32, gap: i32, spare: i32) -> Self {
        let left = groups.iter().map(|group| width(group)).max().unwrap_or(0).min(WIDEST_NAME) + 12;
        let mut rows =
            Self { left, right: WIDTH - spare, above, row: row.max(16), gap, count: groups.len() as i32 };
        if rows.height() > HIGH {
            rows.above += 22;
        }
        rows
    }

    /// Of the whole picture.
    pub(super) fn height(&self) -> i32 {
        self.bottom() + BOTTOM
    }

    /// The upper edge of a row.
    pub(super) fn top(&self, group: usize) -> i32 {
        self.above + self.gap / 2 + group as i32 * (self.row + self.gap)
    }

    fn bottom(&self) -> i32 {
        self.above + self.count * (self.row + self.gap)
    }

    /// Where a number stands.
    pub(super) fn across(&self, scale: &Scale, value: f64) -> i32 {
        self.left + (scale.share(value) * f64::from(self.right - self.left)).round() as i32
    }
}

/// Draws lines, numbers and label of the axis, and the names of the groups.
pub(super) fn frame(
    area: &Area<'_>,
    axis: &Axis,
    scale: &Scale,
    groups: &[String],
    rows: &Rows,
) -> Result<()> {
    let bottom = rows.bottom();
    for tick in scale.ticks() {
        let x = rows.across(scale, *tick);
        path(area, vec![(x, rows.above), (x, bottom)], Ink::Grid, 1)?;
        write(area, &number(*tick), (x, bottom + 6), Ink::Muted, HPos::Center, VPos::Top)?;
        if rows.height() > HIGH {
            write(area, &number(*tick), (x, rows.above - 6), Ink::Muted, HPos::Center, VPos::Bottom)?;
        }
    }
    for group in 1..groups.len() {
        let y = rows.top(group) - rows.gap / 2;
        if rows.row > HIGH_ROW {
            path(area, vec![(0, y), (rows.right, y)], Ink::Grid, 1)?;
        }
    }
    path(area, vec![(rows.left, rows.above), (rows.left, bottom)], Ink::Axis, 1)?;
    let middle = (rows.left + rows.right) / 2;
    write(area, &axis.label, (middle, rows.height() - 4), Ink::Muted, HPos::Center, VPos::Bottom)?;
    for (index, group) in groups.iter().enumerate() {
        let y = rows.top(index) + rows.row / 2;
        write(area, &shortened(group), (rows.left - 8, y), Ink::Text, HPos::Right, VPos::Center)?;
    }
    Ok(())
}

/// The name with its end left out if it is too wide.
pub(super) fn shortened(name: &str) -> String {
    if width(name) <= WIDEST_NAME {
        return name.to_string();
    }
    let letters = name.chars().count() * WIDEST_NAME as usize / width(name) as usize;
    format!("{}\u{2026}", name.chars().take(letters.saturating_sub(1)).collect::<String>())
}
