//! `jostle measure`: what is promised about speed, one command per promise.
//!
//! Each runs its finders in turns, frame by frame on the same boxes, so that what else the machine does hits all of them
//! alike; prints its figures; and says of each whether it keeps the promise. If one does not, the exit code is 3.

mod auto;
pub(crate) mod calibration;
mod figure;
mod first;
mod order;
mod predictable;
mod threads;
mod world;
mod world_growth;
mod world_sleep;
mod world_threads;

use anyhow::{Context, Result};
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FindSettings, FinderEntry};

use self::figure::{Figure, as_objects, as_table};
use crate::bench::judge::Judge;
use crate::bench::progress::Progress;
use crate::bench::run::Member;
use crate::failure::{Disagreement, FallsShort};
use crate::machine::{Machine, affordable_pairs, check_memory};
use crate::numbers::{grouped, parse_count};
use crate::scene::Scene;
use crate::turns::turns;
use crate::{bench, output};

/// The promises.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Promise {
    /// More threads: at least 85 % of what a plain loop gains at that moment (100,000 boxes and more), never slower
    Threads(threads::Arguments),
    /// `auto` over 200 frames: at most 15 % slower than the best single finder, no trial or switch above 3 frames
    Auto(auto::Arguments),
    /// Canonical order where everything moves: at most 25 % on top of pairs in any order
    Order(order::Arguments),
    /// The first frame of `auto`: at most 3 frames of the stream `fast`
    First(first::Arguments),
    /// Frames of steady streams, by instructions (needs valgrind): 99 of 100 within 1.5 times the median
    Predictable(predictable::Arguments),
    /// Threads in a whole frame of a packed pile: at least 85 % of what a plain loop gains at that moment
    WorldThreads(world_threads::Arguments),
    /// A frame from 1,000 to 200,000 bodies at constant density: cost grows no faster than n^1.1
    WorldGrowth(world_growth::Arguments),
    /// A pile asleep: at most 3 % of what it cost just before it slept
    WorldSleep(world_sleep::Arguments),
}

pub(crate) fn run(promise: &Promise, catalog: &Catalog) -> Result<()> {
    match promise {
        Promise::Threads(arguments) => threads::run(arguments, catalog),
        Promise::Auto(arguments) => auto::run(arguments, catalog),
        Promise::Order(arguments) => order::run(arguments, catalog),
        Promise::First(arguments) => first::run(arguments, catalog),
        Promise::Predictable(arguments) => predictable::run(arguments),
        Promise::WorldThreads(arguments) => world_threads::run(arguments),
        Promise::WorldGrowth(arguments) => world_growth::run(arguments),
        Promise::WorldSleep(arguments) => world_sleep::run(arguments),
    }
}

/// What all promises are measured on.
#[derive(Debug, clap::Args)]
struct Scope {
    /// Streams by name, or `all` [default: those the promise speaks of]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    stream: Vec<String>,
    /// How many boxes: one count or several [default: 1k,10k,100k,1M; `predictable`: 10k]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = parse_count)]
    n: Vec<usize>,
    /// How many frames [default: as many as the promise needs]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(3..=1_000_000))]
    frames: Option<u32>,
    /// Another seed gives other boxes
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Compare all pairs with the truth, as `jostle bench --verify` does; without it only their numbers are compared
    #[arg(long)]
    verify: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The streams of the promises: in all of them something moves.
const MOVING: [StreamKind; 5] =
    [StreamKind::Brownian, StreamKind::Still10, StreamKind::Fast, StreamKind::Disparity, StreamKind::Pile];
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

impl Scope {
    /// Stream and number of boxes, cell by cell, small ones first.
    fn cells(&self, streams: &[StreamKind], sizes: &[usize]) -> Result<Vec<(StreamKind, usize)>> {
        let kinds =
            if self.stream.is_empty() { streams.to_vec() } else { bench::chosen_streams(&self.stream)? };
        let mut sizes = if self.n.is_empty() { sizes.to_vec() } else { self.n.clone() };
        sizes.retain(|n| *n > 0);
        sizes.sort_unstable();
        sizes.dedup();
        Ok(sizes.iter().flat_map(|&n| kinds.iter().map(move |&kind| (kind, n))).collect())
    }

