//! Dealing boxes into buckets: columns, or bins of columns. Counted first, then copied.
//!
//! Nearly every box lies in one column, or in two or four that touch. Which of these would be guessed wrong again and
//! again, so nothing branches on it: every box is dealt into the column it begins in, and lists are made of those that
//! reach into the next, a register of boxes at a time, to be dealt in loops of their own.

use super::cells::CellGrid;
use super::lanes::Vector;
use super::records::{HOME, HOME_A, HOME_B, PADDING, Record};
use super::scalar::Scalar;

/// What is dealt, and how far apart buckets are.
#[derive(Clone, Copy)]
pub(crate) struct Dealing<'a> {
    /// Six numbers of a box at the start of each `stride` of them: six, or eight where they are records.
    pub(crate) numbers: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) grid: &'a CellGrid,
    /// The axes of the columns, and the one of the bins.
    pub(crate) across: [usize; 2],
    pub(crate) along: usize,
    pub(crate) steps: Steps,
    /// Treat all boxes as wide?
    pub(crate) all_wide: bool,
}

/// From cells to buckets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    /// Buckets from a column to the next on the first axis, and on the second.
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// And from a bin to the next: 1, or 0 where all bins of a column share a bucket.
    pub(crate) bin: u32,
    /// How many buckets there are. The next one is for what is in none of them.
    pub(crate) buckets: u32,
}

/// Where boxes are. In all lists of indices: of boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spots {
    /// Per box, the bucket it begins in, and the tail of its record there.
    buckets: Vec<u32>,
    tails: Vec<u32>,
    /// Those that reach into the next column on the first axis, on the second, on both.
    a: Vec<u32>,
    b: Vec<u32>,
    both: Vec<u32>,
    /// Those that reach further, and free slots. They are left to the caller.
    pub(crate) wide: Vec<u32>,
}

impl Spots {
    pub(crate) fn len(&self) -> usize {
        self.buckets.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        let Self { buckets, tails, a, b, both, wide } = self;
        [buckets, tails, a, b, both, wide].iter().map(|list| list.capacity() * size_of::<u32>()).sum()
    }

    fn lists(&mut self) -> [&mut Vec<u32>; 6] {
        let Self { buckets, tails, a, b, both, wide } = self;
        [buckets, tails, a, b, both, wide]
    }
}

impl Dealing<'_> {
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() / self.stride
    }

    /// The numbers of a box.
    #[inline(always)]
    pub(crate) fn six(&self, index: usize) -> &[f32; 6] {
        self.numbers[index * self.stride..].first_chunk().expect("a stride has six numbers")
    }

    /// Where pairs of a box may be reported at all: records come from a column already.
    #[inline(always)]
    pub(crate) fn home(&self, index: usize) -> u32 {
        if self.stride < 8 { HOME } else { self.numbers[index * self.stride + 7].to_bits() & HOME }
    }
}

/// See [`crate::Lanes::count`].
#[inline(always)]
pub(super) fn count<V: Vector>(dealing: &Dealing<'_>, spots: &mut Spots, ends: &mut [u32]) {
    const { assert!(V::WIDTH <= PADDING) };
    let Dealing { numbers, stride, steps, .. } = *dealing;
    let len = dealing.len();
    assert!(stride == 6 || stride == 8);
    for list in spots.lists() {
        list.clear();
        // Whole registers are written.
        list.reserve(len + PADDING);
    }
    let mut index = 0;
    while index < len {
        if (index + V::WIDTH - 1) * stride + 8 <= numbers.len() {
            // SAFETY: the dispatcher runs this instantiation only where its instructions exist; there is room in the
            // lists, and there are eight numbers for every box of the register.
            unsafe { locate::<V>(dealing, index, spots) };
            index += V::WIDTH;
        } else {
            // SAFETY: needs no instructions, and checks its bounds; there is room in the lists.
            unsafe { locate::<Scalar>(dealing, index, spots) };
            index += 1;
        }
    }
    if stride == 8 {
        for (index, tail) in spots.tails.iter_mut().enumerate() {
            *tail &= dealing.home(index) | !HOME;
        }
    }
    let counts = &mut ends[1..];
    for &bucket in &spots.buckets {
        counts[bucket as usize] += 1;
    }
    for (list, step) in [(&spots.a, steps.a), (&spots.b, steps.b), (&spots.both, steps.a + steps.b)] {
        for &index in list {
            counts[(spots.buckets[index as usize] + step) as usize] += 1;
        }
    }
}

