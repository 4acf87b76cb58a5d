//! Sorting pairs into canonical order, cheaply.
//!
//! A radix sort without branches that depend on the data. Pairs are dealt into buckets of neighbouring lower ids, chunk by
//! chunk so that dealing stays in the cache; what is left to tell the pairs of a bucket apart nearly always has 32 bits
//! or less, so that half a pair is all that goes on. Then each bucket, gathered from all chunks, is sorted digit by digit,
//! least significant first, and written as pairs. Chunks are independent of each other, and so are buckets: both are work
//! for several threads, and the order is the same whoever does it.

use super::Pair;
use crate::Executor;

/// Fewer pairs than this are sorted by comparing.
const FEW: usize = 256;
/// Pairs per chunk, at most and, where several threads are to have some, at least.
const CHUNK: usize = 1 << 15;
const LEAST_CHUNK: usize = 1 << 12;
/// Pairs per bucket that are worth having, on average: a few copies of them are in the first cache.
const BUCKET: usize = 1 << 11;
/// Up to so many pairs are one bucket: dealing would cost more than the second cache does.
const ONE_BUCKET: usize = 1 << 14;
/// Buckets at most, as a power of two: each is a place that dealing writes to.
const MOST_BUCKET_BITS: u32 = 10;
/// The widest digit, in bits: its counts are in the first cache.
const WIDEST: u32 = 12;
/// The most digits: enough for 64 bits.
const MOST_DIGITS: u32 = 6;
/// Fewer pairs than this are not worth another thread.
const WORTH_THREADS: usize = 1 << 14;

/// Puts the pairs of several runs into canonical order. `scratch` keeps its memory from call to call.
pub(super) fn sorted(runs: &[&[Pair]], out: &mut Vec<Pair>, scratch: &mut Scratch, executor: &Executor) {
    if let [run] = runs
        && run.is_sorted()
    {
        out.clear();
        out.extend_from_slice(run);
        return;
    }
    let len = runs.iter().map(|run| run.len()).sum();
    out.resize(len, NO_PAIR);
    sort_runs(runs, out, scratch, executor);
}

/// Puts a list into canonical order.
pub(super) fn sort(list: &mut [Pair], scratch: &mut Scratch, executor: &Executor) {
    if list.len() < FEW {
        list.sort_unstable();
    } else if !list.is_sorted() {
        let mut unsorted = std::mem::take(&mut scratch.unsorted);
        unsorted.clear();
        unsorted.extend_from_slice(list);
        sort_runs(&[&unsorted], list, scratch, executor);
        scratch.unsorted = unsorted;
    }
}

/// What is overwritten.
pub(super) const NO_PAIR: Pair = Pair { low: 0, high: 0 };

/// Memory of the sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// A list that is being sorted in place.
    unsorted: Vec<Pair>,
    /// Chunk after chunk, where in it each bucket ends.
    ends: Vec<u32>,
    narrow: Keys<u32>,
    wide: Keys<u64>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.unsorted.capacity() * size_of::<Pair>()
            + self.ends.capacity() * size_of::<u32>()
            + self.narrow.bytes()
            + self.wide.bytes()
    }
}

fn sort_runs(runs: &[&[Pair]], out: &mut [Pair], scratch: &mut Scratch, executor: &Executor) {
    if out.len() < FEW {
        let mut rest = out.iter_mut();
        runs.iter().for_each(|run| rest.by_ref().zip(*run).for_each(|(to, pair)| *to = *pair));
        out.sort_unstable();
        return;
    }
    let plan = Plan::new(runs, out.len());
    let serial = Executor::serial();
    let executor = if out.len() < WORTH_THREADS { &serial } else { executor };
    if plan.bits() <= u32::BITS {
        scratch.narrow.sort(runs, &plan, out, &mut scratch.ends, executor);
    } else {
        scratch.wide.sort(runs, &plan, out, &mut scratch.ends, executor);
    }
}

