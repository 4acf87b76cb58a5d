//! Reading mesh files, whatever their format; and what the three readers share.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use glam::Vec3;

use super::{Mesh, MeshError, obj, ply, stl};

/// Where a file is wrong, counted from 1 except for bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Line(usize),
    Byte(usize),
    Face(usize),
    Vertex(usize),
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(number) => write!(f, "byte {number}"),
            Self::Face(number) => write!(f, "face {number}"),
            Self::Vertex(number) => write!(f, "vertex {number}"),
            Self::Whole => write!(f, "as a whole"),
        }
    }
}

/// A place and what is wrong there.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(place: Place, what: impl Into<String>) -> Self {
        Self { place, what: what.into() }
    }
}

impl Mesh {
    /// Reads a file named `.obj`, `.stl` or `.ply`, text or binary. Polygons become fans of triangles.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let parse = match extension.as_str() {
            "obj" => obj::parse,
            "stl" => stl::parse,
            "ply" => ply::parse,
            _ => return Err(MeshError::UnknownKind { path: path.into() }),
        };
        let bytes = std::fs::read(path).map_err(|source| MeshError::Open { path: path.into(), source })?;
        let in_file = |fault: Fault| MeshError::File {
            path: path.into(),
            place: fault.place.to_string(),
            fault: fault.what,
        };
        let mesh = parse(&bytes).map_err(in_file)?;
        mesh.check().map_err(|error| in_file(Fault::new(Place::Whole, error.to_string())))?;
        Ok(mesh)
    }
}

/// A coordinate as text.
pub(super) fn number(text: &str, place: Place) -> Result<f32, Fault> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(number) => Err(Fault::new(place, format!("{number} is no coordinate; it must be finite"))),
        Err(_) => Err(Fault::new(place, format!("'{text}' is not a number"))),
    }
}

/// A polygon as a fan of triangles around its first corner.
pub(super) fn push_polygon(
    triangles: &mut Vec<[u32; 3]>,
    corners: &[u32],
    place: Place,
) -> Result<(), Fault> {
    if corners.len() < 3 {
        return Err(Fault::new(place, format!("a face of {} corners; it needs at least 3", corners.len())));
    }
    triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    Ok(())
}

/// Corners given again and again, as STL does: equal ones become one.
#[derive(Default)]
pub(super) struct Welder {
    pub(super) vertices: Vec<Vec3>,
    known: HashMap<[u32; 3], u32>,
}

impl Welder {
    pub(super) fn index(&mut self, corner: Vec3) -> u32 {
        // Adding 0 turns -0 into 0.
        let key = (corner + Vec3::ZERO).to_array().map(f32::to_bits);
        *self.known.entry(key).or_insert_with(|| {
            self.vertices.push(corner);
            self.vertices.len() as u32 - 1
        })
    }
}
