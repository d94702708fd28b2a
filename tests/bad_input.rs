//! Bad and extreme input to an open database: a typed error that says where, or the right result, and nothing lost.

mod support;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, ids, stored, stranger};
use vellum::ErrorKind::{InvalidQuery, ManyRows, NoRow, OutOfRange, TypeMismatch};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: i64,
    #[document(unique)]
    s: Option<String>,
    big: Option<u64>,
}

fn c(n: i64) -> C {
    C { n, ..C::default() }
}

const NAMES: [&str; 20] = [
    "c",
    "\"; drop table c; --",
    "'); drop table c; --",
    "Events",
    "events",
    "EVENTS",
    "sqlite_x",
    "sqlite_schema",
    "vellum_meta",
    "vellum_c2",
    "json_each",
    "pragma_table_info",
    "dbstat",
    "select",
    "a/b",
    "c/n",
    " ",
    "\u{1f600}\u{e9}\u{301}",
    "line\nbreak\ttab\\",
    "temp",
];

#[test]
fn a_collection_under_any_name_is_a_collection_of_its_own() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    let longest = "x".repeat(255);
    let names: Vec<&str> = NAMES.iter().copied().chain([longest.as_str()]).collect();
    {
        let db = Database::open(&file)?;
        for (at, name) in names.iter().enumerate() {
            let c = db.collection_named::<C>(name)?;
            assert_eq!(c.name(), *name);
            c.insert_batch((0..=at as i64).map(self::c))?;
            assert_eq!(c.ensure_indexes()?.created.len(), 2, "{name:?}");
        }
    }
    let db = Database::open(&file)?;
    for (at, name) in names.iter().enumerate() {
        let c = db.collection_named::<C>(name)?;
        let len = at as u64 + 1;
        assert_eq!(c.count()?, len, "{name:?}");
        assert_eq!(c.filter(|e| e.n.eq(at as i64)).count()?, 1, "{name:?}");
        let compiled = db.compile(|q, (n,)| q.from_named::<C>(name).filter(|e| e.n.le(n)).count())?;
        assert_eq!(compiled.call(i64::MAX)?, len, "{name:?}");
        assert_eq!(c.update_many(|e| e.n.eq(0), |e| e.s.set("zero"))?, 1, "{name:?}");
        fails(c.insert(C { s: Some("zero".into()), ..C::default() }), vellum::ErrorKind::Unique, &[]);
        fails(c.insert(C { id: 1, ..C::default() }), vellum::ErrorKind::AlreadyExists, &[name, "1"]);
        assert_eq!(c.query().delete()?, len, "{name:?}");
        assert_eq!(c.count()?, 0);
        let check: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(check, "ok");
    }
    Ok(())
}

#[test]
fn a_name_that_is_empty_holds_nul_or_is_too_long_is_refused() -> TestResult {
    let db = Database::open_in_memory()?;
    for name in ["", "a\0b", "\0", &"x".repeat(256)] {
        fails(db.collection_named::<C>(name).map(|_| ()), InvalidQuery, &["1 to 255 bytes"]);
    }
    let tables: i64 =
        stranger(&db)?.query_row("SELECT count(*) FROM vellum_collection", [], |row| row.get(0))?;
    assert_eq!(tables, 0);
    Ok(())
}

#[test]
fn a_table_of_a_stranger_is_left_alone() -> TestResult {
    let db = Database::open_in_memory()?;
    stranger(&db)?.execute_batch("CREATE TABLE c(x); INSERT INTO c VALUES (5)")?;
    let c = db.collection::<C>()?;
    c.insert(self::c(1))?;
    assert_eq!(c.count()?, 1);
    let theirs: i64 = stranger(&db)?.query_row("SELECT x FROM c", [], |row| row.get(0))?;
    assert_eq!(theirs, 5);
    Ok(())
}

#[test]
fn a_collection_that_does_not_exist_is_refused_in_words() -> TestResult {
    let db = Database::open_in_memory()?;
    fails(db.compile(|q, ()| q.from::<C>().count()).map(|_| ()), InvalidQuery, &["`c`", "db.collection"]);
    let named = db.compile(|q, ()| q.from_named::<C>("no such").count()).map(|_| ());
    fails(named, InvalidQuery, &["`no such`"]);
    Ok(())
}

