//! The tree answers every question as brute force over the exact boxes does, whatever was done to it before.

use std::collections::BTreeMap;

use glam::Vec3;
use jostle_broad::{
    Aabb, BoxError, Executor, Frustum, Pair, Plane, QueryError, Ray, RayHit, Tree, TreeSettings,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Operation {
    Insert(u32, Aabb),
    InsertAll(Vec<(u32, Aabb)>),
    Remove(u32),
    Set(u32, Aabb),
    Nudge(u32, Vec3),
    Refit,
    Rebuild,
    Tend,
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        12 => (-8i32..8).prop_map(|i| i as f32),
        12 => -8.0f32..8.0,
        1 => prop::sample::select(vec![0.0, -0.0, 1e-45, -1e-45, 1e30, -1e30, f32::MAX, f32::MIN]),
    ]
}

fn interval() -> impl Strategy<Value = (f32, f32)> {
    let width = prop_oneof![2 => Just(0.0f32), 8 => 0.0f32..3.0, 1 => Just(1e20f32), 1 => Just(50.0f32)];
    prop_oneof![
        24 => (coordinate(), width).prop_map(|(min, width)| (min, min + width)),
        1 => coordinate().prop_map(|max| (f32::NEG_INFINITY, max)),
        1 => coordinate().prop_map(|min| (min, f32::INFINITY)),
        1 => Just((f32::NEG_INFINITY, f32::INFINITY)),
    ]
}

fn aabb() -> impl Strategy<Value = Aabb> {
    (interval(), interval(), interval())
        .prop_map(|(x, y, z)| Aabb::new(Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1)))
}

fn key() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0u32..40, 1 => prop::sample::select(vec![70_000, 1 << 30, u32::MAX - 1, u32::MAX])]
}

fn point() -> impl Strategy<Value = Vec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn operation() -> impl Strategy<Value = Operation> {
    let step = -0.3f32..0.3;
    prop_oneof![
        6 => (key(), aabb()).prop_map(|(key, aabb)| Operation::Insert(key, aabb)),
        1 => prop::collection::vec((key(), aabb()), 0..30).prop_map(Operation::InsertAll),
        2 => key().prop_map(Operation::Remove),
        3 => (key(), aabb()).prop_map(|(key, aabb)| Operation::Set(key, aabb)),
        4 => (key(), step.clone(), step.clone(), step)
            .prop_map(|(key, x, y, z)| Operation::Nudge(key, Vec3::new(x, y, z))),
        1 => Just(Operation::Refit),
        1 => Just(Operation::Rebuild),
        1 => Just(Operation::Tend),
    ]
}

/// Does the same to a tree and to a plain map, and compares what both say about it.
fn apply(
    tree: &mut Tree,
    model: &mut BTreeMap<u32, Aabb>,
    operation: &Operation,
) -> Result<(), TestCaseError> {
    let executor = Executor::serial();
    match operation.clone() {
        Operation::Insert(key, aabb) => {
            let inserted = tree.insert(key, aabb);
            if let std::collections::btree_map::Entry::Vacant(entry) = model.entry(key) {
                prop_assert_eq!(inserted, Ok(()));
                entry.insert(aabb);
            } else {
                prop_assert_eq!(inserted, Err(BoxError::DuplicateId { id: key }));
            }
        }
        Operation::InsertAll(boxes) => {
            let mut after = model.clone();
            let fits = boxes.iter().all(|&(key, aabb)| after.insert(key, aabb).is_none());
            prop_assert_eq!(tree.insert_all(boxes, &executor).is_ok(), fits);
            if fits {
                *model = after;
            }
        }
        Operation::Remove(key) => prop_assert_eq!(tree.remove(key).ok(), model.remove(&key)),
        Operation::Set(key, aabb) => {
            prop_assert_eq!(tree.set(key, aabb).is_ok(), model.contains_key(&key));
            model.entry(key).and_modify(|there| *there = aabb);
        }
        Operation::Nudge(key, by) => {
            if let Some(there) = model.get_mut(&key) {
                *there = Aabb::new(there.min + by, there.max + by);
                prop_assert!(tree.set(key, *there).is_ok());
            }
        }
        Operation::Refit => tree.refit(),
        Operation::Rebuild => tree.rebuild(&executor),
        Operation::Tend => {
            tree.tend(&executor);
        }
    }
    tree.validate().map_err(|defect| TestCaseError::fail(format!("after {operation:?}: {defect}")))
}

fn sorted_hits(model: &BTreeMap<u32, Aabb>, ray: &Ray) -> Vec<RayHit> {
    let mut hits: Vec<RayHit> = model
        .iter()
        .filter_map(|(&key, aabb)| ray.enters(aabb).map(|distance| RayHit { key, distance }))
        .collect();
    hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.key.cmp(&b.key)));
    hits
}

