//! Sorting pairs into canonical order, cheaply.
//!
//! A radix sort from the front, without branches that depend on the data. Pairs are dealt into buckets of neighbouring
//! lower ids, all at once or, where they are many or for several threads, in chunks; what is left to tell the pairs of a bucket apart nearly always
//! has 32 bits or less, so that half a pair is all that goes on. Each bucket, gathered from all chunks, is sorted in vector
//! registers and written as pairs; one that is too large for that is dealt again, by the bits that follow. Chunks are
//! independent of each other, and so are buckets: both are work for several threads, and the order is the same whoever
//! does it.

use bytemuck::NoUninit;

use super::Pair;
use super::bits::IdBits;
use crate::simd::{Cut, KeyBlock, MOST_KEYS, Unpacking};
use crate::{Executor, FindSettings, Lanes};

/// Pairs per chunk, at most and, where several threads are to have some, at least. (A million pairs in one chunk take a fifth more on a Xeon.)
const CHUNK: usize = 1 << 17;
const LEAST_CHUNK: usize = 1 << 12;
/// Keys per bucket, at least and on average, but where there are the most buckets: sorting them takes more for each the
/// more there are.
const BUCKET: usize = 8;
/// No more keys than this are sorted without being dealt; in a bucket that turned out large, as many as can be.
const UNDEALT: usize = 512;
/// Buckets at most, as powers of two: each is a place that dealing writes to. They may be many while all that is written
/// stays in the cache, which it does where this many pairs at most are dealt at once; else large ones are dealt again.
const MOST_BUCKET_BITS: u32 = 9;
const MOST_BUCKET_BITS_IN_CACHE: u32 = 11;
const IN_CACHE: usize = 1 << 18;
/// How many shares of the buckets there are for each thread.
const SHARES: usize = 8;
/// Fewer pairs than this are not worth another thread.
const WORTH_THREADS: usize = 1 << 15;
/// Fewer pairs than this in two lists are not worth another thread for one of them, though it was at work just now.
const WORTH_ANOTHER: usize = 1 << 11;

/// The pairs of several runs, in which these bits differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsorted<'a> {
    pub(super) runs: &'a [&'a [Pair]],
    pub(super) bits: IdBits,
}

impl Unsorted<'_> {
    pub(super) fn len(self) -> usize {
        len_of(self.runs)
    }

    /// Copies it, if it is in order as it is; if not, makes room.
    fn is_copied(self, out: &mut Vec<Pair>) -> bool {
        if let [run] = self.runs
            && run.is_sorted()
        {
            out.clear();
            out.extend_from_slice(run);
            return true;
        }
        // What was there is overwritten.
        out.resize(self.len(), NO_PAIR);
        false
    }
}

/// Puts pairs into canonical order. `scratch` keeps its memory from call to call.
pub(super) fn sorted(
    list: Unsorted<'_>,
    out: &mut Vec<Pair>,
    scratch: &mut Scratch,
    settings: &FindSettings,
) {
    if !list.is_copied(out) {
        sort_runs(list, out, scratch, settings);
    }
}

