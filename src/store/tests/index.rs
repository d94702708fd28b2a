//! Collections, indexes, the narrow index, and the catalog that follows them.

use super::*;
use crate::store::schema::IndexInfo;
use crate::store::{CollectionInfo, IndexColumnSpec, IndexOutcome, IndexSpec};

/// An index over one-segment paths; a `-` in front means descending.
fn spec(keys: &[(&str, &'static str)], unique: bool) -> IndexSpec {
    let columns = keys
        .iter()
        .map(|(key, kind)| {
            let (key, desc) = key.strip_prefix('-').map_or((*key, false), |key| (key, true));
            let path = format!("$.{}", serde_json::json!(key)).replace('\'', "''");
            IndexColumnSpec {
                path: serde_json::json!([key]).to_string(),
                label: key.into(),
                kind,
                expr: match *kind {
                    "bool" => {
                        format!("CASE json_type(doc,'{path}') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END")
                    }
                    _ => format!("jsonb_extract(doc,'{path}')"),
                },
                desc,
            }
        })
        .collect();
    IndexSpec { columns, unique, nulls_collide: false, filter: None }
}

fn created(outcome: IndexOutcome) -> String {
    let IndexOutcome::Created { name } = outcome else { panic!("{outcome:?}") };
    name
}

fn put(txn: &WriteTxn, table: &str, doc: &serde_json::Value) -> Result<(), StoreError> {
    let sql = format!("INSERT INTO \"{table}\"(doc) VALUES (jsonb(?1))");
    txn.execute(&sql, &[Bind::Text(&doc.to_string())]).map(|_| ())
}

fn key(name: &str) -> IndexColumnSpec {
    IndexColumnSpec {
        path: serde_json::json!([name]).to_string(),
        label: name.to_owned(),
        kind: "text",
        expr: format!("jsonb_extract(doc,'$.\"{}\"')", name.replace('\'', "''")),
        desc: false,
    }
}

fn events(engine: &Arc<Engine>) -> Result<(WriteTxn, Arc<CollectionInfo>), StoreError> {
    let txn = engine.begin()?;
    let events = txn.create_collection("events", "integer", None)?;
    Ok((txn, events))
}

#[test]
fn a_collection_is_made_once_and_keeps_its_kind_of_key() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, made) = events(&engine)?;
    assert_eq!((made.id, made.table.as_str()), (1, "events"));
    assert_eq!(txn.create_collection("events", "integer", None)?, made);
    let other = txn.create_collection("events", "text", Some(&key("id")));
    assert!(matches!(other, Err(StoreError::TypeMismatch { .. })));
    for name in ["", "a\0b", &"x".repeat(256)] {
        let refused = txn.create_collection(name, "integer", None);
        assert!(matches!(refused, Err(StoreError::InvalidName { .. })));
    }
    assert!(engine.schema().collections.is_empty(), "the cache moves on commit");
    txn.commit()?;
    assert_eq!(engine.schema().collections.get("events"), Some(&made));
    drop(engine);
    assert_eq!(scene.open()?.schema().collections.get("events"), Some(&made));
    Ok(())
}

#[test]
fn a_table_bears_a_plain_name_or_a_number() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    txn.batch("CREATE TABLE taken(a)")?;
    let long = "x".repeat(255);
    let odd = [
        "Events",
        "json_each",
        "jsonb",
        "sqlite_x",
        "vellum_meta",
        "pragma_x",
        "dbstat",
        "fts5",
        "rtree",
        "taken",
        "1a",
        "_a",
        "a b",
        "a\"; DROP TABLE vellum_meta; --",
        "\u{e9}",
        "a.b",
    ];
    for name in odd {
        let made = txn.create_collection(name, "integer", None)?;
        assert_eq!(made.table, format!("vellum_c{}", made.id), "{name}");
        put(&txn, &made.table, &serde_json::json!({}))?;
    }
    for name in ["a", "a1_b", "select", "order", &long] {
        assert_eq!(txn.create_collection(name, "integer", None)?.table, name);
        put(&txn, name, &serde_json::json!({}))?;
    }
    assert_eq!(int(&txn, "SELECT count(*) FROM json_each('[1,2]')")?, 2);
    txn.commit()?;
    assert_eq!(engine.schema().collections.len(), odd.len() + 5);
    Ok(())
}

