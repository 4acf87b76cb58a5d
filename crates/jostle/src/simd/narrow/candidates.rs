//! Points that a manifold could have, and the rule by which four of them are taken.

use crate::MOST_POINTS;
use crate::simd::lane::Lane;

/// Beginnings and ends of four edges, and four corners.
const MOST_CANDIDATES: usize = 12;

/// How much an extreme place is worth against depth when the first point is chosen: without it, the points of a face
/// lying flat on another would be chosen by rounding.
const EXTREME: [f32; 2] = [2.4e-3, 1.8e-3];

/// A point in the frame of the reference face.
#[derive(Clone, Copy)]
pub(super) struct Point<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) separation: L,
    pub(super) feature: L,
}

/// What there is to choose from.
pub(super) struct Candidates<L: Lane> {
    token: L::Token,
    prediction: L,
    points: [Point<L>; MOST_CANDIDATES],
    /// Added to what a candidate is worth: 0, or minus infinity for those not there and those already taken. Not masks:
    /// there are too few registers for so many of those.
    penalties: [L; MOST_CANDIDATES],
}

impl<L: Lane> Candidates<L> {
    #[inline(always)]
    pub(super) fn new(token: L::Token, prediction: L) -> Self {
        let zero = L::splat(token, 0.0);
        let nothing = Point { x: zero, y: zero, separation: zero, feature: zero };
        let never = L::splat(token, f32::NEG_INFINITY);
        Self { token, prediction, points: [nothing; MOST_CANDIDATES], penalties: [never; MOST_CANDIDATES] }
    }

    /// The candidate of a place, if it is there and near enough. The places are constants, so that everything stays in
    /// registers.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, point: Point<L>, is_there: L::Mask) {
        let (zero, never) = (L::splat(self.token, 0.0), L::splat(self.token, f32::NEG_INFINITY));
        self.points[place] = point;
        self.penalties[place] = L::select(is_there & point.separation.le(self.prediction), zero, never);
    }

    /// Another first candidate where there is none at all.
    #[inline(always)]
    pub(super) fn fall_back(&mut self, (point, applies): (Point<L>, L::Mask)) {
        let mut best = self.penalties[0];
        for place in 1..MOST_CANDIDATES {
            best = best.max(self.penalties[place]);
        }
        let zero = L::splat(self.token, 0.0);
        let needed = best.lt(zero) & applies & point.separation.le(self.prediction);
        self.points[0] = select(needed, point, self.points[0]);
        self.penalties[0] = L::select(needed, zero, self.penalties[0]);
    }

    /// Up to four of them, in the order of their features: the deepest, up to [`EXTREME`]; the farthest from that one; the
    /// farthest from the line of the two; the farthest outside the triangle of the three. The earlier one if equal.
    /// All of them, if there are no more.
    #[inline(always)]
    pub(super) fn four(&mut self) -> [(Point<L>, L::Mask); MOST_POINTS] {
        let extreme_x = L::splat(self.token, EXTREME[0]);
        let extreme_y = L::splat(self.token, EXTREME[1]);
        let mut worth = [L::splat(self.token, 0.0); MOST_CANDIDATES];
        for place in 0..MOST_CANDIDATES {
            let point = &self.points[place];
            worth[place] = (point.x * extreme_x + point.y * extreme_y) - point.separation;
        }
        let a = self.take(&worth);
        self.remove(&a.0);
        for place in 0..MOST_CANDIDATES {
            let (x, y) = (self.points[place].x - a.0.x, self.points[place].y - a.0.y);
            worth[place] = x * x + y * y;
        }
        let b = self.take(&worth);
        self.remove(&b.0);
        // Twice the area of the triangle with each candidate, and its sign.
        let mut base = worth;
        for place in 0..MOST_CANDIDATES {
            base[place] = area(&a.0, &b.0, &self.points[place]);
            worth[place] = base[place].abs();
        }
        let c = self.take(&worth);
        self.remove(&c.0);
        let is_clockwise = area(&a.0, &b.0, &c.0).lt(L::splat(self.token, 0.0));
        for place in 0..MOST_CANDIDATES {
            let point = &self.points[place];
            let (bc, ca) = (area(&b.0, &c.0, point), area(&c.0, &a.0, point));
            let ab = base[place];
            let low = ab.min(bc).min(ca);
            let high = ab.max(bc).max(ca);
            worth[place] = L::select(is_clockwise, high, -low);
        }
        let d = self.take(&worth);
        sorted([a, b, c, d])
    }

    /// The candidate worth most, and whether there is any.
    #[inline(always)]
    fn take(&self, worth: &[L; MOST_CANDIDATES]) -> (Point<L>, L::Mask) {
        let never = L::splat(self.token, f32::NEG_INFINITY);
        let mut best = never;
        let mut point = self.points[0];
        // What comes after all others when sorted.
        point.feature = L::splat(self.token, 1e6);
        for place in 0..MOST_CANDIDATES {
            let worth = worth[place] + self.penalties[place];
            let wins = best.lt(worth);
            best = worth.max(best);
            point = select(wins, self.points[place], point);
        }
        (point, never.lt(best))
    }

    /// Makes a candidate one that is not there. Candidates that are have different features.
    #[inline(always)]
    fn remove(&mut self, point: &Point<L>) {
        let never = L::splat(self.token, f32::NEG_INFINITY);
        for place in 0..MOST_CANDIDATES {
            let is_it = self.points[place].feature.eq(point.feature);
            self.penalties[place] = L::select(is_it, never, self.penalties[place]);
        }
    }
}

/// Twice the area of a triangle; negative if its corners go round clockwise.
#[inline(always)]
fn area<L: Lane>(a: &Point<L>, b: &Point<L>, c: &Point<L>) -> L {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

#[inline(always)]
fn select<L: Lane>(mask: L::Mask, yes: Point<L>, no: Point<L>) -> Point<L> {
    Point {
        x: L::select(mask, yes.x, no.x),
        y: L::select(mask, yes.y, no.y),
        separation: L::select(mask, yes.separation, no.separation),
        feature: L::select(mask, yes.feature, no.feature),
    }
}

/// In the order of their features.
#[inline(always)]
fn sorted<L: Lane>(mut points: [(Point<L>, L::Mask); 4]) -> [(Point<L>, L::Mask); 4] {
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let (a, b) = (points[i], points[j]);
        let swap = b.0.feature.lt(a.0.feature);
        points[i] = (select(swap, b.0, a.0), (swap & b.1) | (!swap & a.1));
        points[j] = (select(swap, a.0, b.0), (swap & a.1) | (!swap & b.1));
    }
    points
}
