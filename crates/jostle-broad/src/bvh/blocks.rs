//! A hierarchy of bounding volumes without pointers: boxes in blocks of sixteen, bounds of blocks in blocks, up to a
//! single one. Its shape follows from the places of the boxes alone, so that a box that moves changes numbers and
//! nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::simd::{BLOCK, Block, Meeting, Mover, NearBlocks, OwnBlock, Queries, Surroundings};
use crate::{Aabb, Boxes, FindSettings, Lanes};

/// When the blocks have grown by this factor on average, it is time for a new order of places.
const WORN: f32 = 1.5;
/// No block counts for more than this, however large it has become.
const MOST_WORN: f32 = 4.0;
/// So many times blocks are looked at for movers at most, on average: a few times as often as when all are crossed.
const MOST_LOOKS: usize = 64;
/// No more blocks than this are near in memory, whichever they are. Where code is being tested, few: all tests then reach what is
/// done with more.
const NEAR_BLOCKS: usize = if cfg!(debug_assertions) { 4 } else { 1 << 13 };
/// Blocks that one task fetches, and crosses.
pub(super) const STRETCH: usize = 64;
const _: () = assert!(STRETCH.is_multiple_of(BLOCK) && STRETCH <= Meeting::MOST_IN_STRETCH);

#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Level 0 holds the boxes; each lane of a higher level bounds one block of the level below.
    levels: Vec<Vec<Block>>,
    /// What bounds each block of level 0.
    bounds: Vec<Aabb>,
    /// What bounds each block of level 1, on the way to the level above.
    bounds_above: Vec<Aabb>,
    /// The size of each block of level 0 when it was new.
    sizes_when_new: Vec<f32>,
    /// By what factor blocks have grown since, on average.
    growth: f32,
}

impl Blocks {
    /// Room for this many places, all of them empty.
    pub(super) fn reset(&mut self, places: usize) {
        self.levels.iter_mut().for_each(Vec::clear);
        self.bounds.clear();
        self.sizes_when_new.clear();
        self.growth = 1.0;
        self.grow(places);
    }

