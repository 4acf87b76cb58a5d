//! Where results go: standard output, and files that appear only when they are whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Writes to standard output. A reader that has gone away (`jostle ... | head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Writes a value to standard output as JSON that people can read too.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// A file that is written beside its place and moved there by [`WholeFile::commit`]. Dropped before that, it leaves no
/// trace, and what was there before stays.
#[derive(Debug)]
pub(crate) struct WholeFile {
    path: PathBuf,
    /// Where the bytes go until then. `None`: straight to the path, which is a device or a pipe.
    partial: Option<PathBuf>,
    writer: BufWriter<File>,
}

impl WholeFile {
    /// Starts a file, so that a place that cannot be written to is known before any work is done.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let partial = match fs::metadata(&path) {
            Ok(there) if there.is_dir() => bail!("{}: is a folder; name a file to write", path.display()),
            Ok(there) if !there.is_file() => None,
            _ => Some(partial_name(&path)?),
        };
        let target = partial.as_ref().unwrap_or(&path);
        let file = File::create(target).with_context(|| {
            format!("{}: cannot be written; name a file in a folder that exists and is yours", path.display())
        })?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 16, file), path, partial })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).with_context(|| self.trouble())
    }

    /// Moves the file to its place.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.writer.flush().with_context(|| self.trouble())?;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.path).with_context(|| self.trouble())?;
        }
        self.partial = None;
        Ok(())
    }

    fn trouble(&self) -> String {
        format!("{}: cannot be written to the end; nothing was kept", self.path.display())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Nothing more can be done about a file that cannot be removed.
            let _left = fs::remove_file(partial);
        }
    }
}

fn partial_name(path: &Path) -> Result<PathBuf> {
    let Some(name) = path.file_name() else {
        bail!("{}: is not the name of a file; name a file to write", path.display());
    };
    let mut partial = name.to_os_string();
    partial.push(format!(".partial-{}", std::process::id()));
    Ok(path.with_file_name(partial))
}
