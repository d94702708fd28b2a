//! The cases of the matrix that are one filter, or one pipeline.

use mongodb::bson::{Bson, Decimal128, Document, doc};
use serde_json::{Map, Value};
use vellum_compare_protocol::Result;

use super::instant;
use crate::events::escaped;

/// Returns the filter of a case that asks for ids.
pub(super) fn filter(case: &str, named: &Map<String, Value>) -> Result<Option<Document>> {
    let text = |name: &str| named.get(name).and_then(Value::as_str).unwrap_or_default();
    let value =
        |name: &str| -> Result<Bson> { Ok(Bson::try_from(named.get(name).cloned().unwrap_or(Value::Null))?) };
    let age = named.get("age").and_then(Value::as_i64).unwrap_or_default();
    Ok(Some(match case {
        "null-equals" => doc! { "name": value("name")? },
        "null-in-list" => doc! { "name": { "$in": value("names")? } },
        "not-equals" => doc! { "name": { "$not": { "$eq": value("name")? } } },
        "differs" => doc! { "name": { "$ne": value("name")? } },
        "not-greater" => doc! { "age": { "$not": { "$gt": age } } },
        "either-half" => doc! { "$or": [{ "age": { "$gt": age } }, { "age": { "$not": { "$gt": age } } }] },
        "range-over-null" => doc! { "age": { "$lt": age } },
        "prefix" => doc! { "name": { "$regex": format!("^{}", escaped(text("prefix"))) } },
        "text-order" => doc! { "name": { "$gt": value("name")? } },
        "integer-equals" => doc! { "big": text("big").parse::<i64>()? },
        "integer-division" => doc! { "$expr": { "$eq": [{ "$trunc": { "$divide": ["$_id", 2] } }, 1] } },
        "integer-remainder" => doc! { "age": { "$mod": [2, 1] } },
        "decimal-equals" => doc! { "price": text("price").parse::<Decimal128>()? },
        "instant-equals" => doc! { "at": instant(text("at"))? },
        "instant-before" => doc! { "at": { "$lt": instant(text("at"))? } },
        "any-of-list" => doc! { "tags": value("tag")? },
        _ => return Ok(None),
    }))
}

/// Returns the pipeline of a case; its first row has the answer in `said`, but for groups.
pub(super) fn pipeline(case: &str, named: &Map<String, Value>) -> Vec<Document> {
    match case {
        "length" => vec![
            doc! { "$match": { "_id": named.get("id").and_then(Value::as_i64) } },
            doc! { "$project": { "said": { "$strLenCP": "$name" } } },
        ],
        "decimal-sum" => {
            let ids = named.get("ids").and_then(Value::as_array).into_iter().flatten();
            let ids: Vec<i64> = ids.filter_map(Value::as_i64).collect();
            vec![
                doc! { "$match": { "_id": { "$in": ids } } },
                doc! { "$group": { "_id": null, "said": { "$sum": "$price" } } },
            ]
        }
        "group-by-nullable" => {
            vec![doc! { "$group": { "_id": "$team", "n": { "$sum": 1 } } }, doc! { "$sort": { "_id": 1 } }]
        }
        set => {
            let operator = match set {
                "union" => "$setUnion",
                "intersect" => "$setIntersection",
                _ => "$setDifference",
            };
            let teams = |condition: Document| {
                doc! { "$addToSet": { "$cond": [condition, "$team", "$$REMOVE"] } }
            };
            let left = teams(doc! { "$lte": ["$_id", 6] });
            let right = teams(doc! { "$gt": ["$_id", 4] });
            vec![
                doc! { "$group": { "_id": null, "left": left, "right": right } },
                doc! { "$project": { "said": { operator: ["$left", "$right"] } } },
            ]
        }
    }
}
