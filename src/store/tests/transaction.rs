//! Transactions that wait, nest, end and fail.

use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::Instant;

use super::*;
use crate::store::OwnedRows;

const PUT: &str = "INSERT INTO vellum_meta VALUES (?1, ?2)";
const COUNT: &str = "SELECT count(*) FROM vellum_meta WHERE key LIKE 'x%'";

#[test]
fn busy_comes_after_the_timeout_and_not_before() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let waited = thread::scope(|scope| {
        scope
            .spawn(|| {
                let start = Instant::now();
                assert!(matches!(engine.begin(), Err(StoreError::Busy { .. })));
                start.elapsed()
            })
            .join()
    });
    let waited = waited.expect("no panic");
    assert!((200..3000).contains(&waited.as_millis()), "{waited:?}");
    drop(txn);
    engine.begin()?.commit()?;

    let stranger = scene.stranger()?;
    stranger.execute_batch("BEGIN IMMEDIATE")?;
    let start = Instant::now();
    assert!(matches!(engine.begin(), Err(StoreError::Busy { source: Some(_), .. })));
    assert!((190..3000).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    stranger.execute_batch("ROLLBACK")?;
    engine.begin()?.commit()?;
    Ok(())
}

#[test]
fn the_thread_of_an_open_transaction_is_told_at_once() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let start = Instant::now();
    assert!(matches!(engine.begin(), Err(StoreError::WrongTarget { .. })));
    assert!(matches!(engine.begin_load(), Err(StoreError::WrongTarget { .. })));
    assert!(start.elapsed().as_millis() < 100);
    // Moved and used elsewhere, the transaction is that thread's.
    let txn = thread::scope(|scope| {
        scope
            .spawn(|| {
                txn.execute(PUT, &[Bind::Text("x"), Bind::Int(1)])?;
                assert!(matches!(engine.begin(), Err(StoreError::WrongTarget { .. })));
                Ok::<_, StoreError>(txn)
            })
            .join()
    });
    let txn = txn.expect("no panic")?;
    assert!(matches!(engine.begin(), Err(StoreError::Busy { .. })), "another thread's, so this one waits");
    txn.commit()?;
    engine.begin()?.commit()?;
    Ok(())
}

#[test]
fn writers_take_their_turns_in_the_order_they_came() -> TestResult {
    let scene = Scene::new()?;
    let engine = Engine::open(&scene.path(), &Options::default())?;
    let order = std::sync::Mutex::new(Vec::new());
    thread::scope(|scope| {
        let first = engine.begin().expect("a free writer");
        for i in 0..8 {
            let (engine, order) = (&engine, &order);
            scope.spawn(move || {
                let txn = engine.begin().expect("a turn");
                order.lock().expect("no panic").push(i);
                txn.commit().expect("a commit");
            });
            thread::sleep(Duration::from_millis(20));
        }
        first.commit().expect("a commit");
    });
    assert_eq!(order.into_inner()?, (0..8).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn a_snapshot_sees_one_moment() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let snapshot = engine.snapshot()?;
    let txn = engine.begin()?;
    txn.execute(PUT, &[Bind::Text("x"), Bind::Int(1)])?;
    assert_eq!(int(&txn, COUNT)?, 1);
    assert_eq!(int(&*engine.reader()?, COUNT)?, 0);
    txn.commit()?;
    assert_eq!(int(&*engine.reader()?, COUNT)?, 1);
    assert_eq!(int(&snapshot, COUNT)?, 0);
    drop(snapshot);
    assert_eq!(int(&*engine.snapshot()?, COUNT)?, 1);
    Ok(())
}

#[test]
fn drop_and_panic_roll_back_and_free_the_writer() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    txn.execute(PUT, &[Bind::Text("x"), Bind::Int(1)])?;
    drop(txn);
    let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
        let txn = engine.begin().expect("a free writer");
        txn.execute(PUT, &[Bind::Text("x"), Bind::Int(1)]).expect("an insert");
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    let txn = engine.begin()?;
    assert_eq!(int(&txn, COUNT)?, 0);
    drop(txn);
    Ok(())
}

