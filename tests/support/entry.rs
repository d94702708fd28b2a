//! An entry, which says who wrote it and as which one.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "entries")]
pub(crate) struct Entry {
    pub(crate) id: i64,
    #[document(index)]
    pub(crate) by: String,
    #[document(index)]
    pub(crate) n: i64,
}

pub(crate) fn entry(by: &str, n: i64) -> Entry {
    Entry { id: 0, by: by.into(), n }
}
