//! Sorting pairs into canonical order, cheaply.

use super::Pair;

/// Sorts into canonical order. `scratch` keeps its memory from call to call.
pub(super) fn sort(pairs: &mut Vec<Pair>, scratch: &mut Scratch) {
    let Some(highest) = pairs.iter().map(|pair| pair.low).max() else { return };
    let keys = highest as usize + 1;
    // Counting costs a pass over the keys; where ids are sparse, comparing is cheaper.
    if keys > 4 * pairs.len() + 1024 {
        pairs.sort_unstable();
    } else {
        counting_sort(pairs, keys, scratch);
    }
}

/// Memory of the counting sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    starts: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.pairs.capacity() * size_of::<Pair>()
    }
}

/// One counting pass by the lower id; what shares it (one or two pairs, as a rule) is sorted in place.
fn counting_sort(pairs: &mut Vec<Pair>, keys: usize, scratch: &mut Scratch) {
    let Scratch { starts, pairs: sorted } = scratch;
    starts.clear();
    starts.resize(keys + 1, 0);
    for pair in pairs.iter() {
        starts[pair.low as usize + 1] += 1;
    }
    for key in 0..keys {
        starts[key + 1] += starts[key];
    }
    sorted.clear();
    sorted.resize(pairs.len(), Pair { low: 0, high: 0 });
    // Each start is advanced to its end while writing, so that afterwards the run of a key ends at starts[key].
    for pair in pairs.iter() {
        let at = &mut starts[pair.low as usize];
        sorted[*at as usize] = *pair;
        *at += 1;
    }
    let mut begin = 0;
    for &end in &starts[..keys] {
        let end = end as usize;
        let run = &mut sorted[begin..end];
        if run.len() > 1 {
            sort_run(run);
        }
        begin = end;
    }
    std::mem::swap(pairs, sorted);
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
        let stretch = old[i..].partition_point(|pair| *pair < change);
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
        fn canonical_order_is_the_sorted_order(mut dense in pairs(60, 300), mut sparse in pairs(u32::MAX, 50)) {
            for list in [&mut dense, &mut sparse] {
                let mut expected = list.clone();
                expected.sort();
                sort(list, &mut Scratch::default());
                prop_assert_eq!(&*list, &expected);
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
}
