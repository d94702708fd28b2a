//! A declared type that differs from the one inferred.

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
    let c: Compiled<(i64,), u64> = events.compile(|q, (a,)| q.filter(|e| e.system.eq(a)).count())?;
    Ok(())
}

fn main() {}
