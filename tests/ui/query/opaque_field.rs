//! A condition on a field that is opaque.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Event {
    id: i64,
    system: String,
    #[document(opaque)]
    body: String,
}

fn run(events: &Collection<'static, Event>) -> vellum::Result<()> {
    events.filter(|e| e.body.eq("x")).count()?;
    Ok(())
}

fn main() {}
