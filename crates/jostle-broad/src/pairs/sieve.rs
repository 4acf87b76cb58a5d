//! Pairs that come and go: a list, in canonical order, of all that may be there, and a bit for each that says whether it is.
//!
//! Where boxes only tremble it is always the same pairs that begin and end. To take them out of a list and to put them in again
//! moves all that come after; a bit moves nothing. Pairs are read in canonical order by going through the list and its bits.

use super::{Pair, merge};

/// See the top of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Sieve {
    /// All that may be there, ascending.
    list: Vec<Pair>,
    /// A bit for each, that of the first is the lowest of the first word.
    is_there: Vec<u64>,
    /// How many of the list are there.
    count: usize,
    /// Those that are there without being in the list, ascending. Few, or it is time for another list.
    others: Vec<Pair>,
    /// Bits that another thread flips at the same time: between two changes all are 0. As many words as there are, or none yet.
    aside: Vec<u64>,
    /// May some of them be set?
    is_aside_used: bool,
}

/// Words whose bits are flipped: those of a sieve, or of what is to change in them.
#[derive(Debug)]
pub(super) struct Bits<'a>(&'a mut [u64]);

impl Bits<'_> {
    /// The pair at this position comes or goes; [`Sieve::come_and_go`] is to be told. Says no if it is outside.
    #[inline]
    pub(super) fn flip(&mut self, position: Position) -> bool {
        let at = position.0 as usize;
        self.0.get_mut(at / WORD).map(|word| *word ^= 1 << (at % WORD)).is_some()
    }
}

/// Where in the list of a sieve a pair is, if it is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position(u32);

impl Position {
    /// Not in the list.
    pub(crate) const OUTSIDE: Self = Self(u32::MAX);
    /// That of no pair. Beyond the last word of any list, too.
    pub(crate) const VOID: Self = Self(u32::MAX - 1);
}

const WORD: usize = u64::BITS as usize;
/// One pair in so many, and so many more, may be outside the list.
const OUTSIDE: usize = 256;
const SOME_OUTSIDE: usize = 64;

impl Sieve {
    /// Some are there, others are not but may be. Both ascending, with nothing in common. None if there are more than positions.
    pub(super) fn new(there: &[Pair], absent: &[Pair]) -> Option<Self> {
        let len = there.len() + absent.len();
        // Outside is beyond the last word.
        if len.div_ceil(WORD) > Position::OUTSIDE.0 as usize / WORD {
            return None;
        }
        let mut list = Vec::with_capacity(len);
        let mut is_there = vec![u64::MAX; len.div_ceil(WORD)];
        let mut rest = there;
        for &pair in absent {
            let (before, after) = rest.split_at(merge::stretch_below(rest, pair));
            list.extend_from_slice(before);
            is_there[list.len() / WORD] ^= 1 << (list.len() % WORD);
            list.push(pair);
            rest = after;
        }
        list.extend_from_slice(rest);
        if let (Some(last), used @ 1..) = (is_there.last_mut(), len % WORD) {
            *last &= (1 << used) - 1;
        }
        Some(Self { list, is_there, count: there.len(), ..Self::default() })
    }