    /// Makes room for this many places. The new ones are empty. Until bounds are up to date, searches miss.
    pub(super) fn grow(&mut self, places: usize) {
        let mut blocks = places.div_ceil(BLOCK);
        self.bounds.resize(blocks, Aabb::EMPTY);
        let mut level = 0;
        loop {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].resize(blocks, Block::EMPTY);
            level += 1;
            if blocks <= 1 {
                break;
            }
            blocks = blocks.div_ceil(BLOCK);
        }
        self.levels.truncate(level);
    }

    pub(super) fn count(&self) -> usize {
        self.bounds.len()
    }

    /// Fetches the boxes of all places, and brings bounds up to date.
    pub(super) fn fetch(&mut self, boxes: &[Aabb], slots: &[u32], settings: &FindSettings) {
        let is_new = self.sizes_when_new.is_empty();
        let mut work: Vec<Stretch<'_>> = self.stretches(slots).collect();
        settings.executor.for_each(&mut work, |_, stretch| {
            settings.lanes.fetch(boxes, stretch.slots, stretch.blocks, stretch.bounds);
            stretch.refit(is_new, settings.lanes);
        });
        self.growth = mean_growth(work.iter(), slots.len() / BLOCK);
        self.refit_from_above(settings.lanes);
    }

    /// Are there bounds of bounds to search, as few movers need it?
    pub(super) fn are_deep(&self) -> bool {
        self.levels.len() > 2
    }

    /// Lists the boxes of marked places as they are now, stretch by stretch, and takes them into the bounds of their blocks, while places still
    /// hold them as they were.
    pub(super) fn expect(
        &mut self,
        boxes: &Boxes,
        slots: &[u32],
        marks: &[u16],
        settings: &FindSettings,
        movers: &mut Vec<Vec<Mover>>,
    ) {
        movers.resize_with(self.bounds.len().div_ceil(STRETCH), Vec::new);
        let mut work: Vec<_> = self.stretches(slots).zip(marks.chunks(STRETCH)).zip(movers).collect();
        settings.executor.for_each(&mut work, |index, ((stretch, marks), movers)| {
            let first_place = (index * STRETCH * BLOCK) as u32;
            let Stretch { slots, bounds, .. } = stretch;
            settings.lanes.list_movers(boxes.aabbs(), slots, marks, first_place, bounds, movers);
            if movers.capacity() > 4 * movers.len() + 64 {
                // What moved here once may not for long.
                movers.shrink_to(2 * movers.len());
            }
            stretch.refit(false, settings.lanes);
        });
        self.growth = mean_growth(work.iter().map(|((stretch, _), _)| stretch), marks.len());
        self.refit_from_above(settings.lanes);
    }

    /// How many times blocks may be looked at for movers: where that is not enough, it is cheaper to begin anew.
    pub(super) fn most_looks(&self) -> usize {
        MOST_LOOKS * self.count() + 4096
    }

    /// What movers of a stretch overlapped, and where to look again when all have settled. Returns how many times a block
    /// was looked at; nothing if all stretches together look more often than they may.
    pub(super) fn meet_before(
        &self,
        lanes: Lanes,
        movers: &[Mover],
        first_block: usize,
        lists: &mut CrossLists,
        meetings: &mut Vec<Meeting>,
        looks: &AtomicUsize,
    ) -> Option<usize> {
        let [blocks, above, parents, ..] = self.levels.as_slice() else {
            unreachable!("few movers are followed only where there are bounds of bounds")
        };
        let mut visited = 0;
        let parent_of = |mover: &Mover| mover.place as usize / (BLOCK * BLOCK);
        for movers in movers.chunk_by(|a, b| parent_of(a) == parent_of(b)) {
            let parent = parent_of(&movers[0]);
            let bounds = parents[parent / BLOCK].get(parent % BLOCK);
            let CrossLists { near, queries, spare, parent: kept, .. } = lists;
            *kept = None;
            let mut more = lanes.search(&self.levels[2..], &bounds, 0, near.places_mut(), spare);
            near.fill(parents);
            let around = Surroundings { blocks, above, near };
            let (first, most) = (first_block as u32, self.most_looks());
            more += lanes.meet_before(around, movers, first, queries, meetings, most)?;
            visited += more;
            if looks.fetch_add(more, Ordering::Relaxed) + more > most {
                return None;
            }
        }
        Some(visited)
    }

    /// How overlaps of movers of a stretch differ from what they were.
    pub(super) fn meet_now(
        &self,
        lanes: Lanes,
        marks: &[u16],
        first_block: usize,
        before: &[Meeting],
        gone: &mut Vec<Meeting>,
        come: &mut Vec<Meeting>,
    ) {
        lanes.meet_now(&self.levels[0], marks, first_block as u32, before, gone, come);
    }

    /// Puts movers into their places. Bounds above blocks stay those of both frames: larger than need be, until the next.
    pub(super) fn settle(&mut self, movers: &[Vec<Mover>], settings: &FindSettings) {
        let blocks = self.levels[0].chunks_mut(STRETCH).zip(self.bounds.chunks_mut(STRETCH));
        let mut work: Vec<_> = blocks.zip(movers).collect();
        settings.executor.for_each(&mut work, |index, ((blocks, bounds), movers)| {
            settings.lanes.settle(movers, (index * STRETCH) as u32, blocks, bounds);
        });
    }

    /// Makes all boxes larger by this on all sides, and never by less.
    pub(super) fn inflate(&mut self, by: f32, lanes: Lanes) {
        for (block, bounds) in self.levels[0].iter_mut().zip(&mut self.bounds) {
            for lane in 0..BLOCK {
                block.set(lane, &block.get(lane).inflate_outward(by));
            }
            *bounds = lanes.bounds(block);
        }
        self.refit(1, lanes);
    }

    /// Drops pairs whose boxes are deeper in each other than this.
    pub(super) fn retain_close(
        &self,
        lanes: Lanes,
        first_block: usize,
        deepest: f32,
        meetings: &mut Vec<Meeting>,
    ) {
        lanes.retain_close(&self.levels[0], first_block as u32, deepest, meetings);
    }

    /// What is in a place.
    pub(super) fn get(&self, place: u32) -> Aabb {
        self.levels[0][place as usize / BLOCK].get(place as usize % BLOCK)
    }

    /// Puts one box into its place, and brings what bounds it up to date.
    pub(super) fn put(&mut self, place: u32, aabb: &Aabb, lanes: Lanes) {
        let mut at = place as usize;
        let mut bounds = *aabb;
        for level in &mut self.levels {
            let block = &mut level[at / BLOCK];
            block.set(at % BLOCK, &bounds);
            bounds = lanes.bounds(block);
            at /= BLOCK;
        }
        let block = place as usize / BLOCK;
        self.bounds[block] = lanes.bounds(&self.levels[0][block]);
    }

    /// The places whose boxes overlap that of a place, itself among them, ascending. None when more was looked at or found
    /// than may be.
    pub(super) fn around<'a>(&self, place: u32, around: &'a mut Around, lanes: Lanes) -> Option<&'a [u32]> {
        let Around { places, spare, visited, looks_left, finds_left } = around;
        let looks = lanes.search(&self.levels, &self.get(place), 0, places, spare);
        *visited += looks;
        *looks_left = looks_left.checked_sub(looks)?;
        *finds_left = finds_left.checked_sub(places.len())?;
        Some(places)
    }

    /// Brings bounds up to date from this level up.
    pub(super) fn refit(&mut self, from: usize, lanes: Lanes) {
        for level in from..self.levels.len() {
            let (lower, upper) = self.levels.split_at_mut(level);
            for (index, block) in lower[level - 1].iter().enumerate() {
                let bounds = if level == 1 { self.bounds[index] } else { lanes.bounds(block) };
                upper[0][index / BLOCK].set(index % BLOCK, &bounds);
            }
        }
    }

    /// The same from level 2 up, when stretches have brought what bounds level 1 up to date.
    fn refit_from_above(&mut self, lanes: Lanes) {
        if let Some(level) = self.levels.get_mut(2) {
            for (index, bounds) in self.bounds_above.iter().enumerate() {
                level[index / BLOCK].set(index % BLOCK, bounds);
            }
            self.refit(3, lanes);
        }
    }

    /// What tasks fetch, or bring up to date.
    fn stretches<'a>(&'a mut self, slots: &'a [u32]) -> impl Iterator<Item = Stretch<'a>> {
        // Blocks that came later count as worn: who is in them was not asked where it is.
        self.sizes_when_new.resize(self.bounds.len(), 0.0);
        let (places, above) = self.levels.split_at_mut(1);
        // A single block has nothing above it.
        let above = above.first_mut().map(|level| level.as_mut_slice()).unwrap_or_default();
        self.bounds_above.resize(above.len(), Aabb::EMPTY);
        let above = above.chunks_mut(STRETCH / BLOCK).zip(self.bounds_above.chunks_mut(STRETCH / BLOCK));
        (slots.chunks(STRETCH * BLOCK))
            .zip(places[0].chunks_mut(STRETCH))
            .zip(self.bounds.chunks_mut(STRETCH))
            .zip(self.sizes_when_new.chunks_mut(STRETCH))
            .zip(above.chain(std::iter::once(Default::default())))
            .map(|((((slots, blocks), bounds), sizes), (above, bounds_above))| Stretch {
                slots,
                blocks,
                bounds,
                sizes,
                above,
                bounds_above,
                growth: 0.0,
            })
    }

    /// Have boxes strayed so far from their blocks that a new order pays?
    pub(super) fn are_worn(&self) -> bool {
        self.growth > WORN
    }

    /// Crosses blocks one after another: appends all overlaps of their boxes with those of this or a later block, ascending.
    /// Returns how many times a block was looked at.
    pub(super) fn cross(
        &self,
        lanes: Lanes,
        own: OwnBlock,
        is_last: bool,
        lists: &mut CrossLists,
        meetings: &mut Vec<Meeting>,
    ) -> usize {
        let CrossLists { parent, near, others, spare, boxes, .. } = lists;
        let mut visited = 0;
        let bounds = &self.bounds[own.block as usize];
        if let [_, blocks, parents, ..] = self.levels.as_slice() {
            let its_parent = own.block / BLOCK as u32;
            if *parent != Some(its_parent) {
                // Blocks of one parent look for others among the same parents: those that meet their own.
                let bounds = parents[its_parent as usize / BLOCK].get(its_parent as usize % BLOCK);
                visited += lanes.search(&self.levels[2..], &bounds, its_parent, near.places_mut(), spare);
                near.fill(parents);
                *parent = Some(its_parent);
            }
            visited += lanes.search_near(near, blocks, bounds, own.block, others, spare);
        } else {
            visited += lanes.search(&self.levels[1..], bounds, own.block, others, spare);
        }
        if self.count() <= NEAR_BLOCKS {
            lanes.cross(&self.levels[0], &self.bounds, own, others, boxes, meetings);
        } else {
            self.cross_far(lanes, own, is_last, lists, meetings);
        }
        visited + lists.others.len() + BLOCK + lists.boxes.len()
    }

    /// The others that a block meets are far away in memory: it is asked for, and until it is there the next block finds out
    /// which others it meets.
    fn cross_far(
        &self,
        lanes: Lanes,
        own: OwnBlock,
        is_last: bool,
        lists: &mut CrossLists,
        meetings: &mut Vec<Meeting>,
    ) {
        let CrossLists { others, latest, boxes, next_boxes, .. } = lists;
        let blocks = &self.levels[0];
        lanes.list_near(blocks, &self.bounds, own.block, others, next_boxes);
        if let Some(latest) = latest.replace(own) {
            lanes.meet_near(blocks, latest, boxes, meetings);
        }
        lanes.meet_itself(blocks, own, meetings);
        std::mem::swap(boxes, next_boxes);
        if is_last {
            lanes.meet_near(blocks, own, boxes, meetings);
            *latest = None;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let blocks: usize = self.levels.iter().map(Vec::capacity).sum();
        blocks * size_of::<Block>()
            + (self.bounds.capacity() + self.bounds_above.capacity()) * size_of::<Aabb>()
            + self.sizes_when_new.capacity() * size_of::<f32>()
    }
}

