//! Any two shapes, one pair at a time.

use super::batch::{Batch, SolidPair};
use super::general::General;
use super::half_space::{half_space_ball, half_space_cuboid};
use crate::simd::Solid;
use crate::{Geometry, Manifold, Pose, Shape};

/// Where a piece of one shape touches a piece of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PieceManifold {
    /// Which triangle or part of each shape; 0 for a convex shape.
    pub(crate) piece: (u32, u32),
    /// At least one point.
    pub(crate) manifold: Manifold,
}

/// Collides pairs. Holds buffers only: what came before has no influence on a result.
#[derive(Default)]
pub(crate) struct Collider {
    batch: Batch,
    general: General,
}

impl Collider {
    /// Appends where two shapes touch, by ascending pieces; points farther apart than the prediction are left out. Two
    /// half-spaces never touch: neither can move.
    pub(crate) fn collide(
        &mut self,
        first: (&Shape, &Pose),
        second: (&Shape, &Pose),
        prediction: f32,
        out: &mut Vec<PieceManifold>,
    ) {
        let own = match (first.0.geometry(), second.0.geometry()) {
            (Geometry::HalfSpace(_), Geometry::HalfSpace(_)) => Manifold::NONE,
            (Geometry::HalfSpace(normal), Geometry::Ball(radius)) => {
                half_space_ball(first.1, normal, second.1, radius, prediction).flipped()
            }
            (Geometry::Ball(radius), Geometry::HalfSpace(normal)) => {
                half_space_ball(second.1, normal, first.1, radius, prediction)
            }
            (Geometry::HalfSpace(normal), Geometry::Cuboid(half)) => {
                half_space_cuboid(first.1, normal, second.1, half, prediction).flipped()
            }
            (Geometry::Cuboid(half), Geometry::HalfSpace(normal)) => {
                half_space_cuboid(second.1, normal, first.1, half, prediction)
            }
            _ => match (Solid::new(first.0.geometry(), first.1), Solid::new(second.0.geometry(), second.1)) {
                (Some(a), Some(b)) => self.solids(a, b, prediction),
                _ => return self.general.collide(first, second, prediction, out),
            },
        };
        if own.count > 0 {
            out.push(PieceManifold { piece: (0, 0), manifold: own });
        }
    }

    fn solids(&mut self, first: Solid, second: Solid, prediction: f32) -> Manifold {
        let mut out = [Manifold::NONE];
        let pair = SolidPair { first: 0, second: 1, prediction };
        self.batch.collide(&[first, second], &[pair], &mut out);
        out[0]
    }
}
