//! Random sequences of everything a caller can do to a store, small enough to shrink to a readable case.

use glam::Vec3;
use jostle_broad::{Aabb, Boxes, BoxesSettings, Dimensions, Filter};
use proptest::prelude::*;

use crate::{Panel, cases, check_cold, settings};

#[derive(Clone, Debug)]
enum Operation {
    Insert { id: u32, aabb: Aabb, filter: Filter },
    Remove { id: u32 },
    Set { id: u32, aabb: Aabb },
    Nudge { id: u32, by: Vec3 },
    SetFilter { id: u32, filter: Filter },
    Exclude { a: u32, b: u32 },
    Include { a: u32, b: u32 },
    Frame,
}

/// Coordinates that meet exactly, nearly, and far out.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => (-8i32..8).prop_map(|i| i as f32),
        6 => (-80i32..80).prop_map(|i| i as f32 * 0.1),
        1 => prop::sample::select(vec![0.0, -0.0, f32::MIN_POSITIVE, 1e-45, -1e-45, 1.0f32.next_up(), 1e30, -1e30]),
    ]
}

fn width() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => Just(0.0f32),
        8 => (0i32..30).prop_map(|i| i as f32 * 0.1),
        2 => (0i32..4).prop_map(|i| i as f32),
        1 => prop::sample::select(vec![100.0f32, 1e-3, 1e20, f32::MIN_POSITIVE]),
    ]
}

fn interval() -> impl Strategy<Value = (f32, f32)> {
    prop_oneof![
        24 => (coordinate(), width()).prop_map(|(min, width)| (min, min + width)),
        1 => coordinate().prop_map(|max| (f32::NEG_INFINITY, max)),
        1 => coordinate().prop_map(|min| (min, f32::INFINITY)),
        1 => Just((f32::NEG_INFINITY, f32::INFINITY)),
    ]
}

fn aabb() -> impl Strategy<Value = Aabb> {
    (interval(), interval(), interval())
        .prop_map(|(x, y, z)| Aabb::new(Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1)))
}

fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![
        3 => Just(Filter::default()),
        2 => (any::<bool>(), any::<bool>(), 0u32..4, 0u32..4)
            .prop_map(|(movable, sensor, group, mask)| {
                Filter::default().movable(movable).sensing(sensor).groups(group, mask)
            }),
    ]
}

/// Few ids, so that they are used again; some far apart.
fn id() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0u32..24, 1 => prop::sample::select(vec![1000, 70_000, 1 << 30, u32::MAX - 1, u32::MAX])]
}

fn operation() -> impl Strategy<Value = Operation> {
    let small = -0.3f32..0.3;
    prop_oneof![
        8 => (id(), aabb(), filter()).prop_map(|(id, aabb, filter)| Operation::Insert { id, aabb, filter }),
        3 => id().prop_map(|id| Operation::Remove { id }),
        4 => (id(), aabb()).prop_map(|(id, aabb)| Operation::Set { id, aabb }),
        6 => (id(), small.clone(), small.clone(), small)
            .prop_map(|(id, x, y, z)| Operation::Nudge { id, by: Vec3::new(x, y, z) }),
        1 => (id(), filter()).prop_map(|(id, filter)| Operation::SetFilter { id, filter }),
        1 => (id(), id()).prop_map(|(a, b)| Operation::Exclude { a, b }),
        1 => (id(), id()).prop_map(|(a, b)| Operation::Include { a, b }),
        4 => Just(Operation::Frame),
    ]
}

fn boxes_settings() -> impl Strategy<Value = BoxesSettings> {
    let margin = prop_oneof![3 => Just(0.0f32), 1 => Just(0.1), 1 => Just(1.0), 1 => Just(1e-45)];
    (any::<bool>(), margin, any::<bool>()).prop_map(|(flat, margin, fixed_pairs)| BoxesSettings {
        dimensions: if flat { Dimensions::Two } else { Dimensions::Three },
        margin,
        fixed_pairs,
    })
}

/// Applies an operation; what the store refuses (an id twice, an unknown id) changes nothing.
fn apply(boxes: &mut Boxes, operation: &Operation) {
    let _refused = match operation.clone() {
        Operation::Insert { id, aabb, filter } => boxes.insert(id, aabb, filter),
        Operation::Remove { id } => boxes.remove(id).map(drop),
        Operation::Set { id, aabb } => boxes.set(id, aabb),
        Operation::Nudge { id, by } => match boxes.get(id) {
            Some(aabb) => boxes.set(id, Aabb::new(aabb.min + by, aabb.max + by)),
            None => Ok(()),
        },
        Operation::SetFilter { id, filter } => boxes.set_filter(id, filter),
        Operation::Exclude { a, b } => {
            boxes.exclude(a, b);
            Ok(())
        }
        Operation::Include { a, b } => {
            boxes.include(a, b);
            Ok(())
        }
        Operation::Frame => Ok(()),
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(96), ..ProptestConfig::default() })]

    #[test]
    fn every_finder_agrees_with_brute_force_under_random_operations(
        boxes_settings in boxes_settings(),
        operations in prop::collection::vec(operation(), 0..150),
    ) {
        let settings = settings();
        let mut panel = Panel::new(&settings);
        let mut boxes = Boxes::new(boxes_settings).unwrap();
        for operation in operations.iter().chain([&Operation::Frame]) {
            apply(&mut boxes, operation);
            if matches!(operation, Operation::Frame) {
                panel.check(&boxes).map_err(TestCaseError::fail)?;
            }
        }
        check_cold(&boxes, &settings).map_err(TestCaseError::fail)?;
    }
}
