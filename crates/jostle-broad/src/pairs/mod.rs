//! Pairs of ids, the runs that tasks write them into, and the buffer a finder hands out.

mod bits;
mod buffer;
mod flips;
mod merge;
mod sieve;
mod sort;

pub use buffer::{PairBuffer, PairIter};
pub(crate) use flips::{FlipList, pair_of};
pub(crate) use merge::cancel_common;
pub(crate) use sieve::Position;

use bits::IdBits;
use bytemuck::{Pod, Zeroable};

/// Two ids, the lower one first. Pairs compare by `low`, then `high`: that is the canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// The lower id.
    pub low: u32,
    /// The higher id.
    pub high: u32,
}

impl Pair {
    /// The pair of two ids, given in any order.
    #[inline]
    pub fn new(a: u32, b: u32) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// Both ids as one number: pairs are in canonical order when these ascend.
    #[inline]
    fn key(self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.high)
    }
}

impl Ord for Pair {
    /// One comparison: by `low` first and `high` second would be branches, which sorting guesses wrong.
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Pair {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A list that one task appends the pairs it finds to.
///
/// It counts all pairs but keeps no more than a limit allows, so that the error for too many pairs can say how many
/// there are without holding them.
#[derive(Clone, Debug)]
pub struct PairRun {
    pub(crate) pairs: Vec<Pair>,
    /// Which bits of ids differ. Noticed while pairs are at hand, so that sorting need not go through all of them first.
    pub(crate) bits: IdBits,
    /// Pairs that were not kept.
    pub(crate) dropped: usize,
    room: usize,
}

impl Default for PairRun {
    /// An empty run that keeps all pairs.
    fn default() -> Self {
        Self::new(None)
    }
}

impl PairRun {
    /// An empty run that keeps at most `limit` pairs.
    pub fn new(limit: Option<usize>) -> Self {
        Self { pairs: Vec::new(), bits: IdBits::default(), dropped: 0, room: limit.unwrap_or(usize::MAX) }
    }

    /// Forgets the pairs, keeps the memory.
    pub fn reset(&mut self, limit: Option<usize>) {
        self.pairs.clear();
        self.bits = IdBits::default();
        self.dropped = 0;
        self.room = limit.unwrap_or(usize::MAX);
    }

    /// Appends a pair of ids, given in any order.
    #[inline]
    pub fn push(&mut self, a: u32, b: u32) {
        if self.pairs.len() < self.room {
            let pair = Pair::new(a, b);
            self.bits.take(&[pair]);
            self.pairs.push(pair);
        } else {
            self.dropped += 1;
        }
    }

    /// Makes room for so many more pairs.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.pairs.reserve(more);
    }

    /// Appends pairs.
    pub fn extend(&mut self, pairs: &[Pair]) {
        let kept = pairs.len().min(self.room.saturating_sub(self.pairs.len()));
        self.bits.take(&pairs[..kept]);
        self.pairs.extend_from_slice(&pairs[..kept]);
        self.dropped += pairs.len() - kept;
    }

    /// Have all pairs been kept so far?
    #[inline]
    pub(crate) fn is_within_limit(&self) -> bool {
        self.dropped == 0
    }

    /// What some runs keep, and which bits of ids differ in it.
    fn lists<'a>(runs: impl Iterator<Item = &'a Self>) -> (Vec<&'a [Pair]>, IdBits) {
        let mut bits = IdBits::default();
        let lists = runs.inspect(|run| bits = bits.and(run.bits)).map(|run| run.pairs.as_slice()).collect();
        (lists, bits)
    }

    /// How many pairs were found, kept or not.
    pub fn found(&self) -> usize {
        self.pairs.len() + self.dropped
    }

    /// Keeps none from now on, and only counts.
    pub(crate) fn only_count(&mut self) {
        self.dropped += self.pairs.len();
        self.pairs = Vec::new();
        self.room = 0;
    }

    /// Gives its memory back.
    pub(crate) fn give_back(&mut self) {
        self.pairs = Vec::new();
    }

    /// How many bytes the run holds.
    pub fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
    }
}
