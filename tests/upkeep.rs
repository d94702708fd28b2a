//! Giving space back, and checking whether a file is sound.

mod support;

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::thread;

use support::entry::{Entry, entry};
use support::{Dir, TestResult, kind};
use vellum::{Database, ErrorKind, Options};

#[test]
fn a_file_shrinks_and_everything_still_reads() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    let (files, entries) = (db.files(), db.collection::<Entry>()?);
    entries.ensure_indexes()?;
    for i in 0..20 {
        files.write(&format!("/{i}"), vec![i; 1_000_000])?;
    }
    entries.insert_batch((0..10_000).map(|n| entry("a", n)))?;
    let by = db.compile(|q, (n,)| q.from::<Entry>().filter(|e| e.n.ge(n)).count())?;
    assert_eq!(by.call(5_000)?, 5_000);
    let reader = files.open("/1")?;
    db.vacuum()?;
    let full = fs::metadata(&path)?.len();
    assert!(full > 20_000_000, "{full}");

    (2..20).try_for_each(|i| files.delete(&format!("/{i}")).map(drop))?;
    entries.delete_many(|e| e.n.lt(9_000))?;
    assert_eq!(fs::metadata(&path)?.len(), full, "free pages stay");
    db.vacuum()?;
    let left = fs::metadata(&path)?.len();
    assert!(left < 3_000_000, "{left}");
    assert_eq!(fs::metadata(dir.file("app.db-wal"))?.len(), 0);

    assert_eq!(files.read("/0")?, vec![0; 1_000_000]);
    let mut out = vec![9; 1_000_000];
    assert_eq!(reader.read_at(0, &mut out)?, 1_000_000);
    assert_eq!(out, vec![1; 1_000_000]);
    assert_eq!(by.call(5_000)?, 1_000);
    let next = entries.insert(entry("a", 10_000))?;
    assert_eq!(next, 10_001, "no key is given twice");
    files.write("/2", "new")?;
    assert_eq!(db.check()?, Vec::<String>::new());
    drop((db, files, entries, by, reader));
    let again = Database::open(&path)?;
    assert_eq!(again.files().read("/2")?, b"new");
    assert_eq!(again.collection::<Entry>()?.count()?, 1_001);
    Ok(())
}

#[test]
fn a_snapshot_keeps_its_moment_through_it() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Options::new().busy_timeout(std::time::Duration::from_millis(50)).open(&path)?;
    db.files().write("/a", vec![7; 5_000_000])?;
    let before = db.snapshot()?;
    assert_eq!(before.files().read_at("/a", 0, &mut [0; 10])?, 10);
    db.files().delete("/a")?;
    db.vacuum()?;
    assert_eq!(before.files().read("/a")?, vec![7; 5_000_000]);
    assert!(
        fs::metadata(&path)?.len() > 5_000_000 || fs::metadata(dir.file("app.db-wal"))?.len() > 5_000_000
    );
    drop(before);
    db.vacuum()?;
    assert!(fs::metadata(&path)?.len() < 1_000_000);
    Ok(())
}

#[test]
fn a_thread_does_not_wait_for_its_own_transaction() -> TestResult {
    let db = Database::open_in_memory()?;
    let tx = db.begin()?;
    assert_eq!(kind(db.vacuum()), Some(ErrorKind::WrongTarget));
    tx.files().write("/a", "bytes")?;
    let waited = thread::scope(|scope| {
        let vacuum = scope.spawn(|| db.vacuum());
        thread::sleep(std::time::Duration::from_millis(50));
        tx.commit().and_then(|()| vacuum.join().expect("no panic"))
    });
    waited?;
    assert_eq!(db.files().read("/a")?, b"bytes");
    Ok(())
}

#[test]
fn a_handle_for_reading_gives_nothing_back() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    drop(Database::open(&path)?);
    let reader = Options::new().read_only().open(&path)?;
    assert_eq!(kind(reader.vacuum()), Some(ErrorKind::ReadOnly));
    assert_eq!(reader.check()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn damage_is_told() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    db.files().write("/a", vec![7; 1_000_000])?;
    db.vacuum()?;
    drop(db);
    let mut file = fs::OpenOptions::new().write(true).open(&path)?;
    file.seek(SeekFrom::Start(8_192 * 60))?;
    file.write_all(&[0xFF; 64])?;
    drop(file);
    let db = Options::new().read_only().open(&path)?;
    match db.check() {
        Ok(problems) => assert!(!problems.is_empty()),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt),
    }
    Ok(())
}

#[test]
fn what_a_stranger_left_without_its_file_is_told() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    db.files().write("/a", "bytes")?;
    let stranger = rusqlite::Connection::open(&path)?;
    stranger.execute("UPDATE vellum_entry SET length = 3 WHERE name = 'a'", [])?;
    assert_eq!(db.check()?, ["/a: bytes are stored past its end"]);
    Ok(())
}
