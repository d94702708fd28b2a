//! What is written is read again as it was.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::*;
use crate::codec::{decode_cell, encode_list, encode_value};
use crate::ir::value::{Cell, Value as Operand};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Level {
    Low,
    #[serde(rename = "HIGH!")]
    High,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f64),
    Line(i32, i32),
    Named { name: String, next: Option<Box<Shape>> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
enum Event {
    Started { at: i64 },
    Stopped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    Many(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Meters(f32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Marker;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Extra {
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    rare: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Doc {
    id: i64,
    text: String,
    letter: char,
    on: bool,
    small: i8,
    wide: u64,
    huge: i128,
    single: f32,
    double: f64,
    length: Meters,
    marker: Marker,
    unit: (),
    pair: (u32, String),
    level: Level,
    shapes: Vec<Shape>,
    event: Event,
    either: Either,
    by_number: BTreeMap<i32, Level>,
    by_level: BTreeMap<Level, bool>,
    by_bool: BTreeMap<bool, char>,
    anything: Value,
    #[serde(flatten)]
    extra: Extra,
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Point),
        finite().prop_map(Shape::Circle),
        any::<(i32, i32)>().prop_map(|(a, b)| Shape::Line(a, b)),
    ];
    leaf.prop_recursive(4, 8, 2, |inner| {
        (text(), prop::option::of(inner))
            .prop_map(|(name, next)| Shape::Named { name, next: next.map(Box::new) })
    })
}

fn single() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |f| f.is_finite())
}

fn doc() -> impl Strategy<Value = Doc> {
    let level = || prop_oneof![Just(Level::Low), Just(Level::High)];
    let event = prop_oneof![any::<i64>().prop_map(|at| Event::Started { at }), Just(Event::Stopped)];
    let either = prop_oneof![
        any::<i64>().prop_map(Either::Number),
        text().prop_map(Either::Text),
        any::<Vec<u8>>().prop_map(Either::Many),
    ];
    let extra =
        (prop::option::of(text()), any::<Option<u16>>()).prop_map(|(note, rare)| Extra { note, rare });
    let scalars = (
        (any::<i64>(), text(), any::<char>(), any::<bool>(), any::<i8>(), 0..=i64::MAX as u64),
        (any::<i64>(), single(), finite(), single(), any::<u32>(), text()),
    );
    let maps = (
        proptest::collection::btree_map(any::<i32>(), level(), 0..5),
        proptest::collection::btree_map(level(), any::<bool>(), 0..3),
        proptest::collection::btree_map(any::<bool>(), any::<char>(), 0..3),
    );
    let nested = (level(), proptest::collection::vec(shape(), 0..4), event, either, json(), extra);
    (scalars, maps, nested).prop_map(|((a, b), maps, nested)| Doc {
        id: a.0,
        text: a.1,
        letter: a.2,
        on: a.3,
        small: a.4,
        wide: a.5,
        huge: i128::from(b.0),
        single: b.1,
        double: b.2,
        length: Meters(b.3),
        marker: Marker,
        unit: (),
        pair: (b.4, b.5),
        level: nested.0,
        shapes: nested.1,
        event: nested.2,
        either: nested.3,
        by_number: maps.0,
        by_level: maps.1,
        by_bool: maps.2,
        anything: nested.4,
        extra: nested.5,
    })
}

/// Encodes one field of an anonymous document and decodes it again.
fn again<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, CodecError> {
    decode(&bytes_of(value)?, None)
}

proptest! {
    #[test]
    fn a_typed_document_comes_back(doc in doc()) {
        let mut bytes = vec![1, 2, 3];
        let id = encode(&doc, Some("id"), &mut bytes)?;
        prop_assert_eq!(id, Some(doc.id));
        prop_assert_eq!(&bytes[..3], [1, 2, 3]);
        let back: Doc = decode(&bytes[3..], Some(("id", doc.id)))?;
        prop_assert_eq!(back.single.to_bits(), doc.single.to_bits());
        prop_assert_eq!(back.length.0.to_bits(), doc.length.0.to_bits());
        prop_assert_eq!(back.double.to_bits(), doc.double.to_bits());
        prop_assert_eq!(back, doc);
    }

    #[test]
    fn the_stored_form_is_serdes(doc in doc()) {
        let conn = Connection::open_in_memory()?;
        let bytes = bytes_of(&doc)?;
        prop_assert!(is_valid(&conn, &bytes)?);
        let stored: Value = serde_json::from_str(&json_of(&conn, &bytes)?)?;
        prop_assert_eq!(stored, serde_json::from_str::<Value>(&serde_json::to_string(&doc)?)?);
    }

    #[test]
    fn a_tree_comes_back(tree in json()) {
        let back: Value = again(&tree)?;
        prop_assert_eq!(back, tree);
    }

    #[test]
    fn an_operand_equals_what_the_document_stores(number in finite(), single in single(), text in text()) {
        prop_assert_eq!(encode_value(&number)?, Operand::Real(number));
        prop_assert_eq!(encode_value(&text)?, Operand::Text(text.as_str().into()));
        let Operand::Real(stored) = encode_value(&single)? else { panic!("a float is a real") };
        prop_assert_eq!(decode_cell::<f32>(Cell::Real(stored))?.to_bits(), single.to_bits());
    }
}

#[test]
fn an_integer_key_is_kept_out_of_the_bytes_and_given_back() -> Outcome {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Key(u32);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        id: i64,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        a: i64,
        id: Key,
        inner: Inner,
    }
    let doc = Outer { a: 1, id: Key(7), inner: Inner { id: 8 } };
    let mut bytes = Vec::new();
    assert_eq!(encode(&doc, Some("id"), &mut bytes)?, Some(7));
    assert_eq!(decode::<Value>(&bytes, None)?, serde_json::json!({ "a": 1, "inner": { "id": 8 } }));
    assert_eq!(decode::<Outer>(&bytes, Some(("id", 7)))?, doc);

    let foreign = bytes_of(&serde_json::json!({ "id": "x", "a": 1, "inner": { "id": 8 } }))?;
    assert_eq!(decode::<Outer>(&foreign, Some(("id", 7)))?, doc);
    assert_eq!(decode::<Value>(&foreign, Some(("id", 7)))?["id"], 7);

    let mut map = Vec::new();
    assert_eq!(encode(&serde_json::json!({ "a": 1, "id": 9 }), Some("id"), &mut map)?, Some(9));
    assert_eq!(decode::<Value>(&map, None)?, serde_json::json!({ "a": 1 }));
    map.clear();
    assert_eq!(encode(&serde_json::json!({ "a": 1 }), Some("id"), &mut map)?, None);
    Ok(())
}