/// What a search finds, and needs, and may take.
#[derive(Debug, Default)]
pub(super) struct Around {
    places: Vec<u32>,
    spare: Vec<u32>,
    /// How many times blocks were looked at.
    pub(super) visited: usize,
    looks_left: usize,
    finds_left: usize,
}

impl Around {
    /// Searches to come may look at so many blocks, and find so many places, together.
    pub(super) fn begin(&mut self, most_looks: usize, most_finds: usize) {
        (self.visited, self.looks_left, self.finds_left) = (0, most_looks, most_finds);
    }

    pub(super) fn bytes(&self) -> usize {
        (self.places.capacity() + self.spare.capacity()) * size_of::<u32>()
    }
}

/// What crossing blocks one after another takes along, and looking around for movers.
#[derive(Debug, Default)]
pub(super) struct CrossLists {
    /// The block of blocks that the latest block is in, and those that meet it.
    parent: Option<u32>,
    near: NearBlocks,
    others: Vec<u32>,
    spare: Vec<u32>,
    /// The latest block, and its boxes that are near others; and those of the next one.
    latest: Option<OwnBlock>,
    boxes: Vec<u32>,
    next_boxes: Vec<u32>,
    queries: Queries,
}

impl CrossLists {
    /// Bounds have changed.
    pub(super) fn forget(&mut self) {
        self.parent = None;
        self.latest = None;
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = [&self.others, &self.spare, &self.boxes, &self.next_boxes];
        let lists = lists.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>();
        self.near.bytes() + self.queries.bytes() + lists
    }
}

