//! Comparing and changing lists of pairs that are in canonical order.
//!
//! Most pairs stay from frame to frame, so changing a list is about long stretches without a change: they are copied
//! several pairs at a time, or moved as a whole, and what costs is the branch guessed wrong at each change.

use super::Pair;
use super::sort::{NO_PAIR, take};
use crate::Executor;

/// How many pairs are looked at in one go.
const BLOCK: usize = 8;
/// Pairs that are worth another thread.
const WORTH_THREADS: usize = 1 << 13;

/// How many pieces there are for each thread: whoever is done first takes what is left.
const SHARES: usize = 8;

/// How many pieces to cut a list into. It shows in nothing but the time.
fn shares(len: usize, executor: &Executor) -> usize {
    if executor.threads() == 1 { 1 } else { (len / WORTH_THREADS).clamp(1, SHARES * executor.threads()) }
}

/// What a piece of two lists differs by. Kept from call to call: memory that is asked for anew costs more than comparing.
#[derive(Clone, Debug, Default)]
pub(super) struct Difference {
    added: Vec<Pair>,
    removed: Vec<Pair>,
}

impl Difference {
    pub(super) fn bytes(&self) -> usize {
        (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
    }
}

/// `added` becomes what is in `new` but not in `old`, `removed` the other way round; all four in canonical order.
pub(super) fn difference(
    old: &[Pair],
    new: &[Pair],
    added: &mut Vec<Pair>,
    removed: &mut Vec<Pair>,
    pieces: &mut Vec<Difference>,
    executor: &Executor,
) {
    match shares(old.len(), executor) {
        1 => {
            added.clear();
            removed.clear();
            difference_of(old, new, added, removed);
        }
        shares => {
            if pieces.len() < shares {
                pieces.resize_with(shares, Difference::default);
            }
            difference_in_shares(old, new, added, removed, &mut pieces[..shares], executor);
        }
    }
}

/// The same in as many pieces as there are places for them, cut where a pair of `old` says.
fn difference_in_shares(
    mut old: &[Pair],
    mut new: &[Pair],
    added: &mut Vec<Pair>,
    removed: &mut Vec<Pair>,
    pieces: &mut [Difference],
    executor: &Executor,
) {
    let mut work = Vec::with_capacity(pieces.len());
    for (rest, piece) in (1..=pieces.len()).rev().zip(&mut *pieces) {
        // The last share takes all that is left.
        let (old_end, new_end) = match old.get(old.len() / rest) {
            Some(&pivot) if rest > 1 => (old.len() / rest, new.partition_point(|pair| *pair < pivot)),
            _ => (old.len(), new.len()),
        };
        let ((old_part, old_rest), (new_part, new_rest)) = (old.split_at(old_end), new.split_at(new_end));
        work.push((old_part, new_part, piece));
        (old, new) = (old_rest, new_rest);
    }
    executor.for_each(&mut work, |_, (old, new, Difference { added, removed })| {
        added.clear();
        removed.clear();
        difference_of(old, new, added, removed);
    });
    join(pieces, added, removed, executor);
}

/// The lists become those of all pieces, one after another.
fn join(pieces: &[Difference], added: &mut Vec<Pair>, removed: &mut Vec<Pair>, executor: &Executor) {
    // What was there is overwritten.
    added.resize(pieces.iter().map(|piece| piece.added.len()).sum(), NO_PAIR);
    removed.resize(pieces.iter().map(|piece| piece.removed.len()).sum(), NO_PAIR);
    let executor = executor.if_worth(added.len() + removed.len() >= WORTH_THREADS);
    let (mut added, mut removed) = (added.as_mut_slice(), removed.as_mut_slice());
    let with_room = pieces
        .iter()
        .map(|piece| (piece, take(&mut added, piece.added.len()), take(&mut removed, piece.removed.len())));
    executor.for_each(&mut with_room.collect::<Vec<_>>(), |_, (piece, added, removed)| {
        added.copy_from_slice(&piece.added);
        removed.copy_from_slice(&piece.removed);
    });
}

/// Appends what is in `new` but not in `old`, and the other way round.
fn difference_of(mut old: &[Pair], mut new: &[Pair], added: &mut Vec<Pair>, removed: &mut Vec<Pair>) {
    const STEPS: usize = 256;
    let mut gone = [NO_PAIR; STEPS];
    let mut come = [NO_PAIR; STEPS];
    let mut are_alike = true;
    while !old.is_empty() && !new.is_empty() {
        let (mut i, mut j) = (0, 0);
        let (mut left, mut right) = (0, 0);
        let most = STEPS.min(old.len()).min(new.len());
        for _ in 0..most {
            let (a, b) = (old[i], new[j]);
            if are_alike && a == b {
                (i, j) = (i + 1, j + 1);
                continue;
            }
            // Written down before it is known whether it counts: which of the two comes first is anyone's guess.
            gone[left] = a;
            come[right] = b;
            (left, right) = (left + usize::from(a < b), right + usize::from(b < a));
            (i, j) = (i + usize::from(a <= b), j + usize::from(b <= a));
        }
        // Where nearly all are the same, that can be guessed.
        are_alike = 4 * (left + right) < most;
        removed.extend_from_slice(&gone[..left]);
        added.extend_from_slice(&come[..right]);
        (old, new) = (&old[i..], &new[j..]);
    }
    removed.extend_from_slice(old);
    added.extend_from_slice(new);
}

/// Takes `removed` out of `pairs` and puts `added` in, all in canonical order.
pub(super) fn change(
    pairs: &mut Vec<Pair>,
    added: &[Pair],
    removed: &[Pair],
    spare: &mut Vec<Pair>,
    executor: &Executor,
) {
    let shares = shares(pairs.len(), executor);
    if shares == 1 && (added.len() + removed.len()) * 32 < pairs.len() {
        change_in_place(pairs, added, removed);
    } else {
        // What was there is overwritten.
        spare.resize(pairs.len() + added.len() - removed.len(), NO_PAIR);
        merge_in_shares(pairs, added, removed, spare, shares, executor);
        std::mem::swap(pairs, spare);
    }
}

/// Merges piece by piece, cut where a pair of the list says.
fn merge_in_shares(
    mut old: &[Pair],
    mut added: &[Pair],
    mut removed: &[Pair],
    mut out: &mut [Pair],
    shares: usize,
    executor: &Executor,
) {
    let mut work = Vec::with_capacity(shares);
    for rest in (1..=shares).rev() {
        let (a, b, c) = match old.get(old.len() / rest) {
            Some(&pivot) if rest > 1 => {
                let below = |list: &[Pair]| list.partition_point(|pair| *pair < pivot);
                (old.len() / rest, below(added), below(removed))
            }
            _ => (old.len(), added.len(), removed.len()),
        };
        let (out_part, out_rest) = out.split_at_mut(a + b - c);
        work.push((&old[..a], &added[..b], &removed[..c], out_part));
        (old, added, removed, out) = (&old[a..], &added[b..], &removed[c..], out_rest);
    }
    executor.for_each(&mut work, |_, (old, added, removed, out)| merge(old, added, removed, out));
}

/// Fills `out` with `old`, less `removed`, plus `added`. For many changes: a block is copied before it is known how much of
/// it comes before the next change.
fn merge(old: &[Pair], added: &[Pair], removed: &[Pair], out: &mut [Pair]) {
    let (mut i, mut end) = (0, 0);
    for (change, is_added) in changes(added, removed) {
        while let (Some(block), Some(to)) = (block(old, i), out.get_mut(end..end + BLOCK)) {
            to.copy_from_slice(block);
            if block[BLOCK - 1] >= change {
                let below = below(block, change);
                (i, end) = (i + below, end + below);
                break;
            }
            (i, end) = (i + BLOCK, end + BLOCK);
        }
        if block(old, i).is_none() || end + BLOCK > out.len() {
            // Near the end of a list.
            let stretch = stretch_below(&old[i..], change);
            out[end..end + stretch].copy_from_slice(&old[i..i + stretch]);
            (i, end) = (i + stretch, end + stretch);
        }
        debug_assert!(is_added || old.get(i) == Some(&change), "a removed pair was there");
        debug_assert!(!is_added || old.get(i) != Some(&change), "an added pair was not");
        if let Some(to) = out.get_mut(end) {
            *to = change;
        }
        (i, end) = (i + usize::from(!is_added), end + usize::from(is_added));
    }
    out[end..].copy_from_slice(&old[i..]);
}

/// All changes in canonical order, and whether they are additions.
fn changes<'a>(added: &'a [Pair], removed: &'a [Pair]) -> impl Iterator<Item = (Pair, bool)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let (change, is_added) = match (added.get(i), removed.get(j)) {
            (Some(a), Some(r)) => (*a.min(r), a < r),
            (Some(a), None) => (*a, true),
            (None, Some(r)) => (*r, false),
            (None, None) => return None,
        };
        (i, j) = (i + usize::from(is_added), j + usize::from(!is_added));
        Some((change, is_added))
    })
}

