//! Runs the cells of a study that are not measured yet, one after another, and keeps each as soon as it is there.
//!
//! Whatever ends a run (all is measured, the user stops it, a cell fails, the power goes), the folder is valid: a cell is
//! in it whole or not at all, and the next run of the same study goes on with the others.

use std::time::Instant;

use anyhow::{Result, bail};
use jostle_broad::Catalog;

use super::folder::Folder;
use super::manifest::Manifest;
use super::program::Program;
use super::progress::Progress;
use super::{Cell, Options, Study, Watch};
use crate::failure::Disagreement;

/// How a run ended.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The user stopped it.
    pub(super) stopped: bool,
    /// What ended it before its time.
    pub(super) failure: Option<anyhow::Error>,
}

/// Measures what is missing in the folder.
pub(super) fn run(
    study: &dyn Study,
    options: &Options,
    catalog: &Catalog,
    folder: &Folder,
    fresh: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<Ending> {
    let cells = study.cells(options, catalog)?;
    check_names(&cells)?;
    let names: Vec<String> = cells.iter().map(|cell| cell.name.clone()).collect();
    let scenes = study.scenes(options)?;
    let program = Program::here(catalog);
    let now = Manifest::new(study.about().name, options, program, &names, scenes);
    let mut manifest = folder.open(now, fresh)?;
    let mut results = folder.results(&manifest)?;
    let earlier = manifest.seconds;
    let begun = Instant::now();
    let mut ending = Ending::default();
    let missing: Vec<usize> =
        (0..cells.len()).filter(|&index| !results.cells.contains_key(&cells[index].name)).collect();
    let progress = Progress::new(study.about().name, &cells, &missing);
    for index in missing {
        if stopped() {
            ending.stopped = true;
            break;
        }
        let cell = &cells[index];
        progress.begin(index);
        let measured = {
            let watch = Watch { done: &|share| progress.part(share), stopped, before: &results };
            (cell.run)(&watch)
        };
        match measured {
            // It may have ended early, as the user wished: better measured again than half.
            _ if stopped() => {
                ending.stopped = true;
                break;
            }
            Ok(samples) => {
                manifest.cells[index].wrong = None;
                let kept = folder.keep(&mut manifest, index, &samples)?;
                manifest.seconds = earlier + begun.elapsed().as_secs_f64();
                folder.write_manifest(&manifest)?;
                results.cells.insert(cell.name.clone(), kept);
            }
            Err(error) if error.is::<Disagreement>() => {
                progress.tell(&format!("WRONG: {}: {error}", cell.name));
                manifest.cells[index].samples = None;
                manifest.cells[index].wrong = Some(error.to_string());
                manifest.seconds = earlier + begun.elapsed().as_secs_f64();
                folder.write_manifest(&manifest)?;
            }
            Err(error) => {
                ending.failure = Some(error.context(format!("cell {}", cell.name)));
                break;
            }
        }
        progress.end_cell();
    }
    progress.end();
    Ok(ending)
}

/// The name of a cell is the name of a file.
fn check_names(cells: &[Cell<'_>]) -> Result<()> {
    for (index, cell) in cells.iter().enumerate() {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if cell.name.is_empty() || !cell.name.bytes().all(fits) {
            bail!("the study has a cell `{}`: a name is letters, digits, `-`, `_` and `.`", cell.name);
        }
        if cells[..index].iter().any(|other| other.name == cell.name) {
            bail!("the study has two cells `{}`", cell.name);
        }
    }
    Ok(())
}
