//! Bringing what has flipped, as those found it who looked after boxes at home, into the pairs: which bits of the sieve say so, and which
//! pairs came and went.

use super::Pair;
use super::sieve::Sieve;
use super::sort::{self, Scratch, Unsorted, bits_of};
use crate::FindSettings;
use crate::simd::{Flipped, Unsure};

/// What one task found to be others than they were: the same pairs twice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlipList<'a> {
    pub(crate) flipped: &'a [Flipped],
    /// Those of them that came, and those that went.
    pub(crate) changed: [&'a [Pair]; 2],
    /// The list that they are in.
    pub(crate) unsure: &'a [Unsure],
    /// Ids of slots, which else are the slots.
    pub(crate) ids: Option<&'a [u32]>,
}

/// The pair of ids; ids are those of slots, or the slots.
#[inline]
pub(crate) fn pair_of(unsure: Unsure, ids: Option<&[u32]>) -> Pair {
    let [low, high] = unsure.slots();
    match ids {
        None => Pair { low, high },
        Some(ids) => Pair::new(ids[low as usize], ids[high as usize]),
    }
}

/// How many pairs came, and how many went.
pub(super) fn count(lists: &[FlipList<'_>]) -> [usize; 2] {
    [0, 1].map(|which| lists.iter().map(|list| list.changed[which].len()).sum())
}

/// Flips that are worth another thread: one who came to look at homes may still be awake.
const WORTH_ANOTHER: usize = 1 << 11;
/// So many, and threads share the sorting.
const WORTH_THREADS: usize = 1 << 16;

/// One of the things to do. They need not wait for each other.
enum Work<'a> {
    /// Bits.
    Flip(&'a mut Sieve),
    /// What came, or what went.
    Sort(&'a [&'a [Pair]], &'a mut Vec<Pair>, &'a mut Scratch),
}

/// What has flipped comes and goes in the sieve, and so do others that were added and removed, both ascending. `sorted` become all
/// that came and all that went, if changes are asked for.
pub(super) fn deal(
    sieve: &mut Sieve,
    lists: &[FlipList<'_>],
    others: [&[Pair]; 2],
    sorted: [&mut Vec<Pair>; 2],
    scratch: &mut [Scratch; 2],
    settings: &FindSettings,
) {
    if !settings.changes {
        sorted.into_iter().for_each(Vec::clear);
        return flip(sieve, lists, others);
    }
    let runs = [0, 1].map(|which| {
        let of_lists = lists.iter().map(|list| list.changed[which]);
        of_lists.chain([others[which]]).collect::<Vec<_>>()
    });
    let flips: usize = count(lists).iter().sum();
    if flips >= WORTH_THREADS {
        flip(sieve, lists, others);
        let unsorted = runs.each_ref().map(|runs| Unsorted { runs, bits: bits_of(runs) });
        return sort::sorted_both(unsorted, sorted, scratch, settings);
    }
    let [came, went] = &runs;
    let [sorted_came, sorted_went] = sorted;
    let [scratch_came, scratch_went] = scratch;
    let mut work = [
        Work::Sort(came, sorted_came, scratch_came),
        Work::Flip(sieve),
        Work::Sort(went, sorted_went, scratch_went),
    ];
    let alone = settings.if_worth(false);
    settings.if_worth(flips >= WORTH_ANOTHER).executor.for_each(&mut work, |_, work| match work {
        Work::Flip(sieve) => flip(sieve, lists, others),
        Work::Sort(runs, sorted, scratch) => {
            sort::sorted(Unsorted { runs, bits: bits_of(runs) }, sorted, scratch, &alone);
        }
    });
}

/// Flips the bits of what has flipped, and those of others; takes note of what has none.
fn flip(sieve: &mut Sieve, lists: &[FlipList<'_>], others: [&[Pair]; 2]) {
    let mut outside = others.map(<[Pair]>::to_vec);
    let [mut came, mut went] = count(lists);
    for list in lists {
        for flipped in list.flipped {
            if !sieve.flip(flipped.position) {
                outside[usize::from(!flipped.has_come())].push(pair_of(list.unsure[flipped.at()], list.ids));
            }
        }
    }
    came -= outside[0].len() - others[0].len();
    went -= outside[1].len() - others[1].len();
    outside.iter_mut().for_each(|list| list.sort_unstable());
    sieve.come_and_go(came, went, &outside[0], &outside[1]);
}
