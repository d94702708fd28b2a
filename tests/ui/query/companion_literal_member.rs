//! A companion with a literal for a member, without `lit`.

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
    events.query().select(|e| LineFields { id: e.id, name: "x" }).to_vec()?;
    Ok(())
}

fn main() {}
