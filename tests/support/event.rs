//! The documents whose plans are looked at: most fields indexed, two of them together, and two that are not.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone)]
#[document(collection = "events", compound("machine", "agg"))]
pub(crate) struct Event {
    pub(crate) id: i64,
    #[document(index)]
    pub(crate) system: String,
    #[document(index)]
    pub(crate) machine: String,
    #[document(index)]
    pub(crate) agg: String,
    #[document(index)]
    pub(crate) at: i64,
    #[document(index)]
    pub(crate) user: Option<String>,
    pub(crate) size: i64,
    pub(crate) body: String,
}

/// Returns the event of a number, still without an id.
pub(crate) fn event(n: i64) -> Event {
    Event {
        id: 0,
        system: format!("system {}", n % 7),
        machine: format!("machine {}", n % 11),
        agg: format!("agg {}", n % 13),
        at: n,
        user: (n % 3 > 0).then(|| "user".to_owned()),
        size: n % 17,
        body: "body".to_owned(),
    }
}
