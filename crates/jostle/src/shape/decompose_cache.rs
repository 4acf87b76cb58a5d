//! Decompositions that are remembered: in memory, and in a folder of the caller's choice.
//!
//! A file is named by the content of mesh and settings. It is written under another name and renamed when complete, so
//! that a reader never sees half of it; a file that is damaged is made again. Nothing is ever read back that the sum at
//! its end does not vouch for.
//!
//! `JOSTLE-P`, version and count of pieces (32 bits each), per piece its length (32 bits) and [`Shape::to_bytes`], and
//! at the end 64 bits of a hash of all before. Little-endian.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::decompose::{DecomposeSettings, decompose};
use super::{Shape, content};
use crate::hash::Hasher;
use crate::{Mesh, MeshError};

const MAGIC: &[u8; 8] = b"JOSTLE-P";

/// To be raised whenever the same mesh and settings give other pieces: it is part of the name of a file.
const VERSION: u32 = 1;

/// Remembers decompositions.
#[derive(Debug, Default)]
pub struct DecompositionCache {
    folder: Option<PathBuf>,
    known: BTreeMap<u64, Vec<Shape>>,
}

impl DecompositionCache {
    /// One that remembers as long as it lives.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// One that keeps its files in a folder, which is made if it is not there. Any number of programs may share it.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Result<Self, MeshError> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder)
            .map_err(|source| MeshError::Open { path: folder.clone(), source })?;
        Ok(Self { folder: Some(folder), known: BTreeMap::new() })
    }

    /// [`decompose`], or what it gave before. Fails where that fails, and where a file cannot be written.
    pub fn decompose(&mut self, mesh: &Mesh, settings: &DecomposeSettings) -> Result<Vec<Shape>, MeshError> {
        let key = key(mesh, settings);
        if let Some(pieces) = self.known.get(&key) {
            return Ok(pieces.clone());
        }
        let path = self.folder.as_ref().map(|folder| folder.join(format!("{key:016x}.pieces")));
        let pieces = match path.as_deref().and_then(read) {
            Some(pieces) => pieces,
            None => {
                let pieces = decompose(mesh, settings)?;
                if let Some(path) = path {
                    write(&path, &to_bytes(&pieces)).map_err(|source| MeshError::Open { path, source })?;
                }
                pieces
            }
        };
        self.known.insert(key, pieces.clone());
        Ok(pieces)
    }
}

/// A number for the content of a mesh and settings.
fn key(mesh: &Mesh, settings: &DecomposeSettings) -> u64 {
    let mut hasher = Hasher::default();
    hasher.write(&[VERSION, settings.resolution, settings.concavity.to_bits(), settings.most_pieces]);
    hasher.write(&content::mesh_words(&mesh.vertices, &mesh.triangles));
    hasher.finish()
}

/// The pieces in a file; none if it is not there or not whole.
fn read(path: &Path) -> Option<Vec<Shape>> {
    from_bytes(&std::fs::read(path).ok()?)
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // The id keeps programs that write the same file out of each other's way.
    let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
    let written = std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

fn to_bytes(pieces: &[Shape]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((pieces.len() as u32).to_le_bytes());
    for piece in pieces {
        let piece = piece.to_bytes();
        bytes.extend((piece.len() as u32).to_le_bytes());
        bytes.extend(piece);
    }
    bytes.extend(sum(&bytes).to_le_bytes());
    bytes
}

fn from_bytes(bytes: &[u8]) -> Option<Vec<Shape>> {
    let (content, end) = bytes.split_last_chunk::<8>()?;
    if sum(content) != u64::from_le_bytes(*end) {
        return None;
    }
    let (version, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    let (count, mut rest) = rest.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*version) != VERSION {
        return None;
    }
    let mut pieces = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (piece, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        pieces.push(Shape::from_bytes(piece).ok()?);
        rest = after;
    }
    (rest.is_empty() && !pieces.is_empty()).then_some(pieces)
}

fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::default();
    hasher.write_u64(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hasher.write_u64(u64::from_le_bytes(word));
    }
    hasher.finish()
}
