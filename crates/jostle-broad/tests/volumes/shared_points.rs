//! Clouds of points that certainly meet, and what every volume around them must say.

use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, BoundingVolume, Kdop14, Kdop18, Kdop26, OrientedBox, Sphere, VolumeError};
use proptest::prelude::*;

/// Any finite number: subnormal, huge, negative zero.
fn any_finite() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => -10.0f32..10.0,
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 1e30, -1e30, f32::MAX, f32::MIN]),
    ]
}

fn any_point() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(any_finite()).prop_map(Vec3::from)
}

/// Whole numbers up to 2^20: sums and differences of a few are exact in `f32`, as are those of their multiples by a
/// power of two.
fn grid_point(reach: i32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-reach..=reach).prop_map(|point| Vec3::from(point.map(|x| x as f32)))
}

/// A cloud in which `through` is the middle of two points, and a vertex of nothing.
fn cloud_around(through: Vec3, arms: &[Vec3]) -> Vec<Vec3> {
    arms.iter().flat_map(|&arm| [through + arm, through - arm]).collect()
}

fn overlap<V: BoundingVolume>(fit: fn(&[Vec3]) -> Result<V, VolumeError>, a: &[Vec3], b: &[Vec3]) -> bool {
    let (a, b) = (fit(a).unwrap(), fit(b).unwrap());
    assert_eq!(a.overlaps(&b), b.overlaps(&a), "the order matters");
    a.overlaps(&b)
}

