//! Two JSON values compared: they may be whole arrays, which have no equality.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Page {
    id: i64,
    body: serde_json::Value,
}

fn run(pages: &Collection<'static, Page>) -> vellum::Result<()> {
    pages.filter(|p| p.body["a"].eq(p.body["b"])).count()?;
    Ok(())
}

fn main() {}
