//! Where the objects of the Room begin.

use anyhow::Result;
use jostle_broad::Aabb;
use jostle_broad::glam::Vec3;

use super::{Location, Object, Room};
use crate::scenes::draw::Draws;
use crate::scenes::place::place_freely;

/// Gives all objects their places.
pub(super) fn place(room: &Room, objects: &mut [Object], draws: &mut Draws) -> Result<()> {
    let half = 0.5 * room.side();
    let places = match room.location {
        // However large the objects are: where they do not fit, the grid reaches through the walls.
        Location::Constant => grid(objects.len(), room.spacing()),
        Location::Uniform | Location::Normal => {
            let inside = Aabb::from_center(Vec3::ZERO, Vec3::splat(half as f32));
            let halves = objects.iter().map(|object| object.extents * 0.5);
            place_freely(&inside, room.tries, halves, || {
                Vec3::from_array(std::array::from_fn(|_| {
                    (match room.location {
                        Location::Normal => half / 3.0 * draws.normal(),
                        _ => draws.between(-half, half),
                    }) as f32
                }))
            })?
        }
    };
    for (object, place) in objects.iter_mut().zip(places) {
        object.position = place;
    }
    Ok(())
}

/// Points of the smallest cube of points that has room for all, around the origin: row by row, layer on layer.
fn grid(count: usize, spacing: f64) -> Vec<Vec3> {
    let side = (1..).find(|side| side * side * side >= count).expect("a number that has no end");
    let layers = count.div_ceil(side * side);
    let at = |place: usize, places: usize| (spacing * (place as f64 - 0.5 * (places - 1) as f64)) as f32;
    let point = |index: usize| {
        let (layer, row, column) = (index / (side * side), index / side % side, index % side);
        Vec3::new(at(column, side), at(layer, layers), at(row, side))
    };
    (0..count).map(point).collect()
}
