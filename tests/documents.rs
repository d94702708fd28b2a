//! Rules 17, 18 and 24: what is stored, paths with odd keys, and documents that are too deep or too large.

mod support;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, stored, strange, stranger};
use vellum::ErrorKind::{Corrupt, TooDeep, TooLarge, TypeMismatch, Unique};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
struct A {
    b: i64,
}

/// Fields under the oddest names that a declared field can have.
#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
#[document(collection = "odd")]
struct Odd {
    id: i64,
    #[serde(rename = "a.b")]
    #[document(index)]
    dotted: i64,
    a: A,
    #[serde(rename = "$x")]
    #[document(index)]
    dollar: i64,
    #[serde(rename = "q\"t")]
    #[document(index)]
    quote: i64,
    #[serde(rename = "")]
    #[document(index)]
    empty: i64,
    #[serde(rename = "0")]
    #[document(index)]
    digit: i64,
    #[serde(rename = "r[0]")]
    #[document(index)]
    bracket: i64,
    #[serde(rename = "\u{e9}")]
    #[document(index)]
    accent: i64,
    #[serde(rename = "'")]
    #[document(index)]
    apostrophe: i64,
    #[serde(rename = "') or 1=1 --")]
    #[document(index)]
    injection: i64,
    #[serde(rename = "back\\slash")]
    #[document(index)]
    backslash: i64,
    #[serde(rename = "nul\0nul")]
    #[document(index)]
    nul: i64,
    #[serde(rename = "Name")]
    #[document(index)]
    upper: i64,
    #[serde(rename = "name")]
    #[document(index)]
    lower: i64,
    #[serde(rename = "rowid")]
    #[document(index)]
    row_id: i64,
    #[document(index)]
    doc: i64,
    #[document(index)]
    key: i64,
    #[document(index)]
    value: i64,
    #[document(index)]
    c1: i64,
    #[document(index)]
    select: i64,
    #[serde(rename = "x, y")]
    #[document(unique)]
    comma: Option<i64>,
    #[serde(rename = "*")]
    #[document(index)]
    star: i64,
    #[serde(rename = "\u{1f600}\n\t\u{7f}")]
    #[document(index)]
    control: i64,
}

fn odd() -> Odd {
    Odd {
        id: 0,
        dotted: 1,
        a: A { b: 2 },
        dollar: 3,
        quote: 4,
        empty: 5,
        digit: 6,
        bracket: 7,
        accent: 8,
        apostrophe: 9,
        injection: 10,
        backslash: 11,
        nul: 12,
        upper: 13,
        lower: 14,
        row_id: 15,
        doc: 16,
        key: 17,
        value: 18,
        c1: 19,
        select: 20,
        comma: Some(21),
        star: 22,
        control: 23,
    }
}

