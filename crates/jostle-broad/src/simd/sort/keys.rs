//! Sorting few plain keys, by registers: each is sorted, then sorted runs of registers are merged, two by two (Batcher,
//! 'Sorting networks and their applications', 1968). No branch depends on the keys.

use super::{Sorting, SortingNetwork, Unpacking};
use crate::Pair;

/// The most keys that are sorted so. The work for each grows with the square of the logarithm of their number, and from
/// here on it pays to deal them first.
pub(crate) const MOST_KEYS: usize = 2048;

/// Room for keys. In whole cache lines: a register that lies in two of them takes two loads.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct KeyBlock([u32; MOST_KEYS]);

impl Default for KeyBlock {
    fn default() -> Self {
        Self([0; MOST_KEYS])
    }
}

impl AsMut<[u32]> for KeyBlock {
    fn as_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

/// A register of keys.
///
/// # Safety
/// As for [`SortingNetwork`]. Loads and stores touch `WIDTH` keys of a slice that holds as many, which debug builds check;
/// those of some keys touch what is there, and pairs begin inside their list or at its end.
pub(in crate::simd) unsafe trait KeyVector: SortingNetwork {
    /// The keys `at..at + WIDTH`.
    unsafe fn load(keys: &[u32], at: usize) -> Self;

    /// Writes the keys to `at..at + WIDTH`.
    unsafe fn store(self, keys: &mut [u32], at: usize);

    /// The keys from `at` on, as many of `WIDTH` as there are, and then what comes after all keys.
    #[inline(always)]
    unsafe fn load_some(keys: &[u32], at: usize) -> Self {
        let mut some = [u32::MAX; MOST_LANES];
        let keys = keys.get(at..).unwrap_or_default();
        let count = keys.len().min(Self::WIDTH);
        some[..count].copy_from_slice(&keys[..count]);
        // SAFETY: the caller has the instruction set; no register is wider.
        unsafe { Self::load(&some, 0) }
    }

    /// Writes pairs from `at` on, as many of `WIDTH` as there is room for.
    #[inline(always)]
    unsafe fn store_pairs(self, unpacking: &Unpacking, out: &mut [Pair], at: usize) {
        let mut keys = [0; MOST_LANES];
        // SAFETY: the caller has the instruction set; no register is wider.
        unsafe { self.store(&mut keys, 0) };
        let end = out.len().min(at + Self::WIDTH);
        for (to, key) in out[at..end].iter_mut().zip(keys) {
            *to = unpacking.pair(key.into());
        }
    }
}

/// Keys in the widest register.
const MOST_LANES: usize = 16;

/// See [`crate::Lanes::sort_keys`].
#[inline(always)]
pub(in crate::simd) fn sort_keys<V: Sorting>(block: &mut KeyBlock, len: usize) {
    let width = <V::Keys as SortingNetwork>::WIDTH;
    if width == 1 {
        block.0[..len].sort_unstable();
        return;
    }
    if len < 2 {
        return;
    }
    // What is no key comes after all of them, and stays there: from the register on in which there is no key, nothing is
    // to be done.
    let end = len.next_multiple_of(width);
    block.0[len..end].fill(u32::MAX);
    let keys = &mut block.0[..end];
    // SAFETY: the dispatcher runs this instantiation only where its instructions exist; all places are multiples of a
    // register below the end, which is one, too.
    unsafe {
        for at in (0..end).step_by(width) {
            V::Keys::load(keys, at).sort().store(keys, at);
        }
        let mut run = width;
        while run < end {
            let mut first = 0;
            while first + run < end {
                merge::<V::Keys>(keys, first, run);
                first += 2 * run;
            }
            run *= 2;
        }
    }
}

/// Merges two sorted runs that lie side by side. The second one may be shorter: then the keys end with it.
///
/// # Safety
/// The machine must have the instructions; runs are whole registers, the first one a power of two of them.
#[inline(always)]
unsafe fn merge<K: KeyVector>(keys: &mut [u32], first: usize, run: usize) {
    let end = keys.len().min(first + 2 * run);
    // SAFETY: the caller promises all that is needed.
    unsafe {
        // The lower half of both into the first run, the upper half into the second: the first key of one against the last
        // of the other, and so on. Where the other has no key, nothing changes.
        let last = first + 2 * run - K::WIDTH;
        for high in (first + run..end).step_by(K::WIDTH) {
            let low = first + last - high;
            let (lower, upper) = K::load(keys, low).split(K::load(keys, high).reverse());
            lower.store(keys, low);
            upper.reverse().store(keys, high);
        }
        // Within each of both: halves against halves, down to a register.
        let mut stride = run / 2;
        while stride >= K::WIDTH {
            let mut begin = first;
            while begin + stride < end {
                for high in (begin + stride..end.min(begin + 2 * stride)).step_by(K::WIDTH) {
                    let low = high - stride;
                    let (lower, upper) = K::load(keys, low).split(K::load(keys, high));
                    lower.store(keys, low);
                    upper.store(keys, high);
                }
                begin += 2 * stride;
            }
            stride /= 2;
        }
        for at in (first..end).step_by(K::WIDTH) {
            K::load(keys, at).sort_split().store(keys, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::scene::Random;

    #[test]
    fn keys_are_sorted_on_every_width() {
        let mut random = Random::new(3);
        let lens = (0..70).chain([127, 128, 129, 255, 256, 257, 1000, MOST_KEYS - 1, MOST_KEYS]);
        // Of many kinds, few, and the largest there is.
        let masks = [u32::MAX, 0x1f, 0];
        for len in lens.filter(|len| !cfg!(miri) || len % 9 == 1 && *len < 100) {
            for mask in masks {
                let keys: Vec<u32> = (0..len).map(|_| !(random.bits() as u32 & mask)).collect();
                let mut expected = keys.clone();
                expected.sort();
                for lanes in Lanes::available() {
                    let mut block = KeyBlock::default();
                    block.as_mut()[..len].copy_from_slice(&keys);
                    lanes.sort_keys(&mut block, len);
                    assert!(block.as_mut()[..len] == expected, "{lanes}, {len} keys, {mask:x}");
                }
            }
        }
    }
}
