//! Shows how far a study has come and how long it still takes: a bar on a terminal, elsewhere a plain line now and then.
//! All on standard error. The time left follows from the work of the cells that are done.

use std::cell::Cell as Mutable;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Cell;

/// Between two plain lines.
const PAUSE: Duration = Duration::from_secs(10);
/// Steps of the bar.
const STEPS: f64 = 1000.0;

pub(super) struct Progress {
    study: &'static str,
    names: Vec<String>,
    works: Vec<f64>,
    bar: Option<ProgressBar>,
    begun: Instant,
    told: Mutable<Instant>,
    /// The cell that runs, and the work of those that are missing: all, and done.
    current: Mutable<usize>,
    total: f64,
    done: Mutable<f64>,
}

impl Progress {
    pub(super) fn new(study: &'static str, cells: &[Cell<'_>], missing: &[usize]) -> Self {
        let works: Vec<f64> = cells.iter().map(|cell| cell.work.max(f64::MIN_POSITIVE)).collect();
        let bar = stderr().is_terminal().then(|| {
            let template = "{msg} [{bar:40}] {prefix}";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(STEPS as u64).with_style(style)
        });
        if missing.len() < cells.len() {
            let kept = cells.len() - missing.len();
            eprintln!("jostle: {study}: {kept} of {} cells are measured already", cells.len());
        }
        Self {
            study,
            names: cells.iter().map(|cell| cell.name.clone()).collect(),
            total: missing.iter().map(|&index| works[index]).sum(),
            works,
            bar,
            begun: Instant::now(),
            told: Mutable::new(Instant::now()),
            current: Mutable::new(0),
            done: Mutable::new(0.0),
        }
    }

    pub(super) fn begin(&self, cell: usize) {
        self.current.set(cell);
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}, {}", self.study, self.names[cell]));
        }
        self.part(0.0);
    }

    /// This share of the running cell is done.
    pub(super) fn part(&self, share: f64) {
        let done = self.done.get() + self.works[self.current.get()] * share.clamp(0.0, 1.0);
        let left =
            left(self.begun.elapsed(), done, self.total).map_or(String::new(), |left| format!("{left} left"));
        if let Some(bar) = &self.bar {
            bar.set_position((STEPS * done / self.total) as u64);
            bar.set_prefix(left);
        } else if self.told.get().elapsed() >= PAUSE {
            let (cell, of) = (self.current.get(), self.names.len());
            eprintln!("jostle: {}: cell {} of {of}, {}; {left}", self.study, cell + 1, self.names[cell]);
            self.told.set(Instant::now());
        }
    }

    pub(super) fn end_cell(&self) {
        self.done.set(self.done.get() + self.works[self.current.get()]);
    }

    /// Says a line without disturbing the bar.
    pub(super) fn tell(&self, line: &str) {
        let say = || eprintln!("jostle: {}: {line}", self.study);
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How long the rest takes, if it goes on like this.
fn left(elapsed: Duration, done: f64, total: f64) -> Option<String> {
    let seconds = elapsed.as_secs_f64() * (total - done) / done;
    (seconds.is_finite() && seconds >= 0.0).then(|| spoken(seconds))
}

/// A duration as people say it.
pub(super) fn spoken(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_work_done() {
        assert_eq!(left(Duration::from_secs(10), 1.0, 7.0).unwrap(), "1 min 00 s");
        assert_eq!(left(Duration::from_secs(10), 7.0, 7.0).unwrap(), "0 s");
        assert_eq!(left(Duration::from_secs(10), 0.0, 7.0), None);
        assert_eq!(spoken(3600.0 * 2.5), "2 h 30 min");
    }
}
