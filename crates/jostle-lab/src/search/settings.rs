//! What a search is asked for: on the command line, and in the manifest of its folder.

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::plan::{Parameter, Plan};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Only of the study `search`")]
pub(crate) struct SearchArguments {
    /// Parameters of the scene and their ranges; ends without a decimal point mean whole numbers [default:
    /// objects=100..400,size=25..100,linear_velocity=0..100]
    #[arg(long, value_name = "NAME=LOW..HIGH", value_delimiter = ',')]
    vary: Vec<String>,
    /// The scene they belong to: `room`, a stream of boxes, or a scene of `jostle scenes` [default: room]
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
    /// What is searched for: the most work (overlap tests, the same in every run) or the most time [default: work]
    #[arg(long, value_name = "MEASURE")]
    by: Option<Measure>,
    /// Search for the least instead of the most
    #[arg(long)]
    best: bool,
    /// How many parameters are varied at a time, 1 to 3 [default: 1]
    #[arg(long, value_name = "COUNT")]
    together: Option<usize>,
    /// How many values of each parameter are tried at a time, 3 to 20 [default: 5]
    #[arg(long, value_name = "COUNT")]
    values: Option<usize>,
    /// How many points are measured at most [default: 40, with --full 200]
    #[arg(long, value_name = "COUNT")]
    points: Option<usize>,
}

/// What a point costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Measure {
    /// Overlap tests a frame
    Work,
    /// Milliseconds a frame
    Time,
}

/// The same with all defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SearchSettings {
    pub(crate) scene: String,
    pub(crate) vary: Vec<String>,
    pub(crate) by: Measure,
    pub(crate) best: bool,
    pub(crate) together: usize,
    pub(crate) values: usize,
    pub(crate) points: usize,
}

const USUAL_VARY: [&str; 3] = ["objects=100..400", "size=25..100", "linear_velocity=0..100"];
const USUAL_POINTS: usize = 40;
const FULL_POINTS: usize = 200;
const MOST_POINTS: usize = 10_000;

impl SearchArguments {
    /// The first of these options that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (!self.vary.is_empty(), "--vary"),
            (self.scene.is_some(), "--scene"),
            (self.by.is_some(), "--by"),
            (self.best, "--best"),
            (self.together.is_some(), "--together"),
            (self.values.is_some(), "--values"),
            (self.points.is_some(), "--points"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// What is searched, checked.
    pub(crate) fn settings(&self, full: bool) -> Result<SearchSettings> {
        let usual = USUAL_VARY.map(str::to_string).to_vec();
        let settings = SearchSettings {
            scene: self.scene.clone().unwrap_or_else(|| "room".to_string()),
            vary: if self.vary.is_empty() { usual } else { self.vary.clone() },
            by: self.by.unwrap_or(Measure::Work),
            best: self.best,
            together: self.together.unwrap_or(1),
            values: self.values.unwrap_or(5),
            points: self.points.unwrap_or(if full { FULL_POINTS } else { USUAL_POINTS }),
        };
        settings.plan()?;
        Ok(settings)
    }
}

impl SearchSettings {
    /// Where to look next.
    pub(crate) fn plan(&self) -> Result<Plan> {
        let parameters = self.vary.iter().map(|text| text.parse()).collect::<Result<Vec<Parameter>>>()?;
        for (index, parameter) in parameters.iter().enumerate() {
            if parameters[..index].iter().any(|other| other.name == parameter.name) {
                bail!("--vary: `{}` is there twice; give one range for it", parameter.name);
            }
        }
        ensure!(!parameters.is_empty(), "--vary: nothing is varied; give for example size=25..150");
        ensure!((1..=3).contains(&self.together), "--together: {} is not 1, 2 or 3", self.together);
        ensure!((3..=20).contains(&self.values), "--values: {} is not 3 to 20", self.values);
        ensure!(
            (2..=MOST_POINTS).contains(&self.points),
            "--points: {} is not 2 to {MOST_POINTS}",
            self.points
        );
        Ok(Plan { parameters, together: self.together, values: self.values, worst: !self.best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> SearchArguments {
        SearchArguments {
            vary: Vec::new(),
            scene: None,
            by: None,
            best: false,
            together: None,
            values: None,
            points: None,
        }
    }

    #[test]
    fn everything_has_a_default() {
        assert_eq!(arguments().given(), None);
        let settings = arguments().settings(false).unwrap();
        assert_eq!((settings.points, settings.plan().unwrap().parameters.len()), (USUAL_POINTS, 3));
        assert_eq!(arguments().settings(true).unwrap().points, FULL_POINTS);
        assert_eq!(SearchArguments { best: true, ..arguments() }.given(), Some("--best"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let vary = |texts: &[&str]| SearchArguments {
            vary: texts.iter().map(|text| (*text).to_string()).collect(),
            ..arguments()
        };
        let table = [
            (vary(&["size=1..2", "size=3..4"]), "twice"),
            (vary(&["size"]), "--vary"),
            (SearchArguments { together: Some(0), ..arguments() }, "--together"),
            (SearchArguments { values: Some(2), ..arguments() }, "--values"),
            (SearchArguments { points: Some(1), ..arguments() }, "--points"),
        ];
        for (arguments, fragment) in table {
            let error = arguments.settings(false).unwrap_err().to_string();
            assert!(error.contains(fragment), "{fragment} in {error}");
        }
    }
}
