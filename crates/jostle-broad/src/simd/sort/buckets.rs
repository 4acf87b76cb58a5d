//! Pairs dealt into buckets as keys, and buckets of keys sorted and turned into pairs: in one call for all of them, because what is
//! the same for all is then at hand.

use super::few::{Unpacking, sort_into_pairs, sort_some};
use super::{Sorting, SortingNetwork};
use crate::Pair;
use crate::simd::blocks::LINE_BYTES;

/// How a pair is cut into the number of a bucket and a key, and put together again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// For the pairs of the first bucket. Those of others have the number of the bucket in the lower id, above the bits of the key.
    pub(crate) unpacking: Unpacking,
    /// How many bits of the lower id are in the key.
    pub(crate) low_bits: u32,
    /// The number of buckets less one.
    pub(crate) last_bucket: usize,
}

impl Cut {
    #[inline(always)]
    fn bucket(&self, pair: Pair) -> u32 {
        pair.low.unbounded_shr(self.low_bits) & self.last_bucket as u32
    }

    /// What is above the bits that count is whatever it is.
    #[inline(always)]
    fn key(&self, pair: Pair) -> u32 {
        pair.low.unbounded_shl(self.unpacking.high_bits) | pair.high & self.unpacking.high_mask
    }

    #[inline(always)]
    fn unpacking(&self, bucket: u32) -> Unpacking {
        let mut unpacking = self.unpacking;
        unpacking.common.low |= bucket.unbounded_shl(self.low_bits);
        unpacking
    }
}

/// So many pairs are cut before they are dealt: first by whole registers, then one after the other.
const TOGETHER: usize = 128;

/// More keys than these are not at hand when they are written to: each bucket's memory is asked for one line ahead. The machine does not
/// see by itself that hundreds of buckets go on where they ended, and what is written waits for all that was written before.
const CACHED: usize = 1 << 15;
const AHEAD: usize = LINE_BYTES / size_of::<u32>();

/// See [`crate::Lanes::deal_keys`].
#[inline(always)]
pub(in crate::simd) fn deal_keys<V: Sorting>(pairs: &[Pair], cut: &Cut, starts: &mut [u32], out: &mut [u32]) {
    // Asked once, not for each pair.
    if out.len() > CACHED {
        deal_all::<V, true>(pairs, cut, starts, out);
    } else {
        deal_all::<V, false>(pairs, cut, starts, out);
    }
}

#[inline(always)]
fn deal_all<V: Sorting, const ARE_FAR: bool>(pairs: &[Pair], cut: &Cut, starts: &mut [u32], out: &mut [u32]) {
    // Said so that no index is checked twice.
    let starts = &mut starts[..=cut.last_bucket];
    let (mut buckets, mut keys) = ([0; TOGETHER], [0; TOGETHER]);
    for pairs in pairs.chunks(TOGETHER) {
        for ((bucket, key), pair) in buckets.iter_mut().zip(&mut keys).zip(pairs) {
            (*bucket, *key) = (cut.bucket(*pair), cut.key(*pair));
        }
        for (bucket, key) in buckets[..pairs.len()].iter().zip(&keys) {
            let start = &mut starts[*bucket as usize & cut.last_bucket];
            out[*start as usize] = *key;
            if ARE_FAR {
                let soon = out.as_ptr().wrapping_add(*start as usize + AHEAD);
                // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
                unsafe { V::prefetch(soon.cast()) };
            }
            *start += 1;
        }
    }
}

/// So many buckets are sorted together: in a single one, each step waits for the one before it. Of more, the largest one
/// would too often need more registers than the others. Neighbours are about as large, so that how many is seldom a surprise.
const GROUP: usize = 2;

const ROOM: &str = "there is room for as many pairs as there are keys";

