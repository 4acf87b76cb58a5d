//! The narrow phase: of each pair of shapes, where they touch.
//!
//! Balls, boxes and half-spaces meet by code of our own, always; many at once in [`batch`], or one by one in [`pair`],
//! with the same bits. Everything else goes through parry ([`general`]).

mod batch;
mod general;
mod half_space;
mod manifold;
mod pair;
mod reduce;

#[cfg(test)]
mod tests;

pub(crate) use batch::{Batch, SolidPair};
pub use manifold::{ContactPoint, MOST_POINTS, Manifold};
pub(crate) use pair::{Collider, PieceManifold};
