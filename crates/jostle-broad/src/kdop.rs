//! k-DOPs: boxes with cut corners, cut edges, or both (Klosowski et al., IEEE TVCG 4(1), 1998).
//!
//! A k-DOP is an interval along each of k/2 fixed directions. The directions are integer vectors, not unit vectors, so
//! that projecting is adding and subtracting: exact in `f64` for coordinates of like magnitude, bounded on both sides
//! else, and rounded outward to `f32`. The axes come first, so a k-DOP holds the box of its points exactly, and sets of
//! directions that are nested have the very same intervals.

use glam::Vec3;

use crate::round::{round_down, round_up, sum_bounds};
use crate::volume::{check_box, check_points};
use crate::{Aabb, BoundingVolume, VolumeError};

/// The box with its corners cut.
pub type Kdop14 = Kdop<7>;
/// The box with its edges cut.
pub type Kdop18 = Kdop<9>;
/// The box with its corners and edges cut.
pub type Kdop26 = Kdop<13>;

const AXES: [[i8; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const CORNERS: [[i8; 3]; 4] = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];
const EDGES: [[i8; 3]; 6] = [[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]];

/// A polytope between pairs of parallel planes in `SLABS` fixed directions: 7, 9 or 13 of them.
///
/// See [`Kdop14`], [`Kdop18`] and [`Kdop26`]; other numbers do not compile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop<const SLABS: usize> {
    min: [f32; SLABS],
    max: [f32; SLABS],
}

impl<const SLABS: usize> Kdop<SLABS> {
    /// The directions: the axes, then those of the corners (7 or 13 slabs), then those of the edges (9 or 13).
    pub const DIRECTIONS: [[i8; 3]; SLABS] = directions();

    /// The smallest such k-DOP around points, up to outward rounding.
    pub fn from_points(points: &[Vec3]) -> Result<Self, VolumeError> {
        check_points(points)?;
        let mut kdop = Self { min: [f32::INFINITY; SLABS], max: [f32::NEG_INFINITY; SLABS] };
        for &point in points {
            for (slab, direction) in Self::DIRECTIONS.iter().enumerate() {
                let (low, high) = projection(point, *direction);
                kdop.min[slab] = kdop.min[slab].min(round_down(low));
                kdop.max[slab] = kdop.max[slab].max(round_up(high));
            }
        }
        Ok(kdop)
    }

    /// The k-DOP of a box: nothing is cut. The box may be unbounded.
    pub fn from_aabb(aabb: &Aabb) -> Result<Self, VolumeError> {
        check_box(aabb)?;
        // The corner that is farthest along a direction, and the one that is farthest back.
        let corner = |direction: [i8; 3], ahead: bool| {
            std::array::from_fn(|k| match direction[k] {
                0 => 0.0,
                sign if (sign > 0) == ahead => f64::from(sign) * f64::from(aabb.max[k]),
                sign => f64::from(sign) * f64::from(aabb.min[k]),
            })
        };
        Ok(Self {
            min: Self::DIRECTIONS.map(|direction| round_down(sum_bounds(corner(direction, false)).0)),
            max: Self::DIRECTIONS.map(|direction| round_up(sum_bounds(corner(direction, true)).1)),
        })
    }

    /// The k-DOP of anything whose reach along a direction is known: the largest dot product of the direction, which is
    /// not of length 1, with a point of it. What the caller rounded on the way, the caller has to add.
    pub fn from_reach(reach: impl Fn([i8; 3]) -> f64) -> Result<Self, VolumeError> {
        let kdop = Self {
            min: Self::DIRECTIONS.map(|direction| round_down(-reach(direction.map(|part| -part)))),
            max: Self::DIRECTIONS.map(|direction| round_up(reach(direction))),
        };
        check_box(&kdop.aabb())?;
        // A NaN is in no order with anything.
        let is_interval = |slab: usize| kdop.min[slab] <= kdop.max[slab];
        match (0..SLABS).find(|&slab| !is_interval(slab)) {
            Some(slab) => Err(VolumeError::BadExtent { value: kdop.max[slab] - kdop.min[slab] }),
            None => Ok(kdop),
        }
    }

