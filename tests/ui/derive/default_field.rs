//! A default that a query could not see.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Default)]
struct Place {
    city: String,
}

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    #[serde(default)]
    place: Place,
}

fn main() {}
