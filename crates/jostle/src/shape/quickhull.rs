//! The triangles of a convex hull, by Quickhull (Barber, Dobkin, Huhdanpaa 1996) with exact orientation tests.
//!
//! In: finite points and four of them that span a solid. Out: triangles that wind outwards, a closed surface without
//! exception: which side of a plane a point is on is decided exactly (Shewchuk's predicates), so that rounding never
//! contradicts itself. parry's own hulls of a cone of 60 sides do not close.

use std::collections::HashMap;

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// No face.
const NONE: u32 = u32::MAX;

struct Face {
    /// Points, anticlockwise seen from outside.
    corners: [u32; 3],
    /// The faces behind the edges from each corner to the next.
    neighbours: [u32; 3],
    /// Points on its outer side that no other face has in its list.
    outside: Vec<u32>,
    is_alive: bool,
}

struct Hull<'a> {
    points: &'a [DVec3],
    faces: Vec<Face>,
    /// Points at most this far outside stay outside.
    tolerance: f64,
}

/// The hull of points, begun with a tetrahedron of four of them. Points that would lie less than `tolerance` outside of
/// the hull of the others may be left out.
pub(super) fn triangles(points: &[DVec3], mut start: [u32; 4], tolerance: f64) -> Vec<[u32; 3]> {
    let mut hull = Hull { points, faces: Vec::new(), tolerance };
    if hull.is_outside([start[0], start[1], start[2]], start[3]) {
        start.swap(0, 1);
    }
    let [a, b, c, d] = start;
    for (corners, neighbours) in
        [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
    {
        hull.faces.push(Face { corners, neighbours, outside: Vec::new(), is_alive: true });
    }
    hull.distribute((0..points.len() as u32).filter(|point| !start.contains(point)), 0);
    let mut next = 0;
    while next < hull.faces.len() {
        if hull.faces[next].is_alive && !hull.faces[next].outside.is_empty() {
            hull.add_farthest(next as u32);
        }
        next += 1;
    }
    hull.faces.iter().filter(|face| face.is_alive).map(|face| face.corners).collect()
}

impl Hull<'_> {
    /// Is a point strictly on the outer side of three corners? Exact.
    fn is_outside(&self, corners: [u32; 3], point: u32) -> bool {
        let exact = |index: u32| {
            let DVec3 { x, y, z } = self.points[index as usize];
            Coord3D { x, y, z }
        };
        let [a, b, c] = corners.map(exact);
        // The predicate is positive below.
        orient3d(a, b, c, exact(point)) < 0.0
    }

    /// The plane of a face, with a normal of length 1.
    fn plane(&self, face: u32) -> (DVec3, DVec3) {
        let [a, b, c] = self.faces[face as usize].corners.map(|corner| self.points[corner as usize]);
        (a, (b - a).cross(c - a).normalize_or_zero())
    }

    /// Gives points to the first face from `first` on that they are outside of. Points inside are forgotten.
    fn distribute(&mut self, points: impl Iterator<Item = u32>, first: usize) {
        let planes: Vec<_> = (first..self.faces.len()).map(|face| self.plane(face as u32)).collect();
        for point in points {
            let position = self.points[point as usize];
            let found = planes.iter().enumerate().position(|(face, (origin, normal))| {
                (position - *origin).dot(*normal) > self.tolerance
                    && self.is_outside(self.faces[first + face].corners, point)
            });
            // Beyond the edge of a thin plate, a point is near all planes and yet far from the plate.
            let found = found.or_else(|| {
                let is_seen = |&face: &usize| {
                    let (origin, normal) = planes[face];
                    (position - origin).dot(normal) > -self.tolerance
                        && self.is_outside(self.faces[first + face].corners, point)
                };
                let distance =
                    |face: usize| (self.distance(self.faces[first + face].corners, position), face);
                let nearest =
                    (0..planes.len()).filter(is_seen).map(distance).min_by(|a, b| a.0.total_cmp(&b.0));
                nearest.filter(|(distance, _)| *distance > self.tolerance).map(|(_, face)| face)
            });
            if let Some(face) = found {
                self.faces[first + face].outside.push(point);
            }
        }
    }

    /// How far a position is from a triangle.
    fn distance(&self, corners: [u32; 3], position: DVec3) -> f64 {
        let corners = corners.map(|corner| self.points[corner as usize]);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let edges = [0, 1, 2].map(|edge| (corners[edge], corners[(edge + 1) % 3]));
        if edges.iter().all(|(from, to)| (*to - *from).cross(position - *from).dot(normal) >= 0.0) {
            return (position - corners[0]).dot(normal).abs();
        }
        let to_edge = |(from, to): (DVec3, DVec3)| {
            let along = to - from;
            let share = ((position - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (from + along * share - position).length()
        };
        edges.map(to_edge).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Adds the farthest point outside of a face: everything it sees goes, and a fan from it to the rim comes.
    fn add_farthest(&mut self, face: u32) {
        let (origin, normal) = self.plane(face);
        let outside = &self.faces[face as usize].outside;
        let distance = |point: u32| (self.points[point as usize] - origin).dot(normal);
        let tip = outside
            .iter()
            .copied()
            .fold(outside[0], |best, other| if distance(other) > distance(best) { other } else { best });

        // An edge of the rim: its ends as the face that goes had them, and the face that stays.
        let mut rim = Vec::new();
        let mut orphans = Vec::new();
        let mut to_visit = vec![face];
        self.faces[face as usize].is_alive = false;
        while let Some(seen) = to_visit.pop() {
            let Face { corners, neighbours, ref mut outside, .. } = self.faces[seen as usize];
            orphans.append(outside);
            for edge in 0..3 {
                let neighbour = neighbours[edge];
                let Face { corners: others, is_alive, .. } = self.faces[neighbour as usize];
                if !is_alive {
                    continue;
                }
                if self.is_outside(others, tip) {
                    self.faces[neighbour as usize].is_alive = false;
                    to_visit.push(neighbour);
                } else {
                    rim.push((corners[edge], corners[(edge + 1) % 3], neighbour));
                }
            }
        }

        let first = self.faces.len();
        // The rim is one loop: each of its points begins one edge.
        let begins: HashMap<u32, u32> =
            rim.iter().enumerate().map(|(edge, &(from, ..))| (from, (first + edge) as u32)).collect();
        for (edge, &(from, to, stays)) in rim.iter().enumerate() {
            let made = (first + edge) as u32;
            let beyond = &mut self.faces[stays as usize];
            let link = beyond.corners.iter().position(|&corner| corner == to).unwrap_or_default();
            beyond.neighbours[link] = made;
            let neighbours = [stays, begins.get(&to).copied().unwrap_or(NONE), NONE];
            self.faces.push(Face {
                corners: [from, to, tip],
                neighbours,
                outside: Vec::new(),
                is_alive: true,
            });
        }
        for made in first..self.faces.len() {
            let after = self.faces[made].neighbours[1];
            self.faces[after as usize].neighbours[2] = made as u32;
        }
        self.distribute(orphans.into_iter().filter(|&point| point != tip), first);
    }
}
