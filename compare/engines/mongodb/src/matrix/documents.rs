//! Documents of the matrix as BSON, and values that come back as JSON.

use mongodb::bson::{Bson, Decimal128, Document};
use serde_json::{Value, json};
use vellum_compare_protocol::{Failure, Result};

use super::instant;

/// Returns a document of the request as it is stored: decimals and instants have types of their own.
///
/// A server without decimals gets no price at all.
pub(super) fn stored(document: &Value, has_decimals: bool) -> Result<Document> {
    let members = document.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| has_decimals || *name != "price");
    members.map(|(name, value)| member(name, value)).collect()
}

fn member(name: &str, value: &Value) -> Result<(String, Bson)> {
    let value = match (name, value) {
        ("id", id) => return Ok(("_id".to_owned(), integer(id)?)),
        ("age", Value::Number(_)) => integer(value)?,
        ("score", Value::Number(score)) => Bson::Double(score.as_f64().unwrap_or_default()),
        ("price", Value::String(text)) => Bson::Decimal128(text.parse::<Decimal128>()?),
        ("at", Value::String(text)) => Bson::DateTime(instant(text)?),
        ("big", Value::String(text)) => Bson::Int64(text.parse()?),
        _ => Bson::try_from(value.clone())?,
    };
    Ok((name.to_owned(), value))
}

fn integer(value: &Value) -> Result<Bson> {
    let value = value.as_i64().ok_or_else(|| Failure::Error(format!("{value} is no whole number")))?;
    Ok(Bson::Int64(value))
}

/// Returns a value of the server's, null where there is none.
pub(super) fn json_of(value: Option<&Bson>) -> Value {
    match value {
        None | Some(Bson::Null) => Value::Null,
        Some(Bson::Decimal128(decimal)) => json!(decimal.to_string()),
        Some(Bson::Array(values)) => values.iter().map(|value| json_of(Some(value))).collect(),
        Some(value) => value.clone().into_relaxed_extjson(),
    }
}
