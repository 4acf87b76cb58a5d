//! The separating axis test against boxes whose answer is known, and against a reference that proves its answer.

use jostle_broad::glam::{DVec3, Mat3, Quat, Vec3};
use jostle_broad::{Aabb, BoundingVolume, OrientedBox};
use proptest::prelude::*;

/// What a proof says about two boxes.
#[derive(PartialEq, Debug)]
enum Proof {
    /// A point lies in both.
    Overlap,
    /// All of one lies on one side of all of the other, along some direction.
    Separate,
    /// They all but touch: neither was found.
    Open,
}

/// Finds the nearest points of two boxes by minimising over one coordinate of one box after the other, and turns them
/// into a proof: the point itself if the other box has it, or the direction between them if it separates.
fn prove(a: &OrientedBox, b: &OrientedBox) -> Proof {
    let axes = |of: &OrientedBox| [0, 1, 2].map(|k| of.axes().col(k).as_dvec3());
    let (half_a, half_b) = (a.half_extents().as_dvec3(), b.half_extents().as_dvec3());
    // gap = point of a - point of b
    let mut gap = a.center().as_dvec3() - b.center().as_dvec3();
    let start = gap;
    let mut columns: Vec<(DVec3, f64, f64)> = Vec::new();
    columns.extend(axes(a).into_iter().zip(half_a.to_array()).map(|(axis, half)| (axis, half, 0.0)));
    columns.extend(axes(b).into_iter().zip(half_b.to_array()).map(|(axis, half)| (-axis, half, 0.0)));
    for _ in 0..2000 {
        let before = gap;
        for (axis, half, at) in &mut columns {
            // Not quite to the surface, so that a common point is well inside both.
            let most = *half * (1.0 - 1e-6);
            let best = (*at - gap.dot(*axis) / axis.length_squared()).clamp(-most, most);
            gap += *axis * (best - *at);
            *at = best;
        }
        if (gap - before).length() < 1e-14 {
            break;
        }
    }
    // The point of a: does it lie in b? 1e-9 is far above the rounding of all this.
    let point = a.center().as_dvec3() + columns[..3].iter().map(|(axis, _, at)| *axis * *at).sum::<DVec3>();
    let local = b.axes().as_dmat3().inverse() * (point - b.center().as_dvec3());
    if local.abs().cmple(half_b - 1e-9).all() {
        return Proof::Overlap;
    }
    let reach: f64 = columns.iter().map(|(axis, half, _)| gap.dot(*axis).abs() * half).sum();
    if gap.dot(start).abs() > reach + 1e-9 * gap.length() { Proof::Separate } else { Proof::Open }
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop_oneof![
        4 => prop::array::uniform4(-1.0f32..1.0),
        // Coordinate axes, quarter turns, and next to them: parallel and all but parallel edges.
        1 => prop::array::uniform4(prop::sample::select(vec![-1.0f32, 0.0, 0.0, 1.0])),
        1 => prop::array::uniform4(prop::sample::select(vec![1.0f32, 1e-4, -1e-7, 0.0, 1e-8])),
    ]
    .prop_map(Quat::from_array)
    .prop_filter("a length", |q| q.length_squared() > 1e-2)
    .prop_map(Quat::normalize)
}

fn oriented_box() -> impl Strategy<Value = OrientedBox> {
    let side = || prop_oneof![20 => 0.01f32..1.5, 1 => Just(0.0f32), 3 => Just(1.0f32)];
    (prop::array::uniform3(-1.3f32..1.3), prop::array::uniform3(side()), rotation())
        .prop_map(|(center, half, rotation)| OrientedBox::new(center.into(), half.into(), rotation).unwrap())
}