/// The same for two lists. Threads that are at work on one of them need not wait for those at work on the other.
pub(super) fn sorted_both(
    lists: [Unsorted<'_>; 2],
    [out, other_out]: [&mut Vec<Pair>; 2],
    [scratch, other_scratch]: &mut [Scratch; 2],
    settings: &FindSettings,
) {
    let [len, other_len] = lists.map(Unsorted::len);
    let [list, other] = lists;
    if settings.executor.threads() == 1 || len + other_len < WORTH_ANOTHER {
        sorted(list, out, scratch, settings);
        return sorted(other, other_out, other_scratch, settings);
    }
    if len.max(other_len) < WORTH_THREADS {
        let mut work = [(list, out, scratch), (other, other_out, other_scratch)];
        let alone = settings.if_worth(false);
        return settings
            .executor
            .for_each(&mut work, |_, (list, out, scratch)| sorted(*list, out, scratch, &alone));
    }
    let plans = [(list, len), (other, other_len)].map(|(list, len)| Plan::new(list.bits, len, false));
    // A single run may be in order as it is.
    let are_plain = plans.iter().all(Plan::is_narrow) && lists.iter().all(|list| list.runs.len() > 1);
    if !are_plain {
        sorted(list, out, scratch, settings);
        return sorted(other, other_out, other_scratch, settings);
    }
    out.resize(len, NO_PAIR);
    other_out.resize(other_len, NO_PAIR);
    let mut jobs = [
        Job { runs: list.runs, plan: &plans[0], out, ends: &mut scratch.ends, keys: &mut scratch.narrow },
        Job {
            runs: other.runs,
            plan: &plans[1],
            out: other_out,
            ends: &mut other_scratch.ends,
            keys: &mut other_scratch.narrow,
        },
    ];
    sort_in_chunks(&mut jobs, Means { lanes: settings.lanes, executor: &settings.executor });
}

/// Puts a list into canonical order.
pub(super) fn sort(list: &mut [Pair], scratch: &mut Scratch, settings: &FindSettings) {
    if !list.is_sorted() {
        let mut unsorted = std::mem::take(&mut scratch.unsorted);
        unsorted.clear();
        unsorted.extend_from_slice(list);
        sort_runs(Unsorted { runs: &[&unsorted], bits: bits_of(&[&unsorted]) }, list, scratch, settings);
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

/// Which bits differ in the pairs of several runs.
pub(super) fn bits_of(runs: &[&[Pair]]) -> IdBits {
    let mut bits = IdBits::default();
    runs.iter().for_each(|run| bits.take(run));
    bits
}

fn sort_runs(list: Unsorted<'_>, out: &mut [Pair], scratch: &mut Scratch, settings: &FindSettings) {
    let executor = settings.executor.if_worth(out.len() >= WORTH_THREADS);
    let plan = Plan::new(list.bits, out.len(), executor.threads() == 1);
    let means = Means { lanes: settings.lanes, executor };
    let Scratch { ends, narrow, wide, .. } = scratch;
    if plan.is_narrow() {
        Job { runs: list.runs, plan: &plan, out, ends, keys: narrow }.sort(means);
    } else {
        Job { runs: list.runs, plan: &plan, out, ends, keys: wide }.sort(means);
    }
}

/// What a sort is done with.
#[derive(Clone, Copy)]
struct Means<'a> {
    lanes: Lanes,
    executor: &'a Executor,
}

/// How pairs are cut into a bucket and a key.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// What all have in common at the front of their ids says nothing about their order.
    common: Pair,
    /// As a power of two.
    buckets: u32,
    /// How many bits of the lower id are in the key, above those of the higher id.
    low_bits: u32,
    high_bits: u32,
    high_mask: u32,
}

impl Plan {
    fn new(bits: IdBits, len: usize, one_chunk: bool) -> Self {
        let [low_bits, high_bits] = bits.that_differ();
        let is_in_cache = one_chunk && len <= IN_CACHE;
        let most = if is_in_cache { MOST_BUCKET_BITS_IN_CACHE } else { MOST_BUCKET_BITS };
        let buckets = digit(len).min(most).min(low_bits);
        Self {
            common: bits.common(),
            buckets,
            low_bits: low_bits - buckets,
            high_bits,
            high_mask: mask(high_bits),
        }
    }

    fn bits(&self) -> u32 {
        self.low_bits + self.high_bits
    }

    /// Is half a pair enough for a key?
    fn is_narrow(&self) -> bool {
        self.bits() <= u32::BITS
    }

    fn buckets(&self) -> usize {
        1 << self.buckets
    }

    /// The number of buckets less one.
    fn last_bucket(&self) -> usize {
        self.buckets() - 1
    }

    /// What tells a pair from others of its bucket, in the last bits; those above are whatever they are.
    #[inline]
    fn key(&self, pair: Pair) -> u64 {
        u64::from(pair.low) << self.high_bits | u64::from(pair.high & self.high_mask)
    }

    fn cut(&self) -> Cut {
        Cut { unpacking: self.unpacking(0), low_bits: self.low_bits, last_bucket: self.last_bucket() }
    }

    /// From key to pair, for the pairs of a bucket.
    fn unpacking(&self, bucket: usize) -> Unpacking {
        let low = self.common.low & !mask(self.low_bits + self.buckets);
        let low = low | (bucket as u32).unbounded_shl(self.low_bits);
        let high = self.common.high & !self.high_mask;
        Unpacking {
            common: Pair { low, high },
            high_bits: self.high_bits,
            low_mask: mask(self.low_bits),
            high_mask: self.high_mask,
        }
    }
}

/// How many bits to deal so many keys by; none where they need not be dealt.
fn digit(len: usize) -> u32 {
    if len <= UNDEALT { 0 } else { (len / BUCKET).ilog2() }
}

fn mask(bits: u32) -> u32 {
    u32::MAX.unbounded_shr(u32::BITS - bits)
}

/// A number that keys fit in.
trait Packed: NoUninit + Default + Ord + Send + Sync {
    fn pack(key: u64) -> Self;
    fn key(self) -> u64;
    /// Sorts keys and turns them into pairs, if they are so few that registers hold them.
    fn sort_into_pairs(keys: &[Self], unpacking: &Unpacking, out: &mut [Pair], lanes: Lanes) -> bool;
    /// Writes the keys of pairs where their buckets start, and moves these starts on.
    fn scatter(pairs: &[Pair], plan: &Plan, starts: &mut [u32], out: &mut [Self], lanes: Lanes);
    /// The same as [`Self::sort_into_pairs`] for bucket after bucket, each of which ends there; appends to `large` those
    /// that registers do not hold.
    fn sort_buckets(
        keys: &[Self],
        ends: &[u32],
        cut: &Cut,
        out: &mut [Pair],
        large: &mut Vec<u32>,
        lanes: Lanes,
    );
    /// Room for few keys, to be sorted in.
    type Few: Default + Clone + std::fmt::Debug + AsMut<[Self]> + Send;
    fn sort_few(few: &mut Self::Few, len: usize, lanes: Lanes);
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
    #[inline]
    fn sort_into_pairs(keys: &[u32], unpacking: &Unpacking, out: &mut [Pair], lanes: Lanes) -> bool {
        lanes.sort_into_pairs(keys, unpacking, out)
    }
    #[inline]
    fn scatter(pairs: &[Pair], plan: &Plan, starts: &mut [u32], out: &mut [u32], lanes: Lanes) {
        lanes.deal_keys(pairs, &plan.cut(), starts, out);
    }
    #[inline]
    fn sort_buckets(
        keys: &[u32],
        ends: &[u32],
        cut: &Cut,
        out: &mut [Pair],
        large: &mut Vec<u32>,
        lanes: Lanes,
    ) {
        lanes.sort_buckets(keys, ends, cut, out, large);
    }
    type Few = KeyBlock;
    #[inline]
    fn sort_few(few: &mut KeyBlock, len: usize, lanes: Lanes) {
        lanes.sort_keys(few, len);
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
    #[inline]
    fn sort_into_pairs(_: &[u64], _: &Unpacking, _: &mut [Pair], _: Lanes) -> bool {
        false
    }
    #[inline]
    fn scatter(pairs: &[Pair], plan: &Plan, starts: &mut [u32], out: &mut [u64], _: Lanes) {
        let bucket = |pair: Pair| pair.low.unbounded_shr(plan.low_bits) as usize;
        scatter(pairs, starts, bucket, plan.last_bucket(), |pair| plan.key(pair), out);
    }
    #[inline]
    fn sort_buckets(_: &[u64], ends: &[u32], _: &Cut, _: &mut [Pair], large: &mut Vec<u32>, _: Lanes) {
        large.extend(0..ends.len() as u32);
    }
    type Few = WideBlock;
    #[inline]
    fn sort_few(few: &mut WideBlock, len: usize, _lanes: Lanes) {
        few.0[..len].sort_unstable();
    }
}

/// Room for few keys of 64 bits. Ids so far apart are rare: there are no vector instructions for them.
#[derive(Clone, Debug)]
struct WideBlock([u64; MOST_KEYS]);

impl Default for WideBlock {
    fn default() -> Self {
        Self([0; MOST_KEYS])
    }
}

impl AsMut<[u64]> for WideBlock {
    fn as_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// Memory of a sort by keys of one width.
#[derive(Clone, Debug, Default)]
struct Keys<K: Packed> {
    /// Chunk after chunk, its keys by bucket.
    dealt: Vec<K>,
    /// One for each share of the buckets.
    sorters: Vec<Sorter<K>>,
}

impl<K: Packed> Keys<K> {
    fn bytes(&self) -> usize {
        self.dealt.capacity() * size_of::<K>() + self.sorters.iter().map(Sorter::bytes).sum::<usize>()
    }
}

/// Pairs to be sorted, where to, and the memory for it.
struct Job<'a, K: Packed> {
    runs: &'a [&'a [Pair]],
    plan: &'a Plan,
    out: &'a mut [Pair],
    ends: &'a mut Vec<u32>,
    keys: &'a mut Keys<K>,
}

impl<K: Packed> Job<'_, K> {
    fn sort(self, means: Means<'_>) {
        let is_one_chunk = means.executor.threads() == 1 && self.out.len() <= IN_CACHE;
        if is_one_chunk || self.out.len() <= UNDEALT {
            self.sort_in_one_chunk(means.lanes);
        } else {
            sort_in_chunks(&mut [self], means);
        }
    }

    fn sort_in_one_chunk(self, lanes: Lanes) {
        let Self { runs, plan, out, ends, keys } = self;
        keys.sorters.resize_with(keys.sorters.len().max(1), Sorter::default);
        let sorter = &mut keys.sorters[0];
        if out.len() <= UNDEALT {
            let pairs = runs.iter().flat_map(|run| run.iter());
            let keys = sorter.few.as_mut().iter_mut().zip(pairs);
            keys.for_each(|(key, pair)| *key = K::pack(plan.key(*pair)));
            return sorter.sort_gathered(&plan.unpacking(0), out, lanes);
        }
        // What was there is overwritten.
        keys.dealt.resize(out.len(), K::default());
        ends.resize(plan.buckets(), 0);
        deal(runs, plan, ends, &mut keys.dealt, lanes);
        sorter.sort_each(plan, &Starts { ends, buckets: plan.buckets() }, &keys.dealt, out, lanes);
    }
}