/// How pairs are cut into a bucket and a key.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// One of the pairs: what all have in common at the front of their ids says nothing about their order.
    sample: Pair,
    /// As a power of two.
    buckets: u32,
    /// How many bits of the lower id are in the key, above those of the higher id.
    low_bits: u32,
    high_bits: u32,
    high_mask: u32,
}

impl Plan {
    fn new(runs: &[&[Pair]], len: usize) -> Self {
        let sample = runs.iter().find_map(|run| run.first()).copied().unwrap_or(NO_PAIR);
        let (mut low, mut high) = (0, 0);
        for run in runs {
            for pair in *run {
                low |= pair.low ^ sample.low;
                high |= pair.high ^ sample.high;
            }
        }
        let (low_bits, high_bits) = (u32::BITS - low.leading_zeros(), u32::BITS - high.leading_zeros());
        let worth = if len <= ONE_BUCKET { 0 } else { (len / BUCKET).ilog2() };
        let buckets = worth.min(MOST_BUCKET_BITS).min(low_bits);
        Self { sample, buckets, low_bits: low_bits - buckets, high_bits, high_mask: mask(high_bits) }
    }

    fn bits(&self) -> u32 {
        self.low_bits + self.high_bits
    }

    /// The number of buckets less one.
    fn last_bucket(&self) -> usize {
        (1 << self.buckets) - 1
    }

    /// What tells a pair from others of its bucket, in the last bits; those above are whatever they are.
    #[inline]
    fn key(&self, pair: Pair) -> u64 {
        u64::from(pair.low) << self.high_bits | u64::from(pair.high & self.high_mask)
    }

    /// From key to pair, for the pairs of a bucket.
    #[inline]
    fn unpacked(&self, bucket: usize) -> impl Fn(u64) -> Pair + use<> {
        let low_mask = mask(self.low_bits);
        let common = self.sample.low & !mask(self.low_bits + self.buckets);
        let low = common | (bucket as u32).unbounded_shl(self.low_bits);
        let high = self.sample.high & !self.high_mask;
        let (high_bits, high_mask) = (self.high_bits, self.high_mask);
        move |key| Pair {
            low: low | (key >> high_bits) as u32 & low_mask,
            high: high | key as u32 & high_mask,
        }
    }
}

fn mask(bits: u32) -> u32 {
    u32::MAX.unbounded_shr(u32::BITS - bits)
}

/// A number that keys fit in.
trait Packed: Copy + Default + Send + Sync {
    fn pack(key: u64) -> Self;
    fn key(self) -> u64;
}

impl Packed for u32 {
    #[inline]
    fn pack(key: u64) -> Self {
        key as Self
    }
    #[inline]
    fn key(self) -> u64 {
        self.into()
    }
}

impl Packed for u64 {
    #[inline]
    fn pack(key: u64) -> Self {
        key
    }
    #[inline]
    fn key(self) -> u64 {
        self
    }
}

/// Memory of a sort by keys of one width.
#[derive(Clone, Debug, Default)]
struct Keys<K> {
    /// Chunk after chunk, its keys by bucket.
    dealt: Vec<K>,
    /// One for each share of the buckets.
    sorters: Vec<Sorter<K>>,
}

impl<K: Packed> Keys<K> {
    fn bytes(&self) -> usize {
        self.dealt.capacity() * size_of::<K>() + self.sorters.iter().map(Sorter::bytes).sum::<usize>()
    }