    /// As many frames as were asked for, or as the promise needs; fewer of the largest scenes.
    fn frames(&self, n: usize, usual: u32) -> u32 {
        self.frames.unwrap_or(if n >= 1_000_000 { usual.div_ceil(2) } else { usual })
    }
}

/// A finder with all it is asked for by default: canonical order and changes.
fn member(entry: &FinderEntry, executor: &Executor, members: usize) -> Member {
    let settings = FindSettings {
        executor: executor.clone(),
        changes: true,
        pair_limit: Some(affordable_pairs(members)),
        ..FindSettings::default()
    };
    Member::new(entry.name.clone(), entry.make(), settings)
}

/// Does the finder take as many boxes?
fn takes(entry: &FinderEntry, n: usize) -> bool {
    entry.make().size_limit().is_none_or(|limit| n <= limit)
}

/// Something that takes its turn among the finders.
pub(crate) trait Companion {
    fn step(&mut self);
}

/// Who need not compete.
struct Nobody;

impl Companion for Nobody {
    fn step(&mut self) {}
}

/// Runs members over the frames of a stream, in turns; each goes first in turn, and so do their companions. After every
/// frame `leaves` may send members away. Fails if their pairs are wrong.
fn take_turns<C: Companion>(
    (kind, n): (StreamKind, usize),
    scope: &Scope,
    frames: u32,
    members: &mut Vec<Member>,
    companions: &mut [C],
    mut leaves: impl FnMut(u32, &mut Vec<Member>),
) -> Result<()> {
    check_memory(n, members.len() + companions.len())?;
    let mut scene = Scene::stream(kind, n, scope.seed);
    let mut judge = Judge::new(scope.verify, n, frames);
    let mut progress = Progress::new(kind.name(), n, frames);
    for frame in 0..frames {
        if frame > 0 {
            scene.advance()?;
        }
        let count = members.len() + companions.len();
        for index in turns(count, frame) {
            match members.get_mut(index) {
                Some(member) => member
                    .step(&scene, frame)
                    .with_context(|| format!("{} on {}, frame {frame}", member.name, kind.name()))?,
                None => companions[index - members.len()].step(),
            }
        }
        judge.look(frame, members);
        if let Some(trouble) = members.iter().find_map(|member| member.trouble.clone()) {
            return Err(Disagreement(trouble).into());
        }
        leaves(frame, members);
        progress.frame_done(frame);
    }
    progress.end();
    Ok(())
}

/// Counts what is kept and what is not.
#[derive(Default)]
struct Verdicts {
    kept: usize,
    missed: usize,
}

impl Verdicts {
    /// Takes note of one, and says it.
    fn note(&mut self, kept: bool) -> &'static str {
        if kept {
            self.kept += 1;
            "kept"
        } else {
            self.missed += 1;
            "FALLS SHORT"
        }
    }

    /// Prints the figures and the sum of them, and fails if something falls short.
    fn conclude<const N: usize>(
        self,
        promise: &str,
        heads: [&str; N],
        rows: &[[Figure; N]],
        json: bool,
    ) -> Result<()> {
        let Self { kept, missed } = self;
        let count = grouped((kept + missed) as u64);
        if json {
            output::print_json(&serde_json::json!({
                "machine": Machine::here(), "promise": promise, "results": as_objects(heads, rows),
                "kept": kept, "missed": missed,
            }))?;
        } else {
            output::print(&format!(
                "{}\n{promise}\n\n{}\n{}: kept in {kept} of {count}\n",
                Machine::here().line(),
                as_table(heads, rows),
                if missed == 0 { "PASS" } else { "FALLS SHORT" },
            ))?;
        }
        if missed > 0 {
            return Err(FallsShort(format!("falls short in {missed} of {count}: {promise}")).into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(stream: &[&str], n: &[usize]) -> Scope {
        let stream = stream.iter().map(|name| (*name).to_string()).collect();
        Scope { stream, n: n.to_vec(), frames: None, seed: 1, verify: false, json: false }
    }

    #[test]
    fn cells_are_what_was_asked_for_or_what_is_usual() {
        let usual = scope(&[], &[]).cells(&MOVING, &[10, 20]).unwrap();
        assert_eq!((usual.len(), usual[0], usual[9]), (10, (MOVING[0], 10), (MOVING[4], 20)));
        let asked = scope(&["fast"], &[30, 0, 10, 30]).cells(&MOVING, &SIZES).unwrap();
        assert_eq!(asked, [(StreamKind::Fast, 10), (StreamKind::Fast, 30)]);
        assert!(scope(&["slow"], &[]).cells(&MOVING, &SIZES).is_err());
    }

    #[test]
    fn one_that_falls_short_is_a_failure() {
        let mut verdicts = Verdicts::default();
        assert_eq!((verdicts.note(true), verdicts.note(false)), ("kept", "FALLS SHORT"));
        let error = verdicts.conclude::<0>("it works", [], &[], false).unwrap_err();
        assert!(error.is::<FallsShort>());
        assert_eq!(error.to_string(), "falls short in 1 of 2: it works");
        assert!(Verdicts { kept: 2, missed: 0 }.conclude::<0>("it works", [], &[], true).is_ok());
    }
}
