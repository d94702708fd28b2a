//! A text has no items.
use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    text: String,
    tags: Vec<String>,
}

fn main() -> vellum::Result<()> {
    let notes = Database::open_in_memory()?.collection::<Note>()?;
    notes.filter(|n| n.text.any(|c| c.eq("x"))).to_vec()?;
    Ok(())
}
