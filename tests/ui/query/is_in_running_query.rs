//! A query that runs by itself as a list for `is_in`.

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
    events.filter(|e| e.level.is_in(events.query().select(|o| o.id))).count()?;
    Ok(())
}

fn main() {}
