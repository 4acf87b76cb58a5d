//! The GPU's pairs are those of brute force: on streams, and on boxes made to break grids. Runs on any adapter, also on a
//! software one.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, Brute, Dimensions, Executor, Filter, FindError, FindSettings, Moved,
    PairFinder, verify,
};
use jostle_gpu::{
    AdapterChoice, CellsFinder, Gpu, GpuFinder, HgridFinder, PartitionKind, ResidentFinder, TestedPairs, wgpu,
};

fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::Any).expect("tests need an adapter: install Mesa's Vulkan drivers")
}

fn agree(finder: &mut dyn PairFinder, boxes: &Boxes, what: &str) {
    finder.update(boxes, &FindSettings::default()).unwrap();
    let mut brute = Brute::default();
    brute.update(boxes, &FindSettings::default()).unwrap();
    assert!(
        finder.pairs().as_slice() == brute.pairs().as_slice(),
        "{what}: {:?}",
        verify::verify(boxes, finder.pairs().as_slice())
    );
}

#[test]
fn streams_frame_by_frame_with_changes() {
    let gpu = gpu();
    for kind in StreamKind::ALL {
        let mut finder = GpuFinder::new(&gpu).unwrap();
        let mut brute = Brute::default();
        let settings = FindSettings { changes: true, ..FindSettings::default() };
        let mut stream = BoxStream::new(kind, 2000, 11);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        for frame in 0..4 {
            finder.update(&boxes, &settings).unwrap();
            brute.update(&boxes, &settings).unwrap();
            let name = kind.name();
            assert!(finder.pairs().as_slice() == brute.pairs().as_slice(), "{name}, frame {frame}");
            assert_eq!(finder.pairs().added(), brute.pairs().added(), "{name}, frame {frame}");
            assert_eq!(finder.pairs().removed(), brute.pairs().removed(), "{name}, frame {frame}");
            stream.advance();
            boxes.update(Moved::All, stream.boxes()).unwrap();
        }
    }
}

/// Kinds of boxes made to break grids.
const KINDS: [&str; 8] = [
    "sizes 1:1000",
    "all of the range of floats",
    "a lattice",
    "gaps of subnormal size",
    "everything in one place",
    "plates and sticks",
    "infinite boxes",
    "a crowd and a far-away few",
];

/// Boxes of a kind, by its place in `KINDS`.
fn wild(random: &mut Random, kind: usize, n: usize) -> Vec<Aabb> {
    let power = |random: &mut Random, low: f32, high: f32| 10f32.powf(random.between(low, high));
    let mut list: Vec<Aabb> = (0..n)
        .map(|i| match kind {
            // Sizes 1:1000.
            0 => {
                let size = power(random, 0.0, 3.0);
                let center = random.vector() * 2000.0;
                Aabb::from_center(center, random.vector() * size)
            }
            // All of the range of floats, both signs.
            1 => {
                let place = Vec3::from([(); 3].map(|()| {
                    let sign = if random.unit() < 0.5 { 1.0 } else { -1.0 };
                    sign * power(random, -44.0, 37.0)
                }));
                let size = power(random, -44.0, 37.0);
                Aabb::new(place, place + random.vector() * size)
            }
            // A lattice: faces, edges and corners touch; many boxes are the same.
            2 => {
                let corner = (random.vector() * 12.0).floor() - 6.0;
                Aabb::new(corner, corner + (random.vector() * 3.0).floor())
            }
            // Gaps and overlaps of subnormal size.
            3 => {
                let tiny = |random: &mut Random| f32::from_bits((random.bits() % 64) as u32);
                let corner = Vec3::new(tiny(random), -tiny(random), tiny(random));
                Aabb::new(corner, corner + Vec3::splat(tiny(random)))
            }
            // Everything in one place.
            4 => Aabb::new(Vec3::splat(5.0), Vec3::splat(6.0)),
            // Plates and sticks across the world among small boxes.
            5 => {
                let mut half = random.vector();
                if i % 40 == 0 {
                    half[i / 40 % 3] = 500.0;
                    half[i / 80 % 3] = 500.0;
                }
                Aabb::from_center(random.vector() * 60.0, half)
            }
            // Half-spaces, slabs and everything, among the rest.
            6 => {
                let mut aabb = Aabb::from_center(random.vector() * 30.0, random.vector());
                if i % 25 == 0 {
                    for axis in 0..3 {
                        match random.bits() % 4 {
                            0 => aabb.min[axis] = f32::NEG_INFINITY,
                            1 => aabb.max[axis] = f32::INFINITY,
                            2 => (aabb.min[axis], aabb.max[axis]) = (f32::NEG_INFINITY, f32::INFINITY),
                            _ => {}
                        }
                    }
                }
                aabb
            }
            // A far-away few, and a crowd that is small in comparison.
            _ => {
                let center =
                    if i % 50 == 0 { (random.vector() - 0.5) * 1e30 } else { random.vector() * 20.0 };
                Aabb::from_center(center, random.vector())
            }
        })
        .collect();
    if let (6, Some(first)) = (kind, list.first_mut()) {
        *first = Aabb::EVERYWHERE;
    }
    list
}

