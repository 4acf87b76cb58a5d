//! Hierarchical grids with any number of levels and both insertion policies find exactly the pairs of brute force, in
//! every frame, and a uniform grid with any cell size does too.

use glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::verify::true_pairs;
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, CellSize, Dimensions, Executor, Filter, FindError, FindSettings,
    HierarchicalGrid, InsertionPolicy, Levels, Moved, PairFinder, UniformGrid,
};

const POLICIES: [InsertionPolicy; 2] = [InsertionPolicy::SingleCell, InsertionPolicy::AllCells];
const LEVELS: [Levels; 4] = [Levels::Fixed(1), Levels::Fixed(2), Levels::Fixed(8), Levels::ByRule];

/// Grids with every setting, each kept for all frames.
fn grids() -> Vec<(String, Box<dyn PairFinder>)> {
    let mut all: Vec<(String, Box<dyn PairFinder>)> = Vec::new();
    for policy in POLICIES {
        for levels in LEVELS {
            let mut grid = HierarchicalGrid::new(policy);
            grid.levels = levels;
            all.push((format!("{policy:?}, {levels:?}"), Box::new(grid)));
        }
    }
    let fixed = [0.0, 1e-3, 0.5, 3.0, 1e6, f32::INFINITY, f32::NAN, -1.0].map(CellSize::Fixed);
    let by_quantile = [0.0, 0.5, 1.0, f32::NAN].map(CellSize::Quantile);
    for cell_size in fixed.into_iter().chain(by_quantile) {
        let mut grid = UniformGrid::default();
        grid.cell_size = cell_size;
        all.push((format!("{cell_size:?}"), Box::new(grid)));
    }
    all
}

fn check(grids: &mut [(String, Box<dyn PairFinder>)], boxes: &Boxes, settings: &FindSettings, frame: &str) {
    let truth = true_pairs(boxes);
    for (name, grid) in grids {
        let report = grid.update(boxes, settings).unwrap();
        assert_eq!(grid.pairs().as_slice(), truth, "{name}, {frame}");
        assert_eq!(report.pairs, truth.len(), "{name}, {frame}");
    }
}

fn threads(count: usize) -> FindSettings {
    FindSettings { executor: Executor::new(count).unwrap(), ..FindSettings::default() }
}

#[test]
fn all_levels_and_policies_agree_on_streams() {
    for kind in StreamKind::ALL {
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            let mut stream = BoxStream::new(kind, 500, 11);
            let settings = BoxesSettings { dimensions, margin: 0.05, ..BoxesSettings::default() };
            let mut boxes = Boxes::new(settings).unwrap();
            for (id, aabb) in stream.boxes().iter().enumerate() {
                boxes.insert(id as u32, *aabb, Filter::default()).unwrap();
            }
            let mut ground = Aabb::EVERYWHERE;
            ground.max.y = 5.0;
            boxes.insert(9_999, ground, Filter::fixed()).unwrap();
            let (mut grids, find) = (grids(), threads(3));
            for frame in 0..4 {
                check(&mut grids, &boxes, &find, &format!("{} {dimensions:?} frame {frame}", kind.name()));
                stream.advance();
                boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
            }
        }
    }
}

/// Boxes of sizes from nothing to infinity, which come, leave and change their size, so that levels come and go.
fn random_box(random: &mut Random) -> Aabb {
    let span = [1.0, 30.0, 1e4][random.below(3)];
    let mut min = (random.vector() - 0.5) * span;
    if random.below(3) == 0 {
        min = min.round();
    }
    let size = [0.0, 1e-3, 0.1, 1.0, 2.0, 16.0, 300.0][random.below(7)];
    let mut max = min + (random.vector() * size).max(Vec3::splat(size * 0.5));
    if random.below(40) == 0 {
        let axis = random.below(3);
        match random.below(4) {
            0 => min[axis] = f32::NEG_INFINITY,
            1 => max[axis] = f32::INFINITY,
            2 => (min[axis], max[axis]) = (1e30, 1e30),
            _ => (min, max) = (Vec3::NEG_INFINITY, Vec3::INFINITY),
        }
    }
    Aabb::new(min, max)
}

#[test]
fn all_levels_and_policies_agree_under_random_operations_in_sequence() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let dimensions = if seed % 3 == 0 { Dimensions::Two } else { Dimensions::Three };
        let mut boxes = Boxes::new(BoxesSettings { dimensions, ..BoxesSettings::default() }).unwrap();
        let (mut grids, find) = (grids(), threads(1 + seed as usize % 2));
        for frame in 0..30 {
            for _operation in 0..random.below(40) {
                let id = random.below(120) as u32;
                let aabb = random_box(&mut random);
                match (boxes.contains(id), random.below(4)) {
                    (false, _) => boxes.insert(id, aabb, Filter::default()).unwrap(),
                    (true, 0) => drop(boxes.remove(id).unwrap()),
                    (true, 1) => boxes.set(id, aabb).unwrap(),
                    (true, _) => {
                        let by = (random.vector() - 0.5) * 0.5;
                        let Aabb { min, max } = boxes.get(id).unwrap();
                        boxes.set(id, Aabb::new(min + by, max + by)).unwrap();
                    }
                }
            }
            check(&mut grids, &boxes, &find, &format!("seed {seed} frame {frame}"));
        }
    }
}

