//! What all plots share: sizes, text, colours that become variables of the page's style, and the legend.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Of all plots; the page scales them to its column.
pub(super) const WIDTH: i32 = 760;
/// Of letters: 13 pixels in the picture, which plotters takes for 16. And how wide a letter is
/// on average, in fonts that are wide.
pub(super) const FONT: i32 = 16;
const LETTER: f64 = 8.3;
/// How many colours can be told apart; series beyond them repeat them in another shape or shade.
pub(super) const COLOURS: usize = 7;

/// A colour of the page's style. Only [`styled`] knows what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Text,
    Muted,
    Grid,
    Axis,
    Page,
    Series(usize),
}

impl Ink {
    const FIXED: [(Self, &'static str); 5] = [
        (Self::Text, "--text"),
        (Self::Muted, "--muted"),
        (Self::Grid, "--grid"),
        (Self::Axis, "--axis"),
        (Self::Page, "--page"),
    ];

    /// The placeholder: colours nobody would draw with.
    pub(super) fn colour(self) -> RGBColor {
        match self {
            Self::Text => RGBColor(2, 0, 1),
            Self::Muted => RGBColor(2, 0, 2),
            Self::Grid => RGBColor(2, 0, 3),
            Self::Axis => RGBColor(2, 0, 4),
            Self::Page => RGBColor(2, 0, 5),
            Self::Series(index) => RGBColor(1, 0, (index % COLOURS) as u8),
        }
    }
}

/// How wide a text is drawn, at most.
pub(super) fn width(text: &str) -> i32 {
    (text.chars().count() as f64 * LETTER).ceil() as i32
}

/// Draws on an empty picture of the common width.
pub(super) fn picture(height: i32, draw: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH as u32, height as u32)).into_drawing_area();
        draw(&area)?;
        area.present().map_err(trouble)?;
    }
    Ok(text)
}

/// What plotters says, as an error of ours.
pub(super) fn trouble(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

/// Writes a line of text; `across` and `down` say which point of it stands at `at`.
pub(super) fn write(
    area: &Area<'_>,
    text: &str,
    at: (i32, i32),
    ink: Ink,
    across: HPos,
    down: VPos,
) -> Result<()> {
    let style = ("sans-serif", FONT).into_font().color(&ink.colour()).pos(Pos::new(across, down));
    area.draw(&Text::new(text.to_string(), at, style)).map_err(trouble)
}

/// Draws a line through points.
pub(super) fn path(area: &Area<'_>, points: Vec<(i32, i32)>, ink: Ink, width: u32) -> Result<()> {
    area.draw(&PathElement::new(points, ink.colour().stroke_width(width))).map_err(trouble)
}

/// Fills a rectangle; series beyond the colours are paler.
pub(super) fn fill(area: &Area<'_>, corners: [(i32, i32); 2], ink: Ink) -> Result<()> {
    let strength = match ink {
        Ink::Series(index) => [1.0, 0.45, 0.2][index / COLOURS % 3],
        _ => 1.0,
    };
    tint(area, corners, ink, strength)
}

/// Fills a rectangle as strongly as asked, 0 to 1.
pub(super) fn tint(area: &Area<'_>, corners: [(i32, i32); 2], ink: Ink, strength: f64) -> Result<()> {
    area.draw(&Rectangle::new(corners, ink.colour().mix(strength).filled())).map_err(trouble)
}

/// Where the entries of a legend go, and how high it is.
fn legend_places(names: &[&str]) -> (Vec<(i32, i32)>, i32) {
    const ROW: i32 = 20;
    let (mut x, mut y) = (0, 0);
    let mut places = Vec::new();
    for name in names {
        let wide = width(name) + 36;
        if x > 0 && x + wide > WIDTH {
            (x, y) = (0, y + ROW);
        }
        places.push((x, y));
        x += wide;
    }
    (places, y + ROW)
}

/// How high the legend of these names is.
pub(super) fn legend_height(names: &[&str]) -> i32 {
    legend_places(names).1
}

/// A coloured square and a name for each series, from the top left on.
pub(super) fn legend(area: &Area<'_>, names: &[&str]) -> Result<()> {
    let (places, _) = legend_places(names);
    for (index, (name, (x, y))) in names.iter().zip(places).enumerate() {
        fill(area, [(x, y + 3), (x + 12, y + 15)], Ink::Series(index))?;
        write(area, name, (x + 18, y + 9), Ink::Text, HPos::Left, VPos::Center)?;
    }
    Ok(())
}

/// The picture with the colours of the page, and with what it shows for those who cannot see it.
pub(super) fn styled(picture: &str, caption: &str) -> String {
    let mut text = picture.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{caption}\" "), 1);
    let series = (0..COLOURS).map(|index| (Ink::Series(index), format!("--c{index}")));
    let fixed = Ink::FIXED.into_iter().map(|(ink, name)| (ink, name.to_string()));
    for (ink, variable) in fixed.chain(series) {
        let RGBColor(red, green, blue) = ink.colour();
        text = text.replace(&format!("#{red:02X}{green:02X}{blue:02X}"), &format!("var({variable})"));
    }
    text
}