/// Pairs between two changes that go to another place.
struct Stretch {
    from: usize,
    to: usize,
    len: usize,
}

/// The same without another list, for few changes: only what lies between changes that do not make up for each other moves.
pub(super) fn change_in_place(pairs: &mut Vec<Pair>, added: &[Pair], removed: &[Pair]) {
    let len = pairs.len() + added.len() - removed.len();
    let mut stretches: Vec<Stretch> = Vec::with_capacity(added.len() + removed.len() + 1);
    let mut places = Vec::with_capacity(added.len());
    let (mut i, mut end) = (0, 0);
    for (change, is_added) in changes(added, removed) {
        let len = stretch_below(&pairs[i..], change);
        stretches.push(Stretch { from: i, to: end, len });
        (i, end) = (i + len, end + len);
        debug_assert_eq!(
            pairs.get(i) == Some(&change),
            !is_added,
            "a pair comes that is there, or goes that is not"
        );
        if is_added {
            places.push(end);
        }
        (i, end) = (i + usize::from(!is_added), end + usize::from(is_added));
    }
    stretches.push(Stretch { from: i, to: end, len: pairs.len() - i });
    pairs.resize(len.max(pairs.len()), NO_PAIR);
    // To the left from the left, to the right from the right. Stretches keep their order, so none that goes one way comes
    // to lie where one that goes the other way, or stays, still is.
    let mut go = |stretch: &Stretch| pairs.copy_within(stretch.from..stretch.from + stretch.len, stretch.to);
    stretches.iter().filter(|stretch| stretch.to < stretch.from).for_each(&mut go);
    stretches.iter().rev().filter(|stretch| stretch.to > stretch.from).for_each(&mut go);
    places.iter().zip(added).for_each(|(place, pair)| pairs[*place] = *pair);
    pairs.truncate(len);
}

