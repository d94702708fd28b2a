//! The answers of workload EV that are more than a number.

use serde_json::{Value, json};
use vellum_fixtures::events::{Digest, Event};

/// Returns the answer of an operation that returned `events`.
pub fn whole<'e>(events: impl IntoIterator<Item = &'e Event>) -> Value {
    let (mut ids, mut digest) = (Vec::new(), Digest::new());
    for event in events {
        ids.push(event.id);
        digest.add(event);
    }
    json!({ "ids": ids, "digest": hex(&digest) })
}

/// A whole collection, seen in the order of ids.
#[derive(Debug, Default)]
pub struct Collection {
    count: u64,
    digest: Digest,
}

impl Collection {
    /// Adds one event.
    pub fn add(&mut self, event: &Event) {
        self.count += 1;
        self.digest.add(event);
    }

    /// Returns the answer.
    pub fn answer(&self) -> Value {
        json!({ "count": self.count, "digest": hex(&self.digest) })
    }
}

/// EV14: events that were read and dropped.
#[derive(Debug, Default)]
pub struct Stream {
    count: u64,
    text_bytes: usize,
}

impl Stream {
    /// Adds one event.
    pub fn add(&mut self, event: &Event) {
        let Event { system, machine_name, agg_id, kind, username, tags, message, body, .. } = event;
        let texts = [system, machine_name, agg_id, kind, username, tags, message, body];
        self.count += 1;
        self.text_bytes += texts.into_iter().map(String::len).sum::<usize>();
    }

    /// Returns the answer.
    pub fn answer(&self) -> Value {
        json!({ "count": self.count, "text_bytes": self.text_bytes })
    }
}

fn hex(digest: &Digest) -> String {
    format!("{:016x}", digest.value())
}
