//! The pairs of the latest update, and what was added and removed since the one before.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::flips::{self, FlipList};
use super::merge::Difference;
use super::sieve::{self, Position, Sieve};
use super::sort::{self, Scratch, Unsorted};
use super::{Pair, PairRun, merge};
use crate::finder::{FindError, FindSettings};

/// What a finder hands out. A finder owns one and fills it by [`PairBuffer::replace`] (all pairs found anew) or
/// [`PairBuffer::apply`] (only changes known); order, differences and limits are taken care of here.
#[derive(Clone, Debug, Default)]
pub struct PairBuffer {
    /// All pairs, unless there is a sieve, which then has them.
    pairs: Vec<Pair>,
    sieve: Option<Sieve>,
    slice: SliceOnRequest,
    /// Is `pairs` in canonical order?
    canonical: bool,
    added: Vec<Pair>,
    removed: Vec<Pair>,
    /// The pairs of the update before, where changes are asked for; else nothing of use.
    previous: Vec<Pair>,
    /// What pieces of these differ by, where several threads compare them.
    pieces: Vec<Difference>,
    scratch: [Scratch; 2],
}

/// The pairs of a sieve as one list, made when it is asked for.
#[derive(Debug, Default)]
struct SliceOnRequest {
    list: OnceLock<Vec<Pair>>,
    /// Memory of lists before.
    memory: Mutex<Vec<Pair>>,
}

impl Clone for SliceOnRequest {
    /// The copy makes its own when it is asked.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SliceOnRequest {
    fn of(&self, sieve: &Sieve) -> &[Pair] {
        self.list.get_or_init(|| {
            let mut list = std::mem::take(&mut *self.memory.lock().unwrap_or_else(PoisonError::into_inner));
            sieve.collect(&mut list);
            list
        })
    }

    /// Pairs have changed: the next one who asks gets another list.
    fn outdate(&mut self) {
        if let Some(list) = self.list.take() {
            *self.memory.get_mut().unwrap_or_else(PoisonError::into_inner) = list;
        }
    }

    fn bytes(&self) -> usize {
        let kept = self.memory.lock().unwrap_or_else(PoisonError::into_inner).capacity();
        (self.list.get().map_or(0, Vec::capacity) + kept) * size_of::<Pair>()
    }
}

/// The pairs of a buffer. See [`PairBuffer::iter`].
#[derive(Clone, Debug)]
pub struct PairIter<'a> {
    pairs: Source<'a>,
    /// How many are still to come.
    rest: usize,
}

#[derive(Clone, Debug)]
enum Source<'a> {
    List(std::slice::Iter<'a, Pair>),
    Sieve(sieve::Iter<'a>),
}

impl Iterator for PairIter<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        self.rest = self.rest.saturating_sub(1);
        match &mut self.pairs {
            Source::List(pairs) => pairs.next().copied(),
            Source::Sieve(pairs) => pairs.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest, Some(self.rest))
    }
}

impl ExactSizeIterator for PairIter<'_> {}

impl<'a> IntoIterator for &'a PairBuffer {
    type Item = Pair;
    type IntoIter = PairIter<'a>;

    fn into_iter(self) -> PairIter<'a> {
        self.iter()
    }
}

impl PairBuffer {
    /// All pairs, each once, the lower id first.
    ///
    /// Where boxes tremble, finders keep a list of pairs that come and go, and which of them are there: then the slice is made when
    /// it is asked for, once in a frame. [`PairBuffer::iter`] takes nothing but the reading.
    #[inline]
    pub fn as_slice(&self) -> &[Pair] {
        match &self.sieve {
            None => &self.pairs,
            Some(sieve) => self.slice.of(sieve),
        }
    }

