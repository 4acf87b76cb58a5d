//! What all running cells do between two steps.

use anyhow::{Result, bail};

use crate::experiment::Watch;

/// Tells how much is done, and ends the cell if the user wants that.
pub(super) fn go_on(watch: &Watch<'_>, done: f64) -> Result<()> {
    if (watch.stopped)() {
        bail!("stopped");
    }
    (watch.done)(done);
    Ok(())
}
