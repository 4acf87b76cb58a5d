//! What it costs to let `auto` choose, and what its trials and switches cost.
//!
//! Deciding by counted work it makes the same choices in every run. Several such run side by side, and the least time of
//! each frame counts: what is left of a slow frame then is `auto`'s doing and not the machine's.

use anyhow::{Result, ensure};
use jostle_broad::{Catalog, Executor, FinderEntry};

use super::{Figure, MOVING, Nobody, SIZES, Scope, Verdicts, member, take_turns, takes};
use crate::bench::chosen_finders;
use crate::bench::run::{Member, chosen};
use crate::finders::AUTO_BY_WORK;
use crate::numbers::median;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure auto --n 10k --stream brownian,pile")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scope: Scope,
    /// The single finders it is held against, or `all` that take as many boxes
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    finders: Vec<String>,
    /// How many threads
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

const FRAMES: u32 = 200;
/// How much slower than the best single finder is promised, and how many times a frame a trial or switch.
const SLOWER: f64 = 1.15;
pub(super) const SWITCH: f64 = 3.0;
/// A finder this many times slower than the fastest so far cannot become the best: it leaves after so many frames.
const HOPELESS: f64 = 3.0;
const PATIENCE: u32 = 6;
/// By time, and three times by work.
const AUTOS: [&str; 4] = ["auto", AUTO_BY_WORK, AUTO_BY_WORK, AUTO_BY_WORK];
const HEADS: [&str; 12] = [
    "stream",
    "boxes",
    "finder",
    "sum ms",
    "best single",
    "its sum ms",
    "sum",
    "median",
    "switches",
    "worst",
    "other",
    "",
];

pub(super) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let singles = chosen_finders(catalog, &arguments.finders)?;
    let is_single = |entry: &&FinderEntry| !AUTOS.contains(&entry.name.as_str()) && entry.name != "brute";
    let executor = Executor::new(usize::from(arguments.threads))?;
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for cell in arguments.scope.cells(&MOVING, &SIZES)? {
        let (kind, n) = cell;
        let autos = AUTOS.iter().map(|name| catalog.get(name)).collect::<Result<Vec<_>, _>>()?;
        let entries: Vec<&FinderEntry> =
            autos.into_iter().chain(singles.iter().filter(|entry| is_single(entry)).copied()).collect();
        let entries: Vec<&FinderEntry> = entries.into_iter().filter(|entry| takes(entry, n)).collect();
        let mut members: Vec<Member> =
            entries.iter().map(|entry| member(entry, &executor, entries.len())).collect();
        // All of the frames, however many boxes: how long trials take to pay is part of the promise.
        let frames = arguments.scope.frames.unwrap_or(FRAMES);
        take_turns::<Nobody>(cell, &arguments.scope, frames, &mut members, &mut [], dismiss_hopeless)?;
        let sum = |member: &Member| member.milliseconds().iter().sum::<f64>();
        let best = members[AUTOS.len()..].iter().min_by(|a, b| sum(a).total_cmp(&sum(b)));
        for (auto, repeats) in [(&members[0], &members[..1]), (&members[1], &members[1..AUTOS.len()])] {
            let switches = Switches::among(&least_times(repeats)?, auto.details());
            let slower = best.map(|best| sum(auto) / sum(best));
            let median_slower = best.map(|best| later_median(auto) / later_median(best));
            let within = slower.is_none_or(|slower| slower <= SLOWER);
            // One run alone says more about the machine.
            let cheap = repeats.len() == 1 || switches.worst.is_none_or(|worst| worst <= SWITCH);
            let said = verdicts.note(within && cheap);
            let why = match (within, cheap) {
                (true, true) => "",
                (false, true) => ": slower",
                (true, false) => ": a switch",
                (false, false) => ": slower, a switch",
            };
            rows.push([
                Figure::word(kind.name()),
                Figure::count(n),
                Figure::word(&auto.name),
                Figure::Milliseconds(sum(auto)),
                best.map_or(Figure::Nothing, |best| Figure::word(&best.name)),
                best.map_or(Figure::Nothing, |best| Figure::Milliseconds(sum(best))),
                Figure::times(slower),
                Figure::times(median_slower),
                Figure::count(switches.frames),
                Figure::times(switches.worst),
                Figure::times(switches.worst_other),
                Figure::word(format!("{said}{why}")),
            ]);
        }
    }
    let promise = "auto over 200 frames (the first included): at most 1.15 times the sum of the best single finder; \
                   the worst frame of a trial or switch at most 3 times its median (held to with auto-work, by the least \
                   time of 3 equal runs; beside it the worst of the other frames)";
    verdicts.conclude(promise, HEADS, &rows, arguments.scope.json)
}

