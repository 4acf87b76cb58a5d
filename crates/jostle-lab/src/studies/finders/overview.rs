//! All scenes beside each other, at their own sizes: time, tests and memory of every finder as heat maps, who was the
//! fastest, whom `auto-work` chose, and in words which finder fits which scene.

use super::growth::left_out;
use super::measure::SCENE;
use super::medians::{everyone, fastest, is_single, median_of, memory, settled, time};
use super::places::Place;
use crate::experiment::Results;
use crate::finders::AUTO_BY_WORK;
use crate::numbers::{grouped, median};
use crate::report::{Block, Heat, Plot};
use crate::studies::figures::{fixed, heading, number, ratio, table, text, timed, times};

/// A finder that takes at most this many times as long as the fastest is as good a choice.
const CLOSE: f64 = 1.1;

/// The scenes of which something was measured at their own size, and who ran there.
pub(super) struct Overview<'a> {
    pub(super) places: Vec<&'a Place>,
    pub(super) finders: Vec<String>,
    results: &'a Results,
}

impl<'a> Overview<'a> {
    pub(super) fn new(places: &'a [Place], results: &'a Results) -> Self {
        let measured = |place: &&Place| results.cells.contains_key(&place.own_cell());
        let places: Vec<&Place> = places.iter().filter(measured).collect();
        let finders = everyone(places.iter().map(|place| place.own_cell()), results);
        Self { places, finders, results }
    }

    /// How many times as long as the fastest finder there one takes.
    pub(super) fn times_fastest(&self, place: &Place, finder: &str) -> Option<f64> {
        let cell = place.own_cell();
        let best = fastest(self.results, &cell, self.finders.iter()).map(|(time, _)| time);
        ratio(time(self.results, &cell, finder), best)
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        if self.places.is_empty() {
            return Vec::new();
        }
        let mut blocks = vec![
            heading("Every scene"),
            text(
                "Each scene at its own number of objects, one thread. Times are medians of all frames but the first (of a scene of one \
                 frame, of that one); worlds go on for six times the measured frames before the first of them.",
            ),
            self.heat(
                "Time: how many times as long as the fastest finder of the scene takes, medians",
                true,
                |place, finder| self.times_fastest(place, finder),
            ),
            text(self.left_out()),
            self.table(),
            heading("Which finder fits which scene"),
        ];
        blocks.extend(self.advice().into_iter().map(Block::TimedText));
        blocks.push(heading("Work and memory"));
        blocks.push(self.heat("Overlap tests per box and frame, medians", false, |place, finder| {
            let tests = median_of(self.results, &place.own_cell(), finder, "tests");
            ratio(tests, self.boxes(place))
        }));
        blocks.push(self.heat(
            "Bytes per box after the last frame, finder and box store",
            false,
            |place, finder| ratio(memory(self.results, &place.own_cell(), finder), self.boxes(place)),
        ));
        blocks
    }

    /// Who did not run where, by finder.
    fn left_out(&self) -> String {
        let mut reasons: Vec<(String, usize)> = Vec::new();
        for place in &self.places {
            for reason in left_out(&place.own_cell(), self.results) {
                match reasons.iter_mut().find(|(there, _)| *there == reason) {
                    Some((_, scenes)) => *scenes += 1,
                    None => reasons.push((reason, 1)),
                }
            }
        }
        if reasons.is_empty() {
            return "Every finder ran on every scene.".to_string();
        }
        let told = reasons.iter().map(|(reason, scenes)| format!("{reason} ({scenes} scenes)"));
        format!("A dash: {}.", told.collect::<Vec<_>>().join("; "))
    }

    fn boxes(&self, place: &Place) -> Option<f64> {
        self.results.values(&place.own_cell(), SCENE, "boxes").first().copied()
    }

    fn heat(&self, caption: &str, timed: bool, value: impl Fn(&Place, &str) -> Option<f64>) -> Block {
        let values = self.places.iter().map(|place| {
            self.finders.iter().map(|finder| value(place, finder)).collect::<Vec<_>>() //
        });
        Block::Plot(Plot::Heat(Heat {
            caption: caption.to_string(),
            rows: self.places.iter().map(|place| place.name.clone()).collect(),
            columns: self.finders.clone(),
            values: values.collect(),
            timed,
        }))
    }

