//! A filter that depends on a value that is no option.

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
    events.query().filter_some(7, |e, level| e.level.eq(level)).count()?;
    Ok(())
}

fn main() {}
