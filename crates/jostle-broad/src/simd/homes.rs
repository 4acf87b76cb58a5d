//! The kernels of boxes that stay around their homes: who has left, which unsure pairs are others than they were, and where
//! boxes have been.

use std::ops::Range;

use super::block::{BLOCK, Block};
use super::blocks::{CACHED, LINE_BYTES, ask_for_box};
use super::lanes::Vector;
use super::meetings::Meeting;
use crate::pairs::Position;
use crate::{Aabb, Pair};

/// A pair of slots of which it depends on where in their surroundings the boxes are whether they overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsure {
    /// The lower slot, and in the highest bit, which slots have not, whether they overlap.
    lower: u32,
    higher: u32,
    /// Where it is in the list of pairs that come and go.
    pub(crate) position: Position,
}

/// Do they overlap?
const OVERLAP: u32 = 1 << 31;
const _: () = assert!(crate::Boxes::MAX_BOXES <= OVERLAP as usize);

impl Unsure {
    pub(crate) fn new(a: u32, b: u32, overlap: bool, position: Position) -> Self {
        Self { lower: a.min(b) | if overlap { OVERLAP } else { 0 }, higher: a.max(b), position }
    }

    #[inline(always)]
    pub(crate) fn slots(self) -> [u32; 2] {
        [self.lower & !OVERLAP, self.higher]
    }

    #[inline(always)]
    pub(crate) fn overlap(self) -> bool {
        self.lower & OVERLAP != 0
    }

    /// From now on it is none: a box and itself, which overlap as long as there is one.
    pub(crate) fn make_void(&mut self) {
        self.higher = self.lower & !OVERLAP;
        self.lower |= OVERLAP;
    }

    pub(crate) fn is_void(self) -> bool {
        self.higher == self.lower & !OVERLAP
    }

    /// From now on the opposite.
    pub(crate) fn flip(&mut self) {
        self.lower ^= OVERLAP;
    }
}

/// A pair of a list that is another than it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flipped {
    /// Where in the list it is, and in the highest bit whether it came.
    at: u32,
    /// Where it is in the list of pairs that come and go.
    pub(crate) position: Position,
}

/// Did it come?
const CAME: u32 = 1 << 31;

impl Flipped {
    /// The most that a place in a list can be.
    pub(crate) const MOST: usize = !CAME as usize;

    pub(crate) const NONE: Self = Self { at: 0, position: Position::OUTSIDE };

    #[inline(always)]
    fn new(at: usize, now: Unsure) -> Self {
        Self { at: at as u32 | if now.overlap() { CAME } else { 0 }, position: now.position }
    }

    #[inline(always)]
    pub(crate) fn at(self) -> usize {
        (self.at & !CAME) as usize
    }

    #[inline(always)]
    pub(crate) fn has_come(self) -> bool {
        self.at & CAME != 0
    }
}

/// So many boxes are looked at together: their numbers fill whole registers of every width.
const TOGETHER: usize = 8;

/// Has this box left its home?
#[inline(always)]
pub(crate) fn is_away(now: &Aabb, home: &Aabb, reach: f32) -> bool {
    let [now, home]: [&[f32; 6]; 2] = [now, home].map(bytemuck::cast_ref);
    is_any::<Away>(now, home, reach)
}

/// More homes than this are not in a cache when they are looked at next. They had better leave it to the boxes, which unsure pairs
/// fetch from anywhere.
const MANY: usize = 1 << 18;
/// And so many boxes ahead they are asked for.
const HOMES_AHEAD: usize = 64;

/// See [`crate::Lanes::list_strays`].
#[inline(always)]
pub(super) fn list_strays<V: Vector>(
    now: &[Aabb],
    homes: &[Aabb],
    slots: Range<usize>,
    reach: f32,
    strays: &mut Vec<u32>,
) {
    // Asked once, not for each box.
    if homes.len() > MANY {
        list_all::<V, Away, true>(now, homes, slots, reach, strays);
    } else {
        list_all::<V, Away, false>(now, homes, slots, reach, strays);
    }
}

