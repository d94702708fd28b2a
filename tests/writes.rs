//! Rules 23, 28 and 30 to 32: atomic calls, ids, uniqueness, transactions, snapshots, and waiting.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, strange};
use vellum::ErrorKind::{
    AlreadyExists, Busy, InvalidQuery, NotFinite, OutOfRange, ReadOnly, Unique, WrongTarget,
};
use vellum::prelude::*;
use vellum::{Durability, Error, Options};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
#[document(collection = "c", compound(unique, "a", "b"))]
struct C {
    id: i64,
    #[document(unique)]
    s: Option<String>,
    a: Option<i64>,
    b: Option<i64>,
    x: f64,
}

fn named(s: &str) -> C {
    C { s: Some(s.to_owned()), ..C::default() }
}

fn database() -> vellum::Result<(Database, Collection<'static, C>)> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.ensure_indexes()?;
    Ok((db, c))
}

#[test]
fn documents_are_stored_replaced_and_deleted_by_key() -> TestResult {
    let (_db, c) = database()?;
    let mut first = named("first");
    assert_eq!(c.insert(&mut first)?, 1);
    assert_eq!(first.id, 1);
    assert_eq!(c.insert(C { id: 10, ..named("tenth") })?, 10);
    assert_eq!(c.insert(named("eleventh"))?, 11);
    assert_eq!(c.insert(C { id: -3, ..named("negative") })?, -3);
    fails(c.insert(C { id: 10, ..named("again") }), AlreadyExists, &["`c`", "10"]);
    assert_eq!(c.upsert(C { id: 10, ..named("changed") })?, 10);
    let mut new = named("new");
    assert_eq!(c.upsert(&mut new)?, 12);
    assert_eq!(new.id, 12);
    assert_eq!(c.upsert(C { id: 20, ..named("put") })?, 20);
    assert!(c.replace(&C { id: 20, ..named("replaced") })?);
    assert!(!c.replace(&C { id: 21, ..named("nobody") })?);
    assert!(!c.replace(&named("no key"))?);
    let many = c.get_many([20, 99, 1, 20, -3])?;
    let names: Vec<_> = many.into_iter().map(|e| e.and_then(|e| e.s)).collect();
    let name = |s: &str| Some(s.to_owned());
    assert_eq!(names, [name("replaced"), None, name("first"), name("replaced"), name("negative")]);
    assert!(c.delete(20)?);
    assert!(!c.delete(20)?);
    assert_eq!(c.get(20)?, None);
    assert_eq!(c.query().select(|e| e.id).to_vec()?, [-3, 1, 10, 11, 12]);
    assert_eq!(c.get_many([])?, []);
    Ok(())
}

#[test]
fn a_failed_batch_stores_nothing_puts_ids_back_and_names_the_item() -> TestResult {
    let (_db, c) = database()?;
    c.insert(named("taken"))?;
    let batch = || vec![named("a"), C { id: 50, ..named("b") }, named("c"), named("d")];
    let before = |batch: &[C]| batch.iter().map(|e| e.id).collect::<Vec<_>>();

    let mut unique = batch();
    unique[2] = named("taken");
    fails(c.insert_batch(&mut unique), Unique, &["item 2", "c/s"]);
    assert_eq!(before(&unique), [0, 50, 0, 0]);

    let mut twice = batch();
    twice[3].id = 50;
    fails(c.insert_batch(&mut twice), AlreadyExists, &["item 3", "`c`", "50"]);
    assert_eq!(before(&twice), [0, 50, 0, 50]);

    let mut nan = batch();
    nan[1].x = f64::NAN;
    let error = c.insert_batch(&mut nan).expect_err("NaN");
    assert!(matches!(error, Error::Item { index: 1, .. }), "{error:?}");
    fails::<()>(Err(error), NotFinite, &["item 1", "`c`", "50", "x"]);
    assert_eq!(before(&nan), [0, 50, 0, 0]);
    assert_eq!(c.query().select(|e| e.id).to_vec()?, [1]);

    let mut good = batch();
    assert_eq!(c.insert_batch(&mut good)?, [2, 50, 51, 52]);
    assert_eq!(before(&good), [2, 50, 51, 52]);
    Ok(())
}

