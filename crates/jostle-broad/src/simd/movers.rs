//! The kernels of frames in which some boxes moved: what each mover overlapped, and how that differs now.

use super::block::{BLOCK, Block};
use super::blocks::{CACHED, ask_for_block, ask_for_box, bounds, lanes_of, overlaps, store_hits};
use super::lanes::Vector;
use super::meetings::Meeting;
use super::near_blocks::NearBlocks;
use crate::Aabb;

/// A box that moved, came or left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mover {
    pub(crate) place: u32,
    /// Where it is now: [`Aabb::NOWHERE`] if it left.
    pub(crate) now: Aabb,
}

impl Mover {
    #[inline(always)]
    fn block(&self) -> usize {
        self.place as usize / BLOCK
    }

    #[inline(always)]
    fn lane(&self) -> usize {
        self.place as usize % BLOCK
    }
}

/// So many blocks before they are needed, boxes of movers are asked for: few of a block move.
const AHEAD: usize = 16;

/// See [`crate::Lanes::list_movers`].
#[inline(always)]
pub(super) fn list_movers<V: Vector>(
    aabbs: &[Aabb],
    slots: &[u32],
    marks: &[u16],
    first_place: u32,
    all_bounds: &mut [Aabb],
    movers: &mut Vec<Mover>,
) {
    let (slots, rest) = slots.as_chunks::<BLOCK>();
    assert!(slots.len() == marks.len() && rest.is_empty() && all_bounds.len() == marks.len());
    movers.clear();
    let ask_ahead = aabbs.len() > CACHED;
    if ask_ahead {
        for (slots, &marked) in slots.iter().zip(marks).take(AHEAD) {
            ask_for_marked::<V>(aabbs, slots, marked);
        }
    }
    for (index, (&marked, bounds)) in marks.iter().zip(all_bounds).enumerate() {
        if ask_ahead && let (Some(soon), Some(&marked)) = (slots.get(index + AHEAD), marks.get(index + AHEAD))
        {
            ask_for_marked::<V>(aabbs, soon, marked);
        }
        for lane in lanes_of(marked) {
            let place = first_place + (index * BLOCK + lane) as u32;
            let now = aabbs.get(slots[index][lane] as usize).copied().unwrap_or(Aabb::NOWHERE);
            if now.is_box() {
                *bounds = bounds.union(&now);
            }
            movers.push(Mover { place, now });
        }
    }
}

/// Asks for boxes of a block that will be read soon.
#[inline(always)]
fn ask_for_marked<V: Vector>(aabbs: &[Aabb], slots: &[u32; BLOCK], marked: u16) {
    for lane in lanes_of(marked) {
        ask_for_box::<V>(aabbs, slots[lane]);
    }
}

/// So many boxes are in no cache at all when they are looked at again.
const FAR: usize = 1 << 18;
/// So many meetings before they are looked at again, their blocks are asked for.
const SOON: usize = 8;

/// What a mover asks for.
#[derive(Clone, Copy, Debug)]
struct Query {
    /// Boxes in reach of this, as they were and as they are.
    reach: Aabb,
    before: Aabb,
    in_stretch: u32,
    lane: u32,
    /// A second query of the same mover: what is in reach of its box as it was has been found by the first.
    is_second: bool,
}

/// So many movers ask at once. Each may have two queries, and a query a number of eight bits.
const TOGETHER: usize = 128;
/// Numbers of blocks have as many bits as the numbers of queries leave.
const QUERY: u32 = 24;
/// The most blocks there may be.
pub(crate) const MOST_BLOCKS: usize = 1 << QUERY;
/// The number of a block, in a word.
const NUMBER: u32 = (1 << QUERY) - 1;
const _: () = assert!(2 * TOGETHER <= 1 << (u32::BITS - QUERY));

/// What queries are answered with, step by step.
#[derive(Debug, Default)]
pub(crate) struct Queries {
    list: Vec<Query>,
    /// The number of a query, and of a block that is in its reach.
    words: Vec<u32>,
    words_above: Vec<u32>,
}

