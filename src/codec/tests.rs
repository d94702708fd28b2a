//! The codec against SQLite's own JSON functions and against `serde_json`.

mod elements;
mod errors;
mod hostile;
mod round_trip;
mod sqlite;

use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::Value;

use super::{CodecError, decode, encode};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn bytes_of<T: serde::Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    encode(value, None, &mut out)?;
    Ok(out)
}

/// Writes an element by hand, with a header of 0, 1, 2, 4 or 8 bytes of length.
fn element(kind: u8, payload: &[u8], len_bytes: usize) -> Vec<u8> {
    let len = payload.len();
    let mut out = match len_bytes {
        0 => vec![(len as u8) << 4 | kind],
        1 => vec![0xc0 | kind],
        2 => vec![0xd0 | kind],
        4 => vec![0xe0 | kind],
        _ => vec![0xf0 | kind],
    };
    out.extend_from_slice(&(len as u64).to_be_bytes()[8 - len_bytes..]);
    out.extend_from_slice(payload);
    out
}

fn json_of(conn: &Connection, jsonb: &[u8]) -> rusqlite::Result<String> {
    conn.query_row("SELECT json(?1)", [jsonb], |row| row.get(0))
}

fn jsonb_of(conn: &Connection, json: &str) -> rusqlite::Result<Vec<u8>> {
    conn.query_row("SELECT jsonb(?1)", [json], |row| row.get(0))
}

fn is_valid(conn: &Connection, jsonb: &[u8]) -> rusqlite::Result<bool> {
    conn.query_row("SELECT json_valid(?1, 8)", [jsonb], |row| row.get(0))
}

/// Text with what is hard about text.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{0,12}",
        "\\PC{0,20}",
        proptest::collection::vec(any::<char>(), 0..20).prop_map(String::from_iter),
        proptest::collection::vec(
            prop::sample::select(vec!['"', '\\', '\0', '\'', '/', '\n', '\u{7f}', 'u', '0']),
            0..9
        )
        .prop_map(String::from_iter),
        (250_usize..270, any::<char>()).prop_map(|(n, c)| String::from_iter(std::iter::repeat_n(c, n))),
    ]
}

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        (-1000_i32..1000).prop_map(f64::from),
        -1e3..1e3
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-100_i64..100).prop_map(Value::from),
        finite().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::btree_map(text(), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
