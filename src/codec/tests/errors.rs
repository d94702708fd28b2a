//! Each error, with its path.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::*;
use crate::codec::{MAX_DEPTH, MAX_LEN, decode_cell, encode_list, encode_value};
use crate::ir::path::FieldPath;
use crate::ir::value::{Cell, Value as Operand};

#[derive(Debug, Serialize, Deserialize)]
struct Inner<T> {
    #[serde(rename = "x y")]
    x: T,
}

#[derive(Debug, Serialize, Deserialize)]
struct Outer<T> {
    list: Vec<Inner<T>>,
}

fn outer<T>(x: T) -> Outer<T> {
    Outer { list: vec![Inner { x }] }
}

fn path() -> FieldPath {
    FieldPath::root().key("list").index(0).key("x y")
}

/// Encodes a value that must be refused.
fn refused<T: Serialize>(value: &T) -> CodecError {
    let mut out = vec![9];
    let error = encode(value, None, &mut out).expect_err("refused");
    assert_eq!(out, [9], "after an error the bytes are as they were");
    error
}

/// Decodes the document `{"list":[{"x y": json}]}` into a type that must refuse it.
fn unread<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> CodecError {
    let conn = Connection::open_in_memory().expect("a database in memory");
    let bytes = jsonb_of(&conn, &format!(r#"{{"list":[{{"x y":{json}}}]}}"#)).expect("JSON5");
    decode::<Outer<T>>(&bytes, None).expect_err("refused")
}

#[test]
fn numbers_that_cannot_be_stored_are_refused_with_the_path() {
    for error in [refused(&outer(u64::MAX)), refused(&outer(u128::MAX)), refused(&outer(i128::MIN))] {
        assert!(matches!(error, CodecError::OutOfRange { .. }), "{error}");
        assert_eq!(error.path(), Some(&path()));
    }
    for error in
        [refused(&outer(f64::NAN)), refused(&outer(f64::INFINITY)), refused(&outer(f32::NEG_INFINITY))]
    {
        assert_eq!(error, CodecError::NotFinite { path: Box::new(path()) });
    }
    assert!(matches!(encode_value(&f64::NAN), Err(CodecError::NotFinite { .. })));
    assert!(matches!(encode_value(&u64::MAX), Err(CodecError::OutOfRange { .. })));
    let list = [Operand::Int(1), Operand::Real(f64::NAN)];
    let mut out = Vec::new();
    let error = encode_list(&list, &mut out).expect_err("not finite");
    assert_eq!(error.path(), Some(&FieldPath::root().index(1)));
    assert!(out.is_empty());
}

#[test]
fn the_path_goes_through_maps_and_variants() {
    #[derive(Serialize)]
    enum Choice {
        New(f64),
        Tuple(i64, f64),
        Named { x: f64 },
    }
    let at = |choice| refused(&BTreeMap::from([("a.b", choice)])).path().map(FieldPath::to_string);
    assert_eq!(at(Choice::New(f64::NAN)).as_deref(), Some("[\"a.b\"].New"));
    assert_eq!(at(Choice::Tuple(1, f64::NAN)).as_deref(), Some("[\"a.b\"].Tuple[1]"));
    assert_eq!(at(Choice::Named { x: f64::NAN }).as_deref(), Some("[\"a.b\"].Named.x"));
    assert_eq!(refused(&BTreeMap::from([(7, f64::NAN)])).path(), Some(&FieldPath::root().key("7")));
}

#[test]
fn keys_of_maps_are_texts_numbers_or_bools() {
    let error = refused(&HashMap::from([(vec![1], 1)]));
    assert!(matches!(error, CodecError::TypeMismatch { .. }), "{error}");
    assert!(matches!(refused(&HashMap::from([((), 1)])), CodecError::TypeMismatch { .. }));
}

#[test]
fn a_document_is_an_object_with_an_integer_key() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Doc<T> {
        id: T,
    }
    let mut out = Vec::new();
    for error in [
        encode(&[1], Some("id"), &mut out).expect_err("an array"),
        encode(&7, Some("id"), &mut out).expect_err("a number"),
        decode::<Value>(&[0x0b], Some(("id", 1))).expect_err("an array"),
    ] {
        assert!(matches!(error, CodecError::TypeMismatch { .. }), "{error}");
        assert_eq!(error.path(), None);
    }
    let text = encode(&Doc { id: "x" }, Some("id"), &mut out).expect_err("a text");
    assert!(matches!(text, CodecError::TypeMismatch { .. }));
    assert_eq!(text.path(), Some(&FieldPath::root().key("id")));
    let wide = encode(&Doc { id: u64::MAX }, Some("id"), &mut out).expect_err("too wide");
    assert!(matches!(wide, CodecError::OutOfRange { .. }));
    assert_eq!(wide.path(), Some(&FieldPath::root().key("id")));
    let narrow = decode::<Doc<u8>>(&[0x0c], Some(("id", 300))).expect_err("too wide");
    assert_eq!(
        narrow.to_string(),
        "`id`: 300 does not fit u8; choose a type that holds it, or store it as text"
    );
}

#[test]
fn a_value_of_another_kind_is_refused_with_the_path() {
    for error in [
        unread::<i64>("\"x\""),
        unread::<i64>("2.0"),
        unread::<i64>("null"),
        unread::<bool>("1"),
        unread::<String>("1"),
        unread::<Vec<i64>>("{}"),
        unread::<()>("1"),
        unread::<f64>("[1]"),
        unread::<(i64, i64)>("[1,2,3]"),
    ] {
        assert!(matches!(error, CodecError::TypeMismatch { .. }), "{error}");
        assert_eq!(error.path(), Some(&path()), "{error}");
    }
    assert_eq!(
        unread::<i64>("\"x\"").to_string(),
        "`list[0][\"x y\"]`: found string \"x\", expected i64; change the type or repair the document"
    );
}

#[test]
fn a_number_that_its_field_cannot_hold_is_refused_with_the_path() {
    for error in [
        unread::<i8>("128"),
        unread::<u8>("-1"),
        unread::<i64>("9223372036854775808"),
        unread::<u64>("18446744073709551616"),
        unread::<i128>(&"9".repeat(50)),
        unread::<f32>("1e39"),
    ] {
        assert!(matches!(error, CodecError::OutOfRange { .. }), "{error}");
        assert_eq!(error.path(), Some(&path()), "{error}");
    }
    for error in [unread::<f64>("1e999"), unread::<Value>("-1e999")] {
        assert_eq!(error, CodecError::NotFinite { path: Box::new(path()) });
    }
}

#[test]
fn what_serde_says_carries_the_path_of_the_object() {
    let conn = Connection::open_in_memory().expect("a database in memory");
    let bytes = jsonb_of(&conn, r#"{"list":[{"y":1}]}"#).expect("JSON");
    let error = decode::<Outer<i64>>(&bytes, None).expect_err("a missing field");
    assert_eq!(error.to_string(), "`list[0]`: missing field `x y`");

    #[derive(Debug, Deserialize)]
    enum Level {
        #[allow(dead_code, reason = "the variant is never read")]
        Low,
    }
    for json in ["\"High\"", "{\"High\":1}"] {
        let error = unread::<Level>(json);
        assert_eq!(error.to_string(), "`list[0][\"x y\"]`: unknown variant `High`, expected `Low`");
    }
    for json in ["{}", "{\"Low\":null,\"High\":null}", "7", "{\"Low\":7}"] {
        let error = unread::<Level>(json);
        assert!(matches!(error, CodecError::TypeMismatch { .. }), "{error}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_refused_in_both_directions() {
    let nested = |depth: usize| {
        let mut tree = serde_json::json!([]);
        for _ in 1..depth {
            tree = Value::Array(vec![tree]);
        }
        tree
    };
    let limit = usize::from(MAX_DEPTH);
    let error = refused(&nested(limit + 1));
    assert!(matches!(error, CodecError::TooDeep { limit: 1_000, .. }), "{error}");
    assert_eq!(error.path().map(|path| path.segments().len()), Some(limit));

    let mut bytes = element(11, &[], 0);
    for _ in 1..=limit {
        bytes = element(11, &bytes, 4);
    }
    let error = decode::<Value>(&bytes, None).expect_err("too deep");
    assert!(matches!(error, CodecError::TooDeep { limit: 1_000, .. }), "{error}");
    assert_eq!(error.path().map(|path| path.segments().len()), Some(limit));
}

#[test]
fn a_document_beyond_the_limit_is_refused_in_both_directions() {
    let part = "x".repeat(MAX_LEN / 4);
    let error = refused(&serde_json::json!({ "parts": [part, part, part, part] }));
    assert!(matches!(error, CodecError::TooLarge { .. }), "{error}");
    assert_eq!(error.path().map(FieldPath::to_string).as_deref(), Some("parts[3]"));

    struct Endless;
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(std::iter::repeat(part_of()))
        }
    }
    fn part_of() -> &'static str {
        "0123456789012345678901234567890123456789012345678901234567890123456789"
    }
    assert!(matches!(refused(&Endless), CodecError::TooLarge { .. }));

    let large = element(10, &vec![b'x'; MAX_LEN], 4);
    assert!(matches!(decode::<String>(&large, None), Err(CodecError::TooLarge { .. })));
}

#[test]
fn malformed_bytes_are_refused_where_they_stand() {
    let cases: [(&[u8], usize); 16] = [
        (&[], 0),
        (&[0x0d], 0),
        (&[0x10, 0x00], 0),
        (&[0x23, b'1'], 0),
        (&[0xc3], 0),
        (&[0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 0),
        (&[0x00, 0x00], 1),
        (&[0x03], 1),
        (&[0x23, b'1', b'x'], 1),
        (&[0x35, b'N', b'a', b'N'], 1),
        (&[0x27, b'a', 0xff], 2),
        (&[0x2b, 0x13, b'-'], 2),
        (&[0x1b, 0x13], 1),
        (&[0x1c, 0x00], 2),
        (&[0x2c, 0x17, b'a'], 3),
        (&[0x28, b'a', b'\\'], 2),
    ];
    for (bytes, at) in cases {
        let error = decode::<Value>(bytes, None).expect_err("malformed");
        let CodecError::Malformed { offset, .. } = error else { panic!("{bytes:x?}: {error}") };
        assert_eq!(offset, at, "{bytes:x?}");
    }
    let error = decode::<Value>(&[0x3b, 0x00, 0x1b, 0x0f], None).expect_err("malformed");
    assert_eq!(error.path(), Some(&FieldPath::root().index(1).index(0)));
}

#[test]
fn a_column_of_another_kind_is_refused() {
    for error in [
        decode_cell::<i64>(Cell::Real(2.0)).map(|_| ()),
        decode_cell::<i64>(Cell::Text("2")).map(|_| ()),
        decode_cell::<i64>(Cell::Null).map(|_| ()),
        decode_cell::<bool>(Cell::Int(2)).map(|_| ()),
        decode_cell::<String>(Cell::Int(2)).map(|_| ()),
        decode_cell::<f64>(Cell::Text("2.0")).map(|_| ()),
        decode_cell::<i64>(Cell::Blob(&[0x0b])).map(|_| ()),
    ] {
        assert!(matches!(error, Err(CodecError::TypeMismatch { .. })), "{error:?}");
    }
    assert!(matches!(decode_cell::<u8>(Cell::Int(256)), Err(CodecError::OutOfRange { .. })));
    assert!(matches!(decode_cell::<f64>(Cell::Real(f64::INFINITY)), Err(CodecError::NotFinite { .. })));
}
