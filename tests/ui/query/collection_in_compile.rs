//! A query of a collection, which runs, in a `compile` closure, which describes.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    done: bool,
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let notes = db.collection::<Note>()?;
    db.compile(|_, ()| notes.filter(|n| n.done).count())?;
    db.compile(|_, ()| notes.filter(|n| n.done))?;
    Ok(())
}
