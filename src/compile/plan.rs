//! What a call needs, and nothing else.

use crate::ir::path::FieldPath;
use crate::ir::sql::Bind;

/// A planned statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The text.
    pub(crate) sql: String,
    /// What is bound to `?1`, `?2`, ..
    pub(crate) binds: Vec<Bind>,
    /// What the columns are.
    pub(crate) output: Output,
    /// The schema epoch that the plan was made for.
    pub(crate) epoch: i64,
    /// Whether it writes.
    pub(crate) is_write: bool,
}

/// What the columns of a result are, for messages about what cannot be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Output {
    /// The collection.
    pub(crate) collection: String,
    /// The stored path behind each column that has one.
    pub(crate) paths: Vec<Option<FieldPath>>,
    /// The column that holds the document's row id.
    pub(crate) id_column: Option<usize>,
}

/// What every stage made of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    /// The query as it was written.
    pub(crate) query: String,
    /// The SQL after lowering, and after each pass that changed it.
    pub(crate) stages: Vec<(&'static str, String)>,
    /// What was chosen, and why.
    pub(crate) notes: Vec<String>,
}
