//! A parameter of a `Params` struct compared with another type.

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

#[derive(Params)]
struct Page<'a> {
    prefix: &'a str,
    size: u64,
}

fn run(events: &Collection<'static, Event>) -> vellum::Result<()> {
    events.compile(|q, p: PageParams| q.filter(|e| e.level.eq(p.prefix)).take(p.size))?;
    Ok(())
}

fn main() {}
