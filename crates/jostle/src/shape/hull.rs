//! Convex hulls: which points have one, and how fine a hull contacts can work with.

use glam::{DVec3, Vec3};
use parry3d::shape::{ConvexPolyhedron, SharedShape};

use super::bounds::{bounds_of, farthest};
use super::error::check_points;
use super::mass::solid_mass;
use super::surface::check_count;
use super::{General, Geometry, Shape, ShapeError, Source, quickhull};

/// More points than this belong into several hulls.
const MOST_POINTS: usize = 1 << 20;

/// Points at most this thick, as a share of their span, are flat.
const FLATTEST: f64 = 1.0e-4;

/// How far outside of a hull points may stay, as shares of its span. The first that gives usable faces is taken: parry
/// joins triangles that differ by less than 1.5 degrees into one face, and takes a finely rounded side for one face.
const TOLERANCES: [f64; 4] = [1.0e-5, 1.0e-4, 4.0e-4, 1.6e-3];

/// The faces that parry makes must have this share of the area of the triangles they are made of.
const SHARE_OF_AREA: f64 = 0.99;

impl Shape {
    /// The convex hull of points. The order of the points is part of its content: see [`Shape::hash`].
    ///
    /// Points less than 1/100,000 of the span outside of the hull of the others may be left out. Of hulls rounded so
    /// finely that neighbouring faces differ by less than 1.5 degrees more is left out, at most 1/600 of the span.
    pub fn convex_hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        let count = points.len();
        check_count("points", count, MOST_POINTS)?;
        check_points(points)?;
        if count < 4 {
            return Err(ShapeError::TooFewPoints { count });
        }
        let exact: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
        let (start, span) = tetrahedron(&exact)?;
        for tolerance in TOLERANCES {
            let (corners, triangles) =
                only_used(points, quickhull::triangles(&exact, start, tolerance * span));
            let Some(hull) = polyhedron(&corners, triangles.clone()) else { continue };
            let general = General {
                source: Source::Points(points.to_vec()),
                bounds: bounds_of(&corners),
                mass: solid_mass(&corners, &triangles),
            };
            let radius = farthest(&corners);
            return Ok(Self::general(Geometry::ConvexHull, SharedShape::new(hull), radius, general));
        }
        Err(ShapeError::HullFailed { count })
    }

    /// The corners of a convex hull: those of the points given that are not inside of it. Of other shapes none.
    pub fn hull_corners(&self) -> impl ExactSizeIterator<Item = Vec3> {
        let corners = self.parry.as_convex_polyhedron().map_or(&[][..], |hull| hull.points());
        corners.iter().map(|corner| Vec3::from_array(corner.to_array()))
    }
}

/// Four points that are far apart, and their span. Points that are all in one plane have none.
fn tetrahedron(points: &[DVec3]) -> Result<([u32; 4], f64), ShapeError> {
    let farthest_by = |distance: &dyn Fn(DVec3) -> f64| -> (usize, f64) {
        let distances = points.iter().map(|point| distance(*point)).enumerate();
        distances.fold((0, 0.0), |best, other| if other.1 > best.1 { other } else { best })
    };
    let (a, _) = farthest_by(&|point| (point - points[0]).length());
    let origin = points[a];
    let (b, span) = farthest_by(&|point| (point - origin).length());
    let along = (points[b] - origin).normalize_or_zero();
    let (c, width) = farthest_by(&|point| (point - origin).cross(along).length());
    let normal = (points[c] - origin).cross(along).normalize_or_zero();
    let (d, height) = farthest_by(&|point| (point - origin).dot(normal).abs());
    let thickness = width.min(height);
    if span.is_normal() && thickness > FLATTEST * span {
        Ok(([a, b, c, d].map(|index| index as u32), span))
    } else {
        Err(ShapeError::Flat { count: points.len(), span: span as f32, thickness: thickness as f32 })
    }
}

/// The points that triangles name, in their order, and the triangles in terms of them.
fn only_used(points: &[Vec3], mut triangles: Vec<[u32; 3]>) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut used: Vec<u32> = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    for corner in triangles.as_flattened_mut() {
        // Always found.
        *corner = used.partition_point(|&point| point < *corner) as u32;
    }
    (used.iter().map(|&point| points[point as usize]).collect(), triangles)
}

/// The hull as parry knows it, if its faces cover it.
///
/// parry walks around each face from the first corner of its first triangle, and stops too early where a face touches
/// itself in that corner. Another first corner helps.
fn polyhedron(corners: &[Vec3], mut triangles: Vec<[u32; 3]>) -> Option<ConvexPolyhedron> {
    for _ in 0..2 {
        for _ in 0..3 {
            let points = corners.iter().map(|corner| corner.to_array().into()).collect();
            let hull = ConvexPolyhedron::from_convex_mesh(points, &triangles)?;
            if faces_cover(&hull, corners, &triangles) {
                return Some(hull);
            }
            triangles.iter_mut().for_each(|triangle| triangle.rotate_left(1));
        }
        triangles.reverse();
    }
    None
}

/// Do the faces of a hull have the area of the triangles they were made of?
fn faces_cover(hull: &ConvexPolyhedron, corners: &[Vec3], triangles: &[[u32; 3]]) -> bool {
    let corner = |index: u32| corners[index as usize].as_dvec3();
    let twice_area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let whole: f64 = triangles.iter().map(|triangle| twice_area(triangle.map(corner)).length()).sum();
    let mut covered = 0.0;
    for face in hull.faces() {
        let (first, count) = (face.first_vertex_or_edge as usize, face.num_vertices_or_edges as usize);
        let around = &hull.vertices_adj_to_face()[first..first + count];
        let fan = around.windows(2).map(|edge| twice_area([around[0], edge[0], edge[1]].map(corner)));
        covered += fan.sum::<DVec3>().dot(Vec3::from_array(face.normal.to_array()).as_dvec3());
    }
    covered >= SHARE_OF_AREA * whole
}
