//! The device's filter against the host's: on volumes of all sizes, touching, degenerate, and where rounding decides.

use std::fmt::Debug;

use jostle_broad::glam::{Mat3, Quat, Vec3};
use jostle_broad::scene::Random;
use jostle_broad::{
    Aabb, BoundingVolume, Executor, Kdop, Kdop14, Kdop18, Kdop26, OrientedBox, Pair, Sphere,
    retain_overlapping,
};

use super::{DeviceVolume, FilterReport, PairCount, VolumeFilter};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::testing::{download, gpus, upload};

/// Filters on the device, and compares with the host: same pairs, same order.
fn agree<V: DeviceVolume + Debug>(
    gpu: &Gpu,
    filter: &mut VolumeFilter<V>,
    volumes: &[V],
    pairs: &[Pair],
    what: &str,
) -> FilterReport {
    filter.upload(volumes, volumes.len() as u32, &Executor::serial()).unwrap();
    let there = upload(gpu, pairs);
    let report = filter.filter(&there, PairCount::Known(pairs.len() as u32)).unwrap();
    let mut expected = pairs.to_vec();
    retain_overlapping(&mut expected, |id| &volumes[id as usize]);
    let kept = filter.read_kept(&Executor::serial()).unwrap();
    if kept != expected {
        let wrong = pairs.iter().filter(|pair| kept.contains(pair) != expected.contains(pair));
        let wrong: Vec<(&V, &V)> =
            wrong.take(2).map(|pair| (&volumes[pair.low as usize], &volumes[pair.high as usize])).collect();
        panic!("{what}: {} kept, {} expected, {wrong:?}", kept.len(), expected.len());
    }
    assert_eq!((report.pairs as usize, report.kept as usize), (pairs.len(), expected.len()), "{what}");
    assert_eq!(filter.settle(), Ok(report), "{what}: once more");
    let (counts, at) = filter.kept_count();
    assert_eq!(download::<u32>(gpu, counts, at as usize / 4 + 1)[at as usize / 4], report.kept, "{what}");
    report
}

#[test]
fn nothing_recorded_is_nothing_to_settle() {
    for gpu in gpus() {
        let mut filter = VolumeFilter::<Sphere>::new(&gpu).unwrap();
        assert_eq!(filter.settle(), Err(GpuError::NothingRecorded));
        assert_eq!(filter.read_kept(&Executor::serial()), Err(GpuError::NothingRecorded));
    }
}

fn all_pairs(count: u32) -> Vec<Pair> {
    (0..count).flat_map(|low| (low + 1..count).map(move |high| Pair::new(low, high))).collect()
}

fn neighbours(count: u32) -> Vec<Pair> {
    (0..count / 2).map(|index| Pair::new(2 * index, 2 * index + 1)).collect()
}

fn power(random: &mut Random, low: f32, high: f32) -> f32 {
    10f32.powf(random.between(low, high))
}

fn signed(random: &mut Random) -> Vec3 {
    random.vector() * 2.0 - 1.0
}

fn tiny(random: &mut Random) -> f32 {
    f32::from_bits(random.below(64) as u32)
}

fn turn(random: &mut Random) -> Quat {
    Quat::from_axis_angle(random.direction(), random.between(0.0, 6.0))
}

/// The axes of the world in any order and direction.
fn right_angles(random: &mut Random) -> Mat3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let first = random.below(3);
    let step = 1 + random.below(2);
    let sign = |random: &mut Random| if random.below(2) == 0 { 1.0 } else { -1.0 };
    Mat3::from_cols(
        axes[first] * sign(random),
        axes[(first + step) % 3] * sign(random),
        axes[(first + 2 * step) % 3] * sign(random),
    )
}

const ORIENTED_KINDS: [&str; 9] =
    ["turned", "lattice", "degenerate", "subnormal", "huge", "stacked", "crossed", "sheared", "of all sizes"];