/// Sorts several lists at the same time. How large chunks are, and how many shares there are, shows in nothing but the time.
fn sort_in_chunks<K: Packed>(jobs: &mut [Job<'_, K>], Means { lanes, executor }: Means<'_>) {
    let threads = executor.threads();
    let len: usize = jobs.iter().map(|job| job.out.len()).sum();
    let chunk = (len / (2 * threads)).clamp(LEAST_CHUNK, CHUNK);
    let pieces: Vec<Vec<&[Pair]>> =
        jobs.iter().map(|job| job.runs.iter().flat_map(|run| run.chunks(chunk)).collect()).collect();
    let chunks: Vec<Vec<&[&[Pair]]>> = pieces.iter().map(|pieces| cut(pieces, chunk)).collect();
    let mut dealing = Vec::new();
    for (Job { plan, out, ends, keys, .. }, chunks) in jobs.iter_mut().zip(&chunks) {
        // What was there is overwritten.
        keys.dealt.resize(out.len(), K::default());
        ends.resize(chunks.len() * plan.buckets(), 0);
        let mut rest = keys.dealt.as_mut_slice();
        dealing.extend(
            chunks
                .iter()
                .zip(ends.chunks_mut(plan.buckets()))
                .map(|(&pieces, ends)| (pieces, *plan, ends, take(&mut rest, len_of(pieces)))),
        );
    }
    executor.for_each(&mut dealing, |_, (pieces, plan, ends, out)| deal(pieces, plan, ends, out, lanes));
    let mut sorting = Vec::new();
    for (Job { plan, out, ends, keys, .. }, chunks) in jobs.iter_mut().zip(&chunks) {
        let buckets = plan.buckets();
        let shares = if threads == 1 { 1 } else { SHARES * threads * out.len() / len.max(1) };
        let shares = shares.clamp(1, buckets);
        keys.sorters.resize_with(keys.sorters.len().max(shares), Sorter::default);
        let starts = Starts { ends: ends.as_slice(), buckets };
        let mut dealt = keys.dealt.as_slice();
        let dealt: Vec<&[K]> = chunks
            .iter()
            .map(|pieces| dealt.split_off(..len_of(pieces)).expect("as long as the pieces"))
            .collect();
        let (mut rest, mut begin, ends) = (&mut **out, 0, starts.ends_in_all());
        sorting.extend(keys.sorters.iter_mut().take(shares).enumerate().map(|(share, sorter)| {
            // Lower ids are small more often than not: shares of as many pairs, not of as many buckets.
            let all = rest.len() / (shares - share);
            let before = if begin == 0 { 0 } else { ends[begin - 1] };
            let end = begin + ends[begin..].partition_point(|end| ((end - before) as usize) < all) + 1;
            let end = if share + 1 == shares { buckets } else { end.min(buckets) };
            let of_share = begin..end;
            let room = take(&mut rest, if end > begin { (ends[end - 1] - before) as usize } else { 0 });
            begin = end;
            (*plan, starts, dealt.clone(), of_share, room, sorter)
        }));
    }
    executor.for_each(&mut sorting, |_, (plan, starts, dealt, of_share, out, sorter)| {
        let mut rest = &mut **out;
        let mut sources = Vec::with_capacity(dealt.len());
        let (starts, dealt) = (*starts, dealt.as_slice());
        let in_chunks = |bucket: usize| {
            let in_chunk = move |chunk| starts.in_chunk(chunk, bucket)..starts.in_chunk(chunk, bucket + 1);
            dealt.iter().enumerate().map(move |(chunk, dealt)| &dealt[in_chunk(chunk)])
        };
        for bucket in of_share.clone() {
            sources.clear();
            sources.extend(in_chunks(bucket));
            if bucket + 1 < of_share.end {
                in_chunks(bucket + 1).for_each(|soon| lanes.ask_for_bytes(bytemuck::cast_slice(soon)));
            }
            let room = take(&mut rest, len_of(&sources));
            sorter.sort(plan, bucket, &sources, room, lanes);
        }
    });
}

fn len_of<T>(pieces: &[&[T]]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

/// Where buckets start.
#[derive(Clone, Copy)]
struct Starts<'a> {
    ends: &'a [u32],
    buckets: usize,
}

impl Starts<'_> {
    fn in_chunk(&self, chunk: usize, bucket: usize) -> usize {
        if bucket == 0 { 0 } else { self.ends[chunk * self.buckets + bucket - 1] as usize }
    }

    /// Where each bucket ends among all pairs.
    fn ends_in_all(&self) -> Vec<u32> {
        let mut sums = vec![0; self.buckets];
        for ends in self.ends.chunks_exact(self.buckets) {
            sums.iter_mut().zip(ends).for_each(|(sum, end)| *sum += end);
        }
        sums
    }
}

