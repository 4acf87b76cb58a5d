//! Pairs between two sets: each box of one store against all of another.

use bytemuck::{Pod, Zeroable};

use crate::tree::{Tree, TreeSettings};
use crate::{Boxes, FindError, FindSettings};

/// A box of the first set and one of the second. They compare by `first`, then `second`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct CrossPair {
    /// The id in the first store.
    pub first: u32,
    /// The id in the second store.
    pub second: u32,
}

/// Queries that make a task worth handing to a thread.
const TASK_QUERIES: usize = 1024;

/// Some boxes and their partners. Pairs past the limit are counted, not kept.
struct Task<'a> {
    askers: &'a [u32],
    pairs: Vec<CrossPair>,
    found: usize,
}

/// All overlapping pairs of a box of `first` and a box of `second`, ascending. Pairs within one of them are not looked
/// for.
///
/// The two stores number their boxes each for itself; flags, groups and masks count as within one store, and a pair of
/// ids that either store excludes is left out. Both must have the same [`crate::BoxesSettings`].
///
/// ```
/// use jostle_broad::glam::Vec3;
/// use jostle_broad::{Aabb, Boxes, CrossPair, FindSettings, pairs_between};
///
/// let bullets = Boxes::from_aabbs(&[Aabb::new(Vec3::splat(0.9), Vec3::splat(1.1))])?;
/// let targets = Boxes::from_aabbs(&[Aabb::new(Vec3::splat(5.0), Vec3::splat(6.0)), Aabb::new(Vec3::ZERO, Vec3::ONE)])?;
/// let hits = pairs_between(&bullets, &targets, &FindSettings::default())?;
/// assert_eq!(hits, [CrossPair { first: 0, second: 1 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_between(
    first: &Boxes,
    second: &Boxes,
    settings: &FindSettings,
) -> Result<Vec<CrossPair>, FindError> {
    if first.settings() != second.settings() {
        return Err(FindError::UnlikeStores);
    }
    // The larger set becomes the tree: then the many are sorted once, and the few ask.
    let swapped = first.len() > second.len();
    let (asking, asked) = if swapped { (second, first) } else { (first, second) };
    let tight = TreeSettings { margin: 0.0, ..TreeSettings::default() };
    let mut tree = Tree::new(tight).expect("a margin of nothing is a margin");
    let leaves = asked.live_slots().map(|slot| (slot, *asked.aabb(slot)));
    tree.insert_all(leaves, &settings.executor).expect("slots are distinct, stored boxes are boxes");

    let slots: Vec<u32> = asking.live_slots().collect();
    let mut tasks: Vec<Task<'_>> =
        slots.chunks(TASK_QUERIES).map(|askers| Task { askers, pairs: Vec::new(), found: 0 }).collect();
    settings.executor.for_each(&mut tasks, |_, task| {
        let mut keys = Vec::new();
        for &asker in task.askers {
            keys.clear();
            tree.overlaps(asking.aabb(asker), &mut keys).expect("a stored box is a box");
            for &key in &keys {
                if asking.may_pair_with(asker, asked, key) {
                    let (a, b) = (asking.id(asker), asked.id(key));
                    let (first, second) = if swapped { (b, a) } else { (a, b) };
                    task.found += 1;
                    if settings.pair_limit.is_none_or(|limit| task.found <= limit) {
                        task.pairs.push(CrossPair { first, second });
                    }
                }
            }
        }
    });
    FindError::check_pairs(tasks.iter().map(|task| task.found).sum(), settings)?;
    let mut pairs: Vec<CrossPair> = tasks.into_iter().flat_map(|task| task.pairs).collect();
    pairs.sort_unstable();
    Ok(pairs)
}