/// Every volume around both clouds, by name, and whether the two overlap.
fn overlaps(a: &[Vec3], b: &[Vec3]) -> [(&'static str, bool); 6] {
    [
        ("box", overlap(Aabb::from_points, a, b)),
        ("sphere", overlap(Sphere::from_points, a, b)),
        ("oriented box", overlap(OrientedBox::from_points, a, b)),
        ("14-DOP", overlap(Kdop14::from_points, a, b)),
        ("18-DOP", overlap(Kdop18::from_points, a, b)),
        ("26-DOP", overlap(Kdop26::from_points, a, b)),
    ]
}

fn contains_all<V: BoundingVolume>(volume: V, points: &[Vec3]) -> bool {
    volume.aabb().contains(&Aabb::from_points(points).unwrap())
        && points.iter().all(|&point| volume.contains_point(point))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn clouds_with_a_point_in_common_overlap(
        mut a in prop::collection::vec(any_point(), 0..8),
        mut b in prop::collection::vec(any_point(), 0..8),
        shared in any_point(),
    ) {
        a.push(shared);
        b.push(shared);
        for (name, overlap) in overlaps(&a, &b) {
            prop_assert!(overlap, "{name}: {a:?} {b:?}");
        }
    }

    #[test]
    fn hulls_with_a_point_in_common_overlap(
        a in prop::collection::vec(grid_point(1 << 20), 1..6),
        b in prop::collection::vec(grid_point(1 << 20), 1..6),
        through in grid_point(1 << 20),
        exponent in -100i32..100,
    ) {
        // Only multiples of a power of two, so that the common point really is in the middle.
        let scale = 2.0f32.powi(exponent);
        let scaled = |cloud: Vec<Vec3>| cloud.iter().map(|point| point * scale).collect::<Vec<_>>();
        let (a, b) = (scaled(cloud_around(through, &a)), scaled(cloud_around(through, &b)));
        for (name, overlap) in overlaps(&a, &b) {
            prop_assert!(overlap, "{name}: {a:?} {b:?}");
        }
    }

    /// Two segments that cross, a few steps of rounding wide and long: nothing but the exact handling of roundings
    /// keeps their volumes together.
    #[test]
    fn thin_crossings_overlap(
        a in grid_point(3), b in grid_point(3), through in grid_point(1 << 23), exponent in -140i32..100,
    ) {
        let scale = 2.0f32.powi(exponent);
        let scaled = |arm: Vec3| cloud_around(through, &[arm]).iter().map(|point| point * scale).collect::<Vec<_>>();
        for (name, overlap) in overlaps(&scaled(a), &scaled(b)) {
            prop_assert!(overlap, "{name}: {a} {b} through {through}");
        }
    }

    #[test]
    fn fitted_volumes_contain_their_points(points in prop::collection::vec(any_point(), 1..20)) {
        prop_assert!(contains_all(Aabb::from_points(&points).unwrap(), &points));
        prop_assert!(contains_all(Sphere::from_points(&points).unwrap(), &points));
        prop_assert!(contains_all(OrientedBox::from_points(&points).unwrap(), &points));
        prop_assert!(contains_all(Kdop14::from_points(&points).unwrap(), &points));
        prop_assert!(contains_all(Kdop18::from_points(&points).unwrap(), &points));
        prop_assert!(contains_all(Kdop26::from_points(&points).unwrap(), &points));
    }

    #[test]
    fn volumes_of_boxes_contain_their_corners(a in any_point(), b in any_point()) {
        let aabb = Aabb::from_points(&[a, b]).unwrap();
        let corners: Vec<Vec3> = (0..8)
            .map(|bits| Vec3::from_array(std::array::from_fn(|k| if bits >> k & 1 == 1 { a[k] } else { b[k] })))
            .collect();
        prop_assert!(contains_all(Sphere::from_aabb(&aabb).unwrap(), &corners));
        prop_assert!(contains_all(OrientedBox::from_aabb(&aabb).unwrap(), &corners));
        prop_assert!(contains_all(Kdop26::from_aabb(&aabb).unwrap(), &corners));
        prop_assert_eq!(Kdop26::from_aabb(&aabb), Kdop26::from_points(&corners));
    }

    /// More directions separate more, never less; and the box of a k-DOP is that of its points.
    #[test]
    fn nested_k_dops_agree(
        a in prop::collection::vec(grid_point(12), 1..5),
        b in prop::collection::vec(grid_point(12), 1..5),
    ) {
        let [(_, boxes), _, _, (_, of_14), (_, of_18), (_, of_26)] = overlaps(&a, &b);
        prop_assert_eq!(of_26, of_14 && of_18);
        prop_assert!(boxes || !(of_14 || of_18));
        prop_assert_eq!(Kdop14::from_points(&a).unwrap().aabb(), Aabb::from_points(&a).unwrap());
    }

    /// With whole coordinates nothing is rounded: the slabs that overlap are those that do in integers.
    #[test]
    fn slabs_are_exact_on_a_grid(
        a in prop::collection::vec(grid_point(1000), 1..5),
        b in prop::collection::vec(grid_point(1000), 1..5),
    ) {
        let interval = |cloud: &[Vec3], direction: [i8; 3]| {
            let along = |point: &Vec3| (0..3).map(|k| i32::from(direction[k]) * point[k] as i32).sum::<i32>();
            (cloud.iter().map(along).min().unwrap(), cloud.iter().map(along).max().unwrap())
        };
        let expected = Kdop26::DIRECTIONS.iter().all(|&direction| {
            let (a, b) = (interval(&a, direction), interval(&b, direction));
            a.0 <= b.1 && b.0 <= a.1
        });
        prop_assert_eq!(overlap(Kdop26::from_points, &a, &b), expected);
    }
}

/// The properties above would hold for volumes that always overlap. Each kind must tell apart clouds whose boxes do
/// overlap, and a good part of them.
#[test]
fn tighter_volumes_separate_what_boxes_do_not() {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let (mut boxes, mut separated) = (0, [0; 6]);
    for _ in 0..4000 {
        let mut bar = || {
            let [center, arm] = [0, 1].map(|_| Vec3::new(random(), random(), random()));
            let mut side = || Vec3::new(random(), random(), random()) * 0.05;
            cloud_around(center, &[arm + side(), arm + side(), side()])
        };
        let (a, b) = (bar(), bar());
        let answers = overlaps(&a, &b);
        if answers[0].1 {
            boxes += 1;
            for (count, (_, overlap)) in separated.iter_mut().zip(answers) {
                *count += usize::from(!overlap);
            }
        }
    }
    let [_, sphere, oriented, of_14, of_18, of_26] = separated.map(|count| count as f64 / f64::from(boxes));
    assert!(boxes > 500, "{boxes} pairs of boxes");
    assert!(oriented > 0.7 && of_26 > 0.5 && of_18 > 0.4 && of_14 > 0.3, "{separated:?} of {boxes}");
    assert!(of_26 >= of_18.max(of_14), "{separated:?} of {boxes}");
    // A thin bar is the diagonal of its box, so its sphere is around that box: nothing is gained.
    assert!(sphere < 0.01, "{separated:?} of {boxes}");
}
