//! `jostle doctor`: what this machine has, what of jostle works on it, and what would help.
//!
//! Out: the machine (CPU, lanes, memory, caches, what threads gain at this moment), checks that are made here and now,
//! tools with what they are for and how to get them, and devices. A tool that is missing is no failure; a check that does
//! not hold is one of jostle, with exit code 1.

mod checks;
mod hardware;
mod table;
mod tools;

use anyhow::Result;
use jostle_broad::{Catalog, Executor};
use serde::Serialize;

use self::checks::Check;
use self::hardware::{Cache, Device, Memory};
use self::tools::Tool;
use crate::failure::Disagreement;
use crate::gpu::{self, AdapterFacts};
use crate::machine::Machine;
use crate::measure::Companion;
use crate::measure::calibration::Calibration;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle doctor\n  jostle doctor --json > machine.json")]
pub(crate) struct Arguments {
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
struct Findings {
    machine: Machine,
    memory: Option<Memory>,
    /// Of the first core.
    caches: Vec<Cache>,
    threads: Gain,
    checks: Vec<Check>,
    tools: Vec<Tool>,
    devices: Vec<Device>,
    /// What GPU finders can run on; nothing where they are not in this program.
    adapters: Option<Vec<AdapterFacts>>,
    /// Parts of jostle that are not in this program, whatever the machine has.
    not_in_this_build: Vec<&'static str>,
}

/// What all cores gain over one in a plain loop, at this moment.
#[derive(Debug, Serialize)]
struct Gain {
    threads: usize,
    one_ms: f64,
    all_ms: f64,
    gain: f64,
}

impl Gain {
    /// Is it so little that other work, or the system, must be in the way?
    fn is_meagre(&self) -> bool {
        self.gain < 0.7 * self.threads as f64
    }
}

/// Boxes and turns of the loop: a few tenths of a second.
const LOOP_BOXES: usize = 100_000;
const LOOP_TURNS: usize = 15;

const CLUSTER: &str = "worlds on several machines: MPI is not used";

pub(crate) fn run(arguments: &Arguments, catalog: &Catalog) -> Result<()> {
    let machine = Machine::here();
    let adapters = gpu::adapters();
    let findings = Findings {
        memory: hardware::memory(),
        caches: hardware::caches(),
        threads: gain(machine.cores)?,
        checks: checks::all(catalog, machine.cores)?,
        tools: tools::all(),
        devices: hardware::devices(),
        not_in_this_build: if adapters.is_some() { vec![CLUSTER] } else { vec![gpu::HOW_TO_BUILD, CLUSTER] },
        adapters,
        machine,
    };
    if arguments.json {
        output::print_json(&findings)?;
    } else {
        output::print(&table::render(&findings))?;
    }
    match findings.checks.iter().find_map(|check| check.trouble.clone()) {
        Some(trouble) => Err(Disagreement(trouble).into()),
        None => Ok(()),
    }
}

fn gain(threads: usize) -> Result<Gain> {
    let mut one = Calibration::new(Executor::serial(), LOOP_BOXES);
    let mut all = Calibration::new(Executor::new(threads)?, LOOP_BOXES);
    for _ in 0..LOOP_TURNS {
        one.step();
        all.step();
    }
    let (one_ms, all_ms) = (one.median_ms(), all.median_ms());
    Ok(Gain { threads, one_ms, all_ms, gain: one_ms / all_ms })
}
