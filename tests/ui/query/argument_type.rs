//! A call with its arguments in the wrong order.

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
    let c = events.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) & e.level.gt(b)).count())?;
    c.call((5, "x"))?;
    Ok(())
}

fn main() {}
