//! What a call needs, and nothing else.

use crate::compile::advice::Reading;
use crate::ir::path::FieldPath;
use crate::ir::record::Record;
use crate::ir::sql::{Bind, BindSource};

/// A planned statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// What is run.
    pub(crate) text: Text,
    /// What is run in its place for a page that lies deep.
    pub(crate) deep: Option<Deep>,
    /// What the columns are.
    pub(crate) output: Output,
    /// The schema epoch that the plan was made for.
    pub(crate) epoch: i64,
    /// Whether it writes.
    pub(crate) is_write: bool,
    /// Whether a row, when there is one, is known to be the only one.
    pub(crate) is_unique: bool,
}

/// A statement's text, and what it binds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// The text.
    pub(crate) sql: String,
    /// What is bound to `?1`, `?2`, ..
    pub(crate) binds: Vec<Bind>,
}

/// The other text of a query with pages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deep {
    /// What is run.
    pub(crate) text: Text,
    /// Where the numbers of rows come from that the query skips and takes; deep is [`crate::compile::Depth::DEEP`] of
    /// them or more.
    pub(crate) counts: Vec<BindSource>,
}

/// What the columns of a result are, for messages about what cannot be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Output {
    /// The collection.
    pub(crate) collection: String,
    /// The stored path behind each column that has one.
    pub(crate) paths: Vec<Option<FieldPath>>,
    /// The structs that are read from columns of their own, by the first of them.
    pub(crate) records: Vec<(usize, Record)>,
    /// The column that holds the document's row id.
    pub(crate) id_column: Option<usize>,
}

impl Output {
    /// Returns the struct whose columns begin with this one.
    pub(crate) fn record(&self, column: usize) -> Option<&Record> {
        self.records.iter().find(|(first, _)| *first == column).map(|(_, record)| record)
    }
}

/// What every stage made of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    /// The query as it was written.
    pub(crate) query: String,
    /// How its text came to be.
    pub(crate) course: Course,
    /// How the text for pages that lie deep came to be, where it is another.
    pub(crate) deep: Option<Course>,
}

/// How a text came to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// The SQL after lowering, and after each pass that changed it.
    pub(crate) stages: Vec<(&'static str, String)>,
    /// How each table is read, and why not faster.
    pub(crate) readings: Vec<Reading>,
}
