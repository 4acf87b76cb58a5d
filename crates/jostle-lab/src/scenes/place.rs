//! Places by chance for boxes that may not touch each other.

use anyhow::{Result, bail};
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Tree, TreeSettings};

use crate::numbers::grouped;

/// Draws a place for each box until it touches no wall of `inside` and no box placed before, at most `tries` times each.
pub(super) fn place_freely(
    inside: &Aabb,
    tries: u32,
    halves: impl ExactSizeIterator<Item = Vec3>,
    mut draw: impl FnMut() -> Vec3,
) -> Result<Vec<Vec3>> {
    let count = halves.len();
    let (mut places, mut placed, mut met) = (Vec::new(), Tree::new(TreeSettings::default())?, Vec::new());
    for (index, half) in halves.enumerate() {
        let mut tried = 0;
        loop {
            if tried == tries {
                bail!(
                    "object {} of {} ({} m) found no free place in {} tries: the world of {} m is too full; \
                     choose a smaller `size`, fewer `objects` or more `tries`",
                    grouped(index as u64 + 1),
                    grouped(count as u64),
                    measures(half * 2.0),
                    grouped(tries.into()),
                    measures(inside.extents()),
                );
            }
            tried += 1;
            let place = draw();
            let aabb = Aabb::from_center(place, half);
            if !(inside.min.cmplt(aabb.min).all() && aabb.max.cmplt(inside.max).all()) {
                continue;
            }
            met.clear();
            placed.overlaps(&aabb, &mut met)?;
            if met.is_empty() {
                placed.insert(index as u32, aabb)?;
                places.push(place);
                break;
            }
        }
    }
    Ok(places)
}

fn measures(Vec3 { x, y, z }: Vec3) -> String {
    format!("{x:.1} x {y:.1} x {z:.1}")
}