    fn sort(
        &mut self,
        runs: &[&[Pair]],
        plan: &Plan,
        out: &mut [Pair],
        ends: &mut Vec<u32>,
        executor: &Executor,
    ) {
        let buckets = plan.last_bucket() + 1;
        // How large chunks are shows in nothing but the time.
        let chunk = match executor.threads() {
            1 => CHUNK,
            threads => (out.len() / (2 * threads)).clamp(LEAST_CHUNK, CHUNK),
        };
        let pieces: Vec<&[Pair]> = runs.iter().flat_map(|run| run.chunks(chunk)).collect();
        let chunks = cut(&pieces, chunk);
        // What was there is overwritten.
        self.dealt.resize(out.len(), K::default());
        ends.resize(chunks.len() * buckets, 0);
        let mut rest = self.dealt.as_mut_slice();
        let with_room = chunks.iter().zip(ends.chunks_mut(buckets)).map(|(pieces, ends)| {
            let len = pieces.iter().map(|piece| piece.len()).sum();
            (*pieces, ends, take(&mut rest, len))
        });
        let mut dealing: Vec<_> = with_room.collect();
        executor.for_each(&mut dealing, |_, (pieces, ends, out)| deal(pieces, plan, ends, out));
        let dealt: Vec<&[K]> = dealing.into_iter().map(|(_, _, dealt)| &*dealt).collect();

        // How many shares there are shows in nothing but the time.
        let shares = if executor.threads() == 1 { 1 } else { buckets.min(4 * executor.threads()) };
        if self.sorters.len() < shares {
            self.sorters.resize_with(shares, Sorter::default);
        }
        let starts = Starts { ends, buckets };
        let mut rest = out;
        let with_room = self.sorters.iter_mut().take(shares).enumerate().map(|(share, sorter)| {
            let of_share = buckets * share / shares..buckets * (share + 1) / shares;
            let len = starts.in_all(of_share.end) - starts.in_all(of_share.start);
            (of_share, take(&mut rest, len), sorter)
        });
        let mut sorting: Vec<_> = with_room.collect();
        executor.for_each(&mut sorting, |_, (of_share, out, sorter)| {
            let mut rest = &mut **out;
            let mut sources = Vec::with_capacity(dealt.len());
            for bucket in of_share.clone() {
                sources.clear();
                sources.extend(dealt.iter().enumerate().map(|(chunk, dealt)| {
                    &dealt[starts.in_chunk(chunk, bucket)..starts.in_chunk(chunk, bucket + 1)]
                }));
                let len = sources.iter().map(|source| source.len()).sum();
                sorter.sort(plan, bucket, &sources, take(&mut rest, len));
            }
        });
    }
}

/// Where buckets start.
struct Starts<'a> {
    ends: &'a [u32],
    buckets: usize,
}

impl Starts<'_> {
    fn in_chunk(&self, chunk: usize, bucket: usize) -> usize {
        if bucket == 0 { 0 } else { self.ends[chunk * self.buckets + bucket - 1] as usize }
    }

    fn in_all(&self, bucket: usize) -> usize {
        (0..self.ends.len() / self.buckets).map(|chunk| self.in_chunk(chunk, bucket)).sum()
    }
}

/// Cuts a piece off the front.
fn take<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    rest.split_off_mut(..len).expect("the pieces are as long as the whole")
}

/// Groups pieces of at most a chunk into chunks of at least half of one, but for the last.
fn cut<'a, 'b>(pieces: &'b [&'a [Pair]], chunk: usize) -> Vec<&'b [&'a [Pair]]> {
    let mut chunks = Vec::new();
    let (mut first, mut pairs) = (0, 0);
    for (at, piece) in pieces.iter().enumerate() {
        pairs += piece.len();
        if pairs >= chunk / 2 || at + 1 == pieces.len() {
            chunks.push(&pieces[first..=at]);
            (first, pairs) = (at + 1, 0);
        }
    }
    chunks
}

/// Deals the keys of pairs into buckets; `ends` becomes where each of them ends in `out`.
fn deal<K: Packed>(pieces: &[&[Pair]], plan: &Plan, ends: &mut [u32], out: &mut [K]) {
    let plan = *plan;
    if let [end] = ends {
        *end = out.len() as u32;
        let pairs = pieces.iter().flat_map(|piece| piece.iter());
        out.iter_mut().zip(pairs).for_each(|(to, pair)| *to = K::pack(plan.key(*pair)));
        return;
    }
    ends.fill(0);
    let (shift, mask) = (plan.low_bits, plan.last_bucket());
    for piece in pieces {
        count(piece, ends, |pair| pair.low.unbounded_shr(shift) as usize, mask);
    }
    to_starts(ends);
    // Each start is advanced to its end while writing.
    for piece in pieces {
        let bucket = |pair: Pair| pair.low.unbounded_shr(shift) as usize;
        scatter(piece, ends, bucket, mask, |pair| K::pack(plan.key(pair)), out);
    }
}