/// See [`crate::Lanes::list_doubtful`].
#[inline(always)]
pub(super) fn list_doubtful<V: Vector>(
    now: &[Aabb],
    homes: &[Aabb],
    slots: Range<usize>,
    reach: f32,
    doubtful: &mut Vec<u32>,
) {
    if homes.len() > MANY {
        list_all::<V, Doubtful, true>(now, homes, slots, reach, doubtful);
    } else {
        list_all::<V, Doubtful, false>(now, homes, slots, reach, doubtful);
    }
}

/// What is asked of a number.
trait Question {
    fn is_so(now: f32, home: f32, reach: f32) -> bool;
}

struct Away;

impl Question for Away {
    #[inline(always)]
    fn is_so(now: f32, home: f32, reach: f32) -> bool {
        (now - home).abs() > reach
    }
}

struct Doubtful;

impl Question for Doubtful {
    #[inline(always)]
    fn is_so(now: f32, home: f32, reach: f32) -> bool {
        // Not the opposite of the above where there are no numbers.
        let is_around = (now - home).abs() <= reach;
        !is_around | (now.to_bits() == (-0.0f32).to_bits())
    }
}

/// Is it so for some number?
#[inline(always)]
fn is_any<Q: Question>(now: &[f32], homes: &[f32], reach: f32) -> bool {
    // A loop over plain numbers, which the compiler turns into whatever registers there are.
    now.iter().zip(homes).fold(false, |any, (now, home)| any | Q::is_so(*now, *home, reach))
}

#[inline(always)]
fn list_all<V: Vector, Q: Question, const ARE_MANY: bool>(
    now: &[Aabb],
    homes: &[Aabb],
    slots: Range<usize>,
    reach: f32,
    list: &mut Vec<u32>,
) {
    let first_slot = slots.start;
    let (now, homes) = (&now[slots.clone()], &homes[slots]);
    for (index, (now, homes)) in now.chunks(TOGETHER).zip(homes.chunks(TOGETHER)).enumerate() {
        if ARE_MANY {
            let soon = homes.as_ptr().wrapping_add(HOMES_AHEAD);
            for line in 0..(size_of::<Aabb>() * TOGETHER).div_ceil(LINE_BYTES) {
                // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
                unsafe { V::prefetch_once(soon.wrapping_byte_add(line * LINE_BYTES)) };
            }
        }
        let (all_now, all_homes) = (bytemuck::cast_slice(now), bytemuck::cast_slice(homes));
        if let (Some(now), Some(homes)) = (all_now.first_chunk::<{ 6 * TOGETHER }>(), all_homes.first_chunk())
            && !is_any::<Q>(now, homes as &[f32; 6 * TOGETHER], reach)
        {
            continue;
        }
        for (at, (now, home)) in now.iter().zip(homes).enumerate() {
            let [now, home]: [&[f32; 6]; 2] = [now, home].map(bytemuck::cast_ref);
            if is_any::<Q>(now, home, reach) {
                list.push((first_slot + index * TOGETHER + at) as u32);
            }
        }
    }
}

/// See [`crate::Lanes::widen`].
#[inline(always)]
pub(super) fn widen<V: Vector>(now: &[Aabb], least: &mut [Aabb], most: &mut [Aabb]) {
    assert!(now.len() == least.len() && now.len() == most.len());
    let (now, rest_now) = bytemuck::cast_slice::<Aabb, f32>(now).as_chunks::<{ 6 * TOGETHER }>();
    let (least, rest_least) = bytemuck::cast_slice_mut::<Aabb, f32>(least).as_chunks_mut();
    let (most, rest_most) = bytemuck::cast_slice_mut::<Aabb, f32>(most).as_chunks_mut();
    for ((now, least), most) in now.iter().zip(least).zip(most) {
        widen_some(now, least, most);
    }
    for ((now, least), most) in rest_now.iter().zip(rest_least).zip(rest_most) {
        widen_some(&[*now], std::array::from_mut(least), std::array::from_mut(most));
    }
}

/// Numbers that fill whole registers. What is written is the same where nothing changes: a store that is made or not takes longer.
#[inline(always)]
fn widen_some<const N: usize>(now: &[f32; N], least: &mut [f32; N], most: &mut [f32; N]) {
    let (mut lesser, mut greater) = ([0.0; N], [0.0; N]);
    for at in 0..N {
        lesser[at] = if now[at] < least[at] { now[at] } else { least[at] };
        greater[at] = if now[at] > most[at] { now[at] } else { most[at] };
    }
    (*least, *most) = (lesser, greater);
}

