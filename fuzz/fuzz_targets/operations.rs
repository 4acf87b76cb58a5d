//! Bytes become a sequence of operations on a store, frames among them. In every frame every finder of the catalog must
//! find the pairs of brute force, and report exactly what was added and removed.

#![no_main]

use arbitrary::{Result, Unstructured};
use jostle_broad::glam::Vec3;
use jostle_broad::verify::true_pairs;
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, Catalog, Dimensions, Executor, Filter, FindSettings, Lanes, Moved, OverlapMethod,
    Pair, PairFinder, SapSimd, Sweep, SweepTuning,
};
use libfuzzer_sys::fuzz_target;

/// More operations than this find nothing that fewer do not.
const MOST_OPERATIONS: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    // The bytes ran out: what was done so far has been checked.
    let _ended = play(&mut bytes);
});

fn play(bytes: &mut Unstructured<'_>) -> Result<()> {
    let margin = *bytes.choose(&[0.0, 0.1, 1.0, 1e-45, f32::MAX])?;
    let dimensions = if bytes.arbitrary()? { Dimensions::Two } else { Dimensions::Three };
    let settings = BoxesSettings { dimensions, margin, fixed_pairs: bytes.arbitrary()? };
    let mut boxes = Boxes::new(settings).expect("these margins are legal");
    let lanes = *bytes.choose(&Lanes::available())?;
    let mut panel = Panel::new(lanes);
    for _ in 0..MOST_OPERATIONS {
        if bytes.is_empty() {
            break;
        }
        operate(&mut boxes, &mut panel, bytes)?;
    }
    panel.frame(&boxes, true);
    Panel::new(lanes).frame(&boxes, true);
    Ok(())
}

/// What the store refuses (an id twice, an unknown id, a NaN) must leave everything as it was, so it is not an error.
fn operate(boxes: &mut Boxes, panel: &mut Panel, bytes: &mut Unstructured<'_>) -> Result<()> {
    let _refused = match bytes.int_in_range(0..=15u8)? {
        0..=4 => boxes.insert(id(bytes)?, aabb(bytes)?, filter(bytes)?),
        5 => boxes.remove(id(bytes)?).map(drop),
        6 | 7 => boxes.set(id(bytes)?, aabb(bytes)?),
        8 => {
            let (id, by) =
                (id(bytes)?, Vec3::new(coordinate(bytes)?, coordinate(bytes)?, coordinate(bytes)?));
            boxes.get(id).map_or(Ok(()), |aabb| boxes.set(id, Aabb::new(aabb.min + by, aabb.max + by)))
        }
        9 => boxes.set_filter(id(bytes)?, filter(bytes)?),
        10 => {
            boxes.exclude(id(bytes)?, id(bytes)?);
            Ok(())
        }
        11 => {
            boxes.include(id(bytes)?, id(bytes)?);
            Ok(())
        }
        12 => {
            let count = bytes.int_in_range(0..=30usize)?;
            let aabbs = (0..count).map(|_| aabb(bytes)).collect::<Result<Vec<Aabb>>>()?;
            boxes.update(Moved::All, &aabbs)
        }
        13 => {
            // As many as there are, so that some change hands.
            let mut aabbs = (0..boxes.len()).map(|_| aabb(bytes)).collect::<Result<Vec<Aabb>>>()?;
            boxes.exchange(&Executor::serial(), &mut aabbs)
        }
        _ => {
            panel.frame(boxes, bytes.arbitrary()?);
            Ok(())
        }
    };
    Ok(())
}

fn id(bytes: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match bytes.arbitrary::<u8>()? {
        byte @ 0..=239 => u32::from(byte % 24),
        byte => u32::MAX - u32::from(255 - byte) * 70_000,
    })
}

fn coordinate(bytes: &mut Unstructured<'_>) -> Result<f32> {
    Ok(match bytes.int_in_range(0..=9u8)? {
        0..=4 => f32::from(bytes.arbitrary::<i8>()? / 16),
        5..=7 => f32::from(bytes.arbitrary::<i8>()?) * 0.1,
        8 => *bytes.choose(&[f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 1e-45, -0.0])?,
        _ => f32::from_bits(bytes.arbitrary()?),
    })
}

/// Mostly a box, because what is refused at once teaches nothing.
fn aabb(bytes: &mut Unstructured<'_>) -> Result<Aabb> {
    let (mut a, mut b) = (Vec3::ZERO, Vec3::ZERO);
    for axis in 0..3 {
        (a[axis], b[axis]) = (coordinate(bytes)?, coordinate(bytes)?);
    }
    let sort = bytes.int_in_range(0..=15u8)? > 0;
    Ok(if sort { Aabb::new(a.min(b), a.max(b)) } else { Aabb::new(a, b) })
}

fn filter(bytes: &mut Unstructured<'_>) -> Result<Filter> {
    if bytes.int_in_range(0..=3u8)? > 0 {
        return Ok(Filter::default());
    }
    let (group, mask) = (bytes.int_in_range(0..=3u32)?, bytes.int_in_range(0..=3u32)?);
    Ok(Filter::default().movable(bytes.arbitrary()?).sensing(bytes.arbitrary()?).groups(group, mask))
}

/// All finders, and the truth of the frame before.
struct Panel {
    finders: Vec<Box<dyn PairFinder>>,
    settings: FindSettings,
    before: Vec<Pair>,
}

impl Panel {
    fn new(lanes: Lanes) -> Self {
        let mut catalog = Catalog::builtin();
        // Tuned so that small scenes reach what is made for large ones.
        let tuning = SweepTuning { direct_limit: 0, crowd: 4, crowded_window: 2 };
        catalog.register("sweep-crowded", "columns in columns", move || Sweep::new(tuning));
        catalog.register("sap-simd-all", "against all", || SapSimd::new(OverlapMethod::ChangedAgainstAll));
        let finders = catalog.iter().map(|entry| entry.make()).collect();
        let settings = FindSettings { executor: Executor::serial(), lanes, ..FindSettings::default() };
        Self { finders, settings, before: Vec::new() }
    }

    fn frame(&mut self, boxes: &Boxes, changes: bool) {
        let truth = true_pairs(boxes);
        let only_in = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
            a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
        };
        let (added, removed) = (only_in(&truth, &self.before), only_in(&self.before, &truth));
        self.settings.changes = changes;
        for finder in &mut self.finders {
            let limit = truth.len().checked_sub(1);
            let tight = FindSettings { pair_limit: limit, ..self.settings.clone() };
            if limit.is_some() {
                assert!(
                    finder.update(boxes, &tight).is_err(),
                    "{}: too many pairs for the limit",
                    finder.name()
                );
            }
            finder.update(boxes, &self.settings).expect("no limit is set, and the boxes are few");
            let pairs = finder.pairs();
            assert_eq!(pairs.as_slice(), truth, "{}", finder.name());
            if changes {
                assert_eq!(pairs.added(), added, "{}: added", finder.name());
                assert_eq!(pairs.removed(), removed, "{}: removed", finder.name());
            }
        }
        self.before = truth;
    }
}