#[test]
fn a_failed_batch_in_a_transaction_takes_only_itself_back() -> TestResult {
    let (db, c) = database()?;
    db.transaction(|tx| {
        let inside = tx.collection::<C>()?;
        inside.insert(named("before"))?;
        let mut batch = vec![named("x"), named("before")];
        fails(inside.insert_batch(&mut batch), Unique, &["item 1"]);
        assert_eq!(batch[0].id, 0);
        inside.insert(named("after"))?;
        Ok(())
    })?;
    assert_eq!(c.query().select(|e| e.s).to_vec()?, [Some("before".into()), Some("after".into())]);
    Ok(())
}

#[test]
fn a_failed_single_write_changes_neither_the_store_nor_the_document() -> TestResult {
    let (_db, c) = database()?;
    c.insert(named("taken"))?;
    let mut document = named("taken");
    fails(c.insert(&mut document), Unique, &["c/s"]);
    assert_eq!(document.id, 0);
    fails(c.upsert(&mut document), Unique, &["c/s"]);
    let mut bad = C { x: f64::INFINITY, ..named("bad") };
    fails(c.upsert(&mut bad), NotFinite, &["`c`", "x"]);
    assert_eq!(bad.id, 0);
    fails(c.replace(&C { id: 1, x: f64::NAN, ..named("bad") }), NotFinite, &["`c`", "1", "x"]);
    assert_eq!(c.get(1)?, Some(C { id: 1, ..named("taken") }));
    assert_eq!(c.count()?, 1);
    Ok(())
}

