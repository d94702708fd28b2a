//! Transactions as values: they nest, move between threads, and end in one of two ways.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use support::{TestResult, fails};
use vellum::ErrorKind::{Busy, NoRow, Unique, WrongTarget};
use vellum::prelude::*;
use vellum::{Durability, Options};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "notes")]
struct Note {
    id: i64,
    #[document(unique)]
    title: String,
    #[document(index)]
    size: i64,
}

fn note(title: &str) -> Note {
    Note { id: 0, title: title.into(), size: 1 }
}

fn database() -> vellum::Result<(Database, Collection<'static, Note>)> {
    let db = Options::new().busy_timeout(Duration::from_millis(150)).open_in_memory()?;
    let notes = db.collection::<Note>()?;
    notes.ensure_indexes()?;
    Ok((db, notes))
}

fn titles(notes: &Collection<'_, Note>) -> vellum::Result<Vec<String>> {
    notes.query().select(|n| n.title).to_vec()
}

fn insert(tx: &Tx<'_>, title: &str) -> vellum::Result<i64> {
    tx.collection::<Note>()?.insert(note(title))
}

#[test]
fn an_inner_transaction_ends_alone() -> TestResult {
    let (db, notes) = database()?;
    let mut tx = db.begin()?;
    insert(&tx, "outer")?;
    let inner = tx.begin()?;
    insert(&inner, "dropped")?;
    drop(inner);
    let inner = tx.begin()?;
    insert(&inner, "rolled back")?;
    inner.rollback()?;
    let inner = tx.begin()?;
    insert(&inner, "kept")?;
    inner.commit()?;
    insert(&tx, "last")?;
    assert_eq!(titles(&tx.collection()?)?, ["outer", "kept", "last"]);
    assert_eq!(notes.count()?, 0, "nothing is committed yet");
    tx.commit()?;
    assert_eq!(titles(&notes)?, ["outer", "kept", "last"]);
    Ok(())
}

#[test]
fn what_an_inner_transaction_committed_goes_with_the_outer_one() -> TestResult {
    let (db, notes) = database()?;
    let mut tx = db.begin()?;
    let mut middle = tx.begin()?;
    let inner = middle.begin()?;
    insert(&inner, "a")?;
    inner.commit()?;
    assert_eq!(titles(&middle.collection()?)?, ["a"]);
    drop(middle);
    assert_eq!(tx.collection::<Note>()?.count()?, 0);
    let inner = tx.begin()?;
    insert(&inner, "b")?;
    inner.commit()?;
    drop(tx);
    assert_eq!(notes.count()?, 0);
    Ok(())
}

/// Stores two notes, or none: the same function at any depth.
fn insert_both(tx: &mut Tx<'_>, first: &str, second: &str) -> vellum::Result<()> {
    tx.transaction(|tx| {
        insert(tx, first)?;
        insert(tx, second).map(drop)
    })
}

