//! A collection of a struct that is no root document.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize)]
struct Line {
    id: i64,
    name: String,
}

fn run(db: &Database) -> vellum::Result<()> {
    db.collection::<Line>()?;
    Ok(())
}

fn main() {}
