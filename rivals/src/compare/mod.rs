//! Rivals and finders of ours on the same boxes, frame by frame in turns: times, verification, reports.

pub mod cell;
mod heap;
mod html;
pub(crate) mod machine;
pub mod numbers;
mod plot;
pub mod report;
mod text;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use jostle_broad::Aabb;
use jostle_broad::scene::{BoxStream, StreamKind};

use crate::adapters;
use crate::floor::FLOOR;
use crate::ours::{Finders, Ours, finder_name};
use crate::rival::{Contestant, Delivers, Rival};
use cell::{Cell, Row, Truths};
use numbers::short_count;
use report::Report;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The moving scenes.
    pub streams: Vec<StreamKind>,
    /// Numbers of boxes.
    pub sizes: Vec<usize>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Frames per cell, the first one included.
    pub frames: usize,
    /// Names of rivals. Empty: all that were built in.
    pub rivals: Vec<String>,
    /// Beside them, what only reading the boxes takes?
    pub floor: bool,
    /// Names of finders of ours.
    pub ours: Vec<String>,
    /// Where they come from.
    pub finders: Finders,
    /// Compare with the true pairs in the first frame (up to 100,000 boxes) and in the last?
    pub verify: bool,
    /// The seed of the streams.
    pub seed: u64,
    /// Frames that a contestant takes in a row before the next one has its turn.
    pub burst: usize,
    /// A contestant that has used up this much time in a cell leaves it, with what was measured so far.
    pub patience: Duration,
    /// Where the reports go.
    pub out: PathBuf,
    /// The command line, for the reports.
    pub command: String,
}

/// Bytes a box may cost the largest of the contestants, roughly: a collider of rapier and its leaf.
const BYTES_PER_BOX: u64 = 2_000;

/// Who takes part: a finder of ours or a rival.
#[derive(Clone)]
pub enum Entrant {
    /// By name.
    Ours(String, Finders),
    /// By its entry.
    Rival(Rival),
}

impl Entrant {
    /// The name in tables.
    pub fn name(&self) -> String {
        match self {
            Self::Ours(name, _) => format!("jostle {name}"),
            Self::Rival(rival) => rival.name.to_string(),
        }
    }

    /// What it hands over.
    pub fn delivers(&self) -> Delivers {
        match self {
            Self::Ours(..) => Delivers::SetAndChanges,
            Self::Rival(rival) => rival.delivers,
        }
    }

    /// Is it a finder of ours?
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Ours(..))
    }

    fn size_limit(&self) -> Result<Option<usize>> {
        Ok(match self {
            Self::Ours(name, finders) => finders.catalog().get(finder_name(name))?.make().size_limit(),
            Self::Rival(rival) => rival.size_limit,
        })
    }

    fn make(&self, boxes: &[Aabb], threads: usize) -> Result<Box<dyn Contestant>> {
        match self {
            Self::Ours(name, finders) => Ok(Box::new(Ours::new(finders, name, boxes, threads)?)),
            Self::Rival(rival) => (rival.make)(boxes, threads),
        }
    }
}

/// Runs all cells, prints their tables, writes the reports. Fails if a finder of ours was wrong.
pub fn run(plan: &Plan) -> Result<()> {
    let entrants = entrants(plan)?;
    for reason in adapters::left_out() {
        eprintln!("*** LEFT OUT: {reason}");
    }
    let mut report = Report::new(plan);
    let mut truths = Truths::default();
    let total = plan.threads.len() * plan.sizes.len() * plan.streams.len();
    for &threads in &plan.threads {
        for &n in &plan.sizes {
            for &kind in &plan.streams {
                let number = report.cells() + 1;
                let threads_words = text::threads_words(threads);
                eprintln!("[{number}/{total}] {} {}, {threads_words}", kind.name(), short_count(n));
                let rows = run_cell(plan, &entrants, (kind, n, threads), &mut truths)?;
                write!(std::io::stdout(), "{}", text::cell_table(&rows))?;
                report.add(rows);
            }
        }
    }
    writeln!(std::io::stdout(), "{}", text::summary(&report))?;
    report.write(&plan.out)?;
    eprintln!("reports: {}", plan.out.display());
    let wrong: Vec<&Row> = report.rows().filter(|row| row.ours && row.wrong.is_some()).collect();
    if let Some(row) = wrong.first() {
        bail!("{} is wrong on {} {}: {}", row.name, row.stream, row.n, row.wrong.as_deref().unwrap_or(""));
    }
    Ok(())
}

fn entrants(plan: &Plan) -> Result<Vec<Entrant>> {
    let catalog = plan.finders.catalog();
    let mut entrants = Vec::new();
    for name in &plan.ours {
        catalog.get(finder_name(name))?;
        entrants.push(Entrant::Ours(name.clone(), plan.finders.clone()));
    }
    let built = adapters::all();
    for name in &plan.rivals {
        if !built.iter().any(|rival| rival.name == name) {
            let known: Vec<&str> = built.iter().map(|rival| rival.name).collect();
            bail!("there is no rival `{name}` in this build; there are: {}", known.join(", "));
        }
    }
    let chosen = built
        .into_iter()
        .filter(|rival| plan.rivals.is_empty() || plan.rivals.iter().any(|name| name == rival.name));
    entrants.extend(chosen.map(Entrant::Rival));
    entrants.extend(plan.floor.then_some(Entrant::Rival(FLOOR)));
    ensure!(!entrants.is_empty(), "nobody takes part; choose --rivals or --ours");
    Ok(entrants)
}

/// All entrants at once where memory allows; otherwise one rival after the other, ours beside each of them.
fn run_cell(
    plan: &Plan,
    entrants: &[Entrant],
    (kind, n, threads): (StreamKind, usize, usize),
    truths: &mut Truths,
) -> Result<Vec<Row>> {
    let mut taking_part = Vec::new();
    for entrant in entrants {
        match entrant.size_limit()? {
            Some(limit) if n > limit => {
                eprintln!("    {} takes {} boxes at most: left out", entrant.name(), short_count(limit));
            }
            _ => taking_part.push(entrant.clone()),
        }
    }
    let need = n as u64 * BYTES_PER_BOX * taking_part.len() as u64;
    let groups = if machine::available_memory().is_none_or(|available| need < available) {
        vec![taking_part]
    } else {
        let (ours, rivals): (Vec<_>, Vec<_>) = taking_part.into_iter().partition(Entrant::is_ours);
        let with_ours = |rival: Entrant| ours.iter().cloned().chain([rival]).collect::<Vec<_>>();
        if rivals.is_empty() { vec![ours] } else { rivals.into_iter().map(with_ours).collect() }
    };
    let mut cell = Cell::new(kind.name(), n, threads);
    for group in &groups {
        let stream = BoxStream::new(kind, n, plan.seed);
        cell.run(stream, group, plan, truths)?;
    }
    Ok(cell.rows())
}