/// Cuts a piece off the front.
pub(super) fn take<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
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
fn deal<K: Packed>(pieces: &[&[Pair]], plan: &Plan, ends: &mut [u32], out: &mut [K], lanes: Lanes) {
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
    pieces.iter().for_each(|piece| K::scatter(piece, plan, ends, out, lanes));
}

/// Sorts one bucket at a time.
#[derive(Clone, Debug, Default)]
struct Sorter<K: Packed> {
    few: K::Few,
    /// The keys of a large bucket, and as many again.
    keys: Vec<K>,
    spare: Vec<K>,
    /// Which buckets are large; behind them, those of the large one that is being sorted.
    large: Vec<u32>,
}

impl<K: Packed> Sorter<K> {
    fn bytes(&self) -> usize {
        size_of::<K::Few>()
            + (self.keys.capacity() + self.spare.capacity()) * size_of::<K>()
            + self.large.capacity() * size_of::<u32>()
    }

    /// Sorts all buckets of the only chunk.
    fn sort_each(&mut self, plan: &Plan, starts: &Starts<'_>, keys: &[K], out: &mut [Pair], lanes: Lanes) {
        K::sort_buckets(keys, starts.ends, &plan.cut(), out, &mut self.large, lanes);
        for at in 0..self.large.len() {
            let bucket = self.large[at] as usize;
            let these = starts.in_chunk(0, bucket)..starts.in_chunk(0, bucket + 1);
            self.sort(plan, bucket, &[&keys[these.clone()]], &mut out[these], lanes);
        }
        self.large.clear();
    }

