//! The kernels, each written once for all instruction sets.

use super::lanes::Vector;
pub(super) use super::sort::insertion_sort;
use crate::Aabb;
use crate::arrays::BoxArrays;

/// See [`crate::Lanes::scan`].
#[inline(always)]
pub(super) fn scan<V: Vector>(arrays: &BoxArrays, from: usize, to: usize, query: &Aabb, hits: &mut Vec<u32>) {
    let [min_x, min_y, min_z, max_x, max_y, max_z] = arrays.padded();
    assert!(to <= arrays.len());
    let mut at = from;
    while at < to {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; `at` is below the length
        // and every array is padded by a whole register.
        let mut mask = unsafe {
            V::load(min_x, at).le(V::splat(query.max.x))
                & V::splat(query.min.x).le(V::load(max_x, at))
                & V::load(min_y, at).le(V::splat(query.max.y))
                & V::splat(query.min.y).le(V::load(max_y, at))
                & V::load(min_z, at).le(V::splat(query.max.z))
                & V::splat(query.min.z).le(V::load(max_z, at))
        };
        let valid = to - at;
        if valid < V::WIDTH {
            mask &= (1 << valid) - 1;
        }
        while mask != 0 {
            hits.push(at as u32 + mask.trailing_zeros());
            mask &= mask - 1;
        }
        at += V::WIDTH;
    }
}
