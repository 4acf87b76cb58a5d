//! Surfaces for fixed bodies: triangle meshes and height fields. They have no inside, hence no mass.

use glam::{DVec3, Vec3};
use jostle_broad::Aabb;
use parry3d::shape::{HeightFieldFlags, SharedShape, TriMeshFlags};
use parry3d::utils::Array2;

use super::bounds::{bounds_of, farthest};
use super::error::{check_measure, check_points};
use super::{General, Geometry, MassProperties, Shape, ShapeError, Source};

/// parry numbers the two sides of each triangle with 32 bits.
const MOST_TRIANGLES: usize = u32::MAX as usize / 4;

/// A triangle is a sliver if twice its area is at most this share of its longest side's square: its corners are in one
/// line as far as numbers of 24 bits can tell.
const SLIVER: f64 = 1.0e-7;

impl Shape {
    /// A surface of triangles, solid from both sides. For fixed bodies.
    pub fn triangle_mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        if triangles.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        check_count("vertices", vertices.len(), u32::MAX as usize)?;
        check_count("triangles", triangles.len(), MOST_TRIANGLES)?;
        check_points(vertices)?;
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices.len()) {
                return Err(ShapeError::BadIndex { triangle, vertex, vertices: vertices.len() });
            }
            if is_sliver(corners.map(|vertex| vertices[vertex as usize])) {
                return Err(ShapeError::FlatTriangle { triangle });
            }
        }
        // Without the fix a box sliding over a flat surface trips over the edges inside it. Two-sided, because the
        // triangles of files wind either way, and contacts from behind would be dropped in silence.
        let parry = SharedShape::trimesh_with_flags(
            vertices.iter().map(|vertex| vertex.to_array().into()).collect(),
            triangles.to_vec(),
            TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED,
        )
        .map_err(|_| ShapeError::NoTriangles)?;
        // Vertices that no triangle names are not part of the surface.
        let used: Vec<Vec3> =
            triangles.as_flattened().iter().map(|&vertex| vertices[vertex as usize]).collect();
        let general = General {
            source: Source::Triangles { vertices: vertices.to_vec(), triangles: triangles.to_vec() },
            bounds: bounds_of(&used),
            mass: MassProperties::ZERO,
        };
        Ok(Self::general(Geometry::TriangleMesh, parry, farthest(&used), general))
    }

    /// A surface of `rows` x `columns` heights over a grid, its middle at the origin. Rows follow each other along z,
    /// columns along x; `heights` holds row after row. `scale` is the size of the whole grid along x and z, and what
    /// heights are multiplied with along y. Bodies stand on its upper side. For fixed bodies.
    pub fn height_field(
        rows: usize,
        columns: usize,
        heights: &[f32],
        scale: Vec3,
    ) -> Result<Self, ShapeError> {
        if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(heights.len()) {
            return Err(ShapeError::BadGrid { rows, columns, heights: heights.len() });
        }
        check_count("heights", heights.len(), MOST_TRIANGLES / 2)?;
        check_measure("scale x", scale.x)?;
        check_measure("scale y", scale.y)?;
        check_measure("scale z", scale.z)?;
        if let Some(index) = heights.iter().position(|height| !(height * scale.y).is_finite()) {
            let (row, column, height) = (index / columns, index % columns, heights[index]);
            return Err(ShapeError::BadHeight { row, column, height, scale: scale.y });
        }
        let (low, high) = heights
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &h| (low.min(h), high.max(h)));
        let half = scale * 0.5;
        let bounds =
            Aabb::new(Vec3::new(-half.x, low * scale.y, -half.z), Vec3::new(half.x, high * scale.y, half.z));
        let radius = bounds.min.abs().max(bounds.max.abs()).length();
        let grid = Array2::from_fn(rows, columns, |row, column| heights[row * columns + column]);
        let parry = SharedShape::heightfield_with_flags(
            grid,
            scale.to_array().into(),
            HeightFieldFlags::FIX_INTERNAL_EDGES,
        );
        let source =
            Source::Heights { rows: rows as u32, columns: columns as u32, heights: heights.to_vec(), scale };
        let general = General { source, bounds, mass: MassProperties::ZERO };
        Ok(Self::general(Geometry::HeightField, parry, radius, general))
    }
}

/// Do three corners lie on one line?
pub(crate) fn is_sliver(corners: [Vec3; 3]) -> bool {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    let (ab, ac, bc): (DVec3, DVec3, DVec3) = (b - a, c - a, c - b);
    let longest = ab.length_squared().max(ac.length_squared()).max(bc.length_squared());
    ab.cross(ac).length() <= SLIVER * longest
}

pub(super) fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), ShapeError> {
    if count <= most { Ok(()) } else { Err(ShapeError::TooMany { what, count, most }) }
}
