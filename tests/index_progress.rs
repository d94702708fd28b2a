//! Watching the build of an index, and breaking it off.

mod support;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, assert_whole, fails};
use vellum::prelude::*;
use vellum::{ErrorKind, IndexProgress};

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "rows")]
struct Row {
    id: i64,
    name: String,
    size: Option<f64>,
}

const COUNT: u64 = 20_000;

fn fill(db: &Database) -> vellum::Result<Collection<'static, Row>> {
    let rows = db.collection::<Row>()?;
    let name = |n: u64| format!("row {}", n.wrapping_mul(7_919) % COUNT);
    rows.insert_batch((0..COUNT).map(|n| Row {
        id: 0,
        name: name(n),
        size: (n % 3 > 0).then_some(n as f64),
    }))?;
    Ok(rows)
}

#[test]
fn a_build_tells_how_far_it_has_come() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    let mut seen: Vec<IndexProgress> = Vec::new();
    let mut watch = |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    let name = rows.ensure_index(|r| (r.name, r.size)).on_progress(&mut watch).create()?;
    assert_eq!(name.created, ["rows/name,size"]);
    let nulls = rows.ensure_index(|r| r.size).on_progress(&mut watch).create()?;
    assert_eq!(nulls.created, ["rows/size"]);
    // What is there already is not built.
    let before = rows.ensure_index(|r| r.size).on_progress(|_| panic!("nothing is built")).create()?;
    assert_eq!(before.unchanged, ["rows/size"]);
    let again = seen.windows(2).position(|pair| pair[0].part > pair[1].part).ok_or("two builds")?;
    let (first, second) = seen.split_at(again + 1);
    for build in [first, second] {
        assert!(build.len() > 10, "{}", build.len());
        assert!(build.is_sorted_by(|a, b| a.part <= b.part), "{build:?}");
        assert!(build[0].part < 0.1 && build[build.len() / 2].part < 0.8, "{build:?}");
        assert!(build.last().is_some_and(|last| (0.8..=1.0).contains(&last.part)), "{build:?}");
        assert!(build.iter().all(|progress| progress.documents == COUNT));
    }
    Ok(())
}

#[derive(Document, Serialize, Deserialize)]
#[document(collection = "rows", compound("size", "name"))]
struct Indexed {
    id: i64,
    #[document(index)]
    name: String,
    #[document(index)]
    size: Option<f64>,
}

#[test]
fn the_builds_of_a_type_are_told_as_one() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    rows.ensure_index(|r| r.name).create()?;
    let indexed = db.collection::<Indexed>()?;
    let mut seen: Vec<IndexProgress> = Vec::new();
    let report = indexed.ensure_indexes_with(|progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    })?;
    assert_eq!((report.created.len(), report.unchanged.len()), (2, 1));
    assert!(seen.is_sorted_by(|a, b| a.part <= b.part), "{seen:?}");
    // One of four is there, the last is the narrow index.
    assert!(seen.first().is_some_and(|first| (0.25..0.3).contains(&first.part)), "{seen:?}");
    assert!(seen.last().is_some_and(|last| (0.9..=1.0).contains(&last.part)), "{seen:?}");
    indexed.ensure_indexes_with(|_| panic!("nothing is built"))?;
    Ok(())
}

#[test]
fn the_builds_of_a_type_are_broken_off_together() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    let indexed = db.collection::<Indexed>()?;
    let broken = indexed.ensure_indexes_with(|progress| match progress.part > 0.6 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    fails(broken, ErrorKind::Interrupted, &["broken off"]);
    assert_eq!(rows.indexes()?, []);
    assert_eq!(indexed.ensure_indexes()?.created.len(), 3);
    Ok(())
}

#[test]
fn a_build_that_is_broken_off_leaves_nothing() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    let rows = fill(&db)?;
    for calls in [1, 5, 20] {
        let mut left = calls;
        let watch = |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let broken = rows.ensure_index(|r| r.name).unique().nulls_collide().on_progress(watch).create();
        fails(broken, ErrorKind::Interrupted, &["app.db", "broken off"]);
        assert_eq!(left, 0, "it was asked again");
        assert_eq!(rows.indexes()?, []);
        assert_eq!(rows.filter(|r| r.name.eq("row 7")).count()?, 1);
    }
    // The writer goes on, unwatched.
    rows.insert(Row { id: 0, name: "one more".to_owned(), size: None })?;
    assert_eq!(rows.ensure_index(|r| r.name).create()?.created, ["rows/name"]);
    assert_eq!(rows.count()?, COUNT + 1);
    drop((rows, db));
    assert_whole(&path)
}

#[test]
fn the_transaction_of_a_build_that_is_broken_off_is_over() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    let tx = db.begin()?;
    tx.collection::<Row>()?.delete_many(|r| r.id.le(10))?;
    let inside = tx.collection::<Row>()?;
    let broken = inside.ensure_index(|r| r.name).on_progress(|_| ControlFlow::Break(())).create();
    fails(broken, ErrorKind::Interrupted, &[]);
    fails(inside.count(), ErrorKind::Stale, &[]);
    fails(tx.commit(), ErrorKind::Stale, &[]);
    assert_eq!(rows.count()?, COUNT);
    Ok(())
}

#[test]
fn who_watches_cannot_use_the_transaction_and_can_read_the_database() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    let tx = db.begin()?;
    let inside = tx.collection::<Row>()?;
    let mut calls = 0;
    let watch = |_| {
        calls += 1;
        fails(inside.count(), ErrorKind::Stale, &[]);
        fails(inside.filter(|r| r.name.eq("row 7")).first(), ErrorKind::Stale, &[]);
        fails(rows.delete(1), ErrorKind::WrongTarget, &[]);
        assert_eq!(rows.get(1).map(|row| row.map(|row| row.name)).ok().flatten().as_deref(), Some("row 0"));
        ControlFlow::Continue(())
    };
    assert_eq!(inside.ensure_index(|r| r.name).on_progress(watch).create()?.created, ["rows/name"]);
    assert!(calls > 10, "{calls}");
    assert_eq!(inside.count()?, COUNT);
    tx.commit()?;
    assert_eq!(rows.indexes()?.len(), 1);
    Ok(())
}

#[test]
fn a_panic_of_who_watches_is_passed_on_and_the_database_goes_on() -> TestResult {
    let db = Database::open_in_memory()?;
    let rows = fill(&db)?;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        rows.ensure_index(|r| r.name).on_progress(|_| panic!("enough")).create()
    }));
    let payload = panicked.err().ok_or("no panic")?;
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"enough"));
    assert_eq!(rows.indexes()?, []);
    rows.insert(Row { id: 0, name: "one more".to_owned(), size: None })?;
    assert_eq!(rows.ensure_index(|r| r.name).create()?.created, ["rows/name"]);
    Ok(())
}