    /// How many pairs are there.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count + self.others.len()
    }

    /// Is it time for another list?
    pub(super) fn is_worn(&self) -> bool {
        self.others.len() > self.list.len() / OUTSIDE + SOME_OUTSIDE
    }

    #[inline]
    fn is_there(&self, at: usize) -> bool {
        self.is_there[at / WORD] >> (at % WORD) & 1 != 0
    }

    /// Where this pair is, looked for from where another one was.
    pub(super) fn position(&self, pair: Pair, near: Position) -> Position {
        let from = match self.list.get(near.0 as usize) {
            Some(before) if *before <= pair => near.0 as usize,
            _ => 0,
        };
        let at = from + merge::stretch_below(&self.list[from..], pair);
        if self.list.get(at) == Some(&pair) { Position(at as u32) } else { Position::OUTSIDE }
    }

    /// Where these pairs are. All are looked for at the same time, so that they wait together for memory that is far away.
    pub(super) fn positions(&self, pairs: &[Pair]) -> Vec<Position> {
        let mut places = vec![0; pairs.len()];
        let mut size = self.list.len();
        while size > 1 {
            let half = size / 2;
            for (place, pair) in places.iter_mut().zip(pairs) {
                *place += half * usize::from(self.list[*place + half] <= *pair);
            }
            size -= half;
        }
        let position = |(at, pair): (usize, &Pair)| match self.list.get(at) {
            Some(there) if there == pair => Position(at as u32),
            _ => Position::OUTSIDE,
        };
        places.into_iter().zip(pairs).map(position).collect()
    }

    /// Drops pairs that are not there.
    pub(super) fn retain_those_there(&self, pairs: &mut Vec<Pair>) {
        let mut positions = self.positions(pairs).into_iter();
        pairs.retain(|pair| match positions.next() {
            Some(Position::OUTSIDE) | None => self.others.binary_search(pair).is_ok(),
            Some(Position(at)) => self.is_there(at as usize),
        });
    }

    /// Where pairs come and go.
    pub(super) fn bits(&mut self) -> Bits<'_> {
        Bits(&mut self.is_there)
    }

    /// The same for two threads; [`Sieve::come_and_go`] puts together what they did.
    pub(super) fn bits_for_two(&mut self) -> [Bits<'_>; 2] {
        self.aside.resize(self.is_there.len(), 0);
        self.is_aside_used = true;
        [Bits(&mut self.is_there), Bits(&mut self.aside)]
    }

    /// So many came, and so many went. These come, and these go, too: both ascending, in the list or not.
    pub(super) fn come_and_go(&mut self, came: usize, went: usize, added: &[Pair], removed: &[Pair]) {
        if std::mem::take(&mut self.is_aside_used) {
            for (word, aside) in self.is_there.iter_mut().zip(&mut self.aside) {
                *word ^= std::mem::take(aside);
            }
        }
        self.count = self.count + came - went;
        let mut outside = [Vec::new(), Vec::new()];
        for (which, changed) in [added, removed].into_iter().enumerate() {
            for &pair in changed {
                match self.list.binary_search(&pair) {
                    Ok(at) => {
                        self.bits().flip(Position(at as u32));
                        self.count = self.count + (1 - which) - which;
                    }
                    Err(_) => outside[which].push(pair),
                }
            }
        }
        merge::change_in_place(&mut self.others, &outside[0], &outside[1]);
    }

    /// All that are there, ascending.
    pub(super) fn iter(&self) -> Iter<'_> {
        Iter { sieve: self, at: 0, word: self.is_there.first().copied().unwrap_or(0), others: &self.others }
    }

    /// Replaces `all` by all that are there, ascending.
    pub(super) fn collect(&self, all: &mut Vec<Pair>) {
        // What was there is overwritten. One more: a pair is written before it is known whether it is there.
        all.resize(self.len() + 1, Pair { low: 0, high: 0 });
        let (mut end, mut others) = (0, self.others.iter().peekable());
        for (pairs, &word) in self.list.chunks(WORD).zip(&self.is_there) {
            let last = pairs[pairs.len() - 1];
            if others.peek().is_some_and(|other| **other < last) {
                for (bit, pair) in pairs.iter().enumerate() {
                    while let Some(other) = others.next_if(|other| *other < pair) {
                        all[end] = *other;
                        end += 1;
                    }
                    all[end] = *pair;
                    end += (word >> bit & 1) as usize;
                }
            } else {
                // Whether one is there is a toss-up: no branch.
                for (bit, pair) in pairs.iter().enumerate() {
                    all[end] = *pair;
                    end += (word >> bit & 1) as usize;
                }
            }
        }
        for other in others {
            all[end] = *other;
            end += 1;
        }
        debug_assert_eq!(end, self.len(), "they are counted");
        all.truncate(end);
    }

    pub(super) fn bytes(&self) -> usize {
        (self.list.capacity() + self.others.capacity()) * size_of::<Pair>()
            + (self.is_there.capacity() + self.aside.capacity()) * size_of::<u64>()
    }
}

/// The pairs of a sieve, ascending.
#[derive(Clone, Debug)]
pub(super) struct Iter<'a> {
    sieve: &'a Sieve,
    /// The first of the list that the word is about.
    at: usize,
    /// Those that are still to come.
    word: u64,
    others: &'a [Pair],
}

