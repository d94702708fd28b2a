//! Who waits for whom, for how long, and what is said then.

mod support;

use std::io::{BufRead, BufReader};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use support::entry::{Entry, entry};
use support::{Dir, TestResult, child, fails, stranger, together};
use vellum::ErrorKind::Busy;
use vellum::Options;
use vellum::prelude::*;

#[test]
fn readers_never_wait_for_the_writer() -> TestResult {
    const TIMEOUT: Duration = Duration::from_secs(30);
    let dir = Dir::new()?;
    let db = Options::new().busy_timeout(TIMEOUT).open(dir.file("a.db"))?;
    let entries = db.collection::<Entry>()?;
    entries.insert_batch((0..100).map(|n| entry("before", n)))?;
    let count = db.compile(|q, (by,)| q.from::<Entry>().filter(|e| e.by.eq(by)).count())?;
    let tx = db.begin()?;
    tx.collection::<Entry>()?.update_many(|e| e.n.ge(0), |e| e.by.set("after"))?;
    tx.collection::<Entry>()?.ensure_indexes()?;
    let start = Instant::now();
    let read = |_| {
        assert_eq!((count.call("before")?, count.call("after")?), (100, 0));
        assert_eq!(entries.get(1)?.map(|entry| entry.by).as_deref(), Some("before"));
        assert_eq!(entries.query().iter()?.count(), 100);
        assert_eq!(count.on(&db.snapshot()?).call("before")?, 100);
        let again = db.collection::<Entry>()?.compile(|q, ()| q.sum(|e| e.n))?;
        assert_eq!(again.call(())?, 99 * 100 / 2);
        Ok(())
    };
    read(0)?;
    together(16, read)?;
    assert_eq!(stranger(&db)?.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)), Ok(100));
    assert!(start.elapsed() < TIMEOUT / 2, "{:?}", start.elapsed());
    tx.commit()?;
    assert_eq!((count.call("before")?, count.call("after")?), (0, 100));
    Ok(())
}

#[test]
fn the_writer_never_waits_for_readers() -> TestResult {
    const TIMEOUT: Duration = Duration::from_secs(30);
    let dir = Dir::new()?;
    let db = Options::new().busy_timeout(TIMEOUT).open(dir.file("a.db"))?;
    let entries = db.collection::<Entry>()?;
    entries.insert_batch((0..100).map(|n| entry("before", n)))?;
    let snapshot = db.snapshot()?;
    let mut rows = entries.query().iter()?;
    rows.next().ok_or("a row")??;
    let start = Instant::now();
    entries.ensure_indexes()?;
    entries.delete_many(|e| e.n.lt(50))?;
    db.transaction(|tx| tx.collection::<Entry>()?.insert(entry("after", 100)))?;
    assert!(start.elapsed() < TIMEOUT / 2, "{:?}", start.elapsed());
    assert_eq!(rows.count(), 99);
    assert_eq!(snapshot.collection::<Entry>()?.count()?, 100);
    assert_eq!(entries.count()?, 51);
    Ok(())
}

/// A load goes around the log, beside which alone readers can read: they wait for its end.
#[test]
fn a_reader_waits_for_a_load_and_sees_all_of_it() -> TestResult {
    let dir = Dir::new()?;
    let db = Options::new().busy_timeout(Duration::from_secs(60)).open(dir.file("a.db"))?;
    let entries = db.collection::<Entry>()?;
    let (begun, wait_for_it) = mpsc::channel();
    thread::scope(|scope| {
        let loading = scope.spawn(|| {
            entries.insert_batch((0..100).map(|n| {
                if n == 50 {
                    begun.send(()).expect("the reader is there");
                    thread::sleep(Duration::from_millis(50));
                }
                entry("load", n)
            }))
        });
        wait_for_it.recv()?;
        assert_eq!(entries.count()?, 100);
        assert_eq!(loading.join().map_err(|_| "a thread panicked")??.len(), 100);
        Ok(())
    })
}

#[test]
fn a_thread_that_holds_iterators_runs_other_queries() -> TestResult {
    let db = Options::new().busy_timeout(Duration::from_millis(100)).open_in_memory()?;
    let entries = db.collection::<Entry>()?;
    entries.insert_batch((0..20).map(|n| entry("all", n)))?;
    let mut held = Vec::new();
    for most in 1..=64 {
        held.push(entries.query().iter()?);
        if most < 64 {
            assert_eq!(entries.filter(|e| e.n.lt(most)).count()?, most.min(20) as u64);
        }
    }
    let start = Instant::now();
    fails(entries.count(), Busy, &["64", "100 ms", "drop iterators and snapshots", "busy_timeout"]);
    assert!(start.elapsed() >= Duration::from_millis(100), "{:?}", start.elapsed());
    entries.insert(entry("a writer needs no reader", 20))?;
    let rest = held.pop().ok_or("an iterator")?;
    assert_eq!(rest.count(), 20);
    assert_eq!(entries.count()?, 21);
    Ok(())
}

