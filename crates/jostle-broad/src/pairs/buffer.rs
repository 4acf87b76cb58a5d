//! The pairs of the latest update, and what was added and removed since the one before.

use super::bits::IdBits;
use super::merge::Difference;
use super::sort::{self, Scratch};
use super::{Pair, PairRun, merge};
use crate::finder::{FindError, FindSettings};

/// What a finder hands out. A finder owns one and fills it by [`PairBuffer::replace`] (all pairs found anew) or
/// [`PairBuffer::apply`] (only changes known); order, differences and limits are taken care of here.
#[derive(Clone, Debug, Default)]
pub struct PairBuffer {
    pairs: Vec<Pair>,
    /// Is `pairs` in canonical order?
    canonical: bool,
    added: Vec<Pair>,
    removed: Vec<Pair>,
    /// The pairs of the update before, where changes are asked for; else nothing of use.
    previous: Vec<Pair>,
    /// What pieces of these differ by, where several threads compare them.
    pieces: Vec<Difference>,
    scratch: Scratch,
}

impl PairBuffer {
    /// All pairs, each once, the lower id first.
    #[inline]
    pub fn as_slice(&self) -> &[Pair] {
        &self.pairs
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Is there no pair?
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
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
            + self.scratch.bytes()
    }

    /// Gives memory back that is only kept to save asking for it again, where there are many pairs for each box: then it
    /// would be most of what is held.
    pub fn give_back(&mut self, boxes: usize) {
        if self.is_crowded(boxes) {
            self.scratch = Scratch::default();
            self.previous = Vec::new();
            self.pieces = Vec::new();
            for list in [&mut self.pairs, &mut self.added, &mut self.removed] {
                list.shrink_to_fit();
            }
        }
    }

    /// Gives back the memory of sorting: for finders that will only [`PairBuffer::apply`] changes from here on.
    pub(crate) fn give_back_scratch(&mut self) {
        self.scratch = Scratch::default();
        self.pieces = Vec::new();
    }

    /// Are there so many pairs that what is kept for each of them counts?
    pub(crate) fn is_crowded(&self, boxes: usize) -> bool {
        self.pairs.len() > 3 * boxes + 1024
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
        if settings.changes {
            std::mem::swap(&mut self.pairs, &mut self.previous);
        }
        let was_canonical = std::mem::replace(&mut self.canonical, settings.wants_order());
        if self.canonical {
            let lists: Vec<&[Pair]> = runs.iter().map(|run| run.pairs.as_slice()).collect();
            let bits = runs.iter().map(|run| run.bits).fold(IdBits::default(), IdBits::and);
            sort::sorted(&lists, bits, &mut self.pairs, &mut self.scratch, settings);
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
        let replaced = std::mem::replace(&mut self.pairs, list);
        if settings.changes {
            self.previous = replaced;
        }
        let was_canonical = std::mem::replace(&mut self.canonical, canonical || settings.wants_order());
        if self.canonical && !canonical {
            sort::sort(&mut self.pairs, &mut self.scratch, settings);
        }
        self.note_changes(was_canonical, settings);
        Ok(())
    }

    /// Puts down what was added to and removed from the update before, if that is asked for.
    fn note_changes(&mut self, was_canonical: bool, settings: &FindSettings) {
        if settings.changes {
            if !was_canonical {
                sort::sort(&mut self.previous, &mut self.scratch, settings);
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
        self.apply_lists(&[added], &[removed], settings)
    }

    /// Brings the pairs into canonical order, if they are not.
    pub(crate) fn bring_into_order(&mut self, settings: &FindSettings) {
        if !self.canonical {
            sort::sort(&mut self.pairs, &mut self.scratch, settings);
            self.canonical = true;
        }
    }

    /// The same, from lists that several tasks made.
    pub(crate) fn apply_lists(
        &mut self,
        added: &[&[Pair]],
        removed: &[&[Pair]],
        settings: &FindSettings,
    ) -> Result<(), FindError> {
        let count = |lists: &[&[Pair]]| lists.iter().map(|list| list.len()).sum::<usize>();
        FindError::check_pairs(self.pairs.len() + count(added) - count(removed), settings)?;
        self.bring_into_order(settings);
        sort::sorted(added, sort::bits_of(added), &mut self.added, &mut self.scratch, settings);
        sort::sorted(removed, sort::bits_of(removed), &mut self.removed, &mut self.scratch, settings);
        if !(self.added.is_empty() && self.removed.is_empty()) {
            let Self { pairs, added, removed, previous, .. } = self;
            merge::change(pairs, added, removed, previous, &settings.executor);
        }
        if !settings.changes {
            self.added.clear();
            self.removed.clear();
        }
        Ok(())
    }
}
