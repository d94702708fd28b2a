//! Files that many threads and several processes write, edit, move and read at once.

mod support;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use support::{Dir, TestResult, child, fails, stranger, together};
use vellum::{Database, ErrorKind, Files, Options};

const PROCESSES: usize = 4;
const THREADS: usize = 4;
const WORKERS: usize = PROCESSES * THREADS;
const ROUNDS: u64 = 5;

/// What each worker has of the shared file. It is no multiple of a chunk, so that neighbours share chunks.
const REGION: usize = 9_001;

/// More than what is staged at once.
const STREAM: usize = (2 << 20) + 5_000;

/// A database whose writers wait for one another as long as it takes.
fn open(file: &Path) -> vellum::Result<Database> {
    Options::new().busy_timeout(Duration::from_secs(60)).open(file)
}

/// A byte that no other worker writes in that round.
fn mark(worker: usize, round: u64) -> u8 {
    (worker * ROUNDS as usize + round as usize) as u8
}

/// Works on files of its own, and on those that are everybody's.
fn work(db: &Database, worker: usize) -> vellum::Result<()> {
    let files = db.files();
    let mut own: Vec<u8> = Vec::new();
    let mut path = format!("/own/{worker}");
    for round in 0..ROUNDS {
        let byte = mark(worker, round);
        edit_own(&files, &path, &mut own, byte)?;
        let moved = format!("/moved {}/{worker}", round % 2);
        files.rename(&path, &moved)?;
        path = moved;
        assert!(files.read(&path)? == own, "{path} of worker {worker} in round {round}");

        files.write_at("/shared", (worker * REGION) as u64, [byte; REGION])?;
        files.append("/log", format!("{worker} {round}\n"))?;
        if round == worker as u64 % ROUNDS {
            files.write_from("/stream", &*vec![byte; STREAM])?;
        }
        shuttle(&files)?;
        look(&files)?;
    }
    Ok(())
}

fn edit_own(files: &Files<'_>, path: &str, own: &mut Vec<u8>, byte: u8) -> vellum::Result<()> {
    let at = usize::from(byte) * 97;
    own.resize(own.len().max(at + 9_000), 0);
    own.splice(at..at + 9_000, [byte; 9_000]);
    if own.len() > 9_100 {
        own.truncate(own.len() - 57);
    }
    files.write_at(path, at as u64, [byte; 9_000])?;
    if own.len() > 9_043 {
        files.set_len(path, own.len() as u64)?;
    }
    Ok(())
}

