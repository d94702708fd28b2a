//! A case: one operation, what it takes and what the oracle says it returns.

use serde::Serialize;
use serde_json::{Map, Value};

/// All that is done on one open database, in this order.
#[derive(Debug)]
pub struct Scene {
    /// How many documents it is filled with.
    pub count: usize,
    /// The digest of the whole collection, when it has just been filled.
    pub filled: Option<Value>,
    /// The operations.
    pub cases: Vec<Case>,
}

/// One operation.
#[derive(Debug)]
pub struct Case {
    /// `EV5`.
    pub id: &'static str,
    /// Which of several under this id; empty when there is one.
    pub case: &'static str,
    /// A few words for the table.
    pub title: String,
    /// How many documents are worked on, where a rate says more than a time.
    pub items: Option<u64>,
    /// What is done.
    pub work: Work,
}

/// What is done in a case.
#[derive(Debug)]
pub enum Work {
    /// Indexes are made, one creation after another.
    Build(Vec<Build>),
    /// An operation runs, with these indexes.
    Run {
        /// The secondary indexes.
        indexes: Vec<Vec<String>>,
        /// Whether the operation is about them. Where it is not, an engine that cannot make them is asked all the
        /// same, and its row says so.
        needs_indexes: bool,
        /// What is asked in turn: an update asks for something else each time.
        rounds: Vec<Round>,
    },
}

impl Work {
    /// Returns whether documents change.
    pub fn is_update(&self) -> bool {
        matches!(self, Self::Run { rounds, .. } if rounds.iter().any(|round| round.collection.is_some()))
    }
}

/// A creation of indexes.
#[derive(Clone, Debug)]
pub struct Build {
    /// The indexes that there are before.
    pub before: Vec<Vec<String>>,
    /// Those that there are after it.
    pub after: Vec<Vec<String>>,
}

/// A request and its right answer.
#[derive(Clone, Debug)]
pub struct Round {
    /// The operation in the protocol.
    pub op: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// The right answer.
    pub expected: Value,
    /// The digest of the whole collection after it, when it changes documents.
    pub collection: Option<Value>,
}

impl Round {
    /// Makes a round of an operation that is tagged by `op`.
    pub fn new(operation: impl Serialize, expected: Value) -> Self {
        let value = serde_json::to_value(operation).unwrap_or_default();
        let mut parameters = value.as_object().cloned().unwrap_or_default();
        let op = parameters.remove("op").and_then(|op| op.as_str().map(str::to_owned)).unwrap_or_default();
        Self { op, parameters, expected, collection: None }
    }
}

impl Case {
    /// Makes a case.
    pub fn new(id: &'static str, case: &'static str, title: impl Into<String>, work: Work) -> Self {
        Self { id, case, title: title.into(), items: None, work }
    }

    /// Says how many documents are worked on.
    pub fn of_items(mut self, items: usize) -> Self {
        self.items = Some(items as u64);
        self
    }
}
