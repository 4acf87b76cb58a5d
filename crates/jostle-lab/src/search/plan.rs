//! Where to look next: a few parameters at a time are tried over their range, the worst (or best) values are kept, and
//! the search goes on with the next few; then again from the first, in a narrower range around what was kept.
//!
//! In: what is known of the cost of points. Out: the path taken so far, and the next point that has to be measured. The
//! path follows from the costs alone, so that a search that was interrupted goes on where it was.

use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};

/// A parameter and its range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Only whole numbers.
    pub(crate) whole: bool,
}

impl FromStr for Parameter {
    type Err = anyhow::Error;

    /// Reads `size=25..150`. Ends without a decimal point: only whole numbers in between.
    fn from_str(text: &str) -> Result<Self> {
        let wrong =
            || format!("--vary: `{text}` is not a parameter and its range; write for example size=25..150");
        let (name, range) = text.split_once('=').with_context(wrong)?;
        let (low, high) = range.split_once("..").with_context(wrong)?;
        let whole = [low, high].iter().all(|end| end.trim().parse::<i32>().is_ok());
        let end =
            |end: &str| end.trim().parse::<f64>().ok().filter(|end| end.is_finite()).with_context(wrong);
        let (name, low, high) = (name.trim().to_string(), end(low)?, end(high)?);
        ensure!(!name.is_empty(), wrong());
        if low >= high {
            bail!("--vary: the range of `{text}` is empty; its first end must be below its second");
        }
        Ok(Self { name, low, high, whole })
    }
}

/// A value for each parameter.
pub(crate) type Point = Vec<f64>;

/// What is searched for, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) parameters: Vec<Parameter>,
    /// How many parameters are varied at a time.
    pub(crate) together: usize,
    /// How many values of each are tried.
    pub(crate) values: usize,
    /// Is the highest cost kept, or the lowest?
    pub(crate) worst: bool,
}

/// A few parameters were varied, and the others stayed as they were.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// Counted from 0: how often the search has begun with the first parameters again.
    pub(crate) pass: usize,
    /// Places of the parameters that were varied; none at the beginning.
    pub(crate) varied: Vec<usize>,
    /// Points and their costs. The last step may be unfinished.
    pub(crate) tried: Vec<(Point, f64)>,
    /// What was kept.
    pub(crate) kept: (Point, f64),
}

/// The path so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Step>,
    /// What has to be measured to go on. `None`: the search has come to its end.
    pub(crate) next: Option<Point>,
}

/// After so many passes a range is a thousandth of what it was, or less.
const MOST_PASSES: usize = 10;

impl Plan {
    /// The path that follows from these costs.
    pub(crate) fn path(&self, cost: impl Fn(&Point) -> Option<f64>) -> Path {
        let start: Point = self
            .parameters
            .iter()
            .map(|parameter| parameter.round((parameter.low + parameter.high) / 2.0))
            .collect();
        let Some(first) = cost(&start) else { return Path { steps: Vec::new(), next: Some(start) } };
        let mut kept = (start, first);
        let mut steps =
            vec![Step { pass: 0, varied: Vec::new(), tried: vec![kept.clone()], kept: kept.clone() }];
        let mut spans: Vec<(f64, f64)> =
            self.parameters.iter().map(|parameter| (parameter.low, parameter.high)).collect();
        let places: Vec<usize> = (0..self.parameters.len()).collect();
        for pass in 0..MOST_PASSES {
            let mut looked = false;
            for varied in places.chunks(self.together) {
                let mut step = Step { pass, varied: varied.to_vec(), tried: Vec::new(), kept: kept.clone() };
                for point in self.points(&kept.0, varied, &spans) {
                    let Some(cost) = cost(&point) else {
                        if !step.tried.is_empty() {
                            steps.push(step);
                        }
                        return Path { steps, next: Some(point) };
                    };
                    if self.is_better(cost, step.kept.1) {
                        step.kept = (point.clone(), cost);
                    }
                    step.tried.push((point, cost));
                }
                kept = step.kept.clone();
                if step.tried.len() > 1 {
                    looked = true;
                    steps.push(step);
                }
            }
            if !looked {
                break;
            }
            self.narrow(&mut spans, &kept.0);
        }
        Path { steps, next: None }
    }

    /// Is this cost to be kept rather than that one?
    pub(crate) fn is_better(&self, this: f64, that: f64) -> bool {
        if self.worst { this > that } else { this < that }
    }

    /// All combinations of values of the varied parameters.
    fn points(&self, around: &Point, varied: &[usize], spans: &[(f64, f64)]) -> Vec<Point> {
        let mut points = vec![around.clone()];
        for &place in varied {
            let values = self.values_of(place, spans[place]);
            points = points
                .iter()
                .flat_map(|point| {
                    values.iter().map(move |value| {
                        let mut point = point.clone();
                        point[place] = *value;
                        point
                    })
                })
                .collect();
        }
        points
    }

    /// Values of a parameter, evenly over a span, each once.
    fn values_of(&self, place: usize, (low, high): (f64, f64)) -> Vec<f64> {
        let parameter = &self.parameters[place];
        let share = |index: usize| index as f64 / (self.values - 1) as f64;
        let mut values: Vec<f64> =
            (0..self.values).map(|index| parameter.round(low + share(index) * (high - low))).collect();
        values.dedup();
        values
    }