#[test]
fn a_key_beside_a_flattened_map_is_kept_out_too() -> Outcome {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        id: i64,
        #[serde(flatten)]
        rest: BTreeMap<String, i64>,
    }
    let doc = Flat { id: 5, rest: [("x".to_owned(), 1), ("y".to_owned(), 2)].into() };
    let mut bytes = Vec::new();
    assert_eq!(encode(&doc, Some("id"), &mut bytes)?, Some(5));
    assert_eq!(decode::<Value>(&bytes, None)?, serde_json::json!({ "x": 1, "y": 2 }));
    assert_eq!(decode::<Flat>(&bytes, Some(("id", 5)))?, doc);
    Ok(())
}

#[test]
fn floats_keep_their_point_and_their_sign() -> Outcome {
    for (value, stored) in
        [(2.0_f64, "2.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (5e-324, "5e-324")]
    {
        let bytes = bytes_of(&value)?;
        assert_eq!(&bytes[1..], stored.as_bytes());
        assert_eq!(again(&value)?.to_bits(), value.to_bits());
    }
    assert_eq!(&bytes_of(&0.1_f32)?[1..], b"0.1");
    Ok(())
}

#[test]
fn every_i64_and_the_widest_floats_come_back() -> Outcome {
    for value in [i64::MIN, i64::MIN + 1, -1, 0, 1, (1 << 53) + 1, i64::MAX] {
        assert_eq!(again(&value)?, value);
        assert_eq!(encode_value(&value)?, Operand::Int(value));
    }
    for value in [f64::MIN, f64::MAX, f64::MIN_POSITIVE, f64::EPSILON] {
        assert_eq!(again(&value)?.to_bits(), value.to_bits());
    }
    for value in [f32::MIN, f32::MAX, f32::MIN_POSITIVE, f32::EPSILON, f32::from_bits(1)] {
        assert_eq!(again(&value)?.to_bits(), value.to_bits());
    }
    Ok(())
}

#[test]
fn containers_of_every_size_come_back() -> Outcome {
    for len in [0, 1, 3, 4, 11, 12, 83, 84, 85, 255, 256, 21_844, 21_845, 21_846, 65_535, 65_536, 200_000] {
        let list: Vec<u8> = (0..len).map(|i| 10 + (i % 90) as u8).collect();
        assert_eq!(again(&list)?, list);
        let text = "x".repeat(len);
        assert_eq!(again(&text)?, text);
        assert_eq!(again(&vec![vec![text.clone()]])?, [[text]]);
        let operands: Vec<Operand> = list.iter().map(|i| Operand::Int((*i).into())).collect();
        let mut bytes = Vec::new();
        encode_list(&operands, &mut bytes)?;
        assert_eq!(bytes, bytes_of(&list)?);
    }
    Ok(())
}

#[test]
fn a_list_of_operands_is_an_array_of_their_stored_forms() -> Outcome {
    let inner = bytes_of(&[1, 2])?;
    let list = [
        Operand::Null,
        Operand::Bool(true),
        Operand::Bool(false),
        Operand::Int(-5),
        Operand::Real(2.0),
        Operand::Text("a\"\0".into()),
        Operand::Json(inner.into()),
        Operand::List(vec![Operand::Int(1)].into()),
    ];
    let mut bytes = Vec::new();
    encode_list(&list, &mut bytes)?;
    assert!(is_valid(&Connection::open_in_memory()?, &bytes)?);
    let expected = serde_json::json!([null, true, false, -5, 2.0, "a\"\0", [1, 2], [1]]);
    assert_eq!(decode::<Value>(&bytes, None)?, expected);
    Ok(())
}

#[test]
fn a_displayed_value_is_stored_as_text() -> Outcome {
    struct Shown(usize);
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}{}", "x".repeat(self.0 - 1), 'y'))
        }
    }
    for len in [1, 11, 12, 255, 256, 70_000] {
        let bytes = bytes_of(&Shown(len))?;
        assert_eq!(bytes, bytes_of(&("x".repeat(len - 1) + "y"))?);
    }
    Ok(())
}

#[test]
fn a_column_is_read_as_its_type_says() -> Outcome {
    assert_eq!(decode_cell::<Option<i64>>(Cell::Null)?, None);
    decode_cell::<()>(Cell::Null)?;
    assert_eq!(decode_cell::<Option<i64>>(Cell::Int(3))?, Some(3));
    assert!(decode_cell::<bool>(Cell::Int(1))?);
    assert!(!decode_cell::<bool>(Cell::Int(0))?);
    assert_eq!(decode_cell::<f64>(Cell::Int(3))?, 3.0);
    assert_eq!(decode_cell::<f32>(Cell::Real(0.1))?, 0.1);
    assert_eq!(decode_cell::<Meters>(Cell::Real(0.5))?, Meters(0.5));
    assert_eq!(decode_cell::<Level>(Cell::Text("HIGH!"))?, Level::High);
    assert_eq!(decode_cell::<String>(Cell::Text("a\0"))?, "a\0");
    assert_eq!(decode_cell::<Vec<i64>>(Cell::Blob(&bytes_of(&[1, 2])?))?, [1, 2]);
    assert_eq!(decode_cell::<Value>(Cell::Real(1.5))?, serde_json::json!(1.5));
    Ok(())
}
