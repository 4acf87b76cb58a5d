//! Sorting pairs into canonical order, cheaply.

use super::Pair;

/// Puts the pairs of several runs into canonical order. `scratch` keeps its memory from call to call.
///
/// A radix sort without a branch that depends on the data: first into buckets of neighbouring lower ids, so that all
/// further passes stay in the nearest caches; then, in each bucket, by the digits of the higher id and by the lower id.
pub(super) fn sorted(runs: &[&[Pair]], out: &mut Vec<Pair>, scratch: &mut Scratch) {
    let len: usize = runs.iter().map(|run| run.len()).sum();
    let mut highest = Pair { low: 0, high: 0 };
    for run in runs {
        for pair in *run {
            highest.low = highest.low.max(pair.low);
            highest.high = highest.high.max(pair.high);
        }
    }
    // Counting costs a pass over the buckets; where ids are sparse, or pairs few, comparing is cheaper.
    if len < 64 || highest.low as usize > 8 * len + 1024 {
        out.clear();
        out.extend(runs.iter().flat_map(|run| run.iter()));
        out.sort_unstable();
        return;
    }
    let Scratch { buckets, pairs, digits } = scratch;
    buckets.clear();
    buckets.resize((highest.low as usize >> LOW_BITS) + 2, 0);
    for run in runs {
        run.iter().for_each(|pair| buckets[(pair.low as usize >> LOW_BITS) + 1] += 1);
    }
    accumulate(buckets);
    pairs.resize(len, Pair { low: 0, high: 0 });
    out.resize(len, Pair { low: 0, high: 0 });
    // Each start is advanced to its end while writing, so that afterwards a bucket ends at its own place.
    for run in runs {
        for pair in *run {
            let at = &mut buckets[pair.low as usize >> LOW_BITS];
            pairs[*at as usize] = *pair;
            *at += 1;
        }
    }
    digits.plan(highest.high);
    let mut begin = 0;
    for &end in &buckets[..buckets.len() - 1] {
        let end = end as usize;
        digits.sort(&mut pairs[begin..end], &mut out[begin..end]);
        begin = end;
    }
}

/// Lower ids per bucket, as a power of two.
const LOW_BITS: u32 = 11;

/// Memory of the sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    buckets: Vec<u32>,
    pairs: Vec<Pair>,
    digits: Digits,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        let counts: usize = self.digits.counts.iter().map(Vec::capacity).sum();
        (self.buckets.capacity() + counts) * size_of::<u32>() + self.pairs.capacity() * size_of::<Pair>()
    }
}

/// The digits by which a bucket is sorted, least significant first: those of the higher id, then the lower id.
#[derive(Clone, Debug, Default)]
struct Digits {
    /// How far each digit is shifted, and its mask.
    places: Vec<(u32, usize)>,
    /// Per digit, its counts.
    counts: Vec<Vec<u32>>,
}

impl Digits {
    /// Cuts the higher id into as few digits of at most eleven bits as it needs, of nearly equal size.
    fn plan(&mut self, highest: u32) {
        let bits = (u32::BITS - highest.leading_zeros()).max(1);
        let digits = bits.div_ceil(11);
        let each = bits.div_ceil(digits);
        self.places.clear();
        self.places.extend((0..digits).map(|digit| (digit * each, (1usize << each) - 1)));
        // The lower id, as the upper half of a key.
        self.places.push((32, (1 << LOW_BITS) - 1));
        self.counts.resize_with(self.places.len(), Vec::new);
    }

    /// Sorts `from` into `to`, with both as scratch.
    fn sort(&mut self, from: &mut [Pair], to: &mut [Pair]) {
        let digit = |pair: &Pair, (shift, mask): (u32, usize)| {
            (u64::from(pair.low) << 32 | u64::from(pair.high)) as usize >> shift & mask
        };
        for (counts, place) in self.counts.iter_mut().zip(&self.places) {
            counts.clear();
            counts.resize(place.1 + 2, 0);
        }
        for pair in from.iter() {
            for (counts, &place) in self.counts.iter_mut().zip(&self.places) {
                counts[digit(pair, place) + 1] += 1;
            }
        }
        let (mut from, mut to) = (from, to);
        let passes = self.places.len();
        for (counts, &place) in self.counts.iter_mut().zip(&self.places) {
            accumulate(counts);
            for pair in from.iter() {
                let at = &mut counts[digit(pair, place)];
                to[*at as usize] = *pair;
                *at += 1;
            }
            std::mem::swap(&mut from, &mut to);
        }
        if passes.is_multiple_of(2) {
            // The last pass wrote into what was the source.
            to.copy_from_slice(from);
        }
    }
}

