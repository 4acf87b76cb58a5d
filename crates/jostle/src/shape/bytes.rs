//! Shapes as bytes, so that a recording needs nothing but itself.
//!
//! | bytes | what |
//! |---|---|
//! | 0 | version of the format: 1 |
//! | 1 | kind: 1 ball, 2 cuboid, 3 half-space, 4 capsule, 5 cylinder, 6 cone, 7 convex hull, 8 triangle mesh, 9 height field |
//! | 2, 3 | zero |
//! | 4.. | 32-bit words, little-endian, until the end |
//!
//! The words, floats as their bits: ball `radius`; cuboid half extents `x y z`; half-space unit normal `x y z`; capsule,
//! cylinder and cone `half_height radius`; convex hull `points`, then `x y z` of each; triangle mesh `vertices triangles`,
//! `x y z` of each vertex, three indices of each triangle; height field `rows columns`, scale `x y z`, heights row by row.
//! What comes in is checked as if a user had given it, and comes out with the same bits and the same hash.

use glam::Vec3;
use thiserror::Error;

use super::content::{self, kind, words};
use super::{Shape, ShapeError};

/// The version of the format this code writes, and the only one it reads.
const VERSION: u8 = 1;

/// Why bytes are not a shape.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeBytesError {
    /// The bytes end too early or too late.
    #[error("a shape of {found} bytes where there must be {needed}; the data was cut or is not a shape")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there must be, as far as can be told.
        needed: usize,
    },
    /// Written by another version.
    #[error("shape format {found}; this version reads format {VERSION}, write the file again with it")]
    Version {
        /// The version found.
        found: u8,
    },
    /// No such kind.
    #[error("shape kind {found} is not known; the data is damaged or newer than this version")]
    Kind {
        /// The kind found.
        found: u8,
    },
    /// Bytes that must be zero are not.
    #[error("byte {at} is {found} where it must be 0; the data is damaged")]
    Reserved {
        /// Which byte.
        at: usize,
        /// What it was.
        found: u8,
    },
    /// The numbers are no shape.
    #[error("the bytes describe an impossible shape: {0}")]
    Shape(#[from] ShapeError),
}

impl Shape {
    /// As bytes, in the format described at the top of `shape/bytes.rs`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = words(&self.geometry, self.general.as_deref().map(|general| &general.source));
        let mut bytes = Vec::with_capacity(4 + 4 * words.len());
        bytes.extend([VERSION, kind(&self.geometry), 0, 0]);
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    /// From [`Shape::to_bytes`]: the same shape with the same hash. All of the bytes must belong to it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShapeBytesError> {
        let Some((&[version, kind, zero, other_zero], rest)) = bytes.split_first_chunk::<4>() else {
            return Err(ShapeBytesError::Length { found: bytes.len(), needed: 4 });
        };
        if version != VERSION {
            return Err(ShapeBytesError::Version { found: version });
        }
        if zero != 0 || other_zero != 0 {
            let (at, found) = if zero != 0 { (2, zero) } else { (3, other_zero) };
            return Err(ShapeBytesError::Reserved { at, found });
        }
        let reader = Reader { rest };
        match kind {
            content::BALL => {
                let [radius] = reader.floats()?;
                Ok(Self::ball(radius)?)
            }
            content::CUBOID => Ok(Self::cuboid(Vec3::from_array(reader.floats()?))?),
            content::HALF_SPACE => half_space(Vec3::from_array(reader.floats()?)),
            content::CAPSULE => {
                let [half_height, radius] = reader.floats()?;
                Ok(Self::capsule(half_height, radius)?)
            }
            content::CYLINDER => {
                let [half_height, radius] = reader.floats()?;
                Ok(Self::cylinder(half_height, radius)?)
            }
            content::CONE => {
                let [half_height, radius] = reader.floats()?;
                Ok(Self::cone(half_height, radius)?)
            }
            content::CONVEX_HULL => {
                let ([points], words) = reader.counts()?;
                expect_words(words, 1, points.saturating_mul(3))?;
                Ok(Self::convex_hull(&vectors(words))?)
            }
            content::TRIANGLE_MESH => {
                let ([vertices, triangles], words) = reader.counts()?;
                expect_words(words, 2, vertices.saturating_add(triangles).saturating_mul(3))?;
                let (vertices, triangles) = words.split_at(3 * vertices as usize);
                let (triangles, _) = triangles.as_chunks();
                let triangles: Vec<[u32; 3]> =
                    triangles.iter().map(|corners: &[_; 3]| corners.map(u32::from_le_bytes)).collect();
                Ok(Self::triangle_mesh(&vectors(vertices), &triangles)?)
            }
            content::HEIGHT_FIELD => {
                let ([rows, columns], words) = reader.counts()?;
                expect_words(words, 2, rows.saturating_mul(columns).saturating_add(3))?;
                let (scale, heights) = words.split_at(3);
                let heights: Vec<f32> = heights.iter().map(|&word| f32::from_le_bytes(word)).collect();
                Ok(Self::height_field(rows as usize, columns as usize, &heights, vectors(scale)[0])?)
            }
            found => Err(ShapeBytesError::Kind { found }),
        }
    }
}

/// A half-space whose normal is one already.
fn half_space(normal: Vec3) -> Result<Shape, ShapeBytesError> {
    if normal.is_finite() && normal.is_normalized() {
        Ok(Shape::half_space_of_unit(normal))
    } else {
        Err(ShapeError::BadNormal { normal }.into())
    }
}

/// The words behind the header.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Exactly `N` floats, and the end.
    fn floats<const N: usize>(self) -> Result<[f32; N], ShapeBytesError> {
        let (words, left): (&[[u8; 4]], _) = self.rest.as_chunks();
        match <[[u8; 4]; N]>::try_from(words) {
            Ok(words) if left.is_empty() => Ok(words.map(f32::from_le_bytes)),
            _ => Err(ShapeBytesError::Length { found: 4 + self.rest.len(), needed: 4 + 4 * N }),
        }
    }

    /// `N` counts, and the words behind them. Nothing is allocated by what a count says: only by what is there.
    fn counts<const N: usize>(self) -> Result<([u64; N], &'a [[u8; 4]]), ShapeBytesError> {
        let (words, left): (&[[u8; 4]], _) = self.rest.as_chunks();
        match words.split_first_chunk::<N>() {
            Some((counts, words)) if left.is_empty() => {
                Ok((counts.map(|count| u64::from(u32::from_le_bytes(count))), words))
            }
            _ => Err(ShapeBytesError::Length {
                found: 4 + self.rest.len(),
                needed: (4 + self.rest.len()).next_multiple_of(4).max(4 + 4 * N),
            }),
        }
    }
}

/// Are there as many words behind `counts` counts as there must be?
fn expect_words(words: &[[u8; 4]], counts: u64, needed: u64) -> Result<(), ShapeBytesError> {
    if words.len() as u64 == needed {
        return Ok(());
    }
    let bytes = |words: u64| {
        usize::try_from(words.saturating_add(1 + counts).saturating_mul(4)).unwrap_or(usize::MAX)
    };
    Err(ShapeBytesError::Length { found: bytes(words.len() as u64), needed: bytes(needed) })
}

fn vectors(words: &[[u8; 4]]) -> Vec<Vec3> {
    let (vectors, _) = words.as_chunks();
    vectors.iter().map(|vector: &[_; 3]| Vec3::from_array(vector.map(f32::from_le_bytes))).collect()
}
