//! Documents of any shape: JSON beside a few fields that are known. Run with `cargo run --example dynamic`.

use serde::{Deserialize, Serialize};
use serde_json::json;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "messages")]
struct Message {
    id: i64,
    #[document(index)]
    topic: String,
    body: serde_json::Value,
}

fn message(topic: &str, body: serde_json::Value) -> Message {
    Message { id: 0, topic: topic.into(), body }
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let messages = db.collection::<Message>()?;
    messages.insert_batch([
        message(
            "order",
            json!({ "customer": { "name": "Ann", "vip": true }, "total": 120, "items": ["pen", "ink"] }),
        ),
        message("order", json!({ "customer": { "name": "Bo" }, "total": 19.5, "items": ["pen"] })),
        message("ping", json!("alive")),
        message("order", json!({ "customer": { "name": "Cy" }, "total": "on request" })),
    ])?;

    // An index sees what is stored at a path as one kind; what is of another is not there.
    messages.ensure_indexes()?;
    messages.ensure_index(|m| m.body["total"].as_f64()).create()?;

    let large = messages.filter(|m| m.topic.eq("order") & m.body["total"].as_f64().gt(50.0));
    println!("large orders: {:?}", large.select(|m| m.body["customer"]["name"].as_str()).to_vec()?);
    println!("with a pen: {}", messages.filter(|m| m.body["items"].as_array().any(|i| i.eq("pen"))).count()?);
    println!("first item: {:?}", messages.query().select(|m| m.body["items"][0].as_str()).to_vec()?);
    println!("alive: {}", messages.filter(|m| m.body.eq("alive")).exists()?);

    let of = db.compile(|q, (name,)| {
        q.from::<Message>().filter(|m| m.body["customer"]["name"].as_str().eq(name)).select(|m| m.body)
    })?;
    println!("Bo's: {:?}", of.call("Bo")?);

    let priced = messages.filter(|m| m.body["total"].as_f64().is_some());
    let changed =
        priced.update(|m| (m.body["total"].as_f64().increment(1.0), m.body["audit"]["by"].set("ann")))?;
    println!("changed: {changed}");
    for message in messages.query().order_by_desc(|m| m.body["total"].as_f64()).to_vec()? {
        println!("{} {}", message.id, message.body);
    }
    Ok(())
}
