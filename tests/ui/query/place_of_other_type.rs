//! A list has places by number, a map by text, a number none.
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    stars: i64,
    tags: Vec<String>,
    attrs: HashMap<String, i64>,
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let notes = db.collection::<Note>()?;
    notes.filter(|n| n.stars.contains_key("x")).to_vec()?;
    notes.filter(|n| n.tags.get("x").is_none()).to_vec()?;
    notes.filter(|n| n.attrs.get(1).is_none()).to_vec()?;
    Ok(())
}