#[test]
fn no_boxes_and_one_box() {
    let gpu = gpu();
    let finders: [Box<dyn PairFinder>; 3] = [
        Box::new(GpuFinder::new(&gpu).unwrap()),
        Box::new(HgridFinder::new(&gpu, 2, TestedPairs::MatrixIfItFits).unwrap()),
        Box::new(CellsFinder::new(&gpu, PartitionKind::Tree, 100).unwrap()),
    ];
    for mut finder in finders {
        for (kind, name) in KINDS.into_iter().enumerate() {
            // There and back again: what came with a box goes with it.
            for n in [0, 1, 0, 40, 1, 0] {
                let boxes = Boxes::from_aabbs(&wild(&mut Random::new(2), kind, n)).unwrap();
                let what = format!("{}, {name}, {n} boxes", finder.name());
                agree(finder.as_mut(), &boxes, &what);
            }
        }
    }
}

/// Thousands of a kind, and what is special about it.
fn thousands(kind: usize, n: usize) -> Boxes {
    let boxes = Boxes::from_aabbs(&wild(&mut Random::new(26), kind, n)).unwrap();
    agree(&mut GpuFinder::new(&gpu()).unwrap(), &boxes, KINDS[kind]);
    boxes
}

#[test]
fn sizes_one_to_a_thousand() {
    let boxes = thousands(0, 4000);
    let sides = || boxes.aabbs().iter().map(Aabb::longest_side);
    let (least, most) = (sides().fold(f32::INFINITY, f32::min), sides().fold(0.0, f32::max));
    assert!(most > 1000.0 * least, "{least} to {most}");
}

#[test]
fn everything_in_one_cell() {
    thousands(4, 2000);
    // Nearly so: a grid that spans all boxes has the crowd in one cell.
    thousands(7, 5000);
}

#[test]
fn infinite_boxes() {
    let boxes = thousands(6, 4000);
    let infinite = boxes.aabbs().iter().filter(|aabb| !(aabb.max - aabb.min).is_finite());
    assert!(infinite.count() > 100);
}

#[test]
fn wild_boxes() {
    let gpu = gpu();
    let mut random = Random::new(21);
    let mut finder = GpuFinder::new(&gpu).unwrap();
    for (kind, name) in KINDS.into_iter().enumerate() {
        for n in [1, 2, 37, 700] {
            for round in 0..3 {
                let boxes = Boxes::from_aabbs(&wild(&mut random, kind, n)).unwrap();
                agree(&mut finder, &boxes, &format!("{name}, {n} boxes, round {round}"));
            }
        }
    }
}

#[test]
fn wild_boxes_without_subgroups() {
    let gpu = gpu().without_subgroups();
    let mut random = Random::new(22);
    let mut finder = GpuFinder::new(&gpu).unwrap();
    for (kind, name) in KINDS.into_iter().enumerate() {
        let boxes = Boxes::from_aabbs(&wild(&mut random, kind, 600)).unwrap();
        agree(&mut finder, &boxes, name);
    }
}

#[test]
fn the_reference_grid_at_all_levels() {
    let gpu = gpu();
    let mut random = Random::new(24);
    for tested in [TestedPairs::MatrixIfItFits, TestedPairs::LocalRule] {
        for levels in [1, 2, 3, 8] {
            let mut finder = HgridFinder::new(&gpu, levels, tested).unwrap();
            for (kind, name) in KINDS.into_iter().enumerate() {
                for n in [1, 2, 300] {
                    let boxes = Boxes::from_aabbs(&wild(&mut random, kind, n)).unwrap();
                    assert!(finder.has_matrix(n) == (tested == TestedPairs::MatrixIfItFits));
                    agree(&mut finder, &boxes, &format!("{name}, {n} boxes, {levels} levels, {tested:?}"));
                }
            }
            let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Disparity, 1500, 3).boxes()).unwrap();
            agree(&mut finder, &boxes, &format!("disparity, {levels} levels, {tested:?}"));
        }
    }
}

#[test]
fn cells_of_both_partitions() {
    let gpu = gpu();
    let mut random = Random::new(25);
    for kind in [PartitionKind::Grid, PartitionKind::Tree] {
        for capacity in [6, 100, 1024] {
            let mut finder = CellsFinder::new(&gpu, kind, capacity).unwrap();
            for (scene, name) in KINDS.into_iter().enumerate() {
                let boxes = Boxes::from_aabbs(&wild(&mut random, scene, 300)).unwrap();
                agree(&mut finder, &boxes, &format!("{name}, {kind:?} of {capacity}"));
            }
            let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Pile, 3000, 3).boxes()).unwrap();
            agree(&mut finder, &boxes, &format!("pile, {kind:?} of {capacity}"));
            let report = finder.report();
            assert!(report.cells >= 3000usize.div_ceil(capacity) && report.entries >= 3000, "{report:?}");
        }
    }
}