    /// All pairs, each once, the lower id first, in the order of [`PairBuffer::as_slice`].
    ///
    /// ```
    /// use jostle_broad::{Aabb, Auto, Boxes, FindSettings, Pair, PairFinder};
    /// use glam::Vec3;
    ///
    /// let at = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0));
    /// let boxes = Boxes::from_aabbs(&[at(0.0), at(0.5), at(9.0)])?;
    /// let mut finder = Auto::default();
    /// finder.update(&boxes, &FindSettings::default())?;
    /// for Pair { low, high } in finder.pairs() {
    ///     println!("{low} and {high} overlap");
    /// }
    /// assert_eq!(finder.pairs().iter().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> PairIter<'_> {
        let pairs = match &self.sieve {
            None => Source::List(self.pairs.iter()),
            Some(sieve) => Source::Sieve(sieve.iter()),
        };
        PairIter { pairs, rest: self.len() }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.sieve.as_ref().map_or(self.pairs.len(), Sieve::len)
    }

    /// Is there no pair?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Are the pairs in canonical order? They are when [`FindSettings::canonical`] or [`FindSettings::changes`] asked.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Pairs that the update before did not have, in canonical order. Empty unless [`FindSettings::changes`] asked.
    pub fn added(&self) -> &[Pair] {
        &self.added
    }

    /// Pairs that only the update before had, in canonical order. Empty unless [`FindSettings::changes`] asked.
    pub fn removed(&self) -> &[Pair] {
        &self.removed
    }

    /// How many bytes the buffer holds.
    pub fn bytes(&self) -> usize {
        [&self.pairs, &self.added, &self.removed, &self.previous]
            .iter()
            .map(|list| list.capacity() * size_of::<Pair>())
            .sum::<usize>()
            + self.pieces.iter().map(Difference::bytes).sum::<usize>()
            + self.scratch.iter().map(Scratch::bytes).sum::<usize>()
            + self.sieve.as_ref().map_or(0, Sieve::bytes)
            + self.slice.bytes()
    }

    /// Gives memory back that is only kept to save asking for it again, where there are many pairs for each box: then it
    /// would be most of what is held.
    pub fn give_back(&mut self, boxes: usize) {
        if self.is_crowded(boxes) {
            self.scratch = Default::default();
            self.previous = Vec::new();
            self.pieces = Vec::new();
            for list in [&mut self.pairs, &mut self.added, &mut self.removed] {
                list.shrink_to_fit();
            }
        }
    }

    /// Gives back the memory of sorting: for finders that will only [`PairBuffer::apply`] changes from here on.
    pub(crate) fn give_back_scratch(&mut self) {
        self.scratch = Default::default();
        self.pieces = Vec::new();
    }

    /// Are there so many pairs that what is kept for each of them counts?
    pub(crate) fn is_crowded(&self, boxes: usize) -> bool {
        self.len() > 3 * boxes + 1024
    }

    /// The pairs are exactly those in the runs, one after another. On error everything stays as it was.
    pub fn replace<'a>(
        &mut self,
        runs: impl IntoIterator<Item = &'a PairRun>,
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let runs: Vec<&PairRun> = runs.into_iter().collect();
        let found: usize = runs.iter().map(|run| run.found()).sum();
        FindError::check_pairs(found, settings)?;
        self.end_sieve();
        if settings.changes {
            std::mem::swap(&mut self.pairs, &mut self.previous);
        }
        let was_canonical = std::mem::replace(&mut self.canonical, settings.wants_order());
        if self.canonical {
            let (lists, bits) = PairRun::lists(runs.iter().copied());
            sort::sorted(Unsorted { runs: &lists, bits }, &mut self.pairs, &mut self.scratch[0], settings);
        } else {
            self.pairs.clear();
            self.pairs.reserve(found);
            runs.iter().for_each(|run| self.pairs.extend_from_slice(&run.pairs));
        }
        self.note_changes(was_canonical, settings);
        Ok(())
    }

    /// The pairs are exactly those in the list, each once; `canonical` says whether it is in canonical order already. On
    /// error everything stays as it was.
    pub fn replace_list(
        &mut self,
        list: Vec<Pair>,
        canonical: bool,
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        FindError::check_pairs(list.len(), settings)?;
        self.end_sieve();
        let replaced = std::mem::replace(&mut self.pairs, list);
        if settings.changes {
            self.previous = replaced;
        }
        let was_canonical = std::mem::replace(&mut self.canonical, canonical || settings.wants_order());
        if self.canonical && !canonical {
            sort::sort(&mut self.pairs, &mut self.scratch[0], settings);
        }
        self.note_changes(was_canonical, settings);
        Ok(())
    }

    /// Puts down what was added to and removed from the update before, if that is asked for.
    fn note_changes(&mut self, was_canonical: bool, settings: &FindSettings) {
        if settings.changes {
            if !was_canonical {
                sort::sort(&mut self.previous, &mut self.scratch[0], settings);
            }
            let Self { previous, pairs, added, removed, pieces, .. } = self;
            merge::difference(previous, pairs, added, removed, pieces, &settings.executor);
        } else {
            self.added.clear();
            self.removed.clear();
        }
        debug_assert!(
            !self.canonical || self.pairs.windows(2).all(|two| two[0] < two[1]),
            "a pair was found twice"
        );
    }

    /// The pairs are those of the update before, with these taken out and put in. On error everything stays as it was.
    ///
    /// `removed` must be pairs that are there, `added` such that are not, each once; the lists may come in any order.
    pub fn apply(
        &mut self,
        added: &[Pair],
        removed: &[Pair],
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let runs = [&[added], &[removed]];
        self.apply_unsorted(runs.map(|runs| Unsorted { runs, bits: sort::bits_of(runs) }), settings)
    }

    /// Brings the pairs into canonical order, if they are not.
    pub(crate) fn bring_into_order(&mut self, settings: &FindSettings) {
        if !self.canonical {
            sort::sort(&mut self.pairs, &mut self.scratch[0], settings);
            self.canonical = true;
        }
    }

    /// The same, from runs that several tasks made.
    pub(crate) fn apply_runs<'a>(
        &mut self,
        added: impl Iterator<Item = &'a PairRun>,
        removed: impl Iterator<Item = &'a PairRun>,
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let (added, added_bits) = PairRun::lists(added);
        let (removed, removed_bits) = PairRun::lists(removed);
        let lists =
            [Unsorted { runs: &added, bits: added_bits }, Unsorted { runs: &removed, bits: removed_bits }];
        self.apply_unsorted(lists, settings)
    }

    /// The same of what is added and what is removed.
    fn apply_unsorted(&mut self, lists: [Unsorted<'_>; 2], settings: &FindSettings) -> Result<(), FindError> {
        let [added, removed] = lists.map(Unsorted::len);
        FindError::check_pairs(self.len() + added - removed, settings)?;
        if added + removed == 0 && self.canonical {
            self.added.clear();
            self.removed.clear();
            return Ok(());
        }
        self.end_sieve();
        self.bring_into_order(settings);
        let Self { pairs, added, removed, previous, scratch, .. } = self;
        sort::sorted_both(lists, [added, removed], scratch, settings);
        if !(added.is_empty() && removed.is_empty()) {
            merge::change(pairs, added, removed, previous, &settings.executor);
        }
        if !settings.changes {
            added.clear();
            removed.clear();
        }
        Ok(())
    }

    /// From now on pairs come and go by bits, those that are there and those of this list, which are not, in any order.
    pub(crate) fn begin_sieve(&mut self, mut absent: Vec<Pair>, settings: &FindSettings) {
        self.end_sieve();
        self.bring_into_order(settings);
        if !absent.is_sorted() {
            absent.sort_unstable();
        }
        self.sieve = Sieve::new(&self.pairs, &absent);
        if self.sieve.is_some() {
            self.pairs = Vec::new();
            self.previous = Vec::new();
        }
    }

    /// Pairs are in one list again.
    fn end_sieve(&mut self) {
        if let Some(sieve) = self.sieve.take() {
            sieve.collect(&mut self.pairs);
            self.slice = SliceOnRequest::default();
        }
    }

    /// Is it time to begin with another sieve, because many pairs are not in its list?
    pub(crate) fn is_sieve_worn(&self) -> bool {
        self.sieve.as_ref().is_some_and(Sieve::is_worn)
    }

    /// Where in the list of the sieve a pair is, looked for from where another one was.
    pub(crate) fn position(&self, pair: Pair, near: Position) -> Position {
        self.sieve.as_ref().map_or(Position::OUTSIDE, |sieve| sieve.position(pair, near))
    }

    /// Where in the list of the sieve these pairs are.
    pub(crate) fn positions(&self, pairs: &[Pair]) -> Vec<Position> {
        let outside = || vec![Position::OUTSIDE; pairs.len()];
        self.sieve.as_ref().map_or_else(outside, |sieve| sieve.positions(pairs))
    }

    /// Drops pairs that are not there. Only for pairs in canonical order.
    pub(crate) fn retain_those_there(&self, pairs: &mut Vec<Pair>) {
        match &self.sieve {
            Some(sieve) => sieve.retain_those_there(pairs),
            None => pairs.retain(|pair| self.pairs.binary_search(pair).is_ok()),
        }
    }

    /// As [`PairBuffer::apply`], where the positions of most of the pairs are known. Others are added and removed, both ascending.
    pub(crate) fn apply_flips(
        &mut self,
        lists: &[FlipList<'_>],
        others_added: &[Pair],
        others_removed: &[Pair],
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let [came, went] = flips::count(lists);
        let need = self.len() + came + others_added.len() - went - others_removed.len();
        FindError::check_pairs(need, settings)?;
        let Self { sieve, added, removed, slice, scratch, .. } = self;
        let Some(sieve) = sieve else {
            let runs = [(0, others_added), (1, others_removed)].map(|(which, others)| {
                lists.iter().map(|list| list.changed[which]).chain([others]).collect()
            });
            let unsorted = runs.each_ref().map(|runs: &Vec<_>| Unsorted { runs, bits: sort::bits_of(runs) });
            return self.apply_unsorted(unsorted, settings);
        };
        flips::deal(sieve, lists, [others_added, others_removed], [added, removed], scratch, settings);
        slice.outdate();
        Ok(())
    }
}