fn nearest(model: &BTreeMap<u32, Aabb>, point: Vec3, count: usize) -> Vec<u32> {
    let squared = |aabb: &Aabb| -> f64 {
        (0..3)
            .map(|axis| {
                let (at, min, max) =
                    (f64::from(point[axis]), f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
                let gap = if at < min {
                    min - at
                } else if at > max {
                    at - max
                } else {
                    0.0
                };
                gap * gap
            })
            .sum()
    };
    let mut all: Vec<(f64, u32)> = model.iter().map(|(&key, aabb)| (squared(aabb), key)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(count).map(|(_, key)| key).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn every_question_is_answered_as_by_brute_force(
        margin in prop::sample::select(vec![0.0f32, 0.1, 0.2, 3.0]),
        operations in prop::collection::vec(operation(), 0..80),
        query in aabb(),
        origin in point(),
        direction in (-2i32..3, -2i32..3, -2i32..3),
        skew in point(),
        max_distance in prop::sample::select(vec![0.0f32, 1.0, 7.5, f32::INFINITY]),
        count in 0usize..12,
        planes in prop::collection::vec((point(), coordinate()), 0..6),
    ) {
        let mut tree = Tree::new(TreeSettings { margin, rebuild_at: 1.1 }).unwrap();
        let mut model = BTreeMap::new();
        for operation in &operations {
            apply(&mut tree, &mut model, operation)?;
        }
        prop_assert_eq!(tree.len(), model.len());
        let mut held: Vec<u32> = tree.iter().map(|(key, _)| key).collect();
        held.sort_unstable();
        prop_assert!(held.iter().eq(model.keys()));
        for (key, aabb) in &model {
            prop_assert_eq!(tree.get(*key), Some(*aabb));
            prop_assert!(tree.fat(*key).unwrap().contains(aabb));
        }

        let mut keys = Vec::new();
        tree.overlaps(&query, &mut keys).unwrap();
        let expected: Vec<u32> =
            model.iter().filter(|(_, aabb)| aabb.overlaps(&query)).map(|(&key, _)| key).collect();
        prop_assert_eq!(keys, expected);

        let straight = Vec3::new(direction.0 as f32, direction.1 as f32, direction.2 as f32);
        for direction in [straight, skew] {
            let ray = Ray { origin, direction, max_distance };
            let mut hits = Vec::new();
            if direction == Vec3::ZERO {
                prop_assert_eq!(tree.cast_ray(&ray), Err(QueryError::NoDirection));
                continue;
            }
            tree.cast_ray_all(&ray, &mut hits).unwrap();
            let expected = sorted_hits(&model, &ray);
            prop_assert_eq!(tree.cast_ray(&ray).unwrap(), expected.first().copied());
            prop_assert_eq!(hits, expected);
        }

        let near: Vec<u32> = tree.nearest(origin, count).unwrap().iter().map(|near| near.key).collect();
        prop_assert_eq!(near, nearest(&model, origin, count));

        let planes: Vec<Plane> = planes.iter().map(|&(normal, offset)| Plane { normal, offset }).collect();
        if let Ok(frustum) = Frustum::new(&planes) {
            let mut keys = Vec::new();
            tree.in_frustum(&frustum, &mut keys);
            let expected: Vec<u32> =
                model.iter().filter(|(_, aabb)| frustum.meets(aabb)).map(|(&key, _)| key).collect();
            prop_assert_eq!(keys, expected);
        } else {
            prop_assert!(planes.iter().any(|plane| plane.normal == Vec3::ZERO));
        }

        let listed: Vec<(u32, Aabb)> = model.into_iter().collect();
        let mut expected = Vec::new();
        for (i, (a, a_box)) in listed.iter().enumerate() {
            let others = listed[i + 1..].iter().filter(|(_, b_box)| a_box.overlaps(b_box));
            expected.extend(others.map(|(b, _)| Pair::new(*a, *b)));
        }
        expected.sort();
        prop_assert_eq!(tree.overlapping_pairs(&Executor::new(2).unwrap()), expected);
    }

    /// The definition itself, against points of the ray and of the box.
    #[test]
    fn a_ray_enters_a_box_where_its_points_say_so(
        min in (-4i32..4, -4i32..4, -4i32..4), size in (0i32..3, 0i32..3, 0i32..3),
        origin in (-6i32..6, -6i32..6, -6i32..6), direction in (-1i32..2, -1i32..2, -1i32..2),
    ) {
        let vector = |(x, y, z): (i32, i32, i32)| Vec3::new(x as f32, y as f32, z as f32);
        let aabb = Aabb::new(vector(min), vector(min) + vector(size));
        let ray = Ray::new(vector(origin), vector(direction));
        // On the lattice with steps of 0, 1 or -1 a ray enters and leaves at whole numbers.
        let first = (0..16).find(|&t| {
            let at = ray.origin + ray.direction * t as f32;
            aabb.contains(&Aabb::new(at, at))
        });
        prop_assume!(ray.direction != Vec3::ZERO);
        prop_assert_eq!(ray.enters(&aabb), first.map(f64::from));
    }

    #[test]
    fn a_frustum_meets_a_box_that_has_a_corner_inside_of_each_plane(
        aabb in aabb().prop_filter("corners", Aabb::is_finite),
        planes in prop::collection::vec((point(), coordinate()), 1..5),
    ) {
        let planes: Vec<Plane> = planes.iter().map(|&(normal, offset)| Plane { normal, offset }).collect();
        prop_assume!(planes.iter().all(|plane| plane.normal != Vec3::ZERO));
        let corner = |i: u32, axis: usize| f64::from(if i >> axis & 1 == 1 { aabb.max[axis] } else { aabb.min[axis] });
        let inside = |plane: &Plane, i: u32| {
            let part = |axis: usize| f64::from(plane.normal[axis]) * corner(i, axis);
            f64::from(plane.offset) + part(0) + part(1) + part(2) >= 0.0
        };
        let expected = planes.iter().all(|plane| (0..8).any(|i| inside(plane, i)));
        prop_assert_eq!(Frustum::new(&planes).unwrap().meets(&aabb), expected);
    }
}

fn unit_cubes(count: u32) -> Tree {
    let mut tree = Tree::default();
    for key in 0..count {
        tree.insert(key, Aabb::from_center(Vec3::X * 3.0 * key as f32, Vec3::ONE)).unwrap();
    }
    tree
}

#[test]
fn questions_with_nan_are_refused() {
    let tree = unit_cubes(5);
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    let not_a_number = |error| matches!(error, QueryError::NotANumber { .. });
    assert!(not_a_number(tree.overlaps(&Aabb::new(nan, Vec3::ONE), &mut vec![]).unwrap_err()));
    assert!(not_a_number(tree.overlaps(&Aabb::NOWHERE, &mut vec![]).unwrap_err()));
    assert_eq!(tree.overlaps(&Aabb::new(Vec3::ONE, Vec3::ZERO), &mut vec![]), Err(QueryError::Inverted));
    assert!(not_a_number(tree.nearest(nan, 1).unwrap_err()));
    assert_eq!(tree.nearest(Vec3::INFINITY, 1), Err(QueryError::NotFinite { what: "point" }));
    for ray in [
        Ray::new(nan, Vec3::X),
        Ray::new(Vec3::ZERO, nan),
        Ray { max_distance: f32::NAN, ..Ray::new(Vec3::ZERO, Vec3::X) },
    ] {
        assert!(not_a_number(tree.cast_ray(&ray).unwrap_err()));
        assert!(not_a_number(tree.cast_ray_all(&ray, &mut vec![]).unwrap_err()));
    }
    let short = Ray { max_distance: -1.0, ..Ray::new(Vec3::ZERO, Vec3::X) };
    assert_eq!(tree.cast_ray(&short), Err(QueryError::NegativeDistance));
    assert!(not_a_number(Frustum::new(&[Plane { normal: nan, offset: 0.0 }]).unwrap_err()));
    assert_eq!(
        Frustum::new(&[Plane { normal: Vec3::ZERO, offset: 0.0 }]),
        Err(QueryError::NoNormal { index: 0 })
    );
}

#[test]
fn what_is_not_a_box_is_refused_and_changes_nothing() {
    let mut tree = unit_cubes(5);
    assert!(matches!(tree.insert(9, Aabb::NOWHERE), Err(BoxError::NotANumber { id: 9, .. })));
    assert!(matches!(tree.set(3, Aabb::new(Vec3::ONE, Vec3::ZERO)), Err(BoxError::Inverted { id: 3, .. })));
    assert_eq!(tree.remove(77), Err(BoxError::UnknownId { id: 77 }));
    let listed = [(20, Aabb::EVERYWHERE), (21, Aabb::EVERYWHERE), (20, Aabb::EVERYWHERE)];
    let refused = tree.insert_all(listed, &Executor::serial());
    assert_eq!(refused, Err(BoxError::DuplicateId { id: 20 }));
    assert_eq!(tree.len(), 5);
    tree.validate().unwrap();
    assert!(Tree::new(TreeSettings { margin: f32::NAN, ..TreeSettings::default() }).is_err());
    assert!(Tree::new(TreeSettings { rebuild_at: 0.5, ..TreeSettings::default() }).is_err());
}

#[test]
fn a_box_that_stays_in_its_fat_box_changes_nothing_else() {
    let mut tree = unit_cubes(50);
    let before = (tree.quality(), tree.fat(20));
    let exact = tree.get(20).unwrap();
    assert_eq!(tree.set(20, Aabb::new(exact.min + 0.05, exact.max + 0.05)), Ok(false));
    assert_eq!((tree.quality(), tree.fat(20)), before);
    assert_eq!(tree.set(20, Aabb::new(exact.min + 5.0, exact.max + 5.0)), Ok(true));
    tree.validate().unwrap();
}

/// Ten thousand boxes at one point, on one line and at 1e30, one after another: nothing may overflow a stack, turn into
/// a NaN or take quadratic time.
#[test]
fn degenerate_scenes_are_built_and_asked() {
    let places: [fn(u32) -> Vec3; 3] =
        [|_| Vec3::splat(7.0), |i| Vec3::X * i as f32, |i| Vec3::splat(1e30 * (i as f32 / 1e4))];
    for place in places {
        let mut tree = Tree::default();
        for i in 0..10_000 {
            tree.insert(i, Aabb::new(place(i), place(i))).unwrap();
        }
        tree.validate().unwrap();
        assert_eq!(tree.nearest(place(3), 1).unwrap()[0].distance, 0.0);
        tree.rebuild(&Executor::new(2).unwrap());
        tree.validate().unwrap();
        assert!(tree.quality().is_finite());
        assert_eq!(tree.nearest(place(9_999), 1).unwrap()[0].distance, 0.0);
    }
}

#[test]
fn the_tree_is_the_same_for_any_number_of_threads() {
    let stream = jostle_broad::scene::BoxStream::new(jostle_broad::scene::StreamKind::Disparity, 20_000, 5);
    let build = |threads| {
        let mut tree = Tree::default();
        let boxes = stream.boxes().iter().enumerate().map(|(key, aabb)| (key as u32, *aabb));
        tree.insert_all(boxes, &Executor::new(threads).unwrap()).unwrap();
        tree.validate().unwrap();
        // The order of the leaves is that of the tree, from left to right.
        (tree.quality(), tree.iter().map(|(key, _)| key).collect::<Vec<_>>())
    };
    assert!(build(1) == build(3));
}

#[test]
fn a_carried_box_meets_what_a_ray_meets_of_grown_boxes_and_visits_can_stop() {
    let at = |key: u32| Vec3::new((key * 7 % 20) as f32, (key * 3 % 11) as f32, (key * 5 % 13) as f32);
    let boxes: Vec<(u32, Aabb)> =
        (0..300).map(|key| (key, Aabb::from_center(at(key), Vec3::splat(0.3)))).collect();
    let mut tree = Tree::default();
    tree.insert_all(boxes.iter().copied(), &Executor::serial()).unwrap();
    let half = Vec3::new(1.5, 0.5, 2.25);
    let ray = Ray { max_distance: 9.0, ..Ray::new(Vec3::new(-3.0, 1.5, 2.0), Vec3::new(1.0, 0.4, 0.3)) };
    let mut met = Vec::new();
    tree.visit_ray(&ray, half, |hit| {
        met.push(hit.key);
        f64::INFINITY
    })
    .unwrap();
    met.sort_unstable();
    let grown = |aabb: &Aabb| Aabb::new(aabb.min - half, aabb.max + half);
    let expected: Vec<u32> =
        boxes.iter().filter(|(_, aabb)| ray.enters(&grown(aabb)).is_some()).map(|&(key, _)| key).collect();
    assert!(expected.len() > 5);
    assert_eq!(met, expected);
    assert!(tree.visit_ray(&ray, -half, |_| 0.0).is_err());
    assert!(tree.visit_ray(&ray, Vec3::NAN, |_| 0.0).is_err());

    // Everything within the distance asked for is shown, and not much else.
    let mut near = Vec::new();
    tree.visit_nearest(Vec3::splat(5.0), |found| {
        near.push(found);
        3.0
    })
    .unwrap();
    let all = tree.nearest(Vec3::splat(5.0), 300).unwrap();
    let within: Vec<_> = all.iter().filter(|found| found.distance <= 3.0).collect();
    assert!(!within.is_empty() && within.iter().all(|found| near.contains(found)));
    assert!(near.len() < 150, "{}", near.len());
}
