//! Pairs of positions, as a sweep finds them.

/// Two lists of positions; those at the same place belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
}

impl Hits {
    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.first.iter().copied().zip(self.second.iter().copied())
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.first.capacity() + self.second.capacity()) * size_of::<u32>()
    }
}
