//! Sorting by whole registers: plain keys (`keys.rs`), and endpoints.
//!
//! The vectorised insertion sort of endpoints: values with tags, in two arrays (seed 000, sections 4.2.2 and 4.2.3).
//!
//! The order is by value, then by tag as a signed number, so that equal values are no special case: the seed loses ids
//! where values tie. Whole registers take the place of single numbers. Two registers are split into the lower and the
//! upper half of their endpoints (inter-vector), and each half is sorted within its register (intra-vector). The seed
//! splits once per lane, rotating by one lane in between, because its registers are sorted inside only at the very end;
//! here they always are, and one split against the reversed register does the same (Batcher, 'Sorting networks and
//! their applications', 1968).

mod buckets;
mod few;
mod keys;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(crate) use buckets::Cut;
pub(super) use buckets::{deal_keys, sort_buckets};
pub(crate) use few::Unpacking;
pub(super) use few::sort_into_pairs;
pub(super) use keys::sort_keys;
pub(crate) use keys::{KeyBlock, MOST_KEYS};

use keys::KeyVector;

use super::lanes::Vector;

/// A [`Vector`] whose instruction set also has registers to sort.
pub(super) trait Sorting: Vector {
    /// A register of endpoints.
    type Endpoints: EndpointVector;
    /// A register of plain numbers.
    type Keys: KeyVector;
}

/// A register whose lanes can be sorted, among themselves and against those of another.
///
/// # Safety
/// The methods of an implementation execute its instruction set: they may be called only where the machine has it.
pub(super) unsafe trait SortingNetwork: Copy {
    /// Lanes in the register: a power of two, at most 16.
    const WIDTH: usize;

    /// Lane by lane, the one that comes first and the one that comes last.
    unsafe fn split(self, other: Self) -> (Self, Self);

    /// The lanes in opposite order.
    unsafe fn reverse(self) -> Self;

    /// Compares lanes `i` and `i ^ FLIP` and puts the one that comes first into the lower lane.
    unsafe fn exchange<const FLIP: usize>(self) -> Self;

    /// The intra-vector sort, of lanes in any order.
    #[inline(always)]
    unsafe fn sort(self) -> Self {
        let mut registers = [self];
        // SAFETY: the caller has the instruction set.
        unsafe { Self::sort_each(&mut registers) };
        registers[0]
    }

    /// The intra-vector sort, of lanes that a split left: rising, then falling, or the other way round.
    #[inline(always)]
    unsafe fn sort_split(self) -> Self {
        let mut registers = [self];
        // SAFETY: the caller has the instruction set.
        unsafe { Self::sort_each_split(&mut registers) };
        registers[0]
    }

    /// [`Self::sort`] for several registers, step by step for all: each step waits for the one before it, but those of
    /// other registers need not.
    #[inline(always)]
    unsafe fn sort_each(registers: &mut [Self]) {
        // SAFETY: the caller has the instruction set.
        unsafe {
            if Self::WIDTH >= 2 {
                Self::exchange_each::<1>(registers);
            }
            if Self::WIDTH >= 4 {
                Self::exchange_each::<3>(registers);
                Self::exchange_each::<1>(registers);
            }
            if Self::WIDTH >= 8 {
                Self::exchange_each::<7>(registers);
                Self::exchange_each::<2>(registers);
                Self::exchange_each::<1>(registers);
            }
            if Self::WIDTH >= 16 {
                Self::exchange_each::<15>(registers);
                Self::exchange_each::<4>(registers);
                Self::exchange_each::<2>(registers);
                Self::exchange_each::<1>(registers);
            }
        }
    }

    /// [`Self::sort_split`] for several registers.
    #[inline(always)]
    unsafe fn sort_each_split(registers: &mut [Self]) {
        // SAFETY: the caller has the instruction set.
        unsafe {
            if Self::WIDTH >= 16 {
                Self::exchange_each::<8>(registers);
            }
            if Self::WIDTH >= 8 {
                Self::exchange_each::<4>(registers);
            }
            if Self::WIDTH >= 4 {
                Self::exchange_each::<2>(registers);
            }
            if Self::WIDTH >= 2 {
                Self::exchange_each::<1>(registers);
            }
        }
    }

    #[inline(always)]
    unsafe fn exchange_each<const FLIP: usize>(registers: &mut [Self]) {
        for register in registers {
            // SAFETY: the caller has the instruction set.
            *register = unsafe { register.exchange::<FLIP>() };
        }
    }
}

/// A register of values and a register of tags, lane by lane an endpoint. No value is NaN.
///
/// # Safety
/// As for [`SortingNetwork`]. Loads and stores touch `WIDTH` numbers of slices that hold as many, which debug builds check.
pub(super) unsafe trait EndpointVector: SortingNetwork {
    /// The endpoints `at..at + WIDTH`.
    unsafe fn load(values: &[f32], tags: &[u32], at: usize) -> Self;

    /// Writes the endpoints to `at..at + WIDTH`.
    unsafe fn store(self, values: &mut [f32], tags: &mut [u32], at: usize);

    /// Does any lane come after the same lane of the other register?
    unsafe fn any_after(self, other: Self) -> bool;
}

/// See [`crate::Lanes::insertion_sort`].
#[inline(always)]
pub(super) fn insertion_sort<V: Sorting>(values: &mut [f32], tags: &mut [u32], steps: usize) -> bool {
    let width = <V::Endpoints as SortingNetwork>::WIDTH;
    assert!(values.len() == tags.len() && values.len().is_multiple_of(width));
    let allowed = steps.saturating_mul(values.len() / width);
    let mut made = 0;
    let mut start = 0;
    while start < values.len() {
        // SAFETY: the dispatcher runs this instantiation only where its instructions exist; the arrays are of equal
        // length, a multiple of the width, so that a whole register lies at every multiple of the width.
        unsafe {
            // Against the same lanes one further left: nothing to do where each comes after its neighbour.
            let in_place = start > 0
                && !V::Endpoints::load(values, tags, start - 1)
                    .any_after(V::Endpoints::load(values, tags, start));
            if !in_place {
                let mut moving = V::Endpoints::load(values, tags, start).sort();
                let mut at = start;
                while at > 0 && made <= allowed {
                    let below = V::Endpoints::load(values, tags, at - width);
                    // Both are sorted: the order of the registers hangs on the last and the first lane alone.
                    if !below.any_after(moving.reverse()) {
                        break;
                    }
                    let (lower, upper) = below.split(moving.reverse());
                    upper.sort_split().store(values, tags, at);
                    moving = lower.sort_split();
                    at -= width;
                    made += 1;
                }
                moving.store(values, tags, at);
                if made > allowed {
                    return false;
                }
            }
        }
        start += width;
    }
    true
}