#[test]
fn a_text_key_is_unique_and_must_be_there() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let users = txn.create_collection("users", "text", Some(&key("it's")))?;
    assert_eq!(txn.create_collection("users", "text", Some(&key("it's")))?, users);
    let elsewhere = txn.create_collection("users", "text", Some(&key("id")));
    assert!(matches!(elsewhere, Err(StoreError::TypeMismatch { .. })), "{elsewhere:?}");
    put(&txn, "users", &serde_json::json!({"it's": "5"}))?;
    put(&txn, "users", &serde_json::json!({"it's": 5}))?;
    let twice = put(&txn, "users", &serde_json::json!({"it's": "5"}));
    assert!(matches!(twice, Err(StoreError::AlreadyExists { .. })), "{twice:?}");
    let missing = put(&txn, "users", &serde_json::json!({}));
    assert!(matches!(missing, Err(StoreError::TypeMismatch { .. })), "{missing:?}");
    let by_id = txn.execute("INSERT INTO users(id, doc) VALUES (1, jsonb('{\"it''s\":\"6\"}'))", &[]);
    assert!(matches!(by_id, Err(StoreError::AlreadyExists { .. })), "{by_id:?}");
    Ok(())
}

#[test]
fn other_programs_cannot_store_what_is_no_jsonb() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    events(&engine)?.0.commit()?;
    let stranger = scene.stranger()?;
    for bad in ["x'ff'", "'{}'", "x''", "NULL"] {
        let stored = stranger.execute_batch(&format!("INSERT INTO events(doc) VALUES ({bad})"));
        assert!(stored.is_err(), "{bad}");
    }
    stranger.execute_batch("INSERT INTO events(doc) VALUES (jsonb('{}'))")?;
    stranger.execute_batch("PRAGMA ignore_check_constraints=ON; INSERT INTO events(doc) VALUES (x'ff')")?;
    let read = int(&*engine.reader()?, "SELECT count(jsonb_extract(doc, '$.a')) FROM events");
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
    Ok(())
}

#[test]
fn an_index_is_made_once_and_reported_when_it_differs() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    let plain = spec(&[("a", "text")], false);
    assert_eq!(created(txn.ensure_index(&events, &plain)?), "events/a");
    assert_eq!(txn.ensure_index(&events, &plain)?, IndexOutcome::Unchanged { name: "events/a".into() });
    let unique = spec(&[("a", "text")], true);
    assert_eq!(txn.ensure_index(&events, &unique)?, IndexOutcome::Differs { name: "events/a".into() });
    assert_eq!(created(txn.ensure_index(&events, &spec(&[("-a", "text")], false))?), "events/a desc");
    assert_eq!(
        created(txn.ensure_index(&events, &spec(&[("a", "text"), ("-b", "number")], false))?),
        "events/a,b desc"
    );
    let sql = text(&txn, "SELECT sql FROM sqlite_schema WHERE name = 'events/a,b desc'")?;
    assert!(sql.ends_with("(\"a\", \"b\" DESC, id DESC)"), "{sql}");
    created(txn.ensure_index(&events, &spec(&[("-c", "number")], true))?);
    let sql = text(&txn, "SELECT sql FROM sqlite_schema WHERE name = 'events/c desc'")?;
    assert!(sql.ends_with("(\"c\" DESC)"), "{sql}");
    txn.commit()?;
    let seen = engine.schema();
    assert_eq!(seen.collections["events"].indexes.len(), 4);
    assert_eq!(seen.collections["events"].columns.len(), 3);
    drop(engine);
    assert_eq!(scene.open()?.schema().collections, seen.collections);
    Ok(())
}

