//! Why a shape cannot be: what is wrong, where, and what to do about it.

use glam::Vec3;
use thiserror::Error;

/// Why a shape cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A measure that must be a finite number above zero.
    #[error("{measure} is {value}; it must be a finite number above 0")]
    BadMeasure {
        /// Which one.
        measure: &'static str,
        /// What it was.
        value: f32,
    },
    /// A normal that has no direction.
    #[error("the normal is {normal}; it must be finite and not zero")]
    BadNormal {
        /// What it was.
        normal: Vec3,
    },
    /// A point with a coordinate that is not a number.
    #[error("point {index} is {point}; all coordinates must be finite")]
    BadPoint {
        /// Which point, from 0.
        index: usize,
        /// What it was.
        point: Vec3,
    },
    /// Fewer points than a solid has corners.
    #[error("{count} points have no convex hull; give at least 4")]
    TooFewPoints {
        /// How many there were.
        count: usize,
    },
    /// More points, triangles or heights than a shape can have.
    #[error("{count} {what} are too many; at most {most} are possible, split the shape into several")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there were.
        count: usize,
        /// How many there can be.
        most: usize,
    },
    /// All points lie in one plane, on one line or in one place.
    #[error(
        "the {count} points enclose no volume: {span} across and only {thickness} thick; \
         add points outside their plane, or use a cuboid for a plate"
    )]
    Flat {
        /// How many points there were.
        count: usize,
        /// The largest distance found between two of them.
        span: f32,
        /// The largest distance from the plane of three of them.
        thickness: f32,
    },
    /// No hull near these points has faces that contacts can work with.
    #[error("the hull of {count} points has no usable faces; leave out points that nearly coincide")]
    HullFailed {
        /// How many points there were.
        count: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles; give at least 1")]
    NoTriangles,
    /// A triangle that names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices} vertices, counted from 0")]
    BadIndex {
        /// Which triangle, from 0.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area; leave it out (`Mesh::without_slivers` does)")]
    FlatTriangle {
        /// Which triangle, from 0.
        triangle: usize,
    },
    /// A grid of heights that is too small, or does not have as many heights as it says.
    #[error(
        "a grid of {rows} rows and {columns} columns with {heights} heights; there must be rows x columns of them, and at least 2 x 2"
    )]
    BadGrid {
        /// How many rows.
        rows: usize,
        /// How many columns.
        columns: usize,
        /// How many heights.
        heights: usize,
    },
    /// A height that is not a number.
    #[error("the height in row {row}, column {column} is {height}; scaled by {scale} it must be finite")]
    BadHeight {
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// What it was.
        height: f32,
        /// What it is multiplied with.
        scale: f32,
    },
}

/// A measure must be finite and above zero.
pub(super) fn check_measure(measure: &'static str, value: f32) -> Result<(), ShapeError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ShapeError::BadMeasure { measure, value }) }
}

/// Points must be finite.
pub(super) fn check_points(points: &[Vec3]) -> Result<(), ShapeError> {
    match points.iter().position(|point| !point.is_finite()) {
        Some(index) => Err(ShapeError::BadPoint { index, point: points[index] }),
        None => Ok(()),
    }
}
