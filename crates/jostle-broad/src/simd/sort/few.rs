//! Sorting very few plain keys and turning them into pairs, without putting them down in between: the networks of `keys.rs`
//! for up to four registers, written out.

use super::keys::KeyVector;
use super::{Sorting, SortingNetwork};
use crate::Pair;

/// How a key becomes a pair: it is both ids, but for what all pairs have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unpacking {
    /// What is in common, with nothing where keys differ.
    pub(crate) common: Pair,
    /// Where the bits of the lower id begin in the key, and which of them count there.
    pub(crate) high_bits: u32,
    pub(crate) low_mask: u32,
    /// Which bits of the key are those of the higher id.
    pub(crate) high_mask: u32,
}

impl Unpacking {
    #[inline(always)]
    pub(crate) fn pair(&self, key: u64) -> Pair {
        Pair {
            low: self.common.low | (key >> self.high_bits) as u32 & self.low_mask,
            high: self.common.high | key as u32 & self.high_mask,
        }
    }
}

/// See [`crate::Lanes::sort_into_pairs`].
#[inline(always)]
pub(in crate::simd) fn sort_into_pairs<V: Sorting>(
    keys: &[u32],
    unpacking: &Unpacking,
    out: &mut [Pair],
) -> bool {
    assert_eq!(keys.len(), out.len());
    let width = <V::Keys as SortingNetwork>::WIDTH;
    if width == 1 || keys.len() > MOST_REGISTERS * width {
        return false;
    }
    // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
    unsafe {
        match keys.len().div_ceil(width) {
            0 => {}
            1 => sort_some::<V::Keys, 1, 1>([keys], [*unpacking], [out]),
            2 => sort_some::<V::Keys, 2, 1>([keys], [*unpacking], [out]),
            _ => sort_some::<V::Keys, 4, 1>([keys], [*unpacking], [out]),
        }
    }
    true
}

/// How many registers of keys there may be.
const MOST_REGISTERS: usize = 4;

/// Sorts some lists of keys, each in so many registers, and turns them into pairs.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
pub(super) unsafe fn sort_some<K: KeyVector, const REGISTERS: usize, const LISTS: usize>(
    keys: [&[u32]; LISTS],
    unpacking: [Unpacking; LISTS],
    out: [&mut [Pair]; LISTS],
) {
    // SAFETY: the caller promises all that is needed.
    unsafe {
        // Loops: what a closure does is not compiled for these instructions.
        let mut lists = [[K::load_some(&[], 0); REGISTERS]; LISTS];
        for (list, keys) in lists.iter_mut().zip(keys) {
            for (index, register) in list.iter_mut().enumerate() {
                *register = K::load_some(keys, index * K::WIDTH);
            }
        }
        sort_each::<K, REGISTERS>(&mut lists);
        for ((list, unpacking), out) in lists.into_iter().zip(&unpacking).zip(out) {
            store(list, unpacking, out);
        }
    }
}

/// Sorts the keys of each list.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
unsafe fn sort_each<K: KeyVector, const REGISTERS: usize>(lists: &mut [[K; REGISTERS]]) {
    // SAFETY: the caller promises all that is needed.
    unsafe {
        K::sort_each(lists.as_flattened_mut());
        if REGISTERS >= 2 {
            for list in lists.iter_mut() {
                for two in list.as_chunks_mut::<2>().0 {
                    *two = two[0].split(two[1].reverse()).into();
                }
            }
            K::sort_each_split(lists.as_flattened_mut());
        }
        if REGISTERS >= 4 {
            for list in lists.iter_mut() {
                for four in list.as_chunks_mut::<4>().0 {
                    let [a, b, c, d] = *four;
                    // The lower half of all, and the upper half.
                    let ((a, c), (b, d)) = (a.split(d.reverse()), b.split(c.reverse()));
                    // Halves of these.
                    let ((a, b), (c, d)) = (a.split(b), c.split(d));
                    *four = [a, b, c, d];
                }
            }
            K::sort_each_split(lists.as_flattened_mut());
        }
    }
}

/// Turns keys into pairs, as many as there is room for.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
unsafe fn store<K: KeyVector, const N: usize>(sorted: [K; N], unpacking: &Unpacking, out: &mut [Pair]) {
    for (index, keys) in sorted.into_iter().enumerate() {
        // SAFETY: the caller promises all that is needed. The last registers may be without keys.
        unsafe { keys.store_pairs(unpacking, out, (index * K::WIDTH).min(out.len())) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::scene::Random;

    #[test]
    fn few_keys_become_sorted_pairs_on_every_width() {
        let mut random = Random::new(4);
        let ways = [(9, 14), (0, 32), (32, 0), (5, 3)];
        for len in (0..80).filter(|len| !cfg!(miri) || len % 9 == 1) {
            for (low_bits, high_bits) in ways {
                let mask = |bits: u32| u32::MAX.unbounded_shr(u32::BITS - bits);
                let (low_mask, high_mask) = (mask(low_bits), mask(high_bits));
                let common = Pair { low: 0xf234_5678 & !low_mask, high: 0x89ab_cdef & !high_mask };
                let unpacking = Unpacking { common, high_bits, low_mask, high_mask };
                // Above what differs, keys of a bucket have something in common.
                let above = 0x5a5a_5a5a & !mask(low_bits + high_bits);
                let keys: Vec<u32> =
                    (0..len).map(|_| random.bits() as u32 & mask(low_bits + high_bits) | above).collect();
                let mut sorted = keys.clone();
                sorted.sort();
                let expected: Vec<Pair> = sorted.iter().map(|&key| unpacking.pair(key.into())).collect();
                for lanes in Lanes::available() {
                    let mut out = vec![Pair { low: 1, high: 2 }; len + 3];
                    let is_done = lanes.sort_into_pairs(&keys, &unpacking, &mut out[1..=len]);
                    let fit = match lanes.name() {
                        "avx512" => len <= 64,
                        "avx2" => len <= 32,
                        "neon" => len <= 16,
                        _ => false,
                    };
                    assert_eq!(is_done, fit, "{lanes}, {len} keys");
                    if is_done {
                        assert_eq!(out[1..=len], expected, "{lanes}, {len} keys");
                    }
                    assert!([0, len + 1, len + 2].iter().all(|&at| out[at] == Pair { low: 1, high: 2 }));
                }
            }
        }
    }
}
