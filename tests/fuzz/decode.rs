//! Any bytes, read by the codec as several types: a value or a typed error, and what was read can be stored again.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vellum::__private::v1::codec::{decode, encode};
use vellum::CodecError;

/// What a document may hold, and documents inside of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Everything {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) letter: Option<char>,
    pub(crate) small: i8,
    pub(crate) large: Option<u64>,
    pub(crate) float: f64,
    pub(crate) single: f32,
    pub(crate) on: bool,
    #[serde(default)]
    pub(crate) list: Vec<Option<Shape>>,
    pub(crate) by_text: BTreeMap<String, i64>,
    pub(crate) by_number: BTreeMap<u8, String>,
    pub(crate) inner: Option<Box<Everything>>,
    pub(crate) any: Value,
}

/// The forms of an enum.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Shape {
    Point,
    Circle(f64),
    Line(i32, i32),
    Named { name: String, next: Option<Box<Shape>> },
}

/// Enums whose form serde finds out from a copy of the value.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    Tagged(Tagged),
    Many(Vec<Either>),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Tagged {
    On { at: i64 },
    Off,
}

/// Reads the bytes as each of the types.
pub(crate) fn holds(bytes: &[u8]) -> rusqlite::Result<()> {
    let sqlite = Connection::open_in_memory()?;
    can_be_stored_again::<Value>(&sqlite, bytes)?;
    can_be_stored_again::<Everything>(&sqlite, bytes)?;
    can_be_stored_again::<Shape>(&sqlite, bytes)?;
    can_be_stored_again::<Either>(&sqlite, bytes)?;
    can_be_stored_again::<Vec<Vec<f32>>>(&sqlite, bytes)?;
    can_be_stored_again::<(i64, String, u128)>(&sqlite, bytes)?;
    can_be_stored_again::<BTreeMap<bool, Option<i64>>>(&sqlite, bytes)?;
    let _ = decode::<HashMap<String, IgnoredAny>>(bytes, None);
    let _ = decode::<Everything>(bytes, Some(("id", 7)));
    Ok(())
}

/// Checks that a value that was read can be written, as bytes that SQLite calls valid and that are read as that value.
fn can_be_stored_again<T: Serialize + DeserializeOwned>(
    sqlite: &Connection,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let Ok(value) = decode::<T>(bytes, None) else { return Ok(()) };
    let stored = match bytes_of(&value) {
        Ok(stored) => stored,
        // The types hold more than may be stored.
        Err(CodecError::OutOfRange { .. } | CodecError::TooDeep { .. }) => return Ok(()),
        Err(error) => panic!("what was read cannot be stored: {error}"),
    };
    let valid: bool = sqlite.query_row("SELECT json_valid(?1, 8)", [&stored], |row| row.get(0))?;
    assert!(valid, "SQLite does not take {stored:x?} for JSONB");
    match decode::<T>(&stored, None) {
        Ok(again) => assert_eq!(bytes_of(&again).ok(), Some(stored), "a value changes as it is stored"),
        Err(error) => panic!("what was stored cannot be read: {error}"),
    }
    Ok(())
}

/// Returns the bytes of a document.
pub(crate) fn bytes_of<T: Serialize>(document: &T) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    encode(document, None, &mut out)?;
    Ok(out)
}
