//! A transaction's collection used after the commit.

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

fn run(db: &Database) -> vellum::Result<()> {
    let tx = db.begin()?;
    let events = tx.collection::<Event>()?;
    tx.commit()?;
    events.count()?;
    Ok(())
}

fn main() {}
