//! Which algorithm answers for two shapes: parry's, except for height fields, of which it knows little, and two
//! shortcuts of it that are not exact.
//!
//! In: the pose of the second shape in the frame of the first. All results are in the frames of their shapes.

use parry3d::math::{Pose, Vector};
use parry3d::query::sat::{
    cuboid_cuboid_find_local_separating_edge_twoway as separation_of_edges,
    cuboid_cuboid_find_local_separating_normal_oneway as separation_of_faces,
};
use parry3d::query::{
    ClosestPoints, Contact, DefaultQueryDispatcher, QueryDispatcher, Ray, RayIntersection, ShapeCastHit,
    ShapeCastOptions, Unsupported,
};
use parry3d::shape::{Cuboid, RoundShape, Shape, SupportMap};

use super::height_field;

pub(super) fn intersects(pose12: &Pose, a: &dyn Shape, b: &dyn Shape) -> Result<bool, Unsupported> {
    if let Some(field) = a.as_heightfield() {
        return height_field::intersects(pose12, field, b);
    }
    if let Some(field) = b.as_heightfield() {
        return height_field::intersects(&pose12.inverse(), field, a);
    }
    DefaultQueryDispatcher.intersection_test(pose12, a, b).map(|found| found.intersecting)
}

/// The closest points, or that they intersect.
pub(super) fn closest_points(
    pose12: &Pose,
    a: &dyn Shape,
    b: &dyn Shape,
) -> Result<ClosestPoints, Unsupported> {
    // Of a triangle and a box parry has a shortcut that is off by a per cent at times. A box with rounded edges of radius
    // 0 is the same to everything else, and not taken for a box.
    let round = |cuboid: &Cuboid| RoundShape { inner_shape: *cuboid, border_radius: 0.0 };
    if let (true, Some(cuboid)) = (has_triangles(a), b.as_cuboid()) {
        return closest_points(pose12, a, &round(cuboid));
    }
    if let (Some(cuboid), true) = (a.as_cuboid(), has_triangles(b)) {
        return closest_points(pose12, &round(cuboid), b);
    }
    if let Some(field) = a.as_heightfield() {
        return height_field::closest_points(pose12, field, b);
    }
    if let Some(field) = b.as_heightfield() {
        return height_field::closest_points(&pose12.inverse(), field, a).map(|found| found.flipped());
    }
    DefaultQueryDispatcher.closest_points(pose12, a, b, f32::MAX)
}

/// The deepest contact, if they overlap or touch.
pub(super) fn deepest_contact(
    pose12: &Pose,
    a: &dyn Shape,
    b: &dyn Shape,
) -> Result<Option<Contact>, Unsupported> {
    match (a.as_cuboid(), b.as_cuboid()) {
        (Some(a), Some(b)) => Ok(deepest_of_cuboids(pose12, a, b)),
        _ => DefaultQueryDispatcher.contact(pose12, a, b, 0.0),
    }
}

/// By separating axes: parry finds the depth of two boxes by expanding a polytope, and ends too early at times.
fn deepest_of_cuboids(pose12: &Pose, a: &Cuboid, b: &Cuboid) -> Option<Contact> {
    let pose21 = pose12.inverse();
    let of_a = separation_of_faces(a, b, pose12);
    let of_b = separation_of_faces(b, a, &pose21);
    let of_edges = separation_of_edges(a, b, pose12);
    let face_of_b = of_b.0 > of_a.0 && of_b.0 > of_edges.0;
    let (separation, normal) = if face_of_b {
        (of_b.0, pose12.rotation * -of_b.1)
    } else if of_edges.0 > of_a.0 {
        of_edges
    } else {
        of_a
    };
    if separation > 0.0 {
        return None;
    }
    // A corner of one, and the point of the other's side above it.
    let (on_a, on_b) = if face_of_b {
        let corner = a.local_support_point(normal);
        (corner, corner + normal * separation)
    } else {
        let corner = b.support_point(pose12, -normal);
        (corner - normal * separation, corner)
    };
    let turned = pose21.rotation * -normal;
    Some(Contact::new(on_a, pose12.inverse_transform_point(on_b), normal, turned, separation))
}

fn has_triangles(shape: &dyn Shape) -> bool {
    shape.as_triangle().is_some() || shape.as_heightfield().is_some() || shape.as_composite_shape().is_some()
}

/// When they first touch, the second moving with a velocity in the frame of the first.
pub(super) fn cast(
    pose12: &Pose,
    velocity: Vector,
    a: &dyn Shape,
    b: &dyn Shape,
    options: ShapeCastOptions,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    if let Some(field) = a.as_heightfield() {
        return height_field::cast(pose12, velocity, field, b, options);
    }
    if let Some(field) = b.as_heightfield() {
        let back = pose12.inverse();
        let hit = height_field::cast(&back, -(back.rotation * velocity), field, a, options)?;
        return Ok(hit.map(|hit| hit.swapped()));
    }
    let found = DefaultQueryDispatcher.cast_shapes(pose12, velocity, a, b, options)?;
    if found.is_some() || a.as_support_map().is_none() || b.as_support_map().is_none() {
        return Ok(found);
    }
    // The iteration gives up at times, mostly on flat things; from the other side it does not give up on the same ones.
    let back = pose12.inverse();
    let found = DefaultQueryDispatcher.cast_shapes(&back, -(back.rotation * velocity), b, a, options)?;
    Ok(found.map(|hit| hit.swapped()))
}

/// Where a ray enters a shape, in the frame around both.
pub(super) fn cast_ray(pose: &Pose, shape: &dyn Shape, ray: &Ray, most: f32) -> Option<RayIntersection> {
    match shape.as_heightfield() {
        Some(field) => {
            let hit = height_field::cast_ray(field, &ray.inverse_transform_by(pose), most)?;
            Some(hit.transform_by(pose))
        }
        None => shape.cast_ray_and_get_normal(pose, ray, most, true),
    }
}
