// The document of the examples on lists in the crate's documentation, and a collection that holds three of them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "orders")]
struct Order {
    id: i64,
    tags: Vec<String>,
    lines: Vec<Line>,
    flags: HashMap<String, bool>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Line {
    item: String,
    qty: i64,
}

fn orders() -> vellum::Result<Collection<'static, Order>> {
    let orders = Database::open_in_memory()?.collection::<Order>()?;
    let order = |tags: &[&str], lines: &[(&str, i64)]| Order {
        id: 0,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        lines: lines.iter().map(|(item, qty)| Line { item: (*item).to_owned(), qty: *qty }).collect(),
        flags: tags.iter().map(|_| ("urgent".to_owned(), tags.len() == 1)).collect(),
    };
    orders.insert_batch([
        order(&["new", "paid"], &[("pen", 2), ("ink", 1)]),
        order(&["paid"], &[("pen", 10)]),
        order(&[], &[]),
    ])?;
    Ok(orders)
}
