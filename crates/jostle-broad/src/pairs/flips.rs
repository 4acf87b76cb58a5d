//! Bringing what has flipped, as those found it who looked after boxes at home, into the pairs: which bits of the sieve say so, and which
//! pairs came and went.

use super::Pair;
use super::sieve::{Bits, Sieve};
use super::sort::{self, Scratch, Unsorted, bits_of};
use crate::FindSettings;
use crate::simd::{Flipped, Unsure};

/// What one task found to be others than they were: the same pairs twice.
#[derive(Clone, Copy, Debug)]
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

/// Changes that are worth another thread: one who came to look at homes may still be awake.
const WORTH_ANOTHER: usize = 1 << 11;
/// So many, and threads share the sorting.
const WORTH_THREADS: usize = 1 << 16;

/// One of the things to do. They need not wait for each other.
enum Work<'a> {
    /// The bits of what has flipped. Pairs that have none are collected: those that came, and those that went.
    Flip(&'a [FlipList<'a>], Bits<'a>, &'a mut [Vec<Pair>; 2]),
    /// What came, or what went.
    Sort(&'a [&'a [Pair]], &'a mut Vec<Pair>, &'a mut Scratch),
}

impl Work<'_> {
    /// How long it takes: sorting a pair about twice as long as flipping its bit.
    fn weight(&self) -> usize {
        match self {
            Work::Flip(lists, ..) => count(lists).iter().sum(),
            Work::Sort(runs, ..) => 2 * runs.iter().map(|run| run.len()).sum::<usize>(),
        }
    }

    fn is_done_by(&mut self, alone: &FindSettings) {
        match self {
            Work::Flip(lists, bits, outside) => flip(lists, bits, outside),
            Work::Sort(runs, sorted, scratch) => {
                sort::sorted(Unsorted { runs, bits: bits_of(runs) }, sorted, scratch, alone);
            }
        }
    }
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
    let [came, went] = count(lists);
    let runs = [0, 1].map(|which| {
        let of_lists = lists.iter().map(|list| list.changed[which]);
        of_lists.chain([others[which]]).collect::<Vec<_>>()
    });
    let changes: usize = runs.iter().flatten().map(|run| run.len()).sum();
    let executor = settings.executor.if_worth(changes >= WORTH_ANOTHER);
    let alone = settings.if_worth(false);
    let mut outside = [const { [Vec::new(), Vec::new()] }; 2];
    let [outside_here, outside_aside] = &mut outside;
    let (here, aside) = lists.split_at(if executor.threads() > 1 { half_of(lists) } else { lists.len() });
    let mut flips = if aside.is_empty() {
        vec![Work::Flip(here, sieve.bits(), outside_here)]
    } else {
        let [bits_here, bits_aside] = sieve.bits_for_two();
        vec![Work::Flip(here, bits_here, outside_here), Work::Flip(aside, bits_aside, outside_aside)]
    };
    let do_all = |work: &mut [Work<'_>]| {
        executor.for_each_by_weight(work, Work::weight, |_, work| work.is_done_by(&alone));
    };
    if !settings.changes {
        sorted.into_iter().for_each(Vec::clear);
        do_all(&mut flips);
    } else if changes >= WORTH_THREADS {
        do_all(&mut flips);
        let unsorted = runs.each_ref().map(|runs| Unsorted { runs, bits: bits_of(runs) });
        sort::sorted_both(unsorted, sorted, scratch, settings);
    } else {
        let [came, went] = &runs;
        let [sorted_came, sorted_went] = sorted;
        let [scratch_came, scratch_went] = scratch;
        flips.insert(0, Work::Sort(came, sorted_came, scratch_came));
        flips.push(Work::Sort(went, sorted_went, scratch_went));
        do_all(&mut flips);
    }
    // Those that have none, and others, are looked for in the list.
    let [here, aside] = outside;
    let mut outside = here;
    for (which, aside) in aside.into_iter().enumerate() {
        outside[which].extend(aside);
    }
    let [came, went] = [came - outside[0].len(), went - outside[1].len()];
    for (outside, others) in outside.iter_mut().zip(others) {
        outside.extend_from_slice(others);
        outside.sort_unstable();
    }
    sieve.come_and_go(came, went, &outside[0], &outside[1]);
}