/// Turns counts (of key k at k + 1) into starts.
fn accumulate(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// What is in `new` but not in `old`, and the other way round; all four in canonical order.
pub(super) fn difference(old: &[Pair], new: &[Pair], added: &mut Vec<Pair>, removed: &mut Vec<Pair>) {
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let (a, b) = (old[i], new[j]);
        if a == b {
            i += 1;
            j += 1;
        } else if a < b {
            removed.push(a);
            i += 1;
        } else {
            added.push(b);
            j += 1;
        }
    }
    removed.extend_from_slice(&old[i..]);
    added.extend_from_slice(&new[j..]);
}

/// `old` with `removed` taken out and `added` put in, all in canonical order, appended to `out`.
pub(super) fn merge(old: &[Pair], added: &[Pair], removed: &[Pair], out: &mut Vec<Pair>) {
    let (mut next_added, mut next_removed) = (0, 0);
    let mut i = 0;
    while i < old.len() {
        // Whole stretches without a change are copied at once.
        let change = match (added.get(next_added), removed.get(next_removed)) {
            (Some(a), Some(r)) => *a.min(r),
            (Some(a), None) => *a,
            (None, Some(r)) => *r,
            (None, None) => break,
        };
        let stretch = stretch_below(&old[i..], change);
        out.extend_from_slice(&old[i..i + stretch]);
        i += stretch;
        if added.get(next_added) == Some(&change) {
            out.push(change);
            next_added += 1;
        } else {
            debug_assert_eq!(old.get(i), Some(&change), "a removed pair was there");
            i += 1;
            next_removed += 1;
        }
    }
    out.extend_from_slice(&old[i..]);
    out.extend_from_slice(&added[next_added..]);
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

/// How many pairs at the front of a sorted list lie below a pair: by doubling steps, because it is rarely many.
fn stretch_below(sorted: &[Pair], change: Pair) -> usize {
    let mut reach = 1;
    while reach < sorted.len() && sorted[reach] < change {
        reach *= 2;
    }
    let from = reach / 2;
    from + sorted[from..(reach + 1).min(sorted.len())].partition_point(|pair| *pair < change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(ids: u32, most: usize) -> impl Strategy<Value = Vec<Pair>> {
        prop::collection::hash_set((0..ids, 0..ids), 0..most)
            .prop_map(|set| set.into_iter().map(|(a, b)| Pair::new(a, b)).collect())
    }

    proptest! {
        #[test]
        fn canonical_order_is_the_sorted_order(mut few in pairs(60, 300), mut dense in pairs(9000, 4000), mut sparse in pairs(u32::MAX, 90)) {
            for list in [&mut few, &mut dense, &mut sparse] {
                let mut expected = list.clone();
                expected.sort();
                let (half, mut sorted_list) = (list.len() / 2, vec![]);
                sorted(&[&list[..half], &list[half..]], &mut sorted_list, &mut Scratch::default());
                prop_assert_eq!(&sorted_list, &expected);
            }
        }

        #[test]
        fn difference_and_merge_undo_each_other(mut old in pairs(40, 200), mut new in pairs(40, 200)) {
            for list in [&mut old, &mut new] {
                list.sort();
                list.dedup();
            }
            let (mut added, mut removed, mut merged) = (vec![], vec![], vec![]);
            difference(&old, &new, &mut added, &mut removed);
            prop_assert!(added.iter().all(|pair| !old.contains(pair) && new.contains(pair)));
            prop_assert!(removed.iter().all(|pair| old.contains(pair) && !new.contains(pair)));
            merge(&old, &added, &removed, &mut merged);
            prop_assert_eq!(merged, new);
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