/// The least time of each frame over runs that made the same choices.
fn least_times(repeats: &[Member]) -> Result<Vec<f64>> {
    let names = |member: &Member| -> Vec<String> {
        member
            .details()
            .iter()
            .map(|detail| chosen(detail.as_deref()).unwrap_or_default().to_string())
            .collect()
    };
    ensure!(
        repeats.windows(2).all(|two| names(&two[0]) == names(&two[1])),
        "{} chose differently in two equal runs",
        repeats[0].name
    );
    let least =
        |frame: usize| repeats.iter().map(|run| run.milliseconds()[frame]).fold(f64::INFINITY, f64::min);
    Ok((0..repeats[0].milliseconds().len()).map(least).collect())
}

fn later_median(member: &Member) -> f64 {
    median(member.milliseconds().get(1..).unwrap_or_default()).unwrap_or(f64::NAN)
}

/// Sends away single finders that cannot become the best.
fn dismiss_hopeless(frame: u32, members: &mut Vec<Member>) {
    if frame != PATIENCE {
        return;
    }
    let fastest = members.iter().map(later_median).fold(f64::INFINITY, f64::min);
    members
        .retain(|member| AUTOS.contains(&member.name.as_str()) || later_median(member) <= HOPELESS * fastest);
}

/// The frames in which `auto` tried or switched, relative to its median frame.
#[derive(Debug, PartialEq)]
pub(super) struct Switches {
    /// How many there are.
    pub(super) frames: usize,
    /// The worst of them.
    pub(super) worst: Option<f64>,
    /// The worst of the others.
    pub(super) worst_other: Option<f64>,
}

impl Switches {
    /// Of the costs of all frames, whatever their unit, and what `auto` said of each. The first frame is neither.
    pub(super) fn among(costs: &[f64], details: &[Option<String>]) -> Self {
        let mut found = Self { frames: 0, worst: None, worst_other: None };
        let Some(middle) = median(costs.get(1..).unwrap_or_default()) else { return found };
        let switching = switching(details);
        for (&cost, is_switch) in costs.iter().zip(switching).skip(1) {
            found.frames += usize::from(is_switch);
            let worst = if is_switch { &mut found.worst } else { &mut found.worst_other };
            *worst = Some(worst.unwrap_or(0.0).max(cost / middle));
        }
        found
    }
}

/// Which frames are part of a trial or switch: another finder works than in the frame before, or than in most frames.
fn switching(details: &[Option<String>]) -> Vec<bool> {
    let names: Vec<&str> =
        details.iter().map(|detail| chosen(detail.as_deref()).unwrap_or_default()).collect();
    let usual = names.iter().copied().max_by_key(|name| names.iter().filter(|other| *other == name).count());
    let mut before = names.first().copied();
    names
        .iter()
        .map(|&name| {
            let switched = before.replace(name) != Some(name);
            switched || Some(name) != usual
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| Some(format!("{name}: 3 levels"))).collect()
    }

    #[test]
    fn trials_and_the_way_back_are_switches() {
        let names = ["sweep", "sweep", "tree", "tree", "sweep", "sweep", "sweep"];
        assert_eq!(switching(&details(&names)), [false, false, true, true, true, false, false]);
        assert_eq!(switching(&details(&["tree"; 3])), [false; 3]);
        assert_eq!(switching(&[]), [false; 0]);
    }

    #[test]
    fn the_first_frame_is_no_switch_and_costs_are_relative_to_the_median() {
        let names = ["sweep", "tree", "tree", "tree", "sweep", "tree", "tree"];
        let costs = [900.0, 5.0, 1.0, 1.5, 2.0, 0.5, 0.5];
        let found = Switches::among(&costs, &details(&names));
        // The median of 0.5, 0.5, 1, 1.5, 2, 5 is 1.25.
        assert_eq!(found, Switches { frames: 3, worst: Some(4.0), worst_other: Some(1.2) });
        assert_eq!(Switches::among(&[], &[]).worst, None);
    }
}
