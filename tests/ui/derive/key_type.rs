//! A key of a type that no key can have.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: u32,
    system: String,
}

fn main() {}
