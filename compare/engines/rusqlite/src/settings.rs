//! How the control's database is opened, and the same in words.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use vellum_compare_protocol::{Opened, Result};
use vellum_fixtures::control::Durability;

/// Returns the durability that the runner names.
pub(crate) fn durability(name: &str) -> Durability {
    if name == "off" { Durability::Off } else { Durability::Full }
}

/// Opens the file at `path` as the control of the fixtures does.
pub(crate) fn connection(path: &Path, durability: Durability) -> Result<Connection> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.execute_batch(&format!(
        "PRAGMA page_size = 8192;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = {};
         PRAGMA cache_size = -65536;",
        synchronous(durability)
    ))?;
    Ok(conn)
}

/// Returns what the report says about it.
pub(crate) fn opened(durability: Durability) -> Opened {
    let settings = json!({
        "journal": "WAL", "synchronous": synchronous(durability), "page size": 8192, "cache": "64 MiB",
        "documents": "JSONB", "indexes": "on jsonb_extract expressions",
    });
    Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes: Vec::new() }
}

fn synchronous(durability: Durability) -> &'static str {
    if durability == Durability::Full { "FULL" } else { "OFF" }
}
