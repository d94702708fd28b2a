//! A single parameter that is not in a tuple pattern.

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
    events.compile(|q, p| q.filter(|e| e.system.eq(p)).count())?;
    Ok(())
}

fn main() {}