#[test]
fn savepoints_nest() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let outer = txn.savepoint()?;
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    let inner = txn.savepoint()?;
    txn.execute(PUT, &[Bind::Text("x2"), Bind::Int(1)])?;
    drop(inner);
    assert_eq!(int(&txn, COUNT)?, 1);
    let inner = txn.savepoint()?;
    txn.execute(PUT, &[Bind::Text("x3"), Bind::Int(1)])?;
    inner.release()?;
    outer.release()?;
    drop(txn.savepoint()?);
    txn.commit()?;
    assert_eq!(int(&*engine.reader()?, COUNT)?, 2);
    Ok(())
}

#[test]
fn a_part_that_ends_takes_those_along_that_were_never_ended() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let outer = txn.mark()?;
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    txn.mark()?;
    txn.execute(PUT, &[Bind::Text("x2"), Bind::Int(1)])?;
    txn.take_back(outer)?;
    assert_eq!(int(&txn, COUNT)?, 0);
    let outer = txn.mark()?;
    txn.mark()?;
    txn.execute(PUT, &[Bind::Text("x3"), Bind::Int(1)])?;
    txn.release(outer)?;
    assert_eq!(txn.mark()?, outer, "no part is open any more");
    txn.commit()?;
    assert_eq!(int(&*engine.reader()?, COUNT)?, 1);
    Ok(())
}

#[test]
fn a_part_of_a_lost_transaction_is_lost_with_it() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let (outer, inner) = (txn.mark()?, txn.mark()?);
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    assert!(txn.execute("INSERT OR ROLLBACK INTO vellum_meta VALUES ('x1', 1)", &[]).is_err());
    assert!(matches!(txn.release(inner), Err(StoreError::RolledBack { .. })));
    assert!(matches!(txn.take_back(inner), Err(StoreError::RolledBack { .. })));
    assert!(matches!(txn.mark(), Err(StoreError::RolledBack { .. })));
    assert!(matches!(txn.release(outer), Err(StoreError::RolledBack { .. })));
    assert!(matches!(txn.commit(), Err(StoreError::RolledBack { .. })));
    assert_eq!(int(&*engine.reader()?, COUNT)?, 0);
    Ok(())
}

#[test]
fn a_full_file_is_an_error_and_nothing_is_lost() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    txn.execute(PUT, &[Bind::Text("x"), Bind::Int(1)])?;
    txn.commit()?;
    let txn = engine.begin()?;
    let pages = int(&txn, "PRAGMA page_count")?;
    int(&txn, &format!("PRAGMA max_page_count={pages}"))?;
    txn.execute(PUT, &[Bind::Text("x2"), Bind::Int(1)])?;
    let blob = vec![1; 1 << 20];
    let full = txn.execute("INSERT INTO vellum_chunk VALUES (1, ?1)", &[Bind::Blob(&blob)]);
    assert!(matches!(full, Err(StoreError::Full { .. })), "{full:?}");
    // Whatever SQLite rolled back, no later statement commits by itself.
    let after = txn.execute(PUT, &[Bind::Text("x3"), Bind::Int(1)]);
    let committed = txn.commit();
    assert_eq!(after.is_ok(), committed.is_ok());
    let reader = engine.reader()?;
    assert_eq!(int(&reader, COUNT)?, if committed.is_ok() { 3 } else { 1 });
    assert_eq!(text(&reader, "PRAGMA integrity_check")?, "ok");
    let txn = engine.begin()?;
    int(&txn, "PRAGMA max_page_count=1000000")?;
    txn.execute("INSERT INTO vellum_chunk VALUES (1, ?1)", &[Bind::Blob(&blob)])?;
    txn.commit()?;
    Ok(())
}

#[test]
fn a_lost_transaction_refuses_every_statement() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    // OR ROLLBACK ends the transaction as a full disk may.
    let again = "INSERT OR ROLLBACK INTO vellum_meta VALUES ('x1', 1)";
    assert!(txn.execute(again, &[]).is_err());
    let refused = txn.execute(PUT, &[Bind::Text("x2"), Bind::Int(1)]);
    assert!(matches!(refused, Err(StoreError::RolledBack { .. })));
    assert!(matches!(txn.commit(), Err(StoreError::RolledBack { .. })));
    assert_eq!(int(&*engine.reader()?, COUNT)?, 0);
    Ok(())
}

