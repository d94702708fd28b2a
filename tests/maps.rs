//! Maps with text keys in queries: values under keys, odd keys, indexes and updates on them, strangers' data.

mod support;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, strange};
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
#[document(collection = "items")]
struct Thing {
    id: i64,
    #[serde(default)]
    attrs: HashMap<String, String>,
    counts: BTreeMap<String, i64>,
    maybe: Option<HashMap<String, f64>>,
    owners: HashMap<String, Owner>,
    lists: HashMap<String, Vec<i64>>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
struct Owner {
    name: String,
    since: Option<i64>,
}

const ODD: [&str; 9] = ["a.b", "$", "q\"t", "", "0", "r[0]", "\u{e9}", "'", "x\\y"];

fn things() -> vellum::Result<(Database, Collection<'static, Thing>)> {
    let db = Database::open_in_memory()?;
    let things = db.collection::<Thing>()?;
    let owner = |name: &str, since| Owner { name: name.into(), since };
    things.insert(Thing {
        attrs: HashMap::from([("color".into(), "red".into()), ("size".into(), "L".into())]),
        counts: ODD.iter().zip(1..).map(|(key, n)| ((*key).to_owned(), n)).collect(),
        maybe: Some(HashMap::from([("w".into(), 1.5)])),
        owners: HashMap::from([("main".into(), owner("ann", Some(3))), ("other".into(), owner("bob", None))]),
        lists: HashMap::from([("p".into(), vec![1, 2])]),
        ..Thing::default()
    })?;
    things.insert(Thing {
        attrs: HashMap::from([("color".into(), "blue".into())]),
        owners: HashMap::from([("main".into(), owner("cy", None))]),
        ..Thing::default()
    })?;
    things.insert(Thing::default())?;
    Ok((db, things))
}

macro_rules! assert_ids {
    ($things:expr, |$t:ident| $condition:expr, $expected:expr) => {
        assert_eq!(
            $things.filter(|$t| $condition).select(|t| t.id).to_vec()?,
            $expected,
            stringify!($condition)
        )
    };
}

#[test]
fn values_under_keys_are_fields() -> TestResult {
    let (db, things) = things()?;
    assert_ids!(things, |t| t.attrs.get("color").eq("red"), [1]);
    assert_ids!(things, |t| t.attrs.get("color").starts_with("b"), [2]);
    assert_ids!(things, |t| t.attrs.get("color").is_none(), [3]);
    assert_ids!(things, |t| t.attrs.contains_key("size"), [1]);
    assert_ids!(things, |t| !t.attrs.contains_key("size"), [2, 3]);
    assert_ids!(things, |t| t.maybe.get("w").gt(1.0), [1]);
    assert_ids!(things, |t| t.owners.get("main").map(|o| o.name).eq("cy"), [2]);
    assert_ids!(things, |t| t.owners.get("main").and_then(|o| o.since).ge(1), [1]);
    assert_ids!(things, |t| t.lists.get("p").contains(2), [1]);
    assert_ids!(things, |t| t.lists.get("p").is_empty(), [2, 3]);
    let key = String::from("color");
    assert_ids!(things, |t| t.attrs.get(key.clone()).eq("blue"), [2]);
    let colors = things.query().order_by(|t| t.attrs.get("color")).select(|t| t.attrs.get("color"));
    assert_eq!(colors.to_vec()?, [None, Some("blue".to_owned()), Some("red".to_owned())]);
    let compiled = db.compile(|q, (color,)| {
        q.from::<Thing>().filter(|t| t.attrs.get("color").eq(color)).select(|t| t.id)
    })?;
    assert_eq!((compiled.call("red")?, compiled.call("blue")?), (vec![1], vec![2]));
    Ok(())
}

#[test]
fn odd_keys_name_themselves_in_conditions_indexes_and_updates() -> TestResult {
    let (_db, things) = things()?;
    for (key, n) in ODD.iter().zip(1..) {
        assert_ids!(things, |t| t.counts.get(*key).eq(n), [1]);
        let report = things.ensure_index(|t| t.counts.get(*key)).create()?;
        assert_eq!(report.created.len(), 1, "{key}");
        let query = things.filter(|t| t.counts.get(*key).eq(n));
        assert!(query.explain()?.plan.sqlite_plan.join("").contains("SEARCH"), "{key}");
        assert_eq!(query.count()?, 1);
        assert_eq!(things.query().update(|t| t.counts.get(*key).set(n + 100))?, 3);
        assert_ids!(things, |t| t.counts.get(*key).eq(n + 100), [1, 2, 3]);
        assert_eq!(things.query().update(|t| t.counts.get(*key).increment(1))?, 3);
        assert_ids!(things, |t| t.counts.get(*key).eq(n + 101), [1, 2, 3]);
    }
    let all: BTreeMap<String, i64> =
        ODD.iter().zip(1..).map(|(key, n)| ((*key).to_owned(), n + 101)).collect();
    assert_eq!(things.get(2)?.map(|thing| thing.counts), Some(all));
    Ok(())
}

#[test]
fn what_is_no_map_has_no_keys() -> TestResult {
    let (db, things) = things()?;
    things.query().delete()?;
    strange(
        &db,
        "items",
        &[
            (1, r#"{"attrs":{"color":"red"}}"#),
            (2, r#"{"attrs":{"color":null}}"#),
            (3, r#"{"attrs":{"color":7}}"#),
            (4, r#"{"attrs":["color"]}"#),
            (5, r#"{"attrs":"color"}"#),
            (6, r#"{"attrs":null}"#),
            (7, "{}"),
            (8, r#"{"attrs":{"color":"blue","color":"red"}}"#),
        ],
    )?;
    for indexed in [false, true] {
        if indexed {
            things.ensure_index(|t| t.attrs.get("color")).create()?;
        }
        assert_ids!(things, |t| t.attrs.contains_key("color"), [1, 2, 3, 8]);
        assert_ids!(things, |t| t.attrs.get("color").eq("red"), [1]);
        assert_ids!(things, |t| t.attrs.get("color").eq("blue"), [8]);
        assert_ids!(things, |t| t.attrs.get("color").is_none(), [2, 4, 5, 6, 7]);
        assert_ids!(things, |t| t.attrs.get("color").is_json_null(), [2]);
        assert_ids!(things, |t| t.attrs.any(|key, _| key.eq("color")), [1, 2, 3, 8]);
        assert_ids!(things, |t| t.attrs.any(|_, value| value.eq("red")), [1, 8]);
        assert_ids!(things, |t| t.attrs.all(|_, value| value.eq("red")), [1, 4, 5, 6, 7]);
        assert_ids!(things, |t| t.attrs.is_empty(), [4, 5, 6, 7]);
    }
    // Below what is no object nothing can be set, and nothing is changed.
    let blocked = things.query().filter(|t| t.id.eq(5)).update(|t| t.attrs.get("color").set("x"));
    assert_eq!(blocked.err().map(|error| error.kind()), Some(ErrorKind::TypeMismatch));
    Ok(())
}

#[test]
fn keys_and_values_are_asked_together() -> TestResult {
    let (_db, things) = things()?;
    assert_eq!(
        ids!(things, |t: ThingFields| t.attrs.any(|key, value| key.eq("color") & value.eq("red"))),
        [1]
    );
    assert_eq!(ids!(things, |t: ThingFields| t.attrs.any(|key, _| key.starts_with("c"))), [1, 2]);
    assert_eq!(ids!(things, |t: ThingFields| t.attrs.all(|_, value| value.eq("blue"))), [2, 3]);
    assert_eq!(ids!(things, |t: ThingFields| t.attrs.count_where(|_, value| value.len().lt(4)).eq(2)), [1]);
    assert_eq!(ids!(things, |t: ThingFields| t.maybe.any(|key, value| key.eq("w") & value.gt(1.0))), [1]);
    assert_eq!(ids!(things, |t: ThingFields| t.owners.any(|_, owner| owner.since.is_some())), [1]);
    assert_eq!(
        ids!(things, |t: ThingFields| t.owners.any(|key, owner| key.eq("main") & owner.name.eq("cy"))),
        [2]
    );
    assert_eq!(ids!(things, |t: ThingFields| t.lists.any(|_, list| list.any(|n| n.eq(2)))), [1]);
    for (key, n) in ODD.iter().zip(1..) {
        assert_eq!(
            ids!(things, move |t: ThingFields| t.counts.any(move |k, v| k.eq(*key) & v.eq(n))),
            [1],
            "{key}"
        );
    }
    let sizes = things.query().select(|t| (t.attrs.len(), t.counts.len(), t.maybe.len())).to_vec()?;
    assert_eq!(sizes, [(2, ODD.len() as u64, 1), (1, 0, 0), (0, 0, 0)]);
    assert_eq!(ids!(things, |t: ThingFields| t.maybe.is_empty()), [2, 3]);
    let by_size = things.query().order_by_desc(|t| t.attrs.len()).select(|t| t.id).to_vec()?;
    assert_eq!(by_size, [1, 2, 3]);
    Ok(())
}

#[test]
fn a_key_can_be_a_parameter() -> TestResult {
    let (db, things) = things()?;
    let named = things.compile(|q, (key, value)| {
        q.filter(|t| t.attrs.get(key).eq(value)).order_by(|t| t.attrs.get(key)).select(|t| t.id)
    })?;
    assert_eq!(named.call(("color", "red"))?, [1]);
    assert_eq!(named.call(("size", "L"))?, [1]);
    assert!(named.call(("other", "red"))?.is_empty());
    let has = db.compile(|q, (key,)| q.from::<Thing>().filter(|t| t.counts.contains_key(key)).count())?;
    let value = things.compile(|q, (key,)| q.select(|t| t.counts.get(key)).first())?;
    for (key, n) in ODD.iter().zip(1..) {
        assert_eq!((has.call(key)?, value.call(key)?), (1, Some(Some(n))), "{key}");
    }
    assert_eq!((has.call("none")?, value.call("none")?), (0, Some(None)));
    let since = things.compile(|q, (key,)| {
        q.select(|t| (t.owners.get(key).map(|o| o.name), t.owners.get(key).and_then(|o| o.since)))
    })?;
    let ann = (Some("ann".to_owned()), Some(3));
    assert_eq!(since.call("main")?, [ann, (Some("cy".to_owned()), None), (None, None)]);
    let listed = things.compile(|q, (key, n)| q.filter(|t| t.lists.get(key).contains(n)).count())?;
    assert_eq!((listed.call(("p", 2))?, listed.call(("q", 2))?), (1, 0));
    let missing = things.compile(|q, (key,)| q.filter(|t| t.maybe.get(key).is_missing()).select(|t| t.id))?;
    assert_eq!((missing.call("w")?, missing.call("x")?), (vec![2, 3], vec![1, 2, 3]));
    // What a call supplies is no place that could be assigned.
    let set = things.compile(|q, (key,)| q.update(|t| t.attrs.get(key).set("x")));
    fails(set, ErrorKind::InvalidQuery, &["attrs.get(?1)"]);
    Ok(())
}

#[test]
fn a_key_that_holds_nul_is_stored_and_not_asked_for() -> TestResult {
    let (_db, things) = things()?;
    let attrs = HashMap::from([("a\0b".to_owned(), "x".to_owned()), ("a\0c".to_owned(), "y".to_owned())]);
    things.insert(Thing { id: 20, attrs: attrs.clone(), ..Thing::default() })?;
    assert_eq!(things.get(20)?.map(|thing| thing.attrs), Some(attrs));
    let named = &["a\\0c", "U+0000"];
    support::fails(things.filter(|t| t.attrs.get("a\0c").eq("y")).count(), ErrorKind::InvalidQuery, named);
    support::fails(things.filter(|t| t.attrs.contains_key("a\0c")).count(), ErrorKind::InvalidQuery, named);
    support::fails(
        things.query().update(|t| t.attrs.get("a\0c").set(Some("z".to_owned()))),
        ErrorKind::InvalidQuery,
        named,
    );
    let index = things.ensure_index(|t| t.attrs.get("a\0c")).create();
    support::fails(index, ErrorKind::InvalidQuery, named);
    let by_key = things.compile(|q, (key,)| q.filter(|t| t.attrs.get(key).eq("y")).count())?;
    support::fails(by_key.call("a\0c"), ErrorKind::InvalidQuery, named);
    Ok(())
}
