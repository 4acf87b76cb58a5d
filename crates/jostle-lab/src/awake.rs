//! How long the threads that help the caller's look out for more work before they go to sleep.

use std::time::Duration;

use anyhow::{Context, Result};
use jostle_broad::Executor;

/// The option `--awake`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Awake {
    /// For how many milliseconds threads stay awake after each call; at most 1000. As long as it is to the next one, if frames
    /// follow each other closely
    #[arg(long = "awake", value_name = "MS", default_value_t = DEFAULT_MS, value_parser = parse)]
    ms: f64,
}

const DEFAULT_MS: f64 = Executor::PATIENCE.as_micros() as f64 / 1e3;
const MOST_MS: f64 = 1e3;

impl Awake {
    pub(crate) fn ms(self) -> f64 {
        self.ms
    }

    /// Executors of so many threads each.
    pub(crate) fn executors(self, threads: impl IntoIterator<Item = usize>) -> Result<Vec<Executor>> {
        let patience = Duration::from_secs_f64(self.ms / 1e3);
        let made = threads.into_iter().map(|threads| Executor::with_patience(threads, patience));
        made.collect::<Result<_, _>>().context("--threads: choose fewer")
    }
}

fn parse(text: &str) -> Result<f64, String> {
    let wrong = || {
        format!("`{text}` is not a number of milliseconds from 0 to {MOST_MS}; write for example 0.25 or 20")
    };
    text.parse().ok().filter(|ms| (0.0..=MOST_MS).contains(ms)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_numbers_that_make_sense() {
        for (text, ms) in [("0", 0.0), ("0.25", 0.25), ("20", 20.0), ("1e3", 1000.0)] {
            assert_eq!(parse(text), Ok(ms), "{text}");
        }
        for text in ["", "-1", "1001", "nan", "inf", "2 ms", "long"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse(&DEFAULT_MS.to_string()), Ok(DEFAULT_MS));
    }
}
