//! A stage after a terminal.

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
    events.compile(|q, ()| q.count().filter(|e| e.id.eq(1)))?;
    Ok(())
}

fn main() {}
