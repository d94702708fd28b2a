//! A write that would belong to the inner transaction, and go with it.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    system: String,
}

fn run(db: &Database) -> vellum::Result<()> {
    let mut tx = db.begin()?;
    let inner = tx.begin()?;
    tx.collection::<Event>()?.delete(1)?;
    inner.rollback()?;
    tx.commit()
}

fn main() {}