#[test]
fn odd_keys_are_indexed_under_names_of_ours() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    let keys = [
        ("plain", "plain"),
        ("Plain", "c1"),
        ("id", "c2"),
        ("KEY", "c3"),
        ("doc", "c4"),
        ("", "c5"),
        ("a\0b", "c6"),
        ("c7", "c7"),
        ("ID", "c8"),
        ("*", "*"),
        ("a.b", "a.b"),
        ("\"; DROP TABLE events; --", "\"; DROP TABLE events; --"),
        ("it's", "it's"),
        ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"),
        ("a,b", "a,b"),
        ("select", "select"),
        ("rowid", "c9"),
        ("_ROWID_", "c10"),
    ];
    for (i, (key, column)) in keys.iter().enumerate() {
        put(&txn, "events", &serde_json::json!({ *key: format!("value {i}") }))?;
        let name = created(txn.ensure_index(&events, &spec(&[(key, "text")], false))?);
        assert_ne!(name, "events/*");
        let schema = txn.schema()?;
        let index = schema.collections["events"].indexes.iter().find(|index| index.name == name).expect("it");
        assert_eq!(index.columns[0].column, *column, "{key:?}");
        let found = format!(
            "SELECT count(*) FROM events INDEXED BY {} WHERE {} = 'value {i}'",
            crate::store::schema::quote(&name),
            crate::store::schema::quote(column)
        );
        assert_eq!(int(&txn, &found)?, 1, "{key:?}");
    }
    // The same path as another kind.
    created(txn.ensure_index(&events, &spec(&[("plain", "bool")], false))?);
    created(txn.ensure_index(&events, &spec(&[("a", "text"), ("b", "text")], false))?);
    assert_eq!(text(&txn, "PRAGMA integrity_check")?, "ok");
    let schema = txn.schema()?;
    for index in &schema.collections["events"].indexes {
        assert!(txn.drop_index(&events, &index.name)?, "{}", index.name);
    }
    assert!(txn.schema()?.collections["events"].columns.is_empty());
    assert_eq!(int(&txn, "SELECT count(*) FROM pragma_table_xinfo('events')")?, 2);
    txn.commit()?;
    Ok(())
}

#[test]
fn documents_that_break_a_new_unique_index_leave_everything_as_it_was() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    for doc in [serde_json::json!({"a": 1}), serde_json::json!({"a": 1})] {
        put(&txn, "events", &doc)?;
    }
    let before = txn.schema()?;
    let refused = txn.ensure_index(&events, &spec(&[("-a", "number")], true));
    assert!(matches!(&refused, Err(StoreError::Unique { index, .. }) if &**index == "events/a desc"));
    assert_eq!(txn.schema()?, before);
    assert_eq!(int(&txn, "SELECT count(*) FROM pragma_table_xinfo('events')")?, 2);
    assert_eq!(int(&txn, "SELECT count(*) FROM vellum_column")?, 0);
    txn.execute("DELETE FROM events WHERE id = 2", &[])?;
    created(txn.ensure_index(&events, &spec(&[("-a", "number")], true))?);
    created(txn.ensure_index(&events, &spec(&[("a", "number"), ("b", "text")], true))?);
    let twice = put(&txn, "events", &serde_json::json!({"a": 1}));
    assert!(
        matches!(&twice, Err(StoreError::Unique { index, .. }) if &**index == "events/a desc"),
        "{twice:?}"
    );
    put(&txn, "events", &serde_json::json!({}))?;
    put(&txn, "events", &serde_json::json!({"a": null}))?;
    Ok(())
}

