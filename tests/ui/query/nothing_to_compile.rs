//! A `compile` closure that returns nothing.

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
    events.compile(|q, (a,)| {
        q.filter(|e| e.system.eq(a)).count();
    })?;
    Ok(())
}

fn main() {}