/// Where movers look for boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// Boxes as they were.
    pub(crate) blocks: &'a [Block],
    /// What bounds the blocks, and will when all have moved.
    pub(crate) above: &'a [Block],
    /// Those blocks of `above` that may be in reach.
    pub(crate) near: &'a NearBlocks,
}

/// See [`crate::Lanes::meet_before`].
///
/// Step by step for many movers, not mover by mover: loops of a few turns each would be guessed wrong at every end.
#[inline(always)]
pub(super) fn meet_before<V: Vector>(
    around: Surroundings<'_>,
    movers: &[Mover],
    first_block: u32,
    queries: &mut Queries,
    meetings: &mut Vec<Meeting>,
    most: usize,
) -> Option<usize> {
    let Surroundings { blocks, above, near } = around;
    let mut visited = 0;
    for movers in movers.chunks(TOGETHER) {
        queries.ask(blocks, movers, first_block);
        let Queries { list, words, words_above } = queries;
        if list.len() * near.bounds.len() > most {
            return None;
        }
        words_above.clear();
        words_above.reserve((list.len() * near.bounds.len() + 1) * BLOCK);
        let mut count = 0;
        for (number, query) in list.iter().enumerate() {
            for (index, bounds) in near.bounds.iter().enumerate() {
                let base = ((number << QUERY) + index * BLOCK) as u32;
                // SAFETY: the dispatcher runs this instantiation only where its instructions exist; there is room for
                // all bounds with every query, and for a block more.
                unsafe {
                    let to = words_above.as_mut_ptr().add(count);
                    count += store_hits::<V>(bounds, &query.reach, base, 0, to);
                }
            }
        }
        // SAFETY: that many were written.
        unsafe { words_above.set_len(count) };
        visited += list.len() * near.bounds.len() + words_above.len();
        // Each may become a word for every block below it.
        if words_above.len() > most / 4 {
            return None;
        }
        words.clear();
        words.reserve((words_above.len() + 1) * BLOCK);
        let mut count = 0;
        for &word in words_above.iter() {
            let parent = near.places[(word & NUMBER) as usize];
            let query = &list[(word >> QUERY) as usize];
            let base = (word & !NUMBER) + parent * BLOCK as u32;
            // SAFETY: as above.
            unsafe {
                let to = words.as_mut_ptr().add(count);
                count += store_hits::<V>(&above[parent as usize], &query.reach, base, 0, to);
            }
        }
        // SAFETY: that many were written.
        unsafe { words.set_len(count) };
        visited += words.len();
        if blocks.len() * BLOCK > CACHED {
            // It takes longer than a test to come, and all of them are known.
            for &word in words.iter() {
                ask_for_block::<V>(&blocks[(word & NUMBER) as usize]);
            }
        }
        meetings.reserve(words.len());
        let (mut found, to) = (meetings.len(), meetings.as_mut_ptr());
        for &word in words.iter() {
            let other = word & NUMBER;
            let query = &list[(word >> QUERY) as usize];
            let mask = overlaps::<V>(&blocks[other as usize], &query.before);
            let bounds = || above[other as usize / BLOCK].get(other as usize % BLOCK);
            let is_known = query.is_second && bounds().overlaps(&query.before);
            // SAFETY: there is room for all words.
            unsafe { to.add(found).write(Meeting::new(query.in_stretch, other, query.lane, mask)) };
            found += usize::from(!is_known);
        }
        // SAFETY: that many were written.
        unsafe { meetings.set_len(found) };
    }
    Some(visited)
}

