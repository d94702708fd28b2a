use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use vellum::Document;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    #[serde(flatten)]
    rest: HashMap<String, i64>,
}

#[derive(Document, Serialize, Deserialize)]
struct Log {
    id: i64,
    #[serde(flatten)]
    #[document(index)]
    origin: Origin,
}

fn main() {}