    /// Each range becomes the one between the neighbours of the value that was kept.
    fn narrow(&self, spans: &mut [(f64, f64)], kept: &Point) {
        for ((span, parameter), value) in spans.iter_mut().zip(&self.parameters).zip(kept) {
            let reach = (span.1 - span.0) / (self.values - 1) as f64;
            *span = ((value - reach).max(parameter.low), (value + reach).min(parameter.high));
        }
    }
}

impl Parameter {
    /// A value that can be written in a file and read back as the same: four digits after the first.
    fn round(&self, value: f64) -> f64 {
        let rounded =
            if self.whole { value.round() } else { format!("{value:.4e}").parse().unwrap_or(value) };
        rounded.clamp(self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn plan(parameters: &[&str], together: usize, worst: bool) -> Plan {
        let parameters = parameters.iter().map(|text| text.parse().unwrap()).collect();
        Plan { parameters, together, values: 5, worst }
    }

    /// Runs a search to its end, one measurement after another, as the study does.
    fn search(plan: &Plan, cost: impl Fn(&Point) -> f64) -> (Path, Vec<(Point, f64)>) {
        let known: RefCell<Vec<(Point, f64)>> = RefCell::default();
        let look =
            |point: &Point| known.borrow().iter().find(|(there, _)| there == point).map(|(_, cost)| *cost);
        loop {
            let path = plan.path(look);
            let Some(next) = path.next.clone() else { return (path, known.into_inner()) };
            assert_eq!(look(&next), None, "{next:?} was measured before");
            let value = cost(&next);
            known.borrow_mut().push((next, value));
        }
    }

    fn hill(point: &Point) -> f64 {
        100.0 - (point[0] - 117.0).powi(2) - 3.0 * (point[1] - 0.3).powi(2)
    }

    #[test]
    fn the_top_of_a_hill_is_found_and_its_foot_too() {
        let parameters = ["size=25..150", "speed=0.0..1.0"];
        let (path, measured) = search(&plan(&parameters, 1, true), hill);
        let (point, cost) = &path.steps.last().unwrap().kept;
        assert!((point[0] - 117.0).abs() <= 1.0 && (point[1] - 0.3).abs() < 0.01, "{point:?}");
        assert!(measured.iter().all(|(_, other)| other <= cost));
        assert!(measured.len() < 80, "{}", measured.len());
        let (path, _) = search(&plan(&parameters, 1, false), hill);
        assert_eq!(path.steps.last().unwrap().kept.0, [25.0, 1.0]);
    }

    #[test]
    fn parameters_that_depend_on_each_other_want_to_be_varied_together() {
        let ridge = |point: &Point| if (point[0] - point[1]).abs() < 1.0 { point[0] } else { -1.0 };
        let best = |together: usize| {
            let (path, _) = search(&plan(&["a=0..8", "b=0..8"], together, true), ridge);
            path.steps.last().unwrap().kept.1
        };
        assert_eq!((best(1), best(2)), (4.0, 8.0));
    }

    #[test]
    fn points_stay_in_range_and_whole_numbers_whole() {
        let (path, measured) =
            search(&plan(&["size=25..150", "speed=0.5..1.5", "n=1..3"], 2, true), |point| {
                (point[0] * 7.1).sin() + point[1] + point[2]
            });
        for (point, _) in &measured {
            assert!((25.0..=150.0).contains(&point[0]) && (0.5..=1.5).contains(&point[1]), "{point:?}");
            assert!(point[0].fract() == 0.0 && point[2].fract() == 0.0, "{point:?}");
            assert!(point.iter().all(|value| value.to_string().parse::<f64>().unwrap() == *value));
        }
        let costs: Vec<f64> = path.steps.iter().map(|step| step.kept.1).collect();
        assert!(costs.is_sorted(), "what is kept never gets better: {costs:?}");
        let varied: Vec<&[usize]> = path.steps.iter().take(3).map(|step| &*step.varied).collect();
        assert_eq!(varied, [&[][..], &[0, 1], &[2]]);
    }

    #[test]
    fn the_path_to_a_measurement_does_not_depend_on_later_ones() {
        let plan = plan(&["size=25..150", "speed=0.0..1.0"], 1, true);
        let (whole, measured) = search(&plan, hill);
        for count in 0..measured.len() {
            let known = &measured[..count];
            let path =
                plan.path(|point| known.iter().find(|(there, _)| there == point).map(|(_, cost)| *cost));
            assert_eq!(path.next.as_ref(), Some(&measured[count].0));
            let finished = path.steps.len().saturating_sub(1);
            assert_eq!(path.steps[..finished], whole.steps[..finished]);
        }
    }

    #[test]
    fn bad_ranges_are_refused() {
        for text in [
            "",
            "size",
            "size=",
            "size=25",
            "size=25..",
            "size=a..b",
            "=1..2",
            "size=2..1",
            "size=1..1",
            "size=nan..2",
        ] {
            let error = text.parse::<Parameter>().unwrap_err().to_string();
            assert!(error.starts_with("--vary: ") && error.contains(text), "{error}");
        }
        let parameter: Parameter = "size = 25 .. 150.5".parse().unwrap();
        assert_eq!(parameter, Parameter { name: "size".to_string(), low: 25.0, high: 150.5, whole: false });
    }
}
