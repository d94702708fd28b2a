//! The events as Vellum's documents.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum_fixtures::events;

use crate::Outcome;

/// An event with the six indexes of the workload.
#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "events")]
pub(crate) struct Event {
    id: i64,
    #[document(index)]
    system: String,
    #[document(index)]
    machine_name: String,
    #[document(index)]
    agg_id: String,
    #[document(index)]
    unix_timestamp: i64,
    #[serde(rename = "type")]
    #[document(index)]
    kind: String,
    #[document(index)]
    username: String,
    tags: String,
    level: i64,
    message: String,
    body: String,
}

/// The same collection as a type that declares no index.
#[derive(Debug, Document, Serialize, Deserialize)]
#[document(collection = "events")]
pub(crate) struct Bare {
    id: i64,
}

impl From<&events::Event> for Event {
    fn from(event: &events::Event) -> Self {
        let event = event.clone();
        Self {
            id: event.id,
            system: event.system,
            machine_name: event.machine_name,
            agg_id: event.agg_id,
            unix_timestamp: event.unix_timestamp,
            kind: event.kind,
            username: event.username,
            tags: event.tags,
            level: event.level,
            message: event.message,
            body: event.body,
        }
    }
}

impl From<Event> for events::Event {
    fn from(event: Event) -> Self {
        Self {
            id: event.id,
            system: event.system,
            machine_name: event.machine_name,
            agg_id: event.agg_id,
            unix_timestamp: event.unix_timestamp,
            kind: event.kind,
            username: event.username,
            tags: event.tags,
            level: event.level,
            message: event.message,
            body: event.body,
        }
    }
}

/// Returns the events that the documents were made of.
pub(crate) fn originals(documents: Vec<Event>) -> Outcome<Vec<events::Event>> {
    Ok(documents.into_iter().map(Into::into).collect())
}
