//! What a plot shows. How it looks is decided where it is drawn.

/// A plot, before it is drawn.
#[derive(Clone, Debug)]
pub(crate) enum Plot {
    /// Lines over numbers: cost over size (both axes logarithmic, with the exponent of each line), time over frames.
    Lines { caption: String, x: Axis, y: Axis, lines: Vec<Line> },
    /// Box plots: median, quartiles, 1st and 99th percentile, one for each named group and contestant.
    Spreads { caption: String, y: Axis, groups: Vec<String>, spreads: Vec<Spread> },
    /// Stacked bars: stages of a frame, one bar for each named group.
    Stacks { caption: String, y: Axis, groups: Vec<String>, stacks: Vec<Stack> },
    /// A number for each row and column, coloured.
    Heat(Heat),
}

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// With its unit.
    pub(crate) label: String,
    pub(crate) logarithmic: bool,
    /// Do its numbers depend on the clock? Two reports of a seed differ in nothing else.
    pub(crate) timed: bool,
}

impl Axis {
    /// From zero, of numbers that are the same in every run.
    pub(crate) fn new(label: &str) -> Self {
        Self { label: label.to_string(), logarithmic: false, timed: false }
    }

    /// The same, logarithmic.
    pub(crate) fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }

    /// The same, of times, or of anything else that depends on the clock.
    pub(crate) fn timed(self) -> Self {
        Self { timed: true, ..self }
    }
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Say the exponent of a power law fitted to it beside its name.
    pub(crate) fitted: bool,
}

/// The values of one contestant in each group.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) name: String,
    pub(crate) values: Vec<Vec<f64>>,
}

/// The height of one stage in each group.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) name: String,
    pub(crate) heights: Vec<f64>,
}

/// A heat map. Texts show it as a table.
#[derive(Clone, Debug)]
pub(crate) struct Heat {
    pub(crate) caption: String,
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    /// Of each row, of each column; `None`: not measured.
    pub(crate) values: Vec<Vec<Option<f64>>>,
    /// Do its numbers depend on the clock?
    pub(crate) timed: bool,
}

impl Heat {
    /// A number as short as a cell needs it.
    pub(super) fn short(value: f64) -> String {
        match value {
            value if value >= 99_950.0 => format!("{:.0}k", value / 1e3),
            value if value >= 9.95 || value == 0.0 => format!("{value:.0}"),
            value if value >= 0.095 => format!("{value:.1}"),
            value => format!("{value:.2}"),
        }
    }
}

impl Plot {
    pub(super) fn caption(&self) -> &str {
        match self {
            Self::Lines { caption, .. } | Self::Spreads { caption, .. } | Self::Stacks { caption, .. } => {
                caption
            }
            Self::Heat(heat) => &heat.caption,
        }
    }

    /// Does it show anything that depends on the clock?
    pub(super) fn is_timed(&self) -> bool {
        match self {
            Self::Lines { x, y, .. } => x.timed || y.timed,
            Self::Spreads { y, .. } | Self::Stacks { y, .. } => y.timed,
            Self::Heat(heat) => heat.timed,
        }
    }
}
