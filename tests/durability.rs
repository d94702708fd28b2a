//! What is there after the program was cut off in the middle: all that was acknowledged, and nothing by halves.
//!
//! A process of its own writes and aborts. That is the crash which [`Durability::Os`] promises to survive; what a power
//! cut leaves is the store's concern, whose tests hold how each durability waits for the disk.

mod support;

use std::path::Path;
use std::process::abort;

use support::entry::{Entry, entry};
use support::{Dir, TestResult, child, stranger};
use vellum::prelude::*;
use vellum::{Durability, Options};

const EACH: [(&str, Durability); 3] =
    [("full", Durability::Full), ("os", Durability::Os), ("memory", Durability::Memory)];

/// Documents of which the program does not live to see the last.
fn endless() -> impl Iterator<Item = Entry> {
    (0..).map(|n| if n < 5_000 { entry("half", n) } else { abort() })
}

/// Writes in every way there is, and returns when all of it is acknowledged.
fn write(db: &Database) -> vellum::Result<()> {
    let entries = db.collection::<Entry>()?;
    entries.insert_batch((0..500).map(|n| entry("load", n)))?;
    entries.ensure_indexes()?;
    entries.insert_batch((0..500).map(|n| entry("batch", n)))?;
    entries.insert(entry("single", 0))?;
    entries.delete_many(|e| e.by.eq("load") & e.n.ge(10))?;
    entries.update_many(|e| e.by.eq("batch") & e.n.lt(5), |e| e.by.set("updated"))?;
    entries.delete(1)?;
    db.transaction(|tx| {
        tx.collection::<Entry>()?.insert(entry("outer", 0))?;
        tx.transaction(|tx| tx.collection::<Entry>()?.insert(entry("inner", 0)))?;
        tx.begin()?.collection::<Entry>()?.insert(entry("half", 0)).map(drop)
    })
}

/// Asserts that everything is there that [`write`] wrote, and nothing else.
fn is_all_there(db: &Database) -> TestResult {
    let entries = db.collection::<Entry>()?;
    let by = entries.query().group_by(|e| e.by).select(|g| (g.key, g.count())).to_vec()?;
    let by: Vec<_> = by.iter().map(|(by, count)| (by.as_str(), *count)).collect();
    let expected = [("batch", 495), ("inner", 1), ("load", 9), ("outer", 1), ("single", 1), ("updated", 5)];
    assert_eq!(by, expected);
    Ok(())
}

fn is_sound(db: &Database) -> TestResult {
    let checked: String = stranger(db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    assert_eq!(checked, "ok");
    let entries = db.collection::<Entry>()?;
    let id = entries.insert(entry("afterwards", 0))?;
    assert_eq!(entries.get(id)?.map(|entry| entry.by).as_deref(), Some("afterwards"));
    entries.ensure_indexes()?;
    Ok(())
}

/// The other process: it opens the file as it is told, and does not come back.
fn crash(told: &str, write: impl FnOnce(&Database) -> TestResult) -> TestResult {
    let (durability, file) = told.split_once(' ').ok_or("a durability and a file")?;
    let (_, durability) =
        EACH.into_iter().find(|(name, _)| *name == durability).ok_or("no such durability")?;
    write(&Options::new().durability(durability).open(file)?)?;
    abort()
}

fn crashes(test: &str, durability: &str, file: &Path) -> TestResult {
    let output = child::start(test, &format!("{durability} {}", file.display()))?.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), None, "it was to abort: {said}");
    Ok(())
}

#[test]
fn what_was_acknowledged_survives_a_crash_of_the_program() -> TestResult {
    if let Some(told) = child::told() {
        return crash(&told, |db| Ok(write(db)?));
    }
    let this = "what_was_acknowledged_survives_a_crash_of_the_program";
    // `Memory` promises nothing.
    for durability in ["full", "os"] {
        let dir = Dir::new()?;
        crashes(this, durability, &dir.file("a.db"))?;
        let db = Database::open(dir.file("a.db"))?;
        is_all_there(&db)?;
        is_sound(&db)?;
    }
    Ok(())
}

#[test]
fn a_transaction_that_was_cut_off_leaves_nothing() -> TestResult {
    if let Some(told) = child::told() {
        return crash(&told, |db| {
            write(db)?;
            let mut tx = db.begin()?;
            let entries = tx.collection::<Entry>()?;
            entries.insert_batch((0..5_000).map(|n| entry("half", n)))?;
            entries.delete_many(|e| e.by.ne("half"))?;
            entries.ensure_index(|e| (e.n, e.by)).create()?;
            let inner = tx.begin()?;
            inner.collection_named::<Entry>("half")?.insert(entry("half", 0))?;
            inner.commit()?;
            abort()
        });
    }
    for (durability, _) in EACH {
        let dir = Dir::new()?;
        crashes("a_transaction_that_was_cut_off_leaves_nothing", durability, &dir.file("a.db"))?;
        let db = Database::open(dir.file("a.db"))?;
        is_all_there(&db)?;
        assert_eq!(db.collection::<Entry>()?.indexes()?.len(), 2);
        assert_eq!(db.collection_named::<Entry>("half")?.count()?, 0);
        is_sound(&db)?;
    }
    Ok(())
}

#[test]
fn a_batch_that_was_cut_off_leaves_nothing() -> TestResult {
    if let Some(told) = child::told() {
        return crash(&told, |db| {
            write(db)?;
            db.collection::<Entry>()?.insert_batch(endless())?;
            Ok(())
        });
    }
    for (durability, _) in EACH {
        let dir = Dir::new()?;
        crashes("a_batch_that_was_cut_off_leaves_nothing", durability, &dir.file("a.db"))?;
        let db = Database::open(dir.file("a.db"))?;
        is_all_there(&db)?;
        is_sound(&db)?;
    }
    Ok(())
}

#[test]
fn a_load_that_was_cut_off_leaves_nothing() -> TestResult {
    if let Some(told) = child::told() {
        return crash(&told, |db| {
            db.collection::<Entry>()?.insert_batch(endless())?;
            Ok(())
        });
    }
    for (durability, _) in EACH {
        let dir = Dir::new()?;
        crashes("a_load_that_was_cut_off_leaves_nothing", durability, &dir.file("a.db"))?;
        let db = Database::open(dir.file("a.db"))?;
        assert_eq!(db.collection::<Entry>()?.count()?, 0);
        is_sound(&db)?;
    }
    Ok(())
}
