//! Structs whose fields stand beside those of the struct around them, tags of structs, and declared stored types.

mod support;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, stored, strange};
use vellum::ErrorKind::{InvalidQuery, TypeMismatch};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Stamp {
    created_at: i64,
    changed_by: Option<String>,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Origin {
    host: String,
    #[serde(flatten)]
    stamp: Stamp,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "of")]
struct Signed {
    by: String,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "notes", compound("origin.stamp.created_at desc", "text"))]
struct Note {
    id: i64,
    text: String,
    #[serde(flatten)]
    origin: Origin,
    signed: Signed,
    inner: Origin,
    #[serde(with = "seconds")]
    #[document(index, repr = i64)]
    at: std::time::Duration,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Loose {
    id: i64,
    text: String,
    #[serde(flatten)]
    #[document(opaque)]
    rest: HashMap<String, serde_json::Value>,
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        duration.as_secs().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}

fn note(text: &str, created_at: i64) -> Note {
    let origin = |host: &str| Origin {
        host: host.to_owned(),
        stamp: Stamp { created_at, changed_by: (created_at > 1).then(|| "ann".to_owned()) },
    };
    Note {
        id: 0,
        text: text.to_owned(),
        origin: origin("outer"),
        signed: Signed { by: text.to_uppercase() },
        inner: origin("inner"),
        at: std::time::Duration::from_secs(created_at.unsigned_abs() * 10),
    }
}

fn notes() -> vellum::Result<(Database, Collection<'static, Note>)> {
    let db = Database::open_in_memory()?;
    let notes = db.collection::<Note>()?;
    notes.ensure_indexes()?;
    notes.insert_batch([note("a", 1), note("b", 2), note("c", 3)])?;
    Ok((db, notes))
}

#[test]
fn flattened_documents_come_back_as_they_were() -> TestResult {
    let (db, notes) = notes()?;
    assert_eq!(
        notes.query().to_vec()?,
        [(1, "a"), (2, "b"), (3, "c")].map(|(id, text)| Note { id, ..note(text, id) })
    );
    let text = stored(&db, "notes", 2)?;
    for part in [r#""host":"outer","createdAt":2,"changedBy":"ann""#, r#""of":"Signed""#, r#""at":20"#] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    Ok(())
}

#[test]
fn the_fields_of_a_flattened_struct_stand_beside_its_own() -> TestResult {
    let (_db, notes) = notes()?;
    assert_eq!(
        ids!(notes, |n: NoteFields| n.origin.host.eq("outer") & n.origin.stamp.created_at.ge(2)),
        [2, 3]
    );
    assert_eq!(ids!(notes, |n: NoteFields| n.origin.stamp.changed_by.is_none()), [1]);
    assert_eq!(ids!(notes, |n: NoteFields| n.inner.stamp.created_at.eq(3)), [3]);
    let newest =
        notes.compile(|q, ()| q.order_by_desc(|n| n.origin.stamp.created_at).select(|n| n.id).take(1))?;
    assert_eq!(newest.call(())?, [3]);
    assert_eq!(newest.explain()?.plan.readings[0].indexes, ["notes/createdAt desc,text"]);
    assert_eq!(notes.update_many(|n| n.id.eq(1), |n| n.origin.stamp.created_at.set(9))?, 1);
    assert_eq!(notes.get(1)?.map(|note| note.origin.stamp.created_at), Some(9));
    Ok(())
}

#[test]
fn whole_structs_are_selected_with_what_is_flattened_into_them() -> TestResult {
    let (_db, notes) = notes()?;
    let rows =
        notes.filter(|n| n.id.eq(2)).select(|n| (n.inner, n.origin, n.origin.stamp, n.signed)).to_vec()?;
    let expected = note("b", 2);
    assert_eq!(rows, [(expected.inner, expected.origin.clone(), expected.origin.stamp, expected.signed)]);
    assert_eq!(notes.query().select(|n| n).to_vec()?.len(), 3);
    Ok(())
}

#[test]
fn a_flattened_struct_has_no_place_to_assign() -> TestResult {
    let (_db, notes) = notes()?;
    let origin = note("x", 5).origin;
    let error = notes.query().update(|n| n.origin.set(origin.clone())).unwrap_err();
    assert!(error.to_string().contains("assign its fields"), "{error}");
    assert_eq!(notes.get(1)?.map(|note| note.text), Some("a".to_owned()));
    Ok(())
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64, name: Option<String> },
    Noted(Stamp),
    Empty,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "cause", content = "of")]
