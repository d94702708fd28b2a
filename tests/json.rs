//! JSON values in queries: paths, kinds, comparisons, orders, indexes and updates where no type declares the shape.

mod support;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use support::{TestResult, fails, ids, strange};
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "pages")]
struct Page {
    id: i64,
    name: String,
    #[serde(default)]
    body: Value,
    #[serde(default)]
    extra: Option<Value>,
    #[serde(default)]
    items: Vec<Value>,
    attrs: HashMap<String, Value>,
    map: Map<String, Value>,
}

/// Under `v` one value of each kind, and some that are nearly of another.
fn values() -> Vec<Value> {
    vec![
        json!({ "v": 1 }),
        json!({ "v": 1.0 }),
        json!({ "v": 2.5 }),
        json!({ "v": "1" }),
        json!({ "v": "abc" }),
        json!({ "v": true }),
        json!({ "v": false }),
        json!({ "v": null }),
        json!({}),
        json!({ "v": [1, "a", true, null, { "k": 1 }] }),
        json!({ "v": { "a": { "b": "deep" }, "x.y": 7, "": "empty", "0": "zero" } }),
        json!([1]),
        json!("v"),
        Value::Null,
    ]
}

fn page(body: Value) -> Page {
    let attrs = HashMap::from([("body".to_owned(), body.clone())]);
    let map = Map::from_iter([("body".to_owned(), body.clone())]);
    let items = vec![body.clone(), json!(7)];
    Page { id: 0, name: "1".into(), extra: Some(body.clone()), body, items, attrs, map }
}

fn pages() -> vellum::Result<(Database, Collection<'static, Page>)> {
    let db = Database::open_in_memory()?;
    let pages = db.collection::<Page>()?;
    pages.insert_batch(values().into_iter().map(page))?;
    Ok((db, pages))
}

#[test]
fn documents_come_back_as_they_were_stored() -> TestResult {
    let (_db, pages) = pages()?;
    for (loaded, stored) in pages.query().to_vec()?.into_iter().zip(values()) {
        // Of an option, null is none.
        let extra = Some(stored.clone()).filter(|value| !value.is_null());
        assert_eq!(loaded, Page { id: loaded.id, extra, ..page(stored) });
    }
    let bodies = pages.query().select(|p| p.body).to_vec()?;
    assert_eq!(bodies, values());
    let inner = pages.query().select(|p| (p.body["v"], p.items.get(0), p.attrs.get("body"))).to_vec()?;
    for ((v, first, attr), stored) in inner.into_iter().zip(values()) {
        assert_eq!(v, stored.get("v").cloned().unwrap_or_default());
        assert_eq!((first.unwrap_or_default(), attr.unwrap_or_default()), (stored.clone(), stored));
    }
    Ok(())
}

#[test]
fn a_value_is_seen_as_one_kind_and_as_null_where_it_is_of_another() -> TestResult {
    let (_db, pages) = pages()?;
    for indexed in [false, true] {
        if indexed {
            pages.ensure_index(|p| p.body["v"].as_str()).create()?;
            pages.ensure_index(|p| p.body["v"].as_f64()).create()?;
            pages.ensure_index(|p| p.body["v"].as_bool()).create()?;
        }
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(1)), [1, 2]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(2.5)), [3]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq("1")), [4]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(p.name)), [4]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(true)), [6]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(false)), [7]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_i64().ge(1)), [1, 2, 3]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_f64().between(1.5, 3.0)), [3]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_str().starts_with("a")), [5]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_str().is_in(["1", "true"])), [4]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_bool().is_some()), [6, 7]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_array().is_some()), [10]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_object().is_some()), [11]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].is_none()), [8, 9, 12, 13, 14]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].is_json_null()), [8]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_str().is_json_null()), [8]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].is_missing()), [9, 12, 13, 14]);
        let all = pages.query();
        assert_eq!(all.sum(|p| p.body["v"].as_f64())?, 4.5);
        assert_eq!(pages.query().max(|p| p.body["v"].as_str())?, Some("abc".to_owned()));
        let numbers = pages.query().order_by_desc(|p| p.body["v"].as_f64()).take(3);
        assert_eq!(numbers.select(|p| p.body["v"].as_f64()).to_vec()?, [Some(2.5), Some(1.0), Some(1.0)]);
        let kinds = pages.query().group_by(|p| p.body["v"].as_bool()).select(|g| (g.key, g.count()));
        assert_eq!(kinds.to_vec()?, [(None, 12), (Some(false), 1), (Some(true), 1)]);
    }
    let texts = pages.query().select(|p| p.body["v"].as_str()).to_vec()?;
    assert_eq!(texts.iter().flatten().collect::<Vec<_>>(), ["1", "abc"]);
    // A number that is no integer is of the kind, and does not fit the type.
    let loaded = pages.query().select(|p| p.body["v"].as_i64()).to_vec();
    fails(loaded, ErrorKind::TypeMismatch, &["body.v", "2"]);
    Ok(())
}