    fn table(&self) -> Block {
        let rows = self.places.iter().map(|place| {
            let cell = place.own_cell();
            let best = fastest(self.results, &cell, self.single());
            let auto = time(self.results, &cell, AUTO_BY_WORK);
            let count = |value: Option<f64>| value.map_or("-".to_string(), |value| grouped(value as u64));
            let pairs =
                self.finders.iter().find_map(|finder| median_of(self.results, &cell, finder, "pairs"));
            vec![
                place.name.clone(),
                count(self.boxes(place)),
                count(pairs),
                best.map_or("-".to_string(), |(_, name)| name.to_string()),
                number(best.map(|(time, _)| time)),
                self.chosen(place),
                times(ratio(auto, best.map(|(time, _)| time))),
            ]
        });
        let columns = vec![
            fixed("scene"),
            fixed("boxes"),
            fixed("pairs"),
            timed("fastest"),
            timed("its ms"),
            fixed("auto-work chose"),
            timed("auto-work / fastest"),
        ];
        table("The fastest finder of each scene, and whom auto-work chose; medians", columns, rows.collect())
    }

    fn single(&self) -> impl Iterator<Item = &String> {
        self.finders.iter().filter(|finder| is_single(finder))
    }

    /// Who worked for `auto-work`, the most frequent first, without the first frame.
    fn chosen(&self, place: &Place) -> String {
        let Some(samples) = self.results.cells.get(&place.own_cell()) else { return "-".to_string() };
        let series = samples.series.iter().filter(|series| series.who == AUTO_BY_WORK);
        let mut shares: Vec<(f64, &str)> = series
            .filter_map(|series| {
                let frames = settled(&series.values);
                let share = frames.iter().sum::<f64>() / frames.len() as f64;
                Some((share, series.measure.strip_prefix("chosen:")?))
            })
            .filter(|(share, _)| *share > 0.0)
            .collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0));
        match shares.as_slice() {
            [] => "-".to_string(),
            [(_, name)] => name.to_string(),
            _ => {
                let told = shares.iter().map(|(share, name)| format!("{name} {:.0} %", 100.0 * share));
                told.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// A paragraph for each finder that is a good choice somewhere; then who serves everywhere, and who nowhere.
    pub(super) fn advice(&self) -> Vec<String> {
        let count = self.places.len();
        let mut good: Vec<(&String, Vec<&str>)> = Vec::new();
        let mut nowhere: Vec<&str> = Vec::new();
        for finder in self.single() {
            let close = |place: &&&Place| {
                self.times_fastest_single(place, finder).is_some_and(|times| times <= CLOSE)
            };
            let scenes: Vec<&str> = self.places.iter().filter(close).map(|place| &*place.name).collect();
            if scenes.is_empty() { nowhere.push(finder) } else { good.push((finder, scenes)) }
        }
        good.sort_by_key(|(_, scenes)| std::cmp::Reverse(scenes.len()));
        let mut told: Vec<String> = good
            .iter()
            .map(|(finder, scenes)| {
                let of = scenes.len();
                format!(
                    "`{finder}` is the fastest, or within 10 % of it, on {of} of {count} scenes: {}.",
                    scenes.join(", ")
                )
            })
            .collect();
        if !nowhere.is_empty() {
            told.push(format!("On no scene within 10 % of the fastest: {}.", nowhere.join(", ")));
        }
        let worst = self.single().filter_map(|finder| {
            let (most, place) = self.worst(finder)?;
            Some((most, place, finder))
        });
        if let Some((most, place, finder)) = worst.min_by(|a, b| a.0.total_cmp(&b.0)) {
            told.push(format!(
                "If one finder has to serve everything: `{finder}`, never more than {} the fastest (on {place}).",
                times(Some(most))
            ));
        }
        let auto = AUTO_BY_WORK.to_string();
        let ratios: Vec<f64> =
            self.places.iter().filter_map(|place| self.times_fastest_single(place, &auto)).collect();
        if let Some(((most, place), middle)) = self.worst(&auto).zip(median(&ratios)) {
            told.push(format!(
                "`{auto}` needs no choosing: {} the fastest single finder in the median over the scenes, {} at most (on {place}).",
                times(Some(middle)),
                times(Some(most))
            ));
        }
        told
    }

    /// How many times as long as the fastest single finder one takes.
    fn times_fastest_single(&self, place: &Place, finder: &str) -> Option<f64> {
        let cell = place.own_cell();
        let best = fastest(self.results, &cell, self.single()).map(|(time, _)| time);
        ratio(time(self.results, &cell, finder), best)
    }

    /// Where a finder is at its worst beside the fastest single one. `None` if it did not run everywhere.
    pub(super) fn worst(&self, finder: &str) -> Option<(f64, &str)> {
        let ratios =
            self.places.iter().map(|place| Some((self.times_fastest_single(place, finder)?, &*place.name)));
        ratios.collect::<Option<Vec<_>>>()?.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))
    }
}
