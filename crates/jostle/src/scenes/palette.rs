//! Bodies of mixed shapes in a few sizes, so that many bodies share one shape.

use glam::Vec3;

use super::builder::{Builder, ball, cuboid, solid};
use crate::{Body, BodyKind, Part, Shape, concave};

/// No body of the palette reaches farther from its origin.
pub(super) const REACH: f32 = 0.75;

const SIZES: [f32; 4] = [0.35, 0.4, 0.45, 0.5];

/// One body of so many is concave: a pair of them can have hundreds of pieces to look at.
const CONCAVE_OF: usize = 40;

/// Bodies of all kinds that move, at the origin.
pub(super) struct Palette {
    convex: Vec<Body>,
    concave: [Body; 2],
}

impl Palette {
    pub(super) fn new() -> Self {
        let shapes = SIZES.into_iter().flat_map(|size| {
            [
                ball(size),
                cuboid(Vec3::new(1.0, 0.7, 0.85) * size),
                cuboid(Vec3::splat(0.8) * size),
                solid(Shape::capsule(0.6 * size, 0.5 * size)),
                solid(Shape::cylinder(0.7 * size, 0.7 * size)),
                solid(Shape::cone(0.8 * size, 0.7 * size)),
                solid(Shape::convex_hull(&gem().map(|corner| corner * size))),
            ]
        });
        let convex = shapes.map(Body::dynamic).collect();
        Self { convex, concave: [concave::ring(), concave::animal()].map(|parts| of_parts(solid(parts))) }
    }

    /// A body of the palette, turned at random.
    pub(super) fn body(&self, scene: &mut Builder) -> Body {
        let list = if scene.random.below(CONCAVE_OF) == 0 { &self.concave[..] } else { &self.convex };
        let body = list[scene.random.below(list.len())].clone();
        let rotation = scene.rotation();
        body.rotated(rotation)
    }
}

fn of_parts(parts: Vec<Part>) -> Body {
    parts.into_iter().fold(Body::new(BodyKind::Dynamic), Body::with_part)
}

/// The corners of a cut stone: a flat top, a wide middle, a point below.
fn gem() -> [Vec3; 9] {
    let ring = |half: f32, y: f32| {
        [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, z)| Vec3::new(x * half, y, z * half))
    };
    let (top, middle) = (ring(0.4, 0.5), ring(0.65, 0.1));
    std::array::from_fn(|index| match index {
        0..4 => top[index],
        4..8 => middle[index - 4],
        _ => Vec3::new(0.0, -0.7, 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_body_reaches_farther_than_said() {
        let palette = Palette::new();
        for body in palette.convex.iter().chain(&palette.concave) {
            for part in &body.parts {
                let reach = part.local.position.length() + part.shape.radius();
                assert!(reach <= REACH, "{part:?}: {reach}");
            }
        }
    }
}