    fn sort(&mut self, plan: &Plan, bucket: usize, sources: &[&[K]], out: &mut [Pair], lanes: Lanes) {
        let unpacking = plan.unpacking(bucket);
        if let [source] = sources {
            if K::sort_into_pairs(source, &unpacking, out, lanes) {
                return;
            }
            if out.len() <= MOST_KEYS {
                self.gather(sources);
                return self.sort_by_network(&unpacking, out, lanes);
            }
        } else if out.len() <= MOST_KEYS {
            self.gather(sources);
            return self.sort_gathered(&unpacking, out, lanes);
        }
        let (mut dealt, mut room) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.spare));
        // What was there is overwritten.
        dealt.resize(out.len(), K::default());
        room.resize(out.len(), K::default());
        let buckets = Buckets::deal(sources, plan.bits(), &mut dealt);
        self.sort_buckets(&buckets, &mut dealt, &mut room, &unpacking, out, lanes);
        (self.keys, self.spare) = (dealt, room);
    }

    /// Brings few keys together.
    fn gather(&mut self, sources: &[&[K]]) {
        let mut rest = self.few.as_mut();
        sources.iter().for_each(|source| take(&mut rest, source.len()).copy_from_slice(source));
    }

    /// The keys that were gathered.
    fn sort_gathered(&mut self, unpacking: &Unpacking, out: &mut [Pair], lanes: Lanes) {
        if !K::sort_into_pairs(&self.few.as_mut()[..out.len()], unpacking, out, lanes) {
            self.sort_by_network(unpacking, out, lanes);
        }
    }

    /// The same of more keys than registers hold.
    fn sort_by_network(&mut self, unpacking: &Unpacking, out: &mut [Pair], lanes: Lanes) {
        K::sort_few(&mut self.few, out.len(), lanes);
        out.iter_mut().zip(self.few.as_mut()).for_each(|(to, key)| *to = unpacking.pair(key.key()));
    }

    /// Sorts keys that may differ in their last `bits`.
    fn sort_many(
        &mut self,
        keys: &mut [K],
        room: &mut [K],
        bits: u32,
        unpacking: &Unpacking,
        out: &mut [Pair],
        lanes: Lanes,
    ) {
        if K::sort_into_pairs(keys, unpacking, out, lanes) {
            return;
        }
        if keys.len() <= MOST_KEYS {
            self.gather(&[&*keys]);
            return self.sort_by_network(unpacking, out, lanes);
        }
        if bits == 0 {
            // Nothing is left to tell them apart.
            return out.iter_mut().zip(keys).for_each(|(to, key)| *to = unpacking.pair(key.key()));
        }
        let buckets = Buckets::deal(&[&*keys], bits, room);
        self.sort_buckets(&buckets, room, keys, unpacking, out, lanes);
    }

    /// Sorts all buckets of a large one.
    fn sort_buckets(
        &mut self,
        buckets: &Buckets,
        dealt: &mut [K],
        room: &mut [K],
        unpacking: &Unpacking,
        out: &mut [Pair],
        lanes: Lanes,
    ) {
        let ends = &buckets.ends[..buckets.count];
        // Keys have kept the bits they were dealt by: the number of the bucket says nothing.
        let cut = Cut { unpacking: *unpacking, low_bits: u32::BITS, last_bucket: 0 };
        let first = self.large.len();
        K::sort_buckets(dealt, ends, &cut, out, &mut self.large, lanes);
        let starts = Starts { ends, buckets: buckets.count };
        for at in first..self.large.len() {
            let bucket = self.large[at] as usize;
            let these = starts.in_chunk(0, bucket)..starts.in_chunk(0, bucket + 1);
            let (keys, room) = (&mut dealt[these.clone()], &mut room[these.clone()]);
            self.sort_many(keys, room, buckets.bits, unpacking, &mut out[these], lanes);
        }
        self.large.truncate(first);
    }
}

