//! The one hash of this crate: of shapes and of states.

use std::fmt;

/// A 64-bit hash of everything a step or its events read. Equal states have equal hashes, for any thread count, finder,
/// insertion order and history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateHash(pub u64);

impl fmt::Debug for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Hashes words in order: multiply, then fold the upper half into the lower. Not meant against attackers.
#[derive(Clone, Debug)]
pub(crate) struct Hasher {
    state: u64,
}

impl Default for Hasher {
    fn default() -> Self {
        Self { state: 0x243f_6a88_85a3_08d3 }
    }
}

impl Hasher {
    #[inline]
    pub(crate) fn write_u64(&mut self, word: u64) {
        let mixed = u128::from(self.state ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.state = (mixed as u64) ^ (mixed >> 64) as u64 ^ self.state.rotate_left(23);
    }

    #[inline]
    pub(crate) fn write(&mut self, words: &[u32]) {
        for pair in words.chunks(2) {
            let high = pair.get(1).copied().unwrap_or(0);
            self.write_u64(u64::from(pair[0]) | u64::from(high) << 32);
        }
    }

    pub(crate) fn finish(&self) -> u64 {
        let mut word = self.state;
        word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        word ^ (word >> 32)
    }
}