/// Drops from two sorted lists what is in both.
pub(crate) fn cancel_common(a: &mut Vec<Pair>, b: &mut Vec<Pair>) {
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

/// How many pairs at the front of a sorted list lie below a pair? It is rarely many: by blocks, then by doubling steps.
pub(super) fn stretch_below(sorted: &[Pair], change: Pair) -> usize {
    const MANY: usize = 32 * BLOCK;
    let mut at = 0;
    while block(sorted, at).is_some_and(|block| block[BLOCK - 1] < change) {
        at += BLOCK;
        if at == MANY {
            let mut reach = 2 * MANY;
            while reach < sorted.len() && sorted[reach] < change {
                reach *= 2;
            }
            let from = reach / 2;
            return from + sorted[from..reach.min(sorted.len())].partition_point(|pair| *pair < change);
        }
    }
    at + below(&sorted[at..sorted.len().min(at + BLOCK)], change)
}

#[inline]
fn block(list: &[Pair], at: usize) -> Option<&[Pair; BLOCK]> {
    list.get(at..at + BLOCK).and_then(|block| block.try_into().ok())
}

/// How many of a few pairs lie below a pair?
#[inline]
fn below(pairs: &[Pair], change: Pair) -> usize {
    pairs.iter().fold(0, |count, pair| count + usize::from(*pair < change))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn pairs(ids: u32, most: usize) -> impl Strategy<Value = Vec<Pair>> {
        prop::collection::hash_set((0..ids, 0..ids), 0..most)
            .prop_map(|set| set.into_iter().map(|(a, b)| Pair::new(a, b)).collect())
    }

    /// Two lists of which the second has something in common with the first.
    fn two_lists(ids: u32, most: usize) -> impl Strategy<Value = (Vec<Pair>, Vec<Pair>)> {
        let keep = prop::sample::select(vec![0u32, 50, 90, 99, 100]);
        (pairs(ids, most), pairs(ids, most), keep, any::<u32>()).prop_map(|(old, other, keep, seed)| {
            let stays = |i: usize| (i as u32).wrapping_mul(2_654_435_769).wrapping_add(seed) % 100 < keep;
            let kept = old.iter().enumerate().filter(|(i, _)| stays(*i)).map(|(_, pair)| *pair);
            let come = other.iter().enumerate().filter(|(i, _)| !stays(*i)).map(|(_, pair)| *pair);
            let new: BTreeSet<Pair> = kept.chain(come).collect();
            let old: BTreeSet<Pair> = old.into_iter().collect();
            (old.into_iter().collect(), new.into_iter().collect())
        })
    }

    fn undo_each_other(old: &[Pair], new: &[Pair]) {
        let (old_set, new_set) = (BTreeSet::from_iter(old), BTreeSet::from_iter(new));
        let (mut added, mut removed) = (vec![], vec![]);
        let serial = Executor::serial();
        difference(old, new, &mut added, &mut removed, &mut vec![], &serial);
        assert!(added.iter().eq(new_set.difference(&old_set).copied()));
        assert!(removed.iter().eq(old_set.difference(&new_set).copied()));
        let mut merged = vec![Pair::new(1, 2); new.len()];
        merge(old, &added, &removed, &mut merged);
        assert_eq!(merged, new);
        let mut changed = old.to_vec();
        change_in_place(&mut changed, &added, &removed);
        assert_eq!(changed, new);
        let mut changed = old.to_vec();
        change(&mut changed, &added, &removed, &mut vec![Pair::new(1, 2); 7], &serial);
        assert_eq!(changed, new);
        // What lists and pieces held before is overwritten.
        let (mut more, mut less) = (vec![Pair::new(1, 2); 5], vec![Pair::new(1, 2); 500]);
        let mut pieces = vec![Difference::default(); 7];
        for shares in [2, 3, 7, 2] {
            difference_in_shares(old, new, &mut more, &mut less, &mut pieces[..shares], &serial);
            assert_eq!((&more, &less), (&added, &removed), "{shares} shares");
            let mut merged = vec![Pair::new(1, 2); new.len()];
            merge_in_shares(old, &added, &removed, &mut merged, shares, &serial);
            assert_eq!(merged, new, "{shares} shares");
        }
    }

    proptest! {
        #[test]
        fn difference_and_change_undo_each_other(few in two_lists(12, 30), dense in two_lists(60, 800), sparse in two_lists(u32::MAX, 300)) {
            for (old, new) in [few, dense, sparse] {
                undo_each_other(&old, &new);
            }
        }
    }

    #[test]
    fn difference_and_change_undo_each_other_at_the_ends_of_what_ids_can_be() {
        let ends = [Pair::new(0, 1), Pair::new(0, u32::MAX), Pair::new(u32::MAX - 1, u32::MAX)];
        let middle: Vec<Pair> = (0..40).map(|i| Pair::new(1000, 2000 + i)).collect();
        for some in 0..8 {
            let chosen = |i: usize| some >> i & 1 == 1;
            let mut list: Vec<Pair> = (0..3).filter(|i| chosen(*i)).map(|i| ends[i]).collect();
            undo_each_other(&list, &[]);
            undo_each_other(&[], &list);
            undo_each_other(&middle, &list);
            list.extend(&middle);
            list.sort();
            undo_each_other(&middle, &list);
            undo_each_other(&list, &middle);
        }
    }

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
