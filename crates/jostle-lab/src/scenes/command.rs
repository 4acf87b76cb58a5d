//! `jostle scenes`: lists the scenes that have a name, or prints one as a file. Also `--scene` of other commands.

use std::cell::RefCell;

use anyhow::{Context, Result};
use serde::Serialize;

use super::{Baked, SceneSpec, named};
use crate::bench::progress::Progress;
use crate::columns::table;
use crate::experiment::Watch;
use crate::failure::Stopped;
use crate::{output, stop};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle scenes\n  jostle scenes standard-benchmark > mine.toml\n  \
                        jostle bench --scene mine.toml --frames 100 --verify")]
pub(crate) struct Arguments {
    /// Print this scene as a complete file to edit, instead of the list
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print JSON instead: an array of all scenes, or one object that holds the file
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: String,
    /// Can `jostle run` run it?
    world: bool,
    about: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.name {
        Some(name) => print_file(name, arguments.json),
        None => list(arguments.json),
    }
}

fn print_file(name: &str, json: bool) -> Result<()> {
    let scene = named::get(name)?;
    let file = format!("# {}: {}\n\n{}", scene.name, scene.about, scene.spec.to_toml()?);
    if json {
        let world = scene.spec.has_world();
        let object =
            serde_json::json!({ "name": scene.name, "world": world, "about": scene.about, "file": file });
        return output::print_json(&object);
    }
    output::print(&file)
}

fn list(json: bool) -> Result<()> {
    let scenes = named::all().into_iter().map(|scene| {
        let world = scene.spec.has_world();
        Listed { name: scene.name, world, about: scene.about }
    });
    let scenes: Vec<Listed> = scenes.collect();
    if json {
        return output::print_json(&scenes);
    }
    let rows = scenes.iter().map(|scene| {
        let world = if scene.world { "world" } else { "boxes" };
        [scene.name.clone(), world.to_string(), scene.about.clone()]
    });
    output::print(&table(["name", "of", "what"], &[0, 1, 2], rows))
}

/// Changes to a scene that commands take from their arguments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Changed {
    pub(crate) objects: Option<usize>,
    pub(crate) frames: Option<u32>,
    pub(crate) seed: Option<u64>,
}

/// A scene chosen with `--scene`: the name reports give it, and what it is.
pub(crate) fn chosen(name: &str, changed: Changed) -> Result<(String, SceneSpec)> {
    let (name, mut spec) = SceneSpec::named(name).context("--scene")?;
    if let Some(objects) = changed.objects {
        spec = spec.with_objects(objects)?;
    }
    if let Some(frames) = changed.frames {
        spec = spec.with_frames(frames);
    }
    if let Some(seed) = changed.seed {
        spec = spec.with_seed(seed)?;
    }
    Ok((name, spec))
}

/// Bakes a scene, and shows how far it has come. `asked` is what `--scene` named: what is wrong is wrong there.
pub(crate) fn bake(asked: Option<&str>, name: &str, spec: &SceneSpec, threads: usize) -> Result<Baked> {
    let frames = spec.frames();
    let progress = RefCell::new(Progress::new(&format!("paths of {name}"), spec.objects(), frames));
    let done = |share: f64| {
        let frame = (share * f64::from(frames)).round() as u32;
        progress.borrow_mut().frame_done(frame.saturating_sub(1));
    };
    let baked = spec.bake_as(name.to_string(), threads, &Watch::alone(&done, &stop::asked));
    progress.into_inner().end();
    match asked {
        Some(asked) => baked.map_err(|error| blamed(error, asked)),
        None => baked,
    }
}

/// Names the scene or its file; a wish to stop is nobody's fault.
pub(crate) fn blamed(error: anyhow::Error, asked: &str) -> anyhow::Error {
    if error.is::<Stopped>() { error } else { error.context(format!("--scene {asked}")) }
}