#[test]
fn a_load_leaves_the_wal_and_comes_back() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    drop(engine.reader()?);
    let txn = engine.begin_load()?;
    assert!(txn.is_load());
    assert_eq!(text(&txn, "PRAGMA journal_mode")?, "delete");
    assert!(int(&txn, "PRAGMA synchronous")? >= 2);
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    assert!(matches!(engine.reader(), Err(StoreError::WrongTarget { .. })));
    thread::scope(|scope| {
        scope
            .spawn(|| assert!(matches!(engine.reader(), Err(StoreError::Busy { .. }))))
            .join()
            .expect("no panic");
    });
    assert!(scene.read_only().is_err_and(|error| matches!(error, StoreError::Busy { .. })));
    txn.commit()?;
    for committed in [true, false] {
        let reader = engine.reader()?;
        assert_eq!(text(&reader, "PRAGMA journal_mode")?, "wal");
        assert_eq!(int(&reader, COUNT)?, 1);
        drop(reader);
        let txn = engine.begin()?;
        assert_eq!(int(&txn, "PRAGMA synchronous")?, 2);
        drop(txn);
        if committed {
            let txn = engine.begin_load()?;
            txn.execute(PUT, &[Bind::Text("x2"), Bind::Int(1)])?;
            drop(txn);
        }
    }
    Ok(())
}

/// The files as a power cut in the middle of a load leaves them.
#[test]
fn a_load_that_was_cut_off_is_undone_by_the_next_writer() -> TestResult {
    let (scene, cut) = (Scene::new()?, Scene::new()?);
    let engine = scene.open()?;
    let txn = engine.begin_load()?;
    assert!(txn.is_load());
    txn.batch("PRAGMA cache_size=1")?;
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    for k in 0..100 {
        txn.execute("INSERT INTO vellum_chunk VALUES (?1, zeroblob(8000))", &[Bind::Int(k)])?;
    }
    for name in ["app.db", "app.db-journal"] {
        std::fs::copy(scene.dir.path().join(name), cut.dir.path().join(name))?;
    }
    txn.commit()?;
    assert!(std::fs::metadata(cut.path())?.len() > 50 * 8192, "the load reached the file");
    assert!(matches!(cut.read_only(), Err(StoreError::ReadOnly { .. })));
    let engine = cut.open()?;
    let reader = engine.reader()?;
    assert_eq!(text(&reader, "PRAGMA journal_mode")?, "wal");
    assert_eq!(int(&reader, COUNT)? + int(&reader, "SELECT count(*) FROM vellum_chunk")?, 0);
    assert_eq!(text(&reader, "PRAGMA integrity_check")?, "ok");
    Ok(())
}

#[test]
fn a_load_stays_in_the_wal_where_somebody_could_notice() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let reader = engine.reader()?;
    let txn = engine.begin_load()?;
    assert!(!txn.is_load(), "a reader of ours is lent");
    assert_eq!(text(&txn, "PRAGMA journal_mode")?, "wal");
    drop((txn, reader));

    let stranger = scene.stranger()?;
    let epoch = |conn: &rusqlite::Connection| {
        conn.query_row("SELECT count(*) FROM vellum_meta", [], |row| row.get::<_, i64>(0))
    };
    epoch(&stranger)?;
    let txn = engine.begin_load()?;
    assert!(!txn.is_load(), "another program has the file open");
    txn.execute(PUT, &[Bind::Text("x1"), Bind::Int(1)])?;
    txn.commit()?;
    epoch(&stranger)?;
    drop(stranger);

    let txn = engine.begin()?;
    txn.create_collection("events", "integer", None)?;
    txn.execute("INSERT INTO events(doc) VALUES (jsonb('{}'))", &[])?;
    txn.commit()?;
    assert!(!engine.begin_load()?.is_load(), "a collection has a document");
    Ok(())
}

