//! Lines over numbers, each named at its end.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, COLOURS, FONT, Ink, WIDTH, path, picture, trouble, width, write};
use super::labels::spread;
use super::scale::{Scale, number};
use crate::numbers::exponent;
use crate::report::{Axis, Line};

/// Between two names.
const GAP: i32 = 17;
/// Lines of more points have no mark on each.
const MARKED: usize = 40;
const TOP: i32 = 30;
const BOTTOM: i32 = 52;

/// Where a line ends, and what is written there.
struct End {
    at: (i32, i32),
    label: String,
    ink: Ink,
}

/// The picture; `None` without points.
pub(super) fn draw(x: &Axis, y: &Axis, lines: &[Line]) -> Result<Option<String>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    // Longer numbers need more room.
    let most_ticks = if points().any(|point| point.0 >= 1e6) { 5 } else { 7 };
    let Some(across) = Scale::new(x, points().map(|point| point.0), most_ticks) else { return Ok(None) };
    let Some(up) = Scale::new(y, points().map(|point| point.1), 6) else { return Ok(None) };
    let labels: Vec<String> = lines.iter().map(label).collect();
    let left = up.ticks().iter().map(|tick| width(&number(*tick))).max().unwrap_or(0) + 10;
    let right = (labels.iter().map(|label| width(label)).max().unwrap_or(0) + 22).min(WIDTH / 3);
    let height = (GAP * lines.len() as i32 + TOP + BOTTOM + 20).max(400);
    let shown = |point: &&(f64, f64)| (!x.logarithmic || point.0 > 0.0) && (!y.logarithmic || point.1 > 0.0);
    let drawn = picture(height, |area| {
        let text = ("sans-serif", FONT).into_font().color(&Ink::Muted.colour());
        let mut chart = ChartBuilder::on(area)
            .margin_top(TOP)
            .margin_right(right)
            .margin_bottom(BOTTOM - 26)
            .set_label_area_size(LabelAreaPosition::Left, left)
            .set_label_area_size(LabelAreaPosition::Bottom, 26)
            .build_cartesian_2d(across, up)
            .map_err(trouble)?;
        chart
            .configure_mesh()
            .bold_line_style(Ink::Grid.colour())
            .light_line_style(TRANSPARENT)
            .axis_style(Ink::Axis.colour())
            .label_style(text)
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| number(*value))
            .draw()
            .map_err(trouble)?;
        let mut ends = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let ink = Ink::Series(index);
            let points: Vec<(f64, f64)> = line.points.iter().filter(shown).copied().collect();
            let places: Vec<(i32, i32)> = points.iter().map(|point| chart.backend_coord(point)).collect();
            let Some(&at) = places.last() else { continue };
            let weight = if places.len() > MARKED { 1 } else { 2 };
            path(area, thinned(&places), ink, weight)?;
            if places.len() <= MARKED {
                places.iter().try_for_each(|place| mark(area, *place, index))?;
            }
            ends.push(End { at, label: labels[index].clone(), ink });
        }
        write(area, &y.label, (0, 2), Ink::Muted, HPos::Left, VPos::Top)?;
        let middle = (left + WIDTH - right) / 2;
        write(area, &x.label, (middle, height - 4), Ink::Muted, HPos::Center, VPos::Bottom)?;
        name_ends(area, &ends, WIDTH - right, TOP + 6, height - BOTTOM - 6)
    })?;
    Ok(Some(drawn))
}

fn label(line: &Line) -> String {
    match exponent(&line.points).filter(|_| line.fitted) {
        Some(exponent) => format!("{}  n^{exponent:.2}", line.name),
        None => line.name.clone(),
    }
}

/// Writes the names: at the edge for lines that reach it, where they end for the others.
fn name_ends(area: &Area<'_>, ends: &[End], edge: i32, top: i32, bottom: i32) -> Result<()> {
    let reaches = |end: &End| end.at.0 > edge - 40;
    let mut columns: Vec<i32> = ends.iter().filter(|end| !reaches(end)).map(|end| end.at.0).collect();
    columns.sort_unstable();
    columns.dedup();
    let inner = columns.into_iter().map(|column| (column, false));
    for (column, at_edge) in inner.chain([(edge, true)]) {
        let mine = |end: &&End| if at_edge { reaches(end) } else { !reaches(end) && end.at.0 == column };
        let group: Vec<&End> = ends.iter().filter(mine).collect();
        let wanted: Vec<i32> = group.iter().map(|end| end.at.1).collect();
        for (end, place) in group.iter().zip(spread(&wanted, GAP, top, bottom)) {
            let from = column + if at_edge { 14 } else { 12 };
            path(area, vec![(end.at.0 + 5, end.at.1), (from - 3, place)], end.ink, 1)?;
            if !at_edge {
                let corners = [(from, place - GAP / 2), (from + width(&end.label), place + GAP / 2)];
                let veil = Rectangle::new(corners, Ink::Page.colour().mix(0.7).filled());
                area.draw(&veil).map_err(trouble)?;
            }
            write(area, &end.label, (from, place), Ink::Text, HPos::Left, VPos::Center)?;
        }
    }
    Ok(())
}

/// A mark on a point: lines of the same colour have different ones.
fn mark(area: &Area<'_>, at: (i32, i32), index: usize) -> Result<()> {
    let style = Ink::Series(index).colour().filled();
    match index / COLOURS % 3 {
        0 => area.draw(&Circle::new(at, 4, style)),
        1 => area.draw(&Rectangle::new([(at.0 - 4, at.1 - 4), (at.0 + 4, at.1 + 4)], style)),
        _ => area.draw(&TriangleMarker::new(at, 6, style)),
    }
    .map_err(trouble)
}

/// A line of thousands of points as it looks at this size: of the points in one column of pixels only the first, the
/// highest, the lowest and the last. No peak is lost.
fn thinned(places: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut kept: Vec<(i32, i32)> = Vec::new();
    for column in places.chunk_by(|a, b| a.0 == b.0) {
        let heights = column.iter().map(|place| place.1);
        let (Some(high), Some(low)) = (heights.clone().min(), heights.max()) else { continue };
        let x = column[0].0;
        for y in [column[0].1, high, low, column[column.len() - 1].1] {
            if kept.last() != Some(&(x, y)) {
                kept.push((x, y));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_every_peak() {
        let places: Vec<(i32, i32)> =
            (0..10_000).map(|i| (i / 20, if i == 7777 { 3 } else { 200 + i % 7 })).collect();
        let kept = thinned(&places);
        assert!(kept.len() <= 4 * 500 && kept.contains(&(7777 / 20, 3)));
        assert!(kept.iter().all(|place| places.contains(place)));
        let few = [(1, 5), (2, 9), (4, 1)];
        assert_eq!(thinned(&few), few);
    }
}
