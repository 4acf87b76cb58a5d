//! The folder of a study: its manifest, the files of its cells, and what is written from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::manifest::Manifest;
use super::{Results, Samples, cell_file};
use crate::output::WholeFile;

/// What [`super::publish`] writes.
pub(super) const PUBLISHED: [&str; 4] = ["samples.csv", "statistics.csv", "report.html", "summary.txt"];
const CELLS: &str = "cells";
const SCENES: &str = "scenes";

#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn manifest_file(&self) -> PathBuf {
        self.file("manifest.json")
    }

    pub(super) fn cell_file(&self, cell: &str) -> PathBuf {
        self.path.join(CELLS).join(format!("{cell}.csv"))
    }

    /// Makes the folder ready for a run: what is there is kept if it was measured with the same. Gives the manifest to
    /// go on with. Nothing is written if it cannot.
    pub(super) fn open(&self, now: Manifest, fresh: bool) -> Result<Manifest> {
        let there = Manifest::read(&self.manifest_file())?;
        if let Some(there) = there.as_ref().filter(|_| !fresh)
            && let Some(difference) = there.difference(&now)
        {
            bail!(
                "{}: was measured with {difference}; measure with the same, elsewhere with --out, or anew with --fresh",
                self.path.display()
            );
        }
        let ours = there.as_ref().map_or(Vec::new(), |there| self.files_of(there));
        let foreign = self.files_of(&now).into_iter().find(|path| !ours.contains(path) && path.exists());
        if let Some(foreign) = foreign {
            bail!(
                "{}: was not written by this study, and would be lost; choose another --out, or move it away",
                foreign.display()
            );
        }
        if fresh {
            remove(&ours)?;
        }
        let made = fs::create_dir_all(self.path.join(CELLS));
        made.with_context(|| format!("{}: cannot be made; choose another --out", self.path.display()))?;
        let manifest = there.filter(|_| !fresh).unwrap_or(now);
        for scene in &manifest.scenes {
            fs::create_dir_all(self.path.join(SCENES))?;
            let mut file = WholeFile::create(&self.path.join(SCENES).join(&scene.name))?;
            file.write(scene.text.as_bytes())?;
            file.commit()?;
        }
        self.write_manifest(&manifest)?;
        Ok(manifest)
    }

    /// All files that a run with this manifest writes. A name that leads out of the folder is nobody's.
    fn files_of(&self, manifest: &Manifest) -> Vec<PathBuf> {
        let plain = |name: &&str| Path::new(name).file_name().is_some_and(|last| last == *name);
        let cells = manifest.cells.iter().map(|cell| cell.name.as_str()).filter(plain);
        let scenes = manifest.scenes.iter().map(|scene| scene.name.as_str()).filter(plain);
        let cells = cells.map(|cell| self.cell_file(cell));
        let scenes = scenes.map(|scene| self.path.join(SCENES).join(scene));
        let others = PUBLISHED.iter().map(|name| self.file(name));
        cells.chain(scenes).chain(others).chain([self.manifest_file()]).collect()
    }

    pub(super) fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        manifest.write(&self.manifest_file())
    }

    /// The manifest of a folder in which something was measured.
    pub(super) fn manifest(&self) -> Result<Manifest> {
        Manifest::read(&self.manifest_file())?.with_context(|| {
            format!(
                "{}: holds no manifest.json; name a folder that `jostle experiment` wrote",
                self.path.display()
            )
        })
    }

    /// Writes the samples of a cell, and gives them as they are read back.
    pub(super) fn keep(&self, manifest: &mut Manifest, cell: usize, samples: &Samples) -> Result<Samples> {
        let planned = &mut manifest.cells[cell];
        let path = self.cell_file(&planned.name);
        let count = cell_file::write(&path, samples)?;
        planned.samples = Some(count);
        cell_file::read(&path, count)
    }

    /// All samples there are.
    pub(super) fn results(&self, manifest: &Manifest) -> Result<Results> {
        let mut results = manifest.empty_results();
        for cell in &manifest.cells {
            let path = self.cell_file(&cell.name);
            if let Some(samples) = cell.samples.filter(|_| path.exists()) {
                results.cells.insert(cell.name.clone(), cell_file::read(&path, samples)?);
            }
        }
        Ok(results)
    }
}

/// Removes files, those that are there. The last one, the manifest, goes last: what is left until then is still known.
fn remove(files: &[PathBuf]) -> Result<()> {
    for path in files {
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error)
                    .with_context(|| format!("{}: cannot be removed; choose another --out", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}