#[test]
fn the_host_gets_every_pair_batch_by_batch() {
    let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Brownian, 70_000, 3).boxes()).unwrap();
    let mut finder = CellsFinder::new(&gpu(), PartitionKind::Tree, 1024).unwrap();
    let (mut batches, mut seen) = (0, Vec::new());
    let found = finder
        .search(&boxes, |pairs| {
            batches += 1;
            seen.extend_from_slice(pairs);
        })
        .unwrap();
    assert!(batches >= 2, "{batches}");
    assert_eq!(seen.len(), found.len() + finder.report().duplicates);
    seen.sort_unstable();
    seen.dedup();
    assert!(seen == found);
    assert_eq!(verify::verify(&boxes, &found), Ok(()));
}

#[test]
fn stores_with_gaps_ids_filters_margin_and_two_dimensions() {
    let gpu = gpu();
    let mut random = Random::new(23);
    let mut finder = GpuFinder::new(&gpu).unwrap();
    let settings = [
        BoxesSettings::default(),
        BoxesSettings { margin: 0.125, ..BoxesSettings::default() },
        BoxesSettings { dimensions: Dimensions::Two, fixed_pairs: true, ..BoxesSettings::default() },
    ];
    for settings in settings {
        let mut boxes = Boxes::new(settings).unwrap();
        agree(&mut finder, &boxes, "empty");
        for (i, aabb) in wild(&mut random, 2, 900).into_iter().enumerate() {
            let filter = match i % 5 {
                0 => Filter::fixed(),
                1 => Filter::sensor(),
                2 => Filter::default().groups(2, 1),
                _ => Filter::default(),
            };
            boxes.insert(3_000_000_000 - i as u32 * 7, aabb, filter).unwrap();
        }
        boxes.exclude(3_000_000_000, 3_000_000_000 - 7);
        agree(&mut finder, &boxes, "filters");
        for i in (0..900).step_by(3) {
            boxes.remove(3_000_000_000 - i * 7).unwrap();
        }
        agree(&mut finder, &boxes, "gaps");
        let ids: Vec<u32> = boxes.ids().collect();
        for id in ids {
            boxes.remove(id).unwrap();
        }
        agree(&mut finder, &boxes, "all removed");
    }
}

#[test]
fn a_limit_on_pairs_is_kept_and_says_the_need() {
    let gpu = gpu();
    let mut finder = GpuFinder::new(&gpu).unwrap();
    let apart = Boxes::from_aabbs(&wild(&mut Random::new(1), 4, 2)).unwrap();
    finder.update(&apart, &FindSettings::default()).unwrap();
    let boxes = Boxes::from_aabbs(&wild(&mut Random::new(1), 4, 100)).unwrap();
    let settings = FindSettings { pair_limit: Some(100), ..FindSettings::default() };
    let error = finder.update(&boxes, &settings).unwrap_err();
    assert_eq!(error, FindError::TooManyPairs { limit: 100, need: 4950 });
    assert_eq!(finder.pairs().len(), 1, "as before the call");
    finder.update(&boxes, &FindSettings::default()).unwrap();
    assert_eq!(finder.pairs().len(), 4950);
}

#[test]
fn a_limit_on_pairs_makes_no_room_for_more() {
    let gpu = gpu();
    let boxes = Boxes::from_aabbs(&wild(&mut Random::new(1), 4, 2000)).unwrap();
    for canonical in [false, true] {
        let mut finder = GpuFinder::new(&gpu).unwrap();
        let settings = FindSettings { pair_limit: Some(100), canonical, ..FindSettings::default() };
        let error = finder.update(&boxes, &settings).unwrap_err();
        assert_eq!(error, FindError::TooManyPairs { limit: 100, need: 1_999_000 });
        let refused = finder.bytes();
        finder.update(&boxes, &FindSettings::default()).unwrap();
        assert_eq!(finder.pairs().len(), 1_999_000);
        assert!(finder.bytes() > refused + 2 * 8 * 1_999_000, "{} after {refused}", finder.bytes());
    }
}

#[test]
fn a_flood_of_ten_million_pairs_is_complete() {
    let gpu = gpu();
    let n = 4600usize;
    let aabbs = wild(&mut Random::new(1), 4, n);
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: (n * 24) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&aabbs));
    let mut finder = ResidentFinder::new(&gpu).unwrap();
    let found = finder.find(&buffer, n as u32).unwrap();
    assert_eq!(found as usize, n * (n - 1) / 2);
    let mut seen = vec![false; n * n];
    for pair in finder.read_pairs(found, &Executor::serial()).unwrap() {
        assert!(pair.low < pair.high && (pair.high as usize) < n, "{pair:?}");
        let place = &mut seen[pair.low as usize * n + pair.high as usize];
        assert!(!std::mem::replace(place, true), "{pair:?} twice");
    }
}
