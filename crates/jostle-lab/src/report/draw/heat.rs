//! Heat maps: a number for each row and column, the darker the more it exceeds the least of its row.

use anyhow::Result;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Ink, WIDTH, path, picture, tint, width, write};
use super::sideways::shortened;
use crate::report::Heat;

const ROW: i32 = 21;
/// Of a line of column names.
const HEAD: i32 = 19;
/// Free on the right: the last name may be wider than its column.
const SPARE: i32 = 34;
/// What is written below.
const BOTTOM: i32 = 26;
const NOTE: &str = "green: within 10 % of the least of its row; the darker, the more of it, up to 100 times";
/// Within it a number counts as the least.
const LEAST: f64 = 1.1;
/// From here on cells are as dark as they get.
const MOST: f64 = 100.0;

/// The picture; `None` without numbers.
pub(super) fn draw(heat: &Heat) -> Result<Option<String>> {
    if !heat.values.iter().flatten().flatten().any(|value| value.is_finite()) {
        return Ok(None);
    }
    let left = heat.rows.iter().map(|row| width(&shortened(row))).max().unwrap_or(0) + 10;
    let columns = heat.columns.len().max(1) as i32;
    let edge = |column: usize| left + (WIDTH - SPARE - left) * column as i32 / columns;
    let widest = heat.columns.iter().map(|column| width(column)).max().unwrap_or(0);
    // Names wider than their columns stand on several lines in turn.
    let lines = ((widest + 6) / (edge(1) - edge(0)).max(1) + 1).clamp(1, 4);
    let top = lines * HEAD + 6;
    let bottom = top + ROW * heat.rows.len() as i32;
    let drawn = picture(bottom + BOTTOM, |area| {
        for (column, name) in heat.columns.iter().enumerate() {
            let (middle, line) = ((edge(column) + edge(column + 1)) / 2, column as i32 % lines);
            let base = line * HEAD + HEAD / 2;
            path(area, vec![(middle, base + HEAD / 2), (middle, top - 2)], Ink::Grid, 1)?;
            write(area, name, (middle, base), Ink::Muted, HPos::Center, VPos::Center)?;
        }
        for (index, (name, values)) in heat.rows.iter().zip(&heat.values).enumerate() {
            let y = top + ROW * index as i32;
            write(area, &shortened(name), (left - 8, y + ROW / 2), Ink::Text, HPos::Right, VPos::Center)?;
            let least = values.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            for (column, value) in values.iter().enumerate() {
                let corners = [(edge(column), y), (edge(column + 1) - 1, y + ROW - 1)];
                cell(area, corners, *value, least)?;
            }
        }
        write(area, NOTE, (left, bottom + BOTTOM - 6), Ink::Muted, HPos::Left, VPos::Bottom)
    })?;
    Ok(Some(drawn))
}

fn cell(area: &Area<'_>, corners: [(i32, i32); 2], value: Option<f64>, least: f64) -> Result<()> {
    let middle = ((corners[0].0 + corners[1].0) / 2, (corners[0].1 + corners[1].1) / 2);
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return write(area, "-", middle, Ink::Muted, HPos::Center, VPos::Center);
    };
    let (ink, strength) = shade(value, least);
    tint(area, corners, ink, strength)?;
    write(area, &Heat::short(value), middle, Ink::Text, HPos::Center, VPos::Center)
}

/// Colour and strength of a cell. Text on it must stay readable on light and dark pages.
fn shade(value: f64, least: f64) -> (Ink, f64) {
    if value <= least * LEAST {
        return (Ink::Series(2), 0.35);
    }
    // Of zero nothing is a multiple: whatever is more is as dark as it gets.
    let excess = if least > 0.0 { (value / least).min(MOST) } else { MOST };
    (Ink::Series(1), 0.04 + 0.5 * excess.ln() / MOST.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(value: f64, least: f64) -> f64 {
        shade(value, least).1
    }

    #[test]
    fn the_least_of_a_row_is_green_and_others_darken() {
        assert!(matches!(shade(1.0, 1.0).0, Ink::Series(2)) && matches!(shade(0.0, 0.0).0, Ink::Series(2)));
        assert!(matches!(shade(1.2, 1.0).0, Ink::Series(1)));
        assert!(strength(1.2, 1.0) < strength(5.0, 1.0) && strength(5.0, 1.0) < strength(90.0, 1.0));
        assert_eq!(strength(1e2, 1.0), strength(1e9, 1.0));
        assert_eq!(strength(3.0, 0.0), strength(1e9, 1.0));
    }
}