#[test]
fn paths_go_through_objects_and_arrays() -> TestResult {
    let (_db, pages) = pages()?;
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"]["a"]["b"].eq("deep")), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"]["x.y"].eq(7)), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"][""].eq("empty")), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"]["0"].eq("zero")), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"][1].eq("a")), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].at(2).eq(true)), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].get("a").get("b").is_some()), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body[0].eq(1)), [12]);
    assert!(ids!(pages, |p: PageFields| p.body["v"][usize::MAX].is_some()).is_empty());
    let by_macro = pages.filter(x!(|p| p.body["v"] == "abc" || p.body["v"].as_f64() > 2.0));
    assert_eq!(by_macro.select(|p| p.id).to_vec()?, [3, 5]);
    let j = |p: PageFields| p.body["v"];
    assert_eq!(ids!(pages, |p: PageFields| j(p)["a"]["b"].eq("deep") & j(p)["x.y"].eq(7)), [11]);
    Ok(())
}

#[test]
fn items_keys_and_options_are_json_too() -> TestResult {
    let (_db, pages) = pages()?;
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_array().any(|item| item["k"].eq(1))), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_array().any(|item| item.eq(true))), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_array().any(|item| item.is_none())), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_array().len().eq(5)), [10]);
    assert_eq!(ids!(pages, |p: PageFields| p.items.any(|item| item["v"]["x.y"].eq(7))), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.attrs.get("body")["v"].eq("abc")), [5]);
    assert_eq!(ids!(pages, |p: PageFields| p.map.get("body")["v"].eq("abc")), [5]);
    assert_eq!(ids!(pages, |p: PageFields| p.map.contains_key("body") & p.map.get("body").is_none()), [14]);
    assert_eq!(ids!(pages, |p: PageFields| p.attrs.any(|_, value| value["v"].eq("abc"))), [5]);
    assert_eq!(
        ids!(pages, |p: PageFields| p.body["v"].as_object().any(|key, v| key.eq("x.y") & v.eq(7))),
        [11]
    );
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_object().len().eq(4)), [11]);
    assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_object().get("a")["b"].eq("deep")), [11]);
    let at =
        pages.compile(|q, (key, value)| q.filter(|p| p.body["v"].get(key).as_i64().eq(value)).count())?;
    assert_eq!((at.call(("x.y", 7))?, at.call(("a", 7))?), (1, 0));
    assert_eq!(ids!(pages, |p: PageFields| p.extra["v"].as_str().eq("abc")), [5]);
    assert_eq!(ids!(pages, |p: PageFields| p.extra.is_some() & p.extra["v"].is_missing()), [9, 12, 13]);
    Ok(())
}

#[test]
fn a_selected_value_can_be_asked_again() -> TestResult {
    let (_db, pages) = pages()?;
    let deep = pages.query().select(|p| p.body).filter(|body| body["v"]["a"]["b"].eq("deep")).count()?;
    assert_eq!(deep, 1);
    // Behind a page the value has crossed into another query.
    let page = || pages.query().select(|p| p.body["v"]).take(100);
    assert_eq!(page().filter(|v| v.eq(1)).count()?, 2);
    assert_eq!(page().filter(|v| v.eq(true)).count()?, 1);
    assert_eq!(page().filter(|v| v.eq("abc")).count()?, 1);
    assert_eq!(page().filter(|v| v["x.y"].eq(7)).count()?, 1);
    assert_eq!(page().filter(|v| v[2].eq(true)).count()?, 1);
    assert_eq!(page().filter(|v| v.as_array().any(|item| item.eq("a"))).count()?, 1);
    assert_eq!(page().filter(|v| v.as_object().is_some()).count()?, 1);
    let expected: Vec<Value> = values().iter().map(|v| v.get("v").cloned().unwrap_or_default()).collect();
    assert_eq!(page().to_vec()?, expected);
    Ok(())
}

