//! An index over a whole list.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    #[document(index)]
    tags: Vec<String>,
}

fn main() {}
