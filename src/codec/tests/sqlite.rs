//! SQLite reads what is written here, and what SQLite writes is read here, each as the other means it.

use super::*;

proptest! {
    #[test]
    fn sqlite_reads_the_same_tree(tree in json()) {
        let conn = Connection::open_in_memory()?;
        let bytes = bytes_of(&tree)?;
        prop_assert!(is_valid(&conn, &bytes)?);
        let read: Value = serde_json::from_str(&json_of(&conn, &bytes)?)?;
        prop_assert_eq!(read, tree);
    }

    #[test]
    fn a_tree_that_sqlite_wrote_is_read(tree in json()) {
        let conn = Connection::open_in_memory()?;
        let bytes = jsonb_of(&conn, &tree.to_string())?;
        prop_assert_eq!(decode::<Value>(&bytes, None)?, tree);
    }

    #[test]
    fn sqlite_extracts_the_same_scalars(number in finite(), single in any::<f32>(), integer in any::<i64>(), text in text()) {
        prop_assume!(single.is_finite());
        let conn = Connection::open_in_memory()?;
        let get = "SELECT jsonb_extract(?1, '$')";
        let real: f64 = conn.query_row(get, [bytes_of(&number)?], |row| row.get(0))?;
        prop_assert_eq!(real.to_bits(), number.to_bits());
        let real: f64 = conn.query_row(get, [bytes_of(&single)?], |row| row.get(0))?;
        prop_assert_eq!((real as f32).to_bits(), single.to_bits());
        let back: i64 = conn.query_row(get, [bytes_of(&integer)?], |row| row.get(0))?;
        prop_assert_eq!(back, integer);
        let back: String = conn.query_row(get, [bytes_of(&text)?], |row| row.get(0))?;
        prop_assert_eq!(back, text);
    }
}

#[test]
fn json5_that_sqlite_stores_is_read_as_sqlite_reads_it() -> Outcome {
    let conn = Connection::open_in_memory()?;
    let texts = [
        "{a: 0x1F, b: -0xff, c: .5, d: 5., e: +1.5, f: -.5, g: 1.e2, h: +7, $_x: 1}",
        r#"['single', 'it\'s', "a\x41\v", 'nul\0', 'line\
continued', 'quote"inside', "tab	raw"]"#,
        r#"["\u0041\n\"\\\/\b\f\r\t", "\ud83d\ude00", "plain", "it's"]"#,
        "[0xffffffffffffffff, 18446744073709551615, 9223372036854775808, 123456789012345678901234567890]",
        "[1e5, 1E-5, -0.0, 0.0, 1.5e+300, -9223372036854775808]",
        "[null, true, false, [], {}, '']",
        "/* comment */ {x: [1,],}",
    ];
    for text in texts {
        let bytes = jsonb_of(&conn, text)?;
        let read: Value = decode(&bytes, None).map_err(|e| format!("{text}: {e}"))?;
        let expected: Value = serde_json::from_str(&json_of(&conn, &bytes)?)?;
        assert_eq!(read, expected, "{text}");
    }
    Ok(())
}

#[test]
fn documents_that_sqlite_patched_are_read() -> Outcome {
    let conn = Connection::open_in_memory()?;
    let bytes = bytes_of(&serde_json::json!({ "a": "x".repeat(300), "b": [1, 2], "q\"": 1 }))?;
    let patched: Vec<u8> = conn.query_row(
        r#"SELECT jsonb_set(?1, '$."a"', 'short', '$."b"[#]', 2.5, '$."q\""', 'q"', '$."new\n"', jsonb('true'))"#,
        [bytes],
        |row| row.get(0),
    )?;
    let expected = serde_json::json!({ "a": "short", "b": [1, 2, 2.5], "q\"": "q\"", "new\n": true });
    assert_eq!(decode::<Value>(&patched, None)?, expected);
    Ok(())
}

#[test]
fn of_equal_keys_the_first_counts_as_it_does_in_sqlite() -> Outcome {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair {
        a: i64,
        b: i64,
    }
    let conn = Connection::open_in_memory()?;
    let bytes = jsonb_of(&conn, r#"{"a":1,"b":2,"a":3,"\u0062":4,"\u0061":5}"#)?;
    assert_eq!(decode::<Pair>(&bytes, None)?, Pair { a: 1, b: 2 });
    let first: i64 = conn.query_row("SELECT jsonb_extract(?1, '$.\"a\"')", [&bytes], |row| row.get(0))?;
    assert_eq!(first, 1);

    let many: Vec<String> = (0..100).chain(0..100).map(|i| format!("\"k{}\":{i}", i % 50)).collect();
    let bytes = jsonb_of(&conn, &format!("{{{}}}", many.join(",")))?;
    let read: std::collections::BTreeMap<String, i64> = decode(&bytes, None)?;
    assert_eq!(read.len(), 50);
    assert!(read.iter().all(|(key, value)| *key == format!("k{value}")));
    Ok(())
}

#[test]
fn the_deepest_document_is_read_by_both() -> Outcome {
    let conn = Connection::open_in_memory()?;
    let mut tree = Value::Array(Vec::new());
    for _ in 1..1_000 {
        tree = Value::Array(vec![tree]);
    }
    let bytes = bytes_of(&tree)?;
    assert!(is_valid(&conn, &bytes)?);
    assert_eq!(decode::<Value>(&bytes, None)?, tree);
    Ok(())
}
