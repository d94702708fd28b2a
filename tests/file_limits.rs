//! Files at the limits: of their length, of memory, of what a directory holds.

mod support;

use std::io::{self, Seek, SeekFrom, Write};
use std::time::Instant;

use support::{Dir, TestResult};
use vellum::{Database, ErrorKind, FileOrder};

/// The bytes that a file may have.
const MAX_LEN: u64 = 8 << 40;

/// In a file with small pages, the last chunk of the longest file has the last number that there is.
#[test]
fn a_cut_of_the_longest_file_of_a_database_with_small_pages_keeps_what_is_before_it() -> TestResult {
    const CHUNK: u64 = 512 - 64;
    const LONGEST: u64 = CHUNK << 31;
    let dir = Dir::new()?;
    let path = dir.file("it.db");
    rusqlite::Connection::open(&path)?
        .execute_batch("PRAGMA page_size = 512; CREATE TABLE t(x); DROP TABLE t; VACUUM")?;
    let db = Database::open(&path)?;
    let files = db.files();
    files.write("/a", "the first bytes")?;
    files.write("/b", "its neighbour")?;
    assert_eq!(files.set_len("/a", LONGEST + 1).map_err(|error| error.kind()), Err(ErrorKind::TooLarge));
    files.set_len("/a", LONGEST)?;
    for cut in [1, CHUNK, CHUNK + 1] {
        files.write_at("/a", LONGEST - CHUNK - 2, [7; CHUNK as usize + 2])?;
        files.set_len("/a", LONGEST - cut)?;
        let mut out = [0; 20];
        assert_eq!(files.read_at("/a", LONGEST - CHUNK - 2, &mut out)? as u64, (CHUNK + 2 - cut).min(20));
        assert_eq!((files.read_at("/a", 0, &mut out)?, &out[..15]), (20, &b"the first bytes"[..]));
        assert_eq!(files.read("/b")?, b"its neighbour");
        assert_eq!(files.check()?, []);
    }
    files.punch_hole("/a", 15, u64::MAX)?;
    assert_eq!((files.stat("/a")?.length, files.stat("/a")?.allocated), (LONGEST - CHUNK - 1, 15));
    Ok(())
}

#[test]
fn a_stream_past_the_longest_length_is_refused_at_once_and_its_handle_goes_on() -> TestResult {
    let db = Database::open_in_memory()?;
    let mut file = db.files().create("/a")?;
    file.write_all(b"abc")?;
    file.seek(SeekFrom::Start(MAX_LEN - 1))?;
    assert_eq!(file.write(b"xy").map_err(|error| error.kind()), Err(io::ErrorKind::FileTooLarge));
    file.write_all(b"z")?;
    file.flush()?;
    assert_eq!(file.length()?, MAX_LEN);
    file.set_len(3)?;
    drop(file);
    assert_eq!(db.files().read("/a")?, b"abc");
    Ok(())
}

#[test]
fn a_file_that_memory_cannot_hold_is_refused_whole_and_read_in_parts() -> TestResult {
    const OVERCOMMIT: &str = "/proc/sys/vm/overcommit_memory";
    if std::fs::read_to_string(OVERCOMMIT).is_ok_and(|policy| policy.trim() == "1") {
        eprintln!("skipped: this system promises memory that it does not have");
        return Ok(());
    }
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write_at("/a", MAX_LEN - 1, "x")?;
    let error = files.read("/a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "`/a` has 8796093022208 bytes, more than there is memory for: open it, and read parts"
    );
    let mut out = [9; 3];
    assert_eq!((files.open("/a")?.read_at(MAX_LEN - 3, &mut out)?, &out), (3, b"\0\0x"));
    Ok(())
}

#[test]
fn the_deepest_path_is_made_walked_copied_and_deleted_on_an_ordinary_stack() -> TestResult {
    const DEPTH: usize = 2_048;
    let db = Database::open_in_memory()?;
    let files = db.files();
    let deepest = "/d".repeat(DEPTH);
    assert_eq!(
        files.write(&format!("{deepest}/"), "x").map_err(|error| error.kind()),
        Err(ErrorKind::InvalidQuery)
    );
    files.write(&deepest, "deep")?;
    assert_eq!(files.read(&deepest)?, b"deep");
    assert_eq!(files.list("/").recursive().count()?, DEPTH as u64);
    files.copy("/d", "/e")?;
    assert_eq!(files.read(&format!("/e{}", &deepest[2..]))?, b"deep");
    // A path is not stored, so that a tree can be moved to where paths are too long; it is found again by moving it back.
    files.rename("/e", &format!("{}/e", "/d".repeat(DEPTH - 2)))?;
    assert_eq!(files.usage("/")?.files, 2);
    assert_eq!(files.check()?, []);
    files.rename(&format!("{}/e", "/d".repeat(DEPTH - 2)), "/f")?;
    assert_eq!(files.read(&format!("/f{}", &deepest[2..]))?, b"deep");
    assert_eq!((files.delete_all("/d")?, files.delete_all("/f")?), (DEPTH as u64, DEPTH as u64));
    Ok(())
}

#[test]
fn a_directory_of_many_files_is_paged_and_deleted_in_time() -> TestResult {
    const FILES: u64 = 100_000;
    let db = Database::open_in_memory()?;
    let files = db.files();
    let (made, seconds) = timed(|| {
        db.transaction(|tx| {
            let files = tx.files();
            (0..FILES).try_for_each(|i| files.write(&format!("/many/{i:06}"), [i as u8; 10]))
        })
    });
    made?;
    println!("{FILES} files were made in {seconds:.2} s");
    for at in [0, FILES / 2, FILES - 200] {
        let last = files.list("/many").glob(&format!("{at:06}")).limit(1).to_vec()?.remove(0);
        let (page, seconds) = timed(|| files.list("/many").after(&last).limit(100).to_vec());
        assert_eq!(page?.last().map(|entry| entry.path.clone()), Some(format!("/many/{:06}", at + 100)));
        println!("the page behind {at} took {:.3} ms", seconds * 1e3);
        assert!(seconds < 0.2, "a page of 100 took {seconds} s");
    }
    for order in [FileOrder::Length, FileOrder::Created, FileOrder::Modified] {
        let (page, seconds) = timed(|| files.list("/many").order_by(order).limit(100).to_vec());
        assert_eq!(page?.len(), 100);
        println!("the first page by {order:?} took {:.3} ms", seconds * 1e3);
    }
    let (deleted, seconds) = timed(|| files.delete_all("/many"));
    assert_eq!(deleted?, FILES + 1);
    println!("they were deleted in {seconds:.2} s");
    assert_eq!(files.check()?, []);
    Ok(())
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = f();
    (result, begin.elapsed().as_secs_f64())
}
