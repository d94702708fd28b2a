//! Bytes have no order: their texts sort otherwise.

use serde::{Deserialize, Serialize};
use vellum::Bytes;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Blob {
    id: i64,
    hash: Bytes,
}

fn run(blobs: &Collection<'static, Blob>) -> vellum::Result<()> {
    blobs.filter(|b| b.hash.lt(b"abc")).count()?;
    Ok(())
}

fn main() {}
