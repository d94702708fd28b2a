//! Arithmetic that could turn an expression null unseen.

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
    events.query().select(|e| e.level.as_f64() * e.score).to_vec()?;
    Ok(())
}

fn main() {}