/// What one task fetches.
struct Stretch<'a> {
    slots: &'a [u32],
    blocks: &'a mut [Block],
    bounds: &'a mut [Aabb],
    sizes: &'a mut [f32],
    /// The blocks above them.
    above: &'a mut [Block],
    /// What bounds these.
    bounds_above: &'a mut [Aabb],
    growth: f32,
}

impl Stretch<'_> {
    /// Takes bounds to the level above, and measures how they have grown.
    fn refit(&mut self, is_new: bool, lanes: Lanes) {
        let above = self.above.iter_mut().zip(&mut *self.bounds_above);
        for ((block, bounds_above), bounds) in above.zip(self.bounds.chunks(BLOCK)) {
            bounds.iter().enumerate().for_each(|(lane, bounds)| block.set(lane, bounds));
            *bounds_above = lanes.bounds(block);
        }
        if is_new {
            self.sizes.iter_mut().zip(&*self.bounds).for_each(|(size, bounds)| *size = extent(bounds));
        }
        self.growth = self.bounds.iter().zip(&*self.sizes).map(growth).sum();
    }
}

/// By what factor so many blocks have grown on average. Stretches are cut by the scene: the sum is the same for any number
/// of threads.
fn mean_growth<'a, 'b: 'a>(stretches: impl Iterator<Item = &'a Stretch<'b>>, blocks: usize) -> f32 {
    stretches.map(|stretch| stretch.growth).sum::<f32>() / blocks.max(1) as f32
}

