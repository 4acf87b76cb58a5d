//! Handing out what has flipped, as those found it who looked after boxes at home: which pairs came, which went, and which bits of
//! the sieve say so.

use super::Pair;
use super::sieve::{Position, Sieve};
use super::sort::{self, NO_PAIR, Scratch, Unsorted};
use crate::FindSettings;
use crate::simd::{Flipped, Unsure};

/// What one task found to be others than they were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlipList<'a> {
    pub(crate) flipped: &'a [Flipped],
    /// Those of slots, which else are the slots.
    pub(crate) ids: Option<&'a [u32]>,
}

/// A pair that came or went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flip {
    pub(crate) pair: Pair,
    pub(crate) comes: bool,
    pub(super) position: Position,
}

impl<'a> FlipList<'a> {
    /// How many there are, some of which may be void.
    pub(super) fn at_most(self) -> usize {
        self.flipped.len()
    }

    /// All that are not void.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = Flip> + 'a {
        // What is void is one box and itself, and flips when that box is no more.
        let are_pairs = self.flipped.iter().filter(|flipped| !flipped.now.is_void());
        are_pairs.map(move |Flipped { now, .. }| Flip {
            pair: pair_of(*now, self.ids),
            comes: now.overlap(),
            position: now.position,
        })
    }
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

/// Hands out what has flipped; keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct FlipDealer {
    /// What came, and what went, in any order.
    changed: [Vec<Pair>; 2],
    /// Those of them that are not in the list of the sieve.
    outside: [Vec<Pair>; 2],
}

/// Flips that are worth another thread when they are sorted.
const WORTH_THREADS: usize = 1 << 15;
/// So many flips of a list are dealt while those of the next list are fetched.
const AHEAD: usize = 64;

impl FlipDealer {
    pub(super) fn bytes(&self) -> usize {
        let lists = self.changed.iter().chain(&self.outside);
        lists.map(Vec::capacity).sum::<usize>() * size_of::<Pair>()
    }

    /// What has flipped comes and goes in the sieve, and so do others that were added and removed, both ascending. `sorted` become all
    /// that came and all that went, if changes are asked for.
    pub(super) fn deal(
        &mut self,
        sieve: &mut Sieve,
        lists: &[FlipList<'_>],
        others: [&[Pair]; 2],
        sorted: [&mut Vec<Pair>; 2],
        scratch: &mut [Scratch; 2],
        settings: &FindSettings,
    ) {
        let Self { changed, outside } = self;
        let flips: usize = lists.iter().map(|list| list.at_most()).sum();
        // What was there is overwritten. One more: a pair is written before it is known where it belongs.
        changed.iter_mut().for_each(|list| list.resize(flips + 1, NO_PAIR));
        outside.iter_mut().for_each(Vec::clear);
        let mut ends = [0; 2];
        for (at, list) in lists.iter().enumerate() {
            let mut next = lists.get(at + 1).map_or(&[][..], |next| next.flipped);
            for flipped in list.flipped.chunks(AHEAD) {
                let soon = next.split_off(..AHEAD.min(next.len())).unwrap_or_default();
                settings.lanes.ask_for_bytes(bytemuck::cast_slice(soon));
                ends = deal(FlipList { flipped, ..*list }, changed, ends, outside, sieve);
            }
        }
        let [came, went] = [0, 1].map(|which| ends[which] - outside[which].len());
        for which in 0..2 {
            changed[which].truncate(ends[which]);
            changed[which].extend_from_slice(others[which]);
            outside[which].extend_from_slice(others[which]);
            outside[which].sort_unstable();
        }
        sieve.come_and_go(came, went, &outside[0], &outside[1]);
        if settings.changes {
            let runs = changed.each_ref().map(|list| [list.as_slice()]);
            let lists = runs.each_ref().map(|runs| Unsorted { runs, bits: sort::bits_of(runs) });
            // Who came to look at homes is about to sleep by now: few are sorted sooner than it would be awake.
            let settings = settings.if_worth(flips >= WORTH_THREADS);
            sort::sorted_both(lists, sorted, scratch, &settings);
        } else {
            sorted.into_iter().for_each(Vec::clear);
        }
    }
}

/// Writes down what came and what went, from these places on; flips their bits, and lists those that have none. Says where to go on.
///
/// A function of its own, so that all it needs stays in registers.
#[inline(never)]
fn deal(
    flips: FlipList<'_>,
    [come, gone]: &mut [Vec<Pair>; 2],
    [mut came, mut went]: [usize; 2],
    outside: &mut [Vec<Pair>; 2],
    sieve: &mut Sieve,
) -> [usize; 2] {
    let [come, gone] = [come.as_mut_slice(), gone.as_mut_slice()];
    for flip in flips.iter() {
        // Whether a pair came or went is a toss-up: it is written down as both, and one of them counts.
        (come[came], gone[went]) = (flip.pair, flip.pair);
        came += usize::from(flip.comes);
        went += usize::from(!flip.comes);
        if !sieve.flip(flip.position) {
            outside[usize::from(!flip.comes)].push(flip.pair);
        }
    }
    [came, went]
}