/// Where a register of boxes is.
///
/// # Safety
/// The machine must have the instructions, there must be eight numbers for each of the boxes, and room for a register
/// in each of the lists.
#[inline(always)]
unsafe fn locate<V: Vector>(dealing: &Dealing<'_>, index: usize, spots: &mut Spots) {
    let Spots { buckets, tails, a, b, both, wide } = spots;
    // SAFETY: the caller has the instructions, the numbers and the room.
    unsafe {
        let block = V::load_boxes(dealing.numbers, index * dealing.stride, dealing.stride);
        let (to_buckets, to_tails) = (buckets.as_mut_ptr().add(index), tails.as_mut_ptr().add(index));
        let [in_a, in_b, in_wide] = V::locate(&block, dealing, to_buckets, to_tails);
        buckets.set_len(index + V::WIDTH);
        tails.set_len(index + V::WIDTH);
        push::<V>(a, index, in_a);
        push::<V>(b, index, in_b);
        push::<V>(both, index, in_a & in_b);
        push::<V>(wide, index, in_wide);
    }
}

/// Appends the indices in a mask.
#[inline(always)]
unsafe fn push<V: Vector>(list: &mut Vec<u32>, index: usize, mask: u32) {
    let len = list.len();
    // SAFETY: the caller has the instructions and the room.
    unsafe {
        V::store_positions(index as u32, mask, list.as_mut_ptr().add(len));
        list.set_len(len + mask.count_ones() as usize);
    }
}

/// See [`crate::Lanes::deal`].
#[inline(always)]
pub(super) fn deal<V: Vector>(
    dealing: &Dealing<'_>,
    keys: &[u32],
    spots: &Spots,
    ends: &mut [u32],
    records: &mut [Record],
) {
    let Dealing { steps, .. } = *dealing;
    let Spots { buckets, tails, a, b, both, .. } = spots;
    assert!(keys.len() == buckets.len() && tails.len() == buckets.len() && buckets.len() == dealing.len());
    for (index, ((&bucket, &tail), &key)) in buckets.iter().zip(tails).zip(keys).enumerate() {
        put::<V>(dealing, index, key, tail, bucket, ends, records);
    }
    for (list, step, home) in [(a, steps.a, HOME_B), (b, steps.b, HOME_A), (both, steps.a + steps.b, 0)] {
        for &index in list {
            let index = index as usize;
            let tail = tails[index] & (home | !HOME);
            put::<V>(dealing, index, keys[index], tail, buckets[index] + step, ends, records);
        }
    }
}

#[inline(always)]
fn put<V: Vector>(
    dealing: &Dealing<'_>,
    index: usize,
    key: u32,
    tail: u32,
    bucket: u32,
    ends: &mut [u32],
    records: &mut [Record],
) {
    let (numbers, at) = (dealing.numbers, index * dealing.stride);
    let end = &mut ends[bucket as usize];
    let record: *mut Record = &mut records[*end as usize];
    *end += 1;
    prefetch(record.wrapping_add(AHEAD));
    if at + 8 <= numbers.len() {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; eight numbers are there.
        unsafe { V::write_record(numbers, at, key, tail, record) };
    } else {
        // SAFETY: needs no instructions, and checks its bounds.
        unsafe { Scalar::write_record(numbers, at, key, tail, record) };
    }
}

/// Records that a bucket's memory is asked for ahead of writing, a line or two: with hundreds of buckets being written to,
/// the machine does not see by itself that each of them goes on where it ended.
const AHEAD: usize = 3;

/// Asks for memory that will be written to soon. The address may be anything.
#[inline(always)]
fn prefetch(record: *const Record) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this architecture has the instruction; it may be given any address, and changes
        // nothing but what is in the caches.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(record.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = record;
}

/// See [`crate::Lanes::count_bins`].
#[inline(always)]
pub(super) fn count_bins<V: Vector>(records: &[Record], ends: &mut [u32]) {
    for record in records {
        ends[record.first_bin() + 1] += 1;
    }
}

/// See [`crate::Lanes::copy_bins`].
#[inline(always)]
pub(super) fn copy_bins<V: Vector>(from: &[Record], ends: &mut [u32], to: &mut [Record]) {
    for record in from {
        let end = &mut ends[record.first_bin()];
        to[*end as usize] = *record;
        *end += 1;
    }
}