fn oriented(random: &mut Random, kind: &str) -> OrientedBox {
    let from_axes = |center, half, axes| OrientedBox::from_axes(center, half, axes).unwrap();
    let new = |center, half, rotation| OrientedBox::new(center, half, rotation).unwrap();
    match kind {
        "turned" => new(signed(random) * 3.0, random.vector() * 1.5, turn(random)),
        // Faces, edges and corners touch exactly; many boxes are the same.
        "lattice" => {
            let half = (random.vector() * 3.0).floor() * 0.5;
            from_axes((random.vector() * 6.0).floor(), half, right_angles(random))
        }
        "degenerate" => {
            let flat = Vec3::from([(); 3].map(|()| random.below(2) as f32));
            let rotation = if random.below(2) == 0 { Quat::IDENTITY } else { turn(random) };
            new(signed(random) * 1.5, random.vector() * 2.0 * flat, rotation)
        }
        "subnormal" => {
            let half = Vec3::from([(); 3].map(|()| tiny(random)));
            let center = Vec3::new(tiny(random), -tiny(random), tiny(random));
            new(center, half, if random.below(2) == 0 { Quat::IDENTITY } else { turn(random) })
        }
        "huge" => {
            let size = [1e17, 1e18, 1e19, 1e37, f32::MAX][random.below(5)];
            new(signed(random) * size, random.vector() * size, turn(random))
        }
        // Boxes that stand on each other, all but aligned, all but touching.
        "stacked" => {
            let twist = power(random, -9.0, -1.0);
            let twisted = Quat::from_axis_angle(random.direction(), twist);
            let place = (random.vector() * 3.0).floor() * 2.0;
            let off = signed(random) * power(random, -9.0, -1.0);
            new(place + off, Vec3::ONE, (turn_about_z(random) * twisted).normalize())
        }
        // Long sticks, all but parallel, each turned about itself: only the cross product of two edges lies between them.
        "crossed" => {
            let half = Vec3::new(power(random, 1.0, 4.0), 1.0, 1.0);
            let askew = Quat::from_rotation_z(power(random, -5.0, -2.5));
            let rolled = Quat::from_rotation_x(random.between(0.0, 6.0));
            new(signed(random) * Vec3::new(10.0, 4.0, 4.0), half, (askew * rolled).normalize())
        }
        // As far from a rotation as is allowed.
        "sheared" => {
            let rotation = Mat3::from_quat(turn(random));
            let shear = |random: &mut Random| signed(random) * 2.4e-4;
            let off = Mat3::from_cols(shear(random), shear(random), shear(random));
            let axes = rotation + off;
            let fits = OrientedBox::from_axes(Vec3::ZERO, Vec3::ONE, axes).is_ok();
            from_axes(signed(random) * 2.0, random.vector(), if fits { axes } else { rotation })
        }
        _ => {
            let (place, size) = (power(random, -44.0, 38.0), power(random, -44.0, 37.0));
            new(signed(random) * place, random.vector() * size, turn(random))
        }
    }
}

fn turn_about_z(random: &mut Random) -> Quat {
    Quat::from_rotation_z([0.0, 0.0, std::f32::consts::FRAC_PI_2, 0.5][random.below(4)])
}

