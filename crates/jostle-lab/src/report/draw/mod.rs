//! Draws plots as SVG, by the plotting library plotters.
//!
//! Colours are drawn as placeholders and become variables of the page's style, so that one picture suits light, dark and
//! paper. Spreads and stacks lie on their side: names of groups are words, and need the room.

mod canvas;
mod heat;
mod labels;
mod lines;
mod scale;
mod sideways;
mod spreads;
mod stacks;

use anyhow::Result;

use super::Plot;
use super::html::escaped;

/// The picture of a plot.
pub(super) fn svg(plot: &Plot) -> Result<String> {
    let picture = match plot {
        Plot::Lines { x, y, lines, .. } => lines::draw(x, y, lines)?,
        Plot::Spreads { y, groups, spreads, .. } => spreads::draw(y, groups, spreads)?,
        Plot::Stacks { y, groups, stacks, .. } => stacks::draw(y, groups, stacks)?,
        Plot::Heat(heat) => heat::draw(heat)?,
    };
    Ok(match picture {
        Some(picture) => canvas::styled(&picture, &escaped(plot.caption())),
        None => "<p class=\"claim\">Nothing of this was measured, or all of it is zero.</p>\n".to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Axis, Heat, Line, Spread, Stack};

    fn lines(lines: Vec<Line>) -> Plot {
        Plot::Lines { caption: "a < b".to_string(), x: Axis::new("frame"), y: Axis::new("ms"), lines }
    }

    fn line(name: &str, points: Vec<(f64, f64)>) -> Line {
        Line { name: name.to_string(), points, fitted: true }
    }

    /// What studies may hand over when little was measured: every kind of plot with nothing, one value, zeros.
    #[test]
    fn poor_plots_are_drawn_or_said_to_be_empty() {
        let log = || Axis::new("ms").logarithmic();
        let spreads = |values: Vec<f64>| Plot::Spreads {
            caption: String::new(),
            y: log(),
            groups: vec!["one".to_string(), "two".to_string()],
            spreads: vec![Spread { name: "grid".to_string(), values: vec![values] }],
        };
        let stacks = |heights: Vec<f64>| Plot::Stacks {
            caption: String::new(),
            y: log(),
            groups: vec!["one".to_string(), "two".to_string()],
            stacks: vec![Stack { name: "sort".to_string(), heights }],
        };
        let heat = |values: Vec<Option<f64>>| {
            let (rows, columns) = (vec!["a scene".to_string()], vec!["grid".to_string(), "tree".to_string()]);
            Plot::Heat(Heat { caption: String::new(), rows, columns, values: vec![values], timed: true })
        };
        for (plot, drawn) in [
            (lines(vec![]), false),
            (lines(vec![line("grid", vec![])]), false),
            (lines(vec![line("grid", vec![(0.0, 0.0)])]), true),
            (lines(vec![line("grid", vec![(1.0, f64::NAN), (2.0, 1.0)])]), true),
            (spreads(vec![]), false),
            (spreads(vec![0.0]), false),
            (spreads(vec![1.5]), true),
            (stacks(vec![]), false),
            (stacks(vec![0.0, 0.0]), false),
            (stacks(vec![0.0, 2.0]), true),
            (heat(vec![]), false),
            (heat(vec![None, None]), false),
            (heat(vec![None, Some(0.0)]), true),
            (heat(vec![Some(f64::NAN), Some(3e9)]), true),
        ] {
            let svg = svg(&plot).unwrap();
            assert_eq!(svg.contains("<svg "), drawn, "{plot:?}: {svg}");
            assert!(drawn || svg.contains("Nothing of this was measured"), "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("#0"), "{svg}");
        }
    }

    #[test]
    fn colours_become_those_of_the_page() {
        let many =
            (0..9).map(|index| line(&format!("finder {index}"), vec![(0.0, 1.0), (9.0, 2.0 + index as f64)]));
        let svg = svg(&lines(many.collect())).unwrap();
        for variable in ["--text", "--muted", "--grid", "--axis", "--c0", "--c6"] {
            assert!(svg.contains(&format!("\"var({variable})\"")), "{variable}: {svg}");
        }
        assert!(svg.contains("aria-label=\"a &lt; b\""), "{svg}");
    }
}
