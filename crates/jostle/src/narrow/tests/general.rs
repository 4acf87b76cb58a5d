//! Shapes that go through parry.

use super::super::general::General;
use super::super::reduce::reduced;
use super::*;
use crate::ContactPoint;

/// One of each kind that parry collides, about half a metre across.
fn solids() -> Vec<Shape> {
    let prism = [(-0.5, 0.0), (0.4, -0.3), (0.3, 0.5)];
    let corners = prism.into_iter().flat_map(|(x, z)| [Vec3::new(x, -0.4, z), Vec3::new(x, 0.4, z)]);
    vec![
        Shape::capsule(0.4, 0.3).unwrap(),
        Shape::cylinder(0.5, 0.4).unwrap(),
        Shape::cone(0.5, 0.4).unwrap(),
        Shape::convex_hull(&corners.collect::<Vec<_>>()).unwrap(),
        Shape::ball(0.5).unwrap(),
        Shape::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap(),
    ]
}

/// Flat ground at height 0, in many triangles, of both kinds.
fn grounds() -> [Shape; 2] {
    const SIDE: u32 = 6;
    let places = (0..=SIDE).flat_map(|z| (0..=SIDE).map(move |x| (x, z)));
    let vertices: Vec<_> = places.map(|(x, z)| Vec3::new(x as f32 - 3.0, 0.0, z as f32 - 3.0)).collect();
    let cells = (0..SIDE).flat_map(|z| (0..SIDE).map(move |x| z * (SIDE + 1) + x));
    let triangles: Vec<_> =
        cells.flat_map(|at| [[at, at + SIDE + 1, at + 1], [at + 1, at + SIDE + 1, at + SIDE + 2]]).collect();
    [
        Shape::triangle_mesh(&vertices, &triangles).unwrap(),
        Shape::height_field(7, 7, &[0.0; 49], Vec3::new(6.0, 1.0, 6.0)).unwrap(),
    ]
}

