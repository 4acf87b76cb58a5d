//! Bounding volumes of shapes: spheres, oriented boxes and k-DOPs as second filters on the pairs of boxes found.
//!
//! In: shapes at poses. Out: a volume that contains them, whatever was rounded. So a filter by volumes never removes a
//! pair whose shapes overlap; [`measure_filters`] says how many others it removes in a world, and what that costs.

use std::time::{Duration, Instant};

use glam::{Mat3, Vec3};
use jostle_broad::{Aabb, BoundingVolume, Kdop, Kdop14, Kdop18, Kdop26, OrientedBox, Pair, Sphere};

use crate::query::{self, corners, reach};
use crate::{Body, BodyId, Pose, Shape, World};

/// What rounding in `f32` can shift a point by, as a part of the coordinates that went into it. A transformation rounds
/// about ten times by 2^-24; this is 2^-20.
const SLACK: f32 = 1.0 / (1 << 20) as f32;

/// A volume that can be fitted to shapes.
pub trait FitVolume: BoundingVolume + Sized {
    /// What it is called in tables.
    const NAME: &'static str;

    /// A volume around shapes at poses; `None` if there is none: no shape, or an unbounded one and a bounded volume.
    fn fit(parts: &[(&Shape, Pose)]) -> Option<Self>;

    /// A volume around one shape at a pose.
    fn fit_shape(shape: &Shape, pose: &Pose) -> Option<Self> {
        Self::fit(&[(shape, *pose)])
    }

    /// A volume around all shapes of a body whose origin is at a pose.
    fn fit_body(body: &Body, pose: &Pose) -> Option<Self> {
        let place = |part: &crate::Part| pose.then(&part.local);
        match &body.parts[..] {
            [part] => Self::fit(&[(&part.shape, place(part))]),
            parts => Self::fit(&parts.iter().map(|part| (&part.shape, place(part))).collect::<Vec<_>>()),
        }
    }
}

impl FitVolume for Aabb {
    const NAME: &'static str = "box";

    fn fit(parts: &[(&Shape, Pose)]) -> Option<Self> {
        let boxes = parts.iter().map(|(shape, pose)| {
            let aabb = shape.aabb(pose);
            let room = Vec3::splat(slack(shape, pose));
            Aabb::new(aabb.min - room, aabb.max + room)
        });
        boxes.reduce(|a, b| a.union(&b))
    }
}

impl FitVolume for Sphere {
    const NAME: &'static str = "sphere";

    fn fit(parts: &[(&Shape, Pose)]) -> Option<Self> {
        let one = |(shape, pose): &(&Shape, Pose)| {
            let (center, radius) = local_sphere(shape);
            Sphere::new(pose.transform(center), radius + slack(shape, pose)).ok()
        };
        if let [part] = parts {
            return one(part);
        }
        let spheres: Vec<Sphere> = parts.iter().map(one).collect::<Option<_>>()?;
        let bounds = spheres.iter().map(BoundingVolume::aabb).reduce(|a, b| a.union(&b))?;
        let center = bounds.center();
        let reach = |sphere: &Sphere| (sphere.center() - center).length() + sphere.radius();
        let radius = spheres.iter().map(reach).fold(0.0, f32::max);
        Sphere::new(center, radius * (1.0 + SLACK)).ok()
    }
}

impl FitVolume for OrientedBox {
    const NAME: &'static str = "oriented box";

    fn fit(parts: &[(&Shape, Pose)]) -> Option<Self> {
        if let [(shape, pose)] = parts {
            return oriented_box(shape, pose);
        }
        let boxes: Vec<OrientedBox> =
            parts.iter().map(|(shape, pose)| oriented_box(shape, pose)).collect::<Option<_>>()?;
        let points: Vec<Vec3> = boxes.iter().flat_map(box_corners).collect();
        let around = OrientedBox::from_points(&points).ok()?;
        let farthest = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
        grown(&around, farthest * SLACK)
    }
}

impl<const SLABS: usize> FitVolume for Kdop<SLABS> {
    const NAME: &'static str = match SLABS {
        7 => "14-dop",
        9 => "18-dop",
        _ => "26-dop",
    };

    fn fit(parts: &[(&Shape, Pose)]) -> Option<Self> {
        if let Some((shape, pose)) = parts.iter().find(|(shape, _)| !shape.radius().is_finite()) {
            let bounds = parts.iter().map(|(shape, pose)| shape.aabb(pose));
            let around = bounds.reduce(|a, b| a.union(&b)).unwrap_or(shape.aabb(pose));
            return Kdop::from_aabb(&around).ok();
        }
        let farthest = |direction: [i8; 3]| {
            let direction = Vec3::from_array(direction.map(f32::from));
            parts
                .iter()
                .map(|(shape, pose)| f64::from(world_reach(shape, pose, direction)))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        if parts.is_empty() { None } else { Kdop::from_reach(farthest).ok() }
    }
}

/// How much rounding can shift the points of a shape at a pose.
fn slack(shape: &Shape, pose: &Pose) -> f32 {
    let size = if shape.radius().is_finite() { shape.radius() } else { 0.0 };
    (pose.position.abs().max_element() + size) * SLACK
}

/// A small sphere around a shape, in its frame: around its origin, or around its corners where those are known.
fn local_sphere(shape: &Shape) -> (Vec3, f32) {
    let around = (Vec3::ZERO, shape.radius());
    match Sphere::from_points(&corners(shape)) {
        Ok(sphere) if sphere.radius() < shape.radius() => (sphere.center(), sphere.radius()),
        _ => around,
    }
}

