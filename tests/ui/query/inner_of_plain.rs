use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize)]
struct Tags(Vec<String>);

#[derive(Document, Serialize, Deserialize)]
struct Note {
    id: i64,
    text: String,
    tags: Tags,
}

fn main() -> vellum::Result<()> {
    let notes = Database::open_in_memory()?.collection::<Note>()?;
    notes.filter(|n| n.text.inner().eq("a")).count()?;
    notes.filter(|n| n.tags.eq(Tags(vec![]))).count()?;
    Ok(())
}
