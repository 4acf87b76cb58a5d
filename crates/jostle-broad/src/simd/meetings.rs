//! Which boxes of two blocks overlap, as words: those that a frame keeps for the next one, and those that movers compare.

use super::block::BLOCK;
use super::blocks::lanes_of;
use super::lanes::Vector;

/// One box of a block, and which boxes of another block (or of its own) overlap it. In ascending order they are sorted by
/// block of the stretch, other block and lane: those of a frame are, so that two frames can be compared word by word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct Meeting(u64);

/// A block whose overlaps are looked for: its number, and its number within its stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnBlock {
    pub(crate) block: u32,
    pub(crate) in_stretch: u32,
}

/// How many words are compared at once.
const STEP: usize = 8;

impl Meeting {
    /// Blocks that others may meet: more have no number here.
    pub(crate) const MOST_BLOCKS: usize = 1 << 28;
    /// Blocks of a stretch.
    pub(crate) const MOST_IN_STRETCH: usize = 1 << 16;

    /// The box in `lane` of a block, and the lanes of the block `other` that overlap it.
    #[inline(always)]
    pub(super) fn new(in_stretch: u32, other: u32, lane: u32, mask: u32) -> Self {
        debug_assert!((in_stretch as usize) < Self::MOST_IN_STRETCH && (other as usize) < Self::MOST_BLOCKS);
        debug_assert!((lane as usize) < BLOCK && mask < 1 << BLOCK);
        Self(u64::from(in_stretch) << 48 | u64::from(other) << 20 | u64::from(lane) << 16 | u64::from(mask))
    }

    /// The block, counted from the first one of its stretch.
    #[inline]
    pub(crate) fn own(self) -> usize {
        (self.0 >> 48) as usize
    }

    /// The lane of the one box.
    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        (self.0 >> 16 & 15) as usize
    }

    /// The other block.
    #[inline(always)]
    pub(super) fn other(self) -> usize {
        (self.0 >> 20 & 0x0fff_ffff) as usize
    }

    /// Which boxes of it overlap the one.
    #[inline(always)]
    pub(super) fn mask(self) -> u16 {
        self.0 as u16
    }

    /// The same with others.
    #[inline(always)]
    pub(super) fn with(self, mask: u16) -> Self {
        Self(self.0 & !0xffff | u64::from(mask))
    }

    /// The place of the one box, counted from the first one of its stretch.
    #[inline]
    pub(crate) fn place(self) -> usize {
        self.own() * BLOCK + self.lane()
    }

    /// The places of the others.
    #[inline]
    pub(crate) fn others(self) -> impl Iterator<Item = usize> {
        let first = self.other() * BLOCK;
        lanes_of(self.mask()).map(move |lane| first + lane)
    }

    /// How many others there are.
    #[inline]
    pub(crate) fn count(self) -> usize {
        self.mask().count_ones() as usize
    }

    /// Without those of the other places that are not to be kept; none if none is left.
    #[inline]
    pub(crate) fn retain(self, keep: impl Fn(usize) -> bool) -> Option<Self> {
        let mask = self.others().fold(0, |mask, place| mask | u16::from(keep(place)) << (place % BLOCK));
        (mask != 0).then_some(self.with(mask))
    }

    /// Everything but who the others are.
    #[inline(always)]
    fn key(self) -> u64 {
        self.0 >> 16
    }
}

/// See [`crate::Lanes::compare`].
#[inline(always)]
pub(super) fn compare<V: Vector>(
    old: &[Meeting],
    new: &[Meeting],
    gone: &mut Vec<Meeting>,
    come: &mut Vec<Meeting>,
) {
    let (mut i, mut j) = (0, 0);
    loop {
        // Most is as it was: whole registers are the same until one is not.
        while let (Some(a), Some(b)) = (old[i..].first_chunk::<STEP>(), new[j..].first_chunk::<STEP>()) {
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
            let unequal = unsafe { V::unequal(&a.map(|meeting| meeting.0), &b.map(|meeting| meeting.0)) };
            let same = (unequal | 1 << STEP).trailing_zeros() as usize;
            (i, j) = (i + same, j + same);
            if same < STEP {
                break;
            }
        }
        if i >= old.len() || j >= new.len() {
            gone.extend_from_slice(&old[i..]);
            come.extend_from_slice(&new[j..]);
            return;
        }
        // One of each, whether they differ or not. Without a branch: which of the two comes first is anyone's guess.
        let (a, b) = (old[i], new[j]);
        let (is_a, is_b) = (a.key() <= b.key(), b.key() <= a.key());
        let both = if is_a & is_b { 0xffff } else { 0 };
        push(gone, Meeting(a.0 & !(b.0 & both)), is_a);
        push(come, Meeting(b.0 & !(a.0 & both)), is_b);
        (i, j) = (i + usize::from(is_a), j + usize::from(is_b));
    }
}

/// Appends it if it is there and has others.
#[inline(always)]
fn push(list: &mut Vec<Meeting>, meeting: Meeting, is_there: bool) {
    list.reserve(1);
    let len = list.len();
    // SAFETY: room was made for one more, which is written before it may count.
    unsafe {
        list.as_mut_ptr().add(len).write(meeting);
        list.set_len(len + usize::from(is_there & (meeting.0 as u16 != 0)));
    }
}
