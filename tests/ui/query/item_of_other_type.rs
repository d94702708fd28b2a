//! An item is compared with its own type.
use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    tags: Vec<String>,
}

fn main() -> vellum::Result<()> {
    let notes = Database::open_in_memory()?.collection::<Note>()?;
    notes.filter(|n| n.tags.contains(1)).to_vec()?;
    notes.filter(|n| n.tags.any(|tag| tag.eq(1))).to_vec()?;
    Ok(())
}
