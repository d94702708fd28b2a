// The document of the examples on JSON, and a collection that holds two of them.

use serde::{Deserialize, Serialize};
use serde_json::json;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "messages")]
struct Message {
    id: i64,
    body: serde_json::Value,
}

fn messages() -> vellum::Result<Collection<'static, Message>> {
    let messages = Database::open_in_memory()?.collection::<Message>()?;
    let first = json!({
        "from": { "name": "ann" }, "tags": ["a", "b"], "hits": 2, "read": true, "seen": null
    });
    messages.insert_batch([first, json!("alive")].map(|body| Message { id: 0, body }))?;
    Ok(messages)
}
