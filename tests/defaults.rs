//! Fields that are read as a default where they are missing (rule 19), in queries, indexes and updates as when loaded.

mod support;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, ids, stored, strange};
use vellum::ErrorKind;
use vellum::prelude::*;

fn seven() -> i64 {
    7
}

fn word() -> String {
    "it's \0 \"so\"".to_owned()
}

#[derive(Embed, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Default)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    #[default]
    Middle,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Place {
    city: String,
    #[serde(default = "seven")]
    floor: i64,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "things")]
struct Thing {
    id: i64,
    #[serde(default = "seven")]
    #[document(index)]
    count: i64,
    #[serde(default)]
    flag: bool,
    #[serde(default)]
    ratio: f64,
    #[serde(default = "word")]
    word: String,
    #[serde(default)]
    level: Level,
    #[serde(default = "Option::default")]
    note: Option<String>,
    #[serde(default = "some_nine")]
    maybe: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    attrs: HashMap<String, i64>,
    place: Option<Place>,
}

fn some_nine() -> Option<i64> {
    Some(9)
}

const FULL: &str = r#"{"count":1,"flag":true,"ratio":0.5,"word":"w","level":"low","note":"n","maybe":2,"tags":["t"],
    "attrs":{"a":1},"place":{"city":"c","floor":1}}"#;
const EMPTY: &str = "{}";
const NULLS: &str = r#"{"note":null,"maybe":null,"place":null}"#;
const PLACED: &str = r#"{"place":{"city":"c"}}"#;

fn things() -> TestResult<(Database, Collection<'static, Thing>)> {
    let db = Database::open_in_memory()?;
    let things = db.collection::<Thing>()?;
    strange(&db, "things", &[(1, FULL), (2, EMPTY), (3, NULLS), (4, PLACED)])?;
    Ok((db, things))
}

macro_rules! assert_ids {
    ($things:expr, |$t:ident| $condition:expr, $expected:expr) => {
        assert_eq!(ids!($things, |$t: ThingFields| $condition), $expected, stringify!($condition))
    };
}

#[test]
fn a_query_sees_what_loading_sees() -> TestResult {
    let (_db, things) = things()?;
    for is_indexed in [false, true] {
        if is_indexed {
            things.ensure_indexes()?;
            things.ensure_index(|t| (t.flag, t.word.desc())).create()?;
            things.ensure_index(|t| t.place.floor).create()?;
            things.ensure_index(|t| t.maybe).create()?;
            things.ensure_index(|t| t.level).create()?;
        }
        let loaded = things.query().to_vec()?;
        let rows = things
            .query()
            .select(|t| (t.count, t.flag, t.ratio, t.word, t.level, t.note, t.maybe, t.tags, t.place))
            .to_vec()?;
        let expected = loaded
            .into_iter()
            .map(|t| (t.count, t.flag, t.ratio, t.word, t.level, t.note, t.maybe, t.tags, t.place));
        assert_eq!(rows, expected.collect::<Vec<_>>());
        assert_ids!(things, |t| t.count.eq(7), [2, 3, 4]);
        assert_ids!(things, |t| t.count.gt(6), [2, 3, 4]);
        assert_ids!(things, |t| !t.flag, [2, 3, 4]);
        assert_ids!(things, |t| t.flag.eq(false) & t.word.starts_with("it's"), [2, 3, 4]);
        assert_ids!(things, |t| t.word.eq(word()), [2, 3, 4]);
        assert_ids!(things, |t| t.ratio.eq(0.0), [2, 3, 4]);
        assert_ids!(things, |t| t.level.eq(Level::Middle), [2, 3, 4]);
        assert_ids!(things, |t| t.maybe.eq(9), [2, 4]);
        assert_ids!(things, |t| t.maybe.is_none(), [3]);
        assert_ids!(things, |t| t.maybe.eq_option(None::<i64>), [3]);
        assert_ids!(things, |t| t.note.is_none(), [2, 3, 4]);
        assert_ids!(things, |t| t.tags.is_empty(), [2, 3, 4]);
        assert_ids!(things, |t| t.attrs.get("a").is_none(), [2, 3, 4]);
        assert_ids!(things, |t| t.count.is_missing(), [2, 3, 4]);
        assert_ids!(things, |t| t.maybe.is_json_null(), [3]);
        // A field of a place that is not there is not there either.
        assert_ids!(things, |t| t.place.floor.eq(7), [4]);
        assert_ids!(things, |t| t.place.floor.lt(7), [1]);
        let order = things.query().order_by(|t| t.count).then_by_desc(|t| t.id).select(|t| t.id).to_vec()?;
        assert_eq!(order, [1, 4, 3, 2]);
        let groups = things.query().group_by(|t| t.count).select(|g| (g.key, g.count())).to_vec()?;
        assert_eq!(groups, [(1, 1), (7, 3)]);
        assert_eq!(things.query().sum(|t| t.count)?, 22);
    }
    Ok(())
}

#[test]
fn the_indexed_column_holds_the_default() -> TestResult {
    let (db, things) = things()?;
    things.ensure_indexes()?;
    let of = db.compile(|q, (n,)| q.from::<Thing>().filter(|t| t.count.eq(n)).count())?;
    assert_eq!(of.call(7)?, 3);
    assert_eq!(of.explain()?.plan.readings[0].indexes, ["things/count"]);
    things.ensure_index(|t| (t.level, t.id)).create().unwrap_err();
    let unique = things.ensure_index(|t| t.word).unique().create();
    fails(unique, ErrorKind::Unique, &["things/word"]);
    Ok(())
}