    /// The closed intervals, in the order of [`Kdop::DIRECTIONS`].
    pub fn intervals(&self) -> [(f32, f32); SLABS] {
        std::array::from_fn(|slab| (self.min[slab], self.max[slab]))
    }
}

impl<const SLABS: usize> BoundingVolume for Kdop<SLABS> {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        // No early exit: the comparisons are independent and cheaper than a mispredicted branch.
        let mut overlap = true;
        for slab in 0..SLABS {
            overlap &= (self.min[slab] <= other.max[slab]) & (other.min[slab] <= self.max[slab]);
        }
        overlap
    }

    fn aabb(&self) -> Aabb {
        let ([x0, y0, z0, ..], [x1, y1, z1, ..]) = (&self.min[..], &self.max[..]) else {
            unreachable!("every k-DOP has the three axes")
        };
        Aabb::new(Vec3::new(*x0, *y0, *z0), Vec3::new(*x1, *y1, *z1))
    }

    fn contains_point(&self, point: Vec3) -> bool {
        Self::DIRECTIONS.iter().enumerate().all(|(slab, direction)| {
            let (low, high) = projection(point, *direction);
            low <= f64::from(self.max[slab]) && high >= f64::from(self.min[slab])
        })
    }
}

/// Bounds on the real dot product of a point and a direction.
#[inline]
fn projection(point: Vec3, direction: [i8; 3]) -> (f64, f64) {
    sum_bounds(std::array::from_fn(|k| f64::from(direction[k]) * f64::from(point[k])))
}

const fn directions<const SLABS: usize>() -> [[i8; 3]; SLABS] {
    let (corners, edges) = match SLABS {
        7 => (true, false),
        9 => (false, true),
        13 => (true, true),
        _ => panic!("a k-DOP has 7, 9 or 13 slabs"),
    };
    let mut directions = [[0; 3]; SLABS];
    let mut filled = append(&mut directions, 0, &AXES);
    if corners {
        filled = append(&mut directions, filled, &CORNERS);
    }
    if edges {
        filled = append(&mut directions, filled, &EDGES);
    }
    assert!(filled == SLABS);
    directions
}

