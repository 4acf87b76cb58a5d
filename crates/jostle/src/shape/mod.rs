//! Shapes: what bodies look like. Built once, shared by all bodies that have them, never changed.
//!
//! In: measures, points, triangles, heights, or the bytes of a shape. Out: a [`Shape`], or a [`ShapeError`] that says
//! which number is wrong. The same input gives the same bits, and equal contents have equal hashes.
//!
//! This folder and `narrow/` are the only places that know parry.

mod bounds;
mod build;
mod bytes;
pub mod concave;
mod content;
mod decompose;
mod decompose_cache;
mod error;
mod hull;
mod mass;
mod quickhull;
mod surface;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use glam::Vec3;
use jostle_broad::Aabb;
use parry3d::shape::SharedShape;

pub use bytes::ShapeBytesError;
pub use content::ShapeHash;
pub use decompose::{DecomposeSettings, decompose};
pub use decompose_cache::DecompositionCache;
pub use error::ShapeError;
pub use mass::MassProperties;
pub(crate) use surface::is_sliver;

/// A shape. Cloning is cheap: clones share the geometry.
#[derive(Clone)]
pub struct Shape {
    geometry: Geometry,
    parry: SharedShape,
    hash: ShapeHash,
    radius: f32,
    /// What a hull, a mesh or a height field needs beyond its [`Geometry`].
    general: Option<Arc<General>>,
}

/// The kinds of shape, with their numbers where those are few.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A ball of a radius.
    Ball(f32),
    /// A box of half extents.
    Cuboid(Vec3),
    /// Everything within a radius of a segment along y.
    Capsule {
        /// Half the length of the segment.
        half_height: f32,
        /// The radius around it.
        radius: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// From the middle to either end.
        half_height: f32,
        /// Its radius.
        radius: f32,
    },
    /// A cone along y, its tip on the positive side, its base on the negative.
    Cone {
        /// From the middle to the tip, and to the base.
        half_height: f32,
        /// The radius of the base.
        radius: f32,
    },
    /// The convex hull of points.
    ConvexHull,
    /// A surface of triangles.
    TriangleMesh,
    /// A surface of heights over a grid.
    HeightField,
    /// Everything below a plane through the origin with this normal.
    HalfSpace(Vec3),
}

/// A shape of many numbers: those numbers, and what is worth computing only once.
struct General {
    source: Source,
    /// The box around it, not moved and not turned.
    bounds: Aabb,
    /// At a density of 1; zero for surfaces.
    mass: MassProperties,
}

/// What the user gave, exactly as given: bytes and hash come from it.
enum Source {
    Points(Vec<Vec3>),
    Triangles { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]> },
    Heights { rows: u32, columns: u32, heights: Vec<f32>, scale: Vec3 },
}

impl Shape {
    /// A shape that its geometry says everything about.
    fn plain(geometry: Geometry, parry: SharedShape, radius: f32) -> Self {
        Self { geometry, parry, hash: ShapeHash::of(&geometry, None), radius, general: None }
    }

    /// A shape of many numbers.
    fn general(geometry: Geometry, parry: SharedShape, radius: f32, general: General) -> Self {
        let hash = ShapeHash::of(&geometry, Some(&general.source));
        Self { geometry, parry, hash, radius, general: Some(Arc::new(general)) }
    }

    /// What it is.
    #[inline]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// A number that two shapes share exactly if their contents are the same. The content of a hull is the points it
    /// was made of, in their order: the same hull from points in another order is another content.
    #[inline]
    pub fn hash(&self) -> ShapeHash {
        self.hash
    }

    /// The distance of its farthest point from its origin; infinite for a half-space.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Can a dynamic body have it? Meshes, height fields and half-spaces have no mass.
    pub fn has_mass(&self) -> bool {
        !matches!(self.geometry, Geometry::HalfSpace(_) | Geometry::TriangleMesh | Geometry::HeightField)
    }

    /// How many triangles a surface has; 0 for other shapes.
    pub(crate) fn triangles(&self) -> usize {
        match self.general.as_deref().map(|general| &general.source) {
            Some(Source::Triangles { triangles, .. }) => triangles.len(),
            Some(Source::Heights { rows, columns, .. }) => 2 * *rows as usize * *columns as usize,
            Some(Source::Points(_)) | None => 0,
        }
    }

    /// The shape as parry knows it, for the narrow phase and queries.
    pub(crate) fn parry(&self) -> &SharedShape {
        &self.parry
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.general.as_deref().map(|general| &general.source) {
            None => write!(f, "{:?}", self.geometry),
            Some(Source::Points(points)) => write!(f, "ConvexHull({} points)", points.len()),
            Some(Source::Triangles { triangles, .. }) => {
                write!(f, "TriangleMesh({} triangles)", triangles.len())
            }
            Some(Source::Heights { rows, columns, .. }) => write!(f, "HeightField({rows} x {columns})"),
        }
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}
