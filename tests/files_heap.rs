//! How much of the heap an upload and an import take: no more for a long file than for a short one.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{Dir, TestResult};
use vellum::Database;

/// Counts what is allocated by Rust; SQLite has its own.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator is unsafe")]
// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test counts at a time.
static TURN: Mutex<()> = Mutex::new(());

const LEN: u64 = 96 << 20;
const MOST: usize = 8 << 20;

/// Returns the greatest number of bytes that were held at once while `run` ran, beside those held before.
fn peak(run: impl FnOnce() -> TestResult) -> Result<usize, Box<dyn std::error::Error>> {
    let _turn = TURN.lock().map_err(|_| "another test panicked")?;
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run()?;
    Ok(PEAK.load(Ordering::Relaxed) - before)
}

fn long() -> io::Take<io::Repeat> {
    io::repeat(0x5A).take(LEN)
}

#[test]
fn a_long_stream_is_uploaded_in_little_memory() -> TestResult {
    let dir = Dir::new()?;
    let files = Database::open(dir.file("app.db"))?.files();
    let peak = peak(|| Ok(files.write_from("/long", long()).map(drop)?))?;
    assert_eq!(files.stat("/long")?.length, LEN);
    assert!(peak < MOST, "{peak} bytes");
    Ok(())
}

#[test]
fn a_long_file_is_imported_and_exported_in_little_memory() -> TestResult {
    let dir = Dir::new()?;
    let mut file = File::create(dir.file("long"))?;
    io::copy(&mut long(), &mut file)?;
    file.flush()?;
    let files = Database::open(dir.file("app.db"))?.files();
    let peak = peak(|| {
        files.import(dir.file("long"), "/long").run()?;
        files.export("/long", dir.file("again")).run()?;
        Ok(())
    })?;
    assert_eq!(dir.file("again").metadata()?.len(), LEN);
    assert!(peak < MOST, "{peak} bytes");
    Ok(())
}
