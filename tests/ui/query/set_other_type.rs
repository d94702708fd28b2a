//! A number field that is set to text.

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

fn run(events: &Collection<'static, Event>) -> vellum::Result<()> {
    events.update_many(|e| e.id.eq(1), |e| e.level.set("x"))?;
    Ok(())
}

fn main() {}
