//! Which scenes, sizes, thread counts and engines a run goes through.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::report::{Cell, Report};
use super::run::{Frames, run_cell};
use super::scene::{SCENES, Scene};
use super::{Engine, engines, left_out};
use crate::compare::machine;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Names of scenes; `all` stands for every one.
    pub scenes: Vec<String>,
    /// Numbers of dynamic bodies.
    pub sizes: Vec<usize>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Names of engines. Empty: all that were built in.
    pub engines: Vec<String>,
    /// The lengths of the phases.
    pub frames: Frames,
    /// The seed of the scenes.
    pub seed: u64,
    /// Print JSON instead of Markdown?
    pub json: bool,
    /// Where worlds.json and worlds.md go.
    pub out: PathBuf,
    /// The command line, for the report.
    pub command: String,
}

impl Plan {
    /// Every scene that was asked for, in every size.
    fn scenes(&self) -> Result<Vec<Scene>> {
        let all = self.scenes.iter().any(|name| name == "all");
        let names: Vec<&str> = match all {
            true => SCENES.iter().map(|(name, _)| *name).collect(),
            false => self.scenes.iter().map(String::as_str).collect(),
        };
        let sized = names.iter().flat_map(|name| self.sizes.iter().map(move |n| (name, *n)));
        sized.map(|(name, n)| Scene::new(name, n, self.seed)).collect()
    }

    fn engines(&self) -> Result<Vec<Engine>> {
        let built = engines();
        if self.engines.is_empty() {
            return Ok(built);
        }
        let find = |name: &String| match built.iter().find(|engine| engine.name == name) {
            Some(engine) => Ok(*engine),
            None => {
                let known: Vec<&str> = built.iter().map(|engine| engine.name).collect();
                bail!("there is no engine `{name}` in this build; choose from {}", known.join(", "))
            }
        };
        self.engines.iter().map(find).collect()
    }
}

/// Runs everything, prints it as it comes and writes the report.
pub fn run(plan: &Plan) -> Result<()> {
    let (scenes, engines) = (plan.scenes()?, plan.engines()?);
    let mut report = Report {
        machine: machine::line(),
        command: plan.command.clone(),
        frames: plan.frames,
        left_out: left_out(),
        cells: Vec::new(),
    };
    if !plan.json {
        println!("{}", report.markdown()?);
    }
    for scene in &scenes {
        for &threads in &plan.threads {
            let cell = Cell {
                scene: scene.name,
                n: scene.dynamic_count(),
                threads,
                engines: run_cell(&engines, scene, threads, &plan.frames)?,
            };
            if !plan.json {
                let mut text = String::new();
                cell.markdown(&mut text)?;
                println!("{text}");
            }
            report.cells.push(cell);
        }
    }
    let json = serde_json::to_string_pretty(&report)?;
    if plan.json {
        println!("{json}");
    }
    fs::create_dir_all(&plan.out)?;
    fs::write(plan.out.join("worlds.json"), json)?;
    fs::write(plan.out.join("worlds.md"), report.markdown()?)?;
    Ok(())
}