#[test]
fn an_increment_starts_from_the_default() -> TestResult {
    let (db, things) = things()?;
    assert_eq!(things.query().update(|t| t.count.increment(1))?, 4);
    assert_eq!(things.filter(|t| t.place.is_some()).update(|t| t.place.floor.increment(1))?, 2);
    assert_eq!(things.query().select(|t| t.count).to_vec()?, [2, 8, 8, 8]);
    assert_eq!(stored(&db, "things", 4)?, r#"{"place":{"city":"c","floor":8},"count":8}"#);
    assert_eq!(things.query().update(|t| t.flag.set(false))?, 4);
    assert_eq!(things.filter(|t| t.flag.is_missing()).count()?, 0);
    Ok(())
}

#[test]
fn an_index_is_made_anew_when_a_default_changes() -> TestResult {
    fn eight() -> i64 {
        8
    }
    #[derive(Document, Serialize, Deserialize, Debug)]
    #[document(collection = "things")]
    struct Newer {
        id: i64,
        #[serde(default = "eight")]
        #[document(index)]
        count: i64,
        #[document(index)]
        #[serde(default)]
        flag: bool,
    }
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    {
        let db = Database::open(&path)?;
        let things = db.collection::<Thing>()?;
        strange(&db, "things", &[(1, FULL), (2, EMPTY)])?;
        assert_eq!(things.ensure_indexes()?.created, ["things/count"]);
        assert_eq!(things.ensure_indexes()?.unchanged, ["things/count"]);
    }
    let db = Database::open(&path)?;
    let newer = db.collection::<Newer>()?;
    let of = newer.compile(|q, (n,)| q.filter(|t| t.count.eq(n)).select(|t| t.id))?;
    assert_eq!((of.call(8)?, of.call(7)?), (vec![2], vec![]), "the old index does not answer");
    let report = newer.ensure_indexes()?;
    assert_eq!(report.undeclared, Vec::<String>::new());
    assert_eq!(
        (report.rebuilt, report.created),
        (vec!["things/count".to_owned()], vec!["things/flag".to_owned()])
    );
    assert_eq!((of.call(8)?, of.call(7)?), (vec![2], vec![]));
    assert_eq!(of.explain()?.plan.readings[0].indexes, ["things/count"]);
    let things = db.collection::<Thing>()?;
    assert_eq!(
        things.filter(|t| t.count.eq(7)).select(|t| t.id).to_vec()?,
        [2],
        "nor the new one for the old type"
    );
    Ok(())
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default)]
struct Settings {
    size: u32,
    name: Option<String>,
    #[serde(default)]
    on: bool,
    theme: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { size: 12, name: Some("mono".to_owned()), on: true, theme: vec!["dark".to_owned()] }
    }
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Profile {
    id: i64,
    settings: Settings,
}

#[test]
fn a_struct_gives_its_missing_fields_what_its_own_default_has() -> TestResult {
    let db = Database::open_in_memory()?;
    let profiles = db.collection::<Profile>()?;
    let documents = [
        (1, r#"{"settings":{}}"#),
        (2, r#"{"settings":{"size":5,"name":null,"on":true,"theme":[]}}"#),
        (3, r#"{"settings":{"name":"x"}}"#),
    ];
    strange(&db, "profile", &documents)?;
    let loaded: Vec<_> = profiles.query().to_vec()?.into_iter().map(|p| p.settings).collect();
    assert_eq!(profiles.query().select(|p| p.settings).to_vec()?, loaded);
    let rows = profiles.query().select(|p| (p.settings.size, p.settings.name, p.settings.on)).to_vec()?;
    let expected: Vec<_> = loaded.iter().map(|s| (s.size, s.name.clone(), s.on)).collect();
    assert_eq!(rows, expected);
    assert_eq!(ids!(profiles, |p: ProfileFields| p.settings.size.eq(12)), [1, 3]);
    assert_eq!(ids!(profiles, |p: ProfileFields| p.settings.name.is_none()), [2]);
    let error = profiles.filter(|p| p.settings.theme.contains("dark")).count().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`settings.theme`, whose default is a list, a struct or what cannot be stored"),
        "{error}"
    );
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Wide {
    id: i64,
    #[serde(default = "widest")]
    big: u64,
}

fn widest() -> u64 {
    u64::MAX
}

#[test]
fn a_default_that_cannot_be_stored_is_not_asked_about() -> TestResult {
    let db = Database::open_in_memory()?;
    let wide = db.collection::<Wide>()?;
    strange(&db, "wide", &[(1, "{}")])?;
    assert_eq!(wide.get(1)?.map(|wide| wide.big), Some(u64::MAX));
    fails(wide.filter(|w| w.big.ge(5)).count(), ErrorKind::InvalidQuery, &["`big`", "cannot be stored"]);
    fails(
        wide.query().update(|w| w.big.increment(1)),
        ErrorKind::InvalidQuery,
        &["`big`", "cannot be stored"],
    );
    Ok(())
}
