//! What was measured, as Markdown for people and as JSON for programs.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;

use super::run::{EngineResult, Frames};
use crate::compare::numbers::{short_count, three_digits};

/// All engines on one scene with so many threads.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The scene's name.
    pub scene: &'static str,
    /// How many bodies move.
    pub n: usize,
    /// Threads each engine was given.
    pub threads: usize,
    /// The engines, in the order they were chosen.
    pub engines: Vec<EngineResult>,
}

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The processor and its cores.
    pub machine: String,
    /// The command that was run.
    pub command: String,
    /// The lengths of the phases.
    pub frames: Frames,
    /// What was left out of this build, and why.
    pub left_out: Vec<&'static str>,
    /// The cells, in the order they ran.
    pub cells: Vec<Cell>,
}

impl Report {
    /// As Markdown.
    pub fn markdown(&self) -> Result<String> {
        let mut text = String::new();
        writeln!(text, "# Whole worlds side by side\n\n{}\n\n`{}`", self.machine, self.command)?;
        for reason in &self.left_out {
            writeln!(text, "\n*** LEFT OUT: {reason}")?;
        }
        for cell in &self.cells {
            cell.markdown(&mut text)?;
        }
        Ok(text)
    }
}

impl Cell {
    /// Appends this cell.
    pub fn markdown(&self, text: &mut String) -> Result<()> {
        writeln!(text, "\n## {}, {} bodies, threads: {}\n", self.scene, short_count(self.n), self.threads)?;
        for engine in &self.engines {
            writeln!(text, "- {}: {}; {}", engine.engine, engine.version, engine.passes)?;
        }
        self.times(text)?;
        self.overlaps(text)?;
        self.engines.iter().try_for_each(|engine| stages(engine, text))
    }

    fn times(&self, text: &mut String) -> Result<()> {
        writeln!(
            text,
            "\n| phase | engine | ms a frame | fastest tenth | slowest tenth | awake | pairs kept | manifolds |"
        )?;
        writeln!(text, "|---|---|---|---|---|---|---|---|")?;
        for (engine, phase) in self.rows() {
            let [median, p10, p90] = [phase.median, phase.p10, phase.p90].map(three_digits);
            let counts = &phase.counts;
            writeln!(
                text,
                "| {} | {} | {median} | {p10} | {p90} | {} | {} | {} |",
                phase.phase, engine.engine, phase.awake, counts.pairs, counts.manifolds
            )?;
        }
        Ok(())
    }

    fn overlaps(&self, text: &mut String) -> Result<()> {
        writeln!(
            text,
            "\n| phase | engine | overlap %, max | 99 of 100 | mean | pairs > 5 % | overlapping | nearer than 2 cm | escaped | mean speed, m/s |"
        )?;
        writeln!(text, "|---|---|---|---|---|---|---|---|---|---|")?;
        for (engine, phase) in self.rows() {
            let found = &phase.overlap;
            writeln!(
                text,
                "| {} | {} | {:.2} | {:.2} | {:.3} | {} | {} | {} | {} | {:.4} |",
                phase.phase,
                engine.engine,
                found.max,
                found.p99,
                found.mean,
                found.deep,
                found.overlapping,
                found.touching,
                found.escaped,
                phase.speed
            )?;
        }
        Ok(())
    }

    /// Phase by phase, so that engines stand below one another.
    fn rows(&self) -> impl Iterator<Item = (&EngineResult, &super::run::PhaseResult)> {
        let phases = self.engines.iter().map(|engine| engine.phases.len()).max().unwrap_or(0);
        (0..phases).flat_map(move |index| {
            self.engines.iter().filter_map(move |engine| Some((engine, engine.phases.get(index)?)))
        })
    }
}

/// The engine's own stage times, one column a phase.
fn stages(engine: &EngineResult, text: &mut String) -> Result<()> {
    let Some(first) = engine.phases.first().filter(|phase| !phase.stages.is_empty()) else {
        return Ok(());
    };
    let names: Vec<&str> = engine.phases.iter().map(|phase| phase.phase).collect();
    writeln!(text, "\n| {}: stage, ms by its own clock | {} |", engine.engine, names.join(" | "))?;
    writeln!(text, "|---|{}", "---|".repeat(names.len()))?;
    for (index, (stage, _)) in first.stages.iter().enumerate() {
        // Spaces in front say whose part a stage is; Markdown would drop them.
        let depth = stage.len() - stage.trim_start().len();
        let times: Vec<String> =
            engine.phases.iter().map(|phase| format!("{:.2}", phase.stages[index].1)).collect();
        writeln!(text, "| {}{} | {} |", "– ".repeat(depth), stage.trim_start(), times.join(" | "))?;
    }
    Ok(())
}