#[test]
fn an_index_serves_what_is_seen_as_its_kind() -> TestResult {
    let (_db, pages) = pages()?;
    let report = pages.ensure_index(|p| p.body["v"].as_i64()).create()?;
    assert_eq!(report.created, ["pages/body.v"]);
    let readings = |compiled: vellum::Explanation| compiled.plan.readings[0].indexes.clone();
    let number = pages.compile(|q, (n,): (Param<i64>,)| q.filter(|p| p.body["v"].eq(n)).count())?;
    assert_eq!((number.call(1)?, readings(number.explain()?)), (2, vec!["pages/body.v".to_owned()]));
    let ranged = pages.compile(|q, (low,)| q.filter(|p| p.body["v"].as_i64().gt(low)).count())?;
    assert_eq!((ranged.call(1)?, readings(ranged.explain()?)), (1, vec!["pages/body.v".to_owned()]));
    let sorted = pages.compile(|q, ()| q.order_by(|p| p.body["v"].as_f64()).select(|p| p.id).take(12))?;
    assert_eq!(sorted.call(())?, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1]);
    assert_eq!(readings(sorted.explain()?), ["pages/body.v"]);
    let text = pages.compile(|q, (text,)| q.filter(|p| p.body["v"].as_str().eq(text)).count())?;
    assert_eq!((text.call("abc")?, readings(text.explain()?)), (1, Vec::new()));

    let unique = pages.ensure_index(|p| p.body["v"].as_str()).unique().create()?;
    assert_eq!(unique.created.len(), 1);
    fails(pages.insert(page(json!({ "v": "abc" }))), ErrorKind::Unique, &["pages"]);
    pages.insert(page(json!({ "v": 1 })))?;
    fails(pages.ensure_index(|p| p.body["v"][0].as_i64()).create(), ErrorKind::InvalidQuery, &["v"]);
    Ok(())
}

#[test]
fn what_is_set_is_stored_as_it_is() -> TestResult {
    let (_db, pages) = pages()?;
    let only = |id: i64| pages.filter(move |p| p.id.eq(id));
    let body = |id: i64| pages.get(id).map(|page| page.map(|page| page.body));
    for value in values() {
        only(1).update(|p| p.body["w"].set(value.clone()))?;
        assert_eq!(body(1)?, Some(json!({ "v": 1, "w": value })));
    }
    only(1).update(|p| p.body["w"].set("text"))?;
    only(1).update(|p| (p.body["n"]["deep"].set(3), p.body["b"].set(true), p.body["f"].set(2.0)))?;
    let expected = json!({ "v": 1, "w": "text", "n": { "deep": 3 }, "b": true, "f": 2.0 });
    assert_eq!(body(1)?, Some(expected));
    only(1).update(|p| (p.body["w"].unset(), p.body["n"].unset(), p.body["v"].as_i64().increment(2)))?;
    assert_eq!(body(1)?, Some(json!({ "v": 3, "b": true, "f": 2.0 })));
    // One place's value in another, whatever it is.
    pages.query().update(|p| p.attrs.get("copy").set(Some(json!(0))))?;
    pages.query().update(|p| p.map.get("copy").set(None))?;
    for (id, stored) in (2..).zip(values().into_iter().skip(1)) {
        only(id).update(|p| p.body.set(p.map.get("body")["v"]))?;
        assert_eq!(body(id)?, Some(stored.get("v").cloned().unwrap_or_default()), "{stored}");
    }
    only(5).update(|p| p.body.set(p.name))?;
    assert_eq!(body(5)?, Some(json!("1")));
    Ok(())
}

#[test]
fn json_is_an_argument_of_set() -> TestResult {
    let (_db, pages) = pages()?;
    let set = pages.compile(|q, (id, value)| q.filter(|p| p.id.eq(id)).update(|p| p.body["v"].set(value)))?;
    for value in
        [json!(null), json!(true), json!(7), json!(-0.5), json!("t"), json!([1, "a"]), json!({ "k": [] })]
    {
        set.call((1, &value))?;
        assert_eq!(pages.get(1)?.map(|page| page.body), Some(json!({ "v": value })));
    }
    #[derive(Params)]
    struct Change {
        id: i64,
        to: Value,
    }
    let change =
        pages.compile(|q, p: ChangeParams| q.filter(|c| c.id.eq(p.id)).update(|c| c.body.set(p.to)))?;
    assert_eq!(change.call(Change { id: 2, to: json!([true]) })?, 1);
    assert_eq!(pages.get(2)?.map(|page| page.body), Some(json!([true])));
    fails(set.call((1, &json!(u64::MAX))), ErrorKind::OutOfRange, &["argument 2"]);
    Ok(())
}

