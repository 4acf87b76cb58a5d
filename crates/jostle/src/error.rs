//! What can be wrong with what a world is asked to do. The world is as before whenever one of these is returned.

use jostle_broad::{ExecutorError, FindError, UnknownFinder};
use thiserror::Error;

use crate::BodyId;

/// Why a world refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A setting that makes no sense.
    #[error("setting `{name}` is {value}; it must be a finite number above 0 (0 where that switches it off)")]
    BadSetting {
        /// Which setting.
        name: &'static str,
        /// What it was.
        value: String,
    },
    /// A number that is not finite or out of range.
    #[error("body {id}: {what} is {value}; {remedy}")]
    BadNumber {
        /// Which body.
        id: BodyId,
        /// Which number.
        what: &'static str,
        /// What it was.
        value: String,
        /// What it must be.
        remedy: &'static str,
    },
    /// A body with no shape.
    #[error("body {id} has no shape; give it at least one with `with_shape`")]
    NoShape {
        /// Which body.
        id: BodyId,
    },
    /// A shape without a volume on a body that moves.
    #[error(
        "body {id}: a {shape} has no mass, so that only fixed bodies can have it; use `Body::fixed`, or convex pieces"
    )]
    NoMass {
        /// Which body.
        id: BodyId,
        /// The shape.
        shape: String,
    },
    /// An id that is taken.
    #[error("there is a body {id} already; remove it first (in an earlier step), or use another id")]
    DuplicateId {
        /// Which body.
        id: BodyId,
    },
    /// An id nobody has.
    #[error("there is no body {id}")]
    UnknownId {
        /// Which body.
        id: BodyId,
    },
    /// Two commands of one frame that contradict each other.
    #[error(
        "body {id}: `{second}` contradicts `{first}` of the same frame; step in between, or give one of them"
    )]
    Conflict {
        /// Which body.
        id: BodyId,
        /// What was commanded before.
        first: &'static str,
        /// What was refused.
        second: &'static str,
    },
    /// A command that makes no sense for a kind of body.
    #[error("body {id} is {kind}: `{command}` works on {works_on} bodies only")]
    WrongKind {
        /// Which body.
        id: BodyId,
        /// What it is.
        kind: &'static str,
        /// What was commanded.
        command: &'static str,
        /// What it works on.
        works_on: &'static str,
    },
    /// A time step that is not a finite number above zero.
    #[error("the time step is {dt}; it must be a finite number of seconds above 0")]
    BadTimeStep {
        /// What it was.
        dt: f32,
    },
    /// All ids are taken.
    #[error("all {} ids are taken; remove bodies first", u32::MAX)]
    NoIdLeft,
    /// The pair finder refused.
    #[error(transparent)]
    Find(#[from] FindError),
    /// There is no such finder.
    #[error(transparent)]
    Finder(#[from] UnknownFinder),
    /// The threads could not be had.
    #[error(transparent)]
    Threads(#[from] ExecutorError),
}