/// Boxes whose faces lie exactly on cell borders of all levels.
#[test]
fn boxes_on_the_borders_of_cells_meet() {
    let mut aabbs = Vec::new();
    for size in [1.0, 2.0, 4.0, 8.0] {
        for step in -3..3 {
            let corner = Vec3::new(step as f32 * size, -size, (step % 2) as f32 * size);
            aabbs.push(Aabb::new(corner, corner + size));
        }
    }
    let boxes = Boxes::from_aabbs(&aabbs).unwrap();
    check(&mut grids(), &boxes, &threads(1), "borders");
}

/// Many clusters, so far apart that a cell needs more than 64 bits with its slot, and one crowd in a single cell.
#[test]
fn far_clusters_and_crowds_agree() {
    let mut random = Random::new(3);
    let mut aabbs = Vec::new();
    for cluster in 0..40 {
        let center = (random.vector() - 0.5) * 2e6;
        for _box in 0..if cluster == 0 { 600 } else { 20 } {
            let min = center + random.vector() * 2.0;
            aabbs.push(Aabb::new(min, min + 0.5 + random.vector()));
        }
    }
    let boxes = Boxes::from_aabbs(&aabbs).unwrap();
    check(&mut grids(), &boxes, &threads(2), "clusters");
}

#[test]
fn levels_are_reported_and_follow_the_sizes() {
    let cube = |x: f32, size: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + size));
    let mut boxes = Boxes::from_aabbs(&[cube(0.0, 1.0), cube(10.0, 1.0)]).unwrap();
    for policy in POLICIES {
        let mut grid = HierarchicalGrid::new(policy);
        let mut levels = |boxes: &Boxes| {
            let detail = grid.update(boxes, &FindSettings::default()).unwrap().detail.unwrap();
            let words = if policy == InsertionPolicy::SingleCell { "single cell, " } else { "all cells, " };
            assert!(detail.starts_with(words), "{detail}");
            detail[words.len()..].split(' ').next().unwrap().parse::<usize>().unwrap()
        };
        assert_eq!(levels(&boxes), 1);
        boxes.insert(7, cube(20.0, 64.0), Filter::default()).unwrap();
        assert_eq!(levels(&boxes), 7, "a new largest");
        boxes.insert(8, cube(20.0, 0.25), Filter::default()).unwrap();
        assert_eq!(levels(&boxes), 9, "a new smallest");
        boxes.remove(7).unwrap();
        assert_eq!(levels(&boxes), 3, "the largest left");
        boxes.remove(8).unwrap();
        assert_eq!(levels(&boxes), 1, "the smallest left");
    }
}

#[test]
fn nothing_is_done_when_nothing_changed() {
    let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Brownian, 200, 1).boxes()).unwrap();
    for (name, grid) in &mut grids() {
        let unordered = FindSettings { canonical: false, ..FindSettings::default() };
        assert!(grid.update(&boxes, &unordered).unwrap().tests > 0, "{name}");
        let again = grid.update(&boxes, &FindSettings { changes: true, ..FindSettings::default() }).unwrap();
        assert_eq!((again.tests, again.moved), (0, 0), "{name}");
        assert_eq!(grid.pairs().as_slice(), true_pairs(&boxes), "{name}");
        assert!(grid.pairs().added().is_empty() && grid.pairs().removed().is_empty(), "{name}");
    }
}

/// An update that fails leaves the pairs of the one before, and the next one is as good as any.
#[test]
fn a_pair_limit_that_is_exceeded_changes_nothing() {
    for (name, grid) in &mut grids() {
        let mut stream = BoxStream::new(StreamKind::Disparity, 300, 2);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let settings = FindSettings { changes: true, ..FindSettings::default() };
        grid.update(&boxes, &settings).unwrap();
        let before = grid.pairs().as_slice().to_vec();
        stream.advance();
        boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
        let truth = true_pairs(&boxes);
        let limit = truth.len() - 1;
        let limited = FindSettings { pair_limit: Some(limit), ..settings.clone() };
        for _try in 0..2 {
            let error = grid.update(&boxes, &limited).unwrap_err();
            assert_eq!(error, FindError::TooManyPairs { limit, need: truth.len() }, "{name}");
            assert_eq!(grid.pairs().as_slice(), before, "{name}");
        }
        grid.update(&boxes, &settings).unwrap();
        assert_eq!(grid.pairs().as_slice(), truth, "{name}");
        let added = truth.iter().filter(|pair| before.binary_search(pair).is_err());
        assert!(grid.pairs().added().iter().eq(added), "{name}");
    }
}