/// Moves a tree that others move, too: who comes too late is told so.
fn shuttle(files: &Files<'_>) -> vellum::Result<()> {
    for (from, to) in [("/here/tree", "/there/tree"), ("/there/tree", "/here/tree")] {
        match files.rename(from, to) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Reads what others write: each region and each stream has one byte throughout, or the handle says `Changed`.
fn look(files: &Files<'_>) -> vellum::Result<()> {
    let is_one = |bytes: &[u8]| bytes.iter().all(|byte| Some(byte) == bytes.first());
    let shared = files.read("/shared")?;
    assert!(shared.chunks(REGION).all(is_one), "a region was read half written");
    for path in ["/shared", "/stream"] {
        let mut bytes = Vec::new();
        match files.open(path).map(|mut file| file.read_to_end(&mut bytes)) {
            Ok(Ok(_)) => {
                assert!(bytes.chunks(if path == "/shared" { REGION } else { STREAM }).all(is_one), "{path}")
            }
            Ok(Err(error)) => {
                let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<vellum::Error>());
                assert_eq!(cause.map(vellum::Error::kind), Some(ErrorKind::Changed), "{path}: {error}");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{path}: {error}"),
        }
    }
    Ok(())
}

#[test]
fn processes_and_threads_that_work_on_the_same_files_lose_nothing() -> TestResult {
    if let Some(told) = child::told() {
        let (first, file) = told.split_once(' ').ok_or("a number and a file")?;
        let (first, db): (usize, _) = (first.parse()?, open(Path::new(file))?);
        return together(THREADS, |thread| work(&db, first + thread));
    }
    let dir = Dir::new()?;
    let file = dir.file("it.db");
    let db = open(&file)?;
    let files = db.files();
    files.write("/shared", "")?;
    files.write("/here/tree/leaf", "leaf")?;
    files.create_dir("/there")?;
    let this = "processes_and_threads_that_work_on_the_same_files_lose_nothing";
    let told = |process: usize| format!("{} {}", process * THREADS, file.display());
    let children: io::Result<Vec<_>> =
        (0..PROCESSES).map(|process| child::start(this, &told(process))).collect();
    children?.into_iter().try_for_each(child::succeeds)?;

    assert_eq!(files.check()?, []);
    let shared = files.read("/shared")?;
    assert_eq!(shared.len(), WORKERS * REGION);
    for (worker, region) in shared.chunks(REGION).enumerate() {
        assert!(region.iter().all(|byte| *byte == mark(worker, ROUNDS - 1)), "the region of {worker}");
    }
    let log = String::from_utf8(files.read("/log")?)?;
    let mut rounds: BTreeMap<&str, u64> = BTreeMap::new();
    for line in log.lines() {
        let (worker, round) = line.split_once(' ').ok_or("a torn line")?;
        let next = rounds.entry(worker).or_default();
        assert_eq!(round.parse(), Ok(*next), "worker {worker}");
        *next += 1;
    }
    assert_eq!(rounds.values().copied().collect::<Vec<_>>(), [ROUNDS; WORKERS]);
    let trees = [files.exists("/here/tree/leaf")?, files.exists("/there/tree/leaf")?];
    assert!(trees[0] != trees[1], "the tree is nowhere, or twice: {trees:?}");
    assert_eq!(files.list("/").recursive().glob("moved ?/*").count()?, WORKERS as u64);
    let staged: i64 = stranger(&db)?.query_row("SELECT count(*) FROM vellum_staged", [], |row| row.get(0))?;
    assert_eq!(staged, 0);
    support::assert_whole(&file)
}

#[test]
fn who_waits_for_another_writer_is_busy_after_the_time_that_was_set_and_no_sooner() -> TestResult {
    const TIMEOUT: Duration = Duration::from_millis(300);
    let dir = Dir::new()?;
    let db = Options::new().busy_timeout(TIMEOUT).open(dir.file("it.db"))?;
    let files = db.files();
    files.write("/a", "old")?;
    let mut pending = files.edit("/a")?;
    pending.write_all(b"new and longer")?;
    let other = stranger(&db)?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    let calls: [&dyn Fn() -> vellum::Result<()>; 5] = [
        &|| files.write("/b", "x"),
        &|| files.write_at("/a", 0, "x"),
        &|| files.write_from("/a", &[7; STREAM][..]).map(drop),
        &|| files.rename("/a", "/c"),
        &|| files.create("/d").map(drop),
    ];
    for call in calls {
        let begin = Instant::now();
        fails(call(), ErrorKind::Busy, &[]);
        let waited = begin.elapsed();
        assert!(waited >= TIMEOUT && waited < 4 * TIMEOUT, "{waited:?}");
        // Who reads does not wait.
        assert_eq!(files.read("/a")?, b"old");
    }
    assert_eq!(pending.flush().map_err(|error| error.kind()), Err(io::ErrorKind::ResourceBusy));
    fails(pending.length(), ErrorKind::Busy, &[]);
    other.execute_batch("ROLLBACK")?;
    pending.flush()?;
    assert_eq!(files.read("/a")?, b"new and longer");
    assert_eq!(files.list("/").count()?, 1);

    // The same among the threads of one process.
    let tx = db.begin()?;
    pending.write_all(b", and longer")?;
    let waited =
        thread::scope(|scope| scope.spawn(|| pending.flush()).join().map_err(|_| "a thread panicked"))?;
    assert_eq!(waited.map_err(|error| error.kind()), Err(io::ErrorKind::ResourceBusy));
    tx.rollback()?;
    drop(pending);
    assert_eq!(files.read("/a")?, b"new and longer, and longer");
    Ok(())
}

#[test]
fn a_snapshot_keeps_its_files_while_they_are_replaced_deleted_and_vacuumed_away() -> TestResult {
    let dir = Dir::new()?;
    let options = Options::new().busy_timeout(Duration::from_millis(200));
    let db = options.open(dir.file("it.db"))?;
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|i| (i / 97) as u8).collect();
    db.files().write("/a", &bytes)?;
    db.files().write("/hole", "begin")?;
    db.files().write_at("/hole", 100_000, "end")?;
    let snapshot = db.snapshot()?;
    let (file, hole) = (snapshot.files().open("/a")?, snapshot.files().open("/hole")?);
    let read_all = || -> vellum::Result<()> {
        for at in (0..bytes.len()).step_by(70_001) {
            let mut out = [0; 20_000];
            let count = file.read_at(at as u64, &mut out)?;
            assert!(out[..count] == bytes[at..bytes.len().min(at + 20_000)], "at {at}");
            assert_eq!(hole.read_at(50_000, &mut out[..4])?, 4);
            assert_eq!(out[..4], [0; 4]);
        }
        Ok(())
    };
    read_all()?;
    db.files().write("/a", "replaced")?;
    read_all()?;
    stranger(&db)?.execute_batch("VACUUM")?;
    read_all()?;
    db.files().write_from("/a", &[1; STREAM][..])?;
    db.files().delete_all("/hole")?;
    db.vacuum()?;
    together(4, |_| read_all())?;
    assert_eq!(snapshot.files().read("/hole")?.len(), 100_003);
    drop((file, hole, snapshot));
    assert_eq!(db.files().stat("/a")?.length, STREAM as u64);
    db.vacuum()?;
    assert_eq!(db.files().check()?, []);
    support::assert_whole(&dir.file("it.db"))
}

#[test]
fn a_source_may_be_a_file_of_the_same_transaction_or_write_to_it() -> TestResult {
    let db = Database::open_in_memory()?;
    let bytes = vec![9; STREAM];
    db.files().write("/a", &bytes)?;
    db.files().write_from("/a", db.files().open("/a")?)?;
    db.files().write_from("/b", db.files().open("/a")?)?;
    db.transaction(|tx| {
        tx.files().write_from("/a", tx.files().open("/b")?)?;
        tx.files().write_from("/c", tx.files().open("/a")?.take(10_000))?;
        let mut copy = tx.files().create("/d")?;
        io::copy(&mut tx.files().open("/a")?, &mut copy).map_err(|_| ()).expect("a copy");
        Ok(())
    })?;
    for (path, len) in [("/a", STREAM), ("/b", STREAM), ("/c", 10_000), ("/d", STREAM)] {
        assert!(db.files().read(path)? == bytes[..len], "{path}");
    }
    assert_eq!(db.files().check()?, []);
    Ok(())
}
