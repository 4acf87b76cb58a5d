//! What can be wrong with a mesh and with its file.

use std::path::PathBuf;

use glam::Vec3;
use thiserror::Error;

use crate::ShapeError;

/// Why a mesh cannot be read or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file cannot be opened or read.
    #[error("{path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The name of the file does not say what it holds.
    #[error("{path}: meshes are read from files named .obj, .stl or .ply")]
    UnknownKind {
        /// The file.
        path: PathBuf,
    },
    /// Something in the file is wrong.
    #[error("{path}, {place}: {fault}")]
    File {
        /// The file.
        path: PathBuf,
        /// The line, byte, face or vertex, counted as an editor does.
        place: String,
        /// What is wrong there.
        fault: String,
    },
    /// Nothing to touch.
    #[error("the mesh has no faces; points and lines alone are no surface")]
    NoTriangles,
    /// A coordinate that is not a number.
    #[error("vertex {vertex} is {point}; all coordinates must be finite")]
    BadVertex {
        /// Which one, from 0.
        vertex: usize,
        /// What it was.
        point: Vec3,
    },
    /// A triangle that names a vertex that is not there.
    #[error("triangle {triangle} names vertex {index}, but there are {vertices} vertices, counted from 0")]
    BadIndex {
        /// Which triangle, from 0.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// Every triangle is a line or a point.
    #[error("none of the {triangles} triangles has an area; check the units and the export")]
    NoArea {
        /// How many there are.
        triangles: usize,
    },
    /// A solid was asked of a surface that encloses nothing.
    #[error("the mesh encloses no volume; close its surface, or use it as a triangle mesh of a fixed body")]
    NoVolume,
    /// A setting out of range.
    #[error("{setting} is {value}; it must be {range}")]
    BadSetting {
        /// Which one.
        setting: &'static str,
        /// What it was.
        value: f32,
        /// What it can be.
        range: &'static str,
    },
    /// The decomposition gave up.
    #[error(
        "the mesh could not be decomposed into convex pieces; check that it is closed and does not cross itself, or change the resolution"
    )]
    Decompose,
    /// A piece is no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}