impl Queries {
    /// The queries of these movers.
    #[inline(always)]
    fn ask(&mut self, blocks: &[Block], movers: &[Mover], first_block: u32) {
        self.list.clear();
        for mover in movers {
            let before = blocks[mover.block()].get(mover.lane());
            let (in_stretch, lane) = (mover.block() as u32 - first_block, mover.lane() as u32);
            let query = Query { reach: before, before, in_stretch, lane, is_second: false };
            match way(&before, &mover.now) {
                Some(reach) => self.list.push(Query { reach, ..query }),
                None => self.list.extend([query, Query { reach: mover.now, is_second: true, ..query }]),
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Query>()
            + (self.words.capacity() + self.words_above.capacity()) * size_of::<u32>()
    }
}

/// What bounds a box on its way from one place to the other; nothing if it goes so far that both places are better looked
/// at on their own.
#[inline(always)]
fn way(before: &Aabb, now: &Aabb) -> Option<Aabb> {
    if !before.is_box() {
        return Some(*now);
    }
    if !now.is_box() {
        return Some(*before);
    }
    let both = before.union(now);
    let sides = |aabb: &Aabb| aabb.extents().element_sum();
    (sides(&both) <= 2.0 * (sides(before) + sides(now))).then_some(both)
}

/// See [`crate::Lanes::settle`].
#[inline(always)]
pub(super) fn settle<V: Vector>(
    movers: &[Mover],
    first_block: u32,
    blocks: &mut [Block],
    all_bounds: &mut [Aabb],
) {
    for movers in movers.chunk_by(|a, b| a.block() == b.block()) {
        let index = movers[0].block() - first_block as usize;
        let block = &mut blocks[index];
        for mover in movers {
            block.set(mover.lane(), &mover.now);
        }
        all_bounds[index] = bounds::<V>(block);
    }
}

/// See [`crate::Lanes::meet_now`].
#[inline(always)]
pub(super) fn meet_now<V: Vector>(
    blocks: &[Block],
    marks: &[u16],
    first_block: u32,
    before: &[Meeting],
    gone: &mut Vec<Meeting>,
    come: &mut Vec<Meeting>,
) {
    for (at, &meeting) in before.iter().enumerate() {
        if blocks.len() * BLOCK > FAR
            && let Some(soon) = before.get(at + SOON)
        {
            ask_for_block::<V>(&blocks[soon.other()]);
        }
        let (own, lane) = (first_block as usize + meeting.own(), meeting.lane());
        let other = meeting.other();
        let now = overlaps::<V>(&blocks[other], &blocks[own].get(lane));
        let changed = now as u16 ^ meeting.mask();
        if changed != 0 {
            // A pair of two movers is found by both. It counts for the first; and none is its own partner.
            let counted = match other.cmp(&own) {
                std::cmp::Ordering::Less => marks[other],
                std::cmp::Ordering::Equal => marks[own] & ((2u32 << lane) - 1) as u16,
                std::cmp::Ordering::Greater => 0,
            };
            let changed = changed & !counted;
            push(gone, meeting.with(meeting.mask() & changed));
            push(come, meeting.with(now as u16 & changed));
        }
    }
}

/// Appends it if it has others.
#[inline(always)]
fn push(list: &mut Vec<Meeting>, meeting: Meeting) {
    if meeting.mask() != 0 {
        list.push(meeting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::scene::{BoxStream, Random, StreamKind};

    /// Boxes before and after some of them moved, came and left: NaN where there is none.
    fn two_frames() -> (Vec<Aabb>, Vec<Aabb>, Vec<u16>) {
        let count = if cfg!(miri) { 4 } else { 40 };
        let stream = BoxStream::new(StreamKind::Brownian, count * BLOCK, 3);
        let mut random = Random::new(8);
        let mut before = stream.boxes().to_vec();
        // Nearer to each other in memory, as places are.
        before.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
        before.iter_mut().step_by(29).for_each(|aabb| *aabb = Aabb::NOWHERE);
        let (mut after, mut marks) = (before.clone(), vec![0u16; count]);
        for place in 0..before.len() {
            let by = match random.below(12) {
                0 | 1 => random.direction() * 0.2,
                2 => random.direction() * 5.0,
                3 => glam::Vec3::NAN,
                _ => continue,
            };
            let from = if before[place].is_box() { before[place] } else { before[place / 2 + 1] };
            after[place] = if by.is_nan() { Aabb::NOWHERE } else { Aabb::new(from.min + by, from.max + by) };
            marks[place / BLOCK] |= 1 << (place % BLOCK);
        }
        after[17] = Aabb::EVERYWHERE;
        marks[1] |= 2;
        (before, after, marks)
    }

    #[test]
    fn movers_find_each_pair_that_came_or_went_once_on_every_width() {
        let (before, after, marks) = two_frames();
        let slots: Vec<u32> = (0..before.len() as u32).collect();
        let pairs_of = |boxes: &[Aabb]| -> Vec<(usize, usize)> {
            let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| (a, b)));
            all.filter(|&(a, b)| boxes[a].overlaps(&boxes[b])).collect()
        };
        let (old, new) = (pairs_of(&before), pairs_of(&after));
        let without = |from: &[(usize, usize)], those: &[(usize, usize)]| -> Vec<(usize, usize)> {
            from.iter().filter(|pair| !those.contains(pair)).copied().collect()
        };
        for lanes in Lanes::available() {
            let (mut blocks, mut bounds) = (vec![Block::EMPTY; marks.len()], vec![Aabb::EMPTY; marks.len()]);
            lanes.fetch(&before, &slots, &mut blocks, &mut bounds);
            let mut movers = vec![];
            lanes.list_movers(&after, &slots, &marks, 0, &mut bounds, &mut movers);
            assert_eq!(movers.len() as u32, marks.iter().map(|marks| marks.count_ones()).sum::<u32>());
            // What is above the blocks, and above that.
            let mut levels = [vec![Block::EMPTY; marks.len().div_ceil(BLOCK)], vec![Block::EMPTY]];
            bounds.iter().enumerate().for_each(|(at, one)| levels[0][at / BLOCK].set(at % BLOCK, one));
            let parents: Vec<Aabb> = levels[0].iter().map(|block| lanes.bounds(block)).collect();
            parents.iter().enumerate().for_each(|(at, one)| levels[1][0].set(at, one));
            let mut near = NearBlocks::default();
            near.places_mut().extend(0..parents.len() as u32);
            near.fill(&levels[1]);
            let around = Surroundings { blocks: &blocks, above: &levels[0], near: &near };
            let (mut queries, mut meetings) = (Queries::default(), vec![]);
            assert_eq!(
                lanes.meet_before(around, &movers, 0, &mut queries, &mut meetings, 40),
                None,
                "{lanes}"
            );
            meetings.clear();
            lanes.meet_before(around, &movers, 0, &mut queries, &mut meetings, 1 << 20).unwrap();
            lanes.settle(&movers, 0, &mut blocks, &mut bounds);
            assert!(blocks.iter().zip(&bounds).all(|(block, bounds)| lanes.bounds(block) == *bounds));
            let (mut gone, mut come) = (vec![], vec![]);
            lanes.meet_now(&blocks, &marks, 0, &meetings, &mut gone, &mut come);
            let pairs = |list: &[Meeting]| -> Vec<(usize, usize)> {
                let one = |one: &Meeting| (one.place(), *one);
                let all = list.iter().map(one).flat_map(|(a, one)| one.others().map(move |b| (a, b)));
                let mut all: Vec<_> = all.map(|(a, b)| (a.min(b), a.max(b))).collect();
                all.sort();
                all
            };
            assert_eq!(pairs(&gone), without(&old, &new), "{lanes}");
            assert_eq!(pairs(&come), without(&new, &old), "{lanes}");
        }
    }

    #[test]
    fn a_box_that_goes_far_is_looked_for_at_both_ends() {
        let at = |x: f32| Aabb::new(glam::Vec3::splat(x), glam::Vec3::splat(x + 1.0));
        assert_eq!(way(&at(0.0), &at(1.0)), Some(Aabb::new(glam::Vec3::ZERO, glam::Vec3::splat(2.0))));
        assert_eq!(way(&at(0.0), &at(9.0)), None);
        assert_eq!(way(&Aabb::NOWHERE, &at(9.0)), Some(at(9.0)), "it came");
        assert_eq!(way(&at(9.0), &Aabb::NOWHERE), Some(at(9.0)), "it left");
        assert_eq!(way(&at(9.0), &Aabb::EVERYWHERE), Some(Aabb::EVERYWHERE));
    }
}
