//! Scene files: TOML in, a [`SceneSpec`] out, or one line that names the file, the line, the field and the remedy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use toml::de::{DeTable, DeValue};

use super::crowd::Crowd;
use super::fall::Fall;
use super::fields::{line, read_table, written};
use super::room::Room;
use super::{Boxes, SceneSpec, Stream, World, named};
use crate::suggestion::nearest;

/// A scene file is a page; whatever is longer is something else.
const MOST_BYTES: u64 = 1 << 20;

/// Kinds of scenes by name, with their defaults. The first one is that of a file that names none.
fn kinds() -> [(&'static str, SceneSpec); 6] {
    [
        ("room", Room::default().into()),
        ("crowd", Crowd::default().into()),
        ("fall", SceneSpec::Fall(Fall::default())),
        ("stream", SceneSpec::Stream(Stream::default())),
        ("world", SceneSpec::World(World::default())),
        ("boxes", SceneSpec::Boxes(Boxes::default())),
    ]
}

impl SceneSpec {
    /// A scene by its name, or from a file: of TOML, or of recorded boxes if its name ends in `.jbox`. The second value is
    /// the name reports give it.
    pub(crate) fn named(name: &str) -> Result<(String, Self)> {
        let path = Path::new(name);
        match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Ok((stem, Self::from_file(path)?))
            }
            Some("jbox") => Ok((name.to_string(), Self::Boxes(Boxes { file: Some(path.into()), frames: 0 }))),
            _ => named::get(name).map(|scene| (scene.name, scene.spec)),
        }
    }

    /// Reads a scene file. Files it names are looked for beside it.
    pub(crate) fn from_file(path: &Path) -> Result<Self> {
        let name = path.display();
        let remedy = "name a scene file, such as one that `jostle scenes NAME` printed";
        let about = fs::metadata(path).with_context(|| format!("{name}: cannot be read; {remedy}"))?;
        if !about.is_file() {
            bail!("{name}: is not a plain file; {remedy}");
        }
        if about.len() > MOST_BYTES {
            bail!("{name}: is longer than a scene file can be; {remedy}");
        }
        let bytes = fs::read(path).with_context(|| format!("{name}: cannot be read; {remedy}"))?;
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("{name}: is not text; {remedy}"))?;
        let mut spec = Self::from_toml(&text).with_context(|| name.to_string())?;
        spec.look_beside(path.parent().unwrap_or(Path::new("")));
        Ok(spec)
    }

    /// Reads a scene.
    pub(crate) fn from_toml(text: &str) -> Result<Self> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().lines().next().unwrap_or_default();
            anyhow!("line {}: {what}; `jostle scenes NAME` prints a file that is right", line(text, at))
        })?;
        let table = table.get_ref();
        let mut spec = kind(text, table)?;
        read_table(text, table, &["kind"], &mut |visit| spec.fields(visit))?;
        spec.check()?;
        Ok(spec)
    }

    /// The scene as a file that can be edited and read back.
    pub(crate) fn to_toml(&self) -> Result<String> {
        let same = |other: &Self| std::mem::discriminant(other) == std::mem::discriminant(self);
        let kind = kinds().into_iter().find(|(_, other)| same(other)).map_or("", |(name, _)| name);
        let mut spec = self.clone();
        Ok(format!("kind = \"{kind}\"\n{}", written(&mut |visit| spec.fields(visit))?))
    }

    fn look_beside(&mut self, folder: &Path) {
        let files: [&mut Option<PathBuf>; 2] = match self {
            Self::Room(room) => [&mut room.bunny, &mut room.armadillo],
            Self::Boxes(boxes) => [&mut boxes.file, &mut None],
            _ => return,
        };
        for file in files.into_iter().flatten() {
            *file = folder.join(&*file);
        }
    }
}

/// The defaults of the kind a table names.
fn kind(text: &str, table: &DeTable<'_>) -> Result<SceneSpec> {
    let [first, ..] = kinds();
    let Some(value) = table.get("kind") else { return Ok(first.1) };
    let at = line(text, value.span().start);
    let names = kinds().map(|(name, _)| name);
    let all = names.map(|name| format!("\"{name}\"")).join(", ");
    let DeValue::String(name) = value.get_ref() else {
        bail!("line {at}: `kind`: is not a name; write {all}");
    };
    match kinds().into_iter().find(|(there, _)| there == name) {
        Some((_, spec)) => Ok(spec),
        None => {
            let near = nearest(name, names.into_iter());
            let hint = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
            bail!(
                "line {at}: `kind`: there are no scenes of kind \"{}\"{hint}; write {all}",
                name.escape_debug()
            )
        }
    }
}
