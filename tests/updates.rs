//! Rule 22: what an update changes, what it leaves alone, what it refuses, and what it counts.

mod support;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, stored, strange};
use vellum::ErrorKind::{InvalidQuery, Overflow, TypeMismatch, Unique};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Inner {
    k: i64,
    v: Option<String>,
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: Option<i64>,
    small: i8,
    x: f64,
    y: f32,
    #[document(unique)]
    s: Option<String>,
    #[document(index)]
    on: Option<bool>,
    list: Vec<bool>,
    inner: Inner,
    maybe: Option<Inner>,
    map: BTreeMap<String, f64>,
}

fn c(n: i64) -> C {
    C {
        id: 0,
        n: Some(n),
        small: 1,
        x: 2.0,
        y: 0.1,
        s: Some(format!("s{n}")),
        on: Some(true),
        list: vec![true, false],
        inner: Inner { k: 1, v: None },
        maybe: None,
        map: BTreeMap::from([("a.b".to_owned(), 1.0)]),
    }
}

fn each_way(documents: i64, check: impl Fn(&Database, &Collection<'static, C>) -> TestResult) -> TestResult {
    for indexed in [false, true] {
        let db = Database::open_in_memory()?;
        let collection = db.collection::<C>()?;
        collection.insert_batch((1..=documents).map(c))?;
        if indexed {
            collection.ensure_indexes()?;
        }
        check(&db, &collection)?;
    }
    Ok(())
}

#[test]
fn a_patch_keeps_the_type_of_every_value() -> TestResult {
    each_way(1, |db, c| {
        let first = stored(db, "c", 1)?;
        assert_eq!(c.query().update(|e| e.n.set(5))?, 1);
        let expected = first.replace("\"n\":1", "\"n\":5");
        assert_eq!(stored(db, "c", 1)?, expected, "all else is as it was");
        assert_eq!(c.query().update(|e| (e.on.set(false), e.x.set(3.0), e.y.set(0.3_f32)))?, 1);
        let expected = expected
            .replace("\"on\":true", "\"on\":false")
            .replace("\"x\":2.0", "\"x\":3.0")
            .replace("0.1", "0.3");
        assert_eq!(stored(db, "c", 1)?, expected);
        assert_eq!(c.query().update(|e| e.list.set(vec![false, true, true]))?, 1);
        let expected = expected.replace("[true,false]", "[false,true,true]");
        assert_eq!(stored(db, "c", 1)?, expected);
        assert_eq!(c.query().update(|e| e.inner.set(Inner { k: 9, v: Some("w".into()) }))?, 1);
        let expected = expected.replace("{\"k\":1,\"v\":null}", "{\"k\":9,\"v\":\"w\"}");
        assert_eq!(stored(db, "c", 1)?, expected);
        assert_eq!(c.query().update(|e| e.maybe.set(Some(Inner { k: 2, v: None })))?, 1);
        let expected = expected.replace("\"maybe\":null", "\"maybe\":{\"k\":2,\"v\":null}");
        assert_eq!(stored(db, "c", 1)?, expected);
        assert_eq!(c.query().update(|e| e.inner.k.set(10))?, 1);
        let expected = expected.replace("\"k\":9", "\"k\":10");
        assert_eq!(stored(db, "c", 1)?, expected);
        let map = BTreeMap::from([("a".to_owned(), 2.0), ("b.c".to_owned(), -0.0)]);
        assert_eq!(c.query().update(|e| e.map.set(map.clone()))?, 1);
        assert_eq!(c.get(1)?.map(|e| e.map), Some(map));
        assert!(stored(db, "c", 1)?.contains("\"a\":2.0,\"b.c\":-0.0"), "{}", stored(db, "c", 1)?);
        Ok(())
    })
}

#[test]
fn a_value_from_another_field_keeps_its_type_and_its_bits() -> TestResult {
    each_way(1, |db, c| {
        for x in [0.1 + 0.2, 1e23, 5e-324, f64::MAX, 2.0, -0.0, 1e15, 123_456_789.123_456_79] {
            c.query().update(|e| (e.x.set(x), e.y.set(0.25_f32)))?;
            c.query().update(|e| e.map.set(BTreeMap::new()))?;
            let computed = c.compile(|q, ()| q.update(|e| e.x.set(e.x * 1.0)))?;
            assert_eq!(computed.call(())?, 0, "{x:?} is the same number in other bytes");
            assert_eq!(c.query().update(|e| e.x.set(e.x))?, 0);
            assert_eq!(c.query().update(|e| e.x.increment(-0.0))?, 0);
            let back = c.get(1)?.ok_or("no document")?.x;
            assert_eq!(back.to_bits(), x.to_bits(), "{x:?} became {back:?}");
            let text = stored(db, "c", 1)?;
            assert!(text.contains('.') || text.contains('e'), "{text}");
        }
        c.query().update(|e| e.s.set("text \"quoted\" \0 \u{1f600}"))?;
        assert_eq!(c.get(1)?.and_then(|e| e.s).as_deref(), Some("text \"quoted\" \0 \u{1f600}"));
        c.query().update(|e| (e.n.set(e.inner.k + 41), e.inner.v.set(e.s), e.on.set(e.n.gt(0))))?;
        let document = c.get(1)?.ok_or("no document")?;
        assert_eq!((document.n, document.inner.v, document.on), (Some(42), document.s, Some(true)));
        assert!(stored(db, "c", 1)?.contains("\"on\":true"));
        Ok(())
    })
}

#[test]
fn parameters_of_every_type_are_stored_with_it() -> TestResult {
    each_way(1, |db, c| {
        let set = c.compile(|q, (n, x, y, s, on)| {
            q.update(|e| (e.n.set(n), e.x.set(x), e.y.set(y), e.s.set(s), e.on.set(on)))
        })?;
        assert_eq!(set.call((Some(7), 4.0, 0.7, Some("q"), Some(false)))?, 1);
        let document = c.get(1)?.ok_or("no document")?;
        assert_eq!((document.n, document.x, document.y), (Some(7), 4.0, 0.7));
        assert_eq!((document.s.as_deref(), document.on), (Some("q"), Some(false)));
        assert_eq!(set.call((Some(7), 4.0, 0.7, Some("q"), Some(false)))?, 0);
        assert_eq!(set.call((None, 4.0, 0.7, None, None))?, 1);
        let text = stored(db, "c", 1)?;
        for part in ["\"n\":null", "\"x\":4.0", "\"y\":0.7", "\"s\":null", "\"on\":null"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let list = c.compile(|q, (list,)| q.update(|e| e.list.set(list)))?;
        assert_eq!(list.call(&[true, true])?, 1);
        assert!(stored(db, "c", 1)?.contains("\"list\":[true,true]"));
        Ok(())
    })
}

#[test]
fn an_update_counts_the_documents_whose_bytes_changed() -> TestResult {
    each_way(4, |_, c| {
        assert_eq!(c.update_many(|e| e.n.ge(2), |e| e.x.set(2.0))?, 0);
        assert_eq!(c.update_many(|e| e.n.ge(2), |e| e.small.set(e.small))?, 0);
        assert_eq!(c.query().update(|e| e.list.set(vec![true, false]))?, 0);
        assert_eq!(c.query().update(|e| e.inner.set(Inner { k: 1, v: None }))?, 0);
        assert_eq!(c.query().update(|e| (e.y.set(0.1_f32), e.on.set(true), e.s.set(e.s)))?, 0);
        assert_eq!(c.query().update(|e| e.small.increment(0))?, 0);
        assert_eq!(c.update_many(|e| e.n.ge(2), |e| e.small.set(3))?, 3);
        assert_eq!(c.query().update(|e| e.small.set(3))?, 1);
        assert_eq!(c.query().order_by_desc(|e| e.n).take(2).update(|e| e.x.set(9.0))?, 2);
        assert_eq!(c.filter(|e| e.x.eq(9.0)).select(|e| e.id).to_vec()?, [3, 4]);
        assert_eq!(c.update_many(|e| e.n.gt(99), |e| e.x.set(0.5))?, 0);
        assert_eq!(c.query().skip(1).take(1).delete()?, 1);
        assert_eq!(c.delete_many(|e| e.n.ge(3))?, 2);
        assert_eq!(c.query().select(|e| e.id).to_vec()?, [1]);
        Ok(())
    })
}

#[test]
fn unset_removes_and_leaves_documents_without_the_field_alone() -> TestResult {
    each_way(2, |db, c| {
        assert_eq!(c.filter(|e| e.id.eq(1)).update(|e| (e.n.unset(), e.maybe.unset()))?, 1);
        let text = stored(db, "c", 1)?;
        assert!(!text.contains("\"n\"") && !text.contains("\"maybe\""), "{text}");
        assert_eq!(c.filter(|e| e.id.eq(1)).update(|e| e.n.unset())?, 0);
        assert_eq!(c.filter(|e| e.n.is_none()).select(|e| e.id).to_vec()?, [1]);
        assert_eq!(c.filter(|e| e.id.eq(1)).update(|e| e.n.set(3))?, 1);
        assert_eq!(c.filter(|e| e.n.eq(3)).select(|e| e.id).to_vec()?, [1]);
        Ok(())
    })
}

const WITHOUT: &str = r#""small":1,"x":1.0,"y":1.0,"s":null,"list":[],"inner":{"k":1,"v":null},"map":{}"#;

#[test]
fn increment_starts_from_zero_where_there_is_no_number() -> TestResult {
    each_way(1, |db, c| {
        strange(db, "c", &[(2, &format!(r#"{{"n":null,{WITHOUT}}}"#)), (3, &format!("{{{WITHOUT}}}"))])?;
        assert_eq!(c.query().update(|e| e.n.increment(5))?, 3);
        assert_eq!(c.query().select(|e| e.n).to_vec()?, [Some(6), Some(5), Some(5)]);
        assert_eq!(c.query().update(|e| (e.x.increment(0.5), e.small.increment(-2)))?, 3);
        assert_eq!(c.query().select(|e| (e.x, e.small)).to_vec()?, [(2.5, -1), (1.5, -1), (1.5, -1)]);
        let by = c.compile(|q, (by,)| q.filter(|e| e.id.eq(1)).update(|e| e.n.increment(by)))?;
        assert_eq!(by.call(4)?, 1);
        assert_eq!(c.get(1)?.and_then(|e| e.n), Some(10));
        Ok(())
    })
}

#[test]
fn increment_of_another_kind_is_an_error_and_nothing_changes() -> TestResult {
    for bad in ["\"7\"", "true", "false", "[1]", "{}"] {
        each_way(2, |db, c| {
            strange(db, "c", &[(3, &format!(r#"{{"n":{bad},{WITHOUT}}}"#))])?;
            fails(c.query().update(|e| e.n.increment(1)), TypeMismatch, &["n"]);
            assert_eq!(c.filter(|e| e.id.le(2)).select(|e| e.n).to_vec()?, [Some(1), Some(2)], "{bad}");
            db.transaction(|tx| {
                let c = tx.collection::<C>()?;
                fails(c.query().update(|e| e.n.increment(1)), TypeMismatch, &["n"]);
                Ok(())
            })?;
            assert_eq!(c.filter(|e| e.id.le(2)).select(|e| e.n).to_vec()?, [Some(1), Some(2)], "{bad}");
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn increment_beyond_the_type_is_an_error_and_nothing_changes() -> TestResult {
    each_way(3, |db, c| {
        c.filter(|e| e.id.eq(3)).update(|e| (e.small.set(127), e.n.set(i64::MAX)))?;
        for tx in [false, true] {
            let run = |c: &Collection<'_, C>| {
                fails(c.query().update(|e| e.small.increment(1)), Overflow, &["small"]);
                fails(c.query().update(|e| e.n.increment(1)), Overflow, &["n"]);
            };
            if tx {
                db.transaction(|tx| {
                    run(&tx.collection::<C>()?);
                    Ok(())
                })?;
            } else {
                run(c);
            }
            assert_eq!(c.query().select(|e| e.small).to_vec()?, [1, 1, 127]);
            assert_eq!(c.query().select(|e| e.n).to_vec()?, [Some(1), Some(2), Some(i64::MAX)]);
        }
        Ok(())
    })
}

#[test]
fn setting_below_a_scalar_is_an_error_that_names_the_path() -> TestResult {
    for bad in ["5", "\"x\"", "[1]", "true"] {
        each_way(1, |db, c| {
            let document = WITHOUT.replace(r#"{"k":1,"v":null}"#, bad);
            strange(db, "c", &[(2, &format!("{{{document}}}"))])?;
            fails(c.query().update(|e| e.inner.k.set(5)), TypeMismatch, &["inner", "k"]);
            fails(c.query().update(|e| e.inner.k.increment(5)), TypeMismatch, &["inner", "k"]);
            assert_eq!(stored(db, "c", 2)?, format!("{{{document}}}"));
            assert_eq!(c.filter(|e| e.id.eq(1)).select(|e| e.inner.k).to_vec()?, [1]);
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn setting_below_what_is_missing_makes_it() -> TestResult {
    each_way(1, |db, c| {
        strange(db, "c", &[(2, &format!("{{{}}}", WITHOUT.replace(r#""inner":{"k":1,"v":null},"#, "")))])?;
        assert_eq!(c.query().update(|e| e.inner.k.set(5))?, 2);
        assert!(stored(db, "c", 2)?.ends_with(r#""inner":{"k":5}}"#), "{}", stored(db, "c", 2)?);
        Ok(())
    })
}

#[test]
fn setting_below_an_optional_struct_that_is_not_there_is_an_error() -> TestResult {
    for maybe in ["", r#","maybe":null"#] {
        each_way(1, |db, c| {
            let document = format!("{{{WITHOUT}{maybe}}}");
            strange(db, "c", &[(2, &document)])?;
            c.filter(|e| e.id.eq(1)).update(|e| e.maybe.set(Some(Inner { k: 1, v: None })))?;
            for changed in [
                c.query().update(|e| e.maybe.v.set("x")),
                c.query().update(|e| e.maybe.k.set(5)),
                c.query().update(|e| e.maybe.k.increment(5)),
            ] {
                fails(changed, TypeMismatch, &["maybe", "is_some()", "set it whole"]);
            }
            assert_eq!(
                c.query().update(|e| e.maybe.map(|m| m.k).increment(e.n))?,
                1,
                "no number adds nothing"
            );
            assert_eq!(c.query().update(|e| e.maybe.v.unset())?, 1);
            assert_eq!(stored(db, "c", 2)?, document);
            assert_eq!(c.filter(|e| e.maybe.is_some()).update(|e| e.maybe.v.set("x"))?, 1);
            c.filter(|e| e.maybe.is_none()).update(|e| e.maybe.set(Some(Inner { k: 2, v: None })))?;
            assert_eq!(c.query().select(|e| e.maybe.map(|m| m.k)).to_vec()?, [Some(2), Some(2)]);
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn several_assignments_read_the_document_as_it_was() -> TestResult {
    each_way(1, |_, c| {
        assert_eq!(c.query().update(|e| (e.n.set(e.inner.k + 10), e.inner.k.set(e.n.unwrap_or(0) + 20)))?, 1);
        let document = c.get(1)?.ok_or("no document")?;
        assert_eq!((document.n, document.inner.k), (Some(11), 21));
        Ok(())
    })
}

#[test]
fn a_whole_struct_and_a_field_of_it_can_be_set_together() -> TestResult {
    each_way(1, |_, c| {
        let changed = c.query().update(|e| (e.inner.set(Inner { k: 7, v: None }), e.inner.v.set("both")))?;
        assert_eq!(changed, 1);
        let inner = c.get(1)?.map(|e| e.inner);
        assert_eq!(inner, Some(Inner { k: 7, v: Some("both".into()) }));
        Ok(())
    })
}

#[test]
fn a_unique_violation_of_an_update_names_the_index_and_changes_nothing() -> TestResult {
    let db = Database::open_in_memory()?;
    let collection = db.collection::<C>()?;
    collection.ensure_indexes()?;
    collection.insert_batch((1..=4).map(c))?;
    fails(collection.query().update(|e| e.s.set("same")), Unique, &["c/s"]);
    db.transaction(|tx| {
        let inside = tx.collection::<C>()?;
        inside.filter(|e| e.id.eq(1)).update(|e| e.n.set(100))?;
        fails(inside.filter(|e| e.id.gt(1)).update(|e| e.s.set("same")), Unique, &["c/s"]);
        Ok(())
    })?;
    let all: Vec<Option<String>> = (1..=4).map(|n| Some(format!("s{n}"))).collect();
    assert_eq!(collection.query().select(|e| e.s).to_vec()?, all);
    assert_eq!(collection.get(1)?.and_then(|e| e.n), Some(100));
    assert_eq!(collection.query().update(|e| e.s.set(None))?, 4, "documents without a value never collide");
    Ok(())
}

#[test]
fn what_cannot_be_assigned_is_refused_in_words() -> TestResult {
    each_way(1, |_, c| {
        fails(c.query().update(|e| e.id.set(5)), InvalidQuery, &["id", "key"]);
        fails(c.query().update(|e| (e.n.unwrap_or(0) + 1).set(5)), InvalidQuery, &["not a stored field"]);
        Ok(())
    })
}

#[test]
fn increment_by_what_is_not_there_leaves_the_number_alone() -> TestResult {
    each_way(1, |db, c| {
        let first = stored(db, "c", 1)?;
        assert_eq!(c.query().update(|e| e.n.increment(e.maybe.map(|m| m.k)))?, 0);
        assert_eq!(stored(db, "c", 1)?, first);
        c.query().update(|e| e.maybe.set(Some(Inner { k: 4, v: None })))?;
        assert_eq!(c.query().update(|e| e.n.increment(e.maybe.map(|m| m.k)))?, 1);
        assert_eq!(c.query().select(|e| e.n).to_vec()?, [Some(5)]);
        Ok(())
    })
}

/// Whatever a value turns out to be, the document that it is set in can still be loaded.
#[test]
fn null_is_not_stored_where_the_type_takes_none() -> TestResult {
    each_way(2, |db, c| {
        let inner = || Some(Inner { k: 7, v: None });
        c.filter(|e| e.id.eq(1)).update(|e| e.maybe.set(inner()))?;
        let before = (stored(db, "c", 1)?, stored(db, "c", 2)?);
        // In the second document there is nothing to take a value from.
        fails(
            c.query().update(|e| e.inner.k.set(e.maybe.k)),
            TypeMismatch,
            &["`inner.k`", "null", "unwrap_or"],
        );
        let none = c.compile(|q, (k,)| q.filter(|e| e.id.eq(1)).update(|e| e.maybe.map(|m| m.k).set(k)))?;
        fails(none.call(None), TypeMismatch, &["`maybe.k`", "null"]);
        fails(c.query().update(|e| e.maybe.map(|m| m.k).set(None)), InvalidQuery, &["`maybe.k`", "null"]);
        fails(c.query().update(|e| e.maybe.map(|m| m.k).unset()), InvalidQuery, &["`maybe.k`", "removing"]);
        let sum = c.query().update(|e| e.inner.k.set(e.maybe.k + 1));
        fails(sum, TypeMismatch, &["`inner.k`", "null", "unwrap_or"]);
        assert_eq!((stored(db, "c", 1)?, stored(db, "c", 2)?), before);
        assert_eq!(c.filter(|e| e.id.eq(2)).update(|e| e.inner.k.increment(e.maybe.k + 1))?, 0);

        assert_eq!(c.filter(|e| e.id.eq(1)).update(|e| e.inner.k.set(e.maybe.k))?, 1);
        assert_eq!(none.call(Some(8))?, 1);
        assert_eq!(c.query().update(|e| e.inner.v.set(e.s))?, 2);
        assert_eq!(c.query().update(|e| e.inner.v.set(None))?, 2);
        let [one, two] = c.query().to_vec()?.try_into().map_err(|_| "two documents")?;
        assert_eq!((one.inner.k, one.maybe.map(|m| m.k), two.inner.k), (7, Some(8), 1));
        Ok(())
    })
}

#[test]
fn null_under_a_key_of_a_map_removes_the_key() -> TestResult {
    each_way(1, |db, c| {
        c.query().update(|e| (e.map.get("x").set(2.0), e.map.get("y").set(3.0)))?;
        assert_eq!(c.query().update(|e| e.map.get("a.b").set(None))?, 1);
        assert_eq!(c.query().update(|e| e.map.get("a.b").set(None))?, 0, "nothing is there");
        let set = c.compile(|q, (x, y)| q.update(|e| (e.map.get("x").set(x), e.map.get("y").set(y))))?;
        assert_eq!(set.call((None, Some(4.0)))?, 1);
        let map = BTreeMap::from([("y".to_owned(), 4.0)]);
        assert_eq!(c.get(1)?.map(|e| e.map), Some(map));
        assert_eq!(c.query().update(|e| e.map.get("y").set(e.map.get("x")))?, 1);
        assert_eq!(c.get(1)?.map(|e| e.map), Some(BTreeMap::new()));
        assert!(stored(db, "c", 1)?.contains(r#""map":{}"#));
        Ok(())
    })
}