#[test]
fn values_never_become_sql() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    let texts =
        ["'); DROP TABLE c; --", "\"", "'", "?1", ":a", "\0'; --", "$x", "\\", "/*", "x'00'", "{}", "null"];
    for text in texts {
        let id = c.insert(C { s: Some(text.to_owned()), ..C::default() })?;
        assert_eq!(ids!(c, |e: CFields| e.s.eq(text)), [id], "{text:?}");
        assert_eq!(ids!(c, |e: CFields| e.s.is_in([text])), [id], "{text:?}");
        assert_eq!(ids!(c, |e: CFields| e.s.like(text.replace('\\', r"\\"))), [id], "{text:?}");
        assert_eq!(c.filter(|e| e.id.eq(id)).update(|e| e.s.set("other"))?, 1);
        assert_eq!(c.filter(|e| e.s.eq("other")).update(|e| e.s.set(text))?, 1);
        assert_eq!(c.get(id)?.and_then(|e| e.s).as_deref(), Some(text));
    }
    assert_eq!(c.count()?, texts.len() as u64);
    Ok(())
}

#[test]
fn a_large_unsigned_number_is_refused_wherever_it_stands() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    let named = ["18446744073709551615"];
    fails(c.insert(C { big: Some(u64::MAX), ..C::default() }), OutOfRange, &["`c`", "big", named[0]]);
    fails(c.filter(|e| e.big.eq(u64::MAX)).count(), OutOfRange, &["big", named[0]]);
    fails(c.filter(|e| e.big.between(0_u64, u64::MAX)).count(), OutOfRange, &["big", named[0]]);
    fails(c.filter(|e| e.big.is_in(vec![u64::MAX])).count(), OutOfRange, &["big", named[0]]);
    fails(c.query().select(|e| e.big.unwrap_or(u64::MAX)).to_vec(), OutOfRange, &["big", named[0]]);
    fails(c.query().update(|e| e.big.set(Some(u64::MAX))), OutOfRange, &named);
    fails(c.query().update(|e| e.big.increment(u64::MAX)), OutOfRange, &["big", named[0]]);
    let between = c.compile(|q, (low, high)| q.filter(|e| e.big.between(low, high)).count())?;
    fails(between.call((0, u64::MAX)), OutOfRange, &["argument 2", named[0]]);
    assert_eq!(between.call((0, i64::MAX as u64))?, 0);
    assert_eq!(c.count()?, 0);
    Ok(())
}

#[test]
fn a_condition_of_a_thousand_parts_runs_and_a_deep_one_is_refused() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch((1..=300).map(self::c))?;
    for round in 0..2 {
        if round == 1 {
            c.ensure_indexes()?;
        }
        let any = c.filter(|e| (1..=1_000).fold(e.n.eq(0), |any, n| any | e.n.eq(n * 2)));
        assert_eq!(any.count()?, 150);
        let all = c.filter(|e| (1..=1_000).fold(e.n.gt(0), |all, n| all & e.n.ne(n + 200)));
        assert_eq!(all.count()?, 200);
        let not = c.filter(|e| !(1..=1_000).fold(e.n.gt(500), |any, n| any | e.n.eq(n + 100)));
        assert_eq!(not.count()?, 100);
        let deep = c.filter(|e| (0..500).fold(e.n, |sum, _| sum + 0).eq(1));
        fails(deep.count(), InvalidQuery, &["200 levels", "split"]);
        let nots = c.filter(|e| (0..1_000).fold(e.n.eq(1), |not, _| !not));
        fails(nots.count(), InvalidQuery, &["200 levels"]);
    }
    Ok(())
}

#[test]
fn a_chain_of_thousands_of_parts_runs() -> TestResult {
    let c = Database::open_in_memory()?.collection::<C>()?;
    c.insert_batch((0..10).map(self::c))?;
    let found = c.filter(|e| (5..8_000).map(|n| e.n.eq(n)).reduce(|all, one| all | one).unwrap_or(e.n.eq(0)));
    assert_eq!(found.count()?, 5);
    let fallible =
        c.filter(|e| (5..2_000).map(|n| (e.n * 1).eq(n)).reduce(|all, one| all | one).unwrap_or(e.n.eq(0)));
    assert_eq!(fallible.count()?, 5);
    let fallible =
        c.filter(|e| (5..2_000).map(|n| (e.n * 1).ne(n)).reduce(|all, one| all & one).unwrap_or(e.n.eq(0)));
    assert_eq!(fallible.count()?, 5);
    Ok(())
}

