//! Raw samples: what one cell of a study measured, frame by frame.

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The only unit that differs between two runs of the same seed.
    Milliseconds,
    Count,
    Bytes,
    /// How many times as much.
    Ratio,
}

impl Unit {
    const ALL: [Self; 4] = [Self::Milliseconds, Self::Count, Self::Bytes, Self::Ratio];

    /// As files have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
        }
    }

    /// The unit of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// One measure of one contestant: a value for each frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// Who was measured: a finder, an algorithm, a number of threads.
    pub(crate) who: String,
    /// What was measured: `broad`, `narrow`, `pairs`, `tests`, or `stage:sort`.
    pub(crate) measure: String,
    pub(crate) unit: Unit,
    pub(crate) values: Vec<f64>,
}

/// What a cell measured. Written to `cells/NAME.csv` as lines `who,measure,unit,frame,value`, and always read back from
/// there before anything is said of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Samples {
    pub(crate) series: Vec<Series>,
}

impl Samples {
    /// Adds a value to a series, which is begun if it is not there.
    pub(crate) fn push(&mut self, who: &str, measure: &str, unit: Unit, value: f64) {
        let there = self.series.iter_mut().rfind(|series| series.who == who && series.measure == measure);
        match there {
            Some(series) => series.values.push(value),
            None => self.series.push(Series {
                who: who.to_string(),
                measure: measure.to_string(),
                unit,
                values: vec![value],
            }),
        }
    }

    /// The values of a series; none if it was not measured.
    pub(crate) fn values(&self, who: &str, measure: &str) -> &[f64] {
        // From the end: the readers of files ask for the series they have just begun.
        let there = self.series.iter().rfind(|series| series.who == who && series.measure == measure);
        there.map_or(&[], |series| &series.values)
    }

    /// Everyone of whom this was measured, in the order of the file.
    pub(crate) fn everyone(&self, measure: &str) -> Vec<&str> {
        self.series.iter().filter(|series| series.measure == measure).map(|series| &*series.who).collect()
    }
}
