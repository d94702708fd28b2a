//! Files at the limits: of their length, of memory, of what a directory holds.

mod support;

use std::io::{self, Seek, SeekFrom, Write};

use support::{Dir, TestResult};
use vellum::{Database, ErrorKind};

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
