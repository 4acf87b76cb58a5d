//! Where the objects of the Room begin.

use anyhow::{Result, bail};
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Tree, TreeSettings};

use super::{Location, Object, Room};
use crate::numbers::grouped;
use crate::scenes::draw::Draws;

/// Gives all objects their places.
pub(super) fn place(room: &Room, objects: &mut [Object], draws: &mut Draws) -> Result<()> {
    match room.location {
        Location::Constant => {
            // However large the objects are: where they do not fit, the grid reaches through the walls.
            let (spacing, count) = (room.spacing(), objects.len());
            for (index, object) in objects.iter_mut().enumerate() {
                object.position = grid_point(index, count, spacing);
            }
            Ok(())
        }
        Location::Uniform | Location::Normal => place_freely(room, objects, draws),
    }
}

/// A point of the smallest cube of points that has room for all, around the origin: row by row, layer on layer.
fn grid_point(index: usize, count: usize, spacing: f64) -> Vec3 {
    let side = (1..).find(|side| side * side * side >= count).expect("a number that has no end");
    let layers = count.div_ceil(side * side);
    let (layer, row, column) = (index / (side * side), index / side % side, index % side);
    let at = |place: usize, places: usize| (spacing * (place as f64 - 0.5 * (places - 1) as f64)) as f32;
    Vec3::new(at(column, side), at(layer, layers), at(row, side))
}

/// Draws places until the box of an object touches no wall and no box placed before.
fn place_freely(room: &Room, objects: &mut [Object], draws: &mut Draws) -> Result<()> {
    let half = 0.5 * room.side();
    let inside = Aabb::from_center(Vec3::ZERO, Vec3::splat(half as f32));
    let (count, mut placed, mut met) = (objects.len(), Tree::new(TreeSettings::default())?, Vec::new());
    for (index, object) in objects.iter_mut().enumerate() {
        let mut tries = 0;
        loop {
            if tries == room.tries {
                bail!(
                    "object {} of {} ({object}) found no free place in {} tries: the cube of {:.0} m is too full; \
                     choose a smaller `size`, fewer `objects`, more `tries` or location = \"constant\"",
                    index + 1,
                    grouped(count as u64),
                    grouped(room.tries.into()),
                    2.0 * half
                );
            }
            tries += 1;
            object.position = Vec3::from_array(std::array::from_fn(|_| {
                (match room.location {
                    Location::Normal => half / 3.0 * draws.normal(),
                    _ => draws.between(-half, half),
                }) as f32
            }));
            let aabb = object.aabb();
            let free = inside.min.cmplt(aabb.min).all() && aabb.max.cmplt(inside.max).all();
            met.clear();
            if free {
                placed.overlaps(&aabb, &mut met)?;
                if met.is_empty() {
                    placed.insert(index as u32, aabb)?;
                    break;
                }
            }
        }
    }
    Ok(())
}
