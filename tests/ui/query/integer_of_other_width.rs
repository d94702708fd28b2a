//! An integer of another width.

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
    let n: i32 = 5;
    events.filter(|e| e.level.eq(n)).count()?;
    Ok(())
}

fn main() {}
