//! Some blocks of a level, with what bounds them.

use super::block::{BLOCK, Block};

/// Blocks that may be met by any of several searches, found once for all of them.
#[derive(Debug, Default)]
pub(crate) struct NearBlocks {
    /// Which blocks, ascending.
    pub(super) places: Vec<u32>,
    /// What bounds them, lane by lane.
    pub(super) bounds: Vec<Block>,
}

impl NearBlocks {
    /// Takes the bounds of these places out of their level.
    pub(crate) fn fill(&mut self, level: &[Block]) {
        let Self { places, bounds } = self;
        bounds.clear();
        bounds.resize(places.len().div_ceil(BLOCK), Block::EMPTY);
        for (lane, &place) in places.iter().enumerate() {
            let aabb = level[place as usize / BLOCK].get(place as usize % BLOCK);
            bounds[lane / BLOCK].set(lane % BLOCK, &aabb);
        }
    }

    /// The places, to be found anew.
    pub(crate) fn places_mut(&mut self) -> &mut Vec<u32> {
        &mut self.places
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>() + self.bounds.capacity() * size_of::<Block>()
    }
}
