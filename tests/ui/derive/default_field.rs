//! A default that a query could not see.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    #[serde(default)]
    level: i64,
}

fn main() {}