/// Keys of a bucket that are dealt into buckets again.
struct Buckets {
    /// Where each of them ends.
    ends: [u32; 1 << MOST_BUCKET_BITS],
    count: usize,
    /// How many bits may differ in a bucket.
    bits: u32,
}

impl Buckets {
    /// Deals keys that may differ in their last `bits` by the first of these bits.
    fn deal<K: Packed>(sources: &[&[K]], bits: u32, out: &mut [K]) -> Self {
        let digit = digit(out.len()).clamp(1, MOST_BUCKET_BITS).min(bits);
        let (shift, last) = (bits - digit, (1 << digit) - 1);
        let mut ends = [0; 1 << MOST_BUCKET_BITS];
        let digit_of = |key: K| (key.key() >> shift) as usize;
        sources.iter().for_each(|keys| count(keys, &mut ends, digit_of, last));
        to_starts(&mut ends[..=last]);
        // Each start is advanced to its end while writing.
        sources.iter().for_each(|keys| scatter(keys, &mut ends, digit_of, last, |key| key, out));
        Self { ends, count: last + 1, bits: shift }
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
            let all = Lanes::available();
            let settings =
                FindSettings { executor, lanes: all[threads % all.len()], ..FindSettings::default() };
            let runs: Vec<&[Pair]> = list.chunks(list.len() / cuts + 1).collect();
            let mut out = vec![NO_PAIR; 5];
            sorted(Unsorted { runs: &runs, bits: bits_of(&runs) }, &mut out, scratch, &settings);
            assert!(out == expected, "{} pairs in {cuts} runs, {threads} threads", list.len());
            let mut in_place = list.to_vec();
            sort(&mut in_place, scratch, &settings);
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
            sorted(Unsorted { runs: &runs, bits: bits_of(&runs) }, &mut out, &mut Scratch::default(), &FindSettings::default());
            prop_assert_eq!(out, expected);
        }
    }
}