#[test]
fn a_fold_inside_a_fold_is_refused() -> TestResult {
    let c = Database::open_in_memory()?.collection::<C>()?;
    let folds = c.query().group_by(|e| e.n).select(|g| g.sum(|_| g.count()));
    fails(folds.to_vec(), InvalidQuery, &["fold", "by itself"]);
    Ok(())
}

#[test]
#[should_panic(expected = "kept beyond the closure")]
fn a_literal_of_another_closure_never_means_one_of_this() {
    let c = Database::open_in_memory().and_then(|db| db.collection::<C>()).expect("an empty collection");
    let mut kept = None;
    let _ = c.filter(|e| e.n.eq(*kept.insert(lit::<i64>(7))));
    let _ = c.filter(|e| e.n.eq(9) & e.n.is_in(kept.into_iter().collect::<Vec<_>>()));
}

#[test]
fn long_texts_pass_everywhere() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.ensure_indexes()?;
    let long = "\u{e9}".repeat(500_000);
    let id = c.insert(C { s: Some(long.clone()), ..C::default() })?;
    assert_eq!(ids!(c, |e: CFields| e.s.eq(&long)), [id]);
    assert_eq!(c.filter(|e| e.s.starts_with(&long)).select(|e| e.s.len()).to_vec()?, [Some(500_000)]);
    assert_eq!(c.filter(|e| e.s.contains(&long)).count()?, 1);
    fails(c.insert(C { s: Some(long), ..C::default() }), vellum::ErrorKind::Unique, &["c/s"]);
    Ok(())
}

#[test]
fn one_row_asked_for_is_one_row_or_an_error() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    fails(c.query().single(), NoRow, &["no row"]);
    assert_eq!(c.query().single_or_none()?, None);
    assert_eq!(c.query().first()?, None);
    c.insert_batch([self::c(1), self::c(2)])?;
    fails(c.query().single(), ManyRows, &["several"]);
    fails(c.query().single_or_none(), ManyRows, &["several"]);
    assert_eq!(c.query().take(1).single()?.n, 1);
    assert_eq!(c.filter(|e| e.n.eq(2)).single()?.id, 2);
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct Text {
    id: i64,
    #[document(index)]
    n: String,
}

#[test]
fn a_type_that_does_not_fit_the_documents_is_an_error_when_they_are_loaded() -> TestResult {
    let db = Database::open_in_memory()?;
    let numbers = db.collection::<C>()?;
    numbers.ensure_indexes()?;
    numbers.insert(self::c(5))?;
    let texts = db.collection::<Text>()?;
    let report = texts.ensure_indexes()?;
    assert_eq!((report.created.len(), report.undeclared.len()), (1, 2), "a path has a column for each kind");
    texts.insert(Text { id: 0, n: "5".into() })?;
    fails(texts.get(1), TypeMismatch, &["`c`", "1", "n"]);
    fails(numbers.get(2), TypeMismatch, &["`c`", "2", "n"]);
    assert_eq!(ids!(texts, |e: TextFields| e.n.eq("5")), [2]);
    assert_eq!(ids!(numbers, |e: CFields| e.n.eq(5)), [1]);
    assert_eq!(ids!(numbers, |e: CFields| e.n.ge(i64::MIN)), [1]);
    assert_eq!(numbers.query().sum(|e| e.n)?, 5);
    assert_eq!(stored(&db, "c", 2)?, r#"{"n":"5"}"#);
    Ok(())
}

#[test]
fn a_batch_whose_iterator_panics_or_queries_leaves_nothing_half_done() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        c.insert_batch((0..10).map(|n| if n == 5 { panic!("in the iterator") } else { self::c(n) }))
    }));
    assert!(panicked.is_err());
    assert_eq!(c.count()?, 0);
    assert_eq!(c.insert(self::c(1))?, 1);
    c.insert_batch((0..3).map(|n| self::c(n + c.count().unwrap_or(-1_i64 as u64) as i64)))?;
    assert_eq!(c.query().select(|e| e.n).to_vec()?, [1, 1, 2, 3]);
    Ok(())
}
