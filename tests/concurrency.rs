//! Many threads and several processes on one file: they open it, ask, write and panic at once.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use support::entry::{Entry, entry};
use support::{Dir, TestResult, child, stranger, together};
use vellum::prelude::*;
use vellum::{Live, Options};

#[test]
fn what_documents_hold_does_not_keep_their_handles_in_one_thread() {
    fn shared<T: Send + Sync>() {}
    type Of = Rc<()>;
    shared::<(Collection<'static, Of>, Compiled<Of, Of>, Query<Of>, Query<Of, Live<'static>>)>();
}

const ROUNDS: i64 = 6;
const ROUND: Duration = Duration::from_millis(250);

/// Opens a new file in each round, at the same moment as everybody else, writes, and reads what was written.
fn open_new_files(dir: &Path, start: u128, by: &str, threads: usize) -> TestResult {
    together(threads, |thread| {
        let by = format!("{by}/{thread}");
        for round in 0..ROUNDS {
            child::wait_for(start + ROUND.as_millis() * round as u128);
            let options = Options::new().busy_timeout(Duration::from_secs(60));
            let db = options.open(dir.join(format!("{round}.db")))?;
            let entries = db.collection::<Entry>()?;
            let id = entries.insert(entry(&by, 0))?;
            assert_eq!(entries.get(id)?.map(|entry| entry.by).as_ref(), Some(&by));
            if thread % 2 == 0 {
                entries.insert_batch((1..4).map(|n| entry(&by, n)))?;
                entries.ensure_indexes()?;
            } else {
                db.transaction(|tx| tx.collection::<Entry>()?.insert_batch((1..4).map(|n| entry(&by, n))))?;
            }
            assert_eq!(entries.filter(|e| e.by.eq(by.as_str())).count()?, 4);
        }
        Ok(())
    })
}

#[test]
fn sixteen_threads_and_four_processes_open_a_new_file_at_once() -> TestResult {
    if let Some(told) = child::told() {
        let (start, dir) = told.split_once(' ').ok_or("a moment and a directory")?;
        return open_new_files(Path::new(dir), start.parse()?, &std::process::id().to_string(), 4);
    }
    let dir = Dir::new()?;
    let start = child::moment_in(Duration::from_millis(500));
    let told = format!("{start} {}", dir.path().display());
    let this = "sixteen_threads_and_four_processes_open_a_new_file_at_once";
    let children = (0..4).map(|_| child::start(this, &told)).collect::<Result<Vec<_>, _>>()?;
    open_new_files(dir.path(), start, "parent", 16)?;
    for child in children {
        child::succeeds(child)?;
    }
    for round in 0..ROUNDS {
        let db = Database::open(dir.file(&format!("{round}.db")))?;
        let entries = db.collection::<Entry>()?;
        assert_eq!(entries.count()?, (16 + 4 * 4) * 4, "round {round}");
        for n in 0..4 {
            let mut by = entries.filter(|e| e.n.eq(n)).select(|e| e.by).to_vec()?;
            by.sort_unstable();
            by.dedup();
            assert_eq!(by.len(), 32, "round {round}");
        }
        let checked: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(checked, "ok");
    }
    Ok(())
}

#[test]
fn after_a_panic_every_thread_goes_on() -> TestResult {
    let db = Database::open_in_memory()?;
    let entries = db.collection::<Entry>()?;
    entries.insert(entry("first", 0))?;
    let count = entries.compile(|q, ()| q.count())?;
    let panics: [&(dyn Fn() -> vellum::Result<()> + Sync); 6] = [
        &|| {
            db.transaction(|tx| {
                tx.collection::<Entry>()?.insert(entry("a", 1)).map(|_| panic!("in a closure"))
            })
        },
        &|| {
            let tx = db.begin()?;
            tx.collection::<Entry>()?.insert(entry("a", 1))?;
            panic!("beside a value")
        },
        &|| {
            let batch = (0..9).map(|n| if n < 8 { entry("a", n) } else { panic!("in a batch") });
            entries.insert_batch(batch).map(drop)
        },
        &|| entries.query().for_each(|_| panic!("at a row")),
        &|| entries.filter(|_| -> Expr<bool> { panic!("in a condition") }).count().map(drop),
        &|| db.compile(|q, ()| -> Query<Entry> { panic!("at {:?}", q.from::<Entry>()) }).map(drop),
    ];
    for panicking in panics {
        let go_on = |thread| {
            assert!(count.call(())? >= 1);
            let id = entries.insert(entry("after", thread as i64))?;
            assert_eq!(entries.filter(|e| e.id.eq(id)).count()?, 1);
            Ok(())
        };
        assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        go_on(0)?;
        together(4, go_on)?;
    }
    assert_eq!(entries.filter(|e| e.by.eq("a")).count()?, 0);
    assert_eq!(count.call(())?, 1 + 6 * 5);
    Ok(())
}

