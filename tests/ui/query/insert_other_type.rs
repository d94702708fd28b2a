//! A document of another type inserted.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    system: String,
    level: i64,
    score: Option<f64>,
    tags: Vec<String>,
}

#[derive(Embed, Serialize, Deserialize)]
struct Line {
    id: i64,
    name: String,
}

fn run(events: &Collection<'static, Event>) -> vellum::Result<()> {
    events.insert(Line { id: 1, name: "x".into() })?;
    Ok(())
}

fn main() {}
