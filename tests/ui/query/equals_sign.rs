//! `==` where a query needs `eq`.

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
    events.filter(|e| e.level == 5).count()?;
    Ok(())
}

fn main() {}
