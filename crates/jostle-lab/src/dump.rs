//! The pairs file: for each frame a count and as many pairs, in canonical order. `docs/formats.md` describes it.

use std::path::Path;

use anyhow::{Context, Result};
use jostle_broad::{Pair, PairBuffer};

use crate::output::WholeFile;

/// Writes the pairs of one frame after another.
#[derive(Debug)]
pub(crate) struct PairsFile {
    file: WholeFile,
    sorted: Vec<Pair>,
}

impl PairsFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        Ok(Self { file: WholeFile::create(path)?, sorted: Vec::new() })
    }

    pub(crate) fn write_frame(&mut self, pairs: &PairBuffer) -> Result<()> {
        self.sorted.clear();
        self.sorted.extend_from_slice(pairs.as_slice());
        if !pairs.is_canonical() {
            self.sorted.sort_unstable();
        }
        let count = u32::try_from(self.sorted.len()).context(
            "a frame has more pairs than a pairs file can count (4,294,967,295); leave --dump-pairs away",
        )?;
        self.file.write(&count.to_le_bytes())?;
        for pair in &self.sorted {
            self.file.write(&pair.low.to_le_bytes())?;
            self.file.write(&pair.high.to_le_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.file.commit()
    }
}
