//! Four points of many.

use glam::Vec3;

use super::{ContactPoint, MOST_POINTS, Manifold};

/// A manifold of at most four points. The rule: the deepest; the farthest from that one; the farthest from the line of
/// the two; the farthest outside the triangle of the three, seen along the normal. The one of the lower feature if equal.
/// `points` have different features; they are sorted by these, and so are those taken.
pub(super) fn reduced(normal: Vec3, points: &mut Vec<ContactPoint>) -> Manifold {
    points.sort_unstable_by_key(|point| point.feature);
    let mut manifold = Manifold { normal, ..Manifold::NONE };
    if points.len() > MOST_POINTS {
        // Twice the area of a triangle seen along the normal.
        let area = |a: Vec3, b: Vec3, c: Vec3| (b - a).cross(c - a).dot(normal);
        let mut taken = [0; MOST_POINTS];
        taken[0] = most(points, &[], |point| -point.separation);
        let a = points[taken[0]].position;
        taken[1] = most(points, &taken[..1], |point| point.position.distance_squared(a));
        let b = points[taken[1]].position;
        taken[2] = most(points, &taken[..2], |point| area(a, b, point.position).abs());
        let c = points[taken[2]].position;
        let side = if area(a, b, c) < 0.0 { -1.0 } else { 1.0 };
        taken[3] = most(points, &taken[..3], |point| {
            let p = point.position;
            -(side * area(a, b, p)).min(side * area(b, c, p)).min(side * area(c, a, p))
        });
        taken.sort_unstable();
        for (to, from) in taken.into_iter().enumerate() {
            points[to] = points[from];
        }
        points.truncate(MOST_POINTS);
    }
    manifold.points[..points.len()].copy_from_slice(points);
    manifold.count = points.len() as u32;
    manifold
}

/// The place of the first of the points worth most, those already taken left out.
fn most(points: &[ContactPoint], taken: &[usize], worth: impl Fn(&ContactPoint) -> f32) -> usize {
    let mut best: Option<(usize, f32)> = None;
    for (place, point) in points.iter().enumerate() {
        if !taken.contains(&place) {
            let worth = worth(point);
            if best.is_none_or(|(_, most)| most < worth) {
                best = Some((place, worth));
            }
        }
    }
    best.expect("there are more points than taken ones").0
}
