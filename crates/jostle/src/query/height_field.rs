//! Height fields against any shape, triangle by triangle.
//!
//! parry has no overlap test and no distance of a height field and a shape, its cast looks only at the first cells of a
//! level motion, and its rays begin in the wrong cell where they enter at the rim.

use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::query::{
    ClosestPoints, Ray, RayCast, RayIntersection, ShapeCastHit, ShapeCastOptions, Unsupported,
};
use parry3d::shape::{HeightField, Shape, Triangle};

use super::dispatch;

/// Boxes are loosened by this part of their size, so that rounding hides no triangle.
const SLACK: f32 = 1e-4;

pub(super) fn intersects(pose12: &Pose, field: &HeightField, other: &dyn Shape) -> Result<bool, Unsupported> {
    let mut found = Ok(false);
    field.map_elements_in_local_aabb(&box_of(pose12, other), &mut |_, triangle: &Triangle| {
        if found == Ok(false) {
            found = dispatch::intersects(pose12, triangle, other);
        }
    });
    found
}

pub(super) fn closest_points(
    pose12: &Pose,
    field: &HeightField,
    other: &dyn Shape,
) -> Result<ClosestPoints, Unsupported> {
    let around = box_of(pose12, other);
    let mut margin = field.cell_width().max(field.cell_height()).max(around.half_extents().max_element());
    loop {
        let reach = around.loosened(margin);
        let mut best = Ok((f32::MAX, ClosestPoints::Disjoint));
        field.map_elements_in_local_aabb(&reach, &mut |_, triangle: &Triangle| {
            let Ok((distance, _)) = best else { return };
            best = dispatch::closest_points(pose12, triangle, other).map(|points| {
                let new = match points {
                    ClosestPoints::Intersecting => 0.0,
                    ClosestPoints::WithinMargin(a, b) => (a - *pose12 * b).length(),
                    ClosestPoints::Disjoint => f32::MAX,
                };
                if new < distance { (new, points) } else { best.expect("checked above") }
            });
        });
        let (distance, points) = best?;
        // Whatever is nearer than the margin has been looked at.
        if distance <= margin || reach.contains(field.root_aabb()) || !margin.is_finite() {
            return Ok(points);
        }
        margin *= 2.0;
    }
}

pub(super) fn cast(
    pose12: &Pose,
    velocity: Vector,
    field: &HeightField,
    other: &dyn Shape,
    options: ShapeCastOptions,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let way = Way { start: box_of(pose12, other), velocity, most: options.max_time_of_impact };
    first_along(field, &way, |triangle| {
        let hit = dispatch::cast(pose12, velocity, triangle, other, options)?;
        Ok(hit.map(|hit| (hit.time_of_impact, hit)))
    })
}

/// A ray in the frame of the field.
pub(super) fn cast_ray(field: &HeightField, ray: &Ray, most: f32) -> Option<RayIntersection> {
    let room = field.cell_width().max(field.cell_height()) + ray.origin.abs().max_element() * SLACK;
    let start = Aabb::new(ray.origin, ray.origin).loosened(room * SLACK);
    let way = Way { start, velocity: ray.dir, most };
    let found = first_along(field, &way, |triangle| {
        let hit = triangle.cast_local_ray_and_get_normal(ray, most, true);
        Ok(hit.map(|hit| (hit.time_of_impact, hit)))
    });
    found.expect("every triangle can be hit by a ray")
}

/// The way of a moving box from time 0 to `most`.
struct Way {
    start: Aabb,
    velocity: Vector,
    most: f32,
}

/// The earliest hit of the triangles along a way. It is cut into pieces of a few cells, so that a long cast does not look
/// at all cells of the box around it.
fn first_along<H: Copy>(
    field: &HeightField,
    way: &Way,
    test: impl Fn(&Triangle) -> Result<Option<(f32, H)>, Unsupported>,
) -> Result<Option<H>, Unsupported> {
    let Way { start, velocity, most } = way;
    let Some((enter, leave)) = while_overlapping(field.root_aabb(), start, *velocity) else {
        return Ok(None);
    };
    let last = leave.min(*most);
    let cells = 2.0 * field.cell_width().max(field.cell_height());
    let piece = (cells + start.half_extents().max_element()) / velocity.length();
    let moved = |time: f32| Aabb::new(start.mins + *velocity * time, start.maxs + *velocity * time);
    let mut best: Result<Option<(f32, H)>, Unsupported> = Ok(None);
    let mut from = enter;
    while from <= last {
        let ahead = from + piece;
        // A piece too small to be seen beside the time would never end.
        let to = if ahead > from { ahead.min(last) } else { last };
        let swept = moved(from).merged(&moved(to));
        field.map_elements_in_local_aabb(&swept, &mut |_, triangle: &Triangle| {
            let Ok(first) = best else { return };
            best = test(triangle).map(|hit| match (hit, first) {
                (Some(hit), Some(first)) if first.0 <= hit.0 => Some(first),
                (None, first) => first,
                (hit, _) => hit,
            });
        });
        if to >= last || best?.is_some_and(|(time, _)| time <= to) {
            break;
        }
        from = to;
    }
    Ok(best?.map(|(_, hit)| hit))
}

/// The box around a shape, loosened a little.
fn box_of(pose: &Pose, shape: &dyn Shape) -> Aabb {
    let tight = shape.compute_aabb(pose);
    let size = tight.half_extents().max_element() + tight.center().abs().max_element() * SLACK;
    if size.is_finite() { tight.loosened(size * SLACK) } else { tight }
}

/// From when to when a moving box overlaps another one, from time 0 on.
fn while_overlapping(still: &Aabb, moving: &Aabb, velocity: Vector) -> Option<(f32, f32)> {
    let (mut enter, mut leave) = (0.0f32, f32::MAX);
    for axis in 0..3 {
        let speed = velocity[axis];
        let (ahead, behind) = (still.mins[axis] - moving.maxs[axis], still.maxs[axis] - moving.mins[axis]);
        if speed == 0.0 {
            if ahead > 0.0 || behind < 0.0 {
                return None;
            }
            continue;
        }
        let (near, far) = if speed > 0.0 { (ahead, behind) } else { (behind, ahead) };
        enter = enter.max(near / speed);
        leave = leave.min(far / speed);
    }
    (enter <= leave).then_some((enter, leave))
}
