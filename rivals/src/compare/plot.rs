//! Time over the number of boxes, both logarithmic, one line per contestant, as a picture inside a page.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::cell::Row;
use super::numbers::{short_count, three_digits};

/// Drawn for what must follow the colour of the page's text; replaced in the finished picture.
const TEXT: RGBColor = RGBColor(1, 2, 3);
const GRID: RGBColor = RGBColor(127, 127, 127);

/// Colours that can be told apart on white and on black.
const COLOURS: [&str; 14] = [
    "#e5484d", "#3b82f6", "#22a06b", "#d97706", "#a855f7", "#0891b2", "#db2777", "#7c8b1e", "#6366f1",
    "#b45309", "#14b8a6", "#9ca3af", "#ef7a5a", "#8b5cf6",
];

/// The colour of a contestant: the same in all pictures of a report.
pub(super) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

fn rgb(index: usize) -> RGBColor {
    let text = &colour(index)[1..];
    let part = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or(128);
    RGBColor(part(0), part(2), part(4))
}

/// A count if it is a power of ten: labels between them would run into each other.
fn decade(n: usize) -> String {
    if n > 0 && n == 10usize.pow(n.ilog10()) { short_count(n) } else { String::new() }
}

/// The picture of some rows (one stream, one number of threads); `names` gives the colours.
pub(super) fn svg(title: &str, rows: &[&Row], names: &[String]) -> Result<String> {
    let sizes: Vec<f64> = rows.iter().map(|row| row.n as f64).collect();
    let times: Vec<f64> = rows.iter().map(|row| row.median_ms).filter(|ms| *ms > 0.0).collect();
    let range = |values: &[f64], room: f64| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low <= high { (low / room)..(high * room) } else { 0.1..1.0 }
    };
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (460, 340)).into_drawing_area();
        let text = |size: u32| ("sans-serif", size).into_font().color(&TEXT);
        let draw = |error: DrawingAreaErrorKind<_>| anyhow!("cannot draw: {error}");
        let mut chart = ChartBuilder::on(&root)
            .caption(title, text(16))
            .margin(8)
            .x_label_area_size(34)
            .y_label_area_size(52)
            .build_cartesian_2d(range(&sizes, 1.3).log_scale(), range(&times, 1.5).log_scale())
            .map_err(draw)?;
        chart
            .configure_mesh()
            .bold_line_style(GRID.mix(0.35))
            .light_line_style(GRID.mix(0.12))
            .axis_style(GRID)
            .label_style(text(12))
            .x_desc("boxes")
            .y_desc("ms per frame")
            .x_label_formatter(&|n| decade(n.round() as usize))
            .y_label_formatter(&|ms| three_digits(*ms))
            .draw()
            .map_err(draw)?;
        // Ours come first and are drawn last, on top of the others.
        for (index, name) in names.iter().enumerate().rev() {
            let points: Vec<(f64, f64)> = rows
                .iter()
                .filter(|row| row.name == *name && row.median_ms > 0.0)
                .map(|row| (row.n as f64, row.median_ms))
                .collect();
            let is_ours = rows.iter().any(|row| row.name == *name && row.ours);
            let style = rgb(index).stroke_width(if is_ours { 4 } else { 2 });
            chart.draw_series(LineSeries::new(points.iter().copied(), style)).map_err(draw)?;
            let dots = points.iter().map(|&point| Circle::new(point, 3, rgb(index).filled()));
            chart.draw_series(dots).map_err(draw)?;
        }
        root.present().map_err(draw)?;
    }
    Ok(picture.replace("#010203", "currentColor"))
}
