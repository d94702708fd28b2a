//! The facts of SQLite that the plans lean on, each held on the version that is bundled.
//!
//! The behaviour of the database does not depend on some of them, its speed does: a new version that changes one is to
//! be noticed here, and not in a measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, Result, StatementStatus, params};

/// A collection as the store makes it, with one text and one number indexed.
fn collection() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(
        r#"CREATE TABLE t(
             id INTEGER PRIMARY KEY,
             doc BLOB NOT NULL CHECK(json_valid(doc, 8)),
             s AS (jsonb_extract(doc, '$."s"')) VIRTUAL,
             n AS (jsonb_extract(doc, '$."n"')) VIRTUAL);
           CREATE INDEX "t/s" ON t(s);
           CREATE INDEX "t/n" ON t(n);
           CREATE INDEX "t/*" ON t(id, s, n);"#,
    )?;
    let mut insert = db.prepare("INSERT INTO t(doc) VALUES (jsonb(?1))")?;
    for (s, n) in [("\"b\"", "3"), ("\"a\"", "1"), ("\"ab\"", "2"), ("null", "2.5"), ("7", "\"x\"")] {
        insert.execute([format!(r#"{{"s":{s},"n":{n}}}"#)])?;
    }
    drop(insert);
    Ok(db)
}

fn plan(db: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    statement.raw_query().mapped(|row| row.get(3)).collect()
}

fn ids(db: &Connection, sql: &str) -> Result<Vec<i64>> {
    db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn value(db: &Connection, sql: &str) -> Result<Value> {
    db.query_row(sql, [], |row| row.get(0))
}

/// Returns whether the program of a statement calls a function.
fn calls(db: &Connection, sql: &str, function: &str) -> Result<bool> {
    let mut statement = db.prepare(&format!("EXPLAIN {sql}"))?;
    let operands: Vec<Value> = statement.raw_query().mapped(|row| row.get(5)).collect::<Result<_>>()?;
    Ok(operands.iter().any(|p4| matches!(p4, Value::Text(name) if name.starts_with(function))))
}

#[test]
fn the_order_of_a_query_in_from_is_dropped_without_a_limit() -> Result<()> {
    let db = collection()?;
    let sql = "SELECT d.id FROM (SELECT id FROM t NOT INDEXED ORDER BY n DESC) AS o CROSS JOIN t AS d
               WHERE d.id = o.id";
    assert!(plan(&db, sql)?.iter().all(|line| !line.contains("ORDER BY")));
    assert_eq!(ids(&db, sql)?, [1, 2, 3, 4, 5]);
    Ok(())
}

#[test]
fn the_order_of_a_query_in_from_is_kept_with_limit_minus_one_under_cross_join() -> Result<()> {
    let db = collection()?;
    let sql =
        "SELECT d.id FROM (SELECT id FROM t NOT INDEXED ORDER BY n DESC LIMIT -1) AS o CROSS JOIN t AS d
               WHERE d.id = o.id";
    assert!(plan(&db, sql)?.iter().any(|line| line.contains("ORDER BY")));
    assert_eq!(ids(&db, sql)?, [5, 1, 4, 3, 2]);
    Ok(())
}

#[test]
fn cross_join_keeps_the_left_table_outside() -> Result<()> {
    let db = collection()?;
    let lines = plan(&db, "SELECT 1 FROM t AS a CROSS JOIN t AS b WHERE b.id = a.id AND b.id = 1")?;
    assert!(lines[0].contains(" a"), "{lines:?}");
    Ok(())
}

#[test]
fn indexed_by_serves_virtual_columns() -> Result<()> {
    let db = collection()?;
    let cases = [
        (r#"SELECT count(*) FROM t INDEXED BY "t/s" WHERE s = ?1"#, "SEARCH t USING INDEX t/s (s=?)"),
        (
            r#"SELECT count(*) FROM t INDEXED BY "t/s" WHERE s >= ?1 AND s < ?2"#,
            "SEARCH t USING INDEX t/s (s>? AND s<?)",
        ),
        (r#"SELECT count(*) FROM t INDEXED BY "t/s" WHERE s IS ?1"#, "SEARCH t USING INDEX t/s (s=?)"),
        (r#"SELECT count(*) FROM t INDEXED BY "t/s" WHERE s IS NULL"#, "SEARCH t USING INDEX t/s (s=?)"),
        (
            r#"SELECT count(*) FROM t INDEXED BY "t/s" WHERE s IN (SELECT value FROM json_each(?1))"#,
            "SEARCH t USING INDEX t/s (s=?)",
        ),
        (r#"SELECT id FROM t INDEXED BY "t/s" ORDER BY s"#, "SCAN t USING INDEX t/s"),
        (r#"SELECT count(*) FROM t INDEXED BY "t/*" WHERE s > n"#, "SCAN t USING INDEX t/*"),
    ];
    for (sql, expected) in cases {
        let lines = plan(&db, sql)?;
        assert_eq!(lines.first().map(String::as_str), Some(expected), "{sql}");
        assert!(lines.iter().all(|line| !line.contains("B-TREE")), "{sql}: {lines:?}");
        assert!(!calls(&db, sql, "jsonb_extract")?, "{sql}");
    }
    Ok(())
}

#[test]
fn indexed_by_an_index_that_is_missing_is_an_error() -> Result<()> {
    let db = collection()?;
    let error = db.prepare(r#"SELECT 1 FROM t INDEXED BY "t/x""#).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.starts_with("no such index: t/x")));
    Ok(())
}

#[test]
fn the_planner_reads_documents_where_the_narrow_index_is_not_named() -> Result<()> {
    let db = collection()?;
    assert!(calls(&db, "SELECT count(*) FROM t NOT INDEXED WHERE s > n", "jsonb_extract")?);
    Ok(())
}

#[test]
fn the_row_id_comes_behind_the_columns_of_an_index() -> Result<()> {
    let db = collection()?;
    for sql in [
        r#"SELECT id FROM t INDEXED BY "t/s" WHERE s = ?1 ORDER BY id"#,
        r#"SELECT id FROM t INDEXED BY "t/s" ORDER BY s, id"#,
        r#"SELECT id FROM t INDEXED BY "t/s" ORDER BY s DESC, id DESC"#,
    ] {
        assert!(plan(&db, sql)?.iter().all(|line| !line.contains("B-TREE")), "{sql}");
    }
    let crossed = r#"SELECT id FROM t INDEXED BY "t/s" ORDER BY s DESC, id"#;
    assert!(plan(&db, crossed)?.iter().any(|line| line.contains("B-TREE")));
    Ok(())
}

#[test]
fn a_bound_jsonb_blob_is_a_list_and_a_value() -> Result<()> {
    let db = collection()?;
    let list: Vec<u8> = db.query_row("SELECT jsonb('[\"a\",\"b\",true]')", [], |row| row.get(0))?;
    let mut each = db.prepare("SELECT value FROM json_each(?1)")?;
    let items: Vec<Value> = each.query_map([&list], |row| row.get(0))?.collect::<Result<_>>()?;
    assert_eq!(items, [Value::Text("a".into()), Value::Text("b".into()), Value::Integer(1)]);
    let set: String =
        db.query_row("SELECT json(jsonb_set(jsonb('{}'), '$.\"x\"', ?1))", [&list], |row| row.get(0))?;
    assert_eq!(set, r#"{"x":["a","b",true]}"#);
    let single: Vec<u8> = db.query_row("SELECT jsonb('true')", [], |row| row.get(0))?;
    let set: String =
        db.query_row("SELECT json(jsonb_set(jsonb('{}'), '$.\"x\"', ?1))", [&single], |row| row.get(0))?;
    assert_eq!(set, r#"{"x":true}"#);
    Ok(())
}

#[test]
fn null_is_before_numbers_before_text_before_blobs() -> Result<()> {
    let db = Connection::open_in_memory()?;
    db.execute_batch("CREATE TABLE v(x); INSERT INTO v VALUES (x''), ('a'), (''), (2), (1.5), (NULL), (-1)")?;
    let sorted: Vec<Value> =
        db.prepare("SELECT x FROM v ORDER BY x")?.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    let expected = [
        Value::Null,
        Value::Integer(-1),
        Value::Real(1.5),
        Value::Integer(2),
        Value::Text("".into()),
        Value::Text("a".into()),
        Value::Blob(Vec::new()),
    ];
    assert_eq!(sorted, expected);
    assert_eq!(value(&db, "SELECT count(*) FROM v WHERE x > 0 AND x < ''")?, Value::Integer(2));
    assert_eq!(value(&db, "SELECT count(*) FROM v WHERE x >= '' AND x < x''")?, Value::Integer(2));
    Ok(())
}

#[test]
fn is_not_true_is_two_valued() -> Result<()> {
    let db = Connection::open_in_memory()?;
    for (x, expected) in [("NULL", 1), ("0", 1), ("1", 0), ("NULL = 1", 1), ("2", 0)] {
        assert_eq!(value(&db, &format!("SELECT ({x}) IS NOT TRUE"))?, Value::Integer(expected), "{x}");
    }
    Ok(())
}

#[test]
fn a_virtual_column_without_a_type_has_no_affinity() -> Result<()> {
    let db = collection()?;
    assert_eq!(ids(&db, "SELECT id FROM t WHERE s = 7")?, [5]);
    assert_eq!(ids(&db, "SELECT id FROM t WHERE s = '7'")?, [0; 0]);
    assert_eq!(db.query_row("SELECT count(*) FROM t WHERE n = ?1", ["3"], |row| row.get(0)), Ok(0));
    assert_eq!(db.query_row("SELECT count(*) FROM t WHERE n = ?1", [3.0], |row| row.get(0)), Ok(1));
    Ok(())
}

#[test]
fn min_and_max_of_one_argument_are_aggregates() -> Result<()> {
    let db = collection()?;
    assert_eq!(value(&db, "SELECT max(id) FROM t")?, Value::Integer(5));
    assert_eq!(value(&db, "SELECT max(id) FROM t WHERE id > 9")?, Value::Null);
    assert_eq!(value(&db, "SELECT min(n) FROM t")?, Value::Integer(1));
    Ok(())
}

#[test]
fn a_limit_in_a_cast_is_not_prepared_again_for_each_value() -> Result<()> {
    let db = collection()?;
    db.execute_batch("ANALYZE")?;
    let reprepared = |sql: &str| -> Result<i32> {
        let mut statement = db.prepare(sql)?;
        for limit in [1, 2, 3] {
            let rows = statement.query_map([limit], |row| row.get::<_, i64>(0))?.count();
            assert_eq!(rows, limit as usize);
        }
        Ok(statement.get_status(StatementStatus::RePrepare))
    };
    assert_eq!(reprepared("SELECT id FROM t ORDER BY id LIMIT CAST(?1 AS INTEGER)")?, 0);
    Ok(())
}

#[test]
fn a_negative_limit_is_none_and_an_offset_past_the_end_gives_no_row() -> Result<()> {
    let db = collection()?;
    assert_eq!(ids(&db, "SELECT id FROM t ORDER BY id LIMIT -1 OFFSET 3")?, [4, 5]);
    assert_eq!(ids(&db, "SELECT id FROM t ORDER BY id LIMIT 9223372036854775807 OFFSET 4")?, [5]);
    assert_eq!(ids(&db, "SELECT id FROM t ORDER BY id LIMIT 1 OFFSET 9223372036854775807")?, [0; 0]);
    Ok(())
}

#[test]
fn extraction_makes_true_a_one_and_null_and_missing_the_same() -> Result<()> {
    let db = Connection::open_in_memory()?;
    assert_eq!(value(&db, r#"SELECT jsonb_extract(jsonb('{"a":true}'), '$."a"')"#)?, Value::Integer(1));
    assert_eq!(value(&db, r#"SELECT jsonb_extract(jsonb('{"a":null}'), '$."a"')"#)?, Value::Null);
    assert_eq!(value(&db, r#"SELECT jsonb_extract(jsonb('{}'), '$."a"')"#)?, Value::Null);
    assert_eq!(
        value(&db, r#"SELECT typeof(jsonb_extract(jsonb('{"a":[1]}'), '$."a"'))"#)?,
        Value::Text("blob".into())
    );
    Ok(())
}

#[test]
fn a_quoted_path_reaches_any_key() -> Result<()> {
    let db = Connection::open_in_memory()?;
    for key in [r"a.b", r"", r#"q\"q"#, r"\u0000", "$", "[0]", "\u{1f600}", r"back\\slash"] {
        let sql = format!(r#"SELECT jsonb_extract(jsonb('{{"{key}":5}}'), '$."{key}"')"#);
        assert_eq!(value(&db, &sql)?, Value::Integer(5), "{key}");
    }
    Ok(())
}

#[test]
fn adding_a_virtual_column_rewrites_no_document() -> Result<()> {
    let db = collection()?;
    let changed = db.total_changes();
    db.execute_batch(r#"ALTER TABLE t ADD COLUMN m AS (jsonb_extract(doc, '$."m"')) VIRTUAL"#)?;
    assert_eq!(db.total_changes(), changed);
    let sql: String = db.query_row("SELECT sql FROM sqlite_schema WHERE name = 't'", [], |row| row.get(0))?;
    assert!(sql.contains(r#"m AS (jsonb_extract(doc, '$."m"')) VIRTUAL"#));
    Ok(())
}

#[test]
fn a_table_holds_virtual_columns_that_cannot_be_written() -> Result<()> {
    let db = collection()?;
    assert!(db.execute("INSERT INTO t(doc, s) VALUES (jsonb('{}'), 'x')", []).is_err());
    assert!(db.execute("INSERT INTO t(doc) VALUES (?1)", params![b"\xff\xff".as_slice()]).is_err());
    Ok(())
}

#[test]
fn a_column_dropped_while_an_index_names_it_is_refused() -> Result<()> {
    let db = collection()?;
    assert!(db.execute_batch("ALTER TABLE t DROP COLUMN s").is_err());
    db.execute_batch(r#"DROP INDEX "t/s"; DROP INDEX "t/*"; ALTER TABLE t DROP COLUMN s"#)
}

#[test]
fn a_unique_index_lets_nulls_repeat() -> Result<()> {
    let db = collection()?;
    db.execute_batch(
        r#"CREATE UNIQUE INDEX u ON t(s, n);
           INSERT INTO t(doc) VALUES (jsonb('{"n":1}')), (jsonb('{"n":1}'))"#,
    )?;
    assert!(db.execute(r#"INSERT INTO t(doc) VALUES (jsonb('{"s":"b","n":3}'))"#, []).is_err());
    Ok(())
}

#[test]
fn a_query_as_a_value_that_names_no_row_around_it_is_asked_once() -> Result<()> {
    let db = collection()?;
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    db.create_scalar_function("touch", 1, FunctionFlags::empty(), move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(1)
    })?;
    let calls_of = |sql: &str| -> Result<usize> {
        calls.store(0, Ordering::Relaxed);
        assert_eq!(value(&db, sql)?, Value::Integer(5));
        Ok(calls.load(Ordering::Relaxed))
    };
    assert_eq!(calls_of("SELECT count(*) FROM t WHERE (SELECT touch(1)) = 1")?, 1);
    assert_eq!(calls_of("SELECT count(*) FROM t WHERE touch((SELECT 1)) = 1")?, 5);
    Ok(())
}

#[test]
fn a_literal_float_is_the_float_that_is_bound() -> Result<()> {
    let db = collection()?;
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let edges =
        [0.1, 0.3, 1e300, 5e-324, f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0, 9007199254740993.0, 1e22, 1e23];
    let random = (0..20_000).map(|_| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(bits)
    });
    for x in edges.into_iter().chain(random).filter(|x| x.is_finite()) {
        let text = format!("{x:?}");
        assert!(db.query_row(&format!("SELECT ?1 = {text}"), [x], |row| row.get::<_, bool>(0))?, "{text}");
    }
    Ok(())
}

#[test]
fn each_alternative_is_sought_in_the_index_that_is_named() -> Result<()> {
    let db = collection()?;
    let own = "CASE WHEN typeof(o.s) = 'text' THEN o.s END";
    let sql = format!(
        r#"SELECT (SELECT count(*) FROM t AS i INDEXED BY "t/s"
           WHERE i.s IS {own} OR ({own} IS NULL AND i.s < '') OR ({own} IS NULL AND i.s >= x'')) FROM t AS o"#
    );
    let seeks: Vec<String> = plan(&db, &sql)?.into_iter().filter(|line| line.starts_with("SEARCH")).collect();
    assert_eq!(seeks.len(), 3, "{seeks:?}");
    assert_eq!(ids(&db, &sql)?, [1, 1, 1, 2, 2]);
    Ok(())
}