/// See [`crate::Lanes::retain_close`].
#[inline(always)]
pub(super) fn retain_close<V: Vector>(
    blocks: &[Block],
    first_block: u32,
    deepest: f32,
    meetings: &mut Vec<Meeting>,
) {
    let mut kept = 0;
    for at in 0..meetings.len() {
        let meeting = meetings[at];
        let own = &blocks[first_block as usize + meeting.own()].0;
        let other = &blocks[meeting.other()].0;
        let mut depths = [f32::INFINITY; BLOCK];
        let mut size = 0.0f32;
        for axis in 0..3 {
            let (min, max) = (own[axis][meeting.lane()], own[axis + 3][meeting.lane()]);
            size = size.max(min.abs()).max(max.abs());
            for lane in 0..BLOCK {
                let (one, two) = (max - other[axis][lane], other[axis + 3][lane] - min);
                let lesser = if one < two { one } else { two };
                depths[lane] = if lesser < depths[lane] { lesser } else { depths[lane] };
            }
        }
        let deepest = deepest + 16.0 * f32::EPSILON * size;
        let mut close = 0;
        for (lane, &depth) in depths.iter().enumerate() {
            close |= u16::from(depth < deepest) << lane;
        }
        meetings[kept] = meeting.with(meeting.mask() & close);
        kept += usize::from(meeting.mask() & close != 0);
    }
    meetings.truncate(kept);
}

/// How many pairs ahead memory is asked for. (Zen 5: 64 to 128 take a fifth less than 32 at 1 M; 128 take 2 % more at 100 k.)
const AHEAD: usize = 96;

/// See [`crate::Lanes::flip`].
#[inline(always)]
pub(super) fn flip<V: Vector>(
    aabbs: &[Aabb],
    unsure: &mut [Unsure],
    flipped: &mut [Flipped],
    pairs: &mut [Pair],
) -> [usize; 2] {
    // Asked once, not for each pair.
    if aabbs.len() > CACHED {
        flip_those_of::<V, true>(aabbs, unsure, flipped, pairs)
    } else {
        flip_those_of::<V, false>(aabbs, unsure, flipped, pairs)
    }
}

