use proptest::prelude::*;

use super::*;
use crate::scene::{BoxStream, StreamKind};
use crate::verify::true_pairs;
use crate::{Aabb, Boxes, Filter, Pair};
use glam::Vec3;

/// The pairs a co-processor would find: all overlaps within cells, as pairs of ids.
fn pairs_of_cells(boxes: &Boxes, partition: &Partition) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for cell in partition.cells() {
        for (at, &a) in cell.iter().enumerate() {
            for &b in cell[at + 1..].iter().filter(|&&b| boxes.is_pair(a, b)) {
                pairs.push(Pair::new(boxes.id(a), boxes.id(b)));
            }
        }
    }
    pairs
}

/// Cells hold what they may, each box once, every box is somewhere, and their pairs are all pairs.
fn check(boxes: &Boxes, partition: &Partition, capacity: usize) -> usize {
    let mut somewhere = vec![false; boxes.slots()];
    for cell in partition.cells() {
        assert!(!cell.is_empty());
        let mut sorted = cell.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), cell.len(), "a box is in a cell once");
        cell.iter().for_each(|&slot| somewhere[slot as usize] = true);
    }
    assert!(boxes.live_slots().all(|slot| somewhere[slot as usize]));
    let oversized = partition.oversized().count();
    assert_eq!(oversized, partition.cells().filter(|cell| cell.len() > capacity).count());
    let mut pairs = pairs_of_cells(boxes, partition);
    let found = pairs.len();
    let duplicates = Partition::remove_duplicates(&mut pairs);
    assert_eq!(pairs, true_pairs(boxes));
    assert_eq!(found - pairs.len(), duplicates);
    oversized
}

#[test]
fn cell_factors_are_those_of_the_published_table() {
    for (capacity, sides, most_boxes) in [
        (512, [8, 9, 9], 500),
        (1024, [10, 11, 11], 964),
        (2048, [13, 13, 14], 1952),
        (4096, [16, 17, 17], 3940),
        (8192, [21, 21, 21], 8126),
        (16384, [26, 26, 26], 15781),
        (6, [1, 1, 1], 6),
    ] {
        assert_eq!(cell_factors(capacity), Ok(CellFactors { sides, most_boxes }), "{capacity}");
    }
}

#[test]
fn too_small_a_capacity_is_refused() {
    for capacity in 0..LEAST_CAPACITY {
        let told = cell_factors(capacity).unwrap_err().to_string();
        assert!(told.contains(&format!("at most {capacity} boxes")) && told.contains("6 or more"), "{told}");
        assert!(GridPartition::new(capacity).is_err() && TreePartition::new(capacity).is_err());
    }
}

#[test]
fn cells_hold_all_pairs_on_every_stream_and_frame() {
    for kind in StreamKind::ALL {
        let mut stream = BoxStream::new(kind, 1200, 4);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let mut partitions = [64, 256].map(|capacity| {
            (capacity, GridPartition::new(capacity).unwrap(), TreePartition::new(capacity).unwrap())
        });
        for _ in 0..3 {
            for (capacity, grid, tree) in &mut partitions {
                let in_grid = check(&boxes, grid.update(&boxes), *capacity);
                let in_tree = check(&boxes, tree.update(&boxes), *capacity);
                if kind == StreamKind::Brownian {
                    assert_eq!((in_grid, in_tree), (0, 0), "boxes that are apart can be told apart");
                    assert!(tree.partition().len() >= 1200usize.div_ceil(*capacity));
                }
            }
            stream.advance();
            boxes.update(crate::Moved::All, stream.boxes()).unwrap();
        }
    }
}

#[test]
fn only_boxes_that_reach_other_cells_are_entered_anew() {
    let stream = BoxStream::new(StreamKind::Brownian, 1000, 1);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut grid = GridPartition::new(64).unwrap();
    grid.update(&boxes);
    assert_eq!(grid.moved(), 1000);
    let before = grid.partition().clone();
    grid.update(&boxes);
    assert_eq!((grid.moved(), grid.partition()), (0, &before));
    let far = Aabb::new(Vec3::splat(1e6), Vec3::splat(1e6 + 1.0));
    boxes.set(7, far).unwrap();
    boxes.remove(9).unwrap();
    check(&boxes, grid.update(&boxes), 64);
    assert_eq!(grid.moved(), 2);
    let mut anew = GridPartition::new(64).unwrap();
    anew.grid = grid.grid;
    assert_eq!(anew.update(&boxes), grid.partition(), "what is kept is what would be made anew");
}

#[test]
fn joined_cells_stay_below_the_capacity() {
    let stream = BoxStream::new(StreamKind::Brownian, 3000, 2);
    let boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut grid = GridPartition::new(1024).unwrap();
    let partition = grid.update(&boxes);
    assert!(partition.cells().all(|cell| cell.len() < 1024));
    assert!(partition.len() < grid.cells.len(), "some were joined");
}

#[test]
fn boxes_that_no_plane_divides_stay_in_a_cell_that_is_named() {
    let mut boxes = Boxes::default();
    for id in 0..20 {
        boxes.insert(id, Aabb::new(Vec3::ZERO, Vec3::ONE), Filter::default()).unwrap();
    }
    boxes.insert(20, Aabb::new(Vec3::splat(5.0), Vec3::splat(6.0)), Filter::default()).unwrap();
    let mut tree = TreePartition::new(8).unwrap();
    assert_eq!(check(&boxes, tree.update(&boxes), 8), 1);
    // They end where a cell ends, and so are in the next one too.
    assert!(check(&boxes, GridPartition::new(8).unwrap().update(&boxes), 8) >= 1);
}

#[test]
fn where_the_longest_side_divides_nothing_another_one_does() {
    let mut boxes = Boxes::default();
    for id in 0..12 {
        // Long along x, side by side along y.
        let corner = Vec3::new(0.0, id as f32 * 2.0, 0.0);
        boxes.insert(id, Aabb::new(corner, corner + Vec3::new(100.0, 1.0, 1.0)), Filter::default()).unwrap();
    }
    let mut tree = TreePartition::new(6).unwrap();
    assert_eq!(check(&boxes, tree.update(&boxes), 6), 0);
    assert_eq!(tree.partition().len(), 2);
    assert_eq!(tree.partition().entries(), 12, "nobody reaches across a cut along y");
}

#[test]
fn no_boxes_make_no_cells() {
    let boxes = Boxes::default();
    assert!(GridPartition::new(8).unwrap().update(&boxes).is_empty());
    assert!(TreePartition::new(8).unwrap().update(&boxes).is_empty());
}

/// Coordinates that meet often, with infinite ones among them.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        20 => (-8i8..8).prop_map(f32::from),
        4 => -9.0f32..9.0,
        1 => prop::sample::select(vec![f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 1e-40]),
    ]
}

proptest! {
    #[test]
    #[cfg_attr(miri, ignore)]
    fn cells_hold_all_pairs_of_any_boxes(
        corners in prop::collection::vec((prop::array::uniform3(coordinate()), prop::array::uniform3(coordinate())), 0..60),
        capacity in 6usize..20,
    ) {
        let mut boxes = Boxes::default();
        for (id, (a, b)) in (0..).zip(corners) {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            boxes.insert(id, Aabb::new(a.min(b), a.max(b)), Filter::default()).ok();
        }
        check(&boxes, GridPartition::new(capacity).unwrap().update(&boxes), capacity);
        check(&boxes, TreePartition::new(capacity).unwrap().update(&boxes), capacity);
    }
}
