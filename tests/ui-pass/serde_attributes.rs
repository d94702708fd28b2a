//! Serde's attributes that leave every path known.

#![deny(warnings)]

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

/// A type that derives nothing of ours.
#[derive(Serialize, Deserialize, Default)]
#[serde(tag = "kind")]
enum Shape {
    #[default]
    Point,
    Circle {
        radius: f64,
    },
}

#[derive(Document, Serialize, Deserialize, Default)]
#[serde(rename_all(serialize = "camelCase", deserialize = "camelCase"), rename = "E", deny_unknown_fields)]
#[serde(expecting = "an event", crate = "serde")]
struct Event {
    id: i64,
    #[serde(rename(serialize = "type", deserialize = "type"))]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    names: HashSet<String>,
    counts: HashMap<String, u64>,
    sorted: BTreeMap<String, Shape>,
    places: Vec<Place>,
    place: Option<Place>,
    #[serde(skip)]
    cache: Option<std::time::Instant>,
    #[document(opaque)]
    #[serde(alias = "form")]
    shape: Shape,
    #[document(opaque)]
    #[serde(default = "one")]
    version: i64,
}

#[derive(Embed, Serialize, Deserialize)]
struct Place {
    city: String,
    #[document(opaque)]
    shape: Shape,
}

fn one() -> i64 {
    1
}

fn main() -> vellum::Result<()> {
    let events = Database::open_in_memory()?.collection::<Event>()?;
    events.insert(Event::default())?;
    let found = events.filter(|e| e.kind.eq("") & e.note.is_none() & e.place.city.ne("Oslo")).single()?;
    assert!(found.cache.is_none() && matches!(found.shape, Shape::Point) && found.version == 0);
    Ok(())
}