#[test]
fn the_narrow_index_follows_its_members() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    let members = |txn: &WriteTxn| -> Result<Option<Vec<String>>, StoreError> {
        let schema = txn.schema()?;
        let narrow = schema.collections["events"].narrow();
        Ok(narrow.map(|narrow| narrow.columns.iter().map(|column| column.column.clone()).collect()))
    };
    txn.ensure_index(&events, &spec(&[("n", "number")], false))?;
    assert!(!txn.refresh_narrow(&events)?, "one field is not enough");
    txn.ensure_index(&events, &spec(&[("b", "bool")], false))?;
    txn.ensure_index(&events, &spec(&[("short", "text"), ("long", "text")], false))?;
    assert!(txn.refresh_narrow(&events)?);
    assert_eq!(members(&txn)?, Some(vec!["n".into(), "b".into()]), "texts wait");
    assert_eq!(
        text(&txn, "SELECT sql FROM sqlite_schema WHERE name = 'events/*'")?,
        "CREATE INDEX \"events/*\" ON \"events\"(id, \"n\", \"b\")"
    );
    assert!(!txn.refresh_narrow(&events)?);
    for i in 0..1000 {
        let doc = serde_json::json!({"n": i, "b": true, "short": "x\0".repeat(32), "long": "x\0".repeat(33)});
        put(&txn, "events", &doc)?;
    }
    assert!(txn.refresh_narrow(&events)?);
    assert_eq!(members(&txn)?, Some(vec!["n".into(), "b".into(), "short".into()]));
    let epoch = txn.schema()?.epoch;
    assert!(!txn.refresh_narrow(&events)?);
    assert_eq!(txn.schema()?.epoch, epoch);
    // A small collection keeps the texts that it has.
    txn.execute("DELETE FROM events WHERE id > 10", &[])?;
    assert!(!txn.refresh_narrow(&events)?);
    // A dropped index leaves its column while the narrow index holds it.
    assert!(txn.drop_index(&events, "events/short,long")?);
    let columns = |txn: &WriteTxn| -> Result<usize, StoreError> {
        Ok(txn.schema()?.collections["events"].columns.len())
    };
    assert_eq!(columns(&txn)?, 3);
    assert!(txn.refresh_narrow(&events)?);
    assert_eq!(columns(&txn)?, 2);
    assert!(!txn.drop_index(&events, "events/*")?, "it is not the user's");
    assert!(txn.drop_index(&events, "events/n")?);
    assert!(txn.refresh_narrow(&events)?);
    assert_eq!(members(&txn)?, None);
    assert_eq!(columns(&txn)?, 1);
    assert!(!txn.drop_index(&events, "events/n")?);
    assert_eq!(text(&txn, "PRAGMA integrity_check")?, "ok");
    txn.commit()?;
    Ok(())
}

#[test]
fn a_column_that_is_computed_otherwise_is_made_anew_with_what_holds_it() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    let old = spec(&[("n", "number")], false);
    let mut new = old.clone();
    new.columns[0].expr = "coalesce(jsonb_extract(doc,'$.\"n\"'), 7)".into();
    txn.ensure_index(&events, &old)?;
    txn.ensure_index(&events, &spec(&[("b", "bool")], false))?;
    txn.refresh_narrow(&events)?;
    put(&txn, "events", &serde_json::json!({}))?;
    let mut compound = new.clone();
    compound.columns.extend(spec(&[("b", "bool")], false).columns);
    created(txn.ensure_index(&events, &compound)?);
    for index in ["events/n", "events/n,b"] {
        assert_eq!(int(&txn, &format!("SELECT n FROM events INDEXED BY \"{index}\""))?, 7, "{index}");
    }
    assert_eq!(txn.ensure_index(&events, &new)?, IndexOutcome::Unchanged { name: "events/n".into() });
    assert!(txn.refresh_narrow(&events)?);
    assert_eq!(int(&txn, "SELECT n FROM events INDEXED BY \"events/*\"")?, 7);
    assert_eq!(txn.ensure_index(&events, &old)?, IndexOutcome::Rebuilt { name: "events/n".into() });
    assert_eq!(int(&txn, "SELECT count(n) FROM events INDEXED BY \"events/n,b\"")?, 0);
    assert_eq!(text(&txn, "PRAGMA integrity_check")?, "ok");
    Ok(())
}