/// See [`crate::Lanes::sort_buckets`].
#[inline(always)]
pub(in crate::simd) fn sort_buckets<V: Sorting>(
    keys: &[u32],
    ends: &[u32],
    cut: &Cut,
    mut out: &mut [Pair],
    large: &mut Vec<u32>,
) {
    let width = <V::Keys as SortingNetwork>::WIDTH;
    let (groups, last) = ends.as_chunks::<GROUP>();
    let mut start = 0;
    let mut bucket = 0;
    for ends in groups {
        let (mut of, mut most) = ([&keys[..0]; GROUP], 0);
        let mut unpacking = [cut.unpacking; GROUP];
        for ((of, unpacking), end) in of.iter_mut().zip(&mut unpacking).zip(ends) {
            *of = &keys[std::mem::replace(&mut start, *end) as usize..*end as usize];
            *unpacking = cut.unpacking(bucket);
            most = most.max(of.len());
            bucket += 1;
        }
        let room = of.map(|keys| out.split_off_mut(..keys.len()).expect(ROOM));
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
        unsafe {
            if most <= width {
                sort_some::<V::Keys, 1, GROUP>(of, unpacking, room);
            } else if most <= 2 * width {
                sort_some::<V::Keys, 2, GROUP>(of, unpacking, room);
            } else if most <= 4 * width {
                sort_some::<V::Keys, 4, GROUP>(of, unpacking, room);
            } else {
                for (((keys, unpacking), room), at) in
                    of.into_iter().zip(&unpacking).zip(room).zip(bucket - GROUP as u32..)
                {
                    if !sort_into_pairs::<V>(keys, unpacking, room) {
                        large.push(at);
                    }
                }
            }
        }
    }
    for end in last {
        let of = &keys[std::mem::replace(&mut start, *end) as usize..*end as usize];
        let room = out.split_off_mut(..of.len()).expect(ROOM);
        if !sort_into_pairs::<V>(of, &cut.unpacking(bucket), room) {
            large.push(bucket);
        }
        bucket += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::scene::Random;

    const COMMON: Pair = Pair { low: 0xf000_0000, high: 0x8900_0000 };
    const LAST_BUCKET: usize = 12;
    const LOW_BITS: u32 = 7;

    fn some_cut() -> Cut {
        let mask = |bits: u32| u32::MAX >> (u32::BITS - bits);
        let high_bits = 19;
        let unpacking =
            Unpacking { common: COMMON, high_bits, low_mask: mask(LOW_BITS), high_mask: mask(high_bits) };
        // Of the sixteen buckets that four bits make, the last three are empty.
        Cut { unpacking, low_bits: LOW_BITS, last_bucket: 15 }
    }

    /// Pairs whose buckets are of all kinds: none, few, and more than registers hold.
    fn some_pairs(random: &mut Random, len: usize) -> Vec<Pair> {
        let bucket = |bits: u32| (bits % (1 + LAST_BUCKET as u32)).min(bits >> 8 & 0xf);
        let pairs = (0..len).map(|_| {
            let bits = random.bits();
            let low = bucket(bits as u32) << LOW_BITS | (bits >> 16) as u32 & 0x7f;
            Pair { low: COMMON.low | low, high: COMMON.high | (bits >> 32) as u32 & 0x7_ffff }
        });
        pairs.collect()
    }

    /// Where buckets start, and the end of all.
    fn starts(pairs: &[Pair], cut: &Cut) -> Vec<u32> {
        let below =
            |bucket| pairs.iter().filter(|pair| (cut.bucket(**pair) as usize) < bucket).count() as u32;
        (0..=cut.last_bucket + 1).map(below).collect()
    }

    #[test]
    fn pairs_that_are_dealt_and_sorted_by_bucket_are_sorted_on_every_width() {
        let (mut random, cut) = (Random::new(6), some_cut());
        let (mut sorted_ones, mut large_ones) = (0, 0);
        for len in
            [0, 1, 5, 40, 127, 128, 129, 300, 700, 1500].into_iter().filter(|&len| !cfg!(miri) || len < 200)
        {
            let pairs = some_pairs(&mut random, len);
            let starts = starts(&pairs, &cut);
            let mut expected = pairs.clone();
            expected.sort_by_key(|pair| (pair.low, pair.high));
            for lanes in Lanes::available() {
                let (mut ends, mut keys) = (starts[..=cut.last_bucket].to_vec(), vec![0; len]);
                lanes.deal_keys(&pairs, &cut, &mut ends, &mut keys);
                assert_eq!(ends, starts[1..], "{lanes}, {len} pairs");

                let untouched = Pair { low: 1, high: 2 };
                let (mut out, mut large) = (vec![untouched; len], vec![77]);
                lanes.sort_buckets(&keys, &ends, &cut, &mut out, &mut large);
                assert_eq!(large.remove(0), 77, "what is there stays");
                for bucket in 0..=cut.last_bucket {
                    let these = starts[bucket] as usize..starts[bucket + 1] as usize;
                    if large.contains(&(bucket as u32)) {
                        large_ones += 1;
                        assert!(out[these].iter().all(|pair| *pair == untouched), "{lanes}, bucket {bucket}");
                    } else {
                        sorted_ones += 1;
                        assert_eq!(
                            out[these.clone()],
                            expected[these],
                            "{lanes}, {len} pairs, bucket {bucket}"
                        );
                    }
                }
                assert!(large.is_sorted());
                for bucket in large.into_iter().map(|bucket| bucket as usize) {
                    let these = starts[bucket] as usize..starts[bucket + 1] as usize;
                    let room = &mut out[these.clone()];
                    assert!(
                        !lanes.sort_into_pairs(&keys[these], &cut.unpacking, room),
                        "registers hold these"
                    );
                }
            }
        }
        assert!(sorted_ones > 0 && large_ones > 0);
    }
}