/// How large a block is: the sum of its sides; nothing if it is empty.
fn extent(bounds: &Aabb) -> f32 {
    let sum = bounds.extents().element_sum();
    if sum > 0.0 { sum } else { 0.0 }
}

/// By what factor a block has grown. One that was infinite, or has no boxes, has not.
fn growth((bounds, when_new): (&Aabb, &f32)) -> f32 {
    let now = extent(bounds);
    if now <= *when_new { 1.0 } else { (now / when_new).min(MOST_WORN) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BoxStream, StreamKind};

    fn blocks_of(aabbs: &[Aabb], lanes: Lanes) -> Blocks {
        let boxes = Boxes::from_aabbs(aabbs).unwrap();
        let len = aabbs.len().next_multiple_of(BLOCK);
        let slots: Vec<u32> = (0..len as u32).collect();
        let mut blocks = Blocks::default();
        blocks.reset(len);
        blocks.fetch(boxes.aabbs(), &slots, &FindSettings { lanes, ..FindSettings::default() });
        blocks
    }

    #[test]
    fn crossing_blocks_finds_every_overlap_once_and_in_order() {
        for n in [1, 16, 17, 300, 1500] {
            let stream = BoxStream::new(StreamKind::Brownian, n, 3);
            let boxes = stream.boxes();
            let overlap = |a: u32, b: u32| boxes[a as usize].overlaps(&boxes[b as usize]);
            let expected: Vec<(u32, u32)> = (0..n as u32)
                .flat_map(|a| (a + 1..n as u32).map(move |b| (a, b)))
                .filter(|&(a, b)| overlap(a, b))
                .collect();
            for lanes in Lanes::available() {
                let blocks = blocks_of(boxes, lanes);
                let (mut found, mut lists, mut far_lists) =
                    (vec![], CrossLists::default(), CrossLists::default());
                let (count, mut meetings, mut far_meetings) = (blocks.count() as u32, vec![], vec![]);
                for block in 0..count {
                    let own = OwnBlock { block, in_stretch: block };
                    let is_last = block + 1 == count;
                    blocks.cross(lanes, own, is_last, &mut lists, &mut meetings);
                    // As if they were far away.
                    far_lists.others.clone_from(&lists.others);
                    blocks.cross_far(lanes, own, is_last, &mut far_lists, &mut far_meetings);
                }
                assert!(meetings.is_sorted());
                assert_eq!(far_meetings, meetings, "{n} boxes, {lanes}");
                found.extend(meetings.iter().flat_map(|meeting| {
                    meeting.others().map(move |other| (meeting.place() as u32, other as u32))
                }));
                found.sort();
                assert_eq!(found, expected, "{n} boxes, {lanes}");
            }
        }
    }

    #[test]
    fn crossing_that_was_given_up_leaves_nothing_behind() {
        let stream = BoxStream::new(StreamKind::Brownian, 300, 3);
        let lanes = Lanes::best();
        let blocks = blocks_of(stream.boxes(), lanes);
        let count = blocks.count() as u32;
        let cross_all = |mut lists: CrossLists| {
            let mut meetings = vec![];
            for block in 0..count {
                let own = OwnBlock { block, in_stretch: block };
                lists.others = (block..count).collect();
                blocks.cross_far(lanes, own, block + 1 == count, &mut lists, &mut meetings);
            }
            meetings
        };
        let mut lists = CrossLists { others: (0..count).collect(), ..CrossLists::default() };
        blocks.cross_far(lanes, OwnBlock { block: 0, in_stretch: 0 }, false, &mut lists, &mut vec![]);
        assert!(lists.latest.is_some() && !lists.boxes.is_empty(), "there is something to leave behind");
        lists.forget();
        assert_eq!(cross_all(lists), cross_all(CrossLists::default()));
    }
}
