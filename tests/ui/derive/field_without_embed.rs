//! A nested struct that does not say how it is stored.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Serialize, Deserialize)]
struct Address {
    city: String,
}

#[derive(Document, Serialize, Deserialize)]
struct User {
    id: i64,
    address: Address,
}

fn main() {}