#[test]
fn an_index_of_another_process_is_seen_after_a_refresh() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, events) = events(&engine)?;
    txn.ensure_index(&events, &spec(&[("a", "text")], false))?;
    txn.commit()?;
    let reader = engine.reader()?;
    let sql = "SELECT count(*) FROM events INDEXED BY \"events/a\" WHERE a = 'x'";
    assert_eq!(int(&reader, sql)?, 0);
    scene.stranger()?.execute_batch(
        "BEGIN; DROP INDEX \"events/a\"; DELETE FROM vellum_index;
         UPDATE vellum_meta SET value = value + 1 WHERE key = 'epoch'; COMMIT",
    )?;
    let gone = int(&reader, sql);
    assert!(matches!(&gone, Err(StoreError::MissingIndex { name, .. }) if &**name == "events/a"), "{gone:?}");
    let known = engine.schema();
    let seen = engine.refresh()?;
    assert_eq!(seen.epoch, known.epoch + 1);
    assert!(seen.collections["events"].indexes.is_empty());
    assert!(Arc::ptr_eq(&engine.schema(), &seen));
    // A new statement, and a cached one that still runs, tell that the schema may have moved.
    let count = "SELECT count(*) FROM events";
    assert!(reader.prepare(count)?.met_schema());
    let mut stmt = reader.prepare(count)?;
    stmt.step()?;
    assert!(!stmt.met_schema());
    scene.stranger()?.execute_batch("CREATE INDEX other ON events(id)")?;
    stmt.reset();
    stmt.step()?;
    assert!(stmt.met_schema());
    Ok(())
}

#[test]
fn statistics_come_with_an_index_and_are_renewed_when_they_are_outgrown() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let (txn, _) = events(&engine)?;
    let fill = |txn: &WriteTxn, count: i64| {
        (0..count).try_for_each(|n| put(txn, "events", &serde_json::json!({ "a": n % 4, "b": n })))
    };
    let info = |txn: &WriteTxn| txn.collection("events");
    let rows = |txn: &WriteTxn| {
        Ok::<_, StoreError>(info(txn)?.indexes.iter().map(IndexInfo::rows).collect::<Vec<_>>())
    };
    txn.ensure_index(&*info(&txn)?, &spec(&[("a", "number"), ("b", "number")], false))?;
    assert_eq!(rows(&txn)?, [0], "an empty index says nothing");
    fill(&txn, 1_000)?;
    txn.refresh_statistics(&*info(&txn)?)?;
    assert_eq!(rows(&txn)?, [0], "too few to be worth it");
    fill(&txn, 1_000)?;
    txn.refresh_statistics(&*info(&txn)?)?;
    assert_eq!(rows(&txn)?, [2_000]);
    let found = info(&txn)?.indexes[0].statistics.clone().ok_or("no statistics")?;
    // Of four values, and of a thousand; SQLite looks at a part.
    assert!(matches!(found.rows_per_value[..], [250..=500, 2]), "{found:?}");

    let epoch = txn.schema()?.epoch;
    fill(&txn, 5_000)?;
    txn.refresh_statistics(&*info(&txn)?)?;
    assert_eq!((rows(&txn)?, txn.schema()?.epoch), (vec![2_000], epoch), "they do still");
    // Ids far apart are no documents.
    txn.execute("INSERT INTO events(id, doc) VALUES (1000000000, jsonb('{}'))", &[])?;
    txn.refresh_statistics(&*info(&txn)?)?;
    assert_eq!((rows(&txn)?, txn.schema()?.epoch), (vec![2_000], epoch));
    fill(&txn, 1_100)?;
    txn.refresh_statistics(&*info(&txn)?)?;
    assert!(rows(&txn)?[0] > 8_000 && txn.schema()?.epoch > epoch, "{:?}", rows(&txn)?);
    Ok(())
}
