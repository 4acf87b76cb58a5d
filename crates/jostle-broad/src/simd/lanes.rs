//! What a kernel may ask of a vector register.

use super::deal::Dealing;
use super::past::LINE;
use super::records::Record;
use crate::Aabb;

/// A register of `WIDTH` numbers of 32 bits. Comparisons are false for NaN.
///
/// # Safety
/// The methods of an implementation execute its instruction set: they may be called only where the machine has it,
/// which the dispatcher in the parent module ensures. Loads read `WIDTH` numbers from a slice that holds as many, which
/// debug builds check.
pub(super) unsafe trait Vector: Copy {
    /// Lanes in the register, at most 16.
    const WIDTH: usize;

    /// The same number in every lane.
    unsafe fn splat(value: f32) -> Self;

    /// The numbers `from[at..at + WIDTH]`.
    unsafe fn load(from: &[f32], at: usize) -> Self;

    /// Writes the numbers to `to[at..at + WIDTH]`.
    unsafe fn store(self, to: &mut [f32], at: usize);

    /// The smaller number of each lane; where `self` is NaN, the other one.
    unsafe fn lesser(self, other: Self) -> Self;

    /// The larger number of each lane; where `self` is NaN, the other one.
    unsafe fn greater(self, other: Self) -> Self;

    /// The smallest number of each of the first three registers, and the largest of each of the others. None is NaN.
    unsafe fn span(least: [Self; 3], most: [Self; 3]) -> Aabb;

    /// One truth value a lane, in whatever form the instruction set compares into.
    type Mask: Copy;

    /// Lanes in which `self <= other`.
    unsafe fn le(self, other: Self) -> Self::Mask;

    /// Lanes that are in both.
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// The mask as bits.
    unsafe fn bits(mask: Self::Mask) -> u32;

    /// A bit for each word that is not the same.
    unsafe fn unequal(a: &[u64; 8], b: &[u64; 8]) -> u32;

    /// Writes `base + lane` for every lane in the mask, side by side. May write up to `WIDTH` numbers in all.
    unsafe fn store_positions(base: u32, mask: u32, to: *mut u32);

    /// `WIDTH` boxes, one register for each of their six numbers. Each box begins `stride` numbers after the one before;
    /// eight are read.
    unsafe fn load_boxes(numbers: &[f32], at: usize, stride: usize) -> [Self; 6];

    /// The boxes of the first `WIDTH` slots, one register for each of their six numbers. Each box must be there and be
    /// followed by two more numbers: eight are read.
    unsafe fn load_boxes_of(numbers: &[f32], slots: &[u32]) -> [Self; 6];

    /// Writes for each box the bucket it begins in, and the tail of its record there. Returns the sets of those that reach
    /// into the next column on the first and on the second axis; and of those that are wide, in neither of these, whose
    /// bucket is the one after all others.
    unsafe fn locate(
        block: &[Self; 6],
        dealing: &Dealing<'_>,
        buckets: *mut u32,
        tails: *mut u32,
    ) -> [u32; 3];

    /// Writes the record of the box whose six numbers begin at `at`; eight are read.
    unsafe fn write_record(numbers: &[f32], at: usize, key: u32, tail: u32, to: *mut Record);

    /// `WIDTH` records from position `at` on: one register for each of the six numbers of their boxes, and the sets of
    /// those that are at home on the first and on the second axis of the columns.
    unsafe fn load_records(records: &[Record], at: usize) -> ([Self; 6], [u32; 2]);

    /// Which boxes of a register overlap a box.
    #[inline(always)]
    unsafe fn overlaps(block: &[Self; 6], aabb: &Aabb) -> u32 {
        // SAFETY: the caller has the instructions.
        unsafe {
            let x = Self::both(block[0].le(Self::splat(aabb.max.x)), Self::splat(aabb.min.x).le(block[3]));
            let y = Self::both(block[1].le(Self::splat(aabb.max.y)), Self::splat(aabb.min.y).le(block[4]));
            let z = Self::both(block[2].le(Self::splat(aabb.max.z)), Self::splat(aabb.min.z).le(block[5]));
            Self::bits(Self::both(x, Self::both(y, z)))
        }
    }

    /// Asks for memory that will be read soon. The address need not be valid.
    unsafe fn prefetch(from: *const Aabb);

    /// The same of memory that is not read again for a long time: other memory is to stay in the caches.
    unsafe fn prefetch_once(from: *const Aabb);

    /// Writes a line of memory, past the caches where that can be had. It begins at a multiple of its 64 bytes, and nobody touches
    /// it before [`Vector::end_lines`].
    unsafe fn write_line(line: &[f32; LINE], to: &mut [f32; LINE]);

    /// From now on lines that were written are as what is written otherwise.
    unsafe fn end_lines();
}