#[test]
fn handles_are_dropped_in_any_order() -> TestResult {
    let db = Database::open_in_memory()?;
    let path = db.path().to_owned();
    let entries = db.collection::<Entry>()?;
    let count = entries.compile(|q, ()| q.count())?;
    let tx = db.begin()?;
    let snapshot = db.snapshot()?;
    drop(db);
    tx.collection::<Entry>()?.insert(entry("a", 1))?;
    let same = entries.clone();
    drop(entries);
    assert_eq!(same.count()?, 0);
    tx.commit()?;
    assert_eq!((same.count()?, count.call(())?), (1, 1));
    drop(same);
    assert_eq!(count.on(&snapshot).call(())?, 0);
    drop(count);
    assert_eq!(snapshot.collection::<Entry>()?.count()?, 0);
    assert!(path.exists());
    drop(snapshot);
    assert!(!path.exists(), "it goes with the last handle");
    Ok(())
}

/// Compiles queries that threads call at once, and that are right whatever indexes there are.
fn questions(db: &Database) -> vellum::Result<impl Fn() -> vellum::Result<()> + Sync> {
    let entries = db.collection::<Entry>()?;
    let by_n = db.compile(|q, (n,)| q.from::<Entry>().filter(|e| e.n.eq(n)).select(|e| e.id))?;
    let page = db.compile(|q, (least, skip)| {
        q.from::<Entry>().filter(|e| e.n.ge(least)).order_by(|e| e.n).skip(skip).take(2).select(|e| e.n)
    })?;
    let touch =
        db.compile(|q, (n,)| q.from::<Entry>().filter(|e| e.n.eq(n)).update(|e| e.by.set("touched")))?;
    Ok(move || {
        assert_eq!(by_n.call(7)?, [8]);
        assert_eq!(by_n.iter(9)?.collect::<vellum::Result<Vec<_>>>()?, [10]);
        assert_eq!(by_n.on(&db.snapshot()?).call(1)?, [2]);
        assert_eq!(page.call((95, 1))?, [96, 97]);
        assert!(touch.call(3)? <= 1);
        assert_eq!(entries.filter(|e| e.n.lt(10) & e.by.ne("")).count()?, 10);
        let fresh = entries.compile(|q, ()| q.filter(|e| e.n.gt(90)).count())?;
        assert_eq!(fresh.call(())?, 9);
        Ok(())
    })
}

/// Makes the indexes and drops them, so many times.
fn indexes_come_and_go(db: &Database, times: usize) -> vellum::Result<()> {
    let entries = db.collection::<Entry>()?;
    for _ in 0..times {
        entries.ensure_indexes()?;
        entries.ensure_index(|e| (e.n, e.by)).create()?;
        for index in entries.indexes()? {
            assert!(entries.drop_index(&index.name)?);
        }
    }
    Ok(())
}

fn hundred_entries(file: &Path) -> vellum::Result<Database> {
    let db = Options::new().busy_timeout(Duration::from_secs(60)).open(file)?;
    db.collection::<Entry>()?.insert_batch((0..100).map(|n| entry("by", n)))?;
    Ok(db)
}

/// Stops the others when it goes, also by a panic.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Asks until it is stopped, at least once.
fn keep_asking(ask: &impl Fn() -> vellum::Result<()>, stop: &AtomicBool) -> vellum::Result<()> {
    loop {
        ask()?;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
}

#[test]
fn queries_are_right_while_indexes_come_and_go() -> TestResult {
    let dir = Dir::new()?;
    let db = hundred_entries(&dir.file("a.db"))?;
    let ask = questions(&db)?;
    let stop = AtomicBool::new(false);
    together(8, |thread| {
        if thread > 0 {
            return keep_asking(&ask, &stop);
        }
        let _stop = Stop(&stop);
        indexes_come_and_go(&db, 60)
    })
}

#[test]
fn queries_are_right_while_another_process_makes_and_drops_indexes() -> TestResult {
    if let Some(file) = child::told() {
        return Ok(indexes_come_and_go(
            &Options::new().busy_timeout(Duration::from_secs(60)).open(file)?,
            40,
        )?);
    }
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let db = hundred_entries(&file)?;
    let ask = questions(&db)?;
    let this = "queries_are_right_while_another_process_makes_and_drops_indexes";
    let other = child::start(this, &file.display().to_string())?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let ended = scope.spawn(|| {
            let _stop = Stop(&stop);
            child::succeeds(other)
        });
        together(4, |_| keep_asking(&ask, &stop))?;
        Ok(ended.join().map_err(|_| "a thread panicked")??)
    })
}