enum Cause {
    Unknown,
    Timeout { ms: i64 },
    Code(i64),
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Drawn {
    id: i64,
    #[serde(flatten)]
    shape: Shape,
    by: String,
    #[serde(flatten)]
    cause: Cause,
}

fn drawn() -> vellum::Result<(Database, Collection<'static, Drawn>, Vec<Drawn>)> {
    let stamp = Stamp { created_at: 5, changed_by: None };
    let all = [
        (Shape::Circle { radius: 2.0 }, Cause::Unknown),
        (Shape::Square { side: 3.0, name: Some("lid".to_owned()) }, Cause::Timeout { ms: 900 }),
        (Shape::Noted(stamp), Cause::Code(403)),
        (Shape::Empty, Cause::Code(404)),
    ];
    let document = |(id, (shape, cause))| Drawn { id, shape, by: format!("b{id}"), cause };
    let all: Vec<Drawn> = (1..).zip(all).map(document).collect();
    let db = Database::open_in_memory()?;
    let drawn = db.collection::<Drawn>()?;
    drawn.insert_batch(all.clone())?;
    Ok((db, drawn, all))
}

#[test]
fn the_variants_of_a_flattened_enum_stand_beside_the_other_fields() -> TestResult {
    let (db, drawn, all) = drawn()?;
    assert_eq!(stored(&db, "drawn", 1)?, r#"{"type":"circle","radius":2.0,"by":"b1","cause":"Unknown"}"#);
    assert_eq!(drawn.query().to_vec()?, all);
    for indexed in [false, true] {
        if indexed {
            drawn.ensure_index(|d| d.shape.tag()).create()?;
        }
        assert_eq!(ids!(drawn, |d: DrawnFields| d.shape.circle.is()), [1]);
        assert_eq!(ids!(drawn, |d: DrawnFields| !d.shape.empty.is()), [1, 2, 3]);
        assert_eq!(ids!(drawn, |d: DrawnFields| d.shape.square.is_and(|s| s.side.gt(1.0))), [2]);
        assert_eq!(ids!(drawn, |d: DrawnFields| d.shape.noted.is_and(|s| s.created_at.eq(5))), [3]);
        assert_eq!(ids!(drawn, |d: DrawnFields| d.shape.tag().eq("empty") & d.by.eq("b4")), [4]);
        assert_eq!(ids!(drawn, |d: DrawnFields| d.cause.code.map(|c| c).gt(403)), [4]);
        assert_eq!(ids!(drawn, |d: DrawnFields| d.cause.timeout.is_and(|t| t.ms.lt(901))), [2]);
        let radii = drawn.query().select(|d| d.shape.circle.map(|c| c.radius)).to_vec()?;
        assert_eq!(radii, [Some(2.0), None, None, None]);
        let sides = drawn.query().select(|d| d.shape.square.and_then(|s| s.name)).to_vec()?;
        assert_eq!(sides, [None, Some("lid".to_owned()), None, None]);
    }
    let of_kind = drawn.filter(|d| d.shape.circle.is()).explain()?;
    assert_eq!(of_kind.plan.readings[0].indexes, ["drawn/type"], "{of_kind}");
    Ok(())
}

#[test]
fn a_flattened_enum_is_selected_as_a_whole() -> TestResult {
    let (_db, drawn, all) = drawn()?;
    let shapes: Vec<(Shape, Cause)> = all.iter().map(|d| (d.shape.clone(), d.cause.clone())).collect();
    assert_eq!(drawn.query().select(|d| (d.shape, d.cause)).to_vec()?, shapes);
    assert_eq!(drawn.query().select(|d| d).to_vec()?, all);
    assert_eq!(drawn.filter(|d| d.shape.tag().ne("empty")).select(|d| (d.id, d)).to_vec()?.len(), 3);
    Ok(())
}

#[test]
fn a_flattened_enum_has_no_place_to_assign() -> TestResult {
    let (db, drawn, all) = drawn()?;
    let error = drawn.query().update(|d| d.shape.set(Shape::Empty)).unwrap_err();
    assert!(error.to_string().contains("replace the document"), "{error}");
    let error = drawn.query().update(|d| d.shape.tag().set("empty")).unwrap_err();
    assert_eq!(error.kind(), vellum::ErrorKind::InvalidQuery, "{error}");
    assert_eq!(drawn.query().to_vec()?, all, "nothing was changed");
    drawn.update_many(|d| d.shape.circle.is(), |d| d.by.set("me"))?;
    assert_eq!(stored(&db, "drawn", 1)?, r#"{"type":"circle","radius":2.0,"by":"me","cause":"Unknown"}"#);
    let replaced = Drawn { shape: Shape::Empty, ..all[0].clone() };
    assert!(drawn.replace(&replaced)?);
    assert_eq!(drawn.get(1)?, Some(replaced));
    Ok(())
}

#[test]
fn a_declared_stored_type_is_what_queries_see() -> TestResult {
    let (db, notes) = notes()?;
    assert_eq!(ids!(notes, |n: NoteFields| n.at.gt(15)), [2, 3]);
    let after = db.compile(|q, (at,)| q.from::<Note>().filter(|n| n.at.gt(at)).select(|n| n.at))?;
    assert_eq!(after.call(15)?, [20, 30]);
    let at = db.compile(|q, (at,)| q.from::<Note>().filter(|n| n.at.eq(at)).count())?;
    assert_eq!(at.call(20)?, 1);
    assert_eq!(at.explain()?.plan.readings[0].indexes, ["notes/at"]);
    notes.update_many(|n| n.id.eq(1), |n| n.at.increment(5))?;
    assert_eq!(notes.get(1)?.map(|note| note.at.as_secs()), Some(15));
    Ok(())
}

#[test]
fn keys_that_no_field_names_go_to_a_flattened_map() -> TestResult {
    let db = Database::open_in_memory()?;
    let loose = db.collection::<Loose>()?;
    let rest = HashMap::from([("extra".to_owned(), serde_json::json!({"deep": [1, 2]}))]);
    loose.insert(Loose { id: 0, text: "a".to_owned(), rest: rest.clone() })?;
    assert_eq!(loose.query().to_vec()?, [Loose { id: 1, text: "a".to_owned(), rest }]);
    strange(&db, "loose", &[(9, r#"{"text":"d","more":true,"id":77}"#)])?;
    let found = loose.get(9)?.ok_or("the stranger's document is gone")?;
    assert_eq!((found.id, found.rest), (9, HashMap::from([("more".to_owned(), true.into())])));
    assert_eq!(ids!(loose, |l: LooseFields| l.text.eq("d")), [9]);
    Ok(())
}

#[test]
fn a_flattened_field_does_not_take_the_keys_place() -> TestResult {
    let db = Database::open_in_memory()?;
    let loose = db.collection::<Loose>()?;
    let document = |id, rest: &[(&str, i64)]| Loose {
        id,
        text: "a".to_owned(),
        rest: rest.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect(),
    };
    loose.insert_batch([document(1, &[]), document(2, &[("x", 1)])])?;
    let named = &["the key of the document once"];
    support::fails(loose.upsert(document(1, &[("id", 2)])), vellum::ErrorKind::TypeMismatch, named);
    support::fails(loose.insert(document(0, &[("id", 77)])), vellum::ErrorKind::TypeMismatch, named);
    assert_eq!(loose.get(2)?, Some(document(2, &[("x", 1)])));
    assert_eq!(loose.count()?, 2);
    Ok(())
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind")]
enum Made {
    By { by: String },
    Of(Part),
    Plain,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Part {
    kind: String,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Thing {
    #[serde(flatten)]
    made: Made,
    id: i64,
    by: Option<i64>,
    inside: Made,
    #[serde(flatten)]
    #[document(opaque)]
    rest: HashMap<String, String>,
}

#[test]
fn two_fields_of_one_name_are_refused_where_they_meet() -> TestResult {
    let db = Database::open_in_memory()?;
    let things = db.collection::<Thing>()?;
    let plain = |id| Thing { made: Made::Plain, id, by: None, inside: Made::Plain, rest: HashMap::new() };
    let part = || Part { kind: "wood".into() };
    let by = || Made::By { by: "ann".into() };
    things.insert_batch((1..=3).map(plain))?;
    things.insert(Thing { inside: by(), ..plain(4) })?;
    let words = ["one field of this name", "rename one of them"];
    for (path, thing) in [
        ("`by`", Thing { made: by(), by: Some(5), ..plain(9) }),
        ("`by`", Thing { made: by(), ..plain(9) }),
        ("`kind`", Thing { rest: HashMap::from([("kind".into(), "x".into())]), ..plain(9) }),
        ("`kind`", Thing { made: Made::Of(part()), ..plain(9) }),
        ("`inside.kind`", Thing { inside: Made::Of(part()), ..plain(9) }),
    ] {
        fails(things.insert(thing.clone()), TypeMismatch, &[path, words[0], words[1]]);
        fails(things.upsert(thing), TypeMismatch, &[path, words[0], words[1]]);
    }
    let set = things.query().update(|t| t.inside.set(Made::Of(part())));
    fails(set, InvalidQuery, &["`inside`", "`kind`", words[0], words[1]]);
    assert_eq!(things.query().to_vec()?.len(), 4);
    Ok(())
}
