//! Promise 1, exact: every finder returns exactly the pairs of the oracle, in every situation we can think of, frame
//! after frame and from cold, with every setting that must not matter.

mod named_cases;
mod operations;
mod streams;

use jostle_broad::verify::true_pairs;
use jostle_broad::{
    Boxes, Catalog, Executor, FindSettings, Lanes, OverlapMethod, Pair, PairFinder, SapSimd, Sweep,
    SweepTuning,
};

/// The built-in finders, and some of them tuned so that small scenes reach the branches made for large ones.
fn finders() -> Catalog {
    let mut catalog = Catalog::builtin();
    let tuning = SweepTuning { direct_limit: 0, crowd: 4, crowded_window: 2 };
    catalog.register("sweep-crowded", "sweep with columns in columns", move || Sweep::new(tuning));
    catalog.register("sap-simd-all", "against all", || SapSimd::new(OverlapMethod::ChangedAgainstAll));
    catalog
}

/// How many random cases to run: the usual number, times the environment variable JOSTLE_CASES where it is set.
fn cases(usual: u32) -> u32 {
    let factor =
        std::env::var("JOSTLE_CASES").map_or(1, |text| text.parse().expect("JOSTLE_CASES is a number"));
    usual.saturating_mul(factor)
}

/// The settings under test: every vector width, 1, 2 and 5 threads.
fn settings() -> Vec<FindSettings> {
    let mut all = Vec::new();
    for (index, lanes) in Lanes::available().into_iter().enumerate() {
        let threads = [1, 2, 5][index % 3];
        let executor = Executor::new(threads).unwrap();
        all.push(FindSettings { executor, lanes, ..FindSettings::default() });
    }
    for threads in [2, 5] {
        all.push(FindSettings { executor: Executor::new(threads).unwrap(), ..FindSettings::default() });
    }
    all
}

/// All finders, each with one of the settings for all of its life, checked frame by frame.
struct Panel {
    members: Vec<(Box<dyn PairFinder>, FindSettings)>,
    frame: usize,
    before: Vec<Pair>,
}

impl Panel {
    fn new(settings: &[FindSettings]) -> Self {
        let catalog = finders();
        let members =
            catalog.iter().flat_map(|entry| settings.iter().map(|settings| (entry.make(), settings.clone())));
        Self { members: members.collect(), frame: 0, before: Vec::new() }
    }

    /// Updates every finder and compares it with the oracle: pairs, and what was added and removed.
    fn check(&mut self, boxes: &Boxes) -> Result<(), String> {
        let truth = true_pairs(boxes);
        for (index, (finder, settings)) in self.members.iter_mut().enumerate() {
            // Order and changes are asked for in some frames only: neither may disturb the others.
            settings.canonical = !(self.frame + index).is_multiple_of(3);
            settings.changes = (self.frame + index) % 4 < 2;
            let context = format!(
                "{} with {} lanes and {} threads in frame {}",
                finder.name(),
                settings.lanes,
                settings.executor.threads(),
                self.frame
            );
            let report = finder.update(boxes, settings).map_err(|error| format!("{context}: {error}"))?;
            let pairs = finder.pairs();
            let mut sorted = pairs.as_slice().to_vec();
            sorted.sort_unstable();
            if sorted != truth {
                return Err(format!("{context}: found {sorted:?} instead of {truth:?}"));
            }
            if settings.wants_order() && pairs.as_slice() != truth {
                return Err(format!("{context}: not in canonical order: {:?}", pairs.as_slice()));
            }
            if report.pairs != truth.len() || report.boxes != boxes.len() {
                return Err(format!("{context}: reports {} pairs of {} boxes", report.pairs, report.boxes));
            }
            if settings.changes {
                let only_in = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
                    a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
                };
                if pairs.added() != only_in(&truth, &self.before) {
                    return Err(format!("{context}: added {:?}", pairs.added()));
                }
                if pairs.removed() != only_in(&self.before, &truth) {
                    return Err(format!("{context}: removed {:?}", pairs.removed()));
                }
            }
        }
        self.before = truth;
        self.frame += 1;
        Ok(())
    }
}

/// Checks fresh finders on these boxes.
fn check_cold(boxes: &Boxes, settings: &[FindSettings]) -> Result<(), String> {
    Panel::new(settings).check(boxes)
}
