//! A single argument given as a tuple.

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
    let c = events.compile(|q, (a,)| q.filter(|e| e.system.eq(a)).count())?;
    c.call(("x",))?;
    Ok(())
}

fn main() {}