#[test]
fn a_field_under_any_key_is_read_queried_indexed_and_set() -> TestResult {
    for indexed in [false, true] {
        let db = Database::open_in_memory()?;
        let c = db.collection::<Odd>()?;
        c.insert(odd())?;
        c.insert(Odd::default())?;
        if indexed {
            let report = c.ensure_indexes()?;
            assert_eq!((report.created.len(), report.undeclared.len()), (22, 0));
            let mut names = report.created.clone();
            names.sort_unstable();
            names.dedup_by_key(|name| name.to_lowercase());
            assert_eq!(names.len(), 22, "every index has a name of its own");
            assert_eq!(c.ensure_indexes()?.unchanged.len(), 22);
            c.ensure_index(|e| e.a.b).create()?;
            assert_eq!(c.indexes()?.len(), 23);
        }
        assert_eq!(c.get(1)?, Some(Odd { id: 1, ..odd() }));
        macro_rules! each {
            ($($field:ident $value:expr),*) => { $(
                assert_eq!(ids!(c, |e: OddFields| e.$field.eq($value)), [1], stringify!($field));
                assert_eq!(ids!(c, |e: OddFields| e.$field.ge($value)), [1], stringify!($field));
                assert_eq!(c.query().order_by_desc(|e| e.$field).select(|e| e.id).to_vec()?, [1, 2]);
                assert_eq!(c.filter(|e| e.id.eq(1)).select(|e| e.$field).single()?, $value);
                let set = c.compile(|q, (x,)| q.filter(|e| e.$field.eq($value)).update(|e| e.$field.set(x)))?;
                assert_eq!(set.call($value + 100)?, 1, stringify!($field));
                assert_eq!(c.get(1)?.map(|e| e.$field), Some($value + 100));
                assert_eq!(c.filter(|e| e.id.eq(1)).update(|e| e.$field.increment(-100))?, 1);
                assert_eq!(c.get(1)?, Some(Odd { id: 1, ..odd() }), "nothing else moved");
            )* };
        }
        each!(
            dotted 1, dollar 3, quote 4, empty 5, digit 6, bracket 7, accent 8, apostrophe 9, injection 10,
            backslash 11, nul 12, upper 13, lower 14, row_id 15, doc 16, key 17, value 18, c1 19, select 20,
            star 22, control 23
        );
        assert_eq!(ids!(c, |e: OddFields| e.a.b.eq(2)), [1]);
        assert_eq!(ids!(c, |e: OddFields| e.comma.eq(21)), [1]);
        c.filter(|e| e.id.eq(1)).update(|e| e.dotted.set(10))?;
        assert_eq!(c.get(1)?.map(|e| (e.dotted, e.a.b)), Some((10, 2)));
        if indexed {
            fails(c.insert(odd()), Unique, &["odd/x, y"]);
            for index in c.indexes()? {
                assert!(c.drop_index(&index.name)?, "{}", index.name);
            }
            assert_eq!(c.indexes()?, []);
            assert_eq!(ids!(c, |e: OddFields| e.injection.eq(10)), [1]);
        }
        let check: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(check, "ok");
    }
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<i64>,
    kept: Option<i64>,
    #[document(opaque)]
    rest: serde_json::Value,
}

fn plain(n: i64) -> C {
    C { id: 0, n, left_out: None, kept: None, rest: serde_json::Value::Null }
}

fn database() -> vellum::Result<(Database, Collection<'static, C>)> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    Ok((db, c))
}