/// Copies `more` to `at` and says where it ends.
const fn append(directions: &mut [[i8; 3]], at: usize, more: &[[i8; 3]]) -> usize {
    let mut i = 0;
    while i < more.len() {
        directions[at + i] = more[i];
        i += 1;
    }
    at + more.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_directions_are_parallel_and_there_are_all_of_them() {
        let all = Kdop26::DIRECTIONS;
        for (i, a) in all.iter().enumerate() {
            assert_ne!(*a, [0; 3]);
            assert!(!all[i + 1..].iter().any(|b| b == a || b.map(|x| -x) == *a), "{a:?}");
        }
        assert!(
            Kdop14::DIRECTIONS.iter().chain(&Kdop18::DIRECTIONS).all(|direction| all.contains(direction))
        );
        assert_eq!(Kdop14::DIRECTIONS[3..], CORNERS);
        assert_eq!(Kdop18::DIRECTIONS[3..], EDGES);
    }

    #[test]
    fn touching_slabs_overlap() {
        let at = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)];
        let (a, b) = (Kdop26::from_points(&at(0.0)).unwrap(), Kdop26::from_points(&[Vec3::ONE]).unwrap());
        assert!(a.overlaps(&b) && b.overlaps(&a));
        assert!(!a.overlaps(&Kdop26::from_points(&[Vec3::new(1.0f32.next_up(), 1.0, 1.0)]).unwrap()));
    }

    #[test]
    fn each_cut_separates_what_the_box_does_not() {
        // A bar from one edge of the unit cube to the opposite one, and a point beside it.
        let bar = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)];
        let beside = [Vec3::new(0.75, 0.25, 0.0)];
        assert!(Aabb::from_points(&bar).unwrap().overlaps(&Aabb::from_points(&beside).unwrap()));
        assert!(!Kdop18::from_points(&bar).unwrap().overlaps(&Kdop18::from_points(&beside).unwrap()));

        // Three neighbours of a corner of the unit cube, and the opposite corner: x + y + z is 1 and 3.
        let near = [Vec3::X, Vec3::Y, Vec3::Z];
        assert!(Aabb::from_points(&near).unwrap().overlaps(&Aabb::from_points(&[Vec3::ONE]).unwrap()));
        assert!(!Kdop14::from_points(&near).unwrap().overlaps(&Kdop14::from_points(&[Vec3::ONE]).unwrap()));
    }

    #[test]
    fn intervals_are_exact_where_f32_holds_them_and_rounded_outward_else() {
        let exact = Kdop14::from_points(&[Vec3::new(1.0, 2.0, -4.5)]).unwrap();
        assert_eq!(exact.intervals()[3], (-1.5, -1.5));
        // 1 + 1e-30 is not even an f64.
        let inexact = Kdop14::from_points(&[Vec3::new(1.0, 1e-30, 0.0)]).unwrap();
        assert_eq!(inexact.intervals()[3], (1.0, 1.0f32.next_up()));
        let far = Kdop14::from_points(&[Vec3::splat(f32::MAX)]).unwrap();
        assert_eq!(far.intervals()[3], (f32::MAX, f32::INFINITY));
    }

    #[test]
    fn the_k_dop_of_a_box_is_that_of_its_corners() {
        let (min, max) = (Vec3::new(-1.0, 0.5, 3.0), Vec3::new(2.0, 0.75, 3.0));
        let corners: Vec<Vec3> = (0..8)
            .map(|bits| {
                Vec3::from_array(std::array::from_fn(|k| if bits >> k & 1 == 1 { max[k] } else { min[k] }))
            })
            .collect();
        let aabb = Aabb::new(min, max);
        assert_eq!(Kdop26::from_aabb(&aabb), Kdop26::from_points(&corners));
        assert_eq!(Kdop26::from_aabb(&aabb).unwrap().aabb(), aabb);
    }

    #[test]
    fn a_k_dop_is_known_by_its_reach() {
        let points = [Vec3::new(1.0, 2.0, -4.5), Vec3::new(-0.5, 0.25, 3.0), Vec3::ZERO];
        let reach = |direction: [i8; 3]| {
            let along =
                |point: &Vec3| (0..3).map(|k| f64::from(direction[k]) * f64::from(point[k])).sum::<f64>();
            points.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
        };
        assert_eq!(Kdop26::from_reach(reach), Kdop26::from_points(&points));
        assert!(Kdop14::from_reach(|_| f64::NAN).is_err());
        assert!(Kdop14::from_reach(|_| -1.0).is_err());
        assert!(Kdop14::from_reach(|direction| if direction == [1, 1, 1] { -9.0 } else { 1.0 }).is_err());
    }

    #[test]
    fn an_unbounded_box_has_an_unbounded_k_dop() {
        let aabb = Aabb::new(Vec3::new(0.0, f32::NEG_INFINITY, 0.0), Vec3::new(f32::INFINITY, 1.0, 1.0));
        let kdop = Kdop26::from_aabb(&aabb).unwrap();
        assert_eq!(kdop.aabb(), aabb);
        assert!(kdop.intervals().iter().all(|(min, max)| !min.is_nan() && min <= max));
        assert!(kdop.contains_point(Vec3::new(1e30, -1e30, 0.5)));
        assert!(!kdop.contains_point(Vec3::new(1e30, -1e30, 1.5)));
        let everywhere = Kdop26::from_aabb(&Aabb::EVERYWHERE).unwrap();
        assert!(everywhere.overlaps(&kdop));
    }
}
