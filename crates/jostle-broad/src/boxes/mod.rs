//! The box store: which boxes there are, where, which pairs of them count, and what changed since when.
//!
//! A box is known to the caller by its **id** (any `u32`) and to the finders by its **slot** (a small index that stays
//! the same for as long as the box is there). Everything that defines *which pairs exist* lives here: flags, groups,
//! masks, exclusions, the clearance margin, 2-D mode. Finders only have to find them.

mod changes;
mod exchange;
mod filter;
mod home_task;
mod homes;
mod id_table;
mod slice;
mod store;
mod unsure_pairs;
mod update;

pub use changes::{Change, Changes, Revision};
pub use filter::Filter;
pub(crate) use home_task::HomeTask;
pub(crate) use homes::{HomeTable, SharedHomes, lock};
pub(crate) use id_table::IdTable;
pub use slice::BoxSlice;
pub(crate) use store::checked;
pub use store::{Boxes, BoxesSettings, Dimensions};
pub use update::Moved;

use thiserror::Error;

/// One of the three axes, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The first coordinate.
    X,
    /// The second coordinate.
    Y,
    /// The third coordinate.
    Z,
}

impl Axis {
    /// The three axes in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

impl std::fmt::Display for Axis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

/// Why a change to a [`Boxes`] was refused. The store is as it was before the call.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoxError {
    /// A coordinate is not a number.
    #[error("box {id}: the {axis} axis holds a NaN (min {min}, max {max}); give finite or infinite numbers")]
    NotANumber {
        /// The box.
        id: u32,
        /// Where.
        axis: Axis,
        /// As given.
        min: f64,
        /// As given.
        max: f64,
    },
    /// The minimum lies above the maximum.
    #[error("box {id}: min {min} is above max {max} on the {axis} axis; swap them")]
    Inverted {
        /// The box.
        id: u32,
        /// Where.
        axis: Axis,
        /// As given.
        min: f64,
        /// As given.
        max: f64,
    },
    /// The box lies at infinity: min = +inf or max = -inf.
    #[error(
        "box {id}: it lies at infinity on the {axis} axis (min {min}, max {max}); \
         an unbounded box has min = -inf or max = +inf"
    )]
    AtInfinity {
        /// The box.
        id: u32,
        /// Where.
        axis: Axis,
        /// As given.
        min: f64,
        /// As given.
        max: f64,
    },
    /// There is a box with this id already.
    #[error("box {id}: there is a box with this id already; remove it first, or set its bounds")]
    DuplicateId {
        /// The box.
        id: u32,
    },
    /// There is no box with this id.
    #[error("box {id}: there is no box with this id; insert it first")]
    UnknownId {
        /// The id.
        id: u32,
    },
    /// The same id is listed twice in one bulk call.
    #[error("box {id}: listed twice in one call; list every id once")]
    ListedTwice {
        /// The id.
        id: u32,
    },
    /// A bulk update ran out of boxes.
    #[error(
        "box {id}: the slice holds {given} boxes, but box {needed} of it is needed; pass one box for every id"
    )]
    SliceTooShort {
        /// The first box without bounds.
        id: u32,
        /// Index that would have been read.
        needed: usize,
        /// Boxes in the slice.
        given: usize,
    },
    /// A strided slice that cannot be.
    #[error("strided boxes: {reason}")]
    BadStride {
        /// What is wrong, and the remedy.
        reason: &'static str,
    },
    /// The clearance margin is negative, infinite or NaN.
    #[error("clearance margin {margin} must be a finite number >= 0")]
    BadMargin {
        /// As given.
        margin: f32,
    },
    /// No more slots: 2^30 boxes at most.
    #[error("the store is full: it holds {limit} boxes at most")]
    Full {
        /// The limit.
        limit: usize,
    },
}