#[test]
fn what_is_stored_is_what_serde_writes_less_the_key() -> TestResult {
    let (db, c) = database()?;
    c.insert(plain(1))?;
    assert_eq!(stored(&db, "c", 1)?, r#"{"n":1,"kept":null,"rest":null}"#);
    let rest = serde_json::json!({"z": [1, 2.0, -0.5, "x\u{0}y", true, null], "a": {"": {}}, "e": 1e300});
    c.insert(C { left_out: Some(1), rest: rest.clone(), ..plain(2) })?;
    assert_eq!(c.get(2)?.map(|e| e.rest), Some(rest));
    Ok(())
}

#[test]
fn a_key_that_a_stranger_put_into_the_document_is_ignored() -> TestResult {
    let (db, c) = database()?;
    strange(
        &db,
        "c",
        &[(7, r#"{"id":99,"n":1,"kept":null,"rest":1}"#), (8, r#"{"n":2,"id":"x","kept":1,"rest":1}"#)],
    )?;
    assert_eq!(c.get(7)?.map(|e| e.id), Some(7));
    assert_eq!(c.get(8)?.map(|e| e.id), Some(8));
    assert_eq!(c.get(99)?, None);
    assert_eq!(ids!(c, |e: CFields| e.id.eq(99)), [0_i64; 0]);
    assert_eq!(c.query().select(|e| e.id).to_vec()?, [7, 8]);
    assert_eq!(c.insert(plain(3))?, 9);
    Ok(())
}

#[test]
fn keys_in_another_order_and_unknown_keys_do_not_matter() -> TestResult {
    let (db, c) = database()?;
    strange(&db, "c", &[(1, r#"{"rest":[],"new":{"a":[1]},"kept":2,"n":5}"#)])?;
    assert_eq!(
        c.get(1)?,
        Some(C { id: 1, n: 5, kept: Some(2), rest: serde_json::json!([]), left_out: None })
    );
    c.filter(|e| e.id.eq(1)).update(|e| e.n.set(6))?;
    assert_eq!(stored(&db, "c", 1)?, r#"{"rest":[],"new":{"a":[1]},"kept":2,"n":6}"#);
    Ok(())
}

#[test]
fn a_foreign_value_in_doc_is_kept_out_or_a_typed_error() -> TestResult {
    let (db, c) = database()?;
    c.insert(plain(1))?;
    let conn = stranger(&db)?;
    for value in ["'{\"n\":1}'", "x'ffff'", "1", "'text'"] {
        let refused = conn.execute(&format!("INSERT INTO c(id, doc) VALUES (2, {value})"), []);
        assert!(refused.is_err(), "the check keeps {value} out");
    }
    conn.execute_batch("PRAGMA ignore_check_constraints=ON; INSERT INTO c(id, doc) VALUES (2, '{\"n\":2}')")?;
    fails(c.get(2), TypeMismatch, &["`c`", "2", "JSONB"]);
    fails(c.query().to_vec(), TypeMismatch, &["`c`", "2", "JSONB"]);
    assert_eq!(c.get(1)?.map(|e| e.n), Some(1));
    conn.execute("UPDATE c SET doc = x'ffff' WHERE id = 2", [])?;
    let error = c.get(2).expect_err("malformed");
    assert_eq!(error.kind(), Corrupt, "{}", support::words(&error));
    fails(c.get(2), Corrupt, &["`c`", "2"]);
    fails(c.filter(|e| e.n.eq(2)).count(), Corrupt, &["damaged"]);
    assert!(c.delete(2)?, "what cannot be read can be deleted");
    assert_eq!(c.filter(|e| e.n.eq(1)).count()?, 1);
    Ok(())
}

#[test]
fn an_array_or_a_scalar_as_document_is_a_typed_error_to_load_and_matches_nothing() -> TestResult {
    let (db, c) = database()?;
    strange(&db, "c", &[(1, "[1]"), (2, "5"), (3, "null"), (4, "\"n\"")])?;
    for id in 1..=4 {
        fails(c.get(id), TypeMismatch, &["`c`", &id.to_string()]);
    }
    assert_eq!(ids!(c, |e: CFields| e.n.ge(i64::MIN)), [0_i64; 0]);
    assert_eq!(ids!(c, |e: CFields| e.kept.is_none()), [1, 2, 3, 4]);
    fails(c.query().update(|e| e.n.set(1)), TypeMismatch, &["n"]);
    Ok(())
}

/// Returns so many arrays in each other; the innermost is empty.
fn nested(levels: usize) -> serde_json::Value {
    (1..levels).fold(serde_json::json!([]), |inner, _| serde_json::Value::Array(vec![inner]))
}

#[test]
fn a_document_may_nest_1000_levels_and_no_more() -> TestResult {
    let (db, c) = database()?;
    c.ensure_indexes()?;
    // The document itself is the first level.
    c.insert(C { rest: nested(999), ..plain(1) })?;
    assert_eq!(c.get(1)?.map(|e| e.rest), Some(nested(999)));
    assert_eq!(c.filter(|e| e.n.eq(1)).update(|e| e.n.set(2))?, 1);
    assert_eq!(c.get(1)?.map(|e| e.rest), Some(nested(999)));
    let check: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    assert_eq!(check, "ok");
    fails(c.insert(C { rest: nested(1_000), ..plain(2) }), TooDeep, &["`c`", "rest", "1000", "flatten"]);
    fails(c.insert(C { rest: nested(5_000), ..plain(2) }), TooDeep, &["rest"]);
    assert_eq!(c.count()?, 1);
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "big")]
struct Big {
    id: i64,
    parts: BTreeMap<String, String>,
}

#[test]
fn a_document_above_256_mib_is_refused_before_sqlite_sees_it() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<Big>()?;
    let parts = BTreeMap::from([("x".to_owned(), "y".repeat(256 << 20))]);
    fails(c.insert(&mut Big { id: 0, parts }), TooLarge, &["`big`", "parts", "268435456", "split"]);
    assert_eq!(c.count()?, 0);
    Ok(())
}