/// The box of a shape in its own frame, turned with it; around its corners where those are known.
fn oriented_box(shape: &Shape, pose: &Pose) -> Option<OrientedBox> {
    if !shape.radius().is_finite() {
        return None;
    }
    let local = match OrientedBox::from_points(&corners(shape)) {
        Ok(around) => around,
        Err(_) => OrientedBox::from_aabb(&shape.aabb(&Pose::IDENTITY)).ok()?,
    };
    let axes = Mat3::from_quat(pose.rotation) * local.axes();
    let half = local.half_extents() + 2.0 * slack(shape, pose);
    OrientedBox::from_axes(pose.transform(local.center()), half, axes).ok()
}

fn grown(around: &OrientedBox, by: f32) -> Option<OrientedBox> {
    OrientedBox::from_axes(around.center(), around.half_extents() + by, around.axes()).ok()
}

fn box_corners(of: &OrientedBox) -> [Vec3; 8] {
    std::array::from_fn(|bits| {
        let sign = |axis: usize| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 };
        of.center() + of.axes() * (of.half_extents() * Vec3::new(sign(0), sign(1), sign(2)))
    })
}

/// The largest dot product of a direction with a point of a bounded shape at a pose, rounded up.
fn world_reach(shape: &Shape, pose: &Pose, direction: Vec3) -> f32 {
    let turned = pose.rotation.conjugate() * direction;
    let local = reach(shape, turned).unwrap_or_else(|| {
        let aabb = shape.aabb(&Pose::IDENTITY);
        aabb.max.dot(turned.max(Vec3::ZERO)) + aabb.min.dot(turned.min(Vec3::ZERO))
    });
    // The length of the longest direction, (1, 1, 1), is below 2; the dot product sums three coordinates.
    pose.position.dot(direction) + local + 4.0 * slack(shape, pose)
}

/// What one kind of volume does to the pairs of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FilterRow {
    /// Which volume.
    pub volume: &'static str,
    /// How many pairs of boxes there are, each of a whole frame's motion.
    pub pairs: usize,
    /// How many of them are left.
    pub kept: usize,
    /// How many of them have shapes that overlap now; never more than are left.
    pub overlapping: usize,
    /// How many volumes were fitted: one per body with a pair.
    pub fitted: usize,
    /// What fitting took.
    pub fitting: Duration,
    /// What testing took.
    pub testing: Duration,
}

impl FilterRow {
    /// Fitting and testing, in nanoseconds per pair.
    pub fn nanoseconds_per_pair(&self) -> f64 {
        (self.fitting + self.testing).as_nanos() as f64 / self.pairs.max(1) as f64
    }

    /// The part of the pairs that is removed.
    pub fn removed(&self) -> f64 {
        (self.pairs - self.kept) as f64 / self.pairs.max(1) as f64
    }
}

/// How many of the pairs found in the latest step each kind of volume removes, with bodies where they are after it, and
/// what that costs on one thread. The first row is the tight box.
pub fn measure_filters(world: &World) -> Vec<FilterRow> {
    let pairs = world.finder.pairs().as_slice();
    let overlapping = pairs.iter().filter(|pair| shapes_overlap(world, pair)).count();
    vec![
        measure::<Aabb>(world, pairs, overlapping),
        measure::<Sphere>(world, pairs, overlapping),
        measure::<Kdop14>(world, pairs, overlapping),
        measure::<Kdop18>(world, pairs, overlapping),
        measure::<Kdop26>(world, pairs, overlapping),
        measure::<OrientedBox>(world, pairs, overlapping),
    ]
}

fn measure<V: FitVolume>(world: &World, pairs: &[Pair], overlapping: usize) -> FilterRow {
    let store = &world.store;
    let slot = |id: u32| store.slot_of(id).expect("pairs are of bodies that are there");
    let mut wanted = vec![false; store.motions.len()];
    for pair in pairs {
        (wanted[slot(pair.low)], wanted[slot(pair.high)]) = (true, true);
    }
    let start = Instant::now();
    let fit = |slot: usize| V::fit_body(&store.descriptions[slot], &store.pose(slot));
    let volumes: Vec<Option<V>> =
        wanted.iter().enumerate().map(|(slot, &wanted)| if wanted { fit(slot) } else { None }).collect();
    let fitting = start.elapsed();
    let start = Instant::now();
    let kept = pairs.iter().filter(|pair| match (&volumes[slot(pair.low)], &volumes[slot(pair.high)]) {
        (Some(low), Some(high)) => low.overlaps(high),
        // Around something unbounded there is no such volume.
        _ => true,
    });
    let kept = kept.count();
    let testing = start.elapsed();
    let fitted = volumes.iter().flatten().count();
    FilterRow { volume: V::NAME, pairs: pairs.len(), kept, overlapping, fitted, fitting, testing }
}

/// Do two bodies overlap? What cannot be said counts as yes.
fn shapes_overlap(world: &World, pair: &Pair) -> bool {
    let [low, high] = [pair.low, pair.high].map(BodyId);
    let body = |id| Some((world.description(id)?, world.pose(id)?));
    let (Some((a, pose_a)), Some((b, pose_b))) = (body(low), body(high)) else { return true };
    a.parts.iter().any(|part| {
        let pose = pose_a.then(&part.local);
        let overlaps = |other: &crate::Part| {
            query::overlap(&part.shape, &pose, &other.shape, &pose_b.then(&other.local)).unwrap_or(true)
        };
        b.parts.iter().any(overlaps)
    })
}
