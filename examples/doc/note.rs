// The document of the examples in the crate's documentation, and a database that holds three of them.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "notes")]
struct Note {
    id: i64,
    #[document(index)]
    folder: String,
    text: String,
    stars: Option<i64>,
    done: bool,
}

fn database() -> vellum::Result<Database> {
    let db = Database::open_in_memory()?;
    let note = |folder: &str, text: &str, stars, done| Note {
        id: 0,
        folder: folder.into(),
        text: text.into(),
        stars,
        done,
    };
    db.collection::<Note>()?.insert_batch([
        note("home", "buy milk", Some(2), true),
        note("home", "Buy a lamp", None, false),
        note("work", "write the report", Some(5), false),
    ])?;
    Ok(db)
}
