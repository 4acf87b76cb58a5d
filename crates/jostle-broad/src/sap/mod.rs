//! Sweep and prune: boxes sorted by where they begin and end along the axes, kept sorted from frame to frame.
//!
//! Two finders after 'Broadphase collision detection on the Cell processor' (seed 000): [`Sap`] is its persistent
//! sweep and prune (section 4.1), [`SapSimd`] its parallel form (section 4.2). Both repair last frame's sorted lists,
//! both know how much repairing costs less than starting over, and both start over with the same [`sweep`].

mod axis_list;
mod endpoint;
mod endpoint_arrays;
mod incremental;
mod parallel;
mod patience;
mod sweep;

pub use incremental::Sap;
pub use parallel::{OverlapMethod, SapSimd};

use crate::{FindError, FindSettings, Pair, PairBuffer};

/// A slot whose box has moved.
const MOVED: u8 = 1;
/// A slot that was filled, emptied or given another filter.
const STRUCTURAL: u8 = 2;

/// Hands changes to a pair buffer: lists that may name a pair twice, and pairs both taken out and put back in.
fn apply_changes(
    pairs: &mut PairBuffer,
    added: &mut Vec<Pair>,
    removed: &mut Vec<Pair>,
    settings: &FindSettings,
) -> Result<(), FindError> {
    for list in [&mut *added, &mut *removed] {
        list.sort_unstable();
        list.dedup();
    }
    cancel_common(added, removed);
    pairs.apply(added, removed, settings)
}

/// Drops from two sorted lists what is in both.
fn cancel_common(a: &mut Vec<Pair>, b: &mut Vec<Pair>) {
    let (mut i, mut j) = (0, 0);
    let (mut kept_a, mut kept_b) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
            std::cmp::Ordering::Less => {
                a[kept_a] = a[i];
                (i, kept_a) = (i + 1, kept_a + 1);
            }
            std::cmp::Ordering::Greater => {
                b[kept_b] = b[j];
                (j, kept_b) = (j + 1, kept_b + 1);
            }
        }
    }
    a.drain(kept_a..i);
    b.drain(kept_b..j);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_both_lists_is_in_neither() {
        let pairs = |highs: &[u32]| highs.iter().map(|&high| Pair { low: 0, high }).collect::<Vec<_>>();
        let cases: [[&[u32]; 4]; 5] = [
            [&[], &[], &[], &[]],
            [&[1, 2, 3], &[], &[1, 2, 3], &[]],
            [&[1, 2, 3], &[1, 2, 3], &[], &[]],
            [&[1, 3, 5, 9], &[2, 3, 4, 9], &[1, 5], &[2, 4]],
            [&[7], &[1, 2, 7, 8, 9], &[], &[1, 2, 8, 9]],
        ];
        for [a, b, only_a, only_b] in cases {
            for (a, b, only_a, only_b) in [(a, b, only_a, only_b), (b, a, only_b, only_a)] {
                let (mut left, mut right) = (pairs(a), pairs(b));
                cancel_common(&mut left, &mut right);
                assert_eq!((left, right), (pairs(only_a), pairs(only_b)), "{a:?} {b:?}");
            }
        }
    }
}