/// Another process holds the lock, in the way of each form of a write.
#[test]
fn busy_comes_after_the_whole_timeout_and_says_so() -> TestResult {
    let dir = Dir::new()?;
    let holder = Database::open(dir.file("a.db"))?;
    holder.collection::<Entry>()?.insert(entry("first", 0))?;
    let other = stranger(&holder)?;
    drop(holder);
    other.execute_batch("BEGIN IMMEDIATE")?;
    for millis in [3, 20, 250] {
        let timeout = Duration::from_millis(millis);
        let db = Options::new().busy_timeout(timeout).open(dir.file("a.db"))?;
        let entries = db.collection::<Entry>()?;
        let delete = entries.compile(|q, (n,)| q.filter(|e| e.n.eq(n)).delete())?;
        let said = format!("stayed locked for {millis} ms: try again or raise busy_timeout");
        let busy = |write: &dyn Fn() -> vellum::Result<()>| {
            let start = Instant::now();
            fails(write(), Busy, &["a.db", &said]);
            let waited = start.elapsed();
            assert!(timeout <= waited && waited < timeout + Duration::from_secs(5), "{millis}: {waited:?}");
        };
        busy(&|| entries.insert(entry("a", 1)).map(drop));
        busy(&|| entries.insert_batch([entry("a", 1)]).map(drop));
        busy(&|| entries.replace(&Entry { id: 1, ..entry("b", 1) }).map(drop));
        busy(&|| entries.delete(1).map(drop));
        busy(&|| entries.update_many(|e| e.n.eq(0), |e| e.n.set(1)).map(drop));
        busy(&|| delete.call(0).map(drop));
        busy(&|| entries.ensure_indexes().map(drop));
        busy(&|| db.begin().map(drop));
        busy(&|| db.transaction(|tx| tx.collection::<Entry>()?.insert(entry("a", 1))).map(drop));
        assert_eq!(entries.count()?, 1);
    }
    other.execute_batch("ROLLBACK")?;
    let entries = Database::open(dir.file("a.db"))?.collection::<Entry>()?;
    assert_eq!(entries.insert(entry("free again", 1))?, 2);
    Ok(())
}

#[test]
fn a_writer_that_comes_free_in_time_is_no_error() -> TestResult {
    let db = Options::new().busy_timeout(Duration::from_secs(60)).open_in_memory()?;
    let entries = db.collection::<Entry>()?;
    let tx = db.begin()?;
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..16)
            .map(|n| {
                let entries = &entries;
                scope.spawn(move || entries.insert(entry("waited", n)))
            })
            .collect();
        thread::sleep(Duration::from_millis(50));
        tx.collection::<Entry>()?.insert(entry("first", 0))?;
        tx.commit()?;
        for one in waiting {
            one.join().map_err(|_| "a thread panicked")??;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    assert_eq!(entries.get(1)?.map(|entry| entry.by).as_deref(), Some("first"));
    assert_eq!(entries.count()?, 17);
    Ok(())
}

#[test]
fn a_process_that_dies_frees_the_writer() -> TestResult {
    if let Some(file) = child::told() {
        let tx = Database::open(file)?.begin()?;
        tx.collection::<Entry>()?.insert_batch((0..100).map(|n| entry("never committed", n)))?;
        println!("\nheld");
        thread::sleep(Duration::from_secs(600));
        return Ok(tx.commit()?);
    }
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let db = Options::new().busy_timeout(Duration::from_millis(100)).open(&file)?;
    let entries = db.collection::<Entry>()?;
    entries.insert(entry("before", 0))?;
    let mut other = child::start("a_process_that_dies_frees_the_writer", &file.display().to_string())?;
    let said = BufReader::new(other.stdout.take().ok_or("its output")?);
    said.lines().find(|line| line.as_ref().is_ok_and(|line| line == "held")).ok_or("it holds the lock")??;
    assert_eq!(entries.count()?, 1);
    fails(entries.insert(entry("meanwhile", 1)), Busy, &["a.db", "100 ms"]);
    other.kill()?;
    other.wait()?;
    entries.insert(entry("after", 2))?;
    assert_eq!(entries.query().select(|e| e.by).to_vec()?, ["before", "after"]);
    Ok(())
}