impl Iterator for Iter<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        while self.word == 0 {
            self.at += WORD;
            match self.sieve.is_there.get(self.at / WORD) {
                Some(word) => self.word = *word,
                None => {
                    let (other, rest) = self.others.split_first()?;
                    self.others = rest;
                    return Some(*other);
                }
            }
        }
        let pair = self.sieve.list[self.at + self.word.trailing_zeros() as usize];
        if let Some((other, rest)) = self.others.split_first()
            && *other < pair
        {
            self.others = rest;
            return Some(*other);
        }
        self.word &= self.word - 1;
        Some(pair)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn all_agree(sieve: &Sieve, expected: &BTreeSet<Pair>) {
        assert_eq!(sieve.len(), expected.len());
        assert!(sieve.iter().eq(expected.iter().copied()), "{sieve:?} instead of {expected:?}");
        let mut list = vec![Pair::new(7, 7); 5];
        sieve.collect(&mut list);
        assert!(list.iter().eq(expected), "{list:?} instead of {expected:?}");
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore)]
        fn a_sieve_is_a_set(
            known in prop::collection::btree_map((0u32..40, 0u32..40), any::<bool>(), 0..300),
            steps in prop::collection::vec(prop::collection::btree_set((0u32..40, 0u32..40), 0..20), 0..12),
        ) {
            let known: Vec<(Pair, bool)> = BTreeSet::from_iter(known.iter().map(|(&(a, b), &there)| (Pair::new(a, b), there)))
                .into_iter()
                .collect();
            // A pair that is there and not there, because its ids came in both orders, is there.
            let mut set: BTreeSet<Pair> = known.iter().filter(|(_, there)| *there).map(|(pair, _)| *pair).collect();
            let absent: BTreeSet<Pair> =
                known.iter().map(|(pair, _)| *pair).filter(|pair| !set.contains(pair)).collect();
            let [there, absent] = [&set, &absent].map(|set| set.iter().copied().collect::<Vec<Pair>>());
            let mut sieve = Sieve::new(&there, &absent).unwrap();
            all_agree(&sieve, &set);
            for (step, changed) in steps.iter().enumerate() {
                let alone = changed.iter().map(|&(a, b)| sieve.position(Pair::new(a, b), Position::OUTSIDE));
                let together: Vec<Pair> = changed.iter().map(|&(a, b)| Pair::new(a, b)).collect();
                prop_assert_eq!(sieve.positions(&together), alone.collect::<Vec<_>>());
                let mut those_there = together;
                let expected: Vec<Pair> = those_there.iter().copied().filter(|pair| set.contains(pair)).collect();
                sieve.retain_those_there(&mut those_there);
                prop_assert_eq!(those_there, expected);
                let changed: BTreeSet<Pair> = changed.iter().map(|&(a, b)| Pair::new(a, b)).collect();
                let (mut added, mut removed, mut positions) = (vec![], vec![], vec![]);
                let mut near = Position::OUTSIDE;
                for pair in changed {
                    let position = sieve.position(pair, near);
                    prop_assert_eq!(position == Position::OUTSIDE, sieve.list.binary_search(&pair).is_err());
                    if position != Position::OUTSIDE {
                        near = position;
                    }
                    let comes = set.insert(pair);
                    if !comes {
                        set.remove(&pair);
                    }
                    match (step % 2 == 0 && position != Position::OUTSIDE, comes) {
                        (true, _) => positions.push((comes, position)),
                        (false, true) => added.push(pair),
                        (false, false) => removed.push(pair),
                    }
                }
                let mut counts = [0; 2];
                for (comes, position) in positions {
                    let of_thread = usize::from(counts[0] % 3 == 0);
                    prop_assert!(sieve.bits_for_two()[of_thread].flip(position));
                    counts[usize::from(!comes)] += 1;
                }
                prop_assert!(!sieve.bits().flip(Position::OUTSIDE));
                sieve.come_and_go(counts[0], counts[1], &added, &removed);
                all_agree(&sieve, &set);
            }
        }
    }

    #[test]
    fn many_that_are_not_in_the_list_wear_it_out() {
        let pairs: Vec<Pair> = (0..1000).map(|low| Pair::new(low, 5000)).collect();
        let mut sieve = Sieve::new(&pairs, &[]).unwrap();
        let new: Vec<Pair> = (0..68).map(|low| Pair::new(low, 6000)).collect();
        sieve.come_and_go(0, 0, &new[..67], &[]);
        assert!(!sieve.is_worn());
        sieve.come_and_go(0, 0, &new[67..], &[]);
        assert!(sieve.is_worn());
    }
}
