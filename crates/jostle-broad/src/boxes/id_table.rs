//! From ids to slots, for ids that may be any `u32`: three levels of pages, no hashing.

const NO_SLOT: u32 = u32::MAX;
const LEAF_BITS: u32 = 8;
const MIDDLE_BITS: u32 = 12;
const TOP_BITS: u32 = 32 - LEAF_BITS - MIDDLE_BITS;

type Leaf = Box<[u32; 1 << LEAF_BITS]>;
type Middle = Box<[Option<Leaf>]>;

/// Pages appear when an id in them is first used. Dense ids cost four bytes each; ids strewn over the whole of `u32`
/// cost a leaf (1 KiB) each, and no more than 128 MiB of middle pages in all.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    top: Vec<Option<Middle>>,
    leaves: usize,
    middles: usize,
}

fn split(id: u32) -> (usize, usize, usize) {
    let leaf = id & ((1 << LEAF_BITS) - 1);
    let middle = (id >> LEAF_BITS) & ((1 << MIDDLE_BITS) - 1);
    ((id >> (LEAF_BITS + MIDDLE_BITS)) as usize, middle as usize, leaf as usize)
}

impl IdTable {
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        let (top, middle, leaf) = split(id);
        let slot = self.top.get(top)?.as_ref()?[middle].as_ref()?[leaf];
        (slot != NO_SLOT).then_some(slot)
    }

    pub(crate) fn set(&mut self, id: u32, slot: u32) {
        let (top, middle, leaf) = split(id);
        if self.top.len() <= top {
            self.top.resize_with((top + 1).min(1 << TOP_BITS), || None);
        }
        let middle_page = self.top[top].get_or_insert_with(|| {
            self.middles += 1;
            vec![None; 1 << MIDDLE_BITS].into_boxed_slice()
        });
        let leaf_page = middle_page[middle].get_or_insert_with(|| {
            self.leaves += 1;
            Box::new([NO_SLOT; 1 << LEAF_BITS])
        });
        leaf_page[leaf] = slot;
    }

    pub(crate) fn clear(&mut self, id: u32) {
        self.set(id, NO_SLOT);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.top.capacity() * size_of::<Option<Middle>>()
            + self.middles * (size_of::<Option<Leaf>>() << MIDDLE_BITS)
            + self.leaves * (size_of::<u32>() << LEAF_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_ids_are_found_and_forgotten() {
        let ids = [0, 1, 255, 256, 65_535, 1 << 20, (1 << 20) - 1, u32::MAX - 1, u32::MAX];
        let mut table = IdTable::default();
        for (slot, &id) in ids.iter().enumerate() {
            assert_eq!(table.get(id), None);
            table.set(id, slot as u32);
        }
        for (slot, &id) in ids.iter().enumerate() {
            assert_eq!(table.get(id), Some(slot as u32));
        }
        table.clear(256);
        assert_eq!(table.get(256), None);
        assert_eq!(table.get(2), None);
        assert!(table.bytes() < 1 << 20);
    }
}
