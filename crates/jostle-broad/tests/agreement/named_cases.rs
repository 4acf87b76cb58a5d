//! Cases with a name: the situations in which published listings are wrong, and those we once got wrong.

use glam::Vec3;
use jostle_broad::{Aabb, Boxes, Filter};

use crate::{Panel, check_cold, settings};

fn cube(corner: [f32; 3], side: f32) -> Aabb {
    let corner = Vec3::from(corner);
    Aabb::new(corner, corner + side)
}

fn square(min: [f32; 2], max: [f32; 2]) -> Aabb {
    Aabb::new(Vec3::new(min[0], min[1], 0.0), Vec3::new(max[0], max[1], 1.0))
}

fn frames(frames: &[Vec<Aabb>]) {
    let settings = settings();
    let mut boxes = Boxes::from_aabbs(&frames[0]).unwrap();
    let mut panel = Panel::new(&settings);
    for frame in frames {
        for (id, aabb) in frame.iter().enumerate() {
            boxes.set(id as u32, *aabb).unwrap();
        }
        panel.check(&boxes).unwrap();
        check_cold(&boxes, &settings).unwrap();
    }
}

/// Parallel hierarchical grids, algorithm 10: a large box and a small one across cells of a coarser level.
#[test]
fn large_and_small_box_across_grid_levels() {
    let large = square([1.0, 1.0], [9.0, 9.0]);
    let small = square([8.5, 8.5], [8.9, 8.9]);
    let far = square([64.0, 64.0], [72.0, 72.0]);
    frames(&[vec![large, small, far]]);
}

/// Parallel hierarchical grids, algorithm 8: removing the first object of a bucket must move the bucket's head.
#[test]
fn removing_the_head_of_a_grid_cell() {
    let settings = settings();
    let mut panel = Panel::new(&settings);
    let mut boxes = Boxes::default();
    for id in 0..4 {
        boxes.insert(id, cube([0.0; 3], 1.0), Filter::default()).unwrap();
    }
    panel.check(&boxes).unwrap();
    for id in [3, 0, 1] {
        boxes.remove(id).unwrap();
        panel.check(&boxes).unwrap();
    }
    boxes.insert(3, cube([0.5; 3], 1.0), Filter::default()).unwrap();
    panel.check(&boxes).unwrap();
}

/// Sweep and prune on the Cell, listing 4.5: an interval that lies inside another on every axis.
#[test]
fn interval_inside_another() {
    let outer = cube([0.0; 3], 10.0);
    frames(&[
        vec![outer, cube([20.0; 3], 1.0)],
        vec![outer, cube([4.0; 3], 1.0)],
        vec![cube([3.0; 3], 10.0), cube([4.0; 3], 1.0)],
        vec![cube([30.0; 3], 10.0), cube([4.0; 3], 1.0)],
    ]);
}

/// Sweep and prune on the Cell, overlap method 1: the moved interval is enclosed, so that no endpoint lies in it.
#[test]
fn moved_interval_enclosed_by_a_resting_one() {
    let ground = Aabb::new(Vec3::new(-50.0, -1.0, -50.0), Vec3::new(50.0, 0.0, 50.0));
    frames(&[
        vec![ground, cube([0.0, 5.0, 0.0], 1.0)],
        vec![ground, cube([0.0, -0.5, 0.0], 0.25)],
        vec![ground, cube([0.25, -0.5, 0.25], 0.25)],
        vec![ground, cube([0.25, 5.0, 0.25], 0.25)],
    ]);
}

/// Sweep and prune on the Cell, change detection by position: two boxes swap places, the sorted values do not change.
#[test]
fn two_boxes_swap_places() {
    let (a, b, third) = (cube([0.0; 3], 1.0), cube([10.0; 3], 1.0), cube([10.5; 3], 1.0));
    frames(&[vec![a, b, third], vec![b, a, third], vec![a, b, third]]);
}

/// Sweep and prune on the Cell, overlap method 1: a collision that ends must be seen to end.
#[test]
fn ended_collision_is_seen() {
    frames(&[
        vec![cube([0.0; 3], 1.0), cube([0.5; 3], 1.0), cube([9.0; 3], 1.0)],
        vec![cube([0.0; 3], 1.0), cube([5.0; 3], 1.0), cube([9.0; 3], 1.0)],
    ]);
}

/// Equal values on an axis: ties must not lose a touch, in whatever order the endpoints were.
#[test]
fn touching_faces_edges_and_corners() {
    let mut boxes = Vec::new();
    for x in 0..3 {
        for y in 0..3 {
            for z in 0..3 {
                boxes.push(cube([x as f32, y as f32, z as f32], 1.0));
            }
        }
    }
    let mut shifted = boxes.clone();
    shifted.rotate_left(5);
    frames(&[boxes.clone(), shifted, boxes]);
}

#[test]
fn no_box_one_box_and_coincident_boxes() {
    frames(&[vec![]]);
    frames(&[vec![cube([0.0; 3], 1.0)]]);
    frames(&[vec![cube([1.0; 3], 0.0); 40], vec![cube([2.0; 3], 0.0); 40]]);
}

#[test]
fn infinite_boxes_among_small_ones() {
    let mut boxes: Vec<Aabb> = (0..50).map(|i| cube([i as f32 * 0.9, 0.0, 0.0], 1.0)).collect();
    boxes.push(Aabb::EVERYWHERE);
    let mut ground = Aabb::EVERYWHERE;
    ground.max.y = 0.0;
    boxes.push(ground);
    let mut beam = Aabb::EVERYWHERE;
    (beam.min.y, beam.max.y, beam.min.z, beam.max.z) = (2.0, 3.0, 0.0, 1.0);
    boxes.push(beam);
    frames(&[boxes]);
}
