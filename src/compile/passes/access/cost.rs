//! What ways of reading cost, by rules of thumb.
//!
//! The figures are the order of magnitude of the measurements in `docs/design.md` ("Layout and speed"): they only
//! have to tell apart what differs by factors. What ANALYZE found takes the place of what is assumed.

use crate::compile::passes::Depth;
use crate::compile::passes::access::term::{Key, Term, TermShape};
use crate::ir::catalog::{Collection, Index, Statistics};

/// The documents that a collection is taken to have at least: a small one is read fast in any way, and it may have
/// grown since it was looked at.
const DOCUMENTS: f64 = 100_000.0;
/// The values that a list is taken to have.
const LIST: f64 = 10.0;
/// Nanoseconds to step along an index.
pub(super) const INDEX_ROW: f64 = 25.0;
/// Nanoseconds to enter an index at a value.
pub(super) const INDEX_SEEK: f64 = 1_000.0;
/// Nanoseconds to step along the narrow index, with a condition on it.
pub(super) const NARROW_ROW: f64 = 75.0;
/// Nanoseconds to seek one row of the narrow index by its id.
pub(super) const NARROW_SEEK: f64 = 600.0;
/// Nanoseconds to step to the next document, without looking into it.
pub(super) const TABLE_ROW: f64 = 200.0;
/// Nanoseconds to seek one document by its id and look into it.
pub(super) const DOCUMENT: f64 = 1_500.0;
/// Nanoseconds to look into a document that is there.
pub(super) const EXTRACT: f64 = 500.0;
/// Nanoseconds to put a row through the sorter.
pub(super) const SORT_ROW: f64 = 250.0;
/// The rows that a page has whose size is a parameter.
pub(super) const PAGE: f64 = 100.0;
/// Nanoseconds to gather a row id into a set.
pub(super) const SET_ROW: f64 = 35.0;
/// Nanoseconds to ask a set for a row id.
pub(super) const SET_PROBE: f64 = 60.0;

/// Returns the rows in front of a page whose place is a parameter.
pub(super) fn skipped(depth: Depth) -> f64 {
    match depth {
        Depth::Shallow => 50.0,
        Depth::Deep => 10_000.0,
    }
}

/// What is known, or else assumed, of a collection's documents.
#[derive(Clone, Copy)]
pub(super) struct Estimates<'a>(pub(super) &'a Collection);

impl<'a> Estimates<'a> {
    /// Returns how many documents there are.
    pub(super) fn documents(self) -> f64 {
        let known = self.0.whole_indexes().filter_map(known).map(|statistics| statistics.rows);
        known.fold(DOCUMENTS, f64::max)
    }

    /// Returns the part of the documents that a condition keeps.
    pub(super) fn kept(self, term: Option<&Term>) -> f64 {
        let Some(Term { column, shape }) = term else { return 0.35 };
        match shape {
            TermShape::Equal => self.kept_of_value(column),
            TermShape::In | TermShape::InOptions => (LIST * self.kept_of_value(column)).min(0.5),
            TermShape::Null => 0.05,
            TermShape::Between => 0.2,
            TermShape::OneSided => 0.35,
            TermShape::Present => 0.95,
            TermShape::OfKind => 1.0,
        }
    }

    /// Returns the part of the documents that have one value.
    fn kept_of_value(self, column: &Key) -> f64 {
        const ASSUMED: f64 = 0.01;
        let name = match column {
            Key::Id => return 1.0 / self.documents(),
            Key::Column(name) => name,
        };
        let leads = |index: &&Index| index.columns.first().is_some_and(|column| *column.name == **name);
        match self.0.whole_indexes().filter(leads).find_map(known) {
            Some(Statistics { rows, rows_per_value }) if *rows_per_value < Statistics::LOOKED_AT => {
                rows_per_value / rows
            }
            Some(Statistics { rows, rows_per_value }) => (rows_per_value / rows).max(ASSUMED),
            None => ASSUMED,
        }
    }

    /// Returns how many values the first column of an index has at most, where that is known.
    pub(super) fn values(self, index: &Index) -> Option<f64> {
        known(index).map(|statistics| statistics.rows / statistics.rows_per_value)
    }
}

/// Returns the statistics of an index that had enough rows for them to say something.
fn known(index: &Index) -> Option<&Statistics> {
    index.statistics.as_ref().filter(|statistics| statistics.rows >= Statistics::LOOKED_AT)
}