#[test]
fn what_cannot_be_compared_or_set_is_refused() -> TestResult {
    let (_db, pages) = pages()?;
    let counted = |value: Value| pages.filter(move |p| p.body["v"].eq(&value)).count();
    assert_eq!((counted(json!("abc"))?, counted(json!(1))?, counted(json!(true))?), (1, 2, 1));
    fails(counted(json!([1])), ErrorKind::InvalidQuery, &["`body.v`", "as_array"]);
    fails(counted(json!({})), ErrorKind::InvalidQuery, &["`body.v`", "keys"]);
    fails(counted(Value::Null), ErrorKind::InvalidQuery, &["`body.v`", "is_none"]);
    fails(counted(json!(u64::MAX)), ErrorKind::OutOfRange, &["`body.v`"]);
    let blocked = pages.filter(|p| p.id.eq(4)).update(|p| p.body["v"]["inner"].set(1));
    fails(blocked, ErrorKind::TypeMismatch, &["`body.v`", "not an object"]);
    let text = pages.filter(|p| p.id.eq(4)).update(|p| p.body["v"].as_i64().increment(1));
    fails(text, ErrorKind::TypeMismatch, &["`body.v`"]);
    let grouped = pages.query().group_by(|p| p.body["v"]).select(|g| g.count()).to_vec();
    fails(grouped, ErrorKind::InvalidQuery, &["group"]);
    Ok(())
}

#[test]
fn what_strangers_store_is_seen_as_it_is() -> TestResult {
    let (db, pages) = pages()?;
    pages.query().delete()?;
    let rest = r#""name":"","attrs":{},"map":{}"#;
    let documents: Vec<(i64, String)> = (1..)
        .zip([r#"{"v":1e999}"#, r#"{"v":18446744073709551615}"#, r#"{"v":"\u0041"}"#, r#"{"v":1,"v":2}"#])
        .map(|(id, body)| (id, format!("{{\"body\":{body},{rest}}}")))
        .collect();
    let documents: Vec<(i64, &str)> = documents.iter().map(|(id, text)| (*id, text.as_str())).collect();
    strange(&db, "pages", &documents)?;
    strange(&db, "pages", &[(5, "{}")])?;
    for indexed in [false, true] {
        if indexed {
            pages.ensure_index(|p| p.body["v"].as_f64()).create()?;
            pages.ensure_index(|p| p.body["v"].as_str()).create()?;
        }
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq("A")), [3]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].eq(1)), [4]);
        assert_eq!(ids!(pages, |p: PageFields| p.body["v"].as_f64().gt(2e19)), [1]);
        assert_eq!(ids!(pages, |p: PageFields| p.body.is_missing()), [5]);
    }
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "settings")]
struct Setting {
    id: i64,
    #[serde(default = "yes")]
    on: Value,
    #[serde(default = "seven")]
    size: Value,
}

fn yes() -> Value {
    json!(true)
}

fn seven() -> Value {
    json!(7)
}

#[test]
fn a_missing_value_is_seen_as_its_default() -> TestResult {
    let db = Database::open_in_memory()?;
    let settings = db.collection::<Setting>()?;
    strange(
        &db,
        "settings",
        &[(1, "{}"), (2, r#"{"on":false,"size":"s"}"#), (3, r#"{"on":null,"size":null}"#)],
    )?;
    for indexed in [false, true] {
        if indexed {
            settings.ensure_index(|s| s.on.as_bool()).create()?;
            settings.ensure_index(|s| s.size.as_i64()).create()?;
        }
        assert_eq!(ids!(settings, |s: SettingFields| s.on.eq(true)), [1]);
        assert_eq!(ids!(settings, |s: SettingFields| s.size.eq(7)), [1]);
        assert_eq!(ids!(settings, |s: SettingFields| s.size.eq("s")), [2]);
        assert_eq!(ids!(settings, |s: SettingFields| s.size.as_str().is_none()), [1, 3]);
        assert_eq!(ids!(settings, |s: SettingFields| s.on.is_none()), [3]);
        assert_eq!(ids!(settings, |s: SettingFields| s.on.is_missing()), [1]);
    }
    let all = settings.query().select(|s| (s.on, s.size.as_i64())).to_vec()?;
    assert_eq!(all, [(json!(true), Some(7)), (json!(false), None), (Value::Null, None)]);
    settings.filter(|s| s.id.eq(1)).update(|s| s.size.as_i64().increment(1))?;
    assert_eq!(settings.get(1)?.map(|setting| setting.size), Some(json!(8)));
    Ok(())
}
