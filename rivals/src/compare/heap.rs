//! Live bytes on the heap of the whole process, C++ libraries included, as the C library counts them.

/// `None` where the C library does not count.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn live_bytes() -> Option<i64> {
    // SAFETY: only reads the allocator's books.
    let books = unsafe { libc::mallinfo2() };
    Some((books.uordblks + books.hblkhd) as i64)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn live_bytes() -> Option<i64> {
    None
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_counted() {
        let before = live_bytes().unwrap();
        let block = std::hint::black_box(vec![1u8; 10 << 20]);
        let grown = live_bytes().unwrap() - before;
        assert!(((10 << 20)..(11 << 20)).contains(&grown), "{grown}");
        drop(block);
    }
}
