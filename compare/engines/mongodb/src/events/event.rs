//! An event as MongoDB stores it: its key is `_id`.

use serde::{Deserialize, Serialize};
use vellum_fixtures::events::Event;

/// A stored event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    #[serde(rename = "_id")]
    id: i64,
    system: String,
    machine_name: String,
    agg_id: String,
    pub(super) unix_timestamp: i64,
    r#type: String,
    username: String,
    tags: String,
    level: i64,
    message: String,
    body: String,
}

impl From<Event> for Stored {
    fn from(event: Event) -> Self {
        Self {
            id: event.id,
            system: event.system,
            machine_name: event.machine_name,
            agg_id: event.agg_id,
            unix_timestamp: event.unix_timestamp,
            r#type: event.kind,
            username: event.username,
            tags: event.tags,
            level: event.level,
            message: event.message,
            body: event.body,
        }
    }
}

impl From<Stored> for Event {
    fn from(stored: Stored) -> Self {
        Self {
            id: stored.id,
            system: stored.system,
            machine_name: stored.machine_name,
            agg_id: stored.agg_id,
            unix_timestamp: stored.unix_timestamp,
            kind: stored.r#type,
            username: stored.username,
            tags: stored.tags,
            level: stored.level,
            message: stored.message,
            body: stored.body,
        }
    }
}

/// Returns what was stored, for the answer.
pub(super) fn into_events(stored: Vec<Stored>) -> Vec<Event> {
    stored.into_iter().map(Event::from).collect()
}