#[inline(always)]
fn flip_those_of<V: Vector, const ARE_FAR: bool>(
    aabbs: &[Aabb],
    unsure: &mut [Unsure],
    flipped: &mut [Flipped],
    pairs: &mut [Pair],
) -> [usize; 2] {
    const TOGETHER: usize = u64::BITS as usize;
    assert!(unsure.len() <= flipped.len().min(pairs.len()).min(Flipped::MOST));
    let [mut came, mut went] = [0; 2];
    for first in (0..unsure.len()).step_by(TOGETHER) {
        // Whether one flipped is a toss-up: they are collected without a branch.
        let mut mask = 0u64;
        let some = &unsure[first..unsure.len().min(first + TOGETHER)];
        for (bit, pair) in some.iter().enumerate() {
            if ARE_FAR && let Some(soon) = unsure.get(first + bit + AHEAD) {
                soon.slots().iter().for_each(|slot| ask_for_box::<V>(aabbs, *slot));
            }
            let [a, b] = pair.slots().map(|slot| &aabbs[slot as usize]);
            mask |= u64::from(a.overlaps(b) != pair.overlap()) << bit;
        }
        while mask != 0 {
            let at = first + mask.trailing_zeros() as usize;
            unsure[at].flip();
            let now = unsure[at];
            flipped[came + went] = Flipped::new(at, now);
            // So is whether it came or went: it is written down as both, and one of them counts.
            let [low, high] = now.slots();
            let last = pairs.len() - 1 - went;
            (pairs[came], pairs[last]) = (Pair { low, high }, Pair { low, high });
            came += usize::from(now.overlap());
            went += usize::from(!now.overlap());
            mask &= mask - 1;
        }
    }
    [came, went]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::scene::{BoxStream, StreamKind};
    use crate::simd::scalar::Scalar;

    #[test]
    fn strays_are_found_on_every_width() {
        let count = if cfg!(miri) { 21 } else { 333 };
        let mut homes = BoxStream::new(StreamKind::Brownian, count, 3).boxes().to_vec();
        // Free, infinite, no longer so, and so only now.
        homes[3] = Aabb::NOWHERE;
        homes[4] = Aabb::EVERYWHERE;
        homes[5] = Aabb::EVERYWHERE;
        let mut now = homes.clone();
        now[5] = homes[0];
        now[6] = Aabb::EVERYWHERE;
        for (index, aabb) in now.iter_mut().enumerate().skip(7) {
            let numbers: &mut [f32; 6] = bytemuck::cast_mut(aabb);
            match index % 13 {
                number @ 0..6 => numbers[number] += 0.5,
                number @ 6..12 => numbers[number - 6] -= 0.25,
                _ => {}
            }
        }
        for (reach, expected) in [
            (1.0, vec![5, 6]),
            (0.375, (5..count as u32).filter(|slot| *slot < 7 || slot % 13 < 6).collect()),
            (0.125, (5..count as u32).filter(|slot| *slot < 7 || slot % 13 < 12).collect::<Vec<u32>>()),
        ] {
            for lanes in Lanes::available() {
                for slots in [0..count, 0..0, 5..6, 6..count - 3] {
                    let mut strays = vec![];
                    lanes.list_strays(&now, &homes, slots.clone(), reach, &mut strays);
                    let there = expected.iter().filter(|slot| slots.contains(&(**slot as usize)));
                    assert!(strays.iter().eq(there), "{lanes}, reach {reach}, {slots:?}");
                    let mut of_many = vec![];
                    list_all::<Scalar, Away, true>(&now, &homes, slots, reach, &mut of_many);
                    assert_eq!(of_many, strays, "as if there were many");
                }
            }
        }
    }

    #[test]
    fn numbers_are_at_least_and_at_most_what_they_were_on_every_width() {
        let count = if cfg!(miri) { 5 } else { 77 };
        let mut stream = BoxStream::new(StreamKind::Brownian, count, 3);
        let mut frames = vec![];
        for _ in 0..4 {
            let mut boxes = stream.boxes().to_vec();
            // Free from the start, and free now; a side without end; and one that was free.
            boxes[0] = Aabb::NOWHERE;
            if frames.len() == 2 {
                boxes[1] = Aabb::NOWHERE;
            }
            boxes[2].max.y = f32::INFINITY;
            if frames.is_empty() {
                boxes[3] = Aabb::NOWHERE;
            }
            frames.push(boxes);
            stream.advance();
        }
        for lanes in Lanes::available() {
            let (mut least, mut most) = (frames[0].clone(), frames[0].clone());
            frames[1..].iter().for_each(|now| lanes.widen(now, &mut least, &mut most));
            for slot in 0..count {
                let all: Vec<[f32; 6]> = frames.iter().map(|boxes| bytemuck::cast(boxes[slot])).collect();
                for number in 0..6 {
                    let of = |list: &[Aabb]| bytemuck::cast::<Aabb, [f32; 6]>(list[slot])[number];
                    let numbers = all.iter().map(|one| one[number]);
                    // What was free at first stays so: it is left out.
                    let expected = match slot {
                        0 | 3 => [f32::NAN; 2],
                        _ => [numbers.clone().fold(f32::NAN, f32::min), numbers.fold(f32::NAN, f32::max)],
                    };
                    assert_eq!(
                        [of(&least), of(&most)].map(f32::to_bits),
                        expected.map(f32::to_bits),
                        "{lanes}, {slot}"
                    );
                }
            }
        }
    }

    #[test]
    fn pairs_that_are_deep_in_each_other_are_dropped_on_every_width() {
        let count = if cfg!(miri) { 2 } else { 12 };
        let stream = BoxStream::new(StreamKind::Brownian, count * BLOCK, 3);
        let boxes = stream.boxes();
        let mut blocks = vec![Block::EMPTY; count];
        boxes.iter().enumerate().for_each(|(at, aabb)| blocks[at / BLOCK].set(at % BLOCK, aabb));
        let of_box = |place: usize, other: u32| {
            let overlap = |lane: usize| boxes[place].overlaps(&boxes[other as usize * BLOCK + lane]);
            let mask = (0..BLOCK).fold(0, |mask, lane| mask | u32::from(overlap(lane)) << lane);
            Meeting::new((place / BLOCK) as u32, other, (place % BLOCK) as u32, mask)
        };
        let all = (0..boxes.len()).flat_map(|place| (0..count as u32).map(move |other| (place, other)));
        let meetings: Vec<Meeting> =
            all.map(|(place, other)| of_box(place, other)).filter(|one| one.mask() != 0).collect();
        let pairs = |meetings: &[Meeting]| -> Vec<(usize, usize)> {
            meetings.iter().flat_map(|one| one.others().map(|other| (one.place(), other))).collect()
        };
        let depth = |(a, b): (usize, usize)| {
            let (a, b) = (&boxes[a], &boxes[b]);
            (a.max - b.min).min(b.max - a.min).min_element()
        };
        let expected: Vec<_> = pairs(&meetings).into_iter().filter(|&pair| depth(pair) < 0.2).collect();
        assert!(!expected.is_empty() && expected.len() < pairs(&meetings).len());
        for lanes in Lanes::available() {
            let mut close = meetings.clone();
            lanes.retain_close(&blocks, 0, 0.2, &mut close);
            assert_eq!(pairs(&close), expected, "{lanes}");
        }
    }

    #[test]
    fn pairs_that_flip_are_found_on_every_width() {
        let count = if cfg!(miri) { 9 } else { 60 };
        let stream = BoxStream::new(StreamKind::Brownian, count, 3);
        let boxes = stream.boxes();
        let all = (0..count as u32).flat_map(|a| (0..a).map(move |b| (a, b)));
        let unsure: Vec<Unsure> =
            all.map(|(a, b)| Unsure::new(a, b, (a + b) % 3 == 0, Position::OUTSIDE)).collect();
        let is_flipped = |pair: &Unsure| {
            let [a, b] = pair.slots();
            assert!(a < b && pair.overlap() == ((a + b) % 3 == 0));
            boxes[a as usize].overlaps(&boxes[b as usize]) != pair.overlap()
        };
        let mut now = unsure.clone();
        now.iter_mut().filter(|pair| is_flipped(pair)).for_each(Unsure::flip);
        let changed: Vec<usize> = (0..now.len()).filter(|&at| now[at] != unsure[at]).collect();
        let pairs_that = |comes: bool| -> Vec<Pair> {
            let these = changed.iter().map(|&at| now[at]).filter(|pair| pair.overlap() == comes);
            these.map(Unsure::slots).map(|[low, high]| Pair { low, high }).collect()
        };
        let [come, mut gone] = [true, false].map(pairs_that);
        gone.reverse();
        assert!(!come.is_empty() && !gone.is_empty() && changed.len() < unsure.len());
        for lanes in Lanes::available() {
            let mut list = unsure.clone();
            let mut flipped = vec![Flipped::NONE; list.len()];
            let mut pairs = vec![Pair { low: 0, high: 0 }; list.len()];
            let [came, went] = lanes.flip(boxes, &mut list, &mut flipped, &mut pairs);
            assert_eq!((&list, [came, went]), (&now, [come.len(), gone.len()]), "{lanes}");
            assert_eq!((&pairs[..came], &pairs[pairs.len() - went..]), (&*come, &*gone), "{lanes}");
            let told: Vec<(usize, bool)> =
                flipped[..came + went].iter().map(|flipped| (flipped.at(), flipped.has_come())).collect();
            let expected: Vec<(usize, bool)> = changed.iter().map(|&at| (at, now[at].overlap())).collect();
            assert_eq!(told, expected, "{lanes}");
            let nothing = lanes.flip(boxes, &mut list, &mut flipped, &mut pairs);
            assert_eq!((&list, nothing), (&now, [0, 0]), "{lanes}, nothing has changed");
            // All of them: there is room for no more.
            let mut wrong: Vec<Unsure> = now.clone();
            wrong.iter_mut().for_each(Unsure::flip);
            let [came, went] = lanes.flip(boxes, &mut wrong, &mut flipped, &mut pairs);
            assert_eq!((&wrong, came + went), (&now, now.len()), "{lanes}");
            let is_there = |at: usize| {
                wrong.iter().any(|pair| {
                    let [low, high] = pair.slots();
                    pairs[at] == Pair { low, high } && pair.overlap() == (at < came)
                })
            };
            assert!((0..pairs.len()).all(is_there), "{lanes}, all have changed");
        }
    }
}
