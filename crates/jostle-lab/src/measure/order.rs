//! What canonical order costs on top of pairs in any order, where everything moves.

use anyhow::Result;
use jostle_broad::scene::StreamKind;
use jostle_broad::{Catalog, Executor, FindSettings, FinderEntry};

use super::{Figure, Nobody, SIZES, Scope, Verdicts, member, take_turns, takes};
use crate::bench::chosen_finders;
use crate::bench::run::Member;
use crate::numbers::median;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure order --n 100k --finders sweep")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scope: Scope,
    /// The finders to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "sweep,bvh")]
    finders: Vec<String>,
    /// How many threads
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

/// Everything moves in them.
const STREAMS: [StreamKind; 4] =
    [StreamKind::Brownian, StreamKind::Fast, StreamKind::Disparity, StreamKind::Pile];
/// Percent on top that are promised.
const ON_TOP: f64 = 25.0;
const FRAMES: u32 = 40;
/// What is asked for: canonical order, changes.
const ASKED: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];
const HEADS: [&str; 9] = [
    "stream",
    "boxes",
    "finder",
    "any order ms",
    "canonical ms",
    "with changes ms",
    "order on top",
    "with changes",
    "",
];

pub(super) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let entries = chosen_finders(catalog, &arguments.finders)?;
    let executor = Executor::new(usize::from(arguments.threads))?;
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for cell in arguments.scope.cells(&STREAMS, &SIZES)? {
        let (kind, n) = cell;
        let fitting: Vec<&FinderEntry> = entries.iter().filter(|entry| takes(entry, n)).copied().collect();
        let count = fitting.len() * ASKED.len();
        let of_entry = |entry: &&FinderEntry| {
            ASKED.map(|(canonical, changes)| {
                let mut asked = member(entry, &executor, count);
                asked.settings = FindSettings { canonical, changes, ..asked.settings };
                asked
            })
        };
        let mut members: Vec<Member> = fitting.iter().flat_map(of_entry).collect();
        let frames = arguments.scope.frames(n, FRAMES);
        take_turns::<Nobody>(cell, &arguments.scope, frames, &mut members, &mut [], |_, _| {})?;
        for of_finder in members.chunks(ASKED.len()) {
            let ms: Vec<f64> = of_finder
                .iter()
                .map(|member| median(&member.milliseconds()[1..]).unwrap_or(f64::NAN))
                .collect();
            let on_top = |ms_more: f64| 100.0 * (ms_more / ms[0] - 1.0);
            let verdict = verdicts.note(on_top(ms[1]) <= ON_TOP);
            rows.push([
                Figure::word(kind.name()),
                Figure::count(n),
                Figure::word(&of_finder[0].name),
                Figure::Milliseconds(ms[0]),
                Figure::Milliseconds(ms[1]),
                Figure::Milliseconds(ms[2]),
                Figure::OnTop(on_top(ms[1])),
                Figure::OnTop(on_top(ms[2])),
                Figure::word(verdict),
            ]);
        }
    }
    let promise = "canonical order where everything moves: at most 25 % on top of pairs in any order";
    verdicts.conclude(promise, HEADS, &rows, arguments.scope.json)
}