/// Moves the second volume from inside the first outward, to where the host changes its mind, and a few roundings from
/// there.
fn at_the_edge<V: BoundingVolume>(random: &mut Random, first: &V, at: impl Fn(Vec3) -> V) -> V {
    let direction = random.direction();
    let (mut inside, mut outside) = (0.0f32, 64.0f32);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if first.overlaps(&at(direction * middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    let factor = 1.0 + (random.unit() - 0.5) * power(random, -8.0, -2.0);
    at(direction * inside * factor)
}

#[test]
fn oriented_boxes_of_all_kinds() {
    for gpu in gpus() {
        let mut random = Random::new(31);
        let mut filter = VolumeFilter::<OrientedBox>::new(&gpu).unwrap();
        for kind in ORIENTED_KINDS {
            let volumes: Vec<OrientedBox> = (0..150).map(|_| oriented(&mut random, kind)).collect();
            let report = agree(&gpu, &mut filter, &volumes, &all_pairs(150), kind);
            assert!(report.kept > 0, "{kind} shows little: {report:?}");
            let allowed = match kind {
                "turned" | "sheared" => 5,
                // Touching exactly is left to the host, as are volumes without a side, the smallest and the largest.
                _ => report.pairs,
            };
            assert!(report.unsure <= allowed, "{kind}: {report:?}");
        }
    }
}

#[test]
fn oriented_boxes_where_rounding_decides() {
    let gpu = &gpus()[0];
    let mut random = Random::new(32);
    let mut filter = VolumeFilter::<OrientedBox>::new(gpu).unwrap();
    let mut volumes = Vec::new();
    for index in 0..20_000 {
        let kind = ["turned", "degenerate", "sheared", "stacked", "crossed"][index % 5];
        let (first, second) = (oriented(&mut random, kind), oriented(&mut random, kind));
        let place = |offset: Vec3| {
            OrientedBox::from_axes(first.center() + offset, second.half_extents(), second.axes()).unwrap()
        };
        volumes.extend([first, at_the_edge(&mut random, &first, place)]);
    }
    let report = agree(gpu, &mut filter, &volumes, &neighbours(volumes.len() as u32), "at the edge");
    // Some must be undecided, or the test did not come near; most are not, or the bound is of no use.
    assert!(report.unsure > 500 && report.unsure < 17_500 && report.dropped_by_host > 500, "{report:?}");
}

/// Boxes that stand on each other are all but aligned, or share one axis: the host must not have to decide what is clear.
#[test]
fn stacked_boxes_are_decided_by_the_device() {
    let gpu = &gpus()[0];
    let mut random = Random::new(33);
    let mut filter = VolumeFilter::<OrientedBox>::new(gpu).unwrap();
    let mut stack = |twist: (f32, f32), depth: (f32, f32), leaning: f32, what: &str| {
        let mut volumes = Vec::new();
        for _ in 0..2000 {
            let (twist, depth) = (power(&mut random, twist.0, twist.1), power(&mut random, depth.0, depth.1));
            let above = Vec3::new(random.between(-0.8, 0.8), random.between(-0.8, 0.8), 2.0 - depth);
            let leaning = Quat::from_axis_angle(random.direction(), depth * leaning);
            let rotation = (Quat::from_rotation_z(twist) * leaning).normalize();
            volumes.push(OrientedBox::new(Vec3::ZERO, Vec3::ONE, Quat::IDENTITY).unwrap());
            volumes.push(OrientedBox::new(above, Vec3::ONE, rotation).unwrap());
        }
        let report = agree(gpu, &mut filter, &volumes, &neighbours(4000), what);
        assert!(report.kept == 2000 && report.unsure < 20, "{what}: {report:?}");
    };
    stack((-8.0, -1.5), (-3.5, -2.0), 0.2, "all but aligned");
    stack((-0.8, 0.2), (-2.5, -1.0), 1e-3, "turned about the vertical");
}

fn kdops<const SLABS: usize>(gpu: &Gpu, random: &mut Random) {
    let mut filter = VolumeFilter::<Kdop<SLABS>>::new(gpu).unwrap();
    for kind in ["points", "lattice", "subnormal", "huge", "unbounded"] {
        let mut draw = || {
            let mut points = Vec::new();
            for _ in 0..4 {
                points.push(match kind {
                    "points" | "unbounded" => signed(random),
                    "lattice" => (random.vector() * 3.0).floor() - 1.0,
                    "subnormal" => Vec3::new(tiny(random), -tiny(random), tiny(random) - tiny(random)),
                    _ => signed(random) * f32::MAX,
                });
            }
            let at = match kind {
                "points" => signed(random) * 2.0,
                "lattice" => (random.vector() * 5.0).floor(),
                _ => Vec3::ZERO,
            };
            points.iter_mut().for_each(|point| *point += at);
            let kdop = Kdop::<SLABS>::from_points(&points).unwrap();
            if kind != "unbounded" || random.below(3) != 0 {
                return kdop;
            }
            let mut aabb: Aabb = kdop.aabb();
            let axis = random.below(3);
            match random.below(3) {
                0 => aabb.min[axis] = f32::NEG_INFINITY,
                1 => aabb.max[axis] = f32::INFINITY,
                _ => (aabb.min[axis], aabb.max[axis]) = (f32::NEG_INFINITY, f32::INFINITY),
            }
            Kdop::from_aabb(&aabb).unwrap()
        };
        let volumes: Vec<Kdop<SLABS>> = (0..120).map(|_| draw()).collect();
        let report = agree(gpu, &mut filter, &volumes, &all_pairs(120), kind);
        assert_eq!(report.unsure, 0);
        assert!(report.kept > 0 && report.kept < report.pairs, "{kind} shows little: {report:?}");
    }
}

#[test]
fn k_dops_of_all_kinds() {
    let mut random = Random::new(34);
    for gpu in gpus() {
        kdops::<7>(&gpu, &mut random);
        kdops::<9>(&gpu, &mut random);
        kdops::<13>(&gpu, &mut random);
    }
    assert_eq!((Kdop14::FLOATS, Kdop18::FLOATS, Kdop26::FLOATS), (16, 20, 28));
}

#[test]
fn spheres_of_all_kinds() {
    let gpu = &gpus()[0];
    let mut random = Random::new(35);
    let mut filter = VolumeFilter::<Sphere>::new(gpu).unwrap();
    for kind in ["apart", "lattice", "points", "subnormal", "huge", "infinite"] {
        let volumes: Vec<Sphere> = (0..150)
            .map(|_| {
                let sphere = |center, radius| Sphere::new(center, radius).unwrap();
                match kind {
                    "apart" => sphere(signed(&mut random) * 2.0, random.unit()),
                    "lattice" => sphere((random.vector() * 5.0).floor(), random.below(3) as f32),
                    "points" => sphere((random.vector() * 3.0).floor(), 0.0),
                    "subnormal" => {
                        sphere(Vec3::new(tiny(&mut random), -tiny(&mut random), 0.0), tiny(&mut random))
                    }
                    "huge" => sphere(signed(&mut random) * f32::MAX, random.unit() * f32::MAX),
                    _ if random.below(2) == 0 => {
                        Sphere::from_points(&[Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX)]).unwrap()
                    }
                    _ => sphere(signed(&mut random), 0.1),
                }
            })
            .collect();
        let report = agree(gpu, &mut filter, &volumes, &all_pairs(150), kind);
        assert!(report.kept > 0 && report.kept < report.pairs, "{kind} shows little: {report:?}");
        assert!(kind != "apart" || report.unsure <= 5, "{report:?}");
    }
    let mut volumes = Vec::new();
    for _ in 0..3000 {
        let (first, radius) = (Sphere::new(signed(&mut random), random.unit()).unwrap(), random.unit());
        let place = |offset: Vec3| Sphere::new(first.center() + offset, radius).unwrap();
        volumes.extend([first, at_the_edge(&mut random, &first, place)]);
    }
    let report = agree(gpu, &mut filter, &volumes, &neighbours(6000), "at the edge");
    assert!(report.unsure > 100 && report.dropped_by_host > 50, "{report:?}");
}

/// Rows of 128 unit boxes, touching, or apart by a rounding: the device can decide neither.
fn rows(count: usize) -> Vec<OrientedBox> {
    let center = |index: usize| {
        let x = (index % 128) as f32;
        Vec3::new(if index % 4 == 3 { x.next_up() } else { x }, (index / 128 * 2) as f32, 0.0)
    };
    let half = Vec3::splat(0.5);
    (0..count).map(|index| OrientedBox::new(center(index), half, Quat::IDENTITY).unwrap()).collect()
}

#[test]
fn any_number_of_pairs_and_more_undecided_ones_than_there_was_room_for() {
    for gpu in gpus() {
        let mut filter = VolumeFilter::<OrientedBox>::new(&gpu).unwrap();
        let volumes = rows(70_002);
        // The longest list comes first and in between: what it leaves behind must not be seen.
        for count in [0u32, 70_001, 1, 2, 255, 256, 257, 4095, 4096, 4097, 70_001, 0] {
            let pairs: Vec<Pair> = (0..count).map(|index| Pair::new(index, index + 1)).collect();
            let report = agree(&gpu, &mut filter, &volumes, &pairs, &format!("{count} pairs"));
            // From the end of a row to the begin of the next there is no doubt.
            assert_eq!(report.unsure, count - count / 128, "{report:?}");
            assert!(count < 3 || report.dropped_by_host > 0, "{report:?}");
            assert!(filter.read_kept(&Executor::serial()).unwrap().is_sorted());
        }
    }
}

#[test]
fn a_count_on_the_device_and_volumes_that_were_there() {
    let gpu = &gpus()[0];
    let mut random = Random::new(36);
    let volumes: Vec<OrientedBox> = (0..80).map(|_| oriented(&mut random, "turned")).collect();
    let mut floats = vec![0.0f32; volumes.len() * OrientedBox::FLOATS];
    for (floats, volume) in floats.chunks_exact_mut(OrientedBox::FLOATS).zip(&volumes) {
        volume.write(floats);
    }
    let there = upload(gpu, &floats);
    let mut filter = VolumeFilter::<OrientedBox>::new(gpu).unwrap();
    filter.set_volumes(&there, 80).unwrap();
    let pairs = all_pairs(80);
    let buffer = upload(gpu, &pairs);
    for count in [0usize, 1, 1000, pairs.len()] {
        let counts = upload(gpu, &[77, count as u32]);
        let count_there = PairCount::OnDevice { buffer: &counts, offset: 4, most: pairs.len() as u32 };
        let report = filter.filter(&buffer, count_there).unwrap();
        let mut expected = pairs[..count].to_vec();
        retain_overlapping(&mut expected, |id| &volumes[id as usize]);
        assert_eq!(report.pairs as usize, count);
        assert_eq!(filter.read_kept(&Executor::serial()).unwrap(), expected, "{count}");
        filter.take_stage_times(true);
    }
    let names: Vec<&str> = filter.times().unwrap().stages.iter().map(|(name, _)| *name).collect();
    assert!(names.is_empty() || names == ["mark", "scan", "compact"], "{names:?}");
}

#[test]
fn what_has_no_volume_is_kept() {
    let gpu = &gpus()[0];
    let mut filter = VolumeFilter::<OrientedBox>::new(gpu).unwrap();
    let at = |x: f32| OrientedBox::new(Vec3::X * x, Vec3::ONE, Quat::IDENTITY).unwrap();
    let volumes = [Some(at(0.0)), None, Some(at(9.0)), Some(at(1.0))];
    filter.upload(&volumes, 4, &Executor::serial()).unwrap();
    let pairs = upload(gpu, &all_pairs(4));
    let report = filter.filter(&pairs, PairCount::Known(6)).unwrap();
    assert_eq!(report, FilterReport { pairs: 6, kept: 4, unsure: 0, dropped_by_host: 0 });
    let kept = [(0, 1), (0, 3), (1, 2), (1, 3)].map(|(low, high)| Pair::new(low, high));
    assert_eq!(filter.read_kept(&Executor::serial()).unwrap(), kept);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let gpu = &gpus()[0];
    let mut filter = VolumeFilter::<OrientedBox>::new(gpu).unwrap();
    let volumes = rows(3);
    let pairs = upload(gpu, &all_pairs(4));
    // No volumes at all yet.
    let none = filter.filter(&pairs, PairCount::Known(6)).unwrap_err();
    assert_eq!(none, GpuError::NoVolume { pairs: 6, volumes: 0 });
    let error = filter.upload(&volumes, 4, &Executor::serial()).unwrap_err();
    assert_eq!(error, GpuError::VolumeCount { volumes: 3, boxes: 4 });
    assert_eq!(error.to_string(), "there are 3 volumes for 4 boxes; give one for each");
    let short = upload(gpu, &[0.0f32; 3 * 16]);
    assert_eq!(filter.set_volumes(&short, 4), Err(GpuError::VolumeCount { volumes: 3, boxes: 4 }));
    filter.upload(&volumes, 3, &Executor::serial()).unwrap();
    let error = filter.filter(&pairs, PairCount::Known(6)).unwrap_err();
    assert_eq!(error, GpuError::NoVolume { pairs: 3, volumes: 3 });
    let error = filter.filter(&pairs, PairCount::Known(7)).unwrap_err();
    assert_eq!(error, GpuError::PairsMissing { pairs: 7, room: 6 });
    // Volumes from a kernel that are none: the axes are zero, or a half width is negative.
    for bad in [0.0f32, -1.0] {
        let mut floats = vec![0.0f32; 16];
        volumes[0].write(&mut floats);
        floats.resize(32, bad);
        filter.set_volumes(&upload(gpu, &floats), 2).unwrap();
        let error = filter.filter(&pairs, PairCount::Known(1)).unwrap_err();
        assert!(matches!(&error, GpuError::BadVolume { ids: [0, 1], .. }), "{error}");
    }
    // And then it still works.
    filter.upload(&volumes, 3, &Executor::serial()).unwrap();
    let report = filter.filter(&upload(gpu, &all_pairs(3)), PairCount::Known(3)).unwrap();
    assert_eq!(report.kept, 2);
}
