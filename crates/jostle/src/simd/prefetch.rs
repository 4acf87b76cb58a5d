//! Asking for memory before it is read.

/// Asks for the memory of a value that will be read soon. Nothing else happens; where there is no such instruction, nothing
/// at all.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: the instruction is part of every x86-64, reads nothing a program could see, and never faults; the
            // address is that of a byte of the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line * LINE)) };
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = value;
}
