//! How the control's database is opened, in words.

use serde_json::json;
use vellum_compare_protocol::Opened;
use vellum_fixtures::control::Durability;

/// Returns the durability that the runner names.
pub(crate) fn durability(name: &str) -> Durability {
    if name == "off" { Durability::Off } else { Durability::Full }
}

/// Returns what the report says about it.
pub(crate) fn opened(durability: Durability) -> Opened {
    let synchronous = if durability == Durability::Full { "FULL" } else { "OFF" };
    let settings = json!({
        "journal": "WAL", "synchronous": synchronous, "page size": 8192, "cache": "64 MiB",
        "documents": "JSONB", "indexes": "on jsonb_extract expressions",
    });
    Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes: Vec::new() }
}
