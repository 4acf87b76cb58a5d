//! Triangle meshes as files have them: corners and triangles, before they become shapes.
//!
//! In: an OBJ, STL or PLY file, or corners and triangles from elsewhere. Out: a [`Mesh`] whose numbers are finite, whose
//! indices are in range and which has an area; or a [`MeshError`] that names the file, the place and the fault.

mod error;
#[cfg(feature = "mesh-files")]
mod file;
#[cfg(feature = "mesh-files")]
mod obj;
#[cfg(feature = "mesh-files")]
mod ply;
#[cfg(feature = "mesh-files")]
mod stl;
#[cfg(all(test, feature = "mesh-files"))]
mod tests;

use glam::{DVec3, Vec3};

pub use error::MeshError;

use crate::shape::is_sliver;
use crate::{Shape, ShapeError};

/// Corners, and triangles of three of them each, anticlockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The corners.
    pub vertices: Vec<Vec3>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A mesh of corners and triangles, checked.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        let mesh = Self { vertices, triangles };
        mesh.check()?;
        Ok(mesh)
    }

    /// Is it one: numbers finite, indices in range, some area?
    pub fn check(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        if let Some(vertex) = self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(MeshError::BadVertex { vertex, point: self.vertices[vertex] });
        }
        let count = self.vertices.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                return Err(MeshError::BadIndex { triangle, index, vertices: count });
            }
        }
        if self.corners().all(is_sliver) {
            return Err(MeshError::NoArea { triangles: self.triangles.len() });
        }
        Ok(())
    }

    /// The corners of each triangle. Indices must be in range.
    fn corners(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.triangles.iter().map(|triangle| triangle.map(|index| self.vertices[index as usize]))
    }

    /// The same without the triangles that have no area.
    pub fn without_slivers(&self) -> Self {
        let keep = self.triangles.iter().zip(self.corners()).filter(|(_, corners)| !is_sliver(*corners));
        let triangles = keep.map(|(triangle, _)| *triangle).collect();
        Self { vertices: self.vertices.clone(), triangles }
    }

    /// The area of all triangles.
    pub fn area(&self) -> f32 {
        let areas = self.corners().map(|corners| {
            let [a, b, c] = corners.map(Vec3::as_dvec3);
            (b - a).cross(c - a).length() / 2.0
        });
        areas.sum::<f64>() as f32
    }

    /// The volume inside, if the surface is closed; negative if its triangles wind clockwise seen from outside.
    pub fn volume(&self) -> f32 {
        // Around the middle of the first triangle rather than the origin, which may be far away.
        let origin = self.corners().next().map_or(DVec3::ZERO, |corners| corners[0].as_dvec3());
        let volumes = self.corners().map(|corners| {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3() - origin);
            a.dot(b.cross(c)) / 6.0
        });
        volumes.sum::<f64>() as f32
    }

    /// As a surface for fixed bodies; triangles without area are left out.
    pub fn to_shape(&self) -> Result<Shape, ShapeError> {
        let kept = self.without_slivers();
        Shape::triangle_mesh(&kept.vertices, &kept.triangles)
    }

    /// As its convex hull. See [`crate::decompose`] for concave solids.
    pub fn to_convex_hull(&self) -> Result<Shape, ShapeError> {
        Shape::convex_hull(&self.vertices)
    }
}
