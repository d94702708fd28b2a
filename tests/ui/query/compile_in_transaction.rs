//! A query compiled over a transaction's collection.

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

fn run(tx: &Tx<'static>) -> vellum::Result<()> {
    tx.collection::<Event>()?.compile(|q, ()| q.count())?;
    Ok(())
}

fn main() {}
