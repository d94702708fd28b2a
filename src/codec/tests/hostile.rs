//! Bytes that nobody should have stored: every outcome is a value or a typed error.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only whether it can be read is of interest")]
struct Typed {
    a: Option<i64>,
    b: Vec<f32>,
    c: BTreeMap<u8, String>,
    #[serde(default)]
    d: Option<Box<Typed>>,
    e: Tagged,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only whether it can be read is of interest")]
enum Tagged {
    A,
    B(i8, char),
    C { x: u64 },
}

/// Reads the bytes as several types; a value that was read can be written again.
fn read_all(bytes: &[u8]) {
    if let Ok(tree) = decode::<Value>(bytes, None) {
        let again = bytes_of(&tree);
        assert!(
            matches!(again, Ok(_) | Err(CodecError::OutOfRange { .. } | CodecError::TooDeep { .. })),
            "{again:?}"
        );
    }
    let _ = decode::<Typed>(bytes, Some(("a", 1)));
    let _ = decode::<Tagged>(bytes, None);
    let _ = decode::<(i64, String, u128)>(bytes, None);
    let _ = decode::<BTreeMap<String, serde::de::IgnoredAny>>(bytes, None);
}

/// Bytes that look like elements more often than chance would have it.
fn plausible() -> impl Strategy<Value = Vec<u8>> {
    let leaf =
        (0_u8..=15, proptest::collection::vec(any::<u8>(), 0..14), prop::sample::select(vec![1, 2, 4, 8]))
            .prop_map(|(kind, payload, len_bytes)| element(kind, &payload, len_bytes));
    leaf.prop_recursive(5, 40, 6, |inner| {
        (7_u8..=12, proptest::collection::vec(inner, 0..6), prop::sample::select(vec![1, 2, 4, 8])).prop_map(
            |(kind, parts, len_bytes)| {
                let mut payload = parts.concat();
                payload.truncate(255);
                element(kind, &payload, len_bytes)
            },
        )
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_end_in_a_value_or_an_error(bytes in any::<Vec<u8>>()) {
        read_all(&bytes);
    }

    #[test]
    fn plausible_bytes_end_in_a_value_or_an_error(bytes in plausible()) {
        read_all(&bytes);
    }

    #[test]
    fn damaged_documents_end_in_a_value_or_an_error(tree in json(), cut in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let bytes = bytes_of(&tree)?;
        let at = cut.index(bytes.len());
        read_all(&bytes[..at]);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        read_all(&flipped);
    }

    #[test]
    fn what_sqlite_calls_valid_is_read(bytes in plausible()) {
        let conn = Connection::open_in_memory()?;
        if !is_valid(&conn, &bytes)? {
            return Ok(());
        }
        // SQLite lets text pass that is not UTF-8, which neither rusqlite nor serde can hold.
        let Ok(json) = json_of(&conn, &bytes) else { return Ok(()) };
        let repeats = "SELECT count(*) > count(DISTINCT fullkey) FROM json_tree(?1)";
        if conn.query_row(repeats, [&json], |row| row.get(0)).unwrap_or(true) {
            return Ok(());
        }
        if let Ok(expected) = serde_json::from_str::<Value>(&json) {
            prop_assert_eq!(decode::<Value>(&bytes, None)?, expected);
        }
    }
}

#[test]
fn objects_with_very_many_keys_are_read_in_reasonable_time() -> Outcome {
    let tree: Value =
        (0..100_000).map(|i| (format!("k{i}"), Value::from(i))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(decode::<Value>(&bytes_of(&tree)?, None)?, tree);
    Ok(())
}

#[test]
fn the_deepest_struct_is_read_and_written_on_an_ordinary_stack() -> Outcome {
    #[derive(Debug, serde::Serialize, Deserialize)]
    struct Node {
        name: Option<String>,
        left: Option<Box<Node>>,
        right: Vec<Node>,
        value: f64,
    }
    let deepest = || {
        (1..1_000)
            .fold(None, |left, _| Some(Box::new(Node { name: None, left, right: Vec::new(), value: 0.5 })))
    };
    let thread =
        std::thread::Builder::new().stack_size(2 << 20).spawn(move || -> Result<usize, CodecError> {
            let bytes = bytes_of(&deepest())?;
            let mut node: Option<Box<Node>> = decode(&bytes, None)?;
            let mut depth = 0;
            while let Some(inner) = node {
                depth += 1;
                node = inner.left;
            }
            Ok(depth)
        })?;
    assert_eq!(thread.join().expect("the thread ends")?, 999);
    Ok(())
}

#[test]
fn the_deepest_enum_is_read_and_written_on_an_ordinary_stack() -> Outcome {
    #[derive(Debug, serde::Serialize, Deserialize)]
    enum Tree {
        Leaf,
        Wrap(Box<Tree>),
        Pair(Box<Tree>, u8),
        Named { inner: Box<Tree> },
    }
    let thread =
        std::thread::Builder::new().stack_size(2 << 20).spawn(move || -> Result<(), CodecError> {
            let wrapped = (1..1_000).fold(Tree::Leaf, |tree, _| Tree::Wrap(Box::new(tree)));
            let bytes = bytes_of(&wrapped)?;
            assert_eq!(bytes_of(&decode::<Tree>(&bytes, None)?)?, bytes);
            let mixed = (1..500).fold(Tree::Leaf, |tree, i| match i % 2 {
                0 => Tree::Pair(Box::new(tree), 1),
                _ => Tree::Named { inner: Box::new(tree) },
            });
            let bytes = bytes_of(&mixed)?;
            assert_eq!(bytes_of(&decode::<Tree>(&bytes, None)?)?, bytes);
            Ok(())
        })?;
    Ok(thread.join().expect("the thread ends")?)
}

#[test]
fn keys_in_any_order_are_read_and_repeats_are_skipped() -> Outcome {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Doc {
        a: i64,
        b: Option<i64>,
        #[serde(alias = "see")]
        c: i64,
        d: i64,
    }
    let conn = Connection::open_in_memory()?;
    for json in [
        r#"{"a":1,"c":3,"d":4}"#,
        r#"{"d":4,"c":3,"a":1}"#,
        r#"{"a":1,"a":2,"c":3,"d":4,"d":5}"#,
        r#"{"a":1,"d":4,"x":[9],"c":3,"a":2,"x":7,"c":8}"#,
        r#"{"\u0061":1,"a":2,"c":3,"\u0064":4,"d":5}"#,
        r#"{"x":0,"x":1,"a":1,"see":3,"d":4}"#,
    ] {
        let bytes = jsonb_of(&conn, json)?;
        let doc: Doc = decode(&bytes, None).map_err(|e| format!("{json}: {e}"))?;
        assert_eq!(doc, Doc { a: 1, b: None, c: 3, d: 4 }, "{json}");
    }
    Ok(())
}
