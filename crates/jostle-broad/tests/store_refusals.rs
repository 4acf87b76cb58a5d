//! Promise 3, nothing lost in silence, at the door: what is refused names id and axis and leaves the store as it was.

use glam::Vec3;
use jostle_broad::{
    Aabb, Axis, BoxError, BoxSlice, Boxes, BoxesSettings, Changes, Dimensions, Filter, Moved,
};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn aabb(numbers: [f32; 6]) -> Aabb {
    let [ax, ay, az, bx, by, bz] = numbers;
    Aabb::new(Vec3::new(ax, ay, az), Vec3::new(bx, by, bz))
}

fn unit() -> Aabb {
    aabb([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
}

fn three_boxes() -> Boxes {
    Boxes::from_aabbs(&[unit(); 3]).unwrap()
}

/// Everything one can read of a store.
fn contents(boxes: &Boxes) -> Vec<(u32, Option<Aabb>, Option<Filter>)> {
    boxes.ids().map(|id| (id, boxes.get(id), boxes.filter(id))).collect()
}

#[test]
fn bad_boxes_are_refused_by_name_wherever_they_come_in() {
    // (numbers, the axis to be named, a fragment of the message)
    let table = [
        ([NAN, 0.0, 0.0, 1.0, 1.0, 1.0], Axis::X, "NaN"),
        ([0.0, 0.0, 0.0, 1.0, NAN, 1.0], Axis::Y, "NaN"),
        ([0.0, 0.0, NAN, 1.0, 1.0, NAN], Axis::Z, "NaN"),
        ([0.0, 2.0, 0.0, 1.0, 1.0, 1.0], Axis::Y, "above max"),
        ([0.0, 0.0, 1.0f32.next_up(), 1.0, 1.0, 1.0], Axis::Z, "above max"),
        ([INF, 0.0, 0.0, INF, 1.0, 1.0], Axis::X, "infinity"),
        ([0.0, -INF, 0.0, 1.0, -INF, 1.0], Axis::Y, "infinity"),
        ([0.0, 0.0, INF, 1.0, 1.0, 1.0], Axis::Z, "infinity"),
    ];
    for (numbers, axis, fragment) in table {
        let bad = aabb(numbers);
        let doubles = numbers.map(f64::from);
        let all = [unit(), bad, unit()];
        type Attempt<'a> = (&'a str, Box<dyn Fn(&mut Boxes) -> Result<(), BoxError> + 'a>);
        let attempts: [Attempt<'_>; 6] = [
            ("insert", Box::new(|boxes| boxes.insert(9, bad, Filter::default()))),
            ("set", Box::new(|boxes| boxes.set(1, bad))),
            ("update all", Box::new(|boxes| boxes.update(Moved::All, &all[..]))),
            ("update ids", Box::new(|boxes| boxes.update(Moved::Ids(&[0, 1]), &all[..]))),
            ("update listed", Box::new(|boxes| boxes.update_listed(&[2, 1], &[unit(), bad][..]))),
            (
                "update listed f64",
                Box::new(|boxes| boxes.update_listed(&[1], BoxSlice::strided_f64(&doubles, 6, 0).unwrap())),
            ),
        ];
        for (name, attempt) in attempts {
            let mut boxes = three_boxes();
            boxes.set(0, aabb([5.0, 5.0, 5.0, 6.0, 6.0, 6.0])).unwrap();
            let (before, revision) = (contents(&boxes), boxes.revision());
            let error = attempt(&mut boxes).expect_err(name);
            let id = if name == "insert" { 9 } else { 1 };
            let message = error.to_string();
            for expected in [&format!("box {id}:"), &format!("{axis} axis"), fragment] {
                assert!(message.contains(expected), "{name}: `{message}` does not say `{expected}`");
            }
            assert_eq!(contents(&boxes), before, "{name} changed the store");
            assert_eq!(boxes.revision(), revision, "{name} made history");
        }
    }
}

#[test]
fn inverted_doubles_are_refused_even_where_rounding_would_hide_it() {
    let numbers = [0.1 + 1e-12, 0.0, 0.0, 0.1, 1.0, 1.0];
    let mut boxes = three_boxes();
    let slice = BoxSlice::strided_f64(&numbers, 6, 0).unwrap();
    assert!(matches!(boxes.update_listed(&[0], slice), Err(BoxError::Inverted { id: 0, axis: Axis::X, .. })));
}

#[test]
fn ids_and_slices_are_checked() {
    let mut boxes = three_boxes();
    let before = contents(&boxes);
    assert_eq!(boxes.insert(1, unit(), Filter::default()), Err(BoxError::DuplicateId { id: 1 }));
    assert_eq!(boxes.set(7, unit()), Err(BoxError::UnknownId { id: 7 }));
    assert_eq!(boxes.remove(7), Err(BoxError::UnknownId { id: 7 }));
    assert_eq!(boxes.set_filter(7, Filter::fixed()), Err(BoxError::UnknownId { id: 7 }));
    assert_eq!(boxes.update_listed(&[2, 0, 2], &[unit(); 3][..]), Err(BoxError::ListedTwice { id: 2 }));
    assert_eq!(
        boxes.update(Moved::All, &[unit(); 2][..]),
        Err(BoxError::SliceTooShort { id: 2, needed: 2, given: 2 })
    );
    assert!(matches!(BoxSlice::strided_f32(&[0.0; 12], 5, 0), Err(BoxError::BadStride { .. })));
    assert!(matches!(BoxSlice::strided_f32(&[0.0; 12], 8, 3), Err(BoxError::BadStride { .. })));
    assert!(matches!(BoxSlice::strided_f32(&[0.0; 12], 8, usize::MAX), Err(BoxError::BadStride { .. })));
    for margin in [-1.0, NAN, INF] {
        assert!(Boxes::new(BoxesSettings { margin, ..BoxesSettings::default() }).is_err(), "{margin}");
    }
    assert_eq!(contents(&boxes), before);
}

#[test]
fn strided_slices_are_read_in_place() {
    // Records of eight numbers, the box from the second on; the last record ends with its box.
    let mut records = Vec::new();
    for i in 0..3 {
        records.extend([99.0, i as f32, 0.0, 0.0, i as f32 + 1.0, 1.0, 1.0, 99.0]);
    }
    records.pop();
    let slice = BoxSlice::strided_f32(&records, 8, 1).unwrap();
    assert_eq!(slice.len(), 3);
    let mut boxes = three_boxes();
    boxes.update(Moved::All, slice).unwrap();
    assert_eq!(boxes.get(2), Some(aabb([2.0, 0.0, 0.0, 3.0, 1.0, 1.0])));
}

#[test]
fn negative_zero_becomes_zero_at_the_door() {
    let mut boxes = Boxes::default();
    boxes.insert(0, aabb([-0.0, -0.0, -0.0, -0.0, -0.0, -0.0]), Filter::default()).unwrap();
    let zero = boxes.get(0).unwrap();
    assert!(zero.min.to_array().iter().chain(&zero.max.to_array()).all(|number| number.to_bits() == 0));
}

#[test]
fn the_given_box_is_kept_with_a_margin_and_in_two_dimensions() {
    let settings = BoxesSettings { dimensions: Dimensions::Two, margin: 0.5, fixed_pairs: false };
    let mut boxes = Boxes::new(settings).unwrap();
    let given = aabb([0.0, 0.0, 7.0, 1.0, 1.0, 8.0]);
    boxes.insert(3, given, Filter::default()).unwrap();
    assert_eq!(boxes.get(3), Some(given));
    assert_eq!(boxes.remove(3), Ok(given));
}

#[test]
fn a_margin_is_a_comparison_of_real_numbers() {
    let margin = 0.1f32;
    let mut boxes = Boxes::new(BoxesSettings { margin, ..BoxesSettings::default() }).unwrap();
    let end = 16.0f32;
    // The largest start that is within the margin in real arithmetic, and the next one.
    let exact = f64::from(end) + f64::from(margin);
    let mut last = exact as f32;
    if f64::from(last) > exact {
        last = last.next_down();
    }
    boxes.insert(0, aabb([0.0, 0.0, 0.0, end, 1.0, 1.0]), Filter::default()).unwrap();
    boxes.insert(1, aabb([last, 0.0, 0.0, 20.0, 1.0, 1.0]), Filter::default()).unwrap();
    let slots = (boxes.slot_of(0).unwrap(), boxes.slot_of(1).unwrap());
    assert!(boxes.is_pair(slots.0, slots.1));
    boxes.set(1, aabb([last.next_up(), 0.0, 0.0, 20.0, 1.0, 1.0])).unwrap();
    assert!(!boxes.is_pair(slots.0, slots.1));
}

#[test]
fn the_history_names_what_changed_and_forgets_in_the_open() {
    let mut boxes = three_boxes();
    let start = boxes.revision();
    boxes.set(1, aabb([0.0, 0.0, 0.0, 2.0, 2.0, 2.0])).unwrap();
    boxes.set(1, aabb([0.0, 0.0, 0.0, 2.0, 2.0, 2.0])).unwrap();
    boxes.remove(2).unwrap();
    let Changes::These(changes) = boxes.changes_since(Some(start)) else { panic!("too soon to forget") };
    let seen: Vec<(u32, bool)> =
        changes.iter().map(|change| (change.slot(), change.is_structural())).collect();
    assert_eq!(seen, [(1, false), (2, true)], "setting the same box again is no change");
    assert!(matches!(boxes.changes_since(None), Changes::Everything));
    assert!(
        matches!(boxes.clone().changes_since(Some(start)), Changes::Everything),
        "a copy is another store"
    );
    for i in 0..10_000 {
        boxes.set(0, aabb([0.0, 0.0, 0.0, 1.0, 1.0, i as f32])).unwrap();
    }
    assert!(matches!(boxes.changes_since(Some(start)), Changes::Everything));
    let last = boxes.revision();
    boxes.update(Moved::All, &[unit(), unit(), unit()][..]).unwrap();
    assert!(matches!(boxes.changes_since(Some(last)), Changes::These(changes) if changes.len() == 2));
}
