//! What the first frame costs, beside a later frame of the stream in which everything moves far.
//!
//! Fresh finders and one that has been at work for some frames of `fast` take turns, so that both meet the same machine.

use anyhow::Result;
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FinderEntry};

use super::{Figure, MOVING, SIZES, Scope, Verdicts, member, takes};
use crate::bench::chosen_finders;
use crate::machine::check_memory;
use crate::numbers::median;
use crate::scene::Scene;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure first --n 10k,100k")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scope: Scope,
    /// The finders to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "auto")]
    finders: Vec<String>,
}

/// How many frames of `fast` a first frame may cost.
const PROMISED: f64 = 3.0;
/// Turns of each.
const TURNS: u32 = 15;
/// Frames of `fast` before its clock counts: trials of `auto` are not what a first frame is held against.
const WARM_UP: u32 = 3;
const HEADS: [&str; 7] = ["stream", "boxes", "finder", "first ms", "fast ms", "ratio", ""];

pub(super) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let entries = chosen_finders(catalog, &arguments.finders)?;
    let mut cells = Vec::new();
    for (kind, n) in arguments.scope.cells(&MOVING, &SIZES)? {
        check_memory(n, 3)?;
        let turns = arguments.scope.frames(n, TURNS);
        for entry in entries.iter().filter(|entry| takes(entry, n)) {
            let (first, fast) = one_cell(entry, kind, n, turns, arguments.scope.seed)?;
            cells.push(Cell { stream: kind.name(), n, finder: entry.name.clone(), first, fast });
        }
    }
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for cell in &cells {
        let fast = cell.least_fast(&cells);
        let ratio = cell.first / fast;
        rows.push([
            Figure::word(cell.stream),
            Figure::count(cell.n),
            Figure::word(&cell.finder),
            Figure::Milliseconds(cell.first),
            Figure::Milliseconds(fast),
            Figure::Times(ratio),
            Figure::word(verdicts.note(ratio <= PROMISED)),
        ]);
    }
    let promise = "the first frame: at most 3 frames of `fast` with as many boxes";
    verdicts.conclude(promise, HEADS, &rows, arguments.scope.json)
}

/// What was measured of a finder on a stream, medians in milliseconds.
struct Cell {
    stream: &'static str,
    n: usize,
    finder: String,
    first: f64,
    fast: f64,
}

impl Cell {
    /// `fast` was run beside every stream. A run in which `auto` chose badly or the machine was busy would flatter the
    /// first frame, so the fastest of them counts.
    fn least_fast(&self, all: &[Self]) -> f64 {
        let alike = all.iter().filter(|other| other.n == self.n && other.finder == self.finder);
        alike.map(|other| other.fast).fold(f64::INFINITY, f64::min)
    }
}

/// Medians in milliseconds: of first frames, and of later ones of `fast`.
fn one_cell(entry: &FinderEntry, kind: StreamKind, n: usize, turns: u32, seed: u64) -> Result<(f64, f64)> {
    let executor = Executor::serial();
    let scene = Scene::stream(kind, n, seed);
    let mut fast_scene = Scene::stream(StreamKind::Fast, n, seed);
    let mut fast = member(entry, &executor, 2);
    fast.step(&fast_scene, 0)?;
    let mut first_ms = Vec::new();
    for turn in 0..WARM_UP + turns {
        fast_scene.advance()?;
        fast.step(&fast_scene, turn + 1)?;
        if turn >= WARM_UP {
            let mut fresh = member(entry, &executor, 2);
            fresh.step(&scene, 0)?;
            first_ms.extend_from_slice(fresh.milliseconds());
        }
    }
    let fast_ms = &fast.milliseconds()[1 + WARM_UP as usize..];
    Ok((median(&first_ms).unwrap_or(f64::NAN), median(fast_ms).unwrap_or(f64::NAN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_run_of_fast_with_as_many_boxes_counts() {
        let cell = |n: usize, finder: &str, fast: f64| Cell {
            stream: "pile",
            n,
            finder: finder.to_string(),
            first: 1.0,
            fast,
        };
        let all =
            [cell(10, "auto", 3.0), cell(10, "auto", 2.0), cell(10, "sweep", 1.0), cell(5, "auto", 0.5)];
        assert_eq!(all.each_ref().map(|cell| cell.least_fast(&all)), [2.0, 2.0, 1.0, 0.5]);
    }
}
