//! Which bits of ids say something about the order of pairs.

use super::Pair;

/// The bits that are set in any, and those that are set in all of some pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdBits {
    any: Pair,
    all: Pair,
}

impl Default for IdBits {
    /// Those of no pair.
    fn default() -> Self {
        Self { any: Pair { low: 0, high: 0 }, all: Pair { low: u32::MAX, high: u32::MAX } }
    }
}

impl IdBits {
    /// Counts more pairs in.
    #[inline]
    pub(crate) fn take(&mut self, pairs: &[Pair]) {
        *self = pairs.iter().fold(*self, |bits, &pair| bits.and(Self { any: pair, all: pair }));
    }

    /// Those of the pairs of both.
    #[inline]
    pub(super) fn and(self, other: Self) -> Self {
        let any = Pair { low: self.any.low | other.any.low, high: self.any.high | other.any.high };
        let all = Pair { low: self.all.low & other.all.low, high: self.all.high & other.all.high };
        Self { any, all }
    }

    /// How many bits of the lower and of the higher ids are needed to tell pairs apart: those above are the same in all.
    pub(super) fn that_differ(self) -> [u32; 2] {
        let Self { any, all } = self;
        [any.low & !all.low, any.high & !all.high].map(|differ| u32::BITS - differ.leading_zeros())
    }

    /// The bits that all pairs have.
    pub(super) fn common(self) -> Pair {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_differ_reach_to_the_highest_one() {
        // (lower ids, higher ids, bits)
        let cases: [(&[u32], &[u32], [u32; 2]); 4] = [
            (&[], &[], [0, 0]),
            (&[7], &[9], [0, 0]),
            (&[8, 9, 12], &[16, 16, 16], [3, 0]),
            (&[0, u32::MAX - 1], &[1, u32::MAX], [32, 32]),
        ];
        for (low, high, expected) in cases {
            let pairs: Vec<Pair> = low.iter().zip(high).map(|(&low, &high)| Pair { low, high }).collect();
            let mut bits = IdBits::default();
            bits.take(&pairs);
            assert_eq!(bits.that_differ(), expected, "{pairs:?}");
            let each = pairs.iter().map(|pair| {
                let mut bits = IdBits::default();
                bits.take(&[*pair]);
                bits
            });
            assert_eq!(each.fold(IdBits::default(), IdBits::and), bits, "one by one");
        }
    }
}
