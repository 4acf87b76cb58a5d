//! Recordings as bytes: the format JREC of `docs/formats.md`.
//!
//! A file is a sequence of blocks, each with its length and checksum: the first state, then one for each frame, then an
//! empty one. What was written before an accident can be read after it.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::{RecordedFrame, Recording, RecordingError, commands, shapes};
use crate::state::bytes::{Broken, Reader, Write, checksum};
use crate::{Command, Shape, ShapeHash, Snapshot, StateHash};

const MAGIC: [u8; 4] = *b"JREC";
const VERSION: u32 = 1;

impl Recording {
    /// The recording as bytes, in the format JREC.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.bytes(&MAGIC);
        out.u32(VERSION);
        let mut written = HashSet::new();
        let mut block = Vec::new();
        shapes::write_new(self.first.shapes.iter(), &mut written, &mut block);
        block.bytes(&self.first.to_bytes());
        write_block(&block, &mut out);
        for frame in &self.frames {
            block.clear();
            write_frame(frame, &mut written, &mut block);
            write_block(&block, &mut out);
        }
        write_block(&[], &mut out);
        out
    }

    /// A recording from [`Recording::to_bytes`]. If it is not whole, the error says how many frames are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        match read(bytes)? {
            (recording, None) => Ok(recording),
            (recording, Some(Broken(what))) => {
                Err(RecordingError::Damaged { whole_frames: recording.frames.len(), what })
            }
        }
    }

    /// As much of a recording as is whole: all frames before the first that is not.
    pub fn from_whole_frames(bytes: &[u8]) -> Result<Self, RecordingError> {
        read(bytes).map(|(recording, _)| recording)
    }

    /// Writes it to a file. It gets its name when it is whole, so that a file that was there before stays until then.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let path = path.as_ref();
        let failed = |source| RecordingError::File { path: path.to_path_buf(), source };
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let part = path.with_file_name(name);
        let written = std::fs::write(&part, self.to_bytes()).and_then(|()| std::fs::rename(&part, path));
        if written.is_err() {
            // It may not be there at all.
            let _ = std::fs::remove_file(&part);
        }
        written.map_err(failed)
    }

    /// Reads a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::from_bytes(&bytes_of(path.as_ref())?)
    }

    /// Reads as much of a file as is whole.
    pub fn load_whole_frames(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::from_whole_frames(&bytes_of(path.as_ref())?)
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, RecordingError> {
    std::fs::read(path).map_err(|source| RecordingError::File { path: path.to_path_buf(), source })
}

fn write_block(block: &[u8], out: &mut Vec<u8>) {
    out.u64(block.len() as u64);
    out.u64(checksum(block));
    out.bytes(block);
}

fn read_block<'a>(from: &mut Reader<'a>) -> Result<&'a [u8], Broken> {
    let length = usize::try_from(from.u64()?).map_err(|_| Broken("a block is too long"))?;
    let sum = from.u64()?;
    let block = from.take(length)?;
    if checksum(block) == sum { Ok(block) } else { Err(Broken("a checksum is not that of its block")) }
}

fn write_frame(frame: &RecordedFrame, written: &mut HashSet<ShapeHash>, out: &mut Vec<u8>) {
    let bodies = frame.commands.iter().filter_map(|(_, command)| match command {
        Command::Add(body) => Some(body),
        _ => None,
    });
    shapes::write_new(bodies.flat_map(|body| &body.parts).map(|part| &part.shape), written, out);
    out.f32(frame.dt);
    out.u64(frame.hash.0);
    out.count(frame.commands.len());
    frame.commands.iter().for_each(|(id, command)| commands::write(*id, command, out));
    out.count(frame.body_hashes.len());
    frame.body_hashes.iter().for_each(|&hash| out.u32(hash));
}

fn read_frame(block: &[u8], known: &mut HashMap<ShapeHash, Shape>) -> Result<RecordedFrame, Broken> {
    let mut from = Reader::new(block);
    shapes::read_new(&mut from, known)?;
    let (dt, hash) = (from.f32()?, StateHash(from.u64()?));
    let count = from.count(commands::LEAST_BYTES)?;
    let commands =
        (0..count).map(|_| commands::read(&mut from, known)).collect::<Result<Vec<_>, Broken>>()?;
    let count = from.count(4)?;
    let body_hashes = (0..count).map(|_| from.u32()).collect::<Result<Vec<_>, Broken>>()?;
    from.end()?;
    Ok(RecordedFrame { dt, commands, hash, body_hashes })
}

/// All whole frames, and what is wrong after them.
fn read(bytes: &[u8]) -> Result<(Recording, Option<Broken>), RecordingError> {
    let mut from = Reader::new(bytes);
    if from.take(4) != Ok(&MAGIC) {
        return Err(RecordingError::NotARecording);
    }
    let version = from.u32()?;
    if version != VERSION {
        return Err(RecordingError::UnknownVersion { version, known: VERSION });
    }
    let mut first = Reader::new(read_block(&mut from)?);
    let mut known = HashMap::new();
    shapes::read_new(&mut first, &mut known)?;
    let mut snapshot = Snapshot::from_bytes(first.rest())
        .map_err(|error| RecordingError::NoFirstState { what: error.to_string() })?;
    snapshot.shapes = known.values().cloned().collect();
    let mut recording = Recording { first: snapshot, frames: Vec::new() };
    let rest = read_frames(&mut from, &mut known, &mut recording.frames);
    Ok((recording, rest.err()))
}

fn read_frames(
    from: &mut Reader<'_>,
    known: &mut HashMap<ShapeHash, Shape>,
    frames: &mut Vec<RecordedFrame>,
) -> Result<(), Broken> {
    loop {
        let block = read_block(from)?;
        if block.is_empty() {
            return from.end();
        }
        frames.push(read_frame(block, known)?);
    }
}
