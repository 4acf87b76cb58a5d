//! A shape's content as words, and as a number: recordings keep the words, snapshots name shapes by the number.

use std::fmt;

use glam::Vec3;

use super::{Geometry, Source};
use crate::hash::Hasher;

/// 64 bits of a shape's kind and numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeHash(pub u64);

impl fmt::Debug for ShapeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl ShapeHash {
    pub(super) fn of(geometry: &Geometry, source: Option<&Source>) -> Self {
        let mut hasher = Hasher::default();
        hasher.write_u64(u64::from(kind(geometry)));
        hasher.write(&words(geometry, source));
        Self(hasher.finish())
    }
}

/// The kinds as numbers. They are part of the format of recordings: never reuse one.
pub(super) const BALL: u8 = 1;
pub(super) const CUBOID: u8 = 2;
pub(super) const HALF_SPACE: u8 = 3;
pub(super) const CAPSULE: u8 = 4;
pub(super) const CYLINDER: u8 = 5;
pub(super) const CONE: u8 = 6;
pub(super) const CONVEX_HULL: u8 = 7;
pub(super) const TRIANGLE_MESH: u8 = 8;
pub(super) const HEIGHT_FIELD: u8 = 9;

pub(super) fn kind(geometry: &Geometry) -> u8 {
    match geometry {
        Geometry::Ball(_) => BALL,
        Geometry::Cuboid(_) => CUBOID,
        Geometry::HalfSpace(_) => HALF_SPACE,
        Geometry::Capsule { .. } => CAPSULE,
        Geometry::Cylinder { .. } => CYLINDER,
        Geometry::Cone { .. } => CONE,
        Geometry::ConvexHull => CONVEX_HULL,
        Geometry::TriangleMesh => TRIANGLE_MESH,
        Geometry::HeightField => HEIGHT_FIELD,
    }
}

/// All numbers of a shape, counts first, floats as their bits.
pub(super) fn words(geometry: &Geometry, source: Option<&Source>) -> Vec<u32> {
    let mut words = Vec::new();
    match *geometry {
        Geometry::Ball(radius) => words.push(radius.to_bits()),
        Geometry::Cuboid(half) => push_vectors(&mut words, &[half]),
        Geometry::HalfSpace(normal) => push_vectors(&mut words, &[normal]),
        Geometry::Capsule { half_height, radius }
        | Geometry::Cylinder { half_height, radius }
        | Geometry::Cone { half_height, radius } => {
            words.extend([half_height.to_bits(), radius.to_bits()]);
        }
        Geometry::ConvexHull | Geometry::TriangleMesh | Geometry::HeightField => {}
    }
    match source {
        None => {}
        Some(Source::Points(points)) => {
            words.push(points.len() as u32);
            push_vectors(&mut words, points);
        }
        Some(Source::Triangles { vertices, triangles }) => {
            words = mesh_words(vertices, triangles);
        }
        Some(Source::Heights { rows, columns, heights, scale }) => {
            words.extend([*rows, *columns]);
            push_vectors(&mut words, &[*scale]);
            words.extend(heights.iter().map(|height| height.to_bits()));
        }
    }
    words
}

/// All numbers of a mesh.
pub(super) fn mesh_words(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut words = vec![vertices.len() as u32, triangles.len() as u32];
    push_vectors(&mut words, vertices);
    words.extend(triangles.as_flattened());
    words
}

fn push_vectors(words: &mut Vec<u32>, vectors: &[Vec3]) {
    words.reserve(3 * vectors.len());
    for vector in vectors {
        words.extend(vector.to_array().map(f32::to_bits));
    }
}
