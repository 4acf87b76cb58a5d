//! Which boxes are in a frustum, or in any other convex region bounded by planes?

use glam::Vec3;

use super::Tree;
use super::query::QueryError;
use crate::Aabb;

/// A plane: the points x with `normal . x + offset = 0`. Its inner side is where that is positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Points to the inner side. Need not have length 1.
    pub normal: Vec3,
    /// Minus the distance of the plane from the origin along the normal, in units of the length of the normal.
    pub offset: f32,
}

impl Plane {
    /// The largest value of `normal . x + offset` in a box, in `f64`. Products of `f32` are exact there; the sums round
    /// monotonically, so that it is never less for a box around the box.
    fn highest(&self, aabb: &Aabb) -> f64 {
        let mut sum = f64::from(self.offset);
        for axis in 0..3 {
            let normal = self.normal[axis];
            // An infinite side adds nothing where the normal has no part in it.
            if normal != 0.0 {
                let corner = if normal > 0.0 { aabb.max[axis] } else { aabb.min[axis] };
                sum += f64::from(normal) * f64::from(corner);
            }
        }
        sum
    }
}

/// The region on the inner side of all its planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Frustum {
    planes: Vec<Plane>,
}

impl Frustum {
    /// A region bounded by any number of planes, with finite numbers and normals that are not zero.
    pub fn new(planes: &[Plane]) -> Result<Self, QueryError> {
        for (index, plane) in planes.iter().enumerate() {
            let [x, y, z] = plane.normal.to_array();
            QueryError::check_finite("plane", &[x, y, z, plane.offset])?;
            if plane.normal == Vec3::ZERO {
                return Err(QueryError::NoNormal { index });
            }
        }
        Ok(Self { planes: planes.to_vec() })
    }

    /// Does some corner of the box lie on the inner side of each plane, or on it? It may be another corner for each.
    ///
    /// Every box that shares a point with the region passes. Some boxes outside pass too: those that no single plane
    /// separates from the region, near its edges.
    pub fn meets(&self, aabb: &Aabb) -> bool {
        self.planes.iter().all(|plane| plane.highest(aabb) >= 0.0)
    }
}

impl Tree {
    /// Appends to `keys`, in ascending order, the keys of all boxes for which [`Frustum::meets`] holds.
    pub fn in_frustum(&self, frustum: &Frustum, keys: &mut Vec<u32>) {
        let start = keys.len();
        self.descend(
            &mut Vec::new(),
            |bounds| frustum.meets(bounds),
            |leaf| {
                let leaf = &self.leaves[leaf as usize];
                if frustum.meets(&leaf.exact) {
                    keys.push(leaf.key);
                }
            },
        );
        keys[start..].sort_unstable();
    }
}
