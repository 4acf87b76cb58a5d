//! Which boxes does a ray meet, and which first?
//!
//! The test of one box is the slab test: a ray is in a box where it is between all three pairs of planes. It is done in
//! `f64` on the exact boxes. Subtraction and division round monotonically, so that a ray that meets a box also meets
//! every box around it, no later: pruning by nodes cannot lose a hit.

use glam::Vec3;

use super::Tree;
use super::node::Child;
use super::query::QueryError;
use crate::Aabb;

/// A ray: the points `origin + t * direction` for t from 0 to `max_distance`, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3,
    /// Where it goes. Need not have length 1, but distances are in units of its length.
    pub direction: Vec3,
    /// Where it ends, in units of the length of `direction`. May be infinite.
    pub max_distance: f32,
}

/// A box that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Which box.
    pub key: u32,
    /// Where the ray enters it, in units of the length of its direction; 0 if it begins in the box.
    pub distance: f64,
}

impl Ray {
    /// A ray without an end.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, max_distance: f32::INFINITY }
    }

    /// Where the ray enters a closed box, if it meets it. A ray along a face, an edge or through a corner meets the box.
    pub fn enters(&self, aabb: &Aabb) -> Option<f64> {
        self.enters_grown(aabb, Vec3::ZERO)
    }

    /// Where a box of half widths `half`, carried along the ray by its middle, first touches another box.
    #[inline]
    fn enters_grown(&self, aabb: &Aabb, half: Vec3) -> Option<f64> {
        let (mut enter, mut leave) = (0.0f64, f64::from(self.max_distance));
        for axis in 0..3 {
            let origin = f64::from(self.origin[axis]);
            let direction = f64::from(self.direction[axis]);
            let half = f64::from(half[axis]);
            let (min, max) = (f64::from(aabb.min[axis]) - half, f64::from(aabb.max[axis]) + half);
            if direction == 0.0 {
                if !(min <= origin && origin <= max) {
                    return None;
                }
                continue;
            }
            let (near, far) = if direction > 0.0 { (min, max) } else { (max, min) };
            enter = enter.max((near - origin) / direction);
            leave = leave.min((far - origin) / direction);
        }
        (enter <= leave).then_some(enter)
    }

    fn check(&self) -> Result<(), QueryError> {
        QueryError::check_finite("ray origin", &self.origin.to_array())?;
        QueryError::check_finite("ray direction", &self.direction.to_array())?;
        if self.direction == Vec3::ZERO {
            return Err(QueryError::NoDirection);
        }
        if self.max_distance.is_nan() {
            return Err(QueryError::NotANumber { what: "`max_distance`" });
        }
        if self.max_distance < 0.0 {
            return Err(QueryError::NegativeDistance);
        }
        Ok(())
    }
}

impl RayHit {
    fn is_before(&self, other: &Self) -> bool {
        (self.distance, self.key) < (other.distance, other.key)
    }
}

impl Tree {
    /// The first box that a ray meets; of several at the same distance the one with the lowest key.
    pub fn cast_ray(&self, ray: &Ray) -> Result<Option<RayHit>, QueryError> {
        let mut first: Option<RayHit> = None;
        self.visit_ray(ray, Vec3::ZERO, |hit| {
            if first.is_none_or(|first| hit.is_before(&first)) {
                first = Some(hit);
            }
            first.map_or(f64::INFINITY, |first| first.distance)
        })?;
        Ok(first)
    }

    /// Shows `visit` the boxes that a box of half widths `half`, carried along a ray by its middle, meets: nearer parts
    /// of the tree first, but in no order to rely on. It answers up to which distance boxes are still of interest, itself
    /// included; boxes entered beyond that may be left out.
    pub fn visit_ray(
        &self,
        ray: &Ray,
        half: Vec3,
        mut visit: impl FnMut(RayHit) -> f64,
    ) -> Result<(), QueryError> {
        ray.check()?;
        QueryError::check_finite("half widths", &half.to_array())?;
        if half.cmplt(Vec3::ZERO).any() {
            return Err(QueryError::Inverted);
        }
        let mut until = f64::INFINITY;
        let mut look_at = |leaf: u32, until: &mut f64| {
            let leaf = &self.leaves[leaf as usize];
            if let Some(distance) = ray.enters_grown(&leaf.exact, half) {
                *until = visit(RayHit { key: leaf.key, distance });
            }
        };
        for &leaf in &self.unbounded {
            look_at(leaf, &mut until);
        }
        let mut stack: Vec<(f64, Child)> = Vec::new();
        if self.root != Child::NONE {
            stack.extend(ray.enters_grown(&self.root_bounds, half).map(|enter| (enter, self.root)));
        }
        while let Some((enter, child)) = stack.pop() {
            // At the same distance there may be a lower key.
            if enter > until {
                continue;
            }
            if child.is_leaf() {
                look_at(child.index(), &mut until);
                continue;
            }
            let node = &self.nodes[child.index() as usize];
            let enters = [0, 1].map(|side| ray.enters_grown(&node.bounds[side], half));
            // The nearer side is pushed last and looked at first.
            let nearer = usize::from(enters[1].unwrap_or(f64::INFINITY) < enters[0].unwrap_or(f64::INFINITY));
            for side in [1 - nearer, nearer] {
                stack.extend(enters[side].map(|enter| (enter, node.children[side])));
            }
        }
        Ok(())
    }

    /// All boxes that a ray meets, in the order of their distances, and of their keys where those are the same.
    pub fn cast_ray_all(&self, ray: &Ray, hits: &mut Vec<RayHit>) -> Result<(), QueryError> {
        ray.check()?;
        let start = hits.len();
        self.descend(
            &mut Vec::new(),
            |bounds| ray.enters(bounds).is_some(),
            |leaf| {
                let leaf = &self.leaves[leaf as usize];
                hits.extend(ray.enters(&leaf.exact).map(|distance| RayHit { key: leaf.key, distance }));
            },
        );
        hits[start..].sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.key.cmp(&b.key)));
        Ok(())
    }
}