#[test]
fn rows_that_own_their_reader_outlive_the_call_and_run_beside_others() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let sql = "SELECT value, ?1 FROM generate_series(1, 3)";
    let sql = sql.replace("generate_series(1, 3)", "json_each('[1,2,3]')");
    let mut rows = {
        let bound = String::from("a\0b");
        OwnedRows::new(engine.reader()?, &sql, |stmt| stmt.bind(1, Bind::Text(&bound)))?
    };
    let mut seen = Vec::new();
    while let Some(row) = rows.step()? {
        assert_eq!(row.cell(1)?, Cell::Text("a\0b"));
        let outer = row.int(0)?;
        let mut inner = OwnedRows::new(engine.reader()?, &sql, |stmt| stmt.bind(1, Bind::Null))?;
        while let Some(row) = inner.step()? {
            seen.push((outer, row.int(0)?));
        }
    }
    assert_eq!(seen.len(), 9);
    assert!(rows.step()?.is_none());
    let rows = thread::scope(|scope| scope.spawn(move || rows.step().map(|row| row.is_none())).join());
    assert!(rows.expect("no panic")?);
    Ok(())
}

#[test]
fn at_most_64_readers_are_lent() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let readers: Result<Vec<_>, _> = (0..64).map(|_| engine.reader()).collect();
    let mut readers = readers?;
    assert!(matches!(engine.reader(), Err(StoreError::NoReader { most: 64, .. })));
    readers.pop();
    engine.reader()?;
    Ok(())
}

#[test]
fn text_that_is_not_utf8_is_corrupt() -> TestResult {
    let engine = Engine::open_in_memory(&Options::default())?;
    let reader = engine.reader()?;
    let mut stmt = reader.prepare("SELECT CAST(x'ff' AS TEXT)")?;
    let row = stmt.step()?.expect("a row");
    assert!(matches!(row.cell(0), Err(StoreError::Corrupt { .. })));
    Ok(())
}

/// Each transaction moves one unit between two rows, so that every moment has the same sum.
#[test]
fn many_writers_and_readers_agree() -> TestResult {
    let scene = Scene::new()?;
    let engine = Engine::open(&scene.path(), &Options::default())?;
    let txn = engine.begin()?;
    for key in ["x1", "x2"] {
        txn.execute(PUT, &[Bind::Text(key), Bind::Int(1000)])?;
    }
    txn.commit()?;
    let transfer = |abort: bool| -> Result<(), StoreError> {
        let txn = engine.begin()?;
        txn.execute("UPDATE vellum_meta SET value = value - 1 WHERE key = 'x1'", &[])?;
        txn.execute("UPDATE vellum_meta SET value = value + 1 WHERE key = 'x2'", &[])?;
        if abort { Ok(()) } else { txn.commit() }
    };
    let sum = "SELECT sum(value) FROM vellum_meta WHERE key IN ('x1', 'x2')";
    let results: Vec<Result<(), StoreError>> = thread::scope(|scope| {
        let writers = (0..4).map(|_| scope.spawn(|| (0..25).try_for_each(|i| transfer(i % 5 == 0))));
        let readers = (0..4).map(|_| {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(int(&*engine.reader()?, sum)?, 2000);
                    let snapshot = engine.snapshot()?;
                    let x1 = int(&snapshot, "SELECT value FROM vellum_meta WHERE key = 'x1'")?;
                    let x2 = int(&snapshot, "SELECT value FROM vellum_meta WHERE key = 'x2'")?;
                    assert_eq!(x1 + x2, 2000);
                }
                Ok(())
            })
        });
        let all: Vec<_> =
            writers.collect::<Vec<_>>().into_iter().chain(readers.collect::<Vec<_>>()).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    results.into_iter().collect::<Result<(), _>>()?;
    assert_eq!(int(&*engine.reader()?, "SELECT value FROM vellum_meta WHERE key = 'x2'")?, 1080);
    Ok(())
}

#[test]
fn guards_move_between_threads_and_an_engine_is_shared() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<(crate::store::Reader, crate::store::ReadTxn, WriteTxn, OwnedRows<crate::store::Reader>)>();
    is_send::<Engine>();
    is_sync::<Engine>();
}
