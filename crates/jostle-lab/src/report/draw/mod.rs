//! Draws plots as SVG, by the plotting library plotters.
//!
//! Colours are drawn as placeholders and become variables of the page's style, so that one picture suits light, dark and
//! paper. Spreads and stacks lie on their side: names of groups are words, and need the room.

mod canvas;
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
    };
    Ok(match picture {
        Some(picture) => canvas::styled(&picture, &escaped(plot.caption())),
        None => "<p class=\"claim\">Nothing of this was measured.</p>\n".to_string(),
    })
}
