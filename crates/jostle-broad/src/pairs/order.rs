//! Sorting pairs into canonical order, cheaply.

use super::Pair;

/// Puts the pairs of several runs into canonical order. `scratch` keeps its memory from call to call.
///
/// Two steps, because one counting sort over all ids would miss the cache with every pair: first into buckets of
/// neighbouring lower ids, then a counting sort in each bucket. What shares its lower id (one or two pairs, as a rule)
/// is sorted in place.
pub(super) fn sorted(runs: &[&[Pair]], out: &mut Vec<Pair>, scratch: &mut Scratch) {
    let all = || runs.iter().flat_map(|run| run.iter());
    let len: usize = runs.iter().map(|run| run.len()).sum();
    let highest = runs.iter().flat_map(|run| run.iter()).fold(0, |highest, pair| highest.max(pair.low));
    // Counting costs a pass over the keys; where ids are sparse, or pairs few, comparing is cheaper.
    if len < 64 || highest as usize > 4 * len + 1024 {
        out.clear();
        out.extend(all());
        out.sort_unstable();
        return;
    }
    let Scratch { buckets, starts, pairs } = scratch;
    buckets.clear();
    buckets.resize((highest as usize >> BUCKET_BITS) + 2, 0);
    runs.iter()
        .for_each(|run| run.iter().for_each(|pair| buckets[(pair.low as usize >> BUCKET_BITS) + 1] += 1));
    accumulate(buckets);
    pairs.resize(len, NOTHING);
    // Each start is advanced to its end while writing, so that afterwards a bucket ends at its own place.
    for run in runs {
        for pair in *run {
            let at = &mut buckets[pair.low as usize >> BUCKET_BITS];
            pairs[*at as usize] = *pair;
            *at += 1;
        }
    }
    out.resize(len, NOTHING);
    let mut begin = 0;
    for &end in &buckets[..buckets.len() - 1] {
        let end = end as usize;
        sort_bucket(&pairs[begin..end], &mut out[begin..end], starts);
        begin = end;
    }
}

/// Lower ids per bucket, as a power of two: what a counting sort needs then fits in the nearest cache.
const BUCKET_BITS: usize = 11;
const NOTHING: Pair = Pair { low: 0, high: 0 };

/// Memory of the sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    buckets: Vec<u32>,
    starts: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        (self.buckets.capacity() + self.starts.capacity()) * size_of::<u32>()
            + self.pairs.capacity() * size_of::<Pair>()
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

fn sort_bucket(bucket: &[Pair], out: &mut [Pair], starts: &mut Vec<u32>) {
    const KEYS: usize = 1 << BUCKET_BITS;
    starts.clear();
    starts.resize(KEYS + 1, 0);
    for pair in bucket {
        starts[pair.low as usize % KEYS + 1] += 1;
    }
    accumulate(starts);
    for pair in bucket {
        let at = &mut starts[pair.low as usize % KEYS];
        out[*at as usize] = *pair;
        *at += 1;
    }
    let mut begin = 0;
    while begin < out.len() {
        let low = out[begin].low;
        let mut end = begin + 1;
        while end < out.len() && out[end].low == low {
            end += 1;
        }
        if end - begin > 1 {
            sort_run(&mut out[begin..end]);
        }
        begin = end;
    }
}

fn sort_run(run: &mut [Pair]) {
    if run.len() > 24 {
        run.sort_unstable_by_key(|pair| pair.high);
        return;
    }
    for i in 1..run.len() {
        let moving = run[i];
        let mut at = i;
        while at > 0 && run[at - 1].high > moving.high {
            run[at] = run[at - 1];
            at -= 1;
        }
        run[at] = moving;
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