#[test]
fn an_inner_closure_is_all_or_nothing_by_itself() -> TestResult {
    let (db, notes) = database()?;
    db.transaction(|tx| {
        insert_both(tx, "a", "b")?;
        fails(insert_both(tx, "c", "a"), Unique, &["notes/title"]);
        tx.transaction(|tx| insert_both(tx, "d", "e"))?;
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            tx.transaction(|tx| -> vellum::Result<()> {
                insert(tx, "f")?;
                panic!("in the middle")
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(titles(&tx.collection()?)?, ["a", "b", "d", "e"]);
        insert(tx, "g")
    })?;
    assert_eq!(titles(&notes)?, ["a", "b", "d", "e", "g"]);
    Ok(())
}

#[test]
fn an_error_that_leaves_both_closures_takes_both_back() -> TestResult {
    let (db, notes) = database()?;
    let failed: vellum::Result<()> = db.transaction(|tx| {
        insert(tx, "a")?;
        tx.transaction(|tx| {
            insert(tx, "b")?;
            tx.collection::<Note>()?.filter(|n| n.title.eq("none")).single().map(drop)
        })
    });
    fails(failed, NoRow, &[]);
    assert_eq!(notes.count()?, 0);
    notes.insert(note("the writer is free"))?;
    Ok(())
}

#[test]
fn ids_of_an_inner_transaction_are_not_given_again() -> TestResult {
    let (db, notes) = database()?;
    let mut tx = db.begin()?;
    assert_eq!(insert(&tx, "a")?, 1);
    let inner = tx.begin()?;
    assert_eq!(insert(&inner, "b")?, 2);
    drop(inner);
    assert_eq!(insert(&tx, "c")?, 3);
    drop(tx);
    assert_eq!(notes.insert(note("d"))?, 4);
    Ok(())
}

/// An index that was taken back and another made in its place have the same epoch inside the transaction.
#[test]
fn a_compiled_query_follows_the_indexes_of_every_depth() -> TestResult {
    let db = Database::open_in_memory()?;
    let notes = db.collection::<Note>()?;
    notes.insert_batch((0..100).map(|n| Note { size: n % 7, ..note(&n.to_string()) }))?;
    let by_size = db.compile(|q, (size,)| q.from::<Note>().filter(|n| n.size.eq(size)).count())?;
    let by_title = db.compile(|q, (title,)| q.from::<Note>().filter(|n| n.title.eq(title)).count())?;
    let both = |tx: &Tx<'_>| Ok::<_, vellum::Error>((by_size.on(tx).call(3)?, by_title.on(tx).call("3")?));

    let mut tx = db.begin()?;
    assert_eq!(both(&tx)?, (14, 1));
    let inner = tx.begin()?;
    inner.collection::<Note>()?.ensure_index(|n| n.size).create()?;
    assert_eq!(both(&inner)?, (14, 1));
    drop(inner);
    assert_eq!(both(&tx)?, (14, 1));
    let inner = tx.begin()?;
    inner.collection::<Note>()?.ensure_index(|n| n.title).create()?;
    assert_eq!(both(&inner)?, (14, 1));
    inner.collection::<Note>()?.delete_many(|n| n.size.eq(3))?;
    assert_eq!(both(&inner)?, (0, 0));
    assert_eq!((by_size.call(3)?, by_title.call("3")?), (14, 1), "others see none of it");
    inner.commit()?;
    tx.commit()?;
    assert_eq!((by_size.call(3)?, by_title.call("3")?), (0, 0));
    let names: Vec<_> = notes.indexes()?.into_iter().map(|index| index.name).collect();
    assert_eq!(names, ["notes/title"]);
    assert!(by_title.to_sql().contains("INDEXED BY"), "{}", by_title.to_sql());
    assert!(!by_size.to_sql().contains("notes/size"), "{}", by_size.to_sql());
    Ok(())
}

#[test]
fn a_collection_made_in_an_inner_transaction_goes_with_it() -> TestResult {
    let (db, _notes) = database()?;
    let mut tx = db.begin()?;
    let inner = tx.begin()?;
    inner.collection_named::<Note>("drafts")?.insert(note("a"))?;
    drop(inner);
    let drafts = tx.collection_named::<Note>("drafts")?;
    assert_eq!(drafts.count()?, 0);
    drafts.insert(note("b"))?;
    tx.commit()?;
    assert_eq!(titles(&db.collection_named("drafts")?)?, ["b"]);
    Ok(())
}

#[test]
fn rows_are_read_on_while_a_batch_beside_them_is_taken_back() -> TestResult {
    let (db, _notes) = database()?;
    let tx = db.begin()?;
    let notes = tx.collection::<Note>()?;
    notes.insert_batch((0..50).map(|n| note(&n.to_string())))?;
    let mut seen = Vec::new();
    for row in notes.query().iter()? {
        let row = row?;
        fails(notes.insert_batch([note(&format!("{} again", row.title)), note("7")]), Unique, &["item 1"]);
        seen.push(row.id);
    }
    assert_eq!(seen, (1..=50).collect::<Vec<i64>>());
    assert_eq!(notes.count()?, 50);
    Ok(())
}

#[test]
fn a_transaction_is_kept_in_a_value_and_ended_by_another_thread() -> TestResult {
    struct Job {
        tx: Tx<'static>,
        title: &'static str,
    }
    let (db, notes) = database()?;
    let job = Job { tx: db.begin()?, title: "there" };
    insert(&job.tx, "here")?;
    let ended = thread::spawn(move || {
        insert(&job.tx, job.title)?;
        job.tx.commit()
    });
    ended.join().map_err(|_| "panicked")??;
    assert_eq!(titles(&notes)?, ["here", "there"]);
    Ok(())
}

#[test]
fn threads_share_a_transaction_and_move_the_inner_one() -> TestResult {
    let (db, notes) = database()?;
    let mut tx = db.begin()?;
    thread::scope(|scope| {
        let tx = &tx;
        let inserted: Vec<_> =
            (0..8).map(|n| scope.spawn(move || insert(tx, &format!("shared {n}")))).collect();
        inserted
            .into_iter()
            .try_for_each(|one| one.join().map_err(|_| "panicked")?.map(drop).map_err(Box::from))
    })
    .map_err(|error: Box<dyn std::error::Error>| error)?;
    let inner = tx.begin()?;
    let inner = thread::scope(|scope| {
        let moved = scope.spawn(move || insert(&inner, "moved").map(|_| inner));
        moved.join()
    });
    inner.map_err(|_| "panicked")??.commit()?;
    let inner = tx.begin()?;
    thread::scope(|scope| scope.spawn(move || insert(&inner, "dropped there").map(drop)).join())
        .map_err(|_| "panicked")??;
    tx.commit()?;
    assert_eq!(notes.count()?, 9);
    assert_eq!(notes.filter(|n| n.title.starts_with("dropped")).count()?, 0);
    Ok(())
}

/// Asserts that another thread waits for what this one uses, and then is told.
fn assert_in_use(shared: &Collection<'_, Note>) -> TestResult {
    let start = Instant::now();
    let elsewhere = thread::scope(|scope| scope.spawn(|| shared.count()).join());
    fails(elsewhere.map_err(|_| "panicked")?, Busy, &["150 ms", "drop its iterators", "busy_timeout"]);
    assert!(start.elapsed() >= Duration::from_millis(150), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn a_shared_transaction_or_snapshot_is_waited_for_no_longer_than_the_writer() -> TestResult {
    let (db, notes) = database()?;
    notes.insert_batch([note("a"), note("b")])?;
    let (tx, snapshot) = (db.begin()?, db.snapshot()?);
    let (written, read) = (tx.collection::<Note>()?, snapshot.collection::<Note>()?);
    let mut rows = read.query().iter()?;
    rows.next().ok_or("a row")??;
    assert_eq!(read.count()?, 2, "the same thread goes on");
    assert_in_use(&read)?;
    drop(rows);
    let mut asked = Ok(());
    let while_asked = std::iter::once_with(|| {
        asked = assert_in_use(&written).map_err(|error| error.to_string());
        note("c")
    });
    written.insert_batch(while_asked)?;
    asked?;
    for (shared, count) in [(&written, 3), (&read, 2)] {
        let elsewhere = thread::scope(|scope| scope.spawn(|| shared.count()).join());
        assert_eq!(elsewhere.map_err(|_| "panicked")??, count);
    }
    Ok(())
}

/// Returns the ten notes of a transaction, of sizes 0 to 9.
fn ten<'t>(tx: &'t Tx<'_>) -> vellum::Result<Collection<'t, Note>> {
    let notes = tx.collection::<Note>()?;
    notes.insert_batch((0..10).map(|size| Note { size, ..note(&size.to_string()) }))?;
    Ok(notes)
}

#[test]
fn an_iterator_of_a_transaction_meets_nothing_that_is_written_beside_it() -> TestResult {
    for indexed in [true, false] {
        let (db, outside) = database()?;
        if !indexed {
            assert!(outside.drop_index("notes/size")?);
        }
        let tx = db.begin()?;
        let notes = ten(&tx)?;
        let mut moved = Vec::new();
        for row in notes.filter(|n| n.size.ge(0)).order_by(|n| n.size).iter()? {
            let row = row?;
            moved.push(row.size);
            notes.filter(|n| n.id.eq(row.id)).update(|n| n.size.increment(1_000))?;
            notes.delete(row.id + 1)?;
        }
        assert_eq!(moved, (0..10).collect::<Vec<i64>>(), "indexed: {indexed}");
        assert_eq!(notes.count()?, 1);
        let mut seen = 0;
        notes.filter(|n| n.size.ge(0)).for_each(|_| {
            seen += 1;
            insert(&tx, &format!("new {seen}")).map(drop)
        })?;
        assert_eq!((seen, notes.count()?), (1, 2));
    }
    Ok(())
}

#[test]
fn an_iterator_of_a_transaction_outlives_indexes_and_what_is_taken_back() -> TestResult {
    let (db, _) = database()?;
    let tx = db.begin()?;
    let notes = ten(&tx)?;
    let mut open = notes.query().iter()?;
    open.next().ok_or("a row")??;
    assert!(notes.drop_index("notes/size")?);
    notes.ensure_index(|n| (n.size, n.title)).create()?;
    fails(notes.insert_batch([note("other"), note("7")]), Unique, &["item 1"]);
    assert_eq!(open.collect::<vellum::Result<Vec<Note>>>()?.len(), 9);
    Ok(())
}

/// The thread that used the transaction last would wait for itself; any other may hope.
#[test]
fn a_transaction_takes_along_whose_writes_past_it_are_refused() -> TestResult {
    let (db, notes) = database()?;
    let timeout = Duration::from_millis(150);
    let past_it = |notes: &Collection<'_, Note>| {
        let start = Instant::now();
        let kind = notes.insert(note("past it")).err().map(|error| error.kind());
        (kind, start.elapsed() >= timeout)
    };
    let (told, waited) = ((Some(WrongTarget), false), (Some(Busy), true));

    let mut tx = db.begin()?;
    assert_eq!(past_it(&notes), told);
    let elsewhere = thread::scope(|scope| scope.spawn(|| past_it(&notes)).join());
    assert_eq!(elsewhere.map_err(|_| "panicked")?, waited);
    let mut tx = thread::scope(|scope| {
        let used = scope.spawn(|| {
            insert(&tx, "there").expect("the transaction is open");
            assert_eq!(past_it(&notes), told);
            let inner = tx.begin().expect("the transaction is open");
            assert_eq!(past_it(&notes), told);
            drop(inner);
            tx
        });
        used.join()
    })
    .map_err(|_| "panicked")?;
    assert_eq!(past_it(&notes), waited, "it is the other thread's");
    assert_eq!(tx.collection::<Note>()?.count()?, 1);
    assert_eq!(past_it(&notes), told, "and this thread's again");
    let inner = tx.begin()?;
    assert_eq!(past_it(&notes), told);
    inner.commit()?;
    thread::spawn(|| tx.commit()).join().map_err(|_| "panicked")??;
    assert_eq!(past_it(&notes), (None, false));
    Ok(())
}

/// Another durability is another engine in the same process.
#[test]
fn all_handles_of_a_file_know_of_its_open_transaction_and_of_the_ids_it_gave() -> TestResult {
    let dir = support::Dir::new()?;
    let (one, two) = (
        Database::open(dir.file("a.db"))?,
        Options::new().durability(Durability::Os).open(dir.file("a.db"))?,
    );
    let notes = two.collection::<Note>()?;
    let tx = one.begin()?;
    let start = Instant::now();
    fails(notes.insert(note("past it")), WrongTarget, &["a.db", "transaction"]);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    let taken_back = insert(&tx, "a")?;
    drop(tx);
    assert_eq!(notes.insert(note("b"))?, taken_back + 1);
    Ok(())
}

#[test]
fn a_transaction_outlives_the_handle_that_began_it() -> TestResult {
    let dir = support::Dir::new()?;
    let mut tx = Database::open(dir.file("a.db"))?.begin()?;
    insert_both(&mut tx, "a", "b")?;
    tx.commit()?;
    assert_eq!(titles(&Database::open(dir.file("a.db"))?.collection()?)?, ["a", "b"]);
    Ok(())
}
