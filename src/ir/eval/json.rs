//! A JSON value with exact numbers.
//!
//! An integer outside `i64` is the nearest float, as SQLite extracts it. Of a key that occurs twice, the first counts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::ir::value::{Kind, Value};

/// A JSON value. Equality is that of what is stored: 1 and 1.0 differ, so do 0.0 and -0.0.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// Null; in an expression also what is missing.
    Null,
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A finite float.
    Real(f64),
    /// Text.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, its keys in the order in which they are stored.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a JSON text.
    pub(crate) fn parse(text: &str) -> serde_json::Result<Json> {
        serde_json::from_str(text)
    }

    /// Returns the kind; none for null.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Some(match self {
            Json::Null => return None,
            Json::Bool(_) => Kind::Bool,
            Json::Int(_) | Json::Real(_) => Kind::Number,
            Json::Text(_) => Kind::Text,
            Json::Array(_) => Kind::Array,
            Json::Object(_) => Kind::Object,
        })
    }

    /// Returns whether this is null or of the kind.
    pub(crate) fn fits(&self, kind: Kind) -> bool {
        kind == Kind::Any || self.kind().is_none_or(|own| own == kind)
    }

    /// Returns the value under a key, if there is one.
    pub(crate) fn entry(&self, key: &str) -> Option<&Json> {
        let Json::Object(entries) = self else { return None };
        entries.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// Returns the value under a key; null where there is none.
    pub(crate) fn get(&self, key: &str) -> &Json {
        self.entry(key).unwrap_or(&Json::Null)
    }

    /// Returns a literal or an argument as it would be stored.
    pub(crate) fn of(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(x) => Json::Bool(*x),
            Value::Int(x) => Json::Int(*x),
            Value::Real(x) => Json::Real(*x),
            Value::Text(x) => Json::Text(x.to_string()),
            Value::Json(bytes) => super::jsonb::parse(bytes).unwrap_or(Json::Null),
            Value::List(items) => Json::Array(items.iter().map(Json::of).collect()),
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(a), Json::Bool(b)) => a == b,
            (Json::Int(a), Json::Int(b)) => a == b,
            (Json::Real(a), Json::Real(b)) => a.to_bits() == b.to_bits(),
            (Json::Text(a), Json::Text(b)) => a == b,
            (Json::Array(a), Json::Array(b)) => a == b,
            (Json::Object(a), Json::Object(b)) => a == b,
            _ => false,
        }
    }
}

/// Prints the JSON text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(x) => write!(f, "{x}"),
            Json::Int(x) => write!(f, "{x}"),
            // The form of `Debug` always reads back as a float.
            Json::Real(x) => write!(f, "{x:?}"),
            Json::Text(x) => quoted(f, x),
            Json::Array(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Json::Object(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    quoted(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, x: bool) -> Result<Json, E> {
        Ok(Json::Bool(x))
    }

    fn visit_i64<E>(self, x: i64) -> Result<Json, E> {
        Ok(Json::Int(x))
    }

    fn visit_u64<E>(self, x: u64) -> Result<Json, E> {
        Ok(i64::try_from(x).map_or(Json::Real(x as f64), Json::Int))
    }

    fn visit_f64<E>(self, x: f64) -> Result<Json, E> {
        Ok(Json::Real(x))
    }

    fn visit_str<E>(self, x: &str) -> Result<Json, E> {
        Ok(Json::Text(x.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}