/// Sorts one bucket at a time.
#[derive(Clone, Debug, Default)]
struct Sorter<K> {
    /// The keys between two passes.
    from: Vec<K>,
    to: Vec<K>,
    /// Digit after digit, the counts of its values.
    counts: Vec<u32>,
}

impl<K: Packed> Sorter<K> {
    fn bytes(&self) -> usize {
        (self.from.capacity() + self.to.capacity()) * size_of::<K>()
            + self.counts.capacity() * size_of::<u32>()
    }

    fn sort(&mut self, plan: &Plan, bucket: usize, sources: &[&[K]], out: &mut [Pair]) {
        if out.len() < FEW {
            let unpacked = plan.unpacked(bucket);
            let keys = sources.iter().flat_map(|source| source.iter());
            out.iter_mut().zip(keys).for_each(|(to, key)| *to = unpacked(key.key()));
            out.sort_unstable();
            return;
        }
        // A pass costs so much for each key, and a few times less for each count.
        let cost = |digits: &u32| *digits as usize * (4 * out.len() + (1 << plan.bits().div_ceil(*digits)));
        let fewest = plan.bits().div_ceil(WIDEST).max(1);
        match (fewest..=MOST_DIGITS).min_by_key(cost).expect("six digits are enough") {
            1 => self.sort_by::<1>(plan, bucket, sources, out),
            2 => self.sort_by::<2>(plan, bucket, sources, out),
            3 => self.sort_by::<3>(plan, bucket, sources, out),
            4 => self.sort_by::<4>(plan, bucket, sources, out),
            5 => self.sort_by::<5>(plan, bucket, sources, out),
            _ => self.sort_by::<6>(plan, bucket, sources, out),
        }
    }

    fn sort_by<const DIGITS: usize>(
        &mut self,
        plan: &Plan,
        bucket: usize,
        sources: &[&[K]],
        out: &mut [Pair],
    ) {
        let width = plan.bits().div_ceil(DIGITS as u32);
        let mask = (1 << width) - 1;
        self.counts.clear();
        self.counts.resize(DIGITS << width, 0);
        let mut rest = self.counts.as_mut_slice();
        let mut counts: [&mut [u32]; DIGITS] = std::array::from_fn(|_| take(&mut rest, 1 << width));
        for source in sources {
            count_digits(source, &mut counts, width, mask);
        }
        for (place, counts) in counts.into_iter().enumerate() {
            to_starts(counts);
            let shift = place as u32 * width;
            let digit = |key: K| (key.key() >> shift) as usize;
            let between = [self.from.as_slice()];
            let sources = if place == 0 { sources } else { &between };
            if place + 1 < DIGITS {
                self.to.resize(out.len(), K::default());
                for source in sources {
                    scatter(source, counts, digit, mask, |key| key, &mut self.to);
                }
                std::mem::swap(&mut self.from, &mut self.to);
            } else {
                let unpacked = plan.unpacked(bucket);
                for source in sources {
                    scatter(source, counts, digit, mask, |key| unpacked(key.key()), out);
                }
            }
        }
    }
}

// The loops below are functions of their own so that all they need stays in registers; that the counts are as many as
// the mask allows is said so that no index is checked twice.

/// Counts items by digit.
#[inline(never)]
fn count<T: Copy>(items: &[T], counts: &mut [u32], digit: impl Fn(T) -> usize, mask: usize) {
    let counts = &mut counts[..=mask];
    for item in items {
        counts[digit(*item) & mask] += 1;
    }
}