/// How many of the lists have half of what has flipped; one at least, if there is one.
fn half_of(lists: &[FlipList<'_>]) -> usize {
    let all: usize = count(lists).iter().sum();
    let before = lists.iter().scan(0, |sum, list| {
        *sum += list.flipped.len();
        Some(*sum)
    });
    before.take_while(|sum| 2 * sum <= all).count().max(1).min(lists.len())
}

/// Flips bits. Pairs that have none are collected.
fn flip(lists: &[FlipList<'_>], bits: &mut Bits<'_>, outside: &mut [Vec<Pair>; 2]) {
    for list in lists {
        for flipped in list.flipped {
            if !bits.flip(flipped.position) {
                outside[usize::from(!flipped.has_come())].push(pair_of(list.unsure[flipped.at()], list.ids));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pairs::Position;
    use crate::scene::Random;
    use crate::{Aabb, Executor, Lanes};
    use glam::Vec3;

    #[test]
    fn what_flips_comes_and_goes_on_any_number_of_threads() {
        let most = if cfg!(miri) { 300 } else { 2 * WORTH_THREADS };
        // Nothing, what one thread does, what another one helps with, and what threads share.
        for count in [0, 300, 2 * WORTH_ANOTHER, 2 * WORTH_THREADS].into_iter().filter(|count| *count <= most)
        {
            let threads: &[usize] = if cfg!(miri) { &[1] } else { &[1, 3] };
            for (&threads, changes) in threads.iter().flat_map(|threads| [(threads, true), (threads, false)])
            {
                let executor = Executor::new(threads).unwrap();
                is_dealt(count, &FindSettings { executor, changes, ..FindSettings::default() });
            }
        }
    }

    /// Lets very nearly so many pairs flip, and brings others, too.
    fn is_dealt(count: usize, settings: &FindSettings) {
        let mut random = Random::new(3);
        // Box 0 is overlapped by the even ones, and is said to be by every third one.
        let at = |place: usize| Vec3::splat(if place.is_multiple_of(2) { 0.0 } else { 5.0 });
        let boxes: Vec<Aabb> = (0..count + 9).map(|place| Aabb::new(at(place), at(place) + 1.0)).collect();
        let pair = |high: usize| Pair { low: 0, high: high as u32 };
        let unsure_ones = 1..count;
        let said = |high: usize| high.is_multiple_of(3);
        // Some are in the list of the sieve, there or not; some that are there are not in it; one was always there.
        let is_in_list = |high: usize| high % 50 != 3;
        let others = [vec![pair(count + 2), pair(count + 4)], vec![pair(count + 1), pair(count + 6)]];
        let there: BTreeSet<Pair> = unsure_ones
            .clone()
            .filter(|high| said(*high))
            .map(pair)
            .chain(others[1].iter().copied())
            .collect();
        let in_list: Vec<Pair> =
            there.iter().copied().filter(|pair| is_in_list(pair.high as usize)).collect();
        let absent: Vec<Pair> =
            unsure_ones.clone().filter(|high| !said(*high) && is_in_list(*high)).map(pair).collect();
        let mut sieve = Sieve::new(&in_list, &absent).unwrap();
        let outside: Vec<Pair> =
            there.iter().copied().filter(|pair| !is_in_list(pair.high as usize)).collect();
        sieve.come_and_go(0, 0, &outside, &[]);
        assert!(sieve.iter().eq(there.iter().copied()));

        let mut tasks = vec![];
        let mut highs: Vec<usize> = unsure_ones.collect();
        for place in (1..highs.len()).rev() {
            highs.swap(place, random.bits() as usize % (place + 1));
        }
        for highs in highs.chunks(count / 5 + 1) {
            let position = |high: usize| sieve.position(pair(high), Position::OUTSIDE);
            let mut list: Vec<Unsure> =
                highs.iter().map(|&high| Unsure::new(0, high as u32, said(high), position(high))).collect();
            let mut flipped = vec![Flipped::NONE; list.len()];
            let mut pairs = vec![pair(0); list.len()];
            let counts = Lanes::best().flip(&boxes, &mut list, &mut flipped, &mut pairs);
            tasks.push((list, flipped, pairs, counts));
        }
        let lists: Vec<FlipList<'_>> = tasks
            .iter()
            .map(|(list, flipped, pairs, [came, went])| FlipList {
                flipped: &flipped[..came + went],
                changed: [&pairs[..*came], &pairs[pairs.len() - went..]],
                unsure: list,
                ids: None,
            })
            .collect();
        let mut sorted = [vec![pair(1)], vec![pair(2)]];
        let [came, went] = &mut sorted;
        let changed = others.each_ref().map(Vec::as_slice);
        deal(&mut sieve, &lists, changed, [came, went], &mut Default::default(), settings);
        let now: BTreeSet<Pair> = (1..count)
            .filter(|high| high.is_multiple_of(2))
            .map(pair)
            .chain(others[0].iter().copied())
            .collect();
        assert!(sieve.iter().eq(now.iter().copied()), "{count} pairs");
        assert_eq!(sieve.len(), now.len());
        let expected: [Vec<Pair>; 2] = match settings.changes {
            true => [&now - &there, &there - &now].map(|set| set.into_iter().collect()),
            false => Default::default(),
        };
        assert!(sorted == expected, "{count} pairs");
    }
}