fn pieces(first: (&Shape, &Pose), second: (&Shape, &Pose), prediction: f32) -> Vec<PieceManifold> {
    let mut out = Vec::new();
    Collider::default().collide(first, second, prediction, &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn convex_shapes_agree_with_parry_and_flip(
        kinds in [0..6_usize, 0..6_usize],
        poses in [poses(0.8), poses(0.8)],
        prediction in between(0.0, 0.1),
    ) {
        let solids = solids();
        let (first, second) = ((&solids[kinds[0]], &poses[0]), (&solids[kinds[1]], &poses[1]));
        let manifold = collide(first, second, prediction);
        let other = collide(second, first, prediction).flipped();
        let at = [to_parry(&poses[0]), to_parry(&poses[1])];
        let (a, b) = (&**first.0.parry(), &**second.0.parry());
        let distance = parry3d::query::distance(&at[0], a, &at[1], b).unwrap().distance;
        if distance > prediction + 1e-3 && manifold.count > 0 {
            // A manifold of faces knows only the distance of their planes.
            prop_assert!(deepest(&manifold) <= distance + 1e-3);
        }
        if distance <= 0.0 && parry3d::query::contact(&at[0], a, &at[1], b, 0.0).unwrap().is_some_and(|c| c.dist < -1e-2) {
            prop_assert!(manifold.count > 0 && deepest(&manifold) < 0.0, "{manifold:?}");
            prop_assert!(other.count > 0 && deepest(&other) < 0.0, "{other:?}");
            // Shallow contacts have one direction; deep ones may leave by several.
            if deepest(&manifold) > -0.02 && deepest(&other) > -0.02 {
                prop_assert!(manifold.normal.dot(other.normal) > 0.9, "{manifold:?} {other:?}");
            }
        }
        for point in manifold.points() {
            for (shape, pose) in [first, second] {
                prop_assert!(point.position.distance(pose.position) <= shape.radius() + 0.2, "{point:?}");
            }
        }
    }

    #[test]
    fn what_came_before_does_not_matter(
        kinds in prop::collection::vec((0..8_usize, 0..6_usize, poses(0.8), poses(0.8)), 2..8),
    ) {
        let shapes: Vec<_> = solids().into_iter().chain(grounds()).collect();
        let mut used = Collider::default();
        for (a, b, pose_a, pose_b) in kinds {
            let (first, second) = ((&shapes[a], &pose_a), (&shapes[b], &pose_b));
            let mut out = Vec::new();
            used.collide(first, second, 0.05, &mut out);
            prop_assert_eq!(&out, &pieces(first, second, 0.05));
            prop_assert!(out.is_sorted_by(|a, b| a.piece < b.piece), "by ascending pieces");
            for piece in &out {
                prop_assert!(piece.manifold.count > 0);
                check_form(&piece.manifold, 0.05);
            }
        }
    }

    /// Our own code and parry's way agree where both can.
    #[test]
    fn own_and_general_way_agree(
        kinds in prop::sample::select(vec![(4, 4), (4, 5), (5, 4)]),
        poses in [poses(0.6), poses(0.6)],
    ) {
        let solids = solids();
        let (first, second) = ((&solids[kinds.0], &poses[0]), (&solids[kinds.1], &poses[1]));
        let own = collide(first, second, 0.0);
        let mut general = Vec::new();
        General::default().collide(first, second, 0.0, &mut general);
        if own.count > 0 && deepest(&own) < -1e-4 && deepest(&own) > -0.3 {
            let general = general[0].manifold;
            prop_assert!((own.normal - general.normal).length() < 1e-3, "{own:?} {general:?}");
            prop_assert!((deepest(&own) - deepest(&general)).abs() < 1e-4, "{own:?} {general:?}");
            prop_assert!(own.points[0].position.distance(general.points[0].position) < 1e-3);
        }
    }
}

#[test]
fn solids_rest_on_triangles() {
    for ground in grounds() {
        for solid in solids() {
            // Lowered onto the ground from where it just does not reach it.
            let low = solid.aabb(&Pose::IDENTITY).min.y;
            let pose = Pose::at(Vec3::new(0.3, -low - 0.01, 0.2));
            for flip in [false, true] {
                let (upper, lower) = ((&solid, &pose), (&ground, &Pose::IDENTITY));
                let found = if flip { pieces(lower, upper, 0.02) } else { pieces(upper, lower, 0.02) };
                assert!(!found.is_empty(), "{solid:?} on {ground:?}");
                let depth = found.iter().map(|piece| deepest(&piece.manifold)).fold(f32::INFINITY, f32::min);
                assert!((depth + 0.01).abs() < 1e-3, "{solid:?} on {ground:?}: {depth}");
                for piece in &found {
                    let up = if flip { -piece.manifold.normal.y } else { piece.manifold.normal.y };
                    assert!(up > 0.99, "{solid:?} on {ground:?}: {piece:?}");
                }
            }
        }
    }
}

#[test]
fn four_of_many_points_are_the_extreme_ones() {
    let at = |x: f32, z: f32, separation: f32, feature: u32| ContactPoint {
        position: Vec3::new(x, 0.0, z),
        separation,
        feature,
    };
    let corners =
        [at(-1.0, -1.0, -0.1, 7), at(1.0, -1.0, 0.0, 3), at(1.0, 1.0, 0.0, 9), at(-1.0, 1.0, 0.0, 1)];
    let inner = [at(0.0, 0.0, 0.0, 2), at(0.2, 0.9, 0.0, 4), at(-0.9, 0.1, -0.05, 8)];
    let mut many: Vec<_> = inner.into_iter().chain(corners).collect();
    let manifold = reduced(Vec3::Y, &mut many);
    let features: Vec<_> = manifold.points().iter().map(|point| point.feature).collect();
    assert_eq!(features, [1, 3, 7, 9]);

    // In whatever order they come, and if they are few.
    let mut reversed: Vec<_> = corners.into_iter().rev().chain(inner).collect();
    assert_eq!(reduced(Vec3::Y, &mut reversed), manifold);
    let mut few = corners[..3].to_vec();
    assert_eq!(reduced(Vec3::Y, &mut few).count, 3);
}