/// Bisects, float by float, for where a claim about numbers >= 0 ends.
fn last_true(holds: f32, fails: f32, claim: impl Fn(f32) -> bool) -> f32 {
    let (mut holds, mut fails) = (holds.to_bits(), fails.to_bits());
    while fails - holds > 1 {
        let middle = holds + (fails - holds) / 2;
        if claim(f32::from_bits(middle)) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
    f32::from_bits(holds)
}

/// A box on a grid on which centres and half widths are exact.
fn grid_box() -> impl Strategy<Value = Aabb> {
    (prop::array::uniform3(-40i32..40), prop::array::uniform3(0i32..30)).prop_map(|(min, widths)| {
        let corner = |of: [i32; 3]| Vec3::from(of.map(|x| x as f32 / 16.0));
        Aabb::new(corner(min), corner(min) + corner(widths))
    })
}

fn in_a_cube() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f32..=1.0).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_test_says_what_can_be_proven(a in oriented_box(), b in oriented_box()) {
        match prove(&a, &b) {
            Proof::Overlap => prop_assert!(a.overlaps(&b)),
            Proof::Separate => prop_assert!(!a.overlaps(&b)),
            Proof::Open => {}
        }
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
    }

    #[test]
    fn boxes_with_a_sampled_point_in_common_overlap(a in oriented_box(), b in oriented_box(), at in in_a_cube()) {
        let point = b.center() + b.axes() * (b.half_extents() * at);
        if a.contains_point(point) && b.contains_point(point) {
            prop_assert!(a.overlaps(&b));
        }
        let there = OrientedBox::new(point, Vec3::ZERO, Quat::IDENTITY).unwrap();
        prop_assert!(a.overlaps(&there) || !a.contains_point(point));
    }

    /// Where the answer turns from yes to no, it turns for both orders at once: an error of rounding would show here.
    #[test]
    fn the_answer_does_not_depend_on_the_order(
        a in oriented_box(), half in prop::array::uniform3(0.01f32..1.5), rotation in rotation(),
    ) {
        // First along x, to a step of f32; then along y from zero, where the steps are finer than those of the test.
        let a = OrientedBox::from_axes(Vec3::ZERO, a.half_extents(), a.axes()).unwrap();
        let both = |x: f32, y: f32| {
            let b = OrientedBox::new(Vec3::new(x, y, 0.0), half.into(), rotation).unwrap();
            assert_eq!(a.overlaps(&b), b.overlaps(&a), "{a:?} {b:?}");
            a.overlaps(&b)
        };
        let x = last_true(0.0, 20.0, |x| both(x, 0.0));
        for sign in [1.0, -1.0] {
            last_true(0.0, 1e-3, |y| both(x, sign * y));
        }
    }

    #[test]
    fn upright_oriented_boxes_are_boxes(a in grid_box(), b in grid_box()) {
        let (turned_a, turned_b) = (OrientedBox::from_aabb(&a).unwrap(), OrientedBox::from_aabb(&b).unwrap());
        prop_assert_eq!(turned_a.axes(), Mat3::IDENTITY);
        prop_assert_eq!(turned_a.overlaps(&turned_b), a.overlaps(&b));
        prop_assert_eq!(turned_a.aabb(), a);
        let built = OrientedBox::new(a.center(), a.extents() * 0.5, Quat::IDENTITY).unwrap();
        prop_assert_eq!(built, turned_a);
    }

    /// Off the grid the oriented box may be a rounding step larger, never smaller.
    #[test]
    fn boxes_that_overlap_do_so_as_oriented_boxes(
        corners in prop::array::uniform4(prop::array::uniform3(-1e3f32..1e3)), scale in -150i32..118,
    ) {
        let [a, b, c, d] = corners.map(|corner| Vec3::from(corner) * 2.0f32.powi(scale));
        let (ab, cd) = (Aabb::from_points(&[a, b]).unwrap(), Aabb::from_points(&[c, d]).unwrap());
        let (turned_ab, turned_cd) = (OrientedBox::from_aabb(&ab).unwrap(), OrientedBox::from_aabb(&cd).unwrap());
        prop_assert!(turned_ab.overlaps(&turned_cd) || !ab.overlaps(&cd));
        prop_assert!(turned_ab.aabb().contains(&ab));
    }

    #[test]
    fn boxes_that_touch_face_to_face_overlap(half in prop::array::uniform3(0.01f32..2.0), rotation in rotation()) {
        // All edges are parallel, so every cross product is zero or noise. The rounding of the centre stays below 1e-6.
        let a = OrientedBox::new(Vec3::ZERO, half.into(), rotation).unwrap();
        for k in 0..3 {
            let at = |way: f32| OrientedBox::from_axes(a.axes().col(k) * way, half.into(), a.axes()).unwrap();
            prop_assert!(a.overlaps(&at(2.0 * half[k] - 1e-6)));
            prop_assert!(!a.overlaps(&at(2.0 * half[k] + 1e-6)));
        }
    }
}

/// A reference that leaves most cases open, or always says the same, would prove nothing.
#[test]
fn the_reference_proves_nearly_everything() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut overlap, mut separate, mut open) = (0, 0, 0);
    for _ in 0..2000 {
        let mut next = || oriented_box().new_tree(&mut runner).unwrap().current();
        match prove(&next(), &next()) {
            Proof::Overlap => overlap += 1,
            Proof::Separate => separate += 1,
            Proof::Open => open += 1,
        }
    }
    assert!(overlap > 500 && separate > 500, "{overlap} overlap, {separate} separate, {open} open");
    assert!(open < 100, "{overlap} overlap, {separate} separate, {open} open");
}
