//! Scenes that drive `sweep` through all of its branches: columns, columns in columns, guests, one axis only, one chunk
//! or several.

use glam::Vec3;
use jostle_broad::scene::Random;
use jostle_broad::verify::verify;
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, Dimensions, Executor, Filter, FindSettings, PairFinder, Sweep, SweepTuning,
};

fn check(name: &str, aabbs: &[Aabb], expected_branch: &str) {
    check_boxes(name, &Boxes::from_aabbs(aabbs).unwrap(), expected_branch);
}

fn check_boxes(name: &str, boxes: &Boxes, expected_branch: &str) {
    let eager = SweepTuning { direct_limit: 0, crowd: 16, crowded_window: 8 };
    let mut details = Vec::new();
    for (tuning, threads) in
        [(SweepTuning::default(), 1), (SweepTuning::default(), 2), (eager, 1), (eager, 3)]
    {
        let settings = FindSettings { executor: Executor::new(threads).unwrap(), ..FindSettings::default() };
        let mut sweep = Sweep::new(tuning);
        let report = sweep.update(boxes, &settings).unwrap();
        verify(boxes, sweep.pairs().as_slice()).unwrap_or_else(|error| panic!("{name}: {error}"));
        details.push(report.detail.unwrap_or_default());
    }
    assert!(details.iter().any(|detail| detail.contains(expected_branch)), "{name}: {details:?}");
}

fn cubes(random: &mut Random, n: usize, low: Vec3, high: Vec3, side: f32) -> Vec<Aabb> {
    (0..n)
        .map(|_| {
            let corner = low + random.vector() * (high - low);
            Aabb::new(corner, corner + side * (0.5 + random.unit()))
        })
        .collect()
}

#[test]
fn dense_clusters_in_a_huge_world() {
    let random = &mut Random::new(1);
    let mut aabbs = Vec::new();
    for _ in 0..4 {
        let corner = random.vector() * 1e6;
        aabbs.extend(cubes(random, 1200, corner, corner + 12.0, 1.0));
    }
    aabbs.extend(cubes(random, 200, Vec3::splat(-1e6), Vec3::splat(1e6), 1.0));
    check("clusters", &aabbs, "nested");
}

#[test]
fn scene_spanning_boxes_among_many_small_ones() {
    let random = &mut Random::new(2);
    let mut aabbs = cubes(random, 4000, Vec3::ZERO, Vec3::splat(40.0), 1.0);
    for _ in 0..12 {
        // Plates and beams through everything.
        let mut plate = Aabb::new(Vec3::splat(-1.0), Vec3::splat(41.0));
        let axis = random.below(3);
        plate.min[axis] = random.between(0.0, 40.0);
        plate.max[axis] = plate.min[axis] + random.between(0.0, 2.0);
        aabbs.push(plate);
    }
    aabbs.extend(cubes(random, 30, Vec3::ZERO, Vec3::splat(20.0), 18.0));
    aabbs.push(Aabb::EVERYWHERE);
    let mut ground = Aabb::EVERYWHERE;
    ground.max.y = 3.0;
    aabbs.push(ground);
    check("spanning", &aabbs, "guests");
}

#[test]
fn all_on_one_line_along_each_axis() {
    for axis in 0..3 {
        let random = &mut Random::new(3 + axis as u64);
        let aabbs: Vec<Aabb> = (0..3000)
            .map(|i| {
                let mut corner = random.vector() * 0.2;
                corner[axis] = i as f32 * 0.7;
                Aabb::new(corner, corner + 1.0)
            })
            .collect();
        check("line", &aabbs, "columns");
    }
}

#[test]
fn sizes_from_one_to_a_thousand() {
    let random = &mut Random::new(9);
    let aabbs: Vec<Aabb> = (0..3000)
        .map(|_| {
            let side = 1000f32.powf(random.unit());
            let corner = random.vector() * 4000.0;
            Aabb::new(corner, corner + side)
        })
        .collect();
    check("sizes", &aabbs, "columns");
}

#[test]
fn coincident_points_and_outliers() {
    let mut aabbs = vec![Aabb::new(Vec3::ONE, Vec3::ONE); 700];
    aabbs.extend((0..1300).map(|i| {
        let corner = Vec3::splat(i as f32);
        Aabb::new(corner, corner)
    }));
    aabbs.push(Aabb::new(Vec3::splat(-3e38), Vec3::splat(3e38)));
    aabbs.push(Aabb::new(Vec3::splat(1e30), Vec3::splat(2e30)));
    check("points", &aabbs, "columns");
}

/// One chunk up to 12,288 boxes, several beyond; no column but one up to 400; registers of 16, steps of 8.
#[test]
fn sizes_around_every_threshold() {
    let random = &mut Random::new(21);
    for n in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 399, 400, 401, 1023, 3001, 12_287, 12_288, 12_289] {
        let side = 1.5 * (n as f32).cbrt();
        let mut aabbs = cubes(random, n, Vec3::ZERO, Vec3::splat(side), 1.0);
        for every in aabbs.iter_mut().step_by(97) {
            // Flat ones, on the very face of another cell.
            every.max.x = every.min.x;
        }
        check(&format!("{n} boxes"), &aabbs, "columns");
    }
}

/// Stores with free slots, filters, exclusions, two dimensions and a margin, on both sides of the size where the boxes
/// are dealt in several chunks.
#[test]
fn stores_of_all_kinds_in_one_chunk_and_in_several() {
    let random = &mut Random::new(22);
    for n in [900, 14_000] {
        for (dimensions, filtered) in
            [(Dimensions::Three, true), (Dimensions::Two, false), (Dimensions::Two, true)]
        {
            let side = match dimensions {
                Dimensions::Three => 1.5 * (n as f32).cbrt(),
                Dimensions::Two => 2.0 * (n as f32).sqrt(),
            };
            let settings = BoxesSettings { dimensions, margin: 0.1, ..BoxesSettings::default() };
            let mut boxes = Boxes::new(settings).unwrap();
            let aabbs = cubes(random, n, Vec3::ZERO, Vec3::splat(side), 1.0);
            for (aabb, id) in aabbs.iter().zip(0..) {
                let filter = if filtered && id % 3 == 0 { Filter::fixed() } else { Filter::default() };
                boxes.insert(7 * id, *aabb, filter).unwrap();
            }
            boxes.insert(1, Aabb::EVERYWHERE, Filter::default()).unwrap();
            for id in (0..n as u32).step_by(5) {
                boxes.remove(7 * id).unwrap();
                if filtered {
                    boxes.exclude(1, 7 * (id + 1));
                }
            }
            check_boxes(&format!("{n} boxes, {dimensions:?}, {filtered}"), &boxes, "guests");
        }
    }
}

/// Boxes that are in three or more columns, but few enough to be no guests, next to infinite ones, in several chunks.
#[test]
fn rods_through_a_few_columns() {
    let random = &mut Random::new(23);
    let mut aabbs = cubes(random, 13_000, Vec3::ZERO, Vec3::splat(36.0), 1.0);
    for index in 0..300 {
        let corner = random.vector() * 30.0;
        let mut far = corner + 0.3;
        far[index % 3] += random.between(8.0, 30.0);
        if index % 50 == 0 {
            far[index % 3] = f32::INFINITY;
        }
        aabbs.insert(random.below(aabbs.len()), Aabb::new(corner, far));
    }
    check("rods", &aabbs, "columns");
}
