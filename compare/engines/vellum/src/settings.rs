//! How Vellum's database is opened, and what the report says about it.

use std::path::Path;

use serde_json::json;
use vellum::{Database, Durability, Options};
use vellum_compare_protocol::{Opened, Result};

/// Returns the durability that the runner names.
pub(crate) fn durability(name: &str) -> Durability {
    if name == "off" { Durability::Memory } else { Durability::Full }
}

/// Opens the file at `path`.
pub(crate) fn database(path: &Path, durability: Durability) -> Result<Database> {
    Ok(Options::new().durability(durability).open(path)?)
}

/// Returns the settings as the report shows them.
pub(crate) fn opened(durability: Durability) -> Opened {
    let synchronous = if durability == Durability::Full { "FULL" } else { "OFF" };
    let settings = json!({
        "journal": "WAL", "synchronous": synchronous, "cache": "64 MiB to write, 32 MiB for each reader",
        "options": "as they are by default, but for the durability",
    });
    Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes: Vec::new() }
}
