//! Workload JS: its operations, and the digest of JSON texts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vellum_fixtures::samples::{COMPACT, DETAILED};

use crate::{Digest, Result};

/// An operation on five documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum Operation {
    /// From texts to trees to texts.
    JS1 {
        /// Which documents.
        size: Size,
    },
    /// From texts to typed objects to stored bytes, in one transaction.
    JS2 {
        /// Which documents.
        size: Size,
    },
    /// From stored bytes to typed objects to texts, by key.
    JS3 {
        /// Which documents.
        size: Size,
    },
}

/// A document of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// Some hundred bytes each.
    Compact,
    /// Some thousand bytes each.
    Detailed,
}

impl Size {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Compact, Self::Detailed];

    /// Returns the texts of the documents: an order, a customer, a product, an invoice, an activity.
    pub fn texts(self) -> [&'static str; 5] {
        match self {
            Self::Compact => COMPACT,
            Self::Detailed => DETAILED,
        }
    }

    /// Returns the key of each document, which is its `id` too.
    pub fn ids(self) -> [i64; 5] {
        match self {
            Self::Compact => [1, 3, 5, 7, 9],
            Self::Detailed => [2, 4, 6, 8, 10],
        }
    }
}

/// Returns the answer of an operation that returned `texts`: what they say, however they are spaced and whatever the
/// order of their fields.
pub fn documents<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Value> {
    let (mut count, mut digest) = (0, Digest::new());
    for text in texts {
        let tree: Value = serde_json::from_str(text.as_ref())?;
        digest.text(&sorted(tree).to_string());
        count += 1;
    }
    Ok(json!({ "count": count, "digest": digest.hex() }))
}

/// Fields in the order of their names, whatever feature of serde_json keeps another one.
fn sorted(tree: Value) -> Value {
    match tree {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_the_order_of_fields_do_not_count_and_all_else_does() -> std::result::Result<(), String> {
        let answer = |text| documents([text]).map_err(|failure| format!("{failure:?}"));
        let right = answer(r#"{"a": [1, {"b": null, "c": 0.1}], "d": "x"}"#)?;
        assert_eq!(answer(r#"{"d":"x","a":[1,{"c":0.1,"b":null}]}"#)?, right);
        for wrong in [
            r#"{"d":"x","a":[{"c":0.1,"b":null},1]}"#,
            r#"{"d":"x","a":[1,{"c":0.1}]}"#,
            r#"{"d":"X","a":[1,{"c":0.1,"b":null}]}"#,
            r#"{"d":"x","a":[1,{"c":0.10000000000000002,"b":null}]}"#,
        ] {
            assert_ne!(answer(wrong)?, right, "{wrong}");
        }
        Ok(())
    }

    #[test]
    fn ids_are_those_of_the_documents() -> serde_json::Result<()> {
        for size in Size::ALL {
            for (text, id) in size.texts().into_iter().zip(size.ids()) {
                assert_eq!(serde_json::from_str::<Value>(text)?.get("id"), Some(&json!(id)));
            }
        }
        Ok(())
    }
}