#[test]
fn a_given_id_is_never_given_again() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    {
        let db = Database::open(&file)?;
        let c = db.collection::<C>()?;
        c.insert_batch([named("a"), named("b"), named("c")])?;
        assert!(c.delete(3)?);
        assert_eq!(c.insert(named("d"))?, 4);
        assert_eq!(c.delete_many(|e| e.id.ge(2))?, 2);
    }
    {
        let c = Database::open(&file)?.collection::<C>()?;
        assert_eq!(c.insert(named("e"))?, 5);
        assert_eq!(c.query().delete()?, 2);
    }
    let db = Database::open(&file)?;
    let c = db.collection::<C>()?;
    assert_eq!(c.insert(named("f"))?, 6);
    strange(&db, "c", &[(100, r#"{"x":1.0}"#)])?;
    assert_eq!(c.insert(named("g"))?, 101);
    Ok(())
}

#[test]
fn deleting_what_is_not_there_uses_no_ids_up() -> TestResult {
    let (_db, c) = database()?;
    assert!(!c.delete(i64::MAX)?);
    assert!(!c.delete(1_000_000)?);
    assert_eq!(c.insert(named("a"))?, 1);
    Ok(())
}

#[test]
fn the_largest_id_is_the_last() -> TestResult {
    let (_db, c) = database()?;
    c.insert(C { id: i64::MAX, ..named("last") })?;
    fails(c.insert(named("none left")), OutOfRange, &["`c`"]);
    assert_eq!(c.insert(C { id: 7, ..named("chosen") })?, 7);
    Ok(())
}

#[test]
fn a_unique_index_ignores_documents_without_a_value() -> TestResult {
    let (db, c) = database()?;
    c.insert_batch((0..3).map(|_| C::default()))?;
    strange(&db, "c", &[(50, r#"{"x":1.0}"#), (51, r#"{"x":1.0}"#)])?;
    c.insert(named(""))?;
    fails(c.insert(named("")), Unique, &["c/s"]);
    let pair = |a, b| C { a, b, ..C::default() };
    c.insert_batch([
        pair(Some(1), Some(1)),
        pair(Some(1), Some(2)),
        pair(Some(1), None),
        pair(Some(1), None),
    ])?;
    fails(c.insert(pair(Some(1), Some(2))), Unique, &["c/a,b"]);
    c.insert(pair(None, Some(2)))?;
    c.insert(pair(None, Some(2)))?;
    Ok(())
}

#[test]
fn a_unique_index_over_documents_that_break_it_is_not_made() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch([named("x"), named("y"), named("x")])?;
    fails(c.ensure_indexes(), Unique, &["c/s"]);
    fails(c.ensure_index(|e| e.s.desc()).unique().create(), Unique, &["c/s desc"]);
    assert_eq!(c.indexes()?, []);
    assert_eq!(c.filter(|e| e.s.eq("x")).count()?, 2);
    c.delete(3)?;
    c.ensure_index(|e| e.s.desc()).unique().create()?;
    let name = c.indexes()?[0].name.clone();
    fails(c.insert(named("x")), Unique, &[&name]);
    Ok(())
}

#[test]
fn a_transaction_is_all_or_nothing() -> TestResult {
    let (db, c) = database()?;
    let failed: vellum::Result<()> = db.transaction(|tx| {
        tx.collection::<C>()?.insert(named("a"))?;
        tx.collection::<C>()?.insert(C { x: f64::NAN, ..named("b") })?;
        Ok(())
    });
    fails(failed, NotFinite, &["x"]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        db.transaction(|tx| -> vellum::Result<()> {
            tx.collection::<C>()?.insert(named("a"))?;
            panic!("in the middle")
        })
    }));
    assert!(panicked.is_err());
    let tx = db.begin()?;
    tx.collection::<C>()?.insert(named("a"))?;
    drop(tx);
    let tx = db.begin()?;
    tx.collection::<C>()?.insert(named("a"))?;
    tx.rollback()?;
    assert_eq!(c.count()?, 0);
    assert_eq!(c.insert(named("a"))?, 5, "what was rolled back had given four ids");
    Ok(())
}

#[test]
fn a_transaction_sees_its_own_writes_and_nobody_else_does_before_the_commit() -> TestResult {
    let (db, c) = database()?;
    let count = db.compile(|q, ()| q.from::<C>().count())?;
    let add = db.compile(|q, (x,)| q.from::<C>().update(|e| e.x.set(x)))?;
    let tx = db.begin()?;
    tx.collection::<C>()?.insert(named("a"))?;
    assert_eq!(count.on(&tx).call(())?, 1);
    assert_eq!(add.on(&tx).call(2.5)?, 1);
    assert_eq!(tx.collection::<C>()?.get(1)?.map(|e| e.x), Some(2.5));
    assert_eq!(count.call(())?, 0);
    assert_eq!(c.get(1)?, None);
    tx.commit()?;
    assert_eq!(count.call(())?, 1);
    assert_eq!(c.get(1)?.map(|e| e.x), Some(2.5));
    Ok(())
}

#[test]
fn an_index_and_a_collection_made_in_a_transaction_go_with_it() -> TestResult {
    let db = Database::open_in_memory()?;
    let tx = db.begin()?;
    let inside = tx.collection::<C>()?;
    inside.insert(named("a"))?;
    inside.ensure_indexes()?;
    assert_eq!(inside.filter(|e| e.s.eq("a")).count()?, 1);
    drop(tx);
    let c = db.collection::<C>()?;
    assert_eq!(c.indexes()?, []);
    assert_eq!(c.filter(|e| e.s.eq("a")).count()?, 0);
    c.insert(named("a"))?;
    c.insert(named("a"))?;
    Ok(())
}

#[test]
fn a_write_past_the_open_transaction_is_told_at_once() -> TestResult {
    let (db, c) = database()?;
    let other = Database::open_in_memory()?;
    other.collection::<C>()?;
    let count = db.compile(|q, ()| q.from::<C>().count())?;
    let delete = db.compile(|q, ()| q.from::<C>().delete())?;
    let tx = db.begin()?;
    let start = Instant::now();
    fails(c.insert(named("a")), WrongTarget, &["memory.db", "transaction"]);
    fails(c.query().delete(), WrongTarget, &["transaction"]);
    fails(delete.call(()), WrongTarget, &["transaction"]);
    fails(db.begin().map(|_| ()), WrongTarget, &["transaction"]);
    fails(c.ensure_indexes().map(|_| ()), WrongTarget, &["transaction"]);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(c.count()?, 0, "reading goes on");
    drop(tx);
    fails(count.on(&other).call(()), WrongTarget, &[]);
    let foreign = other.begin()?;
    fails(count.on(&foreign).call(()), WrongTarget, &[]);
    fails(delete.on(&db.snapshot()?).call(()), WrongTarget, &[]);
    let snapshot = db.snapshot()?;
    fails(snapshot.collection::<C>()?.insert(named("a")), WrongTarget, &[]);
    fails(snapshot.collection_named::<C>("later").map(|_| ()), InvalidQuery, &["`later`"]);
    Ok(())
}

#[test]
fn a_snapshot_sees_one_moment() -> TestResult {
    let (db, c) = database()?;
    c.insert_batch([named("a"), named("b")])?;
    let names = db.compile(|q, ()| q.from::<C>().select(|e| e.s))?;
    let snapshot = db.snapshot()?;
    let before = names.on(&snapshot).call(())?;
    c.insert(named("c"))?;
    c.delete(1)?;
    c.drop_index("c/s")?;
    assert_eq!(names.on(&snapshot).call(())?, before);
    let then = snapshot.collection::<C>()?;
    assert_eq!(then.get(1)?.and_then(|e| e.s).as_deref(), Some("a"));
    assert_eq!(then.filter(|e| e.s.eq("a")).count()?, 1);
    assert_eq!(then.get_many([1, 3])?.iter().flatten().count(), 1);
    assert_eq!(c.filter(|e| e.s.eq("a")).count()?, 0);
    assert_eq!(names.call(())?, [Some("b".into()), Some("c".into())]);
    Ok(())
}

#[test]
fn a_thread_can_hold_several_iterators_and_write_meanwhile() -> TestResult {
    let (db, c) = database()?;
    c.insert_batch((0..50).map(|n| named(&n.to_string())))?;
    let all = db.compile(|q, ()| q.from::<C>())?;
    let mut iterators = (0..10).map(|_| all.iter(())).collect::<vellum::Result<Vec<_>>>()?;
    for (start, rows) in iterators.iter_mut().enumerate() {
        for _ in 0..start {
            rows.next().ok_or("a row")??;
        }
    }
    c.insert(named("new"))?;
    c.query().filter(|e| e.id.le(5)).delete()?;
    for (start, rows) in iterators.into_iter().enumerate() {
        let rest = rows.collect::<vellum::Result<Vec<_>>>()?;
        assert_eq!(rest.len(), 50 - start, "each sees the moment at which it began");
    }
    let mut seen = 0;
    c.query().for_each(|outer| {
        seen += usize::from(c.get(outer.id)?.is_some());
        Ok(())
    })?;
    assert_eq!(seen, 46);
    Ok(())
}

#[test]
fn busy_comes_after_the_timeout_and_not_before() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let timeout = Duration::from_millis(200);
    let first = Options::new().busy_timeout(timeout).open(&file)?;
    first.collection::<C>()?;
    let second = Options::new().durability(Durability::Os).busy_timeout(timeout).open(&file)?;
    let c = second.collection::<C>()?;
    let tx = first.begin()?;
    tx.collection::<C>()?.insert(named("held"))?;
    for db in [&first, &second] {
        let start = Instant::now();
        let waited = thread::scope(|scope| scope.spawn(|| db.begin().map(drop)).join());
        fails(waited.map_err(|_| "panicked")?, Busy, &["a.db", "busy_timeout"]);
        assert!(start.elapsed() >= timeout, "{:?}", start.elapsed());
    }
    assert_eq!(c.count()?, 0, "readers do not wait");
    tx.commit()?;
    c.insert(named("a"))?;
    assert_eq!(c.count()?, 2);
    Ok(())
}

#[test]
fn a_transaction_moves_between_threads() -> TestResult {
    let (db, c) = database()?;
    let tx = db.begin()?;
    tx.collection::<C>()?.insert(named("here"))?;
    let tx = thread::spawn(move || -> vellum::Result<_> {
        tx.collection::<C>()?.insert(named("there"))?;
        Ok(tx)
    });
    let tx = tx.join().map_err(|_| "panicked")??;
    thread::spawn(move || tx.commit()).join().map_err(|_| "panicked")??;
    assert_eq!(c.count()?, 2);
    c.insert(named("free again"))?;
    Ok(())
}

#[test]
fn writers_of_many_threads_and_two_engines_all_succeed() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let one = Options::new().durability(Durability::Os).open(&file)?;
    let two = Options::new().durability(Durability::Memory).open(&file)?;
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let (db, barrier) = (if worker % 2 == 0 { &one } else { &two }, &barrier);
                scope.spawn(move || -> vellum::Result<()> {
                    barrier.wait();
                    let c = db.collection::<C>()?;
                    for n in 0..20 {
                        c.insert(named(&format!("{worker}/{n}")))?;
                    }
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| "panicked")??;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    let ids = one.collection::<C>()?.query().select(|e| e.id).to_vec()?;
    assert_eq!(ids, (1..=160).collect::<Vec<i64>>());
    Ok(())
}

#[test]
fn a_read_only_handle_reads_what_others_write_and_writes_nothing() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let db = Database::open(&file)?;
    let reader = Options::new().read_only().open(&file)?;
    fails(reader.collection::<C>().map(|_| ()), ReadOnly, &["a.db"]);
    let c = db.collection::<C>()?;
    c.insert(named("a"))?;
    let read = reader.collection::<C>()?;
    assert_eq!(read.get(1)?, Some(C { id: 1, ..named("a") }));
    c.ensure_indexes()?;
    c.insert(named("b"))?;
    assert_eq!(read.filter(|e| e.s.eq("b")).count()?, 1);
    fails(read.insert(named("c")), ReadOnly, &["a.db", "read_only"]);
    fails(read.query().delete(), ReadOnly, &["a.db"]);
    fails(read.query().update(|e| e.x.set(1.0)), ReadOnly, &["a.db"]);
    assert!(read.ensure_indexes()?.created.is_empty());
    fails(read.ensure_index(|e| e.x).create().map(|_| ()), ReadOnly, &["a.db"]);
    fails(reader.begin().map(|_| ()), ReadOnly, &["a.db"]);
    assert_eq!(reader.snapshot()?.collection::<C>()?.count()?, 2);
    Ok(())
}