/// Counts keys by all of their digits.
#[inline(never)]
fn count_digits<K: Packed, const DIGITS: usize>(
    keys: &[K],
    counts: &mut [&mut [u32]; DIGITS],
    width: u32,
    mask: usize,
) {
    let mut counts = counts.each_mut().map(|counts| &mut counts[..=mask]);
    for key in keys {
        let mut rest = key.key();
        for counts in &mut counts {
            counts[rest as usize & mask] += 1;
            rest >>= width;
        }
    }
}

/// Writes items, turned into what they are to be, where their digits say, and moves that on.
#[inline(never)]
fn scatter<T: Copy, U>(
    items: &[T],
    starts: &mut [u32],
    digit: impl Fn(T) -> usize,
    mask: usize,
    turned: impl Fn(T) -> U,
    out: &mut [U],
) {
    let starts = &mut starts[..=mask];
    for item in items {
        let at = &mut starts[digit(*item) & mask];
        out[*at as usize] = turned(*item);
        *at += 1;
    }
}

/// Turns counts into starts.
fn to_starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs of ids in a range, in no order.
    fn pairs(first: u32, ids: u32, len: usize, seed: u64) -> Vec<Pair> {
        let mut state = seed | 1;
        let mut id = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            first + ((state >> 20) as u32) % ids
        };
        (0..len).map(|_| Pair::new(id(), id())).collect()
    }

    fn is_sorted_by_all(list: &[Pair], cuts: usize, scratch: &mut Scratch) {
        let mut expected = list.to_vec();
        expected.sort_by_key(|pair| (pair.low, pair.high));
        for threads in [1, 2, 3] {
            let executor = Executor::new(threads).unwrap();
            let runs: Vec<&[Pair]> = list.chunks(list.len() / cuts + 1).collect();
            let mut out = vec![NO_PAIR; 5];
            sorted(&runs, &mut out, scratch, &executor);
            assert!(out == expected, "{} pairs in {cuts} runs, {threads} threads", list.len());
            let mut in_place = list.to_vec();
            sort(&mut in_place, scratch, &executor);
            assert!(in_place == expected, "{} pairs in place, {threads} threads", list.len());
        }
    }

    #[test]
    fn many_pairs_of_all_kinds_of_ids_are_sorted() {
        // First id, how many ids, pairs, runs.
        let cases = [
            (0, 100_000, 150_000, 7),
            (0, 3, 20_000, 2),
            (0, 5000, 80_000, 1),
            (u32::MAX - 70_000, 70_000, 90_000, 500),
            (u32::MAX - (1 << 24), 1 << 24, 70_000, 30),
            (0, u32::MAX, 40_000, 3),
            (1 << 31, 1, 20_000, 1),
            (7, 1 << 20, WORTH_THREADS + 1, 100_000),
        ];
        let mut scratch = Scratch::default();
        for (first, ids, len, cuts) in cases {
            is_sorted_by_all(&pairs(first, ids, len, 9), cuts, &mut scratch);
        }
        // A box that meets all others.
        let star: Vec<Pair> =
            pairs(1, 90_000, 60_000, 3).iter().map(|pair| Pair::new(0, pair.high)).collect();
        is_sorted_by_all(&star, 4, &mut scratch);
    }

    proptest! {
        #[test]
        fn canonical_order_is_the_sorted_order(
            first in prop::sample::select(vec![0, 1, 1 << 16, u32::MAX / 2 - 3, u32::MAX - 5000]),
            ids in prop::sample::select(vec![1u32, 2, 60, 999, 5000]),
            len in prop_oneof![0usize..130, 0usize..3000],
            cuts in 1usize..9,
            seed in any::<u64>(),
        ) {
            let list = pairs(first, ids, len, seed);
            let mut expected = list.clone();
            expected.sort_by_key(|pair| (pair.low, pair.high));
            let runs: Vec<&[Pair]> = list.chunks(len / cuts + 1).collect();
            let mut out = vec![];
            sorted(&runs, &mut out, &mut Scratch::default(), &Executor::serial());
            prop_assert_eq!(out, expected);
        }
    }
}
