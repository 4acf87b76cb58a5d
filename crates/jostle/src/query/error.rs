//! Why a question was not answered.

use glam::Vec3;
use thiserror::Error;

use crate::{Pose, Shape};

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A number that is infinite or not one.
    #[error("the {what} of the query is {value}; it must be finite")]
    NotFinite {
        /// Which part of the question.
        what: &'static str,
        /// What it was.
        value: String,
    },
    /// A quaternion that is not of length 1.
    #[error("the rotation of the {what} has length {length}; it must be 1: normalise it")]
    NotARotation {
        /// Of what.
        what: &'static str,
        /// Its length.
        length: f32,
    },
    /// A time or a distance below zero or not a number.
    #[error("the {what} of the query is {value}; it must be a number >= 0")]
    Negative {
        /// Which part of the question.
        what: &'static str,
        /// What it was.
        value: f32,
    },
    /// A question that has no answer for two shapes.
    #[error(
        "there is no {query} of {first} and {second}; at least one of them must have a volume and an end"
    )]
    Unsupported {
        /// What was asked.
        query: &'static str,
        /// The first shape.
        first: String,
        /// The second shape.
        second: String,
    },
    /// Things too far apart, or too large, for floats to say anything of them together.
    #[error(
        "{first} and {second} are farther apart, or one is larger, than {} m; bring them closer together",
        QueryError::FARTHEST
    )]
    TooFar {
        /// The first shape, and where it is.
        first: String,
        /// The second shape, and where it is.
        second: String,
    },
    /// One question of many; the answers to the others are not given either.
    #[error("question {index} of the batch: {source}")]
    InBatch {
        /// Which one.
        index: usize,
        /// What is wrong with it.
        source: Box<QueryError>,
    },
    /// A question the index of boxes refused.
    #[error(transparent)]
    Boxes(#[from] jostle_broad::QueryError),
}

/// How far the length of a rotation may be from 1.
const ROTATION_TOLERANCE: f32 = 1e-3;

impl QueryError {
    /// The farthest distance and the largest size that shapes are compared at, in metres. A float tells 8 m apart there,
    /// and the fourth powers that distance algorithms compute are still floats.
    pub const FARTHEST: f32 = 1e8;

    pub(super) fn check_finite(what: &'static str, vector: Vec3) -> Result<(), Self> {
        if vector.is_finite() { Ok(()) } else { Err(Self::NotFinite { what, value: vector.to_string() }) }
    }

    /// Refuses what is not a number >= 0; infinity is one.
    pub(super) fn check_not_negative(what: &'static str, value: f32) -> Result<(), Self> {
        if value >= 0.0 { Ok(()) } else { Err(Self::Negative { what, value }) }
    }

    /// Refuses a pose that is none; brings its rotation to length 1.
    pub(super) fn check_pose(what: &'static str, pose: &Pose) -> Result<Pose, Self> {
        if !pose.is_finite() {
            return Err(Self::NotFinite { what, value: format!("{pose:?}") });
        }
        let length = pose.rotation.length();
        if (length - 1.0).abs() > ROTATION_TOLERANCE {
            return Err(Self::NotARotation { what, length });
        }
        // As it is where it is as near as floats come, so that a pose of the world stays what it is.
        let near = (length - 1.0).abs() <= 2.0 * f32::EPSILON;
        Ok(if near { *pose } else { Pose::new(pose.position, pose.rotation.normalize()) })
    }

    pub(super) fn unsupported(query: &'static str, first: &Shape, second: &Shape) -> Self {
        Self::Unsupported { query, first: format!("{first:?}"), second: format!("{second:?}") }
    }
}
