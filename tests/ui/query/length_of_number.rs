//! A number has no length and contains nothing.
use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    stars: i64,
}

fn main() -> vellum::Result<()> {
    let notes = Database::open_in_memory()?.collection::<Note>()?;
    notes.filter(|n| n.stars.len().gt(1)).to_vec()?;
    notes.filter(|n| n.stars.contains(1)).to_vec()?;
    Ok(())
}
