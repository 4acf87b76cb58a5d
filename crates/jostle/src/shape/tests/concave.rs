//! The two concave bodies made by rule.

use super::*;
use crate::{Geometry, MassProperties, Part, concave};

fn mass(parts: &[Part]) -> MassProperties {
    let all = parts.iter().map(|part| part.shape.mass_properties(1000.0).placed(&part.local));
    MassProperties::sum(all.collect::<Vec<_>>().into_iter())
}

#[test]
fn both_have_their_pieces_and_are_about_a_metre_across() {
    for (parts, count, bytes) in [
        (concave::ring().unwrap(), 22, concave::ring().unwrap()),
        (concave::animal().unwrap(), 25, concave::animal().unwrap()),
    ] {
        assert_eq!(parts.len(), count);
        assert_eq!(parts, bytes, "the same each time");
        let mut aabb = jostle_broad::Aabb::EMPTY;
        for part in &parts {
            assert_eq!(part.shape.geometry(), Geometry::ConvexHull);
            assert!(part.shape.mass_properties(1.0).mass > 0.0);
            assert!(part.local.rotation.is_normalized());
            aabb = aabb.union(&part.shape.aabb(&part.local));
        }
        let size = (aabb.max - aabb.min).max_element();
        assert!((0.9..1.1).contains(&size), "{size}");
        let whole = mass(&parts);
        assert!(whole.mass > 1.0);
        let gap = (whole.inertia - whole.inertia.transpose()).abs();
        assert!(gap.x_axis.max(gap.y_axis).max(gap.z_axis).max_element() <= 1.0e-6 * whole.inertia.x_axis.x);
    }
}

#[test]
fn the_ring_is_a_ring() {
    let parts = concave::ring().unwrap();
    let whole = mass(&parts);
    assert!(whole.center.length() < 1.0e-6);
    // A tube with an octagon for a circle: 8 (sqrt 2 - 1) r^2 instead of pi r^2; round to one part in a hundred.
    let expected = 1000.0 * 3.313_708 * 0.01 * std::f32::consts::TAU * 0.4;
    assert!((whole.mass / expected - 1.0).abs() < 0.02, "{} instead of {expected}", whole.mass);
    assert!((whole.inertia.x_axis.x / whole.inertia.z_axis.z - 1.0).abs() < 1.0e-4);
    assert!(whole.inertia.x_axis.y.abs() < 1.0e-5 * whole.inertia.x_axis.x);
    // The hole: nothing of it within 0.29 of the axis. Neighbours meet: each corner of an end is one of the next end.
    let corners = |part: &Part| {
        part.shape.hull_corners().map(|corner| part.local.transform(corner)).collect::<Vec<_>>()
    };
    for (index, part) in parts.iter().enumerate() {
        let next = corners(&parts[(index + 1) % parts.len()]);
        let shared = corners(part)
            .iter()
            .filter(|corner| next.iter().any(|other| other.distance(**corner) < 1.0e-5))
            .count();
        assert_eq!(shared, 8, "piece {index}");
        assert!(corners(part).iter().all(|corner| Vec3::new(corner.x, 0.0, corner.z).length() > 0.29));
    }
}

#[test]
fn the_animal_is_symmetric() {
    let parts = concave::animal().unwrap();
    let whole = mass(&parts);
    assert!(whole.center.x.abs() < 1.0e-6);
    assert!(whole.inertia.x_axis.y.abs() < 1.0e-5 * whole.inertia.x_axis.x);
    assert!(whole.inertia.x_axis.z.abs() < 1.0e-5 * whole.inertia.x_axis.x);
    // Every piece overlaps another: nothing floats.
    for (index, part) in parts.iter().enumerate() {
        let touches = parts.iter().enumerate().any(|(other, neighbour)| {
            other != index && part.shape.aabb(&part.local).overlaps(&neighbour.shape.aabb(&neighbour.local))
        });
        assert!(touches, "piece {index}");
    }
}
