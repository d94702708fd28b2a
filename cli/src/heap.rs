//! An allocator that can tell how much a piece of work allocates at its peak.
//!
//! It hands everything to the system's allocator and counts only inside [`peak_during`], so that the times measured
//! outside are not its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

static COUNTS: AtomicBool = AtomicBool::new(false);
static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);
static PEAK_BYTES: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, counted.
#[derive(Debug)]
pub(crate) struct Counting;

/// Runs `work` and returns, with its result, by how many bytes the heap of the whole process grew at most.
pub(crate) fn peak_during<T>(work: impl FnOnce() -> T) -> (T, u64) {
    LIVE_BYTES.store(0, Relaxed);
    PEAK_BYTES.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    let result = work();
    COUNTS.store(false, Relaxed);
    (result, PEAK_BYTES.load(Relaxed).max(0).cast_unsigned() as u64)
}

fn count(change: isize) {
    if COUNTS.load(Relaxed) {
        let live = LIVE_BYTES.fetch_add(change, Relaxed) + change;
        PEAK_BYTES.fetch_max(live, Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator is an unsafe trait; every call is handed on unchanged")]
// SAFETY: `System` keeps the contract, and each method passes its arguments and result through as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `dealloc`, and the block is one of `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_len: usize) -> *mut u8 {
        count(new_len.cast_signed() - layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `realloc`, and the block is one of `System`.
        unsafe { System.realloc(block, layout, new_len) }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    // One test, since the counters belong to the process; other threads may allocate a little meanwhile.
    #[test]
    fn the_peak_is_what_was_alive_at_once() {
        const LEN: usize = 64 << 20;
        let ((), peak) = peak_during(|| {
            for _ in 0..4 {
                black_box(vec![1_u8; LEN]);
            }
        });
        assert!((LEN..LEN + LEN / 2).contains(&(peak as usize)), "{peak}");
        let (kept, peak) = peak_during(|| black_box([vec![1_u8; LEN], vec![1_u8; LEN]]));
        assert!((2 * LEN..2 * LEN + LEN / 2).contains(&(peak as usize)), "{peak}");
        drop(kept);
    }
}