#[test]
fn an_index_that_came_elsewhere_counts_from_the_next_call_on() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let db = Database::open(&file)?;
    let c = db.collection::<C>()?;
    c.insert_batch((0..200).map(|n| named(&format!("s{n}"))))?;
    let by_call = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).select(|e| e.id))?;
    let by_iter = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).select(|e| e.x))?;
    let unused = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).count())?;
    by_call.call("s1")?;
    by_iter.iter("s1")?.count();
    let elsewhere = Options::new().durability(Durability::Os).open(&file)?;
    elsewhere.collection::<C>()?.ensure_indexes()?;
    let late = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).select(|e| e.a))?;
    for _ in 0..2 {
        by_iter.iter("s1")?.count();
        by_call.call("s1")?;
        unused.call("s1")?;
        late.call("s1")?;
    }
    for sql in [by_call.to_sql(), by_iter.to_sql(), unused.to_sql(), late.to_sql()] {
        assert!(sql.contains("INDEXED BY \"c/s\""), "{sql}");
    }
    Ok(())
}

#[test]
fn a_plan_renews_itself_when_indexes_come_and_go_elsewhere() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let db = Database::open(&file)?;
    let c = db.collection::<C>()?;
    c.insert_batch((0..200).map(|n| named(&format!("s{n}"))))?;
    let elsewhere = Options::new().durability(Durability::Os).open(&file)?;
    let there = elsewhere.collection::<C>()?;
    let find = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).select(|e| e.id))?;
    for _ in 0..3 {
        there.ensure_indexes()?;
        assert_eq!(find.call("s7")?, [8]);
        assert_eq!(find.call("s8")?, [9]);
        assert_eq!(c.filter(|e| e.s.eq("s9")).count()?, 1);
        fails(c.insert(named("s7")), Unique, &["c/s"]);
        for index in there.indexes()? {
            there.drop_index(&index.name)?;
        }
        assert_eq!(find.call("s7")?, [8]);
        assert_eq!(c.filter(|e| e.s.eq("s9")).count()?, 1);
        let rows = find.iter("s10")?.collect::<vellum::Result<Vec<i64>>>()?;
        assert_eq!(rows, [11]);
    }
    there.ensure_indexes()?;
    assert_eq!(find.call("s7")?, [8]);
    for index in there.indexes()? {
        there.drop_index(&index.name)?;
    }
    let rows = find.iter("s10")?.collect::<vellum::Result<Vec<i64>>>()?;
    assert_eq!(rows, [11], "an iterator plans anew, too");
    there.ensure_indexes()?;
    assert_eq!(c.indexes()?.len(), 2, "what is listed is what is there");
    Ok(())
}
